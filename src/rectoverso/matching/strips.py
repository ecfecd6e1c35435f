"""Edges as strips of colors.

The strip of an edge is its outermost row of pixels, read clockwise around the piece. Two edges that touch run in
opposite directions, so the strip of one meets the *reversed* strip of the other, and every configuration of two pieces
is simply a pair of edges.

Pieces that are not square have edges of two lengths, which never touch. Arrays of all strips are as wide as the longer
ones, and what lies beyond the end of a shorter one is 0 and counts for nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rectoverso.images.files import Pixels
from rectoverso.puzzle.puzzle import Puzzle

Class = tuple[slice, int]
"""Edges of one length, as a slice of all edges, and that length."""


def edge_classes(puzzle: Puzzle) -> list[Class]:
    """The edges that may touch each other by their length: all, or those up and down and those left and right."""
    if puzzle.square:
        return [(slice(None), puzzle.piece_width)]
    return [(slice(0, None, 2), puzzle.piece_width), (slice(1, None, 2), puzzle.piece_height)]


def side_rows(planes: NDArray[Any], depth: int = 0) -> NDArray[Any]:
    """The outermost rows of square faces x rows x columns (x anything), or those further in.

    They are faces x 4 x length, clockwise.
    """
    return np.stack(_side_rows(planes, depth), axis=1)


def _side_rows(planes: NDArray[Any], depth: int) -> list[NDArray[Any]]:
    far = -1 - depth
    return [planes[:, depth], planes[:, :, far], planes[:, far, ::-1], planes[:, ::-1, depth]]


def border_pixels(puzzle: Puzzle, depth: int = 0) -> Pixels:
    """The pixels of each edge, clockwise: edges x length x 3; with a depth those so many rows further in."""
    pixels = puzzle.pixels if puzzle.compared is None else puzzle.compared
    planes = pixels.reshape(-1, *pixels.shape[2:])
    if puzzle.square:
        return side_rows(planes, depth).reshape(puzzle.num_edges, puzzle.piece_width, 3)
    border = np.zeros((len(planes), 4, max(planes.shape[1:3]), 3), np.uint8)
    for side, row in enumerate(_side_rows(planes, depth)):
        border[:, side, : row.shape[1]] = row
    return border.reshape(puzzle.num_edges, -1, 3)


def reversed_strips(strips: NDArray[Any], classes: list[Class]) -> NDArray[Any]:
    """Strips (edges x length x anything) as the edges that touch see them."""
    seen = np.zeros_like(strips)
    for edges, length in classes:
        seen[edges, :length] = strips[edges, :length][:, ::-1]
    return seen
