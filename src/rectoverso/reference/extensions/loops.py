"""Loops of four seams, literally: every loop that the first candidates of the edges can make."""

from __future__ import annotations

from collections.abc import Sequence

GROUP = 0x80000000
FLAT = -1
"""Some edge of a group of look-alikes: whatever is flat."""

Candidates = Sequence[Sequence[tuple[int, float]]]
"""For each edge what it may touch, and what that counts: best first."""


def beside(edge: int, clockwise: bool) -> int:
    """The next edge of the same piece; of something flat it is flat, too."""
    return FLAT if edge == FLAT else edge - edge % 4 + (edge + (1 if clockwise else 3)) % 4


def offers(edge: int, candidates: Candidates, width: int, cap: float) -> list[tuple[int, float]]:
    """What may touch an edge, and what that counts; two flat edges fit each other with a weight of 1."""
    if edge == FLAT:
        return [(FLAT, 1.0)]
    return [(FLAT if entry >= GROUP else entry, min(weight, cap)) for entry, weight in candidates[edge][:width]]


def least_square(edge: int, other: int, clockwise: bool, candidates: Candidates, width: int, cap: float) -> float:
    """The least sum of the other three seams of all loops on one side of a seam, at most three caps.

    C lies beside the piece of one edge and D beside that of the other; what C may touch is looked up in its own list,
    unless C is flat: then in the list of D.
    """
    sums = [3 * cap]
    for corner, weight in offers(beside(edge, clockwise), candidates, width, cap):
        for last, last_weight in offers(beside(other, not clockwise), candidates, width, cap):
            one, two = beside(corner, clockwise), beside(last, not clockwise)
            one, two = (two, one) if one == FLAT else (one, two)
            sums += [weight + last_weight + seam for found, seam in offers(one, candidates, width, cap) if found == two]
    return min(sums)


def least_squares(candidates: Candidates, width: int, cap: float) -> list[list[float]]:
    """For each candidate of each edge the least loops on both sides of the seam, added up."""
    return [
        [
            sum(
                least_square(edge, FLAT if entry >= GROUP else entry, clockwise, candidates, width, cap)
                for clockwise in (True, False)
            )
            for entry, _ in row
        ]
        for edge, row in enumerate(candidates)
    ]
