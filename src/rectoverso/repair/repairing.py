"""All that is done after evolution: ruin and regrow of the whole for small puzzles, then of patches, then exchanges.

If the whole may lie beside its place in the frame, that is done where it lies and where it may belong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity
from rectoverso.evolve.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair.exchanging import Exchanging
from rectoverso.repair.patching import Patching
from rectoverso.repair.regrowth import Regrown, Regrowth
from rectoverso.repair.shifting import shifts

WHOLE = 2000
"""Up to so many pieces a step may regrow the whole."""

HOPELESS = 0.95
"""If more than this share of the pieces is doubtful, there is nothing to grow from, as in noise; text has less."""

SHAPELESS = 0.5
"""If more than this share is doubtful, there is no whole that could lie beside its place."""

SMALL = 200
"""Up to so many pieces even that is tried: it takes no time."""

Stage = Regrowth | Patching | Exchanging


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
    """Improve a chromosome of known cost round by round, if there is hope.

    ``patient``: go on with patches, and then exchanges, for as long as they gain anything.
    """
    if not (params.regrow_steps or params.patch_steps or params.exchange_cells):
        return
    patches = Patching(puzzle, affinity, params, seed=seed, threads=threads)
    doubt = patches.doubt(chromosome)
    if not patient and puzzle.num_pieces > SMALL and doubt > HOPELESS:
        return
    stages: list[Stage] = [patches] if params.patch_steps else []
    if params.exchange_cells and puzzle.type.location_unknown:
        stages.append(Exchanging(puzzle, affinity, params, seed=seed, threads=threads))
    if patient and params.patch_steps:
        more = Patching(puzzle, affinity, params, seed=seed, threads=threads, patient=True)
        stages += [more, *stages[1:]]
    if params.regrow_steps and puzzle.num_pieces <= WHOLE:
        stages.insert(0, Regrowth(puzzle, affinity, params, seed=seed, threads=threads))
    starts = [(chromosome, cost)]
    if doubt < SHAPELESS:
        starts += shifts(chromosome, cost, puzzle, patches.tables, patches.rules)
    best, seconds = Regrown(0.0, cost, chromosome, 0.0), 0.0
    for number, start in enumerate(starts):
        before = seconds
        for regrown in _improve(stages, *start):
            best = regrown if regrown.best_cost < best.best_cost else best
            seconds = before + regrown.seconds
            yield replace(best, fraction=(number + regrown.fraction) / len(starts), seconds=seconds)


def _improve(stages: list[Stage], chromosome: NDArray[np.uint32], cost: float) -> Iterator[Regrown]:
    """All stages one after the other."""
    last = Regrown(0.0, cost, chromosome, 0.0)
    for number, stage in enumerate(stages):
        before = last
        for regrown in stage.improve(before.best, before.best_cost):
            fraction = (number + regrown.fraction) / len(stages)
            last = replace(regrown, fraction=fraction, seconds=before.seconds + regrown.seconds)
            yield last
