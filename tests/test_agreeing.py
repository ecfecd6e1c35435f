"""What many growths agree on: seams counted one by one, shares by hand, and what it is for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers import FLAT_FIRST, small_puzzle

from rectoverso import PRESETS, changed_params
from rectoverso.agreeing import EDGE, LEAST, _Table, agreed_lists, grow, shares_of
from rectoverso.bench.quality import candidate_quality
from rectoverso.geometry import DOWN, NOTHING, RIGHT, mirror, opposite, shown
from rectoverso.images.files import Pixels
from rectoverso.images.wear import Wear
from rectoverso.matching.lists import CandidateLists, UnlistedSeams, find_candidates
from rectoverso.matching.ratio import relative_lists
from rectoverso.objective import CAP
from rectoverso.objective.chances import chances_of
from rectoverso.objective.pipeline import prepare
from rectoverso.puzzle.puzzle import Puzzle

BEST = changed_params(PRESETS["best"], {"genetic": {"population": 20}})


def lists_of(kind: str, type: int, width: int = 8) -> tuple[Puzzle, CandidateLists]:
    """A small puzzle, and lists that a solve by the relative objective takes."""
    puzzle = small_puzzle(kind, type, rows=3, columns=4)
    lists = relative_lists(find_candidates(puzzle, num_candidates=width, least_group=3))
    weights = np.where(lists.candidates == NOTHING, np.inf, np.minimum(lists.weights, CAP)).astype(np.float32)
    return puzzle, replace(lists, weights=weights, unlisted=UnlistedSeams.at_cap(puzzle.num_edges, CAP))


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", [1, 2, 4, 5])
def test_seams_are_counted_from_both_edges_and_on_both_faces(kind: str, type: int) -> None:
    puzzle, lists = lists_of(kind, type)
    growths = grow(puzzle, lists, BEST, 0, seed=3, threads=1)
    counts: Counter[tuple[int, int]] = Counter()
    for growth in growths.reshape(-1, puzzle.rows, puzzle.columns).tolist():
        for row in range(puzzle.rows):
            for column in range(puzzle.columns):
                for direction, (below, beside) in ((RIGHT, (row, column + 1)), (DOWN, (row + 1, column))):
                    if below == puzzle.rows or beside == puzzle.columns:
                        continue
                    one = shown(growth[row][column], direction)
                    other = shown(growth[below][beside], opposite(direction))
                    seams = {(one, other)} | ({(mirror(one), mirror(other))} if puzzle.faces == 2 else set())
                    for a, b in seams | {(b, a) for a, b in seams}:
                        counts[a, int(lists.look_alikes.entries[b])] += 1
    keys, shares = shares_of(growths, puzzle, lists)
    found = {divmod(int(key), int(EDGE)): share * len(growths) for key, share in zip(keys, shares, strict=True)}
    assert found == pytest.approx(counts)


def test_a_seam_that_many_growths_have_becomes_a_candidate() -> None:
    puzzle, lists = lists_of("distinct", 2)
    listed = set(lists.candidates[0].tolist())
    missing = next(edge for edge in range(4, puzzle.num_edges) if edge not in listed)
    table = _Table(lists.candidates.copy(), chances_of(lists), chances_of(lists))
    for share, there in ((0.9 * LEAST, False), (0.9, True)):
        told = table.told_by(np.array([missing]), np.array([share]), lists)
        assert (missing in told.candidates[0]) == there
        assert told.candidates.shape == lists.candidates.shape
    best = told.candidates[0, int(told.after[0].argmax())]
    assert best == missing


def test_a_larger_share_is_a_better_chance() -> None:
    _, lists = lists_of("distinct", 2)
    table, key = _Table(lists.candidates.copy(), chances_of(lists), chances_of(lists)), int(lists.candidates[0, 1])
    chances = []
    for share in (0.1, 0.5, 0.9):
        told = table.told_by(np.array([key]), np.array([share]), lists)
        chances.append(told.after[0, told.candidates[0] == key][0])
    assert chances[0] < chances[1] < chances[2]


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4, 5])
def test_the_same_on_any_number_of_threads(type: int) -> None:
    puzzle, lists = lists_of("distinct", type)
    one, two = (agreed_lists(puzzle, lists, BEST, seed=1, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.candidates, two.candidates)
    assert np.array_equal(one.weights, two.weights)
    assert one.candidates.shape == lists.candidates.shape
    assert (np.diff(one.weights, axis=1) >= 0).all()
    assert (one.weights[one.candidates != NOTHING] <= CAP).all()


@pytest.mark.compiled
def test_agreement_raises_true_neighbors(pictures: tuple[Pixels, Pixels]) -> None:
    puzzle = Puzzle.from_image(pictures[0], size=28, seed=1, wear=Wear.of("gap=1,noise=3"))
    lists = prepare(puzzle, PRESETS["best"].objective, 2).lists
    agreed = agreed_lists(puzzle, lists, PRESETS["best"], threads=2)
    assert puzzle.truth is not None
    before, after = (candidate_quality(each, puzzle.truth).top1 for each in (lists, agreed))
    assert after > before + 0.02
