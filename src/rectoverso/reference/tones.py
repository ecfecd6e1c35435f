"""Tones: the mean colors along edges, and what a seam counts by how much it shows."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from rectoverso.geometry import mirror

LEAST = 0.3
"""The difference of tones that begins to show on the flattest edges."""

Strip = Sequence[Sequence[int]]


class Tones:
    """What is known of the tones of edges.

    ``candidates`` has for each edge the edges of its list, one for each group of look-alikes, and what they count;
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
        reach: float,
    ) -> None:
        self.strips, self.faces, self.cap, self.reach = strips, faces, cap, reach
        least = np.float32(LEAST * len(strips[0]) / unit)
        self.steps = [
            least + np.float32(median(self.away(edge, other) for other, _ in row) if row else 0)
            for edge, row in enumerate(candidates)
        ]
        self.ends = [min(row[-1][1], cap) if len(row) == full else cap for row in candidates]

    def away(self, one: int, other: int) -> int:
        """How far the tones of two edges are apart: the sums of their colors, by channel and face."""
        pairs = [(one, other)] if self.faces == 1 else [(one, other), (int(mirror(one)), int(mirror(other)))]
        return sum(abs(self.tone(a, channel) - self.tone(b, channel)) for a, b in pairs for channel in range(3))

    def tone(self, edge: int, channel: int) -> int:
        """The sum of a channel along an edge."""
        return sum(color[channel] for color in self.strips[edge])

    def more(self, one: int, other: int) -> float:
        """How many times as much a seam counts because it shows: from 1 on."""
        away = self.away(one, other)
        return 1 + self.reach * (away / (away + float(min(self.steps[one], self.steps[other]))))

    def listed(self, one: int, other: int, weight: float) -> float:
        """What a seam counts that had a weight by the lists."""
        return min(weight, self.cap) * self.more(one, other)

    def stray(self, one: int, other: int) -> float:
        """What a seam counts that neither edge lists."""
        return min(self.ends[one], self.ends[other]) * self.more(one, other)
