"""What a seam counts in a solve: the order in which candidates are tried, and the cost."""

from __future__ import annotations

from dataclasses import replace

from rectoverso.affinity.affinity import Affinity, Ranking
from rectoverso.affinity.confidence import relative_ranking
from rectoverso.affinity.grid import weighed_by_grid
from rectoverso.affinity.squares import support_by_squares
from rectoverso.evolve.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle


def rank(puzzle: Puzzle, affinity: Affinity, params: Params, threads: int = 1) -> Ranking:
    """The candidates of a puzzle by the objective that the parameters ask for."""
    if params.objective == "dissimilarity":
        return Ranking(affinity.candidates, affinity.dissimilarity, affinity.buddies)
    if params.grid:
        affinity = weighed_by_grid(puzzle, affinity, threads)
    ranking = relative_ranking(affinity)
    if params.squares:
        ranking = support_by_squares(affinity, ranking, params.squares, params.cap, params.num_candidates, threads)
    for array in (ranking.candidates, ranking.weights, ranking.buddies):
        array.flags.writeable = False
    return replace(ranking, bearings=affinity.bearings)
