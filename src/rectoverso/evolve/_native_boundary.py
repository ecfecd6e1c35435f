"""The kernel's boundary: its open edges in a heap, by the dissimilarity of the best candidate that each has left.

The heap is checked lazily, like the bags: a candidate may have been used since its edge was put in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.affinity._native_measures import seam_dissimilarity
from rectoverso.evolve._native_kernel import (
    FITTED,
    FREE,
    GROUP,
    IN_HEAP,
    IN_PENDING,
    LEAST,
    NOTHING,
    _0,
    _1,
    _2,
    _3,
    _4,
    _32,
    inside,
    is_free,
)
from rectoverso.native import GOLDEN, draw, mix, native_part

INFINITE = np.uint64(0x7F800000)  # the bits of a float32 infinity


@native_part
def offer(entry: np.uint64, cell: np.uint64, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The edge that a candidate stands for, if its piece may go into the cell; for a group its next unused member."""
    if entry < GROUP:
        piece = entry >> rules.piece_shift
        if not is_free(kernel, piece) or (rules.floating == _0 and np.uint64(tables.homes[piece]) != cell):
            return NOTHING
        return entry
    group = entry ^ GROUP
    start = np.uint64(tables.group_start[group])
    size = np.uint64(tables.group_start[group + _1]) - start
    # Each child goes round the group from a place of its own.
    offset = mix(kernel.random[1] ^ (group * GOLDEN)) % size
    while kernel.passed[group] < size:
        member = np.uint64(tables.group_members[start + (offset + kernel.passed[group]) % size])
        if is_free(kernel, member >> rules.piece_shift):
            return member
        kernel.passed[group] += _1
    return NOTHING


@native_part
def next_rank(edge: Any, rank: Any, cell: Any, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The rank of the first candidate from ``rank`` on that can go into the cell; the list's length if none can."""
    length = np.uint64(tables.candidates.shape[1])
    while rank < length:
        entry = np.uint64(tables.candidates[edge, rank])
        if entry == NOTHING:
            return length
        if offer(entry, cell, kernel, tables, rules) != NOTHING:
            return rank
        rank += _1
    return length


@native_part
def heap_key(edge: Any, rank: Any, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """Order in the heap: by dissimilarity, then at random but the same for the edge all through one child (or by edge).

    Edges whose candidates are used up come last.
    """
    tie = mix(kernel.random[1] ^ (edge * GOLDEN)) >> _32 if rules.random_ties != _0 else edge
    weight = np.uint64(tables.weights[edge, rank]) if rank < np.uint64(tables.weights.shape[1]) else INFINITE
    return (weight << _32) | tie


@native_part
def sift_up(kernel: Any, key: np.uint64, slot: np.uint64, rank: np.uint64) -> None:
    """Add an open edge to the heap; equal keys are ordered by their slot."""
    at = kernel.counts[IN_HEAP]
    kernel.counts[IN_HEAP] += _1
    while at > _0:
        up = (at - _1) >> _1
        if kernel.heap[up] < key or (kernel.heap[up] == key and kernel.heap_slot[up] < slot):
            break
        kernel.heap[at], kernel.heap_slot[at], kernel.heap_rank[at] = (
            kernel.heap[up],
            kernel.heap_slot[up],
            kernel.heap_rank[up],
        )
        at = up
    kernel.heap[at], kernel.heap_slot[at], kernel.heap_rank[at] = key, slot, rank


@native_part
def sift_down(kernel: Any, key: np.uint64, slot: np.uint64, rank: np.uint64) -> None:
    """Replace the heap's first element."""
    heap, slots, ranks, size = kernel.heap, kernel.heap_slot, kernel.heap_rank, kernel.counts[IN_HEAP]
    at = _0
    while True:
        down = (at << _1) + _1
        if down >= size:
            break
        right = down + _1
        if right < size and (heap[right] < heap[down] or (heap[right] == heap[down] and slots[right] < slots[down])):
            down = right
        if key < heap[down] or (key == heap[down] and slot < slots[down]):
            break
        heap[at], slots[at], ranks[at] = heap[down], slots[down], ranks[down]
        at = down
    heap[at], slots[at], ranks[at] = key, slot, rank


@native_part
def drop_first(kernel: Any) -> None:
    """Take the first element off the heap."""
    kernel.counts[IN_HEAP] -= _1
    last = kernel.counts[IN_HEAP]
    if last > _0:
        sift_down(kernel, kernel.heap[last], kernel.heap_slot[last], kernel.heap_rank[last])


@native_part
def open_edges(kernel: Any, tables: Any, rules: Any) -> None:
    """Bring the edges that were opened since the last time into the heap, as far as they are open still."""
    counts = kernel.counts
    for i in range(counts[IN_PENDING]):
        cell, slot = kernel.pending[i] >> _32, kernel.pending[i] & NOTHING
        if np.uint64(kernel.board[cell]) == NOTHING and inside(kernel, rules, cell):
            up = np.uint64(kernel.board[slot >> _2])
            edge = (up & ~_3) | ((up + slot) & _3)
            rank = next_rank(edge, _0, cell, kernel, tables, rules)
            sift_up(kernel, heap_key(edge, rank, kernel, tables, rules), slot, rank)
    counts[IN_PENDING] = _0


@native_part
def fit(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any) -> float:
    """The sum of the dissimilarities of a placement with all placed neighbors of its cell."""
    total = 0.0
    for direction in range(_4):
        there = np.uint64(kernel.board[cell + kernel.steps[direction]])
        if there != NOTHING:
            one = (up & ~_3) | ((up + direction) & _3)
            other = (there & ~_3) | ((there + direction + _2) & _3)
            total += seam_dissimilarity(tables.seams, one, other)
    return total


@native_part
def best_fit(cell: np.uint64, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The free piece that fits best to all placed neighbors of a cell.

    At most ``rules.sample`` free pieces are tried, from a random one on.
    """
    free = kernel.counts[FREE]
    first = draw(kernel.random, free)
    best, best_up = np.inf, NOTHING
    for i in range(min(rules.sample, free)):
        base = np.uint64(kernel.free[(first + i) % free]) << rules.piece_shift
        for face in range(rules.faces):
            for side in range(rules.rotations):
                up = base + (face << _2) + side
                total = fit(cell, up, kernel, tables, rules)
                if total < best:
                    best, best_up = total, up
    return best_up


@native_part
def find_least(kernel: Any, tables: Any, rules: Any) -> tuple[np.uint64, int]:
    """Phase 3: the placement of least dissimilarity over the whole boundary.

    When the candidates of all open edges are used up: the best fit among free pieces.
    """
    open_edges(kernel, tables, rules)
    length = np.uint64(tables.candidates.shape[1])
    while True:
        slot, rank = np.uint64(kernel.heap_slot[0]), np.uint64(kernel.heap_rank[0])
        cell = (slot >> _2) + kernel.steps[slot & _3]
        if np.uint64(kernel.board[cell]) != NOTHING or not inside(kernel, rules, cell):
            drop_first(kernel)
            continue
        if rank == length:
            drop_first(kernel)
            return (cell << _32) | best_fit(cell, kernel, tables, rules), FITTED
        up = np.uint64(kernel.board[slot >> _2])
        edge = (up & ~_3) | ((up + slot) & _3)
        other = offer(np.uint64(tables.candidates[edge, rank]), cell, kernel, tables, rules)
        if other != NOTHING:
            drop_first(kernel)
            return (cell << _32) | (other & ~_3) | ((other + _2 - slot) & _3), LEAST
        rank = next_rank(edge, rank + _1, cell, kernel, tables, rules)
        sift_down(kernel, heap_key(edge, rank, kernel, tables, rules), slot, rank)
