"""Wear that is made on purpose: as much as was said, of the kind that was said, and the same each time."""

from __future__ import annotations

import numpy as np
import pytest

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels
from rectoverso.images.wear import Wear
from rectoverso.puzzle.puzzle import Puzzle


def gray(count: int = 200) -> Pixels:
    return np.full((count, 1, 20, 24, 3), 120, np.uint8)


def worn(text: str, tiles: Pixels | None = None) -> np.ndarray:
    return Wear.of(text).worn(gray() if tiles is None else tiles, np.random.default_rng(1)).astype(float)


def test_noise_has_the_deviation_that_was_said() -> None:
    assert worn("noise=5").std() == pytest.approx(5, rel=0.02)


def test_brightness_is_one_for_each_tile() -> None:
    found = worn("brightness=8")
    assert np.ptp(found.reshape(200, -1), axis=1).max() == 0
    means = found.mean(axis=(1, 2, 3, 4)) - 120
    assert -8 <= means.min() < -6
    assert 6 < means.max() <= 8


def test_a_gap_is_lost_at_each_side() -> None:
    tiles = np.random.default_rng(0).integers(0, 256, (3, 1, 20, 24, 3), np.uint8)
    np.testing.assert_array_equal(worn("gap=2", tiles), tiles[:, :, 2:-2, 2:-2])


def test_blur_and_saving_stay_within_a_tile() -> None:
    tiles = gray(2)
    tiles[1] = 255
    for text in ("blur=2", "jpeg=50"):
        np.testing.assert_array_equal(worn(text, tiles), tiles)
    edge = gray(1)
    edge[..., :12, :] = 20
    assert np.abs(np.diff(worn("blur=2", edge), axis=3)).max() < 40
    assert not np.array_equal(worn("jpeg=50", edge), edge)


def test_nothing_is_worn_unless_it_is_said() -> None:
    assert Wear.of("") == Wear()
    np.testing.assert_array_equal(worn(""), gray())


def test_a_worn_puzzle_is_the_same_puzzle(photos: tuple[Pixels, Pixels]) -> None:
    """The same pieces in the same places, and the same wear each time."""
    plain, *twice = (Puzzle.from_image(photos[0], seed=4, wear=wear) for wear in (None, *[Wear(noise=3, gap=1)] * 2))
    assert plain.truth == twice[0].truth
    assert (twice[0].piece_height, twice[0].digest) == (26, twice[1].digest)
    difference = twice[0].pixels.astype(float) - plain.pixels[:, :, 1:-1, 1:-1]
    assert 2 < difference.std() < 3.2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rust=1", "no kind of wear"),
        ("noise", "no kind of wear"),
        ("noise=1,noise=2", "no kind of wear"),
        ("gap=1.5", "needs a whole number"),
        ("noise=much", "needs a number"),
        ("noise=-1", "from 0 to 100"),
        ("noise=nan", "from 0 to 100"),
        ("gap=10", "too small"),
    ],
)
def test_nonsense_is_refused(text: str, says: str) -> None:
    with pytest.raises(BadInputError, match=says):
        worn(text)
