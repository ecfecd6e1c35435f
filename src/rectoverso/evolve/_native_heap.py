"""The heap of the boundary: three arrays of keys, slots and ranks, with the least element first."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso._native_geometry import _0, _1
from rectoverso.evolve._native_kernel import IN_HEAP
from rectoverso.native import native_part


@native_part
def before(key: Any, slot: Any, rank: Any, other_key: Any, other_slot: Any, other_rank: Any) -> Any:
    """Whether one element of the heap comes before another; equal keys are ordered by their slots, then ranks."""
    if key != other_key:
        return key < other_key
    return np.uint64(slot) < np.uint64(other_slot) or (slot == other_slot and np.uint64(rank) < np.uint64(other_rank))


@native_part
def sift_up(kernel: Any, key: np.uint64, slot: np.uint64, rank: np.uint64) -> None:
    """Add an open edge to the heap."""
    at = kernel.counts[IN_HEAP]
    kernel.counts[IN_HEAP] += _1
    while at > _0:
        up = (at - _1) >> _1
        if before(kernel.heap[up], kernel.heap_slot[up], kernel.heap_rank[up], key, slot, rank):
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
        if right < size and before(heap[right], slots[right], ranks[right], heap[down], slots[down], ranks[down]):
            down = right
        if before(key, slot, rank, heap[down], slots[down], ranks[down]):
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
