"""The log: a line of JSON for each step of the preparation, each generation and each round of repair."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rectoverso.errors import PuzzleWarning
from rectoverso.evolve.observers import Observer, Progress
from rectoverso.evolve.state import Record


@dataclass(frozen=True)
class Round:
    """The numbers of one round of repair; its seconds count on from those of the last generation."""

    round: int
    best_cost: float
    seconds: float


@dataclass(frozen=True)
class Step:
    """A step of the preparation: how far done it was, the seconds taken so far, and those that were left."""

    step: str
    fraction: float
    seconds: float
    seconds_left: float | None


class Log(Observer):
    """Remembers each step, each generation (also those before a resume) and each round until they are saved.

    If there is a ``part``, each line goes there as soon as it is known: it can be watched, and it outlives a process
    that is killed. It is taken away when the result is saved, and by leaving the context with an error.
    """

    def __init__(self, part: Path | None = None) -> None:
        self.part = part
        self.history: tuple[Record, ...] = ()
        self.rounds: list[Round] = []
        self.steps: list[Step] = []
        self._begun = False

    def __enter__(self) -> Log:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is not None:
            self.discard()

    def on_progress(self, progress: Progress) -> None:
        """A line more; after a resume, also those of all earlier generations."""
        if progress.state is not None:
            known, self.history = len(self.history), progress.state.history
            self._stream([_generation_line(record) for record in self.history[known:]])
        elif progress.best_cost is not None:
            seconds = self.history[-1].seconds + progress.seconds
            self.rounds.append(Round(len(self.rounds) + 1, progress.best_cost, seconds))
            self._stream([_round_line(self.rounds[-1])])
        else:
            self.steps.append(Step(progress.step, progress.fraction, progress.seconds, progress.seconds_left))
            self._stream([_step_line(self.steps[-1])])

    def encode(self) -> bytes:
        """All lines as a file."""
        lines = [*map(_step_line, self.steps), *map(_generation_line, self.history), *map(_round_line, self.rounds)]
        return "".join(lines).encode()

    def discard(self) -> None:
        """Take away what was written line by line."""
        if self.part is not None:
            with suppress(OSError):
                self.part.unlink(missing_ok=True)

    def _stream(self, lines: Iterable[str]) -> None:
        if self.part is None:
            return
        try:
            if not self._begun:
                # A link that lies here must not lead the lines elsewhere.
                self.part.unlink(missing_ok=True)
            with open(self.part, "a", encoding="utf-8", opener=_not_through_a_link) as file:
                file.writelines(lines)
            self._begun = True
        except OSError as error:
            # Not raised: an observer that fails is dropped, and with it what it remembers.
            said = f"{self.part} cannot be written ({error.strerror or error}); the log comes when the solve is over."
            warnings.warn(said, PuzzleWarning, stacklevel=3)
            self.part = None


def _not_through_a_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


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


def _step_line(step: Step) -> str:
    left = None if step.seconds_left is None else round(step.seconds_left, 3)
    about = {"step": step.step, "fraction": round(step.fraction, 4), "seconds": round(step.seconds, 6)}
    return json.dumps(about | {"seconds_left": left}) + "\n"
