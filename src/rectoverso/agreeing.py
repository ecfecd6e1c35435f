"""What many growths agree on: chances of the seams of worn pieces that see the whole, not only the seam.

Where single seams tell little, one growth of the whole goes wrong at some weak seam, and all that follows with it. But
growths that begin at different pieces go wrong at different seams. The share of the growths that have a seam tells its
chance better than the seam by itself does, and better than its loops do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.evolve.breeding import breed, scatter
from rectoverso.evolve.workspace import Workspace
from rectoverso.geometry import NOTHING, mirror
from rectoverso.matching.lists import CandidateLists
from rectoverso.objective.chances import HARDLY, Table, both_sided, chances_of, log_odds, weighed_lists
from rectoverso.objective.pipeline import Prepared
from rectoverso.parameters import Params
from rectoverso.puzzle.arrangement import seams_of
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair.streams import GROWTHS

ROUNDS = 2
"""How often the whole is grown, the second time by what the first growths agreed on. A third time gains nothing."""

CONSTANT, BEFORE, AGREED = 0.4, 0.15, 0.9
"""The log odds of a seam are this, and so much of the log odds before and of those of the share of growths. Found by
logistic regression on six worn puzzles: 0.50, 0.11, 1.00 in the first round and 0.26, 0.19, 0.78 in the second."""

KEPT = 0.5
"""How much of the chances before is kept in the end, because growths may agree on what is wrong. With 0.3 and 0.7 as
many seams are right, within the noise of nine puzzles."""

LEAST = 0.1
"""A seam that is not listed becomes a candidate if so many growths have it; set by hand."""

UNSEEN = 0.0015
"""Keeps the log odds of shares finite: about a third of one growth of 200."""

EDGE = np.int64(1 << 32)
"""A seam is known by the number of one edge times this, and the other edge or its group of look-alikes."""

Keys = NDArray[np.int64]


def with_agreement(puzzle: Puzzle, prepared: Prepared, params: Params, seed: int, threads: int) -> Prepared:
    """The same lists, those of worn pieces weighed by what many growths of the whole agree on."""
    if not prepared.lists.wear or not puzzle.type.location_unknown:
        return prepared
    return replace(prepared, lists=agreed_lists(puzzle, prepared.lists, params, seed, threads))


def agreed_lists(
    puzzle: Puzzle, lists: CandidateLists, params: Params, seed: int = 0, threads: int = 1
) -> CandidateLists:
    """Lists of worn pieces weighed by chances, with chances that many growths of the whole raise or lower."""
    table = _Table(lists.candidates.copy(), chances_of(lists), chances_of(lists))
    keep, now = lists.candidates.shape[1], lists
    for number in range(ROUNDS):
        growths = grow(puzzle, now, params, number, seed, threads)
        table = table.told_by(*shares_of(growths, puzzle, lists), lists)
        now = weighed_lists(lists, table.candidates, table.after, keep)
    kept = KEPT * table.before + (1 - KEPT) * table.after
    return weighed_lists(lists, table.candidates, both_sided(lists, table.candidates, kept), keep)


def grow(
    puzzle: Puzzle, lists: CandidateLists, params: Params, number: int, seed: int, threads: int
) -> NDArray[np.uint32]:
    """Chromosomes that are grown from nothing: their parents are two random ones, which share nothing."""
    space = Workspace.of(puzzle, lists, params, seed=seed, threads=threads)
    population = space.params.genetic.population
    parents = np.tile([0, 1], (population, 1))
    return breed(space, GROWTHS + number, scatter(space, 2).chromosomes, parents).chromosomes


def shares_of(growths: NDArray[np.uint32], puzzle: Puzzle, lists: CandidateLists) -> tuple[Keys, NDArray[np.float64]]:
    """The seams of growths from both of their edges, as sorted keys, and the share of the growths that have each."""
    entries, found = lists.look_alikes.entries, []
    for growth in growths.reshape(-1, puzzle.rows, puzzle.columns).astype(np.int64):
        one, other = seams_of(growth)
        if puzzle.faces == 2:
            one, other = np.concatenate([one, mirror(one)]), np.concatenate([other, mirror(other)])
        found += [one * EDGE + entries[other], other * EDGE + entries[one]]
    keys, counts = np.unique(np.concatenate(found), return_counts=True)
    return keys, counts / len(growths)


@dataclass(frozen=True, eq=False)
class _Table:
    """Edges x k: candidates, and the logarithms of their chances before any growth and after the last ones."""

    candidates: NDArray[np.uint32]
    before: Table
    after: Table

    def told_by(self, keys: Keys, shares: NDArray[np.float64], lists: CandidateLists) -> _Table:
        """The table after growths that have seams (sorted) in these shares."""
        candidates, before = self._with_unlisted(keys, shares)
        wanted = _keys_of(candidates)
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        share = np.where(keys[place] == wanted, shares[place], 0.0)
        evidence = CONSTANT + BEFORE * log_odds(before) + AGREED * _log_odds_of_share(share)
        listed = (candidates != NOTHING) & np.isfinite(before)
        return _Table(candidates, before, both_sided(lists, candidates, np.where(listed, evidence, -np.inf)))

    def _with_unlisted(self, keys: Keys, shares: NDArray[np.float64]) -> tuple[NDArray[np.uint32], Table]:
        """Candidates with those that many growths have but no list, in place of the last ones of their edges."""
        new = (shares >= LEAST) & ~np.isin(keys, _keys_of(self.candidates))
        edge, other, share = keys[new] // EDGE, keys[new] % EDGE, shares[new]
        order = np.lexsort((-share, edge))
        edge, other = edge[order], other[order]
        rank = np.arange(len(edge)) - np.searchsorted(edge, edge)
        width = self.candidates.shape[1]
        fits = rank < width // 2
        edge, other, column = edge[fits], other[fits], width - 1 - rank[fits]
        in_order = np.argsort(-self.after, axis=1, kind="stable")
        candidates = np.take_along_axis(self.candidates, in_order, axis=1)
        before = np.take_along_axis(self.before, in_order, axis=1)
        candidates[edge, column], before[edge, column] = other, -HARDLY
        return candidates, before


def _keys_of(candidates: NDArray[np.uint32]) -> Keys:
    return np.arange(len(candidates))[:, None] * EDGE + candidates


def _log_odds_of_share(share: Table) -> Table:
    return np.log((share + UNSEEN) / (1 - share + UNSEEN))
