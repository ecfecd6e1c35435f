"""Other evolutions, for who has time: what one seed gets wrong, another one may get right, and the cost tells."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from rectoverso.affinity.affinity import Affinity
from rectoverso.evolve.parameters import Params
from rectoverso.evolve.solver import Solver
from rectoverso.evolve.stop import Stop
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair.patching import Patching
from rectoverso.repair.regrowth import Regrown
from rectoverso.repair.repairing import repair

IN_VAIN = 6
"""So many restarts in a row that gain nothing are enough."""


def restart(
    puzzle: Puzzle,
    affinity: Affinity,
    params: Params,
    best: Regrown,
    until: Stop,
    *,
    seed: int,
    threads: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Regrown]:
    """Evolve and repair again and again, with another seed each time, and give the best so far.

    ``until`` ends an evolution; all ends when nothing is doubtful, or some restarts in a row have gained nothing.
    """
    started, seconds = clock(), best.seconds
    patches = Patching(puzzle, affinity, params)
    gained = 0
    for number in itertools.count(1):
        if not patches.doubt(best.best) or number - gained > IN_VAIN:
            return
        other = int(np.random.SeedSequence([seed, number]).generate_state(1)[0])
        for progress in Solver(puzzle, affinity, params, seed=other, threads=threads):
            yield replace(best, seconds=seconds + clock() - started)
            if until(progress).over:
                break
        bred = Regrown(0.0, progress.best_cost, progress.best, 0.0)
        rounds = repair(puzzle, affinity, params, bred.best, bred.best_cost, seed=other, threads=threads, patient=False)
        for regrown in itertools.chain([bred], rounds):
            if regrown.best_cost < best.best_cost:
                best, gained = regrown, number
            yield replace(best, seconds=seconds + clock() - started)
