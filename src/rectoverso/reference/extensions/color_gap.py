"""The mean-color gap: how far the mean colors of two edges are apart, and what a seam costs by that."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from rectoverso.geometry import mirror

VISIBLE = 0.3
"""The gap that begins to show on the flattest edges."""

Strip = Sequence[Sequence[int]]


class ColorGap:
    """What is known of the colors of edges.

    ``candidates`` has for each edge the edges of its list, one for each group of look-alikes, and their weights;
    ``full`` is how long a list can be.
    """

    def __init__(
        self,
        strips: Sequence[Strip],
        unit: float,
        faces: int,
        candidates: Sequence[Sequence[tuple[int, float]]],
        full: int,
        cap: float,
        factor: float,
    ) -> None:
        self.strips, self.faces, self.cap, self.factor = strips, faces, cap, factor
        visible = [np.float32(VISIBLE * (len(strip) / unit)) for strip in strips]
        self.scales = [
            visible[edge] + np.float32(median(self.gap(edge, other) for other, _ in row) if row else 0)
            for edge, row in enumerate(candidates)
        ]
        self.ends = [min(row[-1][1], cap) if len(row) == full else cap for row in candidates]

    def gap(self, one: int, other: int) -> int:
        """How far the sums of the colors of two edges are apart, by channel and face."""
        pairs = [(one, other)] if self.faces == 1 else [(one, other), (int(mirror(one)), int(mirror(other)))]
        return sum(abs(self.color(a, channel) - self.color(b, channel)) for a, b in pairs for channel in range(3))

    def color(self, edge: int, channel: int) -> int:
        """The sum of a channel along an edge."""
        return sum(color[channel] for color in self.strips[edge])

    def more(self, one: int, other: int) -> float:
        """How many times as much a seam costs because of its gap: from 1 on."""
        gap = self.gap(one, other)
        return 1 + self.factor * (gap / (gap + float(min(self.scales[one], self.scales[other]))))

    def listed(self, one: int, other: int, weight: float) -> float:
        """What a seam costs that had a weight by the lists."""
        return min(weight, self.cap) * self.more(one, other)

    def unlisted(self, one: int, other: int) -> float:
        """What a seam costs that neither edge lists."""
        return min(self.ends[one], self.ends[other]) * self.more(one, other)
