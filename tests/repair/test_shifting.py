"""Shifts of the whole in its frame."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import small_puzzle, space_of
from skimage import data

from rectoverso.parameters import Objective, Params, Relative, Repair
from rectoverso.puzzle.metrics import score
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair.patching import Patching
from rectoverso.repair.repairing import SHAPELESS, repair
from rectoverso.repair.shifting import shifts
from rectoverso.solving import solve

REPAIR = Repair(regrow_steps=0, patch_steps=1, segment_moves=0, exchange_cells=0)
PARAMS = Params(
    objective=Objective(num_candidates=16, relative=Relative(traces=False, color_gap=0.0, loop_rounds=0, skip=0.0)),
    repair=REPAIR,
)


@pytest.mark.parametrize("type", [1, 2, 4, 5])
@pytest.mark.parametrize(("axis", "step"), [(0, 1), (0, -2), (1, 3)])
def test_a_shifted_picture_is_shifted_back(type: int, axis: int, step: int) -> None:
    puzzle = small_puzzle("distinct", type, rows=5, columns=6)
    space = space_of(puzzle, PARAMS)
    truth = puzzle.truth.up_edges(puzzle.faces)
    rolled = np.roll(truth, step, axis).ravel().astype(np.uint32)
    found = shifts(space, rolled, space.cost(rolled))
    assert any(np.array_equal(chromosome, truth.ravel()) for chromosome, _ in found)
    for chromosome, its_cost in found:
        assert its_cost == space.cost(chromosome)


@pytest.mark.parametrize("type", [2, 3, 6])
def test_a_picture_in_its_place_stays_there(type: int) -> None:
    puzzle = small_puzzle("distinct", type, rows=5, columns=6)
    space = space_of(puzzle, PARAMS)
    truth = puzzle.truth.up_edges(puzzle.faces).ravel().astype(np.uint32)
    assert shifts(space, truth, space.cost(truth)) == []


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
    space = space_of(puzzle, PARAMS, seed=1)
    truth = puzzle.truth.up_edges(puzzle.faces)
    rolled = np.roll(truth, 1, 0).ravel().astype(np.uint32)
    assert Patching(space, REPAIR).doubt(rolled) < SHAPELESS
    rounds = [improved for _, improved in repair(space, rolled, space.cost(rolled), patient=False)]
    costs = [improved.best_cost for improved in rounds]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] <= space.cost(truth.ravel().astype(np.uint32))
    assert [improved.fraction for improved in rounds] == sorted(improved.fraction for improved in rounds)
    assert all(improved.best_cost == space.cost(improved.best) for improved in rounds)
