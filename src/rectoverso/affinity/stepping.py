"""Edges in step: candidates are searched only among edges that keep to the compression grid, where that is known.

A list of the best of all edges is short of true neighbors in smooth skies, where thousands fit about as well. Of
28-pixel pieces one pair of edges in sixteen is in step: their lists reach sixteen times as far. And edges that look
alike, but keep to the grid elsewhere, are no longer alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

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
    own, wanted = _offsets(puzzle, rulers)
    look_alikes = affinity.look_alikes.split(own, puzzle.faces)
    candidates, values = search(puzzle, affinity.seams, look_alikes, _classes(own, wanted), k, threads)
    return replace(
        affinity,
        candidates=candidates,
        dissimilarity=values,
        buddies=best_buddies(candidates),
        look_alikes=look_alikes,
    )


def _offsets(puzzle: Puzzle, rulers: Sequence[Ruler]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Edges x rulers: the offsets of edges, and those of edges that they may touch."""
    edges = np.arange(puzzle.num_edges)
    own = [np.where(ruler.level >= SURE, ruler.offset, UNKNOWN) for ruler in rulers]
    wanted = [np.where(ruler.level >= SURE, (ruler.total - ruler.offset) % BLOCK, UNKNOWN) for ruler in rulers]
    if not puzzle.type.rotation_unknown:
        own.append(edges % 4)
        wanted.append((edges + 2) % 4)
    return np.stack(own, axis=1), np.stack(wanted, axis=1)


def _classes(own: NDArray[np.int64], wanted: NDArray[np.int64]) -> Iterator[Class]:
    """Edges whose neighbors have the same offsets, with the edges that have them or may have them."""
    edges = np.arange(len(own), dtype=np.uint32)
    kinds, kind_of = np.unique(wanted, axis=0, return_inverse=True)
    for number, need in enumerate(kinds):
        fits = (own == need) | (own == UNKNOWN) | (need == UNKNOWN)
        yield edges[kind_of.ravel() == number], fits.all(axis=1)
