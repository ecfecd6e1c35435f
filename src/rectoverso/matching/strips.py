"""Edges as strips of colors.

The strip of an edge is its outermost row of pixels, read clockwise around the piece. Two edges that touch run in
opposite directions, so the strip of one meets the *reversed* strip of the other, and every configuration of two pieces
is simply a pair of edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rectoverso.images.files import Pixels
from rectoverso.puzzle.puzzle import Puzzle


def side_rows(planes: NDArray[Any], depth: int = 0) -> NDArray[Any]:
    """The outermost rows of faces x rows x columns (x anything), or those further in: faces x 4 x length, clockwise."""
    far = -1 - depth
    return np.stack([planes[:, depth], planes[:, :, far], planes[:, far, ::-1], planes[:, ::-1, depth]], axis=1)


def border_pixels(puzzle: Puzzle, depth: int = 0) -> Pixels:
    """The pixels of each edge, clockwise: edges x length x 3; with a depth those so many rows further in."""
    size = puzzle.piece_size
    return side_rows(puzzle.pixels.reshape(-1, size, size, 3), depth).reshape(puzzle.num_edges, size, 3)
