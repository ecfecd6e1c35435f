"""Blocks by hand: their coefficients, where edges split them, and the steps that are read off them."""

from __future__ import annotations

import numpy as np
import pytest

from rectoverso.geometry import DOWN, UP
from rectoverso.jpeg.blocks import NOISE, SIGNS, block_places, coefficients, split_blocks
from rectoverso.jpeg.offsets import GridOffsets
from rectoverso.jpeg.quantization import make_lattice, read_steps, seam_energies_of


def test_coefficients_by_hand() -> None:
    """A flat block has none; one that is a wave has one, and turned by half it has the other sign."""
    assert np.allclose(coefficients(np.full((1, 8, 16), 77, np.uint8)), 0, atol=1e-3)
    wave = np.rint(128 + 100 * np.cos((2 * np.arange(8) + 1) * 3 * np.pi / 16)).astype(np.uint8)
    block = np.tile(wave, (8, 1))
    found = (coefficients(block[None])[0, 0] * NOISE).reshape(8, 8)
    assert found[0, 3] == pytest.approx(100 * 4 * np.sqrt(2), rel=0.01)
    found[0, 3] = 0
    assert np.abs(found).max() < 3
    np.testing.assert_allclose(
        coefficients(block[None, ::-1, ::-1].copy()), coefficients(block[None]) * SIGNS, atol=1e-2
    )


@pytest.mark.parametrize("rows", range(1, 8))
def test_a_block_cut_in_two_and_joined(rows: int) -> None:
    """With its own coefficients for steps a block has no energy, when its parts are joined; others have."""
    noise = np.random.default_rng(rows).integers(0, 256, (3, 8, 8), np.uint8)
    whole, pieces = noise[0], noise.copy()
    pieces[0, rows:], pieces[1, :rows] = whole[: 8 - rows], whole[8 - rows :]
    offset, level = np.zeros((2, 12), np.int8)
    edges = np.array([DOWN, 4 + UP, 8 + UP])
    offset[edges], level[edges] = (8 - rows, rows, rows), 1
    places = block_places(GridOffsets(offset, level, 0), GridOffsets(np.zeros(12, np.int8), level, 0), 8)
    assert places[edges, 2].tolist() == [1, 1, 1]
    lattice = make_lattice(np.repeat(np.abs(coefficients(whole[None])) * NOISE, 2, axis=0))
    split = split_blocks(pieces, places)
    one, other = edges[[0, 1, 0, 1, 2]], edges[[1, 0, 2, 2, 2]]
    joined, back, wrong, *not_joined = seam_energies_of(split, one, other, lattice)
    assert joined == back == 0
    assert wrong > 1
    assert (np.array(not_joined) == -1).all() == (rows != 4)


def test_places_by_hand() -> None:
    """Of pieces of 28 pixels: 3 rows, blocks from 5 on, two of them; the other edge has 5 rows, blocks from 7 on."""
    level = np.ones(4, np.int8)
    inward, along = (
        GridOffsets(np.array([3, 5, 0, 3], np.int8), level, 0),
        GridOffsets(np.array([5, 7, 4, 4], np.int8), level, 4),
    )
    places = block_places(inward, along, 28).tolist()
    assert places == [[3 * 8 + 5, 5 * 8 + 7, 2], [5 * 8 + 7, 3 * 8 + 5, 2], [-1, -2, 0], [3 * 8 + 4, 5 * 8, 3]]
    unsure = GridOffsets(inward.offset, np.zeros(4, np.int8), 0)
    assert block_places(unsure, along, 28).tolist() == block_places(inward, unsure, 28).tolist() == [[-1, -2, 0]] * 4


def test_steps_by_hand() -> None:
    """Multiples of 7 and of 9 and 12, with rounding noise; anything at all; and too few that are not 0."""
    rng = np.random.default_rng(0)
    square = np.zeros((1000, 8, 8))
    square[:, 0, 1], square[:, 1, 0] = rng.integers(-4, 5, (2, 1000)) * 7
    square[:, 0, 2], square[:, 2, 0] = rng.integers(-4, 5, (2, 1000)) * [[9], [12]]
    square[:, 3, 3] = rng.normal(0, 20, 1000)
    square[:99, 4, 5] = 30
    square += rng.normal(0, NOISE, square.shape)
    steps = read_steps([(square / NOISE).astype(np.float32).reshape(100, 10, 64)])
    expected = np.zeros((2, 8, 8))
    expected[:, 0, 1] = expected[:, 1, 0] = 7
    expected[:, 0, 2] = expected[:, 2, 0] = 9, 12
    assert steps.tolist() == expected.tolist()
    assert not read_steps([]).any()
