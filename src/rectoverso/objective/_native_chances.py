"""Loops of four seams by their chances: how many true ones are to be expected on either side of a seam."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso._native_geometry import GROUP, NOTHING
from rectoverso.native import native, native_part
from rectoverso.objective._native_loops import beside


@native_part
def spread(edge: Any, clockwise: bool, lists: Any, width: int, marks: Any, mark: Any, paths: Any) -> None:
    """Mark the edges that two seams lead to through a piece beside that of an edge, with the sum of their chances."""
    candidates, chances, shift = lists
    near, piece = beside(edge, clockwise), edge >> shift
    for i in range(width):
        corner = np.uint64(candidates[near, i])
        if corner >= GROUP or corner >> shift == piece:
            continue
        inner, chance = beside(corner, clockwise), np.float64(chances[near, i])
        for k in range(width):
            last = np.uint64(candidates[inner, k])
            if last < GROUP and last >> shift != piece:
                if marks[last] != mark:
                    marks[last], paths[last] = mark, 0.0
                paths[last] += chance * chances[inner, k]


@native_part
def closed(other: Any, clockwise: bool, lists: Any, width: int, marks: Any, mark: Any, paths: Any) -> float:
    """The sum of the chances of all loops on one side of a seam, each the product of those of the other three seams."""
    candidates, chances, shift = lists
    far, total = beside(other, not clockwise), 0.0
    for i in range(width):
        corner = np.uint64(candidates[far, i])
        if corner < GROUP and corner >> shift != other >> shift:
            inner = beside(corner, not clockwise)
            if marks[inner] == mark:
                total += chances[far, i] * paths[inner]
    return total


@native
def loop_chances(start: int, stop: int, lists: Any, width: int, marks: Any, paths: Any, found: Any) -> None:
    """For the candidates of edges ``start`` to ``stop``: the chances of the loops on both sides of the seam.

    ``lists`` are candidates, chances and the bits of an edge's number that tell no piece. ``marks`` and ``paths`` are
    scratch, a number for each edge. What joins an edge to a group of look-alikes stays as it is.
    """
    candidates = lists[0]
    for number in range(start, stop):
        edge = np.uint64(number)
        for side in range(2):
            clockwise, mark = side == 0, np.uint32(2 * (number - start) + side + 1)
            spread(edge, clockwise, lists, width, marks, mark, paths)
            for rank in range(candidates.shape[1]):
                other = np.uint64(candidates[edge, rank])
                if other == NOTHING:
                    break
                if other < GROUP:
                    found[edge, rank, side] = closed(other, clockwise, lists, width, marks, mark, paths)
