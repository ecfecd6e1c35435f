"""Ruin and regrow of the whole: steps of annealing that break the doubtful seams and grow the arrangement anew.

Evolution inherits what both parents agree on, so it cannot leave an agreement that is wrong. A step here breaks nine in
ten of the seams that are not the best of both their edges, and some others at random, and lets the same crossover grow
a whole arrangement from what is left. Early steps accept a worse one now and then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.evolve._native_kernel import NUM_PHASES
from rectoverso.evolve.workspace import Workspace
from rectoverso.repair import _native_regrow as native
from rectoverso.repair.stage import BREAKING, Improved
from rectoverso.repair.streams import REGROWTH

CHAINS = 2
"""How many annealings run side by side, on however many threads."""
ROUNDS = 40
"""How many times a regrowth can be looked at and stopped."""
EARLY = 10
"""If none of so many rounds gains anything, it was the last one: what gains at all gains early."""
TEMPERATURES = (5.0, 0.4)
"""The first and the last temperature of the annealing, in costs."""


@dataclass(frozen=True)
class _Chains:
    """The current and the best chromosome of each annealing, and what both cost."""

    current: NDArray[np.uint32]
    best: NDArray[np.uint32]
    costs: NDArray[np.float64]


class Regrowth:
    """Regrows the whole, for so many steps."""

    step = "regrowing the whole"

    def __init__(self, space: Workspace, steps: int) -> None:
        self.space, self.steps = space, -(-steps // ROUNDS)

    def improve(self, chromosome: NDArray[np.uint32], cost: float) -> Iterator[Improved]:
        """Regrow a chromosome of known cost."""
        current, best = (np.repeat(chromosome[None], CHAINS, axis=0) for _ in range(2))
        chains = _Chains(current, best, np.full((CHAINS, 2), cost))
        hot, cold = TEMPERATURES
        temperatures = hot * (cold / hot) ** (np.arange(ROUNDS + 1) / ROUNDS)
        for number in range(ROUNDS):
            self._anneal(number, temperatures[number : number + 2].copy(), chains)
            least = int(chains.costs[:, 1].argmin())
            yield Improved((number + 1) / ROUNDS, float(chains.costs[least, 1]), chains.best[least].copy())
            if number + 1 == EARLY and chains.costs[least, 1] == cost:
                break

    def _anneal(self, number: int, temperatures: NDArray[np.float64], chains: _Chains) -> None:
        """One round of every chain."""
        space = self.space

        def work(start: int, stop: int) -> None:
            parent, kernel = space.make_parent(), space.make_kernel()
            child, phases = np.empty(space.puzzle.num_pieces, np.uint32), np.empty(NUM_PHASES, np.int64)
            for chain in range(start, stop):
                native.regrow(
                    self.steps,
                    np.uint64(space.seed),
                    np.uint64(REGROWTH + number * CHAINS + chain),
                    temperatures,
                    BREAKING,
                    chains.current[chain],
                    chains.best[chain],
                    chains.costs[chain],
                    parent,
                    kernel,
                    space.tables,
                    space.rules,
                    child,
                    phases,
                    np.zeros(2, np.uint64),
                )

        over_slices(work, CHAINS, space.threads, 1)
