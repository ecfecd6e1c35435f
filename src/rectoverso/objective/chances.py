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

GIVEN, BEST, STRONG, OTHER = 1.0, 0.35, 0.5, 0.27
"""The log odds of a seam are the sum of its own, so much of the evidence of its better loop, of what that is beyond
``ENOUGH``, and of its other loop. Found by logistic regression on six worn puzzles, where each round by itself would
have 1.25, 0.40, 0.60, 0.20 (the first) to 0.84, 0.34, 0.43, 0.27 (the third)."""

ENOUGH = 4.0
"""Beyond this loops count more: weaker ones are mostly accidents of places that look alike, as their neighbors do."""

WIDTH = 16
"""How many candidates of an edge are tried for a corner of a loop."""

HARDLY = 6.0
"""Minus the logarithm of the chance that counts as much as an unlisted seam."""

SUREST = 1e-6
"""No chance is surer than 1 less this."""

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
        loops = loop_evidence(candidates, chances, puzzle.faces, rivals, threads, part)
        chances = both_sided(lists, candidates, np.where(np.isfinite(given), GIVEN * log_odds(given) + loops, -np.inf))
    return weighed_lists(lists, candidates, chances, keep)


def weighed_lists(lists: CandidateLists, candidates: NDArray[np.uint32], chances: Table, keep: int) -> CandidateLists:
    """The best ``keep`` candidates, weighed by the logarithms of their chances."""
    order = np.argsort(-chances, axis=1, kind="stable")[:, :keep]
    candidates = np.ascontiguousarray(np.take_along_axis(candidates, order, axis=1))
    cost = np.clip(-np.take_along_axis(chances, order, axis=1), 0, HARDLY) * (CAP / HARDLY)
    weights = np.where(candidates == NOTHING, np.inf, cost).astype(np.float32)
    return replace(lists, candidates=candidates, weights=weights, buddies=best_buddies(candidates))


def chances_of(lists: CandidateLists) -> Table:
    """The logarithms of the chances that lists were weighed by; minus infinity where a list has ended."""
    return lists.weights.astype(np.float64) * (-HARDLY / CAP)


def told_chances(lists: CandidateLists) -> Table:
    """The logarithms of the chances that the measure of worn pieces found; minus infinity where a list has ended."""
    weights = lists.weights.astype(np.float64)
    found = np.full(weights.shape, -np.inf)
    np.log(weights, out=found, where=np.isfinite(weights))
    return np.where(np.isfinite(weights), -found / SHARPNESS, -np.inf)


def loop_evidence(
    candidates: NDArray[np.uint32], chances: Table, faces: int, rivals: int, threads: int = 1, tell: Tell = silent
) -> Table:
    """For each candidate the log likelihood ratio of the loops on both sides of its seam.

    ``rivals`` is the number of edges of which one closes a given loop by accident.
    """
    edges, width = len(candidates), min(WIDTH, candidates.shape[1])
    # Groups of look-alikes are neither for nor against a seam.
    found = np.full((*candidates.shape, 2), 1 / rivals)
    tables = (candidates, np.exp(np.minimum(chances, 0)), np.uint64(1 + faces))

    def work(start: int, stop: int) -> None:
        marks, paths = np.zeros(edges, np.uint32), np.zeros(edges)
        loop_chances(start, stop, tables, width, marks, paths, found)

    over_slices(work, edges, threads, max(SLICE, edges // 16), tell)
    told = np.log(np.maximum(rivals * found, 1))
    best, other = told.max(axis=2), told.min(axis=2)
    return np.asarray(BEST * best + STRONG * np.maximum(best - ENOUGH, 0) + OTHER * other)


def log_odds(chances: Table) -> Table:
    """The log odds of logarithms of chances, none of which is certain."""
    held = np.minimum(chances, -SUREST)
    return held - np.log(-np.expm1(held))


def both_sided(lists: CandidateLists, candidates: NDArray[np.uint32], evidence: Table) -> Table:
    """The logarithms of chances among the candidates of both edges (their geometric mean)."""
    listed = np.isfinite(evidence)
    top = np.where(listed.any(axis=1, keepdims=True), evidence.max(axis=1, keepdims=True), 0)
    total = np.where(listed, np.exp(evidence - top), 0).sum(axis=1, keepdims=True)
    level = (top + np.log(np.maximum(total, np.finfo(float).tiny)))[:, 0]
    others = lists.look_alikes.first_members(candidates)
    return np.where(listed, evidence - (level[:, None] + level[others]) / 2, -np.inf)
