"""The table of a solve: when, what, how many pieces are sure, what accuracy to expect, and how much time is left."""

from __future__ import annotations

from dataclasses import dataclass

from rectoverso.confidence.confidence import Confidence
from rectoverso.evolve.observers import Progress
from rectoverso.evolve.state import Record
from rectoverso.parameters import Params
from rectoverso.show.lines import clock, rounded_down, shortened

LABEL = 7
"""The columns of the clock, and of the labels above the table."""
WIDE = 80
"""From so many columns on there is room for full names."""


@dataclass(frozen=True)
class Table:
    """Rows that line up under one header: short names on a narrow screen, and internals if wanted, as many as fit."""

    width: int
    digits: int
    internals: tuple[str, ...] = ()

    @classmethod
    def of(cls, width: int, pieces: int, params: Params, *, verbose: bool) -> Table:
        """The table of a solve; mutation has a column only where there is some."""
        phases = ("shared", "buddy", "least", "fitted", *(["mutated"] if params.genetic.mutation else []))
        table = cls(width, len(str(pieces)), ("best", *phases, "mean") if verbose else ())
        while len(table.header) > width and table.internals:
            table = cls(width, table.digits, table.internals[:-1])
        return table

    @property
    def wide(self) -> bool:
        """Whether there is room for full names."""
        return self.width >= WIDE and not self.internals

    @property
    def _columns(self) -> tuple[int, int, int, int]:
        sure = max(self.digits + 1, 6)
        return (30, max(sure, 13), 16, 11) if self.wide else (14, sure, 6, 7)

    @property
    def header(self) -> str:
        """The names of the columns."""
        names = ("pieces sure", "expected right", "time left") if self.wide else ("sure", "right", "left")
        return self._joined("time", "stage", *names, [f"{name:>{_width(name)}}" for name in self.internals])

    def row(self, seconds: float, what: str, confidence: Confidence | None, left: str, last: Record | None) -> str:
        """A row: what is known of the best, and of the last generation if there is one."""
        sure, right = ("", "") if confidence is None else (str(confidence.sure), rounded_down(confidence.expected))
        internals = [] if last is None else [_internal(name, last) for name in self.internals]
        return self._joined(clock(seconds), what, sure, right, left, internals)

    def stage(self, progress: Progress) -> str:
        """What was done last, in the words that there is room for."""
        percent = f"{progress.fraction:.0%}"
        if progress.state is not None:
            text = f"generation {progress.state.generation}"
            return text if self._fits(text) else f"gen {progress.state.generation}"
        if self.wide and self._fits(f"{progress.step} {percent}"):
            return f"{progress.step} {percent}"
        if progress.stage == "preparation":
            return f"preparing {percent}"
        again, _, _ = progress.step.partition(":")
        return again if again != progress.step else f"repair {percent}"

    def _fits(self, text: str) -> bool:
        return len(text) <= self._columns[0]

    def _joined(self, time: str, what: str, sure: str, right: str, left: str, internals: list[str]) -> str:
        label, *numbers = self._columns
        cells = zip((sure, right, left), numbers, strict=True)
        row = f"{time:>{LABEL}}  {shortened(what, label):<{label}}" + "".join(f"{text:>{size}}" for text, size in cells)
        return (row + "".join(internals)).rstrip()


def _width(name: str) -> int:
    """The columns of an internal."""
    return 12 if name in ("best", "mean") else len(name) + 1


def _internal(name: str, record: Record) -> str:
    if name in ("best", "mean"):
        cost = record.best_cost if name == "best" else record.mean_cost
        return f"{cost:>{_width(name)},.{1 if cost < 1e6 else 0}f}"
    share = record.shares.get(name, 0.0)
    return f"{f'{share:.0%}' if share else '-':>{_width(name)}}"
