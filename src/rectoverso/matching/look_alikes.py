"""Look-alikes: edges that no measure can tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import NOTHING, mirror
from rectoverso.matching.strips import border_pixels
from rectoverso.puzzle.puzzle import Puzzle

GROUP = 0x80000000
"""A candidate with this bit set is a group of look-alikes, of which any unused edge will do."""


def edge_looks(puzzle: Puzzle, depth: int) -> NDArray[np.int64]:
    """A number for what each edge looks like on every face.

    With known rotations different sides are never alike, and neither are edges of two lengths.
    ``depth`` is how many rows of pixels count: as many as the measure looks at.
    """
    edges = np.arange(puzzle.num_edges)
    strips = [border_pixels(puzzle, row) for row in range(depth)]
    looks = np.concatenate(strips, axis=1).reshape(puzzle.num_edges, -1)
    if puzzle.faces == 2:
        looks = np.concatenate([looks, looks[mirror(edges)]], axis=1)
    if not puzzle.type.rotation_unknown or not puzzle.square:
        told = edges % (2 if puzzle.type.rotation_unknown else 4)
        looks = np.concatenate([looks, told.astype(np.uint8)[:, None]], axis=1)
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

    @property
    def entries(self) -> NDArray[np.uint32]:
        """What each edge is called in candidate lists: its own number, or its group."""
        return np.where(self.group >= 0, self.group | GROUP, np.arange(len(self.group))).astype(np.uint32)

    def first_members(self, candidates: NDArray[np.uint32]) -> NDArray[np.int64]:
        """An edge for each candidate: itself, or the first of its group; 0 where there is none."""
        edges = np.where(candidates < GROUP, candidates, 0).astype(np.int64)
        grouped = (candidates >= GROUP) & (candidates != NOTHING)
        starts = self.start[candidates[grouped] & ~np.uint32(GROUP)]
        edges[grouped] = self.members[starts]
        return edges
