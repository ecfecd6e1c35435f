"""Ruin and regrow after evolution: steps of annealing that break the doubtful seams and grow the arrangement anew.

Evolution inherits what both parents agree on, so it cannot leave an agreement that is wrong. A step here breaks nine in
ten of the seams that are not the best of both their edges, and some others at random, and lets the same crossover grow
a whole arrangement from what is left. Early steps accept a worse one now and then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity
from rectoverso.evolve._native_kernel import NUM_PHASES
from rectoverso.evolve.breeding import make_kernel, make_parent, make_rules, make_tables
from rectoverso.evolve.parameters import Params
from rectoverso.geometry import NOTHING
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair import _native
from rectoverso.threads import over_slices

CHAINS = 2
"""How many annealings run side by side, on however many threads."""
ROUNDS = 40
"""How many times a regrowth can be looked at and stopped."""
EARLY = 10
"""If none of so many rounds gains anything, it was the last one: what gains at all gains early."""
STREAM = 1 << 40
"""Apart from the streams of generations."""


@dataclass(frozen=True, eq=False)
class Regrown:
    """Where a regrowth is: how far done, and the best cost and chromosome so far."""

    fraction: float
    best_cost: float
    best: NDArray[np.uint32]
    seconds: float


def breaking_chances(params: Params) -> NDArray[np.uint64]:
    """The chances that a step breaks a doubtful seam, and any other, in 2**32ths."""
    return np.array([round(chance * NOTHING) for chance in (params.regrow_doubtful, params.regrow_any)], np.uint64)


class Regrowth:
    """Improves a chromosome, round after round, until its steps are done or the caller has enough."""

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
        self.puzzle, self.params, self.threads, self.clock = puzzle, params, threads, clock
        self.seed = np.uint64(seed)
        self.rules = make_rules(puzzle, params)
        self.tables = make_tables(puzzle, affinity, self.rules, params)
        self.chances = breaking_chances(params)

    def improve(self, chromosome: NDArray[np.uint32], cost: float) -> Iterator[Regrown]:
        """Regrow a chromosome of known cost; what comes depends on it and the seed alone."""
        started = self.clock()
        currents, bests = (np.repeat(chromosome[None], CHAINS, axis=0) for _ in range(2))
        costs = np.full((CHAINS, 2), cost)
        steps = -(-self.params.regrow_steps // ROUNDS)
        hot, cold = self.params.regrow_heat
        heats = hot * (cold / hot) ** (np.arange(ROUNDS + 1) / ROUNDS)
        for number in range(ROUNDS):
            self._anneal(number, steps, heats[number : number + 2].copy(), currents, bests, costs)
            best = int(costs[:, 1].argmin())
            yield Regrown((number + 1) / ROUNDS, float(costs[best, 1]), bests[best].copy(), self.clock() - started)
            if number + 1 == EARLY and costs[best, 1] == cost:
                break

    def _anneal(
        self,
        number: int,
        steps: int,
        heat: NDArray[np.float64],
        currents: NDArray[np.uint32],
        bests: NDArray[np.uint32],
        costs: NDArray[np.float64],
    ) -> None:
        """One round of every chain."""

        def work(start: int, stop: int) -> None:
            parent = make_parent(self.puzzle)
            kernel = make_kernel(self.puzzle, self.rules, len(self.tables.group_start) - 1)
            child, phases = np.empty(self.puzzle.num_pieces, np.uint32), np.empty(NUM_PHASES, np.int64)
            for chain in range(start, stop):
                _native.regrow(
                    steps,
                    self.seed,
                    np.uint64(STREAM + number * CHAINS + chain),
                    heat,
                    self.chances,
                    currents[chain],
                    bests[chain],
                    costs[chain],
                    parent,
                    kernel,
                    self.tables,
                    self.rules,
                    child,
                    phases,
                    np.zeros(2, np.uint64),
                )

        over_slices(work, CHAINS, self.threads, 1)
