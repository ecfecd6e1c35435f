"""Observers: they watch a solve and never hurt it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rectoverso.confidence.confidence import Confidence
from rectoverso.errors import PuzzleWarning
from rectoverso.evolve.state import State
from rectoverso.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle

if TYPE_CHECKING:
    from rectoverso.evolve.result import Result

Stage = Literal["preparation", "evolution", "repair"]


@dataclass(frozen=True, eq=False)
class Progress:
    """Where a solve is.

    Attributes
    ----------
    stage
        The part of the work that is being done.
    step
        What is being done, in a few words.
    fraction
        How far done the stage is, from 0 to 1.
    seconds
        How long the stage has taken so far.
    best, best_cost
        The best chromosome so far and its cost; none before the first generation.
    state
        The generation that was just bred, while evolving; generation 0 is the random one. It holds the whole
        population: who keeps it for many generations keeps many populations in memory.
    findings, wear
        What preparation found in the picture, and what wear did to the pieces, at its end; None before.
    judge
        Call it to know how sure the best is; None before the first generation. It takes about five milliseconds for
        each thousand pieces, so who calls it for every generation slows the solve down by a tenth.
    """

    stage: Stage
    step: str
    fraction: float
    seconds: float
    best: NDArray[np.uint32] | None = None
    best_cost: float | None = None
    state: State | None = None
    findings: tuple[str, ...] | None = None
    wear: tuple[str, ...] | None = None
    judge: Callable[[], Confidence] | None = None

    @property
    def seconds_left(self) -> float | None:
        """How long the stage will take still, if it goes on as before; None if nothing can be said yet."""
        return self.seconds * (1 - self.fraction) / self.fraction if self.fraction > 0 else None


class Observer:
    """Override what you want to see; an observer that fails is dropped with a warning and the solve goes on."""

    def on_start(self, puzzle: Puzzle, params: Params, seed: int, threads: int) -> None:
        """A solve begins."""

    def on_settled(self, puzzle: Puzzle, notes: tuple[str, ...]) -> None:
        """The type or the frame was found out: the puzzle with both, and a sentence about each."""

    def on_progress(self, progress: Progress) -> None:
        """A step of the preparation, a generation or a round of repair is done."""

    def on_end(self, result: Result) -> None:
        """The solve is over."""


class Observers:
    """Several observers as one."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self.observers = list(observers)

    def tell(self, what: Callable[[Observer], None]) -> None:
        """Call a method on each observer; drop those that fail."""
        for observer in list(self.observers):
            try:
                what(observer)
            except Exception as error:
                self.observers.remove(observer)
                name = type(observer).__name__
                warnings.warn(f"{name} failed and was dropped: {error!r}", PuzzleWarning, stacklevel=3)
