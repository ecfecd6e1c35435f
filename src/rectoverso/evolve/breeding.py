"""Chromosomes by the slice: the native crossover, run on threads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.evolve import _native_breeding as native
from rectoverso.evolve._native_kernel import NUM_PHASES
from rectoverso.evolve.workspace import Workspace

SLICE = 16
"""How many children a thread makes before it looks for more work."""


@dataclass(frozen=True)
class Brood:
    """Chromosomes (rows of up edges, cell by cell), their costs, and how many pieces each phase placed in each."""

    chromosomes: NDArray[np.uint32]
    costs: NDArray[np.float64]
    phases: NDArray[np.int64]


def scatter(space: Workspace, count: int) -> Brood:
    """A random generation."""
    brood = _empty(space, count)
    homes = space.puzzle.homes if space.puzzle.homes is not None else np.zeros(0, np.uint32)

    def work(start: int, stop: int) -> None:
        random = np.zeros(2, np.uint64)
        args = (np.uint64(space.seed), space.tables, space.rules, homes, random, brood.chromosomes, brood.costs)
        native.scatter(start, stop, *args)

    over_slices(work, count, space.threads, SLICE)
    return brood


def breed(
    space: Workspace, generation: int, population: NDArray[np.uint32], parents: NDArray[np.int64], room: int = 0
) -> Brood:
    """One child for each pair of parents, after room for so many chromosomes that the caller puts in.

    The children depend on the seed, the generation and the parents alone.
    """
    brood = _empty(space, room + len(parents))
    made = (brood.chromosomes[room:], brood.costs[room:], brood.phases[room:])

    def work(start: int, stop: int) -> None:
        mother, father, kernel = space.make_parent(), space.make_parent(), space.make_kernel()
        args = (np.uint64(space.seed), np.uint64(generation), population, parents, mother, father, kernel)
        native.breed(start, stop, *args, space.tables, space.rules, *made)

    over_slices(work, len(parents), space.threads, SLICE)
    return brood


def _empty(space: Workspace, count: int) -> Brood:
    pieces = space.puzzle.num_pieces
    return Brood(np.empty((count, pieces), np.uint32), np.zeros(count), np.zeros((count, NUM_PHASES), np.int64))
