"""The chances of loops of four seams, literally: every loop that the first candidates of the edges can make."""

from __future__ import annotations

from rectoverso.reference.extensions.loops import GROUP, Candidates, beside


def loop_chance(edge: int, other: int, clockwise: bool, candidates: Candidates, width: int, faces: int) -> float:
    """The sum over all loops on one side of a seam of the products of the chances of their other three seams.

    C lies beside the piece of the edge, and D beside the piece of the other edge; C is not the piece of the edge, and D
    neither of the two. Candidates come with their chances.
    """
    total = 0.0
    for corner, chance in _single(beside(edge, clockwise), candidates, width):
        for last, last_chance in _single(beside(other, not clockwise), candidates, width):
            piece, corner_piece, last_piece = (each // (4 * faces) for each in (edge, corner, last))
            if corner_piece == piece or last_piece in (piece, other // (4 * faces)):
                continue
            for found, between in _single(beside(corner, clockwise), candidates, width):
                if found == beside(last, not clockwise):
                    total += chance * between * last_chance
    return total


def _single(edge: int, candidates: Candidates, width: int) -> list[tuple[int, float]]:
    """The first candidates of an edge but for groups of look-alikes."""
    return [(entry, chance) for entry, chance in candidates[edge][:width] if entry < GROUP]
