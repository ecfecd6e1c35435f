"""The candidates of an open edge: which of them can still be had, and the edge's place in the heap."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso._native_geometry import GROUP, NOTHING, _0, _1, _2, _32, turned
from rectoverso.evolve._native_alignment import aligned
from rectoverso.evolve._native_kernel import is_free
from rectoverso.native import GOLDEN, mix, native_part

INFINITE = np.uint64(0x7F800000)  # the bits of a float32 infinity


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

    For a group of look-alikes that is its next unused member, which is too flat to have an alignment.
    """
    if entry >= GROUP:
        return next_member(entry ^ GROUP, kernel, tables, rules)
    piece = entry >> rules.piece_shift
    if not is_free(kernel, piece) or (rules.floating == _0 and np.uint64(tables.homes[piece]) != cell):
        return NOTHING
    return entry if aligned(cell, turned(entry, _2 - slot), kernel, tables, rules) else NOTHING


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
    weight = np.uint64(tables.weight_bits[edge, rank]) if rank < np.uint64(tables.candidates.shape[1]) else INFINITE
    return heap_key(weight, edge, kernel, rules)
