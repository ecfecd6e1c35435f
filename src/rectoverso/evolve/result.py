"""What a solve gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rectoverso.confidence.confidence import Confidence
from rectoverso.evolve.state import Record
from rectoverso.parameters import Params
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle


@dataclass(frozen=True, eq=False)
class Result:
    """The best arrangement that was found, and how.

    ``seconds`` has the time of each part of the work; ``reason`` says why the solve stopped;
    ``confidence`` how sure its seams and pieces are. ``puzzle`` is what was solved: with its type and frame, if these
    were found out, and ``notes`` say how that was done. ``turn`` is by how many quarter turns clockwise the whole must
    be turned to be upright; None where nothing tells.
    """

    arrangement: Arrangement
    cost: float
    params: Params
    seed: int
    threads: int
    reason: str
    seconds: dict[str, float]
    history: Sequence[Record]
    confidence: Confidence
    puzzle: Puzzle
    notes: tuple[str, ...] = ()
    turn: int | None = None

    @property
    def generations(self) -> int:
        """How many generations were bred."""
        return self.history[-1].generation

    @property
    def placements(self) -> dict[str, int]:
        """How many pieces each phase placed in all generations together."""
        return {name: sum(record.phases[name] for record in self.history) for name in self.history[-1].phases}

    def summary(self) -> str:
        """A few aligned lines: the cost, why it stopped, how pieces were placed, where the time went."""
        placements = self.placements
        total = max(1, sum(placements.values()))
        evolution = max(self.seconds["evolution"], 1e-9)
        threads = f"{self.threads} thread{'' if self.threads == 1 else 's'}"
        lines = [
            ("cost", f"{self.cost:,.1f} (first generation {self.history[min(1, self.generations)].best_cost:,.1f})"),
            ("stopped", f"{self.reason}, after {self.generations} generations"),
            ("placed by", ", ".join(f"{name} {count / total:.1%}" for name, count in placements.items() if count)),
            ("time", ", ".join(f"{name} {seconds:.2f} s" for name, seconds in self.seconds.items())),
            ("speed", f"{total / evolution / 1e6:.2f} million placements a second on {threads}"),
        ]
        return "\n".join(f"{name:>10}  {text}" for name, text in lines)
