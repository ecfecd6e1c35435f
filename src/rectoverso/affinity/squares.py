"""Squares: a seam is believed more if it is part of a cheap square of four seams on either side.

A single seam of smooth sky says little: hundreds of edges fit about as well. But where two pieces are true neighbors,
the pieces beside them close squares with them, and three more seams agree. Each round adds the least squares on both
sides of a seam to its weight and makes the weights relative anew, so that the next round sees further.

What squares say is half of what counts in the end: the search looks at all seams around a piece itself, and wrong
squares that speak for each other must not outweigh what is there to be seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity._native_squares import best_squares
from rectoverso.affinity.affinity import GROUP, Affinity, Ranking
from rectoverso.affinity.confidence import ranked, relative_weights
from rectoverso.geometry import NOTHING
from rectoverso.threads import over_slices

SHARE = 0.3
"""What the other three seams of a square count, beside the seam itself."""

WIDTH = 16
"""How many candidates of an edge are tried for a corner of a square."""

SLICE = 512


def support_by_squares(
    affinity: Affinity, ranking: Ranking, rounds: int, cap: float, keep: int, threads: int = 1
) -> Ranking:
    """The best ``keep`` candidates of each edge after so many rounds; they count the mean of before and after."""
    before = ranking
    for _ in range(rounds):
        squares = least_squares(ranking, cap, threads)
        listed = ranking.candidates != NOTHING
        weights = np.where(listed, np.minimum(ranking.weights, cap) + SHARE * squares, np.inf).astype(np.float32)
        ordered = ranked(ranking.candidates, weights)
        ranking = ranked(ordered.candidates, relative_weights(affinity, ordered.candidates, ordered.weights))
    mean = np.sqrt(ranking.weights * _in_the_order_of(ranking, before))
    return ranked(ranking.candidates[:, :keep], mean[:, :keep])


def least_squares(ranking: Ranking, cap: float, threads: int = 1) -> NDArray[np.float32]:
    """For each candidate the least squares on both sides of its seam, the seam itself not counted; at most 6 caps."""
    candidates, weights = ranking.candidates, ranking.weights
    width = min(WIDTH, candidates.shape[1])
    lists = (candidates, weights, _flat(ranking, width, cap), float(cap))
    found = np.full(candidates.shape, 6 * cap, np.float32)

    def work(start: int, stop: int) -> None:
        marks, stamps = np.zeros(len(candidates), np.int64), np.zeros(len(candidates))
        best_squares(start, stop, lists, width, marks, stamps, found)

    over_slices(work, len(candidates), threads, max(SLICE, len(candidates) // 16))
    return found


def _in_the_order_of(ranking: Ranking, other: Ranking) -> NDArray[np.float32]:
    """The weights of another ranking of the same candidates, in the order that these have now."""
    weights, by_name = np.empty_like(other.weights), np.argsort(other.candidates, axis=1)
    np.put_along_axis(
        weights, np.argsort(ranking.candidates, axis=1), np.take_along_axis(other.weights, by_name, axis=1), axis=1
    )
    return weights


def _flat(ranking: Ranking, width: int, cap: float) -> NDArray[np.float32]:
    """The weight of the best group of look-alikes among the first candidates of each edge; infinite without one."""
    candidates = ranking.candidates[:, :width]
    is_group = (candidates >= GROUP) & (candidates != NOTHING)
    weights = np.minimum(ranking.weights[:, :width], cap)
    return np.where(is_group, weights, np.inf).min(axis=1).astype(np.float32)
