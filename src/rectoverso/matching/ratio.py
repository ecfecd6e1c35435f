"""The ratio of a seam: its dissimilarity over the best that either of its edges could have instead.

D(u, v) over the smaller of the best *other* dissimilarities of u and of v (Gallagher's ratio): below 1 only where each
is the other's best candidate, and the further below the more certain. Flat edges, which fit everything alike, are at 1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import NOTHING
from rectoverso.matching.lists import CandidateLists

LEAST_DIFFERENCE = 0.005
"""Differences below this share of the usual second best decide nothing."""


def sorted_by_weight(
    candidates: NDArray[np.uint32], weights: NDArray[np.floating]
) -> tuple[NDArray[np.uint32], NDArray[np.floating]]:
    """Candidates and their weights, sorted by these; equal ones stay in their order."""
    order = np.argsort(weights, axis=1, kind="stable")
    return np.take_along_axis(candidates, order, axis=1), np.take_along_axis(weights, order, axis=1)


def ranked(lists: CandidateLists, candidates: NDArray[np.uint32], weights: NDArray[np.float32]) -> CandidateLists:
    """Lists with other candidates, sorted by their weights."""
    return lists.with_candidates(*sorted_by_weight(candidates, weights))


def relative_lists(lists: CandidateLists) -> CandidateLists:
    """The candidates by their ratios; the best buddies stay those of the dissimilarity itself."""
    weights = ratios(lists, lists.candidates, lists.weights, lists.slack)
    return replace(ranked(lists, lists.candidates, weights), buddies=lists.buddies)


def ratios(
    lists: CandidateLists,
    candidates: NDArray[np.uint32],
    values: NDArray[np.float32],
    slack: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """Values of candidates, which are sorted by them, over the best other value of either edge.

    ``slack`` is added to both: differences that are small compared with it decide nothing.
    """
    entries, listed = lists.look_alikes.entries, candidates != NOTHING
    second = _second_best(values)
    others = lists.look_alikes.first_members(candidates)
    without_v = _best_other(values, candidates[:, :1] == candidates)
    edges = np.broadcast_to(np.arange(len(candidates))[:, None], candidates.shape)
    is_best_of_v = candidates[others, 0] == entries[edges]
    without_u = np.where(is_best_of_v, second[others], values[others, 0])
    added: float | NDArray[np.float32] = _least_slack(second)
    if slack is not None:
        added = np.maximum(added, np.maximum(slack[:, None], slack[others]))
    ratio = (np.where(listed, values, 0) + added) / (np.minimum(without_v, without_u) + added)
    return np.where(listed, ratio, np.inf).astype(np.float32)


def ratios_of_seams(lists: CandidateLists, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
    """The ratios of the seams between two arrays of edges; inf where neither lists the other."""
    entries, values = lists.look_alikes.entries, lists.weights
    second = _second_best(values)
    slack = _least_slack(second)
    found, best_other = weights_of_seams(lists, one, other), np.full(one.shape, np.inf)
    for edge, partner in ((one, entries[other]), (other, entries[one])):
        is_first = lists.candidates[edge, 0] == partner
        best_other = np.minimum(best_other, np.where(is_first, second[edge], values[edge, 0]))
    return np.where(np.isinf(found), np.inf, (found + slack) / (best_other + slack))


def weights_of_seams(lists: CandidateLists, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
    """The smaller weight that either edge lists for the seams between two arrays of edges; inf where neither does."""
    found = np.full(one.shape, np.inf)
    for edge, partner in ((one, lists.look_alikes.entries[other]), (other, lists.look_alikes.entries[one])):
        listed = lists.candidates[edge] == partner[:, None]
        found = np.minimum(found, np.where(listed, lists.weights[edge], np.inf).min(axis=1))
    return found


def _second_best(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The value of each edge's second candidate; of the only one, where lists have room for one."""
    return values[:, min(1, values.shape[1] - 1)]


def _least_slack(second: NDArray[np.float32]) -> float:
    """A small share of the usual second best."""
    usual = float(np.median(second[np.isfinite(second)])) if np.isfinite(second).any() else 0.0
    return max(LEAST_DIFFERENCE * usual, 1e-9)


def _best_other(values: NDArray[np.float32], is_best: NDArray[np.bool_]) -> NDArray[np.float32]:
    """For each candidate the best value among the others of its row."""
    second = values[:, 1:2] if values.shape[1] > 1 else np.full((len(values), 1), np.inf, np.float32)
    return np.where(is_best, second, values[:, :1])
