"""Loops of four seams, literally: every loop that the first candidates of the edges can make."""

from __future__ import annotations

from collections.abc import Sequence

GROUP = 0x80000000
FLAT = -1
"""Stands for any edge of a group of look-alikes, all of which are taken as flat."""

Candidates = Sequence[Sequence[tuple[int, float]]]
"""For each edge its candidates and their weights, best first."""


def beside(edge: int, clockwise: bool) -> int:
    """The next edge of the same piece; the next edge of a flat piece is flat, too."""
    return FLAT if edge == FLAT else edge - edge % 4 + (edge + (1 if clockwise else 3)) % 4


def offers(edge: int, candidates: Candidates, width: int, cap: float) -> list[tuple[int, float]]:
    """The first candidates of an edge and their weights; two flat edges fit each other with a weight of 1."""
    if edge == FLAT:
        return [(FLAT, 1.0)]
    return [(FLAT if entry >= GROUP else entry, min(weight, cap)) for entry, weight in candidates[edge][:width]]


def cheapest_loop(edge: int, other: int, clockwise: bool, candidates: Candidates, width: int, cap: float) -> float:
    """The cheapest loop on one side of a seam: the sum of its other three seams, at most three caps.

    C lies beside the piece of the edge, and D beside the piece of the other edge. The seam between C and D is looked up
    in the list of C, or in the list of D if C is flat.
    """
    sums = [3 * cap]
    for corner, weight in offers(beside(edge, clockwise), candidates, width, cap):
        for last, last_weight in offers(beside(other, not clockwise), candidates, width, cap):
            one, two = beside(corner, clockwise), beside(last, not clockwise)
            one, two = (two, one) if one == FLAT else (one, two)
            sums += [weight + last_weight + seam for found, seam in offers(one, candidates, width, cap) if found == two]
    return min(sums)


def cheapest_loops(candidates: Candidates, width: int, cap: float) -> list[list[float]]:
    """For each candidate of each edge the cheapest loops on both sides of the seam, added up."""
    return [
        [
            sum(
                cheapest_loop(edge, FLAT if entry >= GROUP else entry, clockwise, candidates, width, cap)
                for clockwise in (True, False)
            )
            for entry, _ in row
        ]
        for edge, row in enumerate(candidates)
    ]
