"""Loops of four seams: the cheapest that a seam can be part of."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso._native_geometry import GROUP, NOTHING, _1, _3, turned
from rectoverso.native import native, native_part


@native_part
def beside(edge: np.uint64, clockwise: bool) -> np.uint64:
    """The next edge of the same piece, clockwise or the other way round."""
    return turned(edge, _1 if clockwise else _3)


@native_part
def loop_with_group(edge: Any, clockwise: bool, lists: Any, width: int) -> float:
    """The least rest of a loop whose seam joins an edge to one of many look-alikes: what lies beyond is flat."""
    candidates, weights, flat, cap = lists
    near = beside(edge, clockwise)
    best = min(3 * cap, np.float64(flat[near]) + 2.0)
    for i in range(width):
        corner = np.uint64(candidates[near, i])
        if corner < GROUP:
            weight = min(np.float64(weights[near, i]), cap)
            best = min(best, weight + flat[beside(corner, clockwise)] + 1.0)
    return best


@native_part
def reach(near: Any, clockwise: bool, lists: Any, width: int, marks: Any, mark: Any, paths: Any) -> float:
    """Mark the edges that two seams lead to from an edge, through a piece C beside it, with the least sum of both.

    Returns the least sum of the first of them and of a flat edge of C.
    """
    candidates, weights, flat, cap = lists
    best = np.inf
    for i in range(width):
        corner = np.uint64(candidates[near, i])
        if corner >= GROUP:
            continue
        weight, inner = min(np.float64(weights[near, i]), cap), beside(corner, clockwise)
        best = min(best, weight + flat[inner])
        for k in range(width):
            last = np.uint64(candidates[inner, k])
            if last < GROUP:
                path = weight + min(np.float64(weights[inner, k]), cap)
                if marks[last] != mark or path < paths[last]:
                    marks[last], paths[last] = mark, path
    return best


@native_part
def loop(other: Any, clockwise: bool, lists: Any, width: int, marks: Any, mark: Any, paths: Any, flats: Any) -> float:
    """The least sum of the other three seams of a loop on one side of a seam.

    P and Q share the seam; C lies beside P and D beside Q. The candidates for D are looked through for edges that
    paths through C lead to. A group of look-alikes offers whatever is flat; two flat edges fit each other with a weight
    of 1. ``flats`` are the least weights of a flat edge beside P, and of a seam with C and a flat edge of it.
    """
    candidates, weights, flat, cap = lists
    far = beside(other, not clockwise)
    best = min(3 * cap, flats[0] + flat[far] + 1.0, flats[1] + flat[far])
    for i in range(width):
        corner = np.uint64(candidates[far, i])
        if corner < GROUP:
            weight, inner = min(np.float64(weights[far, i]), cap), beside(corner, not clockwise)
            best = min(best, flats[0] + weight + flat[inner])
            if marks[inner] == mark:
                best = min(best, paths[inner] + weight)
    return best


@native
def best_loops(start: int, stop: int, lists: Any, width: int, marks: Any, paths: Any, found: Any) -> None:
    """For the candidates of edges ``start`` to ``stop``: the cheapest loops on both sides of the seam, added up.

    ``marks`` and ``paths`` are scratch: one row for each side, a column for each edge.
    """
    candidates, _, flat, _ = lists
    for number in range(start, stop):
        edge, mark = np.uint64(number), np.uint32(number - start + 1)
        right, left = beside(edge, True), beside(edge, False)
        flats_right = (np.float64(flat[right]), reach(right, True, lists, width, marks[0], mark, paths[0]))
        flats_left = (np.float64(flat[left]), reach(left, False, lists, width, marks[1], mark, paths[1]))
        for rank in range(candidates.shape[1]):
            other = np.uint64(candidates[edge, rank])
            if other == NOTHING:
                break
            if other >= GROUP:
                total = loop_with_group(edge, True, lists, width) + loop_with_group(edge, False, lists, width)
            else:
                total = loop(other, True, lists, width, marks[0], mark, paths[0], flats_right)
                total += loop(other, False, lists, width, marks[1], mark, paths[1], flats_left)
            found[edge, rank] = total
