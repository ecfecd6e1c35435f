"""Loop support: a seam is believed more if it is part of a cheap loop of four seams on either side.

A single seam of smooth sky says little: hundreds of edges fit about as well. But where two pieces are true neighbors,
the pieces beside them close loops with them, and three more seams agree. Each round adds the cheapest loops on both
sides of a seam to its weight and makes the weights relative again, so that the next round sees further.

What loops say is half of what counts in the end: the search looks at all seams around a piece itself, and wrong loops
that support each other must not outweigh the pixels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import Tell, over_slices, part_of, silent
from rectoverso.geometry import NOTHING
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.look_alikes import GROUP
from rectoverso.matching.ratio import ranked, ratios
from rectoverso.objective import CAP
from rectoverso.objective._native_loops import best_loops

SHARE = 0.3
"""The weight of the other three seams of a loop, beside the seam itself."""

WIDTH = 16
"""How many candidates of an edge are tried for a corner of a loop."""

SLICE = 512


def support_by_loops(
    lists: CandidateLists, rounds: int, keep: int, threads: int = 1, tell: Tell = silent
) -> CandidateLists:
    """The best ``keep`` candidates after so many rounds; their weights are the mean of those before and after."""
    before = lists
    for number in range(rounds):
        loops = cheapest_loops(lists, threads, part_of(tell, number / rounds, (number + 1) / rounds))
        listed = lists.candidates != NOTHING
        weights = np.where(listed, np.minimum(lists.weights, CAP) + SHARE * loops, np.inf).astype(np.float32)
        lists = ranked(lists, lists.candidates, weights)
        lists = ranked(lists, lists.candidates, ratios(lists, lists.candidates, lists.weights))
    mean = np.sqrt(lists.weights * _in_the_order_of(lists, before))
    return ranked(lists, lists.candidates[:, :keep], mean[:, :keep])


def cheapest_loops(lists: CandidateLists, threads: int = 1, tell: Tell = silent) -> NDArray[np.float32]:
    """For each candidate the cheapest loops on both sides of its seam, the seam itself not counted; at most 6 caps."""
    candidates, weights = lists.candidates, lists.weights
    width = min(WIDTH, candidates.shape[1])
    tables = (candidates, weights, _flat(lists, width), CAP)
    found = np.full(candidates.shape, 6 * CAP, np.float32)

    def work(start: int, stop: int) -> None:
        marks, paths = np.zeros((2, len(candidates)), np.uint32), np.zeros((2, len(candidates)))
        best_loops(start, stop, tables, width, marks, paths, found)

    over_slices(work, len(candidates), threads, max(SLICE, len(candidates) // 16), tell)
    return found


def _in_the_order_of(lists: CandidateLists, before: CandidateLists) -> NDArray[np.float32]:
    """The weights of earlier lists of the same candidates, in the order that these have now."""
    weights, by_name = np.empty_like(before.weights), np.argsort(before.candidates, axis=1)
    np.put_along_axis(
        weights, np.argsort(lists.candidates, axis=1), np.take_along_axis(before.weights, by_name, axis=1), axis=1
    )
    return weights


def _flat(lists: CandidateLists, width: int) -> NDArray[np.float32]:
    """The weight of the best group of look-alikes among the first candidates of each edge; infinite without one."""
    candidates = lists.candidates[:, :width]
    is_group = (candidates >= GROUP) & (candidates != NOTHING)
    weights = np.minimum(lists.weights[:, :width], CAP)
    return np.where(is_group, weights, np.inf).min(axis=1).astype(np.float32)
