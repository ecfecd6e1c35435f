"""Loop support: against its literal twin, by hand, and by what it is for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import FLAT_FIRST, plain_lists, small_puzzle

from rectoverso.geometry import DOWN, LEFT, NOTHING, RIGHT, UP, shown
from rectoverso.matching.lists import CandidateLists, best_buddies, find_candidates
from rectoverso.matching.look_alikes import GROUP, LookAlikes
from rectoverso.matching.ratio import ranked, ratios, relative_lists
from rectoverso.objective import CAP, loops
from rectoverso.objective.loops import cheapest_loops, support_by_loops
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions import loops as reference

WIDTH = 6


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("least_group", [2, 9])
def test_same_loops_as_the_reference(kind: str, type: int, least_group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """For each candidate the least sum over all loops, also with groups of look-alikes."""
    monkeypatch.setattr(loops, "WIDTH", WIDTH)
    puzzle = small_puzzle(kind, type, rows=3, columns=4)
    lists = relative_lists(find_candidates(puzzle, num_candidates=WIDTH + 3, least_group=least_group))
    found, listed_at = cheapest_loops(lists), lists.candidates != NOTHING
    literal = reference.cheapest_loops(plain_lists(lists), WIDTH, CAP)
    for row, listed, expected in zip(found, listed_at, literal, strict=True):
        assert row[listed].tolist() == np.array(expected, np.float32).tolist()
        assert (row[~listed] == 6 * CAP).all()
    assert (found[listed_at] < 6 * CAP).any()


def test_groups_were_compared() -> None:
    """The twin test above would prove little if there were no groups of either size."""
    puzzle = small_puzzle("flat", 2, rows=3, columns=4)
    for least_group in (2, 9):
        candidates = find_candidates(puzzle, num_candidates=WIDTH, least_group=least_group).candidates
        assert ((candidates >= GROUP) & (candidates != NOTHING)).any()


def handmade(seams: dict[tuple[int, int], float], flat: dict[int, float] | None = None) -> CandidateLists:
    """Four pieces, of which each edge lists at most one other, or a group of look-alikes if it is flat."""
    candidates, weights = np.full((16, 1), NOTHING, np.uint32), np.full((16, 1), np.inf, np.float32)
    for (one, other), weight in seams.items():
        for edge, entry in ((one, other), (other, one)):
            candidates[edge, 0], weights[edge, 0] = entry, weight
    for edge, weight in (flat or {}).items():
        candidates[edge, 0], weights[edge, 0] = GROUP, weight
    none = LookAlikes.none(16)
    return CandidateLists(candidates, weights, best_buddies(candidates), none, None, "")  # type: ignore[arg-type]


TOP, LOW, LEFT_SEAM, RIGHT_SEAM = (
    (RIGHT, 4 + LEFT),
    (8 + RIGHT, 12 + LEFT),
    (DOWN, 8 + UP),
    (4 + DOWN, 12 + UP),
)
"""The seams of pieces 0 and 1 above pieces 2 and 3."""


def test_a_loop_that_closes() -> None:
    """On its inner side each seam has the other three of the loop; beyond the rim there is nothing."""
    found = cheapest_loops(handmade({TOP: 0.5, LOW: 0.25, LEFT_SEAM: 1.0, RIGHT_SEAM: 9.0}))
    three_caps = 3 * CAP
    for seam, others in (
        (TOP, 0.25 + 1.0 + CAP),
        (LOW, 0.5 + 1.0 + CAP),
        (LEFT_SEAM, 0.5 + 0.25 + CAP),
        (RIGHT_SEAM, 0.5 + 0.25 + 1.0),
    ):
        assert found[list(seam), 0].tolist() == [three_caps + others] * 2


def test_a_loop_that_does_not_close() -> None:
    """Three seams of four make no loop."""
    found = cheapest_loops(handmade({TOP: 0.5, LOW: 0.25, LEFT_SEAM: 1.0}))
    assert (found == 6 * CAP).all()


def test_flat_edges_close_any_loop() -> None:
    """Beside edges that fit whatever is flat there is a loop of what they count, and 1 for the seam between."""
    found = cheapest_loops(handmade({TOP: 0.5}, flat={DOWN: 1.0, 4 + DOWN: 1.25}))
    assert found[list(TOP), 0].tolist() == [1.0 + 1.25 + 1.0 + 3 * CAP] * 2


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of any size on any number of threads find the same."""
    lists = relative_lists(find_candidates(small_puzzle("flat", 2, rows=5, columns=6), num_candidates=8))
    whole = cheapest_loops(lists)
    monkeypatch.setattr(loops, "SLICE", 7)
    for threads in (1, 2, 5):
        assert np.array_equal(cheapest_loops(lists, threads), whole)


@pytest.mark.parametrize("type", [1, 2, 3, 4])
def test_rounds_keep_the_best(type: int) -> None:
    """So many candidates as are to be kept, in order, each edge's among those that it had."""
    before = relative_lists(find_candidates(small_puzzle("flat", type), num_candidates=12))
    after = support_by_loops(before, 2, 5)
    assert after.candidates.shape == after.weights.shape == (len(before.candidates), 5)
    assert np.array_equal(after.buddies, best_buddies(after.candidates))
    for row, weights, entries in zip(after.candidates, after.weights, before.candidates, strict=True):
        assert (np.diff(weights[row != NOTHING]) >= 0).all()
        assert set(row.tolist()) <= {NOTHING, *entries.tolist()}


@pytest.mark.parametrize("type", [1, 2, 4])
def test_loops_are_half_of_what_counts(type: int) -> None:
    """A candidate counts the geometric mean of what it did and what its loops make of it, wherever that puts it."""
    before = relative_lists(find_candidates(small_puzzle("flat", type), num_candidates=12))
    listed = before.candidates != NOTHING
    sums = np.minimum(before.weights, CAP) + loops.SHARE * cheapest_loops(before)
    ordered = ranked(before, before.candidates, np.where(listed, sums, np.inf).astype(np.float32))
    relative = replace(ordered, weights=ratios(ordered, ordered.candidates, ordered.weights))
    plain, told = plain_lists(before), plain_lists(relative)
    counted = plain_lists(support_by_loops(before, 1, 12))
    assert [[entry for entry, _ in row] for row in counted] != [[entry for entry, _ in row] for row in plain]
    for first, after, mean in zip(plain, told, counted, strict=True):
        for entry, weight in mean:
            assert weight == pytest.approx((dict(first)[entry] * dict(after)[entry]) ** 0.5, rel=1e-6)


def true_ranks(lists: CandidateLists, puzzle: Puzzle) -> list[int]:
    """The ranks of the true neighbors of all edges that have one; the length of the list where they are not in it."""
    assert puzzle.truth is not None
    ups, entries = puzzle.truth.up_edges(puzzle.faces).astype(np.int64), lists.look_alikes.entries
    seams = [(shown(ups[:, :-1], RIGHT), shown(ups[:, 1:], LEFT)), (shown(ups[:-1], DOWN), shown(ups[1:], UP))]
    pairs = [pair for one, other in seams for pair in zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)]
    rows = lists.candidates.tolist()
    return [
        [*rows[u], int(entries[v])].index(int(entries[v]))
        for one, other in pairs
        for u, v in ((one, other), (other, one))
    ]


@pytest.mark.compiled
def test_true_neighbors_come_first_more_often() -> None:
    """In a smooth picture with noise more true neighbors are first in their lists with loop support than without."""
    rows, columns = np.mgrid[0:80, 0:96]
    smooth = np.stack([128 + 90 * np.sin(rows / 17 + columns / 23), rows + columns, 2 * columns], axis=2)
    noise = np.random.default_rng(0).normal(0, 4, smooth.shape)
    puzzle = Puzzle.from_image((smooth + noise).clip(0, 255).astype(np.uint8), type=2, size=8)
    before = relative_lists(find_candidates(puzzle, num_candidates=24))
    after = support_by_loops(before, 2, 24)
    ranks = [true_ranks(lists, puzzle) for lists in (before, after)]
    assert ranks[1].count(0) > 1.1 * ranks[0].count(0)
    assert np.mean(ranks[1]) < 0.9 * np.mean(ranks[0])
