"""The loop: the file to read first.

It is the paper's figure "Pseudocode of GA framework" with the open questions answered by :class:`Params`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from rectoverso.affinity.affinity import Affinity
from rectoverso.evolve.breeding import Breeder
from rectoverso.evolve.parameters import Params
from rectoverso.evolve.selection import select_parents
from rectoverso.evolve.state import Progress, State
from rectoverso.puzzle.puzzle import Puzzle


class Solver:
    """Breeds generation after generation, for as long as the caller asks for more.

    It begins with a random generation, or with the last generation of a ``state`` that an earlier solve was left in.

    >>> from rectoverso import Puzzle, Solver, measure_affinity
    >>> picture = np.add.outer(np.arange(24) * 5, np.arange(32) * 3)[:, :, None] + np.array([0, 20, 40])
    >>> puzzle = Puzzle.from_image(picture.astype(np.uint8), size=8, type=1)
    >>> solver = Solver(puzzle, measure_affinity(puzzle), Params(population=50))
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
        state: State | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        params = params.chosen_for(puzzle.num_pieces)
        self.puzzle, self.params, self.seed, self.clock = puzzle, params, seed, clock
        self.state = None if state is None else state.resumed(puzzle, params, seed)
        self.breeder = Breeder(puzzle, affinity, params, seed, threads)

    def __iter__(self) -> Iterator[Progress]:
        params = self.params
        started = self.clock() - (self.state.seconds if self.state else 0.0)
        state = self.state or self._scattered(started)
        while True:
            yield Progress(self.puzzle, state)
            generation = state.generation + 1
            rng = np.random.default_rng([self.seed, generation])
            parents = select_parents(state.costs, params.population - params.elites, params.fitness, rng)
            brood = self.breeder.breed(generation, state.population, parents, room=params.elites)
            elites = np.argsort(state.costs, kind="stable")[: params.elites]
            brood.chromosomes[: params.elites] = state.population[elites]
            brood.costs[: params.elites] = state.costs[elites]
            state = state.followed_by(brood, self.clock() - started)

    def _scattered(self, started: float) -> State:
        """The random generation."""
        brood = self.breeder.scatter(self.params.population)
        return State.of_first(self.puzzle, self.params, self.seed, brood, self.clock() - started)
