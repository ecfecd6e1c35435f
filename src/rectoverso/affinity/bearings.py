"""Bearings: where the compression grid runs from each edge inward, for a search that keeps to one grid.

A bearing is an offset modulo 16 and the mask of its bits that are known: 7 where only the blocks of brightness show
(8 pixels), 15 where those of colors do, 0 where nothing does. A piece of known bearings fits few cells: one in sixteen,
and in one rotation, if pieces are 28 pixels wide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.rulers import BLOCK, Pairs, Ruler
from rectoverso.affinity.stepping import SURE
from rectoverso.geometry import LEFT, NOTHING, STEPS, UP, opposite, showing, shown

Bearings = NDArray[np.uint8]

ONE_GRID = 0.9
"""So many of the pieces that certainly hang together must have the same grid, or the picture is made of several."""

COMMON = 0.6
"""So many pieces of an arrangement must have the same grid for the others to follow it."""

MANY = 10
"""Parts of fewer pieces that know of a grid say nothing about others."""


def find_bearings(inward: Sequence[Ruler | None], links: Pairs, piece_size: int) -> Bearings | None:
    """The bearings by the inward rulers of brightness and of colors, as far as there are any; None without a grid.

    None, too, if the pieces that are linked by certain seams tell of more than one grid: then a grid forbids nothing.
    """
    bearings: Bearings | None = None
    for ruler, scale in zip(inward, (1, 2), strict=False):
        if ruler is None:
            continue
        finer = np.zeros((len(ruler.offset), 2), np.uint8) if bearings is None else bearings.copy()
        known = ruler.level >= SURE
        finer[known, 0] = ruler.offset[known].astype(np.int64) * scale % 16
        finer[known, 1] = BLOCK * scale - 1
        if is_one_grid(finer, links, piece_size):
            bearings = finer
    return bearings


def is_one_grid(bearings: Bearings, links: Pairs, piece_size: int) -> bool:
    """Whether the pieces that hang together by certain seams have one grid, by nearly all of those that know."""
    part, cells, ups = _hanging_together(links, len(bearings))
    mask = int(bearings[:, 1].max())
    agreed, told = 0, 0
    for axis, side in enumerate((UP, LEFT)):
        offset, known = bearings[shown(ups, side)].astype(np.int64).T
        runs = 16 * part + ((offset + cells[:, axis] * piece_size) & mask)
        votes = np.bincount(runs[known == mask], minlength=16 * len(part)).reshape(-1, 16)
        large = votes.sum(axis=1) >= MANY
        agreed += int(votes[large].max(axis=1).sum())
        told += int(votes[large].sum())
    return agreed >= ONE_GRID * told


def _hanging_together(links: Pairs, edges: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """By face: the number of the part that it belongs to, its cell in there, and its up edge."""
    table = np.full(edges, NOTHING, np.int64)
    table[links[0]] = links[1]
    neighbors = table.tolist()
    part, cells, ups = [-1] * (edges // 4), [(0, 0)] * (edges // 4), list(range(0, edges, 4))
    for first in range(edges // 4):
        if part[first] >= 0:
            continue
        part[first] = first
        waiting = [first]
        while waiting:
            face = waiting.pop()
            for direction, (down, right) in enumerate(STEPS):
                edge = neighbors[shown(ups[face], direction)]
                other = edge // 4
                if edge != NOTHING and part[other] < 0:
                    part[other] = first
                    cells[other] = (cells[face][0] + down, cells[face][1] + right)
                    ups[other] = showing(edge, opposite(direction))
                    waiting.append(other)
    return np.array(part), np.array(cells), np.array(ups)


def common_bearing(bearings: Bearings, ups: NDArray[np.uint32], piece_size: int) -> NDArray[np.uint64]:
    """What most pieces of an arrangement (up edges by row and column) tell of the grid: where it runs, what is known.

    That is for rows and for columns, which are numbered from 1 on.
    """
    row, column = np.indices(ups.shape) + 1
    found: list[int] = []
    for side, lines in ((UP, row), (LEFT, column)):
        edges = shown(ups.astype(np.int64), side)
        offset, known = np.moveaxis(bearings[edges].astype(np.int64), 2, 0)
        best = (0, 0)
        for mask in (BLOCK - 1, 2 * BLOCK - 1):
            told = Counter(((offset + lines * piece_size) & mask)[known >= mask].tolist())
            if told and told.most_common(1)[0][1] > COMMON * sum(told.values()):
                best = (told.most_common(1)[0][0], mask)
        found += best
    return np.array(found, np.uint64)
