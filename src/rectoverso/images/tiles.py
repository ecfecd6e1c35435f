"""Pictures cut into tiles, and tiles laid out as pictures."""

from __future__ import annotations

import math

import numpy as np

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
