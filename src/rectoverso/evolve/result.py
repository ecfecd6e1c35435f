"""What a solve gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rectoverso.evolve.parameters import Params
from rectoverso.evolve.solver import Progress
from rectoverso.puzzle.arrangement import Arrangement


@dataclass(frozen=True)
class Record:
    """One generation in the history of a solve."""

    generation: int
    best_cost: float
    mean_cost: float
    shares: dict[str, float]
    seconds: float

    @classmethod
    def of(cls, progress: Progress) -> Record:
        """The record of a generation."""
        return cls(progress.generation, progress.best_cost, progress.mean_cost, progress.shares, progress.seconds)


@dataclass(frozen=True, eq=False)
class Result:
    """The best arrangement that was found, and how.

    ``seconds`` has the time of each part of the work; ``reason`` says why the solve stopped.
    """

    arrangement: Arrangement
    cost: float
    params: Params
    seed: int
    threads: int
    reason: str
    seconds: dict[str, float]
    history: Sequence[Record]
    placements: dict[str, int]

    @property
    def generations(self) -> int:
        """How many generations were bred."""
        return self.history[-1].generation

    def summary(self) -> str:
        """A few aligned lines: the cost, why it stopped, how pieces were placed, where the time went."""
        total = max(1, sum(self.placements.values()))
        breeding = max(self.seconds["breeding"], 1e-9)
        lines = [
            ("cost", f"{self.cost:,.1f} (first generation {self.history[min(1, self.generations)].best_cost:,.1f})"),
            ("stopped", f"{self.reason}, after {self.generations} generations"),
            ("placed by", ", ".join(f"{name} {count / total:.1%}" for name, count in self.placements.items() if count)),
            ("time", ", ".join(f"{name} {seconds:.2f} s" for name, seconds in self.seconds.items())),
            ("speed", f"{total / breeding / 1e6:.2f} million placements a second on {self.threads} threads"),
        ]
        return "\n".join(f"{name:>10}  {text}" for name, text in lines)
