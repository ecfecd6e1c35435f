"""The kernel's boundary: its open edges in a heap, by the weight of the best candidate that each has left.

The heap is checked lazily, like the bags: a candidate may have been used since its edge was put in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso._native_geometry import NOTHING, _0, _1, _2, _3, _4, _32, facing, turned
from rectoverso.evolve._native_alignment import aligned
from rectoverso.evolve._native_candidates import edge_key, next_rank, offer
from rectoverso.evolve._native_cells import find_in_cell, look_further
from rectoverso.evolve._native_heap import drop_first, sift_down, sift_up
from rectoverso.evolve._native_kernel import FITTED, FREE, IN_PENDING, LEAST, inside
from rectoverso.matching._native_measures import seam_dissimilarity
from rectoverso.native import draw, native, native_part


@native_part
def open_edges(kernel: Any, tables: Any, rules: Any) -> None:
    """Bring the edges that were opened since the last time into the heap, as far as they are open still."""
    counts = kernel.counts
    for i in range(counts[IN_PENDING]):
        cell, slot = kernel.pending[i] >> _32, kernel.pending[i] & NOTHING
        if np.uint64(kernel.board[cell]) == NOTHING and inside(kernel, rules, cell):
            edge = turned(np.uint64(kernel.board[slot >> _2]), slot)
            if rules.by_cell != _0:
                look_further(slot, cell, edge, _0, kernel, tables, rules)
            else:
                rank = next_rank(edge, _0, slot, cell, kernel, tables, rules)
                sift_up(kernel, edge_key(edge, rank, kernel, tables, rules), slot, rank)
    counts[IN_PENDING] = _0


@native_part
def fit(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any) -> float:
    """The sum of the dissimilarities of a placement with all placed neighbors of its cell."""
    total = 0.0
    for direction in range(_4):
        there = np.uint64(kernel.board[cell + kernel.steps[direction]])
        if there != NOTHING:
            total += seam_dissimilarity(tables.descriptors, turned(up, direction), facing(there, direction))
    return total


@native_part
def best_fit(cell: np.uint64, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The free piece that fits best to all placed neighbors of a cell, if possible an aligned one.

    At most ``rules.sample`` free pieces are tried, from a random one on; where cells are known, only the cell's own.
    """
    free = kernel.counts[FREE]
    first = draw(kernel.random, free)
    best, best_up, kept = np.inf, NOTHING, False
    for i in range(min(rules.sample, free) if rules.floating != _0 else free):
        piece = np.uint64(kernel.free[(first + i) % free])
        if rules.floating == _0 and np.uint64(tables.homes[piece]) != cell:
            continue
        base = piece << rules.piece_shift
        for face in range(rules.faces):
            for side in range(rules.rotations):
                up = base + (face << _2) + side * rules.turn
                keeps = aligned(cell, up, kernel, tables, rules)
                if kept and not keeps:
                    continue
                total = fit(cell, up, kernel, tables, rules)
                if total < best or keeps != kept:
                    best, best_up, kept = total, up, keeps
    return best_up


@native_part
def find_in_list(slot: Any, rank: Any, cell: Any, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The up edge that the heap's first open edge wants beyond it; NOTHING if another edge is the first one now."""
    edge = turned(np.uint64(kernel.board[slot >> _2]), slot)
    other = offer(np.uint64(tables.candidates[edge, rank]), slot, cell, kernel, tables, rules)
    if other != NOTHING:
        drop_first(kernel)
        return turned(other, _2 - slot)
    rank = next_rank(edge, rank + _1, slot, cell, kernel, tables, rules)
    sift_down(kernel, edge_key(edge, rank, kernel, tables, rules), slot, rank)
    return NOTHING


@native
def find_least(kernel: Any, tables: Any, rules: Any) -> tuple[np.uint64, int]:
    """Phase 3: the placement of least weight over the whole boundary.

    When the candidates of all open edges are used up: the best fit among free pieces.
    """
    open_edges(kernel, tables, rules)
    length = np.uint64(tables.candidates.shape[1])
    while True:
        slot, state = np.uint64(kernel.heap_slot[0]), np.uint64(kernel.heap_rank[0])
        cell = (slot >> _2) + kernel.steps[slot & _3]
        if np.uint64(kernel.board[cell]) != NOTHING or not inside(kernel, rules, cell):
            drop_first(kernel)
            continue
        if state == length:
            drop_first(kernel)
            return (cell << _32) | best_fit(cell, kernel, tables, rules), FITTED
        if rules.by_cell != _0:
            up = find_in_cell(slot, state, cell, kernel, tables, rules)
        else:
            up = find_in_list(slot, state, cell, kernel, tables, rules)
        if up != NOTHING:
            return (cell << _32) | up, LEAST
