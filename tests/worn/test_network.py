"""The network against its literal twin, and what it must keep: slices, sides, lengths."""

from __future__ import annotations

import numpy as np
import pytest

from rectoverso.images.files import Pixels
from rectoverso.matching.lists import find_candidates
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions import seam_scores as reference
from rectoverso.worn import _native_pairs as native
from rectoverso.worn.measure import Sights
from rectoverso.worn.network import DEPTH, ROWS, SHOWN, _beside, _waves_of, banded, scores, seen
from rectoverso.worn.texture import Texture, conditions

TOLD = conditions(Texture(2.0, 3.0, 0.5, 0.3), gap=1, light=2.0)


def strips(count: int, length: int, depth: int = DEPTH, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, depth, length, 3), dtype=np.uint8)


@pytest.mark.parametrize("length", [6, 7])
def test_same_as_the_literal_twin(length: int) -> None:
    """What both sides show together, of seams of even and of odd lengths."""
    rng, channels, found = np.random.default_rng(1), 5, 4

    def table(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32)

    near = table(4, length, 6), table(4, 3, 3), table(4, length, channels)
    far = table(4, length, 6), table(4, length, channels)
    one, other, scale = np.array([0, 2]), np.array([3, 1]), np.array([0.5, 2.0], np.float32)
    mixing, kernel, bias = table(6, channels), table(4, channels, found), table(found)
    beside, more = table(3, found, found), table(found)
    windows = np.full((2, length // 2, 4 * channels), np.nan, np.float32)
    native.meet(near, far, one, other, scale, mixing, windows)
    pooled, rows = np.full((2, found), np.nan, np.float32), np.zeros((2, length // 2 + 2, found), np.float32)
    native.show(windows @ kernel.reshape(-1, found), bias, rows)
    native.pool(rows, _beside(rows, beside), more, pooled)
    for seam, (a, b) in enumerate(zip(one, other, strict=True)):
        sides = tuple(each[a].tolist() for each in near), tuple(each[b].tolist() for each in far)
        pixels = reference.met(*sides, float(scale[seam]), mixing.tolist())
        shown = reference.windowed(pixels, kernel.tolist(), bias.tolist())
        assert np.allclose(pooled[seam], reference.pooled(shown, beside.tolist(), more.tolist()), atol=1e-4)


def test_a_seam_has_one_score() -> None:
    """It does not matter from which of its edges a seam is seen."""
    given = strips(6, 12)
    near, far = seen(given, TOLD, "near"), seen(given[:, :, ::-1], TOLD, "far")
    one, other, named = np.array([0, 1, 4]), np.array([5, 2, 3]), np.full((3, 2), 0.5, np.float32)
    both = [scores(near, far, named, TOLD, *pair) for pair in ((one, other), (other, one))]
    assert np.allclose(*both, atol=1e-4)


def test_edges_are_seen_one_by_one() -> None:
    given = strips(5, 10)
    whole, part = seen(given, TOLD, "near"), seen(given[2:3], TOLD, "near")
    assert np.allclose(whole.vectors[2], part.vectors[0], atol=1e-4)
    assert np.allclose(whole.features[2], part.features[0], atol=1e-4)


def test_the_same_on_any_number_of_threads(photos: tuple[Pixels, Pixels]) -> None:
    puzzle = Puzzle.from_image(photos[0], size=14)
    clean = find_candidates(puzzle, measure="blend", num_candidates=4)
    one, two = (Sights.of(puzzle, clean, TOLD, threads) for threads in (1, 2))
    assert np.array_equal(one.near[0].vectors, two.near[0].vectors)
    edges = np.arange(40)
    assert np.array_equal(one.scores(edges, edges[::-1].copy()), two.scores(edges, edges[::-1].copy()))


def test_thin_pieces_have_fewer_rows() -> None:
    assert np.isfinite(seen(strips(3, 9, depth=5), TOLD, "near").vectors).all()


def test_further_rows_are_seen_in_bands() -> None:
    given = strips(2, 5)
    shown = banded(given)
    assert shown.shape == (2, SHOWN, 5, 3)
    assert np.array_equal(shown[:, :ROWS], given[:, :ROWS])
    assert np.allclose(shown[:, ROWS], given[:, 8:11].mean(axis=1))
    assert np.allclose(shown[:, -1], given[:, 20:].mean(axis=1))


@pytest.mark.parametrize("depth", [5, 8, 10, 21])
def test_pieces_that_are_not_so_deep_repeat_their_innermost_row_or_band(depth: int) -> None:
    given = strips(2, 5, depth=depth)
    shown = banded(given)
    assert shown.shape == (2, SHOWN, 5, 3)
    inside = given[:, 20:] if depth > 20 else given[:, 8:] if depth > ROWS else given[:, -1:]
    assert np.allclose(shown[:, -1], inside.mean(axis=1))


def test_waves_by_hand() -> None:
    """A constant color is the first wave alone, and half a cosine is the second one alone."""
    places = np.pi * (np.arange(9) + 0.5) / 9
    colors = np.stack([np.full(9, 7.0), 3 * np.cos(places)], axis=1)[None, :, None, :].astype(np.float32)
    found = _waves_of(np.concatenate([colors, colors[..., :1]], axis=3))
    assert np.allclose(found[0, :, 0], [7, 0, 0, 0], atol=1e-5)
    assert np.allclose(found[0, :, 1], [0, 3, 0, 0], atol=1e-5)


def test_what_lies_deep_inside_is_seen() -> None:
    """A smooth piece that becomes brighter inwards expects another color beyond its edge."""
    flat = np.full((1, DEPTH, 10, 3), 100, np.uint8)
    slope = flat + (2 * np.arange(DEPTH, dtype=np.uint8))[None, :, None, None]
    slope[:, :3] = 100
    lows = [seen(each, TOLD, "near").lows for each in (flat, slope)]
    assert np.abs(lows[0] - lows[1]).max() > 0.5
