"""How far the DCT coefficients of blocks lie from the multiples of their quantization steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.native import native, native_part

_1 = np.uint64(1)
COEFFICIENTS = np.uint64(64)
FIXED_POINT = np.float32(1024)
"""Squares are added up as integers, in units of 1 / this. Such a sum does not depend on the order of its terms, so a
seam has the same energy from either side."""


@native_part
def misfit(one: Any, other: Any, lattice: Any, cap: np.float32) -> np.int64:
    """The squared distances of a joined block's coefficients to the nearest multiples, each at most ``cap``, added up.

    ``one`` and ``other`` are the coefficients of the two parts of the block. ``lattice`` is that of
    :func:`rectoverso.jpeg.quantization.make_lattice`; it has two steps for each coefficient, and the nearer multiple of
    either counts.
    """
    total = np.int64(0)
    for i in range(COEFFICIENTS):
        value = abs(one[i] + lattice[0, i] * other[i])
        first = abs(value - lattice[1, i] * np.rint(value * lattice[2, i]))
        second = abs(value - lattice[3, i] * np.rint(value * lattice[4, i]))
        distance = min(first, second)
        total += np.int32(min(distance * distance, cap) * FIXED_POINT)
    return total


@native
def seam_energies(one: Any, other: Any, parts: Any, places: Any, lattice: Any, cap: np.float32, energies: Any) -> None:
    """The mean misfit of the blocks that each seam joins, per AC coefficient; -1 where a seam joins no blocks.

    ``parts`` and ``places`` are those of :class:`rectoverso.jpeg.blocks.SplitBlocks`.
    """
    for i in range(np.uint64(one.shape[0])):
        edge, partner = np.uint64(one[i]), np.uint64(other[i])
        energies[i] = np.float32(-1)
        if places[partner, 0] != places[edge, 1]:
            continue
        count = np.uint64(places[edge, 2])
        total = np.int64(0)
        for block in range(count):
            total += misfit(parts[edge, block], parts[partner, count - _1 - block], lattice, cap)
        energies[i] = np.float32(total / (np.float64(FIXED_POINT) * 63.0 * np.float64(count)))


@native
def block_energies(blocks: Any, lattice: Any, cap: np.float32, energies: Any) -> None:
    """The mean misfit of each face's whole blocks, per AC coefficient."""
    count = np.uint64(blocks.shape[1])
    for face in range(np.uint64(blocks.shape[0])):
        total = np.int64(0)
        for block in range(count):
            # The last row of a lattice is zero and stands for the second part, which a whole block does not have.
            total += misfit(blocks[face, block], lattice[5], lattice, cap)
        energies[face] = np.float32(total / (np.float64(FIXED_POINT) * 63.0 * np.float64(count)))
