"""The kernel's boundary: its open edges in a heap, by the dissimilarity of the best candidate that each has left.

The heap is checked lazily, like the bags: a candidate may have been used since its edge was put in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.affinity._native_measures import seam_dissimilarity
from rectoverso.evolve._native_bearing import in_step
from rectoverso.evolve._native_heap import drop_first, sift_down, sift_up
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
from rectoverso.native import GOLDEN, draw, mix, native, native_part

INFINITE = np.uint64(0x7F800000)  # the bits of a float32 infinity
_16, RANKS = np.uint64(16), np.uint64(0xFFFF)
USUAL = np.float32(1.4)
"""What a seam counts that speaks neither for nor against a placement."""

FEW = 6
"""How many candidates of an open edge are judged at a time."""


@native_part
def turned(edge: np.uint64, slot: np.uint64) -> np.uint64:
    """The up edge of a piece that touches a slot, an open edge in some direction, with one of its edges."""
    return (edge & ~_3) | ((edge + _2 - slot) & _3)


@native_part
def next_member(group: np.uint64, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The next unused edge of a group of look-alikes."""
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
def offer(entry: np.uint64, slot: Any, cell: np.uint64, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The edge that a candidate stands for, if its piece may go into the cell beyond a slot.

    For a group of look-alikes that is its next unused member, which is too flat to show a grid.
    """
    if entry >= GROUP:
        return next_member(entry ^ GROUP, kernel, tables, rules)
    piece = entry >> rules.piece_shift
    if not is_free(kernel, piece) or (rules.floating == _0 and np.uint64(tables.homes[piece]) != cell):
        return NOTHING
    return entry if in_step(cell, turned(entry, slot), kernel, tables, rules) else NOTHING


@native_part
def next_rank(edge: Any, rank: Any, slot: Any, cell: Any, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The rank of the first candidate from ``rank`` on that can go into the cell; the list's length if none can."""
    length = np.uint64(tables.candidates.shape[1])
    while rank < length:
        entry = np.uint64(tables.candidates[edge, rank])
        if entry == NOTHING:
            return length
        if offer(entry, slot, cell, kernel, tables, rules) != NOTHING:
            return rank
        rank += _1
    return length


@native_part
def heap_key(weight: np.uint64, edge: Any, kernel: Any, rules: Any) -> np.uint64:
    """Order in the heap: by weight, then at random but the same for the edge all through one child (or by edge)."""
    tie = mix(kernel.random[1] ^ (edge * GOLDEN)) >> _32 if rules.random_ties != _0 else edge
    return (weight << _32) | tie


@native_part
def edge_key(edge: Any, rank: Any, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The key of an open edge by the weight of a candidate; edges whose candidates are used up come last."""
    weight = np.uint64(tables.weights[edge, rank]) if rank < np.uint64(tables.weights.shape[1]) else INFINITE
    return heap_key(weight, edge, kernel, rules)


@native_part
def listed_weight(tables: Any, one: np.uint64, other: np.uint64) -> float:
    """The weight of an edge in the candidate list of another one; infinite if it is not listed."""
    entry = tables.entries[other]
    for rank in range(tables.candidates.shape[1]):
        if tables.candidates[one, rank] == entry:
            return np.float64(tables.worths[one, rank])
    return np.inf


@native_part
def stray_weight(tables: Any, one: np.uint64, other: np.uint64) -> float:
    """What a seam counts that neither edge lists: the end of their lists, and the more, the more it shows."""
    away = np.int64(0)
    for channel in range(tables.colors.shape[1]):
        away += abs(np.int64(tables.colors[one, channel]) - np.int64(tables.colors[other, channel]))
    share = away / (away + np.float64(min(tables.tone_steps[one], tables.tone_steps[other])))
    return np.float64(min(tables.ends[one], tables.ends[other])) * (1.0 + tables.reach * share)


@native
def seam_weight(tables: Any, one: np.uint64, other: np.uint64) -> float:
    """What a seam counts: its dissimilarity or, with a cap, the weight that either edge lists, at most the cap.

    If neither lists it, that is by how much it shows.
    """
    if tables.cap == 0.0:
        return seam_dissimilarity(tables.seams, one, other)
    listed = min(listed_weight(tables, one, other), listed_weight(tables, other, one))
    return min(listed, tables.cap) if listed < np.inf else stray_weight(tables, one, other)


@native_part
def bits(weight: np.float32) -> np.uint64:
    """A positive float32 as the integer that sorts like it."""
    return np.uint64(np.float32(weight).view(np.uint32))


@native_part
def evidence(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any) -> tuple[np.uint64, np.uint64]:
    """How well a placement fits all placed neighbors of its cell, as the bits of a float32, and how many they are.

    Each seam adds what it counts, and each open side what a seam usually counts where nothing is known: two seams that
    fit well come before one that fits a little better.
    """
    total, count = np.float32(0), _0
    for direction in range(_4):
        there = np.uint64(kernel.board[cell + kernel.steps[direction]])
        if there == NOTHING:
            total += USUAL
            continue
        one = (up & ~_3) | ((up + direction) & _3)
        other = (there & ~_3) | ((there + direction + _2) & _3)
        total += np.float32(seam_weight(tables, one, other))
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
            weight, count = evidence(cell, turned(other, slot), kernel, tables)
            sift_up(kernel, heap_key(weight, edge, kernel, rules), slot, rank | (count << _16))
        rank += _1
    weight = INFINITE
    if rank < length:
        weight = bits(tables.worths[edge, rank] + np.float32(3) * USUAL)
    sift_up(kernel, heap_key(weight, edge, kernel, rules), slot, rank)


@native_part
def find_in_cell(slot: Any, state: Any, cell: Any, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """Judge the heap's first element by its cell: the up edge if it is to be placed, or NOTHING to look again.

    Elements that are judged by 0 neighbors say where to look further; others are judged anew if neighbors have come.
    """
    rank, judged = state & RANKS, state >> _16
    up = np.uint64(kernel.board[slot >> _2])
    edge = (up & ~_3) | ((up + slot) & _3)
    if judged == _0:
        drop_first(kernel)
        look_further(slot, cell, edge, rank, kernel, tables, rules)
        return NOTHING
    other = offer(np.uint64(tables.candidates[edge, rank]), slot, cell, kernel, tables, rules)
    if other == NOTHING:
        drop_first(kernel)
        return NOTHING
    up = turned(other, slot)
    weight, count = evidence(cell, up, kernel, tables)
    if count != judged:
        sift_down(kernel, heap_key(weight, edge, kernel, rules), slot, rank | (count << _16))
        return NOTHING
    drop_first(kernel)
    return NOTHING if rules.blink != _0 and draw(kernel.random, NOTHING) < rules.blink else up


@native_part
def open_edges(kernel: Any, tables: Any, rules: Any) -> None:
    """Bring the edges that were opened since the last time into the heap, as far as they are open still."""
    counts = kernel.counts
    for i in range(counts[IN_PENDING]):
        cell, slot = kernel.pending[i] >> _32, kernel.pending[i] & NOTHING
        if np.uint64(kernel.board[cell]) == NOTHING and inside(kernel, rules, cell):
            up = np.uint64(kernel.board[slot >> _2])
            edge = (up & ~_3) | ((up + slot) & _3)
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
            one = (up & ~_3) | ((up + direction) & _3)
            other = (there & ~_3) | ((there + direction + _2) & _3)
            total += seam_dissimilarity(tables.seams, one, other)
    return total


@native_part
def best_fit(cell: np.uint64, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The free piece that fits best to all placed neighbors of a cell, if possible one that keeps to the grid.

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
                up = base + (face << _2) + side
                keeps = in_step(cell, up, kernel, tables, rules)
                if kept and not keeps:
                    continue
                total = fit(cell, up, kernel, tables, rules)
                if total < best or keeps != kept:
                    best, best_up, kept = total, up, keeps
    return best_up


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
            if up != NOTHING:
                return (cell << _32) | up, LEAST
            continue
        up = np.uint64(kernel.board[slot >> _2])
        edge = (up & ~_3) | ((up + slot) & _3)
        other = offer(np.uint64(tables.candidates[edge, state]), slot, cell, kernel, tables, rules)
        if other != NOTHING:
            drop_first(kernel)
            return (cell << _32) | turned(other, slot), LEAST
        rank = next_rank(edge, state + _1, slot, cell, kernel, tables, rules)
        sift_down(kernel, edge_key(edge, rank, kernel, tables, rules), slot, rank)
