"""Likelihood tables: how much a property of seams tells, fitted on positive and on background pairs of edges.

Nothing about a file is taken for granted. Positive pairs are seams that the measure is certain of; background pairs
are edges that hardly touch. If both have a property equally often, it tells nothing, and no seam is weighed by it.
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
"""How many of the last candidates of each list are background pairs."""

PRIOR = 20.0
"""How many positive pairs with the distribution of the background are added to the observed ones."""

HIGHEST = 3.0
"""The largest log likelihood ratio of one face: a positive pair is no proof."""

TESTED = 20
"""So many background pairs must have the property at all, or nothing is fitted."""

SHARE, MOST = 0.2, 6.0
"""The weight of a log likelihood ratio beside the logarithm of the dissimilarity, and the most that counts against a
seam."""

SLICE = 2048


@dataclass(frozen=True)
class LikelihoodTable:
    """Log likelihood ratios of seams by their kind and by a number that tells true seams from others.

    Attributes
    ----------
    measure
        The numbers of seams by one face, from their two edges; negative where they have none.
    kind
        The kinds of seams, 0, 1, ..., likewise.
    bins
        The bounds of the bins of numbers.
    ratios
        By kind and bin.
    """

    measure: Callable[[Edges, Edges], NDArray[np.float32]]
    kind: Callable[[Edges, Edges], NDArray[np.integer]]
    bins: NDArray[np.float32]
    ratios: NDArray[np.float32] = field(default_factory=lambda: np.zeros((1, 1), np.float32))

    def fit(
        self, kinds: int, positive: Pairs, background: Pairs, confirmed: float, alike: int = 1
    ) -> LikelihoodTable | None:
        """The table fitted on both kinds of pairs.

        None if it tells nothing: the mean log ratio of the background must be below ``confirmed``. If the kinds are
        ``alike`` times the same ones for true seams, those share their positive pairs.
        """
        found, usual = self._count(kinds, *positive), self._count(kinds, *background)
        found = np.tile(found.reshape(alike, kinds // alike, -1).sum(axis=0), (alike, 1))
        ratios = _log_ratios(found, usual)
        if usual.sum() < TESTED or (usual * ratios).sum() > confirmed * usual.sum():
            return None
        return replace(self, ratios=ratios)

    def log_ratios(self, one: Edges, other: Edges) -> NDArray[np.float32]:
        """The log likelihood ratios of seams by one face; 0 where they have no number."""
        numbers = self.measure(one, other)
        found, tested = np.zeros(one.shape, np.float32), numbers >= 0
        found[tested] = self.ratios[self._place(one[tested], other[tested], numbers[tested])]
        return found

    def _count(self, kinds: int, one: Edges, other: Edges) -> NDArray[np.float64]:
        """How many seams there are of each kind and bin."""
        counts = np.zeros((kinds, len(self.bins) + 1))
        numbers = self.measure(one, other)
        tested = numbers >= 0
        np.add.at(counts, self._place(one[tested], other[tested], numbers[tested]), 1)
        return counts

    def _place(self, one: Edges, other: Edges, numbers: NDArray[np.float32]) -> tuple[Edges, Edges]:
        return self.kind(one, other), np.searchsorted(self.bins, numbers)


def positive_pairs(lists: CandidateLists, least: float = POSITIVE) -> Pairs:
    """The seams that the measure is certain of, from both sides."""
    edges = np.flatnonzero(lists.buddies != NOTHING)
    others = lists.buddies[edges].astype(np.int64)
    certain = ratios_of_seams(lists, edges, others) < least
    return edges[certain], others[certain]


def background_pairs(lists: CandidateLists) -> Pairs:
    """Each edge with the last candidates of its list, which are hardly ever its neighbors."""
    length = (lists.candidates != NOTHING).sum(axis=1, keepdims=True)
    rank = np.arange(lists.candidates.shape[1])
    chosen = (rank < length) & (rank >= length - BACKGROUND) & (lists.candidates < GROUP)
    return np.nonzero(chosen)[0], lists.candidates[chosen]


def weighed(
    lists: CandidateLists, faces: int, log_ratios: Callable[[Edges, Edges], NDArray[np.float32]], threads: int = 1
) -> CandidateLists:
    """The lists with weights that are lowered where likelihood ratios speak for a seam, and raised where against it.

    ``log_ratios`` takes the two edges of seams and sees one face of them; groups of look-alikes are left as they are.
    """
    candidates, weights = np.empty_like(lists.candidates), np.empty_like(lists.weights)

    def weigh(start: int, stop: int) -> None:
        listed, values = lists.candidates[start:stop], lists.weights[start:stop].copy()
        known = listed < GROUP
        one, other = np.nonzero(known)[0] + start, listed[known]
        ratios = log_ratios(one, other)
        if faces == 2:
            # The sum of two does not depend on their order, so that mirrored seams weigh the same.
            ratios = ratios + log_ratios(mirror(one), mirror(other))
        values[known] *= np.exp(-SHARE * np.maximum(ratios, -MOST))
        candidates[start:stop], weights[start:stop] = sorted_by_weight(listed, values)

    over_slices(weigh, len(weights), threads, SLICE)
    return lists.with_candidates(candidates, weights)


def levels_of(values: NDArray[np.floating], known: NDArray[np.bool_], levels: int) -> NDArray[np.int64]:
    """The level of each value, from 0 on, with as many of the known ones in each."""
    return np.searchsorted(np.quantile(values[known], np.arange(1, levels) / levels), values)


def _log_ratios(found: NDArray[np.float64], usual: NDArray[np.float64]) -> NDArray[np.float32]:
    """By kind and bin: how much more frequent that is in positive pairs than in the background."""
    usual = (usual + 1) / (usual + 1).sum(axis=1, keepdims=True)
    found = (found + PRIOR * usual) / (found.sum(axis=1, keepdims=True) + PRIOR)
    return np.minimum(np.log(found / usual), HIGHEST).astype(np.float32)
