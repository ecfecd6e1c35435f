"""Exchanges: against their literal twin and all permutations, and on puzzles that only they can mend."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import (
    FLAT_FIRST,
    lists_of,
    reference_rules,
    reference_weight,
    small_puzzle,
    space_of,
    with_alignment,
)
from hypothesis import given
from hypothesis import strategies as st
from skimage import data

from rectoverso.changes import changed_params
from rectoverso.evolve.breeding import scatter
from rectoverso.parameters import Objective, Params, Relative, Repair
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions import exchange as reference
from rectoverso.repair import _native_exchange as native
from rectoverso.repair.exchanging import Exchanging, make_hand
from rectoverso.repair.repairing import repair

CELLS = 100
PARAMS = Params(
    objective=Objective(num_candidates=8, relative=Relative(traces=False, color_gap=0.0, loop_rounds=0, skip=0.0)),
    repair=Repair(regrow_steps=0, patch_steps=0, segment_moves=0, exchange_cells=CELLS),
)
BLEND = changed_params(PARAMS, {"objective": {"measure": "blend"}})


def scattered(
    puzzle: Puzzle, params: Params, cells: int = CELLS, **options: int
) -> tuple[Exchanging, np.ndarray, float]:
    """The exchanges of a puzzle, a random chromosome, and its cost."""
    lists = lists_of(puzzle, params)
    exchanges = Exchanging(space_of(puzzle, params, lists, **options), cells)
    brood = scatter(space_of(puzzle, params, lists, seed=1), 2)
    exchanges.board[:] = brood.chromosomes[0].reshape(exchanges.board.shape)
    return exchanges, brood.chromosomes[0], float(brood.costs[0])


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", [1, 2, 4, 5])
@pytest.mark.parametrize("aligned", [False, True])
def test_same_costs_as_the_reference(kind: str, type: int, aligned: bool) -> None:
    puzzle = small_puzzle(kind, type, rows=4, columns=5)
    lists, alignment = lists_of(puzzle, PARAMS), (0, 0, 0, 0)
    if aligned:
        lists, alignment = with_alignment(puzzle, lists), (4, 15, 8, 7)
    space = space_of(puzzle, PARAMS, lists)
    exchanges = Exchanging(space, CELLS)
    exchanges.board[:] = space.board(scatter(space_of(puzzle, PARAMS, lists, seed=1), 2).chromosomes[0])
    places = [(0, 0), (0, 2), (1, 1), (2, 4), (3, 2), (3, 0)]
    width = int(exchanges.parent.steps[2])
    cells = np.array([(row + 1) * width + column + 1 for row, column in places], np.uint32)
    pieces = exchanges.parent.board[cells] >> space.rules.piece_shift
    hand = make_hand(cells, pieces, np.array(alignment, np.uint64))
    native.weigh_hand(0, 6, exchanges.parent, space.tables, space.rules, hand)
    rows, columns = puzzle.piece_height, puzzle.piece_width
    from_first = ((alignment[0] - rows, alignment[1]), (alignment[2] - columns, alignment[3]))
    rules, weight = reference_rules(puzzle, lists, PARAMS), reference_weight(lists)
    expected = reference.hand_costs(rules, weight, exchanges.board.tolist(), places, from_first)
    assert [
        list(zip(*rows, strict=True)) for rows in zip(hand.costs.tolist(), hand.ups.tolist(), strict=True)
    ] == expected
    native.assign(hand)
    native.deal(exchanges.parent, hand)
    assert hand.costs[hand.row_of[:6], range(6)].sum() == reference.least_cost(
        [[c for c, _ in row] for row in expected]
    )
    dealt = exchanges.parent.board[cells]
    assert sorted(dealt >> space.rules.piece_shift) == sorted(pieces)
    assert dealt.tolist() == [expected[i][list(hand.row_of[:6]).index(i)][1] for i in range(6)]


@given(st.lists(st.integers(0, 9) | st.integers(0, 2**40), min_size=25, max_size=25), st.integers(1, 5))
def test_no_assignment_is_cheaper(numbers: list[int], count: int) -> None:
    hand = make_hand(np.zeros(count, np.uint32), np.zeros(count, np.uint32), np.zeros(4, np.uint64))
    hand.costs[:] = np.reshape(numbers, (5, 5))[:count, :count]
    native.assign(hand)
    assert sorted(hand.row_of[:count]) == list(range(count))
    assert hand.costs[hand.row_of[:count], range(count)].sum() == reference.least_cost(hand.costs.tolist())


def photo() -> Puzzle:
    """A part of a photo with so much to see that nearly each seam fits better than any other."""
    return Puzzle.from_image(data.astronaut()[100:380, 20:356], type=2, size=28, seed=3)


def truth_of(puzzle: Puzzle) -> np.ndarray:
    """The true up edges."""
    assert puzzle.truth is not None
    return puzzle.truth.up_edges(puzzle.faces).astype(np.uint32)


@pytest.mark.compiled
def test_a_ring_of_pieces_in_each_others_places_is_put_right_at_once() -> None:
    """Nine pieces all over the frame, and each turned."""
    puzzle = photo()
    board = truth_of(puzzle).copy()
    ring = ([0, 0, 2, 3, 5, 6, 8, 9, 9], [2, 9, 4, 10, 0, 7, 3, 11, 5])
    board[ring] = np.roll((board[ring] & ~np.uint32(3)) | ((board[ring] + 1) & 3), 1)
    space = space_of(puzzle, BLEND)
    exchanges, cost = Exchanging(space, cells=40), space.cost(board.ravel())
    last = list(exchanges.improve(board.ravel(), cost))[-1]
    assert last.best.reshape(board.shape).tolist() == truth_of(puzzle).tolist()
    assert last.best_cost < cost
    exchanges.board[:] = board
    cells = (np.array(ring[0]) + 1) * int(exchanges.parent.steps[2]) + np.array(ring[1]) + 1
    exchanges.exchange(cells.astype(np.uint32), np.zeros(4, np.uint64))
    assert exchanges.board.tolist() == truth_of(puzzle).tolist()


@pytest.mark.compiled
def test_a_piece_whose_alignment_was_misread_comes_home() -> None:
    """It is not aligned with all others there, which costs less than two pieces in the wrong place."""
    puzzle = photo()
    board, lists = truth_of(puzzle).copy(), lists_of(puzzle, BLEND)
    alignment = np.zeros((puzzle.num_edges, 2), np.uint8)
    row, column = (index.ravel() for index in np.indices(board.shape))
    edges = board.ravel() & ~np.uint32(3)
    for side, lines in ((0, row), (3, column)):  # a grid that begins at the first pixel
        alignment[edges | ((board.ravel() + side) & 3)] = np.stack([-28 * lines % 16, np.full(lines.shape, 15)], axis=1)
    misread = int(board[4, 4]) & ~3
    alignment[misread : misread + 4, 0] += 4
    board[4, 4], board[8, 8] = board[8, 8], board[4, 4]
    space = space_of(puzzle, BLEND, replace(lists, alignment=alignment))
    last = list(Exchanging(space, CELLS).improve(board.ravel(), space.cost(board.ravel())))[-1]
    assert last.best.reshape(board.shape).tolist() == truth_of(puzzle).tolist()


def test_cells_of_an_exchange_are_doubtful_and_do_not_touch() -> None:
    exchanges, _, _ = scattered(small_puzzle("distinct", 2, rows=6, columns=7), PARAMS, cells=9)
    misfits = exchanges.misfits().reshape(6, 7)
    for number in range(5):
        rows, columns = np.divmod(exchanges.choose(number).astype(int), int(exchanges.parent.steps[2]))
        assert 2 <= len(rows) <= 9
        assert (misfits[rows - 1, columns - 1] > 0).all()
        apart = np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns)
        assert (apart + 9 * np.eye(len(rows)) > 1).all()
    assert exchanges.choose(0).tolist() != exchanges.choose(1).tolist()


@pytest.mark.parametrize("type", [1, 2, 4, 5])
def test_costs_only_fall_and_all_pieces_stay(type: int) -> None:
    puzzle = small_puzzle("distinct", type, rows=5, columns=6)
    exchanges, start, cost = scattered(puzzle, PARAMS)
    costs = [cost]
    for improved in exchanges.improve(start, cost):
        costs.append(improved.best_cost)
        assert improved.best_cost == exchanges.space.cost(improved.best)
        assert sorted(improved.best >> exchanges.space.rules.piece_shift) == list(range(30))
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < cost


def test_threads_change_nothing_and_the_seed_does() -> None:
    puzzle = small_puzzle("distinct", 2, rows=9, columns=9)
    found = []
    for seed, threads in ((0, 1), (0, 2), (1, 1)):
        exchanges, start, cost = scattered(puzzle, PARAMS, seed=seed, threads=threads)
        found.append([improved.best.tolist() for improved in exchanges.improve(start, cost)])
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_nothing_is_done_where_nothing_is_doubtful() -> None:
    puzzle = Puzzle.from_image(data.chelsea()[200:284, 200:312], type=2, size=28, seed=3)
    exchanges, _, _ = scattered(puzzle, PARAMS)
    truth = truth_of(puzzle).ravel()
    assert list(exchanges.improve(truth, exchanges.space.cost(truth))) == []


@pytest.mark.parametrize("type", [2, 3])
def test_the_patient_get_first_what_the_impatient_get(type: int) -> None:
    """Patches and then exchanges, where places are unknown, and for the patient both once more."""
    puzzle = small_puzzle("distinct", type, rows=5, columns=6)
    both = changed_params(PARAMS, {"repair": {"patch_steps": 2}})
    alone = changed_params(both, {"repair": {"exchange_cells": 0}})
    _, start, cost = scattered(puzzle, both)

    def costs(params: Params, patient: bool) -> list[float]:
        rounds = repair(space_of(puzzle, params, seed=1), start, cost, patient=patient)
        return [improved.best_cost for _, improved in rounds]

    hasty, patient, patches = costs(both, False), costs(both, True), costs(alone, False)
    assert patient[: len(hasty)] == hasty
    assert len(patient) > len(hasty)
    assert hasty[: len(patches)] == patches
    assert (len(hasty) > len(patches)) == (type == 2)


def test_exchanges_need_the_relative_objective() -> None:
    with pytest.raises(ValueError, match="repair needs the relative objective"):
        Params(repair=Repair(regrow_steps=0, patch_steps=0, segment_moves=0, exchange_cells=1))
    with pytest.raises(ValueError, match="exchange_cells must be at least 0"):
        Repair(exchange_cells=-1)
