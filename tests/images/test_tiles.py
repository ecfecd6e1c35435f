"""Cutting and laying out."""

from __future__ import annotations

import numpy as np
import pytest

from rectoverso.errors import BadInputError
from rectoverso.images.tiles import cut_tiles, lay_tiles, make_atlas


def test_cut_then_lay_is_the_identity() -> None:
    """Tiles laid row by row are the picture again."""
    picture = np.random.default_rng(0).integers(0, 256, (6, 9, 3), np.uint8)
    tiles, rows, columns = cut_tiles(picture, (3, 3))
    assert (rows, columns) == (2, 3)
    np.testing.assert_array_equal(tiles[1], picture[:3, 3:6])
    np.testing.assert_array_equal(lay_tiles(tiles, rows, columns), picture)


def test_crop_takes_evenly_from_both_sides() -> None:
    """What is left over is cut around the middle."""
    picture = np.arange(7 * 10 * 3, dtype=np.uint8).reshape(7, 10, 3)
    tiles, rows, columns = cut_tiles(picture, (3, 3), crop=True)
    np.testing.assert_array_equal(lay_tiles(tiles, rows, columns), picture[0:6, 0:9])


def test_a_rest_is_refused_with_what_crop_would_do() -> None:
    """The message has the size after cropping and what is lost."""
    with pytest.raises(BadInputError, match=r"--crop would cut it to 9x6 \(1 pixels less wide, 1 less high\)"):
        cut_tiles(np.zeros((7, 10, 3), np.uint8), (3, 3))


def test_one_piece_is_no_puzzle() -> None:
    """A picture of one tile is refused."""
    with pytest.raises(BadInputError, match="makes 1 piece, and a puzzle needs 2"):
        cut_tiles(np.zeros((7, 7, 3), np.uint8), (5, 5), crop=True)


def test_atlas_holds_every_tile() -> None:
    """The atlas is as square as can be and pads its last row with black."""
    tiles = np.full((5, 2, 2, 3), 7, np.uint8)
    atlas = make_atlas(tiles)
    assert atlas.shape == (4, 6, 3)
    assert (atlas == 7).sum() == tiles.size
