"""The block grid, literally: the log likelihood ratio of one seam."""

from __future__ import annotations

from collections.abc import Sequence

BLOCK = 8

Offsets = tuple[Sequence[int], Sequence[int], int, Sequence[Sequence[float]]]
"""By edge the offset of the first line and how sure it is; what the offsets of a seam add up to; and the log ratios by
sureness and agreement."""


def grid_ratio(one: int, other: int, kinds: Sequence[Offsets]) -> float:
    """The sum over all kinds of offsets."""
    ratio = 0.0
    for offset, level, total, table in kinds:
        agrees = (offset[one] + offset[other]) % BLOCK == total
        ratio += table[min(level[one], level[other])][agrees]
    return ratio
