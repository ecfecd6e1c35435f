"""Shifts of the whole in its frame."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import affinity_of, small_puzzle
from skimage import data

from rectoverso.evolve import _native as breeding_native
from rectoverso.parameters import Params
from rectoverso.puzzle.metrics import score
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair.patching import Patching
from rectoverso.repair.repairing import SHAPELESS, repair
from rectoverso.repair.shifting import shifts
from rectoverso.solving import solve

PARAMS = Params(objective="relative", growth="cell", num_candidates=16, patch_steps=1)


@pytest.mark.parametrize("type", [1, 2, 4, 5])
@pytest.mark.parametrize(("axis", "step"), [(0, 1), (0, -2), (1, 3)])
def test_a_shifted_picture_is_shifted_back(type: int, axis: int, step: int) -> None:
    puzzle = small_puzzle("distinct", type, rows=5, columns=6)
    patching = Patching(puzzle, affinity_of(puzzle, PARAMS), PARAMS)
    truth = puzzle.truth.up_edges(puzzle.faces)
    rolled = np.roll(truth, step, axis).ravel().astype(np.uint32)
    cost = float(breeding_native.cost(rolled, patching.tables, patching.rules))
    found = shifts(rolled, cost, puzzle, patching.tables, patching.rules)
    assert any(np.array_equal(chromosome, truth.ravel()) for chromosome, _ in found)
    for chromosome, its_cost in found:
        assert its_cost == float(breeding_native.cost(chromosome, patching.tables, patching.rules))


@pytest.mark.parametrize("type", [2, 3, 6])
def test_a_picture_in_its_place_stays_there(type: int) -> None:
    puzzle = small_puzzle("distinct", type, rows=5, columns=6)
    patching = Patching(puzzle, affinity_of(puzzle, PARAMS), PARAMS)
    truth = puzzle.truth.up_edges(puzzle.faces).ravel().astype(np.uint32)
    cost = float(breeding_native.cost(truth, patching.tables, patching.rules))
    assert shifts(truth, cost, puzzle, patching.tables, patching.rules) == []


@pytest.mark.compiled
@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize("type", [1, 2, 4, 5])
def test_a_frame_one_piece_high_or_wide_is_solved(upright: bool, type: int) -> None:
    """Such a frame cannot be shifted along its short side."""
    front, back = data.astronaut()[:32, :480], data.astronaut()[100:132, :480]
    faces = [np.swapaxes(face, 0, 1) if upright else face for face in (front, back)]
    puzzle = Puzzle.from_image(faces[0], back=faces[1] if type > 3 else None, size=32, type=type, seed=1)
    assert puzzle.truth is not None
    assert score(solve(puzzle, threads=1).arrangement, puzzle.truth, puzzle).perfect


def test_repair_keeps_the_cheaper_of_both() -> None:
    puzzle = Puzzle.from_image(data.astronaut()[:288, :256], size=32, type=2, seed=1)
    lists = affinity_of(puzzle, PARAMS)
    patching = Patching(puzzle, lists, PARAMS)
    truth = puzzle.truth.up_edges(puzzle.faces)
    rolled = np.roll(truth, 1, 0).ravel().astype(np.uint32)
    cost = float(breeding_native.cost(rolled, patching.tables, patching.rules))
    assert patching.doubt(rolled) < SHAPELESS
    rounds = list(repair(puzzle, lists, PARAMS, rolled, cost, seed=1, threads=1, patient=False))
    costs = [regrown.best_cost for regrown in rounds]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] <= breeding_native.cost(truth.ravel().astype(np.uint32), patching.tables, patching.rules)
    assert [regrown.fraction for regrown in rounds] == sorted(regrown.fraction for regrown in rounds)
    assert [regrown.seconds for regrown in rounds] == sorted(regrown.seconds for regrown in rounds)
