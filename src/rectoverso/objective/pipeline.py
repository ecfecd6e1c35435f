"""The pipeline: from a puzzle to the candidate lists of a solve, step by step.

A refinement takes a puzzle and its lists and gives new lists. Only this file knows which refinements there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from rectoverso.jpeg.refinement import refine
from rectoverso.matching.lists import CandidateLists, UnlistedSeams, find_candidates
from rectoverso.matching.ratio import relative_lists
from rectoverso.objective import CAP
from rectoverso.objective.color_gap import with_color_gap
from rectoverso.objective.loops import support_by_loops
from rectoverso.objective.pooling import pooled
from rectoverso.objective.quads import find_quads, puzzle_of_quads
from rectoverso.parameters import Objective, Relative
from rectoverso.puzzle.puzzle import Puzzle

Refinement = Callable[[Puzzle, CandidateLists, int], CandidateLists]

FEWEST = 8
"""Fewer superpieces are not a puzzle."""


@dataclass(frozen=True)
class Prepared:
    """The lists as they were measured, which tell how sure a seam is, and those that a solve grows and costs by."""

    measured: CandidateLists
    lists: CandidateLists


def prepare(puzzle: Puzzle, objective: Objective, threads: int = 1) -> Prepared:
    """Find the candidates of a puzzle and weigh them by an objective."""
    measured = _measure(puzzle, objective, threads)
    if objective.relative is None:
        return Prepared(measured, measured)
    lists = _weigh(puzzle, measured, objective, objective.relative, threads)
    # The gap is for seams on block lines: in a picture without known ones it does harm.
    if objective.relative.color_gap and lists.alignment is not None:
        lists = with_color_gap(lists, puzzle.faces, objective.relative.color_gap, threads)
    else:
        lists = replace(lists, unlisted=UnlistedSeams.at_cap(puzzle.num_edges, CAP))
    return Prepared(measured, lists)


def _measure(puzzle: Puzzle, objective: Objective, threads: int) -> CandidateLists:
    return find_candidates(
        puzzle,
        measure=objective.measure,
        normalization=objective.normalization,
        num_candidates=objective.searched,
        least_group=objective.least_group,
        threads=threads,
    )


def _weigh(
    puzzle: Puzzle, lists: CandidateLists, objective: Objective, relative: Relative, threads: int
) -> CandidateLists:
    """Refined by what the picture tells, relative, and supported by loops and by superpieces."""
    refinements: list[Refinement] = [refine] if relative.traces else []
    for refinement in refinements:
        lists = refinement(puzzle, lists, threads)
    lists = relative_lists(lists)
    if relative.loop_rounds:
        lists = support_by_loops(lists, relative.loop_rounds, objective.num_candidates, threads)
    if relative.superpieces and puzzle.type.location_unknown:
        lists = _pooled(puzzle, lists, objective, relative, threads)
    return lists


def _pooled(
    puzzle: Puzzle, lists: CandidateLists, objective: Objective, relative: Relative, threads: int
) -> CandidateLists:
    quads = find_quads(puzzle, lists, threads)
    if len(quads) < FEWEST:
        return lists
    larger = puzzle_of_quads(puzzle, quads)
    of_quads = _weigh(larger, _measure(larger, objective, threads), objective, relative, threads)
    return pooled(lists, of_quads, quads, puzzle.faces, CAP, threads)
