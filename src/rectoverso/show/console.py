"""The console: who solves what and how, a line for each generation, why it stopped, where the time went.

On a terminal the last line is a bar that moves; anywhere else there are only plain lines. All of it goes to stderr.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import asdict
from typing import Any, Protocol

from rectoverso import __version__
from rectoverso.evolve.observers import Observer, Progress
from rectoverso.evolve.result import Result
from rectoverso.evolve.state import State
from rectoverso.native import is_warm
from rectoverso.parameters import PRESETS, Params
from rectoverso.puzzle.puzzle import Puzzle

COMPILING = "native code is compiled once, which takes about half a minute; later runs start at once"
EVERY = 5.0
"""So many seconds lie between two lines on what a preparation is doing, where there is no bar."""
STOPPING = "stopping after this generation or round; press Ctrl-C again to give up at once"


class Screen(Protocol):
    """Where lines go, and what stands below them."""

    def line(self, text: str, style: str = "") -> None:
        """Print a line."""

    def status(self, text: str, fraction: float | None, seconds_left: float | None = None) -> None:
        """Say what is being done, how far done it is and how long it will take still, if that is known."""

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
        self._traces = False
        self._told = 0.0

    def __enter__(self) -> Console:
        return self

    def __exit__(self, *error: object) -> None:
        self.screen.close()

    def on_start(self, puzzle: Puzzle, params: Params, seed: int, threads: int) -> None:
        """Say who solves what, and how."""
        self._generations = params.genetic.generations
        self._traces = params.objective.relative is not None and params.objective.relative.traces
        self._names = ["shared", "buddy", "least", "fitted", *(["mutated"] if params.genetic.mutation else [])]
        self.screen.line(f"rectoverso {__version__}", "bold")
        self._labeled("puzzle", f"{puzzle.name}, fingerprint {puzzle.digest[:8]}")
        self._labeled("type", f"{int(puzzle.type)} ({puzzle.type.unknowns} unknown)")
        sides = "two-sided" if puzzle.type.two_sided else "one-sided"
        frame = f"a frame of {puzzle.rows}x{puzzle.columns}"
        self._labeled(
            "pieces", f"{puzzle.num_pieces}, {sides}, {puzzle.piece_width}x{puzzle.piece_height} pixels, for {frame}"
        )
        self._labeled("preset", ", ".join([self.preset, *differences(params, self.preset)]))
        self._labeled("seed", f"{seed}, on {threads} {'thread' if threads == 1 else 'threads'}")
        if not is_warm():
            self._labeled("compiling", COMPILING)
        self.screen.status("preparing", None)

    def on_progress(self, progress: Progress) -> None:
        """Say what has been done, and what is being done."""
        if progress.state is not None:
            self._generation(progress.state, progress.fraction)
        elif progress.stage == "repair":
            self._round(progress)
        else:
            self._step(progress)

    def _step(self, progress: Progress) -> None:
        """A step of the preparation; in the end how long it took, and what the picture tells."""
        if progress.findings is None:
            self.screen.status(progress.step, progress.fraction, progress.seconds_left)
            return
        if self._traces:
            found = f"{', '.join(progress.findings)}; used" if progress.findings else "none found"
            self._labeled("found", f"JPEG traces: {found}")
        self._labeled("prepared", f"in {progress.seconds:.2f} s")
        names = "".join(f"{name:>8}" for name in self._names)
        self.screen.line(f"\n{'generation':>10}{'best':>14}{'mean':>14}{names}{'seconds':>9}", "bold")
        self.screen.status("scattering the first generation", 0.0)

    def _generation(self, state: State, fraction: float) -> None:
        """Add a line to the table."""
        shares = "".join(_share(state.last.shares.get(name, 0.0)) for name in self._names)
        costs = f"{state.best_cost:>14,.1f}{state.last.mean_cost:>14,.1f}"
        style = "dim" if state.stale else ""
        self.screen.line(f"{state.generation:>10}{costs}{shares}{state.seconds:>9.2f}", style)
        following = min(state.generation + 1, self._generations)
        self.screen.status(f"breeding generation {following} of {self._generations}", fraction)

    def _round(self, progress: Progress) -> None:
        """Say every quarter how far the cost has come down."""
        fraction, cost = progress.fraction, progress.best_cost or 0.0
        if int(fraction * 4) > int(self._told * 4):
            self.screen.line(f"{'repaired':>10}{cost:>14,.1f}{f'{fraction:.0%} done':>46}{progress.seconds:>9.2f}")
        self._told = fraction
        self.screen.status(progress.step, fraction)

    def on_end(self, result: Result) -> None:
        """Report."""
        self.screen.close()
        self.screen.line("\n" + result.summary())

    def _labeled(self, label: str, text: str) -> None:
        self.screen.line(f"{label:>10}  {text}")


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


def _share(share: float) -> str:
    return f"{share:>8.1%}" if share else f"{'-':>8}"


class _PlainScreen:
    """Lines and nothing else."""

    def __init__(self) -> None:
        self.told = time.monotonic()

    def line(self, text: str, style: str = "") -> None:
        sys.stderr.write(f"{text}\n")

    def status(self, text: str, fraction: float | None, seconds_left: float | None = None) -> None:
        """Every few seconds what is being done; nothing for what is done soon."""
        now = time.monotonic()
        if seconds_left is not None and now - self.told > EVERY:
            self.told = now
            self.line(f"{'':>10}  {text}: {fraction or 0:.0%}, about {seconds_left:.0f} s left")

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

    def status(self, text: str, fraction: float | None, seconds_left: float | None = None) -> None:
        if self.task is None:
            self.progress.start()
            self.task = self.progress.add_task(text, total=None)
        left = "" if seconds_left is None else f" (about {seconds_left:.0f} s left)"
        description = STOPPING if self.told else text + left
        total = None if fraction is None else 1.0
        self.progress.update(self.task, description=description, total=total, completed=fraction)

    def stopping(self) -> None:
        self.told = True
        if self.task is not None:
            self.progress.update(self.task, description=STOPPING)

    def close(self) -> None:
        self.progress.stop()
