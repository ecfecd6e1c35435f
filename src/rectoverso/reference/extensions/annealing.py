"""Steps of annealing at one temperature, each with a random stream of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rectoverso.geometry import NOTHING
from rectoverso.reference.paper.random import Stream, stream_key


@dataclass(frozen=True)
class Annealing:
    """So many steps, numbered in the stream (seed, number)."""

    steps: int
    seed: int
    number: int
    temperature: float

    def streams(self) -> Iterator[Stream]:
        """The random stream of each step."""
        return (Stream(stream_key(self.seed, self.number, step)) for step in range(self.steps))

    def accepts(self, worse: float, random: Stream) -> bool:
        """Whether a change that costs so much more is accepted (Metropolis)."""
        return worse <= -self.temperature * math.log((random.draw(NOTHING) + 1.0) / 2**32)
