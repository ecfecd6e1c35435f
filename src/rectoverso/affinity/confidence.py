"""Relative dissimilarity: what a seam costs, measured by the best that either of its edges could have instead.

D(u, v) over the smaller of the best *other* dissimilarities of u and of v (Gallagher's ratio): below 1 only where each
is the other's best candidate, and the further below the more certain. Flat edges, which fit everything alike, are at 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import GROUP, Affinity, Ranking, best_buddies
from rectoverso.affinity.strips import LookAlikes
from rectoverso.geometry import NOTHING, mirror
from rectoverso.threads import over_slices

SHARE, MOST = 0.2, 6.0
"""What log odds count beside the logarithm of the dissimilarity, and how many count against a seam at most."""

SLICE = 2048

Edges = NDArray[np.integer]


def entries_of_edges(look_alikes: LookAlikes) -> NDArray[np.uint32]:
    """What each edge is called in candidate lists: its own number, or its group of look-alikes."""
    group = look_alikes.group
    return np.where(group >= 0, group | GROUP, np.arange(len(group))).astype(np.uint32)


def ranked(candidates: NDArray[np.uint32], weights: NDArray[np.float32]) -> Ranking:
    """Candidates sorted by their weights; equal ones stay in their order."""
    candidates, weights = in_order(candidates, weights)
    return Ranking(candidates, weights, best_buddies(candidates))


def in_order(
    candidates: NDArray[np.uint32], weights: NDArray[np.floating]
) -> tuple[NDArray[np.uint32], NDArray[np.floating]]:
    """Candidates and their weights, sorted by these."""
    order = np.argsort(weights, axis=1, kind="stable")
    return np.take_along_axis(candidates, order, axis=1), np.take_along_axis(weights, order, axis=1)


def weighed_by_odds(
    affinity: Affinity, faces: int, log_odds: Callable[[Edges, Edges], NDArray[np.float32]], threads: int = 1
) -> Affinity:
    """The affinity with dissimilarities that log odds for seams lower, and those against them raise.

    ``log_odds`` takes the two edges of seams and sees one face of them; groups of look-alikes are left as they are.
    """
    candidates, weights = np.empty_like(affinity.candidates), np.empty_like(affinity.dissimilarity)

    def weigh(start: int, stop: int) -> None:
        listed, weighed = affinity.candidates[start:stop], affinity.dissimilarity[start:stop].copy()
        known = listed < GROUP
        one, other = np.nonzero(known)[0] + start, listed[known]
        odds = log_odds(one, other)
        if faces == 2:
            # The sum of two does not depend on their order, so that mirrored seams weigh the same.
            odds = odds + log_odds(mirror(one), mirror(other))
        weighed[known] *= np.exp(-SHARE * np.maximum(odds, -MOST))
        candidates[start:stop], weights[start:stop] = in_order(listed, weighed)

    over_slices(weigh, len(weights), threads, SLICE)
    return replace(affinity, candidates=candidates, dissimilarity=weights, buddies=best_buddies(candidates))


def relative_ranking(affinity: Affinity, excused: NDArray[np.float32] | None = None) -> Ranking:
    """The candidates by relative dissimilarity; the best buddies are those of the dissimilarity itself.

    ``excused``: by how much the seams of each edge may differ for nothing; see :mod:`rectoverso.affinity.lines`.
    """
    weights = relative_weights(affinity, affinity.candidates, affinity.dissimilarity, excused)
    relative = ranked(affinity.candidates, weights)
    return replace(relative, buddies=affinity.buddies)


def relative_weights(
    affinity: Affinity,
    candidates: NDArray[np.uint32],
    values: NDArray[np.float32],
    excused: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """Values of candidates, which are sorted by them, relative to the best other value of either edge."""
    entries, listed = entries_of_edges(affinity.look_alikes), candidates != NOTHING
    second = _second_best(values)
    others = first_members(candidates, affinity.look_alikes)
    without_v = _best_other(values, candidates[:, :1] == candidates)
    edges = np.broadcast_to(np.arange(len(candidates))[:, None], candidates.shape)
    is_best_of_v = candidates[others, 0] == entries[edges]
    without_u = np.where(is_best_of_v, second[others], values[others, 0])
    slack: float | NDArray[np.float32] = _slack(second)
    if excused is not None:
        slack = np.maximum(slack, np.maximum(excused[:, None], excused[others]))
    ratio = (np.where(listed, values, 0) + slack) / (np.minimum(without_v, without_u) + slack)
    return np.where(listed, ratio, np.inf).astype(np.float32)


def relative_of_seams(affinity: Affinity, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
    """The relative dissimilarity of the seams between two arrays of edges; inf where neither lists the other."""
    entries, values = entries_of_edges(affinity.look_alikes), affinity.dissimilarity
    second = _second_best(values)
    slack = _slack(second)
    found, best_other = np.full(one.shape, np.inf), np.full(one.shape, np.inf)
    for edge, partner in ((one, entries[other]), (other, entries[one])):
        listed = affinity.candidates[edge] == partner[:, None]
        found = np.minimum(found, np.where(listed, values[edge], np.inf).min(axis=1))
        best_other = np.minimum(best_other, np.where(listed[:, 0], second[edge], values[edge, 0]))
    return np.where(np.isinf(found), np.inf, (found + slack) / (best_other + slack))


def _second_best(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The dissimilarity of each edge's second candidate; of the only one, where lists have room for one."""
    return values[:, min(1, values.shape[1] - 1)]


def _slack(second: NDArray[np.float32]) -> float:
    """Half a percent of the usual second best: differences below that decide nothing."""
    usual = float(np.median(second[np.isfinite(second)])) if np.isfinite(second).any() else 0.0
    return max(0.005 * usual, 1e-9)


def first_members(candidates: NDArray[np.uint32], look_alikes: LookAlikes) -> NDArray[np.int64]:
    """An edge for each candidate: itself, or the first of its group; 0 where there is none."""
    edges = np.where(candidates < GROUP, candidates, 0).astype(np.int64)
    grouped = (candidates >= GROUP) & (candidates != NOTHING)
    starts = look_alikes.start[candidates[grouped] & ~np.uint32(GROUP)]
    edges[grouped] = look_alikes.members[starts]
    return edges


def _best_other(values: NDArray[np.float32], is_best: NDArray[np.bool_]) -> NDArray[np.float32]:
    """For each candidate the best dissimilarity among the others of its row."""
    second = values[:, 1:2] if values.shape[1] > 1 else np.full((len(values), 1), np.inf, np.float32)
    return np.where(is_best, second, values[:, :1])
