"""Measures beyond the paper's, literally."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from rectoverso.reference.paper.dissimilarity import Dissimilarity, Strip, colors_of


class Mgc(Dissimilarity):
    """Gallagher's Mahalanobis gradient compatibility: colors, mean steps and inverse covariances of the edges."""

    def __init__(
        self,
        rgb: NDArray[Any],
        step: NDArray[Any],
        inverse: NDArray[Any],
        faces: int,
        lengths: Sequence[int] | None = None,
    ) -> None:
        super().__init__(rgb, 1.0, faces, lengths)
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

    def __init__(
        self,
        strips: NDArray[Any],
        predicted: NDArray[Any],
        unit: float,
        faces: int,
        lengths: Sequence[int] | None = None,
    ) -> None:
        super().__init__(strips, unit, faces, lengths)
        self.predicted: Sequence[Strip] = colors_of(predicted, lengths)

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
