"""Alignment: how each edge lies in a pattern that runs through the whole picture, with a known period.

An alignment is a number and the mask of its bits that are known. The lower four bits are a phase: how far it is from
the edge inward to the next line of the pattern. The mask tells the period, in pixels: 15 for a period of 16, 7 for one
of 8, 0 where nothing is known. The two bits above are the direction that the edge has in the pattern: whether it is up
or down rather than left or right, and which of both. Pieces that are aligned with a kernel fit few of its cells.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import LEFT, UP, shown

Alignment = NDArray[np.uint8]
"""Edges x 2: the alignment of each edge, and which of its bits are known."""

PHASE, AXIS, DIRECTION = 15, 16, 48
"""The bits of a phase, that of rows or columns, and all that tell a direction."""

SHORT_PHASE = 7
"""The bits of a phase with half the period."""

COMMON = 0.6
"""This share of the pieces of an arrangement must have the same alignment for the others to follow it."""


def moved(alignment: NDArray[np.int64], pixels: NDArray[np.integer] | np.integer | int) -> NDArray[np.int64]:
    """An alignment as it is so many pixels before: only its phase changes."""
    return ((alignment + pixels) & PHASE) | (alignment & DIRECTION)


def unknown_alignment(num_edges: int) -> Alignment:
    """Nothing is known of any edge."""
    return np.zeros((num_edges, 2), np.uint8)


def common_alignment(alignment: Alignment, ups: NDArray[np.uint32], sizes: tuple[int, int]) -> NDArray[np.uint64]:
    """What most pieces of an arrangement (up edges by row and column) tell of its alignment, and what of it is known.

    That is for rows and for columns, which are numbered from 1 on; ``sizes`` are the height of a row and the width of a
    column.
    """
    row, column = np.indices(ups.shape) + 1
    found: list[int] = []
    for side, lines, size in ((UP, row, sizes[0]), (LEFT, column, sizes[1])):
        edges = shown(ups.astype(np.int64), side)
        values, known = np.moveaxis(alignment[edges].astype(np.int64), 2, 0)
        there = moved(values, lines * size)
        value, told = 0, 0
        for mask in (SHORT_PHASE, PHASE, AXIS, DIRECTION):
            votes = Counter((there & mask)[known & mask == mask].tolist())
            for most, count in votes.most_common(1):
                if count > COMMON * votes.total():
                    value, told = value & ~mask | most, told | mask
        found += [value, told]
    return np.array(found, np.uint64)
