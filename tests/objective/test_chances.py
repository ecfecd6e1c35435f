"""What seams of worn pieces count: against the literal twin, by hand, and by what it is for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import FLAT_FIRST, small_puzzle

from rectoverso import PRESETS
from rectoverso.bench.quality import candidate_quality
from rectoverso.geometry import NOTHING
from rectoverso.images.files import Pixels
from rectoverso.images.wear import Wear
from rectoverso.matching.lists import CandidateLists, find_candidates
from rectoverso.matching.look_alikes import GROUP
from rectoverso.objective import CAP, chances
from rectoverso.objective.chances import both_sided, likely_lists, loop_evidence, told_chances
from rectoverso.objective.pipeline import prepare
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions import chances as reference

WIDTH, RIVALS = 5, 40


def lists_of(kind: str, type: int, least_group: int) -> tuple[Puzzle, CandidateLists]:
    """Lists of a small puzzle whose weights are taken for what the measure of worn pieces would say."""
    puzzle = small_puzzle(kind, type, rows=3, columns=4)
    lists = find_candidates(puzzle, num_candidates=WIDTH + 3, least_group=least_group)
    rank, edge = np.arange(lists.candidates.shape[1]), np.arange(len(lists.candidates))[:, None]
    weights = np.where(lists.candidates == NOTHING, np.inf, 1.1 + 0.2 * rank + 0.01 * (edge % 7))
    return puzzle, replace(lists, weights=weights.astype(np.float32))


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("least_group", [2, 9])
def test_same_as_the_literal_twin(kind: str, type: int, least_group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chances, "WIDTH", WIDTH)
    puzzle, lists = lists_of(kind, type, least_group)
    told = told_chances(lists)
    found = loop_evidence(lists.candidates, told, puzzle.faces, RIVALS)
    plain = [
        [(int(entry), float(np.exp(chance))) for entry, chance in zip(row, values, strict=True) if entry != NOTHING]
        for row, values in zip(lists.candidates, told, strict=True)
    ]
    for edge, row in enumerate(plain):
        for rank, (entry, _) in enumerate(row):
            if entry >= GROUP:
                assert found[edge, rank] == pytest.approx(0)
                continue
            sides = [reference.loop_chance(edge, entry, side, plain, WIDTH, puzzle.faces) for side in (True, False)]
            other, best = sorted(max(0.0, np.log(max(RIVALS * side, 1e-300))) for side in sides)
            more = chances.STRONG * max(0.0, best - chances.ENOUGH)
            assert found[edge, rank] == pytest.approx(chances.BEST * best + more + chances.OTHER * other)


@pytest.mark.compiled
def test_the_same_on_any_number_of_threads() -> None:
    puzzle, lists = lists_of("distinct", 2, 9)
    one, two = (likely_lists(lists, puzzle, 3, 4, threads) for threads in (1, 2))
    assert np.array_equal(one.candidates, two.candidates)
    assert np.array_equal(one.weights, two.weights)
    assert one.candidates.shape == (puzzle.num_edges, 4)
    assert (one.weights[one.candidates != NOTHING] <= CAP).all()
    assert (np.diff(one.weights, axis=1) >= 0).all()


def test_chances_are_those_that_were_told() -> None:
    """Without rounds of loops nothing but the scale changes."""
    puzzle, lists = lists_of("distinct", 2, 9)
    weighed = likely_lists(lists, puzzle, 0, lists.candidates.shape[1])
    listed = lists.candidates != NOTHING
    expected = np.minimum(-told_chances(lists)[listed], chances.HARDLY) * CAP / chances.HARDLY
    assert weighed.weights[listed] == pytest.approx(expected, rel=1e-5)
    assert np.array_equal(weighed.candidates, lists.candidates)


def test_chances_of_an_edge_add_up() -> None:
    """An edge with two equal candidates gives each a half; beside an edge with one candidate it is the root of that."""
    _, lists = lists_of("distinct", 2, 9)
    candidates = np.full((len(lists.candidates), 2), NOTHING, np.uint32)
    evidence = np.full(candidates.shape, -np.inf)
    for edge, others in ((0, (5,)), (5, (0, 9)), (9, (5,))):
        candidates[edge, : len(others)], evidence[edge, : len(others)] = others, 0.0
    found = np.exp(both_sided(lists, candidates, evidence))
    assert found[0, 0] == pytest.approx(np.sqrt(0.5))
    assert found[5].tolist() == pytest.approx([np.sqrt(0.5)] * 2)
    assert found[1].tolist() == [0, 0]


@pytest.mark.compiled
@pytest.mark.parametrize("wear", ["noise=12", "gap=1,noise=3,brightness=2"])
def test_loops_raise_true_neighbors(pictures: tuple[Pixels, Pixels], wear: str) -> None:
    puzzle = Puzzle.from_image(pictures[0], size=28, seed=1, wear=Wear.of(wear))
    prepared = prepare(puzzle, PRESETS["best"].objective, 2)
    assert puzzle.truth is not None
    before, after = (candidate_quality(lists, puzzle.truth).top1 for lists in (prepared.measured, prepared.lists))
    assert after > before + 0.05
