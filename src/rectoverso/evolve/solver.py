"""The loop: the file to read first.

It is the paper's figure "Pseudocode of GA framework" with the open questions answered by :class:`Params`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity
from rectoverso.evolve.breeding import Breeder
from rectoverso.evolve.parameters import Params
from rectoverso.evolve.selection import select_parents
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle

PHASES = ("shared", "buddy", "least", "fitted", "mutated")
"""How pieces are placed: an edge of both parents, a best-buddy edge of either, the least dissimilarity over the whole
boundary, the best fit when candidates are used up, at random."""


@dataclass(frozen=True, eq=False)
class Progress:
    """One generation: its costs, how its pieces were placed, and the best chromosome so far."""

    puzzle: Puzzle
    generation: int
    best_cost: float
    mean_cost: float
    phases: dict[str, int]
    seconds: float
    stale: int
    best: NDArray[np.uint32]

    @property
    def arrangement(self) -> Arrangement:
        """The best arrangement so far."""
        return Arrangement.from_up_edges(self.best, self.puzzle.rows, self.puzzle.columns, self.puzzle.faces)

    @property
    def shares(self) -> dict[str, float]:
        """The share of this generation's placements that each phase made."""
        total = max(1, sum(self.phases.values()))
        return {name: count / total for name, count in self.phases.items()}


class Solver:
    """Breeds generation after generation, for as long as the caller asks for more.

    >>> from rectoverso import Puzzle, Solver, measure_affinity
    >>> rng = np.random.default_rng(0)
    >>> picture = np.add.outer(np.arange(24) * 5, np.arange(32) * 3)[:, :, None] + np.array([0, 20, 40])
    >>> puzzle = Puzzle.from_image(picture.astype(np.uint8), size=8, type=1)
    >>> solver = Solver(puzzle, measure_affinity(puzzle), Params(population=20))
    >>> for progress in solver:
    ...     if progress.generation == 3:
    ...         break
    >>> progress.arrangement == puzzle.truth
    True
    """

    def __init__(
        self,
        puzzle: Puzzle,
        affinity: Affinity,
        params: Params,
        *,
        seed: int = 0,
        threads: int = 1,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.puzzle, self.params, self.seed, self.clock = puzzle, params, seed, clock
        self.breeder = Breeder(puzzle, affinity, params, seed, threads)

    def __iter__(self) -> Iterator[Progress]:
        params, started = self.params, self.clock()
        brood = self.breeder.scatter(params.population)
        population, costs = brood.chromosomes, brood.costs
        best, best_cost, generation, stale = population[costs.argmin()].copy(), float(costs.min()), 0, 0
        while True:
            placed = dict(zip(PHASES, brood.phases.sum(axis=0).tolist(), strict=True))
            seconds = self.clock() - started
            yield Progress(self.puzzle, generation, best_cost, float(costs.mean()), placed, seconds, stale, best)
            generation += 1
            rng = np.random.default_rng([self.seed, generation])
            parents = select_parents(costs, params.population - params.elites, params.fitness, rng)
            brood = self.breeder.breed(generation, population, parents)
            elites = np.argsort(costs, kind="stable")[: params.elites]
            population = np.concatenate([population[elites], brood.chromosomes])
            costs = np.concatenate([costs[elites], brood.costs])
            stale = 0 if costs.min() < best_cost else stale + 1
            if stale == 0:
                best, best_cost = population[costs.argmin()].copy(), float(costs.min())
