"""A bar for work of many solves, with the time left."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rectoverso.evolve.observers import Observer, Progress
from rectoverso.show.lines import for_terminal

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress


class Bar:
    """Shows how much of the work is done and how long the rest will take; plain lines where there is no terminal."""

    def __init__(self, total: float) -> None:
        from rich import console, progress

        self.done = 0.0
        self.bar: RichProgress = progress.Progress(
            progress.TextColumn("{task.percentage:>3.0f} %"),
            progress.BarColumn(),
            progress.TimeElapsedColumn(),
            progress.TextColumn("left"),
            progress.TimeRemainingColumn(),
            console=console.Console(stderr=True, highlight=False, markup=False),
            transient=True,
            disable=not sys.stderr.isatty(),
            speed_estimate_period=3600,
        )
        self.task = self.bar.add_task("", total=total)

    def __enter__(self) -> Bar:
        self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.stop()

    def watch(self, weight: float) -> Observer:
        """An observer that moves the bar by ``weight`` in the course of one solve."""
        return _Watch(self, weight)

    def finish(self, weight: float, line: str) -> None:
        """A solve is done: print its line above the bar."""
        self.done += weight
        self.bar.update(self.task, completed=self.done)
        self.bar.console.print(for_terminal(line, sys.stderr), soft_wrap=True)


class _Watch(Observer):
    def __init__(self, bar: Bar, weight: float) -> None:
        self.bar, self.weight = bar, weight

    def on_progress(self, progress: Progress) -> None:
        stage = ("preparation", "evolution", "repair").index(progress.stage)
        self.bar.bar.update(self.bar.task, completed=self.bar.done + (stage + progress.fraction) / 3 * self.weight)
