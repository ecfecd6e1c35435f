"""The console: who solves what and how, a line for each generation, why it stopped, where the time went.

On a terminal the last line is a bar that moves; anywhere else there are only plain lines. All of it goes to stderr.
"""

from __future__ import annotations

import os
import sys
from dataclasses import fields
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rectoverso import __version__
from rectoverso.evolve.observers import Observer
from rectoverso.evolve.parameters import PRESETS, Params
from rectoverso.evolve.result import Result
from rectoverso.evolve.state import Progress
from rectoverso.native import is_warm
from rectoverso.puzzle.puzzle import Puzzle

COMPILING = "native code is compiled once, which takes about half a minute; later runs start at once"
STOPPING = "stopping after this generation or round; press Ctrl-C again to give up at once"


class Screen(Protocol):
    """Where lines go, and what stands below them."""

    def line(self, text: str, style: str = "") -> None:
        """Print a line."""

    def status(self, text: str, fraction: float | None) -> None:
        """Say what is being done, and how far done it is if that is known."""

    def stopping(self) -> None:
        """Say that the solve was told to stop; called from a signal handler."""

    def close(self) -> None:
        """Leave the terminal as it was."""


class Console(Observer):
    """Shows a solve on stderr. Use it as a context manager: leaving it gives the terminal back, whatever happened."""

    def __init__(self, preset: str, *, live: bool | None = None) -> None:
        self.preset = preset
        if live is None:
            live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self.screen: Screen = _LiveScreen() if live else _PlainScreen()
        self._names: list[str] = []
        self._generations = 0
        self._regrown = 0.0

    def __enter__(self) -> Console:
        return self

    def __exit__(self, *error: object) -> None:
        self.screen.close()

    def on_start(self, puzzle: Puzzle, params: Params, seed: int, threads: int) -> None:
        """Say who solves what, and how."""
        self._generations = params.generations
        self._names = ["shared", "buddy", "least", "fitted", *(["mutated"] if params.mutation else [])]
        self.screen.line(f"rectoverso {__version__}", "bold")
        self._labeled("puzzle", f"{puzzle.name}, fingerprint {puzzle.digest[:8]}")
        self._labeled("type", f"{int(puzzle.type)} ({puzzle.type.unknowns} unknown)")
        sides = "two-sided" if puzzle.type.two_sided else "one-sided"
        frame = f"a frame of {puzzle.rows}x{puzzle.columns}"
        self._labeled("pieces", f"{puzzle.num_pieces}, {sides}, {puzzle.piece_size} pixels, for {frame}")
        self._labeled("preset", ", ".join([self.preset, *changed_params(params, self.preset)]))
        self._labeled("seed", f"{seed}, on {threads} {'thread' if threads == 1 else 'threads'}")
        if not is_warm():
            self._labeled("compiling", COMPILING)
        self.screen.status("measuring how well edges fit", None)

    def on_prepared(self, puzzle: Puzzle, seconds: float) -> None:
        """Say how long the preparation took, and begin the table."""
        self._labeled("prepared", f"in {seconds:.2f} s")
        names = "".join(f"{name:>8}" for name in self._names)
        self.screen.line(f"\n{'generation':>10}{'best':>14}{'mean':>14}{names}{'seconds':>9}", "bold")
        self.screen.status("scattering the first generation", 0.0)

    def on_generation(self, progress: Progress, fraction: float) -> None:
        """Add a line to the table."""
        shares = "".join(_share(progress.shares.get(name, 0.0)) for name in self._names)
        costs = f"{progress.best_cost:>14,.1f}{progress.mean_cost:>14,.1f}"
        style = "dim" if progress.stale else ""
        self.screen.line(f"{progress.generation:>10}{costs}{shares}{progress.seconds:>9.2f}", style)
        following = min(progress.generation + 1, self._generations)
        self.screen.status(f"breeding generation {following} of {self._generations}", fraction)

    def on_regrown(self, best: NDArray[np.uint32], cost: float, seconds: float, fraction: float) -> None:
        """Say every quarter how far the cost has come down."""
        if int(fraction * 4) > int(self._regrown * 4):
            self.screen.line(f"{'regrown':>10}{cost:>14,.1f}{f'{fraction:.0%} of the steps':>46}{seconds:>9.2f}")
        self._regrown = fraction
        self.screen.status("breaking doubtful seams and regrowing", fraction)

    def on_end(self, result: Result) -> None:
        """Report."""
        self.screen.close()
        self.screen.line("\n" + result.summary())

    def _labeled(self, label: str, text: str) -> None:
        self.screen.line(f"{label:>10}  {text}")


def changed_params(params: Params, preset: str) -> list[str]:
    """The parameters that are not the preset's, in words; a population that the preset leaves open is not one.

    >>> changed_params(Params(population=50), "paper")
    ['population 50 instead of 1000']
    """
    names = [field.name for field in fields(params) if field.name != "population" or PRESETS[preset].population]
    pairs = [(name, getattr(params, name), getattr(PRESETS[preset], name)) for name in names]
    return [f"{name.replace('_', ' ')} {value} instead of {usual}" for name, value, usual in pairs if value != usual]


def nearest_preset(params: Params) -> str:
    """The name of the preset that these parameters differ from the least.

    >>> nearest_preset(Params(population=200, generations=7, patience=3))
    'quick'
    """
    return min(PRESETS, key=lambda name: len(changed_params(params, name)))


def _share(share: float) -> str:
    return f"{share:>8.1%}" if share else f"{'-':>8}"


class _PlainScreen:
    """Lines and nothing else."""

    def line(self, text: str, style: str = "") -> None:
        sys.stderr.write(f"{text}\n")

    def status(self, text: str, fraction: float | None) -> None:
        pass

    def stopping(self) -> None:
        # A signal may come while stderr is being written to, and its buffer cannot be entered twice.
        os.write(2, f"{STOPPING}\n".encode())

    def close(self) -> None:
        pass


class _LiveScreen:
    """Lines above a bar that moves."""

    def __init__(self) -> None:
        from rich import console, progress, text

        self.console = console.Console(stderr=True, highlight=False, markup=False)
        columns = (
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.TimeElapsedColumn(),
        )
        self.progress = progress.Progress(*columns, console=self.console, transient=True, refresh_per_second=8)
        self.styled = text.Text
        self.task: progress.TaskID | None = None
        self.told = False

    def line(self, text: str, style: str = "") -> None:
        # Given as an argument the style would color the bar, too.
        self.console.print(self.styled(text, style), soft_wrap=True)

    def status(self, text: str, fraction: float | None) -> None:
        if self.task is None:
            self.progress.start()
            self.task = self.progress.add_task(text, total=None)
        description = STOPPING if self.told else text
        total = None if fraction is None else 1.0
        self.progress.update(self.task, description=description, total=total, completed=fraction)

    def stopping(self) -> None:
        self.told = True
        if self.task is not None:
            self.progress.update(self.task, description=STOPPING)

    def close(self) -> None:
        self.progress.stop()
