"""Blocks that a seam joins, literally: they are put together pixel by pixel, and transformed term by term."""

from __future__ import annotations

import math
from collections.abc import Sequence

BLOCK = 8
Plane = Sequence[Sequence[float]]
"""Rows of pixels of one channel."""

Steps = Sequence[Plane]
"""One or more steps for each coefficient, which may be a multiple of any of them; 0 if it must be 0."""


def turned(plane: Plane, quarters: int) -> Plane:
    """The plane after so many quarter turns counterclockwise; after the first one its right side, edge 1, is up."""
    for _ in range(quarters):
        plane = list(zip(*plane, strict=True))[::-1]
    return plane


def joined_blocks(one: Plane, other: Plane, rows: int, first: int) -> list[Plane]:
    """The blocks that a seam splits; both planes have their edge up, and the other is turned and put above the one.

    The one has so many ``rows`` of the blocks, and the first whole block begins at the column ``first``.
    """
    above = [list(row) for row in turned(other, 2)]
    column = above[len(above) - (BLOCK - rows) :] + [list(row) for row in one[:rows]]
    starts = range(first, len(one) - BLOCK + 1, BLOCK)
    return [[row[start : start + BLOCK] for row in column] for start in starts]


def coefficient(block: Plane, u: int, v: int) -> float:
    """One DCT coefficient of a block, by the definition in the JPEG standard."""
    scale = (math.sqrt(0.5) if u == 0 else 1) * (math.sqrt(0.5) if v == 0 else 1) / 4
    return scale * sum(
        block[y][x] * math.cos((2 * y + 1) * u * math.pi / 16) * math.cos((2 * x + 1) * v * math.pi / 16)
        for y in range(BLOCK)
        for x in range(BLOCK)
    )


def misfit(block: Plane, steps: Steps, cap: float) -> float:
    """The mean squared distance of the AC coefficients to the nearest multiple, in units of the rounding noise."""
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
