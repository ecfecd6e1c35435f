"""The log: a line of JSON for each generation, and then for each round of ruin and regrow."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import PuzzleWarning
from rectoverso.evolve.observers import Observer
from rectoverso.evolve.state import Progress, Record
from rectoverso.storage import write_file


@dataclass(frozen=True)
class Round:
    """The numbers of one round of ruin and regrow; its seconds count on from those of the last generation."""

    round: int
    best_cost: float
    seconds: float


class Log(Observer):
    """Remembers the numbers of each generation, also of those before a resume, and of each round until they are saved.

    If there is a ``part``, each line goes there as soon as it is known: it can be watched, and it outlives a process
    that is killed. It is taken away by saving, and by leaving the context with an error.
    """

    def __init__(self, part: Path | None = None) -> None:
        self.part = part
        self.history: tuple[Record, ...] = ()
        self.rounds: list[Round] = []

    def __enter__(self) -> Log:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is not None:
            self.discard()

    def on_generation(self, progress: Progress, fraction: float) -> None:
        """There is one more, or all those before a resume."""
        known, self.history = len(self.history), progress.state.history
        self._stream([_generation_line(record) for record in self.history[known:]], first=not known)

    def on_regrown(self, best: NDArray[np.uint32], cost: float, seconds: float, fraction: float) -> None:
        """There is one more round."""
        self.rounds.append(Round(len(self.rounds) + 1, cost, self.history[-1].seconds + seconds))
        self._stream([_round_line(self.rounds[-1])], first=False)

    def save(self, path: Path) -> None:
        """Write all lines; the part is not needed any more."""
        lines = [*map(_generation_line, self.history), *map(_round_line, self.rounds)]
        write_file(path, "".join(lines).encode())
        self.discard()

    def discard(self) -> None:
        """Take away what was written line by line."""
        if self.part is not None:
            self.part.unlink(missing_ok=True)

    def _stream(self, lines: Iterable[str], *, first: bool) -> None:
        if self.part is None:
            return
        try:
            with self.part.open("w" if first else "a", encoding="utf-8") as file:
                file.writelines(lines)
        except OSError as error:
            # Not raised: an observer that fails is dropped, and with it what it remembers.
            said = f"{self.part} cannot be written ({error.strerror or error}); the log comes when the solve is over."
            warnings.warn(said, PuzzleWarning, stacklevel=3)
            self.part = None


def _generation_line(record: Record) -> str:
    about = {
        "generation": record.generation,
        "best_cost": record.best_cost,
        "mean_cost": record.mean_cost,
        "placements": record.phases,
        "seconds": round(record.seconds, 6),
    }
    return json.dumps(about) + "\n"


def _round_line(done: Round) -> str:
    about = {"round": done.round, "best_cost": done.best_cost, "seconds": round(done.seconds, 6)}
    return json.dumps(about) + "\n"
