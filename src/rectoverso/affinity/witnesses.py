"""Witnesses: what a property of seams is worth, learned from seams that are certain anyway and from some by chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import GROUP, Affinity
from rectoverso.affinity.confidence import Edges, relative_of_seams
from rectoverso.geometry import NOTHING

Pairs = tuple[NDArray[np.integer], NDArray[np.integer]]
"""The two edges of each seam."""

TRUSTED = 0.6
"""Best buddies of a smaller relative dissimilarity are certain anyway."""

CHANCE = 8
"""How many of the last candidates of each list stand for seams that are not true."""

PRIOR = 20.0
"""How many trusted seams that are like any others are added to the observed ones."""

HIGHEST = 3.0
"""The log odds of one face count at most so much: a trusted seam is no proof."""

TESTED = 20
"""So many chance seams must have the property at all, or nothing can be learned."""


@dataclass(frozen=True)
class Witness:
    """Log odds of seams by their kind and by a number that tells true ones from others.

    Attributes
    ----------
    measure
        The numbers of seams by one face, from their two edges; negative where they have none.
    kind
        The kinds of seams, 0, 1, ..., likewise.
    bins
        The bounds of numbers that are told apart.
    odds
        By kind and bin.
    """

    measure: Callable[[Edges, Edges], NDArray[np.float32]]
    kind: Callable[[Edges, Edges], NDArray[np.integer]]
    bins: NDArray[np.float32]
    odds: NDArray[np.float32] = field(default_factory=lambda: np.zeros((1, 1), np.float32))

    def taught(self, kinds: int, trusted: Pairs, chance: Pairs, confirmed: float, alike: int = 1) -> Witness | None:
        """The witness with what trusted and chance seams teach.

        None if that is nothing: chance seams must count less than ``confirmed``, on average. If the kinds are
        several rows of the same ones, ``alike`` for true seams, those teach each other.
        """
        found, usual = self._count(kinds, *trusted), self._count(kinds, *chance)
        found = np.tile(found.reshape(alike, kinds // alike, -1).sum(axis=0), (alike, 1))
        odds = _log_odds(found, usual)
        if usual.sum() < TESTED or (usual * odds).sum() > confirmed * usual.sum():
            return None
        return replace(self, odds=odds)

    def log_odds(self, one: Edges, other: Edges) -> NDArray[np.float32]:
        """Of seams by one face; 0 where there is nothing to judge by."""
        numbers = self.measure(one, other)
        found, tested = np.zeros(one.shape, np.float32), numbers >= 0
        found[tested] = self.odds[self._place(one[tested], other[tested], numbers[tested])]
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


def trusted_seams(affinity: Affinity, least: float = TRUSTED) -> Pairs:
    """The seams that are certain anyway, from both sides."""
    edges = np.flatnonzero(affinity.buddies != NOTHING)
    others = affinity.buddies[edges].astype(np.int64)
    certain = relative_of_seams(affinity, edges, others) < least
    return edges[certain], others[certain]


def chance_seams(affinity: Affinity) -> Pairs:
    """Each edge with the last candidates of its list, which hardly are its neighbors."""
    length = (affinity.candidates != NOTHING).sum(axis=1, keepdims=True)
    rank = np.arange(affinity.candidates.shape[1])
    chosen = (rank < length) & (rank >= length - CHANCE) & (affinity.candidates < GROUP)
    return np.nonzero(chosen)[0], affinity.candidates[chosen]


def levels_of(values: NDArray[np.floating], known: NDArray[np.bool_], levels: int) -> NDArray[np.int64]:
    """The level of each value, from 0 on, with as many of the known ones in each."""
    return np.searchsorted(np.quantile(values[known], np.arange(1, levels) / levels), values)


def _log_odds(found: NDArray[np.float64], usual: NDArray[np.float64]) -> NDArray[np.float32]:
    """By kind and bin: how much more often that is found in trusted seams than by chance."""
    usual = (usual + 1) / (usual + 1).sum(axis=1, keepdims=True)
    found = (found + PRIOR * usual) / (found.sum(axis=1, keepdims=True) + PRIOR)
    return np.minimum(np.log(found / usual), HIGHEST).astype(np.float32)
