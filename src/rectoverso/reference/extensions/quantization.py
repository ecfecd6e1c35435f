"""Blocks that a seam joins, literally: put together pixel by pixel, and taken apart into waves."""

from __future__ import annotations

import math
from collections.abc import Sequence

BLOCK = 8
Plane = Sequence[Sequence[float]]
"""The brightness of rows of pixels."""

Steps = Sequence[Plane]
"""For each coefficient one or more steps of which it may be a multiple; 0 if it must be 0."""


def turned(plane: Plane, quarters: int) -> Plane:
    """The plane, turned counterclockwise so many times: with edge 1, its right side, up after the first."""
    for _ in range(quarters):
        plane = list(zip(*plane, strict=True))[::-1]
    return plane


def joined_blocks(one: Plane, other: Plane, rows: int, first: int) -> list[Plane]:
    """The blocks that a seam splits; both planes are seen with their edge up, and the other is put above the one.

    So many rows of the blocks lie in the one, and the first whole block begins at this column.
    """
    above = [list(row) for row in turned(other, 2)]
    column = above[len(above) - (BLOCK - rows) :] + [list(row) for row in one[:rows]]
    starts = range(first, len(one) - BLOCK + 1, BLOCK)
    return [[row[start : start + BLOCK] for row in column] for start in starts]


def coefficient(block: Plane, u: int, v: int) -> float:
    """The strength of one wave in a block, by the definition in the standard of JPEG."""
    scale = (math.sqrt(0.5) if u == 0 else 1) * (math.sqrt(0.5) if v == 0 else 1) / 4
    return scale * sum(
        block[y][x] * math.cos((2 * y + 1) * u * math.pi / 16) * math.cos((2 * x + 1) * v * math.pi / 16)
        for y in range(BLOCK)
        for x in range(BLOCK)
    )


def misfit(block: Plane, steps: Steps, cap: float) -> float:
    """The mean square of the distances to the nearest multiple, in units of rounding noise; the mean is free."""
    squares = []
    for u in range(BLOCK):
        for v in range(BLOCK):
            if (u, v) != (0, 0):
                value = coefficient(block, u, v)
                multiples = [round(value / step[u][v]) * step[u][v] if step[u][v] else 0 for step in steps]
                squares.append(min(cap, 12 * min((value - multiple) ** 2 for multiple in multiples)))
    return sum(squares) / len(squares)


def seam_energy(one: Plane, other: Plane, rows: int, first: int, steps: Steps, cap: float) -> float:
    """The mean misfit of all blocks that a seam joins."""
    blocks = joined_blocks(one, other, rows, first)
    return sum(misfit(block, steps, cap) for block in blocks) / len(blocks)
