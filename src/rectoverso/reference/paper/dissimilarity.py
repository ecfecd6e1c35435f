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

    def __init__(self, strips: NDArray[np.int16], unit: float, faces: int) -> None:
        self.strips: Sequence[Strip] = _colors(strips)
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


class Mgc(Dissimilarity):
    """Gallagher's Mahalanobis gradient compatibility: colors, mean steps and inverse covariances of the edges."""

    def __init__(self, rgb: NDArray[Any], step: NDArray[Any], inverse: NDArray[Any], faces: int) -> None:
        super().__init__(rgb, 1.0, faces)
        self.step, self.inverse = step.tolist(), inverse.tolist()

    def from_one(self, one: int, other: int) -> float:
        """How unlikely the change of color across the seam is, by the changes just inside one edge."""
        a, step, total = self.inverse[one], self.step[one], 0.0
        for here, there in zip(self.strips[one], reversed(self.strips[other]), strict=True):
            x, y, z = (t - h - s for t, h, s in zip(there, here, step, strict=True))
            squared = a[0] * x * x + a[1] * y * y + a[2] * z * z + 2.0 * (a[3] * x * y + a[4] * x * z + a[5] * y * z)
            total += math.sqrt(max(squared, 0.0))
        return total

    def one_face(self, one: int, other: int) -> float:
        """Both edges judge the seam."""
        return self.from_one(one, other) + self.from_one(other, one)


class Prediction(Dissimilarity):
    """Each edge predicts what comes one pixel further out; the errors of both, added up."""

    def __init__(self, strips: NDArray[Any], predicted: NDArray[Any], unit: float, faces: int) -> None:
        super().__init__(strips, unit, faces)
        self.predicted: Sequence[Strip] = _colors(predicted)

    def error(self, one: int, other: int) -> int:
        """The sum of absolute differences between what one edge predicts and the other shows."""
        pixels = zip(self.predicted[one], reversed(self.strips[other]), strict=True)
        return sum(abs(a - b) for here, there in pixels for a, b in zip(here, there, strict=True))

    def one_face(self, one: int, other: int) -> float:
        """Both predictions."""
        return (self.error(one, other) + self.error(other, one)) * self.unit


class Blend(Dissimilarity):
    """The geometric mean of two measures on each face."""

    def __init__(self, first: Dissimilarity, second: Dissimilarity, faces: int) -> None:
        self.first, self.second, self.faces = first, second, faces

    def one_face(self, one: int, other: int) -> float:
        """Both measures."""
        return math.sqrt(self.first.one_face(one, other) * self.second.one_face(one, other))


def _colors(strips: NDArray[Any]) -> Sequence[Strip]:
    return strips.reshape(len(strips), -1, 3).tolist()


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
