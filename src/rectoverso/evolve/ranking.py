"""What a seam counts in a solve: the order in which candidates are tried, and the cost."""

from __future__ import annotations

from dataclasses import replace

from rectoverso.affinity.affinity import Affinity, Ranking, measure_affinity
from rectoverso.affinity.compression import weighed_by_compression
from rectoverso.affinity.confidence import relative_ranking
from rectoverso.affinity.lines import excused
from rectoverso.affinity.pooling import pooled
from rectoverso.affinity.quads import find_quads, puzzle_of_quads
from rectoverso.affinity.squares import support_by_squares
from rectoverso.affinity.tones import toned
from rectoverso.evolve.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle

FEWEST = 8
"""Fewer quads are not a puzzle."""


def prepare(puzzle: Puzzle, params: Params, threads: int = 1) -> Affinity:
    """Measure the affinity that the parameters ask for, and rank it."""
    affinity = _measure(puzzle, params, threads)
    return replace(affinity, ranking=rank(puzzle, affinity, params, threads))


def _measure(puzzle: Puzzle, params: Params, threads: int) -> Affinity:
    return measure_affinity(
        puzzle,
        measure=params.measure,
        normalization=params.normalization,
        num_candidates=params.wide_candidates if params.squares else params.num_candidates,
        least_group=params.least_group,
        threads=threads,
    )


def rank(puzzle: Puzzle, affinity: Affinity, params: Params, threads: int = 1) -> Ranking:
    """The candidates of a puzzle by the objective that the parameters ask for."""
    if params.objective == "dissimilarity":
        return Ranking(affinity.candidates, affinity.dissimilarity, affinity.buddies, affinity.look_alikes)
    ranking = _weigh(puzzle, affinity, params, threads)
    # They are for the seams between blocks: in pictures that were looked for a grid and have none they do harm.
    if params.tones and (ranking.bearings is not None or not params.grid):
        ranking = toned(affinity, ranking, puzzle.faces, params.cap, params.tones, threads)
    for array in (ranking.candidates, ranking.weights, ranking.buddies):
        array.flags.writeable = False
    return ranking


def _weigh(puzzle: Puzzle, affinity: Affinity, params: Params, threads: int) -> Ranking:
    """The candidates by the relative objective, but for tones: those of quads count for quads alone."""
    measured = affinity
    if params.grid:
        affinity = weighed_by_compression(puzzle, affinity, threads)
    ranking = relative_ranking(affinity, excused(measured, affinity.bearings))
    if params.squares:
        ranking = support_by_squares(affinity, ranking, params.squares, params.cap, params.num_candidates, threads)
    ranking = replace(ranking, look_alikes=affinity.look_alikes, bearings=affinity.bearings)
    if params.pooling and puzzle.type.location_unknown:
        ranking = _pooled(puzzle, ranking, params, threads)
    return ranking


def _pooled(puzzle: Puzzle, ranking: Ranking, params: Params, threads: int) -> Ranking:
    """The ranking with that of the puzzle of quads, which has one of its own, and so on as long as there are quads."""
    quads = find_quads(puzzle, ranking, threads)
    if len(quads) < FEWEST:
        return ranking
    larger = puzzle_of_quads(puzzle, quads)
    of_quads = _weigh(larger, _measure(larger, params, threads), params, threads)
    return pooled(ranking, of_quads, quads, puzzle.faces, params.cap, threads)
