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
def loop(edge: Any, other: Any, clockwise: bool, lists: Any, width: int, marks: Any, mark: Any, stamps: Any) -> float:
    """The least sum of the other three seams of a loop on one side of a seam.

    P and Q share the seam; C lies beside P and D beside Q. The candidates for D are marked by their edges towards C,
    and the candidates of each C looked through for marks. A group of look-alikes offers whatever is flat; two flat
    edges fit each other with a weight of 1.
    """
    candidates, weights, flat, cap = lists
    near, far = beside(edge, clockwise), beside(other, not clockwise)
    best = min(3 * cap, np.float64(flat[near]) + flat[far] + 1.0)
    for i in range(width):
        corner = np.uint64(candidates[far, i])
        if corner < GROUP:
            weight, inner = min(np.float64(weights[far, i]), cap), beside(corner, not clockwise)
            best = min(best, flat[near] + weight + flat[inner])
            if marks[inner] != mark:
                marks[inner], stamps[inner] = mark, weight
    for i in range(width):
        corner = np.uint64(candidates[near, i])
        if corner >= GROUP:
            continue
        weight, inner = min(np.float64(weights[near, i]), cap), beside(corner, clockwise)
        if weight >= best:
            break
        best = min(best, weight + flat[far] + flat[inner])
        for k in range(width):
            last = np.uint64(candidates[inner, k])
            if last < GROUP and marks[last] == mark:
                best = min(best, weight + stamps[last] + min(np.float64(weights[inner, k]), cap))
    return best


@native
def best_loops(start: int, stop: int, lists: Any, width: int, marks: Any, stamps: Any, found: Any) -> None:
    """For the candidates of edges ``start`` to ``stop``: the cheapest loops on both sides of the seam, added up."""
    candidates = lists[0]
    mark = np.int64(0)
    for edge in range(np.uint64(start), np.uint64(stop)):
        for rank in range(candidates.shape[1]):
            other = np.uint64(candidates[edge, rank])
            if other == NOTHING:
                break
            total = 0.0
            for clockwise in (True, False):
                if other >= GROUP:
                    total += loop_with_group(edge, clockwise, lists, width)
                else:
                    mark += 1
                    total += loop(edge, other, clockwise, lists, width, marks, mark, stamps)
            found[edge, rank] = total
