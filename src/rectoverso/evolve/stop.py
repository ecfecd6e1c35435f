"""When to stop: criteria that look at a generation and say how far done the solve is, and why it is over.

A criterion keeps nothing between calls, so it can serve any number of solves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from rectoverso.evolve.state import State


@dataclass(frozen=True)
class Verdict:
    """How far done a solve is (0 to 1), and the reason once it is over."""

    fraction: float
    reason: str = ""

    @property
    def over(self) -> bool:
        """Whether to stop."""
        return bool(self.reason)


class Stop(Protocol):
    """Anything that judges a generation."""

    def __call__(self, state: State) -> Verdict:
        """Judge the generation that was just bred."""
        ...


@dataclass(frozen=True)
class Never:
    """Do not stop."""

    def __call__(self, state: State) -> Verdict:
        """Judge a generation."""
        return Verdict(0.0)


@dataclass(frozen=True)
class MaxGenerations:
    """Stop after so many generations."""

    generations: int

    def __post_init__(self) -> None:
        if self.generations < 1:
            raise ValueError(f"a limit of {self.generations} generations was given; 1 is the least")

    def __call__(self, state: State) -> Verdict:
        """Judge a generation."""
        over = state.generation >= self.generations
        return Verdict(state.generation / self.generations, "generation limit" if over else "")


@dataclass(frozen=True)
class Stalled:
    """Stop when the best cost has not fallen for so many generations."""

    generations: int

    def __post_init__(self) -> None:
        if self.generations < 1:
            raise ValueError(f"a patience of {self.generations} generations was given; 1 is the least")

    def __call__(self, state: State) -> Verdict:
        """Judge a generation."""
        over = state.generation > 0 and state.stale >= self.generations
        return Verdict(0.0, f"no improvement for {self.generations} generations" if over else "")


@dataclass(frozen=True)
class Signal:
    """Stop when somebody outside says so, for the reason they give: "" means go on."""

    reason: Callable[[], str]

    def __call__(self, state: State) -> Verdict:
        """Judge a generation."""
        return Verdict(0.0, self.reason())


@dataclass(frozen=True)
class FirstOf:
    """Stop as soon as one of several criteria says so.

    >>> from types import SimpleNamespace
    >>> stop = FirstOf((MaxGenerations(10), Stalled(3)))
    >>> stop(SimpleNamespace(generation=5, stale=3))
    Verdict(fraction=0.5, reason='no improvement for 3 generations')
    """

    criteria: tuple[Stop, ...]

    def __call__(self, state: State) -> Verdict:
        """Judge a generation."""
        verdicts = [criterion(state) for criterion in self.criteria]
        reason = next((verdict.reason for verdict in verdicts if verdict.over), "")
        return Verdict(max((verdict.fraction for verdict in verdicts), default=0.0), reason)
