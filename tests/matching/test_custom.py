"""Measures of one's own: vectors, exact re-ranking, a matrix, and what cannot be honored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import PICTURES, small_puzzle

from rectoverso import PRESETS, MatrixMeasure, Params, Puzzle, VectorMeasure, changed_params, judge, score, solve
from rectoverso.geometry import NOTHING, mirror
from rectoverso.images.files import Pixels
from rectoverso.matching.custom import Strips, border_strips
from rectoverso.matching.lists import find_candidates
from rectoverso.matching.look_alikes import GROUP
from rectoverso.parameters import Genetic, Objective, Relative

QUICK = Params(Genetic(population=60, generations=4))
RELATIVE = Params(Genetic(population=60, generations=4), Objective(relative=Relative()))


def colors(strips: Strips) -> np.ndarray:
    """The plain colors along an edge."""
    return strips[:, 0].reshape(len(strips), -1).astype(float)


def taxicab(strips: Strips, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sum of absolute differences along a seam."""
    return np.abs(strips[one, 0].astype(float) - strips[other, 0, ::-1]).sum(axis=(1, 2))


def table(strips: Strips) -> np.ndarray:
    """The Euclidean distance of all pairs."""
    own, seen = colors(strips), colors(strips[:, :, ::-1])
    return np.linalg.norm(own[:, None] - seen[None], axis=2)


def all_taxicab(strips: Strips) -> np.ndarray:
    """The sums of absolute differences of all pairs."""
    return np.stack([taxicab(strips, np.full(len(strips), one), np.arange(len(strips))) for one in range(len(strips))])


def by_length(puzzle: Puzzle, distances: Any) -> np.ndarray:
    """The distances of edges of the same length; infinite for all others."""
    strips = border_strips(puzzle)
    found = np.full((puzzle.num_edges, puzzle.num_edges), np.inf)
    for number, each in enumerate(strips):
        found[number :: len(strips), number :: len(strips)] = distances(each)
    return found


def both_faces(puzzle: Puzzle, distances: np.ndarray) -> np.ndarray:
    """Distances of edges, with those of their mirrors for two-sided pieces."""
    edges = mirror(np.arange(puzzle.num_edges)) if puzzle.faces == 2 else None
    return distances if edges is None else distances + distances[np.ix_(edges, edges)]


@pytest.mark.parametrize("custom", [VectorMeasure(colors), MatrixMeasure(table)], ids=["vectors", "matrix"])
@pytest.mark.parametrize("type", [1, 2, 4, 6])
@pytest.mark.parametrize("kind", PICTURES)
def test_candidates_are_the_nearest_vectors(custom: Any, type: int, kind: str) -> None:
    """Every list has the distances of the vectors, up to the unit that these are rounded to, in order."""
    puzzle = small_puzzle(kind, type)
    lists = find_candidates(puzzle, custom=custom, num_candidates=5)
    expected = both_faces(puzzle, by_length(puzzle, table))
    for edge in range(puzzle.num_edges):
        row, found = lists.candidates[edge], lists.weights[edge]
        listed = row != NOTHING
        others = lists.look_alikes.first_members(row[listed])
        np.testing.assert_allclose(found[listed], expected[edge, others], rtol=0.02, atol=0.5)
        assert (np.diff(found[listed]) >= 0).all()
        assert lists.dissimilarity(edge, int(others[0])) == pytest.approx(found[0], rel=1e-6)


@pytest.mark.parametrize("type", [2, 4, 6])
@pytest.mark.parametrize("kind", ["distinct", "oblong"])
def test_re_ranking_is_exact(type: int, kind: str) -> None:
    """The weights are those of the re-ranking, and in their order."""
    puzzle = small_puzzle(kind, type)
    lists = find_candidates(puzzle, custom=VectorMeasure(colors, taxicab), num_candidates=6)
    one, rank = np.nonzero(lists.candidates < GROUP)
    other = lists.candidates[one, rank].astype(np.int64)
    expected = both_faces(puzzle, by_length(puzzle, all_taxicab))[one, other]
    np.testing.assert_array_equal(lists.weights[one, rank], expected.astype(np.float32))
    assert (lists.weights[:, 1:] >= lists.weights[:, :-1]).all()


@pytest.mark.compiled
@pytest.mark.parametrize("preset", [QUICK, RELATIVE, PRESETS["best"]], ids=["quick", "relative", "best"])
def test_a_function_solves_a_photograph(photos: tuple[Pixels, Pixels], preset: Params) -> None:
    """Ten lines are a measure: candidates, cost and confidence come from it, on one thread or two."""
    puzzle = Puzzle.from_image(photos[0], type=2)
    assert puzzle.truth is not None
    result = solve(puzzle, params=preset, measure=colors, threads=1)
    assert score(result.arrangement, puzzle.truth, puzzle).neighbor > 0.8
    assert result.params.objective.measure == "custom"
    again = solve(puzzle, params=preset, measure=VectorMeasure(colors), threads=2)
    assert again.arrangement == result.arrangement
    sure = judge(puzzle.truth, puzzle, find_candidates(puzzle, custom=VectorMeasure(colors)))
    assert sure.seams.mean() > 0.8


@pytest.mark.parametrize(
    ("measure", "params", "says"),
    [
        (lambda strips: strips[:, 0], QUICK, "one vector for each of"),
        (lambda strips: np.full((len(strips), 3), np.nan), QUICK, "must be finite"),
        (lambda strips: colors(strips)[:-1], QUICK, "one vector for each of"),
        (MatrixMeasure(colors), QUICK, "not"),
        (MatrixMeasure(lambda strips: -table(strips)), QUICK, "not negative"),
        (MatrixMeasure(lambda strips: np.triu(table(strips))), QUICK, "symmetric"),
        (VectorMeasure(colors, taxicab), QUICK, "needs the relative objective"),
        (VectorMeasure(colors, lambda strips, one, other: one[:-1] * 1.0), RELATIVE, "one number for each"),
        (VectorMeasure(colors, lambda strips, one, other: one * -1.0 - 1), RELATIVE, "not negative"),
        (None, changed_params(QUICK, {"objective": {"measure": "custom"}}), "given as a function"),
    ],
)
def test_what_cannot_be_honored_is_refused(measure: Any, params: Params, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        solve(small_puzzle("distinct", 2), params=params, measure=measure)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="is a function, a VectorMeasure or a MatrixMeasure"):
        solve(small_puzzle("distinct", 2), measure="mine")  # type: ignore[arg-type]
