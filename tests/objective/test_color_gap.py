"""The mean-color gap: the native weights beside the literal ones, and what they are for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import FLAT_FIRST, expand, lists_of, plain_lists, small_puzzle, space_of

from rectoverso.changes import changed_params
from rectoverso.evolve._native_weights import seam_weight
from rectoverso.geometry import mirror
from rectoverso.matching.alignment import unknown_alignment
from rectoverso.matching.lists import CandidateLists
from rectoverso.objective import CAP, color_gap, pipeline
from rectoverso.objective.color_gap import with_color_gap
from rectoverso.parameters import Objective, Params, Relative
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions.color_gap import ColorGap
from rectoverso.reference.paper.dissimilarity import colors_of

FACTOR = 2.0
WITHOUT = Params(objective=Objective(num_candidates=4, relative=Relative(traces=False, color_gap=0.0, loop_rounds=0)))


def lists_with_gap(puzzle: Puzzle, params: Params = WITHOUT, threads: int = 1) -> CandidateLists:
    """The lists that the parameters ask for, and the color gap as well."""
    return with_color_gap(lists_of(puzzle, params), puzzle.faces, FACTOR, threads)


def weight(puzzle: Puzzle, lists: CandidateLists, one: int, other: int) -> float:
    """What a seam counts in a solve."""
    return float(seam_weight(space_of(puzzle, WITHOUT, lists).tables, np.uint64(one), np.uint64(other)))


def reference_gap(puzzle: Puzzle, before: CandidateLists) -> ColorGap:
    """The color gap by the reference; it is that of the lists without any."""
    lists = [[(expand(entry, before)[0], weight) for entry, weight in row] for row in plain_lists(before)]
    about = before.descriptors
    strips = colors_of(about.forward, about.lengths.tolist())
    return ColorGap(strips, about.unit, puzzle.faces, lists, before.candidates.shape[1], CAP, FACTOR)


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", [1, 2, 3, 4, 5])
def test_same_gap_as_the_reference(kind: str, type: int) -> None:
    """What listed seams cost, and what unlisted ones do."""
    puzzle = small_puzzle(kind, type)
    before, lists = lists_of(puzzle, WITHOUT), lists_with_gap(puzzle)
    literal, found = reference_gap(puzzle, before), plain_lists(lists)
    assert lists.unlisted is not None
    assert lists.unlisted.scales.tolist() == [float(scale) for scale in literal.scales]
    assert lists.unlisted.ends.tolist() == literal.ends
    for edge, row in enumerate(plain_lists(before)):
        weights = {e: np.float32(literal.listed(edge, expand(e, lists)[0], w)) for e, w in row}
        expected = sorted(weights.items(), key=lambda item: item[1])  # equal ones stay in their order
        assert found[edge] == expected
    entries, listed = lists.look_alikes.entries.tolist(), [{entry for entry, _ in row} for row in found]
    pairs = np.random.default_rng(0).integers(0, puzzle.num_edges, (200, 2)).tolist()
    unlisted = [(u, v) for u, v in pairs if entries[v] not in listed[u] and entries[u] not in listed[v]]
    assert len(unlisted) > 20
    for one, other in unlisted:
        assert weight(puzzle, lists, one, other) == literal.unlisted(one, other)


def stripes(*colors: int) -> Puzzle:
    """Flat pieces in a row, two of each color, in order."""
    tiles = [np.full((8, 8, 3), color, np.uint8) for color in colors for _ in range(2)]
    return Puzzle.from_image(np.concatenate(tiles, axis=1), type=1, size=8, seed=0)


def test_a_seam_that_shows_counts_more() -> None:
    """Of two unlisted seams the one with the wider gap counts more; without the gap they are alike."""
    puzzle = stripes(100, 101, 104, 120, 200)
    params = changed_params(WITHOUT, {"objective": {"num_candidates": 1}})
    assert puzzle.truth is not None
    at = puzzle.truth.piece.ravel()
    right_of = 4 * at + 1
    left_of = 4 * at + 3
    lists = lists_with_gap(puzzle, params)
    near, far = (weight(puzzle, lists, right_of[0], left_of[i]) for i in (4, 8))
    assert 1 <= near < far <= CAP * 3
    same = lists_of(puzzle, params)
    assert {weight(puzzle, same, right_of[0], left_of[i]) for i in (4, 8)} == {CAP}


def test_a_seam_counts_the_same_from_either_side_and_face() -> None:
    puzzle = small_puzzle("distinct", 4)
    lists = lists_with_gap(puzzle)
    rng = np.random.default_rng(0)
    for one, other in rng.integers(0, puzzle.num_edges, (200, 2)).tolist():
        found = {weight(puzzle, lists, *pair) for pair in ((one, other), (other, one))}
        found.add(weight(puzzle, lists, int(mirror(one)), int(mirror(other))))
        assert len(found) == 1


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(color_gap, "SLICE", 7)
    puzzle = small_puzzle("flat", 2)
    one, two, three = (lists_with_gap(puzzle, threads=threads) for threads in (1, 2, 3))
    for other in (two, three):
        assert np.array_equal(one.weights, other.weights)
        assert np.array_equal(one.candidates, other.candidates)
        assert one.unlisted is not None
        assert other.unlisted is not None
        assert np.array_equal(one.unlisted.scales, other.unlisted.scales)
    assert not np.array_equal(one.weights, lists_of(puzzle, WITHOUT).weights)


def test_the_gap_counts_where_an_alignment_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solve that finds one has lists with the gap that it asks for; 0 is none."""
    puzzle = small_puzzle("flat", 2)
    alignment = unknown_alignment(puzzle.num_edges)
    monkeypatch.setattr(pipeline, "refine", lambda _, lists, *__: replace(lists, alignment=alignment))
    found, without = (
        lists_of(puzzle, changed_params(WITHOUT, {"objective": {"relative": {"traces": True, "color_gap": factor}}}))
        for factor in (FACTOR, 0.0)
    )
    for lists, expected in ((found, lists_with_gap(puzzle)), (without, lists_of(puzzle, WITHOUT))):
        assert plain_lists(lists) == plain_lists(expected)
        assert lists.unlisted is not None
        assert expected.unlisted is not None
        assert (lists.unlisted.cap, lists.unlisted.factor) == (expected.unlisted.cap, expected.unlisted.factor)
        for name in ("ends", "colors", "scales"):
            np.testing.assert_array_equal(getattr(lists.unlisted, name), getattr(expected.unlisted, name))


def test_no_gap_where_a_grid_was_looked_for_and_there_is_none() -> None:
    """Noise was never compressed: unlisted seams count the cap, and listed ones what they do by themselves."""
    puzzle = Puzzle.from_image(np.random.default_rng(0).integers(0, 256, (40, 48, 3), dtype=np.uint8), size=8, seed=0)
    params = changed_params(WITHOUT, {"objective": {"relative": {"traces": True, "color_gap": FACTOR}}})
    lists, plain = lists_of(puzzle, params), lists_of(puzzle, WITHOUT)
    assert lists.unlisted is not None
    assert (lists.unlisted.factor, lists.unlisted.colors.size) == (0, 0)
    assert np.array_equal(lists.weights, plain.weights)
    rng = np.random.default_rng(1)
    found = [weight(puzzle, lists, *pair) for pair in rng.integers(0, puzzle.num_edges, (200, 2)).tolist()]
    assert max(found) == CAP


def test_a_gap_that_makes_seams_cheaper_is_refused() -> None:
    with pytest.raises(ValueError, match="color_gap must be at least 0"):
        Relative(color_gap=-1.0)
