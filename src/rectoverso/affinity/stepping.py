"""Edges in step: candidates are searched only among edges that keep to the compression grid, where that is known.

A list of the best of all edges is short of true neighbors in smooth skies, where thousands fit about as well. Of
28-pixel pieces one pair of edges in sixteen is in step: their lists reach sixteen times as far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rectoverso.affinity.affinity import Affinity, Class, best_buddies, search
from rectoverso.affinity.rulers import BLOCK, Ruler
from rectoverso.puzzle.puzzle import Puzzle

UNKNOWN = BLOCK
"""An offset that fits all others."""

SURE = 2
"""The level of sureness from which on an offset is taken as known: nearly all that are misread are at level 1."""


def in_step(puzzle: Puzzle, affinity: Affinity, rulers: Sequence[Ruler], k: int, threads: int = 1) -> Affinity:
    """The affinity with lists of the k best edges that are in step by all the rulers."""
    if not puzzle.type.location_unknown or not rulers:
        return affinity
    classes = _classes(puzzle, affinity, rulers)
    candidates, values = search(puzzle, affinity.seams, affinity.look_alikes, classes, k, threads)
    return replace(affinity, candidates=candidates, dissimilarity=values, buddies=best_buddies(candidates))


def _classes(puzzle: Puzzle, affinity: Affinity, rulers: Sequence[Ruler]) -> Iterator[Class]:
    """Edges whose neighbors have the same offsets, with the edges that have them or may have them."""
    edges = np.arange(puzzle.num_edges, dtype=np.uint32)
    own = [np.where(ruler.level >= SURE, ruler.offset, UNKNOWN) for ruler in rulers]
    wanted = [np.where(ruler.level >= SURE, (ruler.total - ruler.offset) % BLOCK, UNKNOWN) for ruler in rulers]
    if not puzzle.type.rotation_unknown:
        own.append(edges % 4)
        wanted.append((edges + 2) % 4)
    offsets, needs = np.stack(own, axis=1), np.stack(wanted, axis=1)
    kinds, kind_of = np.unique(needs, axis=0, return_inverse=True)
    for number, need in enumerate(kinds):
        fits = (offsets == need) | (offsets == UNKNOWN) | (need == UNKNOWN)
        # A group of look-alikes stands for edges of many offsets.
        yield edges[kind_of.ravel() == number], fits.all(axis=1) | (affinity.look_alikes.group >= 0)
