"""What a solve is between two generations: all that is needed to go on from there, and to tell what happened before."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.evolve.breeding import Brood
from rectoverso.evolve.workspace import Workspace
from rectoverso.parameters import Params
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle

PHASES = ("shared", "buddy", "least", "fitted", "mutated")
"""How pieces are placed: an edge of both parents, a best-buddy edge of either, the least dissimilarity over the whole
boundary, the best fit when candidates are used up, at random."""


@dataclass(frozen=True)
class Record:
    """The numbers of one generation: its costs, how many pieces each phase placed, when it was done."""

    generation: int
    best_cost: float
    mean_cost: float
    phases: dict[str, int]
    seconds: float

    @property
    def shares(self) -> dict[str, float]:
        """The share of the generation's placements that each phase made."""
        total = max(1, sum(self.phases.values()))
        return {name: count / total for name, count in self.phases.items()}


@dataclass(frozen=True, eq=False)
class State:
    """Where a solve is: a solve that starts from here goes on as if it had never stopped.

    What comes next is decided by the seed, the number of the generation and the population alone.

    Attributes
    ----------
    puzzle
        The fingerprint (``Puzzle.digest``) of the puzzle that is being solved.
    params, seed
        What the solve was started with, but for its time limit, which ends one run only.
    population, costs
        The chromosomes of the last generation and what each costs.
    best
        The best chromosome of all generations.
    stale
        For how many generations the best cost has not fallen.
    history
        A record of each generation from the random one, number 0, to the last.
    settled
        The type, the rows and the columns of the puzzle, which may have been found out.
    """

    puzzle: str
    params: Params
    seed: int
    population: NDArray[np.uint32]
    costs: NDArray[np.float64]
    best: NDArray[np.uint32]
    stale: int
    history: tuple[Record, ...]
    settled: tuple[int, int, int] | None = None

    def __post_init__(self) -> None:
        for array in (self.population, self.costs, self.best):
            array.flags.writeable = False

    @classmethod
    def of_first(cls, space: Workspace, brood: Brood, seconds: float) -> State:
        """The state when the random generation has been made."""
        best = brood.chromosomes[brood.costs.argmin()].copy()
        first = _record(0, float(brood.costs.min()), brood, seconds)
        params = replace(space.params, time_limit=0.0)
        puzzle = space.puzzle
        settled = (int(puzzle.type), puzzle.rows, puzzle.columns)
        return cls(puzzle.digest, params, space.seed, brood.chromosomes, brood.costs, best, 0, (first,), settled)

    def followed_by(self, brood: Brood, seconds: float) -> State:
        """The state one generation later."""
        lowest = float(brood.costs.min())
        better = lowest < self.best_cost
        record = _record(self.generation + 1, min(lowest, self.best_cost), brood, seconds)
        return replace(
            self,
            population=brood.chromosomes,
            costs=brood.costs,
            best=brood.chromosomes[brood.costs.argmin()].copy() if better else self.best,
            stale=0 if better else self.stale + 1,
            history=(*self.history, record),
        )

    def check_fits(self, puzzle: Puzzle, params: Params, seed: int) -> None:
        """A ValueError if a solve with these cannot go on from here: only its limits may be others."""
        generations, patience = params.genetic.generations, params.genetic.patience
        genetic = replace(self.params.genetic, generations=generations, patience=patience)
        expected = replace(self.params, genetic=genetic)
        if (self.puzzle, self.seed, expected) != (puzzle.digest, seed, replace(params, time_limit=0.0)):
            raise ValueError("a solve is resumed with its own puzzle, seed and parameters; only its limits may change")

    def resumed(self, puzzle: Puzzle, params: Params, seed: int) -> State:
        """The same with the limits in ``params``."""
        self.check_fits(puzzle, params, seed)
        return replace(self, params=replace(params, time_limit=0.0))

    @property
    def last(self) -> Record:
        """The record of the last generation."""
        return self.history[-1]

    @property
    def generation(self) -> int:
        """The number of the last generation."""
        return self.last.generation

    @property
    def best_cost(self) -> float:
        """The lowest cost of all generations."""
        return self.last.best_cost

    @property
    def seconds(self) -> float:
        """How long evolution took so far, before and after every resume."""
        return self.last.seconds

    def arrangement(self, puzzle: Puzzle) -> Arrangement:
        """The best arrangement so far."""
        return Arrangement.from_up_edges(self.best, puzzle.rows, puzzle.columns, puzzle.faces)


def _record(generation: int, best_cost: float, brood: Brood, seconds: float) -> Record:
    phases = dict(zip(PHASES, brood.phases.sum(axis=0).tolist(), strict=True))
    return Record(generation, best_cost, float(brood.costs.mean()), phases, seconds)
