"""What seams of worn pieces count: minus the logarithm of their chances, which loops of four seams raise or lower.

The measure of worn pieces tells chances. A seam counts less the likelier it is, so that the cheapest arrangement is the
likeliest one; but what is hardly possible counts no more than what is unlisted. If a seam is true, the two pieces
beside it are true neighbors as well, and three more seams close a loop around each end. How many such loops there are,
each with the chance of its seams, beside how many there would be by accident, is evidence like that of the pixels.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import Tell, over_slices, part_of, silent
from rectoverso.geometry import NOTHING
from rectoverso.matching.lists import CandidateLists, best_buddies
from rectoverso.objective import CAP
from rectoverso.objective._native_chances import loop_chances
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.worn.measure import SHARPNESS

SHARE, MISSING, MOST = 0.5, 0.3, 6.0
"""How much the evidence of a loop counts, since the loops of neighboring seams repeat each other; the chance that a
true loop is not found, at the rim or beyond the ends of lists; and the most that a loop may say. On eight worn puzzles
the true neighbors that rank first rise from 45.5 to 54.0 % in three rounds, with a share of 0.7, a chance of 0.5 and 5
as the most to 53.4, and with a share of 1 to 52.8. By sums of ratios, as for clean pieces, they rise to 51.2."""

WIDTH = 16
"""How many candidates of an edge are tried for a corner of a loop."""

HARDLY = 6.0
"""Minus the logarithm of the chance that counts as much as an unlisted seam."""

SLICE = 512

Table = NDArray[np.float64]


def likely_lists(
    lists: CandidateLists, puzzle: Puzzle, rounds: int, keep: int, threads: int = 1, tell: Tell = silent
) -> CandidateLists:
    """The best ``keep`` candidates of worn pieces after so many rounds, weighed by their chances; at most the cap."""
    candidates, given = lists.candidates, told_chances(lists)
    rivals = puzzle.num_edges if puzzle.type.location_unknown else puzzle.faces * len(puzzle.turns)
    chances = given
    for number in range(rounds):
        order = np.argsort(-chances, axis=1, kind="stable")
        candidates = np.take_along_axis(candidates, order, axis=1)
        given, chances = np.take_along_axis(given, order, axis=1), np.take_along_axis(chances, order, axis=1)
        part = part_of(tell, number / rounds, (number + 1) / rounds)
        loops = SHARE * loop_evidence(candidates, chances, puzzle.faces, rivals, threads, part)
        chances = both_sided(lists, candidates, given + loops)
    order = np.argsort(-chances, axis=1, kind="stable")[:, :keep]
    candidates = np.ascontiguousarray(np.take_along_axis(candidates, order, axis=1))
    cost = np.clip(-np.take_along_axis(chances, order, axis=1), 0, HARDLY) * (CAP / HARDLY)
    weights = np.where(candidates == NOTHING, np.inf, cost).astype(np.float32)
    return replace(lists, candidates=candidates, weights=weights, buddies=best_buddies(candidates))


def told_chances(lists: CandidateLists) -> Table:
    """The logarithms of the chances that the measure of worn pieces found; minus infinity where a list has ended."""
    weights = lists.weights.astype(np.float64)
    found = np.full(weights.shape, -np.inf)
    np.log(weights, out=found, where=np.isfinite(weights))
    return np.where(np.isfinite(weights), -found / SHARPNESS, -np.inf)


def loop_evidence(
    candidates: NDArray[np.uint32], chances: Table, faces: int, rivals: int, threads: int = 1, tell: Tell = silent
) -> Table:
    """For each candidate the log likelihood ratios of the loops on both sides of its seam, added up.

    ``rivals`` is the number of edges of which one closes a given loop by accident.
    """
    edges, width = len(candidates), min(WIDTH, candidates.shape[1])
    # Groups of look-alikes are neither for nor against a seam.
    found = np.full((*candidates.shape, 2), (1 - MISSING) / rivals)
    tables = (candidates, np.exp(np.minimum(chances, 0)), np.uint64(1 + faces))

    def work(start: int, stop: int) -> None:
        marks, paths = np.zeros(edges, np.uint32), np.zeros(edges)
        loop_chances(start, stop, tables, width, marks, paths, found)

    over_slices(work, edges, threads, max(SLICE, edges // 16), tell)
    return np.minimum(np.log(MISSING + rivals * found), MOST).sum(axis=2)


def both_sided(lists: CandidateLists, candidates: NDArray[np.uint32], evidence: Table) -> Table:
    """The logarithms of chances among the candidates of both edges (their geometric mean)."""
    listed = np.isfinite(evidence)
    top = np.where(listed.any(axis=1, keepdims=True), evidence.max(axis=1, keepdims=True), 0)
    total = np.where(listed, np.exp(evidence - top), 0).sum(axis=1, keepdims=True)
    level = (top + np.log(np.maximum(total, np.finfo(float).tiny)))[:, 0]
    others = lists.look_alikes.first_members(candidates)
    return np.where(listed, evidence - (level[:, None] + level[others]) / 2, -np.inf)
