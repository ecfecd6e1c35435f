"""Pooling: what the long sides of quads tell counts for the edges that they are made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import NOTHING
from rectoverso.matching.lists import CandidateLists, best_buddies
from rectoverso.matching.look_alikes import GROUP
from rectoverso.objective.quads import Quads, sides_of_quads

SLICE = 1024


def pooled(
    lists: CandidateLists, of_quads: CandidateLists, quads: Quads, faces: int, cap: float, threads: int = 1
) -> CandidateLists:
    """The lists of edges with that of the sides of quads.

    A seam between two quads counts the geometric mean of what it does by itself and what the long seam does that it is
    a part of; where either is not listed, that counts as much as the cap. All other seams count what they did.
    """
    sides = sides_of_quads(quads, faces)
    side_of = np.full(len(lists.candidates), -1)
    half_of = np.zeros(len(lists.candidates), np.int64)
    for half in range(2):
        side_of[sides[:, half]], half_of[sides[:, half]] = np.arange(len(sides)), half
    edges = np.flatnonzero(side_of >= 0)
    candidates, weights = lists.candidates.copy(), lists.weights.copy()

    def work(start: int, stop: int) -> None:
        these = edges[start:stop]
        long = of_quads.candidates[side_of[these]]
        # The first half of a side touches the second one of another.
        theirs = sides[np.where(long < GROUP, long, 0), 1 - half_of[these][:, None]]
        theirs = np.where(long < GROUP, theirs, NOTHING)
        values = np.where(long < GROUP, of_quads.weights[side_of[these]], np.inf)
        mine, own = lists.candidates[these], lists.weights[these]
        in_quads = (mine < GROUP) & (side_of[np.where(mine < GROUP, mine, 0)] >= 0)
        candidates[these], weights[these] = _merged(mine, own, in_quads, theirs, values, cap)

    over_slices(work, len(edges), threads, SLICE)
    return replace(lists, candidates=candidates, weights=weights, buddies=best_buddies(candidates))


def _merged(
    mine: NDArray[np.uint32],
    own: NDArray[np.float32],
    in_quads: NDArray[np.bool_],
    theirs: NDArray[np.int64],
    values: NDArray[np.floating],
    cap: float,
) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """The best of both lists of each row, as many as the first one has."""
    same = (mine[:, :, None] == theirs[:, None, :]) & (mine[:, :, None] != NOTHING)
    own_of_theirs = np.where(same, own[:, :, None], cap).min(axis=1)
    theirs_too = same.any(axis=2)
    mean = np.sqrt(np.minimum(values, cap) * np.minimum(own_of_theirs, cap))
    values = np.where(theirs == NOTHING, np.inf, mean)
    own = np.where(in_quads, np.sqrt(np.minimum(own, cap) * cap), own)
    weights = np.concatenate([values, np.where(theirs_too, np.inf, own)], axis=1)
    entries = np.concatenate([theirs, np.where(theirs_too, NOTHING, mine)], axis=1)
    order = np.argsort(weights, axis=1, kind="stable")[:, : mine.shape[1]]
    weights = np.take_along_axis(weights, order, axis=1)
    entries = np.where(np.isinf(weights), NOTHING, np.take_along_axis(entries, order, axis=1))
    return entries.astype(np.uint32), weights.astype(np.float32)
