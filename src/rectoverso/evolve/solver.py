"""The loop: the file to read first.

It is the paper's figure "Pseudocode of GA framework" with the open questions answered by the parameters. The crossover
is ``cross`` in :mod:`rectoverso.evolve._native_crossover`, which reads like the paper's section of that name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from rectoverso.evolve.breeding import breed, scatter
from rectoverso.evolve.selection import select_parents
from rectoverso.evolve.state import State
from rectoverso.evolve.workspace import Workspace
from rectoverso.matching.lists import CandidateLists
from rectoverso.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle


class Solver:
    """Breeds generation after generation, for as long as the caller asks for more.

    It begins with a random generation, or with the last generation of a ``state`` that an earlier solve was left in.

    >>> from rectoverso import Genetic, Puzzle, Solver, find_candidates
    >>> picture = np.add.outer(np.arange(24) * 5, np.arange(32) * 3)[:, :, None] + np.array([0, 20, 40])
    >>> puzzle = Puzzle.from_image(picture.astype(np.uint8), size=8, type=1)
    >>> solver = Solver(puzzle, find_candidates(puzzle), Params(Genetic(population=50)))
    >>> for state in solver:
    ...     if state.generation == 3:
    ...         break
    >>> state.arrangement(puzzle) == puzzle.truth
    True
    """

    def __init__(
        self,
        puzzle: Puzzle,
        lists: CandidateLists,
        params: Params,
        *,
        seed: int = 0,
        threads: int = 1,
        state: State | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.space = Workspace.of(puzzle, lists, params, seed=seed, threads=threads, clock=clock)
        self.state = None if state is None else state.resumed(puzzle, self.space.params, seed)

    def __iter__(self) -> Iterator[State]:
        space, genetic = self.space, self.space.params.genetic
        started = space.clock() - (self.state.seconds if self.state else 0.0)
        state = self.state or State.of_first(space, scatter(space, genetic.population), space.clock() - started)
        while True:
            yield state
            generation = state.generation + 1
            rng = np.random.default_rng([space.seed, generation])
            parents = select_parents(state.costs, genetic.population - genetic.elites, genetic.fitness, rng)
            brood = breed(space, generation, state.population, parents, room=genetic.elites)
            elites = np.argsort(state.costs, kind="stable")[: genetic.elites]
            brood.chromosomes[: genetic.elites] = state.population[elites]
            brood.costs[: genetic.elites] = state.costs[elites]
            state = state.followed_by(brood, space.clock() - started)
