"""Section "The Fitness Function": eq. 1 for a seam, eq. 2 for an arrangement."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import DOWN, NOTHING, RIGHT, mirror, opposite, shown

Strip = Sequence[Sequence[Any]]
"""The colors along an edge, clockwise, each three numbers."""


class Dissimilarity:
    """D for any two edges, computed from their strips."""

    def __init__(
        self, strips: NDArray[np.int16], unit: float, faces: int, lengths: Sequence[int] | None = None
    ) -> None:
        """``lengths``: how many values edges of even and of odd sides have, if not all."""
        self.strips: Sequence[Strip] = colors_of(strips, lengths)
        self.unit, self.faces = unit, faces

    def one_face(self, one: int, other: int) -> float:
        """Eq. 1: the root of the sum of squared color differences.

        Both strips run clockwise, so along their common seam one is read backwards.
        """
        pixels = zip(self.strips[one], reversed(self.strips[other]), strict=True)
        squares = sum((a - b) ** 2 for here, there in pixels for a, b in zip(here, there, strict=True))
        return math.sqrt(squares) * self.unit

    def __call__(self, one: int, other: int) -> float:
        """The dissimilarity of a seam, both faces of two-sided pieces added up."""
        total = self.one_face(one, other)
        if self.faces == 2:
            total += self.one_face(mirror(one), mirror(other))
        return total


def colors_of(strips: NDArray[Any], lengths: Sequence[int] | None = None) -> Sequence[Strip]:
    """Strips as plain lists of colors, up to the end of each edge."""
    ends = lengths or (strips.shape[1], strips.shape[1])
    return [row[: ends[edge % 2] // 3] for edge, row in enumerate(strips.reshape(len(strips), -1, 3).tolist())]


def cost(board: Sequence[Sequence[int]], dissimilarity: Callable[[int, int], float]) -> float:
    """Eq. 2 for a board of up edges: all seams, each rounded to a multiple of 2**-20 so that no order matters."""
    total = 0
    for r, row in enumerate(board):
        for c, up in enumerate(row):
            for direction, (r2, c2) in ((RIGHT, (r, c + 1)), (DOWN, (r + 1, c))):
                if r2 < len(board) and c2 < len(row):
                    seam = dissimilarity(shown(up, direction), shown(board[r2][c2], opposite(direction)))
                    total += int(seam * 2**20 + 0.5)
    return total / 2**20


def rank_candidates(
    edge: int, allowed: Sequence[int], dissimilarity: Dissimilarity, groups: dict[int, int]
) -> list[tuple[int, float]]:
    """All candidates of an edge in order: (edge or group of look-alikes, dissimilarity).

    ``groups`` has the group number of each edge that has look-alikes; a group is listed once.
    """
    first_of_group: dict[int, int] = {}
    for other in sorted(allowed):
        first_of_group.setdefault(groups.get(other, NOTHING + 1 + other), other)
    ranked = sorted((dissimilarity(edge, other), other) for other in first_of_group.values())
    return [(0x80000000 | groups[other] if other in groups else other, d) for d, other in ranked]
