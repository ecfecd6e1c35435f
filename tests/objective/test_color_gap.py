"""Tones: the native weights beside the literal ones, and what they are for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import FLAT_FIRST, affinity_of, expand, plain_lists, reference_tones, small_puzzle

from rectoverso.evolve._native_boundary import seam_weight
from rectoverso.evolve.breeding import make_rules, make_tables
from rectoverso.geometry import mirror
from rectoverso.matching.lists import CandidateLists
from rectoverso.objective import color_gap as tones
from rectoverso.objective.pipeline import rank
from rectoverso.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle

PARAMS = Params(objective="relative", num_candidates=4, tones=2.0)
WITHOUT = replace(PARAMS, tones=0.0)


def weight(puzzle: Puzzle, lists: CandidateLists, params: Params, one: int, other: int) -> float:
    """What a seam counts in a solve."""
    tables = make_tables(puzzle, lists, make_rules(puzzle, params), params)
    return float(seam_weight(tables, np.uint64(one), np.uint64(other)))


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", [1, 2, 3, 4, 5])
def test_same_tones_as_the_reference(kind: str, type: int) -> None:
    puzzle = small_puzzle(kind, type)
    lists = affinity_of(puzzle, PARAMS)
    assert lists.ranking is not None
    assert lists.ranking.tones is not None
    literal = reference_tones(puzzle, lists, PARAMS)
    assert lists.ranking.tones.steps.tolist() == [float(step) for step in literal.steps]
    assert lists.ranking.tones.ends.tolist() == literal.ends
    before = rank(puzzle, replace(lists, ranking=None), replace(PARAMS, tones=0.0))
    for edge, row in enumerate(plain_lists(before)):
        weights = {e: np.float32(literal.listed(edge, expand(e, lists)[0], w)) for e, w in row}
        expected = sorted(weights.items(), key=lambda item: item[1])  # equal ones stay in their order
        assert plain_lists(lists.ranking)[edge] == expected


def stripes(*colors: int) -> Puzzle:
    """Flat pieces in a row, two of each color, in order."""
    tiles = [np.full((8, 8, 3), color, np.uint8) for color in colors for _ in range(2)]
    return Puzzle.from_image(np.concatenate(tiles, axis=1), type=1, size=8, seed=0)


def test_a_seam_that_shows_counts_more() -> None:
    """Of two seams that nobody lists, the one with the larger step of brightness counts more; 0 makes them alike."""
    puzzle = stripes(100, 101, 104, 120, 200)
    params = replace(PARAMS, num_candidates=1)
    lists = affinity_of(puzzle, params)
    at = puzzle.truth.piece.ravel()
    right_of = 4 * at + 1
    left_of = 4 * at + 3
    near, far = (weight(puzzle, lists, params, right_of[0], left_of[i]) for i in (4, 8))
    assert 1 <= near < far <= params.cap * 3
    without = replace(params, tones=0.0)
    same = affinity_of(puzzle, without)
    assert {weight(puzzle, same, without, right_of[0], left_of[i]) for i in (4, 8)} == {params.cap}


def test_a_seam_counts_the_same_from_either_side_and_face() -> None:
    puzzle = small_puzzle("distinct", 4)
    lists = affinity_of(puzzle, PARAMS)
    rng = np.random.default_rng(0)
    for one, other in rng.integers(0, puzzle.num_edges, (200, 2)).tolist():
        found = {weight(puzzle, lists, PARAMS, *pair) for pair in ((one, other), (other, one))}
        found.add(weight(puzzle, lists, PARAMS, int(mirror(one)), int(mirror(other))))
        assert len(found) == 1


def test_threads_change_nothing(monkeypatch) -> None:
    monkeypatch.setattr(tones, "SLICE", 7)
    puzzle = small_puzzle("flat", 2)
    lists = affinity_of(puzzle, PARAMS)
    one, two, three = (rank(puzzle, replace(lists, ranking=None), PARAMS, n) for n in (1, 2, 3))
    for other in (two, three):
        assert np.array_equal(one.weights, other.weights)
        assert np.array_equal(one.candidates, other.candidates)
        assert one.tones is not None
        assert other.tones is not None
        assert np.array_equal(one.tones.steps, other.tones.steps)
    assert not np.array_equal(one.weights, rank(puzzle, replace(lists, ranking=None), WITHOUT).weights)


def test_no_tones_where_a_grid_was_looked_for_and_there_is_none() -> None:
    """Noise was never compressed: seams that nobody lists count the cap, and listed ones what they do by themselves."""
    puzzle = Puzzle.from_image(np.random.default_rng(0).integers(0, 256, (40, 48, 3), dtype=np.uint8), size=8, seed=0)
    params = replace(PARAMS, grid=True)
    lists = affinity_of(puzzle, params)
    assert lists.ranking is not None
    assert lists.ranking.tones is None
    plain = rank(puzzle, replace(lists, ranking=None), replace(params, tones=0.0))
    assert np.array_equal(lists.ranking.weights, plain.weights)
    rng = np.random.default_rng(1)
    found = [weight(puzzle, lists, params, *pair) for pair in rng.integers(0, puzzle.num_edges, (200, 2)).tolist()]
    assert max(found) == params.cap


def test_tones_need_the_relative_objective() -> None:
    with pytest.raises(ValueError, match="tones needs the relative objective"):
        Params(tones=1.0)
    with pytest.raises(ValueError, match="tones must be at least 0"):
        Params(objective="relative", tones=-1.0)
