"""Pictures cut into tiles, and tiles laid out as pictures."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels

TileSize = tuple[int, int]
"""The height and the width of a tile in pixels."""


def cut_tiles(
    picture: Pixels, size: TileSize, *, crop: bool = False, name: str = "the picture"
) -> tuple[Pixels, int, int]:
    """The tiles of a picture, row by row (tiles x height x width x 3), and how many rows and columns there are.

    A rest that fills no whole tile is an error unless ``crop`` cuts it away, evenly from both sides.
    """
    (height, width), (tall, wide) = picture.shape[:2], size
    rows, columns = height // tall, width // wide
    if rows * columns < 2:
        raise BadInputError(
            f"{name} is {width}x{height} pixels: with pieces of {wide}x{tall} pixels that makes {rows * columns} "
            f"{'piece' if rows * columns == 1 else 'pieces'}, and a puzzle needs 2; choose a smaller --size."
        )
    if height % tall or width % wide:
        if not crop:
            raise BadInputError(
                f"{name} is {width}x{height} pixels, which pieces of {wide}x{tall} pixels do not divide; --crop would "
                f"cut it to {columns * wide}x{rows * tall} "
                f"({width % wide} pixels less wide, {height % tall} less high)."
            )
        top, left = height % tall // 2, width % wide // 2
        picture = picture[top : top + rows * tall, left : left + columns * wide]
    tiles = picture.reshape(rows, tall, columns, wide, 3).swapaxes(1, 2).reshape(-1, tall, wide, 3)
    return np.ascontiguousarray(tiles), rows, columns


def lay_tiles(tiles: Pixels, rows: int, columns: int) -> Pixels:
    """The picture that tiles make when laid row by row: the inverse of :func:`cut_tiles`."""
    height, width = tiles.shape[1:3]
    table = tiles.reshape(rows, columns, height, width, 3).swapaxes(1, 2)
    return np.ascontiguousarray(table.reshape(rows * height, columns * width, 3))


def lay_apart(tiles: Pixels, rows: int, columns: int, lost: int, color: tuple[int, int, int] | None = None) -> Pixels:
    """The picture that tiles make with so many pixels lost between any two of them.

    These have a color or, without one, go over from the borders on one side to those on the other.
    """
    height, width = tiles.shape[1:3]
    picture = np.zeros((rows * (height + lost) - lost, columns * (width + lost) - lost, 3), np.float32)
    picture[:] = 0 if color is None else color
    down, right = (np.arange(count)[:, None] * (side + lost) for count, side in ((rows, height), (columns, width)))
    y, x = (down + np.arange(height)).ravel(), (right + np.arange(width)).ravel()
    picture[np.ix_(y, x)] = lay_tiles(tiles, rows, columns)
    if color is None:
        # What lies between four tiles comes last, from what was put between two.
        picture = _gone_over(_gone_over(picture, right[1:, 0], lost).swapaxes(0, 1), down[1:, 0], lost).swapaxes(0, 1)
    return np.ascontiguousarray(np.rint(picture).astype(np.uint8))


def _gone_over(picture: NDArray[np.float32], starts: NDArray[np.int64], lost: int) -> NDArray[np.float32]:
    """The columns before each start, interpolated between the columns on both sides."""
    for step in range(1, lost + 1):
        share = np.float32(step / (lost + 1))
        picture[:, starts - lost + step - 1] = (1 - share) * picture[:, starts - lost - 1] + share * picture[:, starts]
    return picture


def atlas_columns(count: int) -> int:
    """How many tiles wide the atlas of a number of tiles is: as square as can be."""
    return math.isqrt(count - 1) + 1


def make_atlas(tiles: Pixels) -> Pixels:
    """All tiles in one picture, row by row, black where the last row is not full."""
    columns = atlas_columns(len(tiles))
    rows = -(-len(tiles) // columns)
    padded = np.zeros((rows * columns, *tiles.shape[1:]), np.uint8)
    padded[: len(tiles)] = tiles
    return lay_tiles(padded, rows, columns)
