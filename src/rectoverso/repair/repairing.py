"""repair(): all stages after evolution, one after the other.

If the whole may lie beside its place in the frame, that is done where it lies and where it may belong.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rectoverso.evolve.workspace import Workspace
from rectoverso.parameters import Repair
from rectoverso.repair.exchanging import Exchanging
from rectoverso.repair.patching import Patching
from rectoverso.repair.regrowth import Regrowth
from rectoverso.repair.shifting import shifts
from rectoverso.repair.stage import Improved, Stage

WHOLE = 2000
"""Up to so many pieces a step may regrow the whole: beyond that a step takes too long."""

HOPELESS = 0.95
"""If more than this share of the pieces is doubtful, there is nothing to grow from, as in noise; text has less."""

SHAPELESS = 0.5
"""If more than this share is doubtful, there is no whole that could lie beside its place."""

SMALL = 200
"""Up to so many pieces even what is hopeless is tried: it takes no time."""


def repair(
    space: Workspace, chromosome: NDArray[np.uint32], cost: float, *, patient: bool
) -> Iterator[tuple[str, Improved]]:
    """Improve a chromosome of known cost round by round, if there is hope; with each, what is being done.

    ``patient``: go on with patches, and then exchanges, for as long as they gain anything.
    """
    wanted = space.params.repair
    if wanted is None:
        return
    patches = Patching(space, wanted)
    doubt = patches.doubt(chromosome)
    if not patient and space.puzzle.num_pieces > SMALL and doubt > HOPELESS:
        return
    stages = _stages(space, wanted, patches, patient)
    starts = [(chromosome, cost), *(shifts(space, chromosome, cost) if doubt < SHAPELESS else [])]
    best = Improved(0.0, cost, chromosome)
    for number, start in enumerate(starts):
        for step, improved in _improve(stages, *start):
            best = improved if improved.best_cost < best.best_cost else best
            yield step, Improved((number + improved.fraction) / len(starts), best.best_cost, best.best)


def _stages(space: Workspace, wanted: Repair, patches: Patching, patient: bool) -> list[Stage]:
    """The stages that the parameters ask for and the puzzle allows."""
    stages: list[Stage] = [patches] if wanted.patch_steps else []
    if wanted.exchange_cells and space.puzzle.type.location_unknown:
        stages.append(Exchanging(space, wanted.exchange_cells))
    if patient and wanted.patch_steps:
        stages += [Patching(space, wanted, patient=True), *stages[1:]]
    if wanted.regrow_steps and space.puzzle.num_pieces <= WHOLE:
        stages.insert(0, Regrowth(space, wanted.regrow_steps))
    return stages


def _improve(stages: list[Stage], chromosome: NDArray[np.uint32], cost: float) -> Iterator[tuple[str, Improved]]:
    """All stages one after the other."""
    last = Improved(0.0, cost, chromosome)
    for number, stage in enumerate(stages):
        for improved in stage.improve(last.best, last.best_cost):
            last = Improved((number + improved.fraction) / len(stages), improved.best_cost, improved.best)
            yield stage.step, last
