"""All that is done after evolution: ruin and regrow of the whole for small puzzles, then of patches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity
from rectoverso.evolve.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair.patching import Patching
from rectoverso.repair.regrowth import Regrown, Regrowth

WHOLE = 2000
"""Up to so many pieces a step may regrow the whole."""

HOPELESS = 0.95
"""If more than this share of the pieces is doubtful, there is nothing to grow from, as in noise; text has less."""

SMALL = 200
"""Up to so many pieces even that is tried: it takes no time."""


def repair(
    puzzle: Puzzle,
    affinity: Affinity,
    params: Params,
    chromosome: NDArray[np.uint32],
    cost: float,
    *,
    seed: int,
    threads: int,
    patient: bool,
) -> Iterator[Regrown]:
    """Improve a chromosome of known cost round by round, if there is hope; ``patient`` as in :class:`Patching`."""
    if not (params.regrow_steps or params.patch_steps):
        return
    stages: list[Regrowth | Patching] = []
    patches = Patching(puzzle, affinity, params, seed=seed, threads=threads, patient=patient)
    if not patient and puzzle.num_pieces > SMALL and patches.doubt(chromosome) > HOPELESS:
        return
    if params.regrow_steps and puzzle.num_pieces <= WHOLE:
        stages.append(Regrowth(puzzle, affinity, params, seed=seed, threads=threads))
    if params.patch_steps:
        stages.append(patches)
    last = Regrown(0.0, cost, chromosome, 0.0)
    for number, stage in enumerate(stages):
        before = last
        for regrown in stage.improve(before.best, before.best_cost):
            fraction = (number + regrown.fraction) / len(stages)
            last = replace(regrown, fraction=fraction, seconds=before.seconds + regrown.seconds)
            yield last
