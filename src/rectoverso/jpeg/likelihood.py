"""Likelihood tables: log likelihood ratios of a property of seams, fitted on positive and background pairs of edges.

Nothing about a file is assumed. Positive pairs are seams that the measure is certain of; background pairs are edges
that hardly ever touch. If both have a property equally often, it is not informative, and no seam is weighed by it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import NOTHING, mirror
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.look_alikes import GROUP
from rectoverso.matching.ratio import ratios_of_seams, sorted_by_weight

Edges = NDArray[np.integer]

Pairs = tuple[NDArray[np.integer], NDArray[np.integer]]
"""The two edges of each seam."""

POSITIVE = 0.6
"""Best buddies of a smaller ratio are positive pairs."""

BACKGROUND = 8
"""So many of the last candidates of each edge are its background pairs."""

PRIOR = 20.0
"""So many positive pairs with the distribution of the background are added to those that are observed."""

HIGHEST = 3.0
"""The largest log likelihood ratio of one face, because a positive pair is not proven to be a true seam."""

LEAST_TESTED = 20
"""A table is fitted if at least so many background pairs can be measured."""

SHARE, MOST = 0.2, 6.0
"""The weight of a log likelihood ratio beside the logarithm of the dissimilarity, and the largest ratio that counts
against a seam. With 0.2 / 0.4 / 0.6 / 1 of the ratios of upsampled chroma, 41.7 / 41.7 / 41.6 / 40.7 % of the neighbors
between chroma blocks of 10375/19 rank first."""

SLICE = 2048


@dataclass(frozen=True)
class LikelihoodTable:
    """Log likelihood ratios of seams by their kind and by a measured value.

    Attributes
    ----------
    measure
        Takes the two edges of seams and returns the value of each on one face; negative where it cannot be measured.
    kind
        Takes the two edges of seams and returns the kind of each: 0, 1, and so on.
    bins
        The bounds of the bins of values.
    ratios
        The log likelihood ratios by kind and bin.
    """

    measure: Callable[[Edges, Edges], NDArray[np.float32]]
    kind: Callable[[Edges, Edges], NDArray[np.integer]]
    bins: NDArray[np.float32]
    ratios: NDArray[np.float32] = field(default_factory=lambda: np.zeros((1, 1), np.float32))

    def fit(
        self, kinds: int, positive: Pairs, background: Pairs, confirmed: float, repeats: int = 1
    ) -> LikelihoodTable | None:
        """The table, fitted on positive and background pairs; None if it is not informative.

        It is informative if the mean log ratio of background pairs is below ``confirmed``. If the kinds are the same
        ones ``repeats`` times over, and differ only in their background, the repeated kinds share their positive pairs.
        """
        observed, expected = self._count(kinds, *positive), self._count(kinds, *background)
        observed = np.tile(observed.reshape(repeats, kinds // repeats, -1).sum(axis=0), (repeats, 1))
        ratios = _log_ratios(observed, expected)
        if expected.sum() < LEAST_TESTED or (expected * ratios).sum() > confirmed * expected.sum():
            return None
        return replace(self, ratios=ratios)

    def log_ratios(self, one: Edges, other: Edges) -> NDArray[np.float32]:
        """The log likelihood ratios of seams on one face; 0 where nothing can be measured."""
        values = self.measure(one, other)
        found, tested = np.zeros(one.shape, np.float32), values >= 0
        found[tested] = self.ratios[self._place(one[tested], other[tested], values[tested])]
        return found

    def _count(self, kinds: int, one: Edges, other: Edges) -> NDArray[np.float64]:
        """The number of seams of each kind and bin."""
        counts = np.zeros((kinds, len(self.bins) + 1))
        values = self.measure(one, other)
        tested = values >= 0
        np.add.at(counts, self._place(one[tested], other[tested], values[tested]), 1)
        return counts

    def _place(self, one: Edges, other: Edges, values: NDArray[np.float32]) -> tuple[Edges, Edges]:
        """The row and column of each seam in the table."""
        return self.kind(one, other), np.searchsorted(self.bins, values)


def positive_pairs(lists: CandidateLists, below: float = POSITIVE) -> Pairs:
    """Best buddies of a ratio ``below`` this, from both sides of their seams."""
    edges = np.flatnonzero(lists.buddies != NOTHING)
    others = lists.buddies[edges].astype(np.int64)
    certain = ratios_of_seams(lists, edges, others) < below
    return edges[certain], others[certain]


def background_pairs(lists: CandidateLists) -> Pairs:
    """Each edge with the last candidates of its list, which are hardly ever its true neighbors."""
    length = (lists.candidates != NOTHING).sum(axis=1, keepdims=True)
    rank = np.arange(lists.candidates.shape[1])
    chosen = (rank < length) & (rank >= length - BACKGROUND) & (lists.candidates < GROUP)
    return np.nonzero(chosen)[0], lists.candidates[chosen]


def weighed(
    lists: CandidateLists, faces: int, log_ratios: Callable[[Edges, Edges], NDArray[np.float32]], threads: int = 1
) -> CandidateLists:
    """The lists, with weights lowered for seams with a likelihood ratio above 1, and raised for those below.

    ``log_ratios`` takes the two edges of seams and returns the log ratio of each on one face. The weights of groups of
    look-alikes stay as they are.
    """
    candidates, weights = np.empty_like(lists.candidates), np.empty_like(lists.weights)

    def weigh(start: int, stop: int) -> None:
        listed, values = lists.candidates[start:stop], lists.weights[start:stop].copy()
        known = listed < GROUP
        one, other = np.nonzero(known)[0] + start, listed[known]
        ratios = log_ratios(one, other)
        if faces == 2:
            # A sum of two does not depend on their order, so mirrored seams get the same weight.
            ratios = ratios + log_ratios(mirror(one), mirror(other))
        values[known] *= np.exp(-SHARE * np.maximum(ratios, -MOST))
        candidates[start:stop], weights[start:stop] = sorted_by_weight(listed, values)

    over_slices(weigh, len(weights), threads, SLICE)
    return lists.with_candidates(candidates, weights)


def levels_of(values: NDArray[np.floating], known: NDArray[np.bool_], levels: int) -> NDArray[np.int64]:
    """The level of each value, 0 to ``levels`` - 1, with as many of the known values in each."""
    return np.searchsorted(np.quantile(values[known], np.arange(1, levels) / levels), values)


def _log_ratios(positive: NDArray[np.float64], background: NDArray[np.float64]) -> NDArray[np.float32]:
    """Log likelihood ratios by kind and bin, from the numbers of positive and of background pairs."""
    background = (background + 1) / (background + 1).sum(axis=1, keepdims=True)
    positive = (positive + PRIOR * background) / (positive.sum(axis=1, keepdims=True) + PRIOR)
    return np.minimum(np.log(positive / background), HIGHEST).astype(np.float32)
