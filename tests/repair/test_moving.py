"""Moves of segments: against their literal twin, and on puzzles that only they can mend."""

from __future__ import annotations

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
from skimage import data

from rectoverso.changes import changed_params
from rectoverso.evolve.breeding import scatter
from rectoverso.evolve.workspace import Workspace
from rectoverso.parameters import Objective, Params, Relative, Repair
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions import move as reference
from rectoverso.reference.extensions.annealing import Annealing
from rectoverso.repair import _native_move as moving
from rectoverso.repair import _native_patch as native
from rectoverso.repair.patching import Patching, make_segment

PARAMS = Params(
    objective=Objective(num_candidates=16, relative=Relative(traces=False, color_gap=0.0, loop_rounds=0, skip=0.0)),
    repair=Repair(regrow_steps=0, patch_steps=20, segment_moves=3, exchange_cells=0),
)


def patching(space: Workspace) -> Patching:
    """The patches of a workspace, between which segments are moved."""
    assert space.params.repair is not None
    return Patching(space, space.params.repair)


def moves(
    patches: Patching, start: np.ndarray, alignment: tuple[int, ...], strip: tuple[int, int, int, int], *how: object
) -> int:
    """Lay a chromosome out and move its segments; gives how many moves were accepted."""
    space, kernel = patches.space, patches.space.make_kernel()
    native.lay_out(start, np.array(alignment, np.uint64), space.rules, patches.parent, kernel)
    steps, temperature, sizes, seams = how
    segment = make_segment(patches.parent, strip, space.puzzle.num_pieces)
    work = (patches.parent, kernel, space.tables, space.rules, segment)
    return moving.move_segments(steps, np.uint64(5), np.uint64(9), temperature, np.array(sizes), np.array(seams), *work)


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", [1, 2, 4, 5])
@pytest.mark.parametrize(
    ("alignment", "known"),
    [((0, 0, 0, 0), False), ((4, 15, 8, 7), True), ((4, 15, 8, 15), True), ((8, 15, 4, 15), False)],
)
def test_same_moves_as_the_reference(kind: str, type: int, alignment: tuple[int, ...], known: bool) -> None:
    """Fed with the same random numbers, both choose, gather, move and accept the same segments."""
    puzzle = small_puzzle(kind, type, rows=6, columns=7)
    lists = lists_of(puzzle, PARAMS)
    if known:
        lists = with_alignment(puzzle, lists)
    rules, weight = reference_rules(puzzle, lists, PARAMS), reference_weight(lists)
    patches = patching(space_of(puzzle, PARAMS, lists, seed=5))
    brood = scatter(space_of(puzzle, PARAMS, lists, seed=1), 4)
    total = 0
    for strip, sizes, seams, temperature in (
        ((1, 5, 1, 6), (1.0, 16.0), (0.8, 2.6), 2.0),
        ((2, 4, 2, 4), (1.0, 4.0), (0.5, 1.0), 0.2),
        ((1, 5, 1, 6), (1.0, 16.0), (0.5, 1.0), 90.0),  # so hot that large fields move, too
    ):
        start = brood.chromosomes[0]
        accepted = moves(patches, start, alignment, strip, 300, temperature, sizes, seams)
        rows, columns = puzzle.piece_height, puzzle.piece_width
        from_first = ((alignment[0] - rows, alignment[1]), (alignment[2] - columns, alignment[3]))
        args = (start.reshape(6, 7).tolist(), strip, Annealing(300, 5, 9, temperature), sizes, seams, from_first)
        expected = reference.move_segments(rules, weight, *args)
        assert (patches.arrangement().reshape(6, 7).tolist(), accepted) == expected
        total += accepted
    assert total > 0 or kind == "duplicated"  # where all candidates are groups of look-alikes


def photo_of(rows: int, columns: int) -> Puzzle:
    """A part of a photo with so much to see that nearly each seam fits better than any other."""
    return Puzzle.from_image(data.astronaut()[100 : 100 + rows * 28, 20 : 20 + columns * 28], type=2, size=28, seed=3)


def broken(puzzle: Puzzle, board: np.ndarray) -> tuple[Patching, np.ndarray, float]:
    """The patches of a puzzle, a chromosome in disorder, and what the truth costs."""
    space = space_of(puzzle, changed_params(PARAMS, {"objective": {"measure": "blend"}}))
    return patching(space), board.ravel(), space.cost(true_board(puzzle).ravel())


def true_board(puzzle: Puzzle) -> np.ndarray:
    """The true up edges."""
    assert puzzle.truth is not None
    return puzzle.truth.up_edges(puzzle.faces).astype(np.uint32)


@pytest.mark.compiled
@pytest.mark.parametrize("quarters", range(4))
def test_two_blocks_that_were_exchanged_are_exchanged_back(quarters: int) -> None:
    """In one move at hardly any temperature, turned if need be."""
    puzzle = photo_of(10, 12)
    board = true_board(puzzle)
    one, other = board[1:4, 1:4].copy(), board[5:8, 7:10].copy()
    board[5:8, 7:10], board[1:4, 1:4] = turned(one, quarters), turned(other, -quarters)
    patches, start, cost = broken(puzzle, board)
    assert patches.space.cost(start) > cost + 10
    assert moves(patches, start, (0, 0, 0, 0), (1, 9, 1, 11), 400, 1e-6, (9.0, 9.0), (1.1, 1.1)) == 1
    assert patches.arrangement().tolist() == true_board(puzzle).ravel().tolist()


def turned(block: np.ndarray, quarters: int) -> np.ndarray:
    """A block of pieces, turned clockwise as a whole."""
    ups = np.rot90(block, -quarters)
    return ups - ups % 4 + (ups + 4 - quarters % 4) % 4


@pytest.mark.compiled
@pytest.mark.parametrize("steps", [1, 3])
def test_a_block_that_lies_beside_its_place_slides_back(steps: int) -> None:
    """What it pushes away in front of it comes to lie behind it."""
    puzzle = photo_of(8, 14)
    board = true_board(puzzle)
    board[2:6, 3:11] = np.roll(board[2:6, 3:11], steps, axis=1)
    patches, start, cost = broken(puzzle, board)
    assert patches.space.cost(start) > cost + 10
    moves(patches, start, (0, 0, 0, 0), (1, 7, 1, 13), 400, 1e-6, (4.0, 100.0), (1.1, 1.1))
    assert patches.arrangement().tolist() == true_board(puzzle).ravel().tolist()


def test_segments_stay_in_their_strip() -> None:
    """However hot it is, nothing outside is touched."""
    puzzle = small_puzzle("distinct", 2, rows=6, columns=7)
    patches = patching(space_of(puzzle, PARAMS))
    start = scatter(space_of(puzzle, PARAMS, seed=1), 2).chromosomes[0]
    assert moves(patches, start, (0, 0, 0, 0), (2, 2, 3, 3), 300, 1e6, (1.0, 4.0), (0.8, 2.6)) > 0
    before, after = start.reshape(6, 7), patches.arrangement().reshape(6, 7)
    changed = before != after
    assert changed[1:4, 2:6].any()
    changed[1:4, 2:6] = False
    assert not changed.any()


def test_places_that_are_known_are_kept() -> None:
    """Where each piece has its cell there is nothing to move, and where segments are not asked for neither."""
    for type, params in ((3, PARAMS), (2, changed_params(PARAMS, {"repair": {"segment_moves": 0}}))):
        puzzle = small_puzzle("distinct", type)
        space = space_of(puzzle, params)
        patches, kernel = patching(space), space.make_kernel()
        start = scatter(space_of(puzzle, params, seed=1), 2).chromosomes[0]
        native.lay_out(start, np.zeros(4, np.uint64), space.rules, patches.parent, kernel)
        patches._move(0, (1, puzzle.rows - 1, 1, puzzle.columns - 1), 100, 5.0, kernel)
        assert patches.arrangement().tolist() == start.tolist()
