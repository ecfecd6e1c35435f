"""How far the coefficients of blocks lie from the multiples of their quantization steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.native import native, native_part

_1 = np.uint64(1)
COEFFICIENTS = np.uint64(64)
FINENESS = np.float32(1024)
"""Squares are added up as integers of so many parts: in any order the sum is the same, from either side of a seam."""


@native_part
def misfit(one: Any, other: Any, lattice: Any, cap: np.float32) -> np.int64:
    """The squared distances of a joined block's coefficients to the nearer of two lattices, each at most ``cap``."""
    total = np.int64(0)
    for i in range(COEFFICIENTS):
        value = abs(one[i] + lattice[0, i] * other[i])
        first = abs(value - lattice[1, i] * np.rint(value * lattice[2, i]))
        second = abs(value - lattice[3, i] * np.rint(value * lattice[4, i]))
        distance = min(first, second)
        total += np.int32(min(distance * distance, cap) * FINENESS)
    return total


@native
def seam_energies(one: Any, other: Any, parts: Any, places: Any, lattice: Any, cap: np.float32, found: Any) -> None:
    """The mean misfit of the blocks that each seam joins; -1 where it joins none.

    ``places`` holds by edge where its blocks lie, where those of the other edge must lie, and how many they are.
    """
    for i in range(np.uint64(one.shape[0])):
        edge, partner = np.uint64(one[i]), np.uint64(other[i])
        found[i] = np.float32(-1)
        if places[partner, 0] != places[edge, 1]:
            continue
        count = np.uint64(places[edge, 2])
        total = np.int64(0)
        for block in range(count):
            total += misfit(parts[edge, block], parts[partner, count - _1 - block], lattice, cap)
        found[i] = np.float32(total / (np.float64(FINENESS) * 63.0 * np.float64(count)))


@native
def block_energies(blocks: Any, lattice: Any, cap: np.float32, found: Any) -> None:
    """The mean misfit of each face's whole blocks."""
    count = np.uint64(blocks.shape[1])
    for face in range(np.uint64(blocks.shape[0])):
        total = np.int64(0)
        for block in range(count):
            # The last row of a lattice is empty: a block that lacks no other part.
            total += misfit(blocks[face, block], lattice[5], lattice, cap)
        found[face] = np.float32(total / (np.float64(FINENESS) * 63.0 * np.float64(count)))
