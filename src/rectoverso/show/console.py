"""The console: who solves what and how, and how far it has come: pieces sure, expected accuracy, time left.

On a terminal the last line is a bar that moves; anywhere else there are only plain lines. All of it goes to stderr.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rectoverso import __version__
from rectoverso.confidence.confidence import Confidence
from rectoverso.evolve.observers import Observer, Progress, Stage
from rectoverso.evolve.result import Result
from rectoverso.native import is_warm
from rectoverso.objective.pipeline import can_show_traces
from rectoverso.parameters import PRESETS, Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.show.lines import clock, printable, wrapped
from rectoverso.show.remaining import Remaining
from rectoverso.show.screens import open_screen
from rectoverso.show.table import LABEL, Table

COMPILING = "native code is compiled once, which takes about half a minute; later runs start at once"
LEAST_GAP, MOST_GAP, GROWTH = 1.0, 60.0, 0.5
"""So many seconds lie between two rows of a stage: half as long as it has taken so far, but not less than a second, nor
more than a minute. So a short solve has a few rows and a long one not many more."""
SUMMARY = 12
"""Where the texts of ``Result.summary`` begin."""
JUDGED = 0.01
"""The share of the time since the start that may be spent on judging how sure the best is."""


class Console(Observer):
    """Shows a solve on stderr. Use it as a context manager: leaving it gives the terminal back, whatever happened.

    ``verbose`` adds what tells how the solver works: the fingerprint, a row for each generation with its costs and how
    its pieces were placed, and where the time went. ``notes`` are what was understood of the input.
    """

    def __init__(
        self,
        preset: str,
        *,
        verbose: bool = False,
        notes: tuple[str, ...] = (),
        live: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.preset, self.verbose, self.notes, self.clock = preset, verbose, notes, clock
        self.screen = open_screen(live)
        self._started = clock()
        self._judging = _Judging(clock)
        self._told: tuple[Stage, float] = ("preparation", 0.0)

    def __enter__(self) -> Console:
        return self

    def __exit__(self, *error: object) -> None:
        self.screen.close()

    def on_start(self, puzzle: Puzzle, params: Params, seed: int, threads: int) -> None:
        """Say who solves what, and how."""
        self._started = self.clock()
        relative = params.objective.relative
        self._traces = relative is not None and relative.traces and can_show_traces(puzzle)
        self._generations = params.genetic.generations
        self._remaining = Remaining(params)
        self._table = Table.of(self.screen.width, puzzle.num_pieces, params, verbose=self.verbose)
        self.screen.line(f"rectoverso {__version__}", "bold")
        for note in self.notes:
            self._text("input", note)
        sides = "two-sided pieces" if puzzle.type.two_sided else "pieces"
        pieces = f"{puzzle.num_pieces:,} {sides} of {puzzle.piece_width}x{puzzle.piece_height}"
        kind = f"Type {int(puzzle.type)} ({puzzle.type.unknowns} unknown)"
        self._text("puzzle", f"{printable(puzzle.name)}: {pieces}, {kind}")
        if self.verbose:
            self._text("digest", puzzle.digest[:8])
        if puzzle.frame_known:
            self._text("frame", f"{puzzle.rows} x {puzzle.columns}")
        self._text("preset", ", ".join([self.preset, *differences(params, self.preset)]))
        self._text("seed", f"{seed}, on {threads} {'thread' if threads == 1 else 'threads'}")
        if not is_warm():
            self._text("", COMPILING)
        self.screen.line(f"\n{self._table.header}", "bold")
        self.screen.status("preparing", None)

    def on_settled(self, puzzle: Puzzle, notes: tuple[str, ...]) -> None:
        """Say what was found out about the puzzle."""
        for note in notes:
            self._text("found", note)

    def on_progress(self, progress: Progress) -> None:
        """Say what has been done, and what is being done."""
        left = self._remaining.after(progress, self._elapsed)
        if progress.findings is not None:
            self._prepared(progress.findings, worn=bool(progress.wear))
        elif self._is_due(progress):
            self._told = (progress.stage, progress.seconds)
            last = None if progress.state is None else progress.state.last
            figures = self._judging.judge(progress, self._elapsed)
            row = self._table.row(self._elapsed, self._table.stage(progress), figures, str(left or ""), last)
            self.screen.line(row, "dim" if self.verbose and progress.state and progress.state.stale else "")
        doing = progress.step
        if progress.state is not None:
            doing = f"breeding generation {min(progress.state.generation + 1, self._generations)}"
        self.screen.status(doing, progress.fraction, f"{left} left" if left else "")

    def _is_due(self, progress: Progress) -> bool:
        """Whether it is time for a row; preparation needs none where a bar shows it."""
        if progress.stage == "preparation" and self.screen.has_bar:
            return False
        if progress.state is not None and (self.verbose or progress.state.generation == 1):
            return True
        told = self._told[1] if self._told[0] == progress.stage else 0.0
        return progress.seconds - told >= min(MOST_GAP, max(LEAST_GAP, GROWTH * told))

    def _prepared(self, findings: tuple[str, ...], worn: bool) -> None:
        """Preparation is done: what the picture tells; of worn pieces no traces are read."""
        found = f"; JPEG traces found and used: {', '.join(findings)}" if findings else "; no JPEG traces found"
        self._text(clock(self._elapsed), f"prepared{found if self._traces and not worn else ''}")

    def on_end(self, result: Result) -> None:
        """Report."""
        self.screen.close()
        self.screen.line(self._table.row(self._elapsed, "done", result.confidence, "", None))
        if self.verbose:
            self.screen.line("")
            for line in result.summary().splitlines():
                self.screen.line(wrapped(line[SUMMARY:], self.screen.width, label=line[:SUMMARY]))

    @property
    def _elapsed(self) -> float:
        """The seconds since the start: one clock for all stages."""
        return self.clock() - self._started

    def _text(self, label: str, text: str) -> None:
        self.screen.line(wrapped(text, self.screen.width, label=f"{label:>{LABEL}}  "))


class _Judging:
    """Asks how sure the best is, if it is another one than before, and only as often as its share of time allows."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.spent = self.cost = 0.0
        self.best: NDArray[np.uint32] | None = None
        self.last: Confidence | None = None

    def judge(self, progress: Progress, elapsed: float) -> Confidence | None:
        """How sure the best is, or was when it was last judged; None if there is none or it is random."""
        best = progress.best
        if best is None or progress.judge is None or (progress.state is not None and not progress.state.generation):
            return None
        known = self.best is not None and np.array_equal(best, self.best)
        if self.last is not None and (known or self.spent + self.cost > JUDGED * elapsed):
            return self.last
        begun = self.clock()
        self.best, self.last = best, progress.judge()
        self.cost = self.clock() - begun
        self.spent += self.cost
        return self.last


def differences(params: Params, preset: str) -> list[str]:
    """The parameters that are not the preset's, in words; a population that the preset leaves open is not one.

    >>> from rectoverso import Genetic
    >>> differences(Params(Genetic(population=50)), "paper")
    ['population 50 instead of 1000']
    """
    mine, usual = _flat(asdict(params)), _flat(asdict(PRESETS[preset]))
    limit = mine.pop("time_limit")
    if not PRESETS[preset].genetic.population:
        mine["population"] = usual["population"]
    changed = [
        f"{name.replace('_', ' ')} {value} instead of {usual.get(name)}"
        for name, value in mine.items()
        if value != usual.get(name)
    ]
    left_out = [part for part in ("repair",) if params.repair is None and PRESETS[preset].repair is not None]
    return [*changed, *(f"no {part}" for part in left_out), *([f"at most {limit:g} s"] if limit else [])]


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """Nested parameters side by side; no two parts share a name."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        found.update(_flat(value) if isinstance(value, dict) else {name: value} if value is not None else {})
    return found


def nearest_preset(params: Params) -> str:
    """The name of the preset that these parameters differ from the least.

    >>> from rectoverso import Genetic
    >>> nearest_preset(Params(Genetic(population=200, generations=7, patience=3)))
    'quick'
    """
    return min(PRESETS, key=lambda name: len(differences(params, name)))
