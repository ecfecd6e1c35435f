"""Observers: they watch a solve and never hurt it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import PuzzleWarning
from rectoverso.evolve.parameters import Params
from rectoverso.evolve.state import Progress
from rectoverso.puzzle.puzzle import Puzzle

if TYPE_CHECKING:
    from rectoverso.evolve.result import Result


class Observer:
    """Override what you want to see; an observer that fails is dropped with a warning and the solve goes on."""

    def on_start(self, puzzle: Puzzle, params: Params, seed: int, threads: int) -> None:
        """A solve begins."""

    def on_prepared(self, puzzle: Puzzle, seconds: float) -> None:
        """The affinity has been measured."""

    def on_generation(self, progress: Progress, fraction: float) -> None:
        """A generation has been bred; generation 0 is the random one. ``fraction`` is how far done the solve is."""

    def on_regrown(self, best: NDArray[np.uint32], cost: float, seconds: float, fraction: float) -> None:
        """A round of ruin and regrow is done: the best chromosome so far, its cost, the seconds taken, how far done."""

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
