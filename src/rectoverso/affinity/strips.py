"""Edges as strips of colors, and edges that no one can tell apart.

The strip of an edge is its outermost row of pixels, read clockwise around the piece. Two edges that touch run in
opposite directions, so the strip of one meets the *reversed* strip of the other, and every configuration of two pieces
is simply a pair of edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import mirror
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


def edge_looks(puzzle: Puzzle, depth: int) -> NDArray[np.int64]:
    """A number for what each edge looks like on every face; with known rotations different sides are never alike.

    ``depth`` is how many rows of pixels count: as many as the measure looks at.
    """
    edges = np.arange(puzzle.num_edges)
    strips = [border_pixels(puzzle, row) for row in range(depth)]
    looks = np.concatenate(strips, axis=1).reshape(puzzle.num_edges, -1)
    if puzzle.faces == 2:
        looks = np.concatenate([looks, looks[mirror(edges)]], axis=1)
    if not puzzle.type.rotation_unknown:
        looks = np.concatenate([looks, (edges % 4).astype(np.uint8)[:, None]], axis=1)
    rows = np.ascontiguousarray(looks).view(np.dtype((np.void, looks.shape[1])))[:, 0]
    return np.unique(rows, return_inverse=True)[1]


@dataclass(frozen=True)
class LookAlikes:
    """Groups of edges, of more than one piece, that look the same on every face: each offers any unused member.

    ``group`` has each edge's group or -1; group g's edges are ``members[start[g]:start[g + 1]]``, at least ``least``.
    """

    group: NDArray[np.int64]
    start: NDArray[np.uint32]
    members: NDArray[np.uint32]
    least: int = 2

    @classmethod
    def none(cls, num_edges: int) -> LookAlikes:
        """Every edge stands for itself."""
        return cls(np.full(num_edges, -1), np.zeros(1, np.uint32), np.zeros(0, np.uint32))

    @classmethod
    def of(cls, puzzle: Puzzle, depth: int = 1, least: int = 2) -> LookAlikes:
        """The groups of at least so many of a puzzle's edges; ``depth`` as in :func:`edge_looks`."""
        return cls._by_number(edge_looks(puzzle, depth), puzzle.faces, least)

    def split(self, kinds: NDArray[np.integer], faces: int) -> LookAlikes:
        """The groups of edges that are of the same kind as well (edges x anything), on every face."""
        if faces == 2:
            kinds = np.concatenate([kinds, kinds[mirror(np.arange(len(kinds)))]], axis=1)
        number = np.unique(np.column_stack([self.group, kinds]), axis=0, return_inverse=True)[1].ravel()
        return self._by_number(np.where(self.group < 0, -1, number), faces, self.least)

    @classmethod
    def _by_number(cls, number: NDArray[np.int64], faces: int, least: int) -> LookAlikes:
        """Edges of the same number are alike; those of number -1 stand for themselves."""
        order = np.argsort(number, kind="stable")[np.count_nonzero(number < 0) :]
        bounds = np.flatnonzero(np.diff(number[order], prepend=-1, append=-1))
        pieces = order // (4 * faces)
        group, start, members = np.full(len(number), -1), [0], []
        for first, last in pairwise(bounds):
            if last - first >= least and pieces[first] != pieces[last - 1]:  # sorted: the ends differ if any two do
                group[order[first:last]] = len(start) - 1
                members.append(order[first:last])
                start.append(start[-1] + int(last - first))
        joined = np.concatenate(members) if members else np.zeros(0)
        return cls(group, np.array(start, np.uint32), joined.astype(np.uint32), least)
