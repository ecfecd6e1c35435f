"""Growth by cells: phase 3 judges a placement by all placed neighbors of its cell.

Only preset ``best`` needs this file. The elements of the heap are placements that have been judged, and for each open
edge one that says from which candidate on to look further.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso._native_geometry import NOTHING, _0, _1, _2, _4, facing, turned
from rectoverso.evolve._native_candidates import INFINITE, heap_key, next_rank, offer
from rectoverso.evolve._native_heap import drop_first, sift_down, sift_up
from rectoverso.evolve._native_kernel import IN_HEAP
from rectoverso.evolve._native_weights import seam_weight
from rectoverso.native import draw, native_part

_16, RANKS = np.uint64(16), np.uint64(0xFFFF)
NEUTRAL = np.float32(1.4)
"""The weight of a seam that speaks neither for nor against a placement: what an open side counts."""

FEW = 6
"""How many candidates of an open edge are judged at a time."""


@native_part
def bits(weight: np.float32) -> np.uint64:
    """A positive float32 as the integer that sorts like it."""
    return np.uint64(np.float32(weight).view(np.uint32))


@native_part
def evidence(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any) -> tuple[np.uint64, np.uint64]:
    """How well a placement fits all placed neighbors of its cell, as the bits of a float32, and how many they are.

    Each seam adds its weight, and each open side a neutral one: two seams that fit well come before one that fits a
    little better.
    """
    total, count = np.float32(0), _0
    for direction in range(_4):
        there = np.uint64(kernel.board[cell + kernel.steps[direction]])
        if there == NOTHING:
            total += NEUTRAL
            continue
        total += np.float32(seam_weight(tables, turned(up, direction), facing(there, direction)))
        count += _1
    return bits(total), count


@native_part
def look_further(slot: Any, cell: Any, edge: Any, rank: Any, kernel: Any, tables: Any, rules: Any) -> None:
    """Put the next few free candidates of an open edge into the heap, each by its evidence, and where to go on."""
    length = np.uint64(tables.candidates.shape[1])
    room = np.uint64(kernel.heap.shape[0] - 4 * kernel.free.shape[0])
    for _ in range(FEW):
        rank = next_rank(edge, rank, slot, cell, kernel, tables, rules)
        if rank == length:
            break
        if kernel.counts[IN_HEAP] < room:
            other = offer(np.uint64(tables.candidates[edge, rank]), slot, cell, kernel, tables, rules)
            weight, count = evidence(cell, turned(other, _2 - slot), kernel, tables)
            sift_up(kernel, heap_key(weight, edge, kernel, rules), slot, rank | (count << _16))
        rank += _1
    weight = INFINITE
    if rank < length:
        weight = bits(tables.weights[edge, rank] + np.float32(3) * NEUTRAL)
    sift_up(kernel, heap_key(weight, edge, kernel, rules), slot, rank)


@native_part
def find_in_cell(slot: Any, state: Any, cell: Any, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """Judge the heap's first element by its cell: the up edge if it is to be placed, or NOTHING to look again.

    Elements that are judged by 0 neighbors say where to look further; others are judged again if neighbors have come.
    """
    rank, judged = state & RANKS, state >> _16
    edge = turned(np.uint64(kernel.board[slot >> _2]), slot)
    if judged == _0:
        drop_first(kernel)
        look_further(slot, cell, edge, rank, kernel, tables, rules)
        return NOTHING
    other = offer(np.uint64(tables.candidates[edge, rank]), slot, cell, kernel, tables, rules)
    if other == NOTHING:
        drop_first(kernel)
        return NOTHING
    up = turned(other, _2 - slot)
    weight, count = evidence(cell, up, kernel, tables)
    if count != judged:
        sift_down(kernel, heap_key(weight, edge, kernel, rules), slot, rank | (count << _16))
        return NOTHING
    drop_first(kernel)
    return NOTHING if rules.skip != _0 and draw(kernel.random, NOTHING) < rules.skip else up
