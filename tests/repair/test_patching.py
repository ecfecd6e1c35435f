"""Ruin and regrow by patches: against its literal twin, and by what it promises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import (
    FLAT_FIRST,
    PICTURES,
    lists_of,
    reference_rules,
    reference_weight,
    small_puzzle,
    space_of,
    with_alignment,
)

from rectoverso.changes import changed_params
from rectoverso.evolve.breeding import breed, scatter
from rectoverso.evolve.workspace import Workspace
from rectoverso.geometry import split
from rectoverso.matching.lists import CandidateLists
from rectoverso.objective.color_gap import with_color_gap
from rectoverso.parameters import Genetic, Objective, Params, Relative, Repair
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions import patch as reference
from rectoverso.reference.extensions.annealing import Annealing
from rectoverso.repair import _native_patch as native
from rectoverso.repair import patching, repairing
from rectoverso.repair.patching import Patching, make_patch
from rectoverso.repair.repairing import repair

PLAIN = Relative(traces=False, color_gap=0.0, loop_rounds=0, skip=0.0)
PARAMS = Params(
    objective=Objective(num_candidates=16, relative=replace(PLAIN, skip=0.05)),
    repair=Repair(regrow_steps=0, patch_steps=20, segment_moves=5, exchange_cells=0),
)
CHOICES = {
    "plain": PARAMS,
    "few candidates": Params(
        Genetic(sample=3),
        Objective(measure="blend", num_candidates=6, relative=PLAIN),
        Repair(regrow_steps=0, patch_steps=20, segment_moves=0, exchange_cells=0),
    ),
    "aligned": PARAMS,
    "color gap": PARAMS,
}
ALIGNMENT = (4, 15, 8, 7)
UNKNOWN = (0, 0, 0, 0)


def lists_for(puzzle: Puzzle, choice: str) -> CandidateLists:
    """The lists of a choice."""
    lists = lists_of(puzzle, CHOICES[choice])
    if choice == "aligned":
        return with_alignment(puzzle, lists)
    return with_color_gap(lists, puzzle.faces, 2.0) if choice == "color gap" else lists


def patching_of(space: Workspace, *, patient: bool = False) -> Patching:
    """The patches of a workspace, as its parameters ask for them."""
    assert space.params.repair is not None
    return Patching(space, space.params.repair, patient=patient)


def started(space: Workspace, generations: int = 0) -> tuple[np.ndarray, float]:
    """A chromosome and its cost: random, or bred so many times."""
    space = replace(space, seed=1)
    brood = scatter(space, 4)
    for generation in range(1, generations + 1):
        brood = breed(space, generation, brood.chromosomes, np.array([[0, 1], [2, 3], [1, 2], [3, 0]]))
    return brood.chromosomes[0], float(brood.costs[0])


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("choice", CHOICES)
def test_same_patches_as_the_reference(kind: str, type: int, choice: str) -> None:
    """Fed with the same random numbers, both choose, break, regrow and accept the same patches."""
    params = CHOICES[choice]
    puzzle = small_puzzle(kind, type, rows=4, columns=5)
    lists, alignment = lists_for(puzzle, choice), ALIGNMENT if choice == "aligned" else UNKNOWN
    rules, weight = reference_rules(puzzle, lists, params), reference_weight(lists)
    space, chances = space_of(puzzle, params, lists, seed=5), (int(0.8 * 2**32), int(0.1 * 2**32))
    for generations, strip, sizes, temperature in (
        (0, (1, 3, 1, 4), (3.0, 19.0), 1.0),
        (1, (1, 2, 2, 3), (2.0, 12.0), 0.2),
    ):
        start, _ = started(space, generations)
        board = start.reshape(4, 5).tolist()
        patches, kernel = patching_of(space), space.make_kernel()
        native.lay_out(start, np.array(alignment, np.uint64), space.rules, patches.parent, kernel)
        native.regrow_patches(
            12,
            np.uint64(5),
            np.uint64(9),
            temperature,
            np.array(chances, np.uint64),
            np.array(sizes),
            patches.parent,
            kernel,
            space.tables,
            space.rules,
            make_patch(patches.parent, strip, puzzle.num_pieces),
        )
        args = (Annealing(12, 5, 9, temperature), chances, sizes)
        rows, columns = puzzle.piece_height, puzzle.piece_width
        from_first = ((alignment[0] - rows, alignment[1]), (alignment[2] - columns, alignment[3]))
        expected = reference.regrow_patches(rules, weight, board, strip, *args, from_first)
        assert patches.arrangement().reshape(4, 5).tolist() == expected
        assert generations > 0 or expected != board
        assert not patches.parent.cut.any()


@pytest.mark.parametrize("type", range(1, 8))
def test_doubtful_pieces_are_counted_as_by_the_reference(type: int) -> None:
    """A piece is doubtful if one of its seams counts 1 or more."""
    puzzle = small_puzzle("distinct", type)
    lists = lists_of(puzzle, PARAMS)
    space = space_of(puzzle, PARAMS, lists)
    start, _ = started(space, generations=2)
    patches = patching_of(space)
    native.lay_out(start, np.array(UNKNOWN, np.uint64), space.rules, patches.parent, space.make_kernel())
    lying = reference.Arrangement.of(start.reshape(3, 5).tolist(), reference_weight(lists))
    expected = sum(lying.is_doubtful(cell) for cell in lying.ups)
    whole = np.array([1, puzzle.rows - 1, 1, puzzle.columns - 1], np.uint64)
    assert native.count_doubtful(whole, patches.parent, space.tables, space.rules) == expected
    rows = [np.array([1 + row, 0, 1, puzzle.columns - 1], np.uint64) for row in range(puzzle.rows)]
    counts = [native.count_doubtful(row, patches.parent, space.tables, space.rules) for row in rows]
    assert sum(counts) == expected


def assert_valid(chromosome: np.ndarray, puzzle: Puzzle) -> None:
    """Each piece lies just once, in an orientation that the type allows, and at home where that is known."""
    piece, _, rotation = split(chromosome.astype(np.int64), puzzle.faces)
    assert sorted(piece) == list(range(puzzle.num_pieces))
    assert puzzle.type.rotation_unknown or not rotation.any()
    if puzzle.homes is not None:
        np.testing.assert_array_equal(puzzle.homes[piece], np.arange(puzzle.num_pieces))


@pytest.mark.compiled
@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("type", range(1, 8))
def test_rounds_keep_what_they_promise(kind: str, type: int) -> None:
    """The same on any number of threads, costs that never rise, valid arrangements of just the cost that is told."""
    puzzle = small_puzzle(kind, type, rows=9, columns=11)
    space = space_of(puzzle, PARAMS, seed=3)
    start, cost = started(space)
    runs = []
    for threads in (1, 2, 3):
        rounds = patching_of(replace(space, threads=threads)).improve(start, cost)
        runs.append([(improved.best_cost, improved.best.tolist()) for improved in rounds])
    assert runs[0] == runs[1] == runs[2]
    costs = [cost, *(found for found, _ in runs[0])]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < cost
    for found, best in runs[0]:
        chromosome = np.array(best, np.uint32)
        assert_valid(chromosome, puzzle)
        assert space.cost(chromosome) == found


@pytest.mark.compiled
@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (1, 3), (2, 2), (1, 12), (2, 7), (3, 40), (40, 3)])
@pytest.mark.parametrize("type", [2, 4, 7])
def test_frames_of_any_shape(shape: tuple[int, int], type: int) -> None:
    """A patch is never the whole: there is always something to grow from."""
    puzzle = small_puzzle("distinct", type, *shape)
    space = space_of(puzzle, PARAMS, seed=2)
    start, cost = started(space)
    last = None
    for last in patching_of(space).improve(start, cost):
        assert_valid(last.best, puzzle)
    assert last is None or last.best_cost <= cost


@pytest.mark.parametrize("shape", [(1, 2), (1, 50), (2, 30), (3, 40), (40, 3), (8, 8), (9, 31), (80, 70), (150, 140)])
def test_strips_leave_a_frozen_line_between_them(shape: tuple[int, int]) -> None:
    """They lie in the frame, do not touch, and leave nothing out but one line between two of them, each round anew."""
    rows, columns = shape
    large = Puzzle.from_image(np.zeros((2 * rows, 2 * columns, 3), np.uint8), type=2, size=2)
    patches = patching_of(replace(space_of(small_puzzle("distinct", 2, 1, 2), PARAMS), puzzle=large))
    seen = set()
    for number in range(12):
        strips = patches.strips(number)
        seen.add(tuple(strips))
        owner = np.full((rows + 2, columns + 2), -1)
        for i, (row, further_rows, column, further_columns) in enumerate(strips):
            assert row >= 1
            assert column >= 1
            assert min(further_rows, further_columns) >= 0
            assert row + further_rows <= rows
            assert column + further_columns <= columns
            strip = owner[row : row + further_rows + 1, column : column + further_columns + 1]
            assert (strip == -1).all()
            strip[:] = i
        for one, other in ((owner[:-1], owner[1:]), (owner[:, :-1], owner[:, 1:])):
            assert ((one == other) | (one < 0) | (other < 0)).all()
        line = columns if number % 2 == 0 else rows
        assert (owner[1:-1, 1:-1] < 0).sum() == (len(strips) - 1) * line
    assert (len(seen) > 2) == (max(shape) >= 8)


def test_it_ends_when_little_is_gained_and_goes_on_if_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cycle that gains less than a percent is the last one; the patient go on until one gains nothing."""
    monkeypatch.setattr(patching, "ROUNDS", 3)
    monkeypatch.setattr(patching, "WARM_UP", 1)
    puzzle = small_puzzle("distinct", 2)
    space = space_of(puzzle, changed_params(PARAMS, {"repair": {"patch_steps": 1}}))
    start, _ = started(space)
    costs = iter([100.0, 95.0, 90.0, 95.0, 89.8, 89.7, 89.8, 89.7, 89.8])
    monkeypatch.setattr(Workspace, "cost", lambda *_: next(costs))
    hasty = [improved.best_cost for improved in patching_of(space).improve(start, 120.0)]
    assert hasty == [100.0, 95.0, 90.0, 90.0, 89.8]
    costs = iter([100.0, 95.0, 90.0, 95.0, 89.8, 89.7, 89.8, 89.7, 89.8])
    patient = [improved.best_cost for improved in patching_of(space, patient=True).improve(start, 120.0)]
    assert patient == [100.0, 95.0, 90.0, 90.0, 89.8, 89.7, 89.7, 89.7, 89.7]


def test_nothing_is_done_where_nothing_is_doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    """No round at all."""
    monkeypatch.setattr(patching.native, "count_doubtful", lambda *_: 0)
    space = space_of(small_puzzle("distinct", 2), PARAMS)
    assert list(patching_of(space).improve(*started(space))) == []


@pytest.mark.parametrize(("factor", "first"), [(0.0, [2.0, 2.0]), (2.0, [4.0, 6.0])])
def test_the_more_a_seam_may_cost_the_higher_temperatures_begin(factor: float, first: list[float]) -> None:
    """Those of patches and of moves; in the end they are as low in any case."""
    puzzle = small_puzzle("distinct", 2)
    lists = lists_of(puzzle, PARAMS)
    space = space_of(puzzle, PARAMS, with_color_gap(lists, puzzle.faces, factor) if factor else lists)
    temperatures = patching_of(space).temperatures()
    assert temperatures[0].tolist() == pytest.approx(first)
    assert temperatures[-1].tolist() == pytest.approx([0.3, 0.4])
    assert (np.diff(temperatures, axis=0) < 0).all()


def test_noise_is_not_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is certain there is nothing to grow from; the small and the patient try it all the same."""
    puzzle = small_puzzle("distinct", 2)
    space = space_of(puzzle, PARAMS, seed=1)
    start, cost = started(space)
    assert patching_of(space).doubt(start) == 1.0

    def is_repaired(patient: bool) -> bool:
        return next(repair(space, start, cost, patient=patient), None) is not None

    assert is_repaired(patient=False)
    monkeypatch.setattr(repairing, "SMALL", puzzle.num_pieces - 1)
    assert not is_repaired(patient=False)
    assert is_repaired(patient=True)


def test_large_puzzles_are_repaired_by_patches_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above so many pieces no step regrows the whole; the fractions of what is done rise to 1 in any case."""
    puzzle = small_puzzle("distinct", 2)
    wanted = Repair(regrow_steps=40, patch_steps=1, segment_moves=0, exchange_cells=0)
    space = space_of(puzzle, Params(objective=Objective(relative=PLAIN), repair=wanted), seed=1)
    start, cost = started(space)

    def rounds() -> tuple[list[str], list[float]]:
        found = list(repair(space, start, cost, patient=False))
        return [step for step, _ in found], [improved.fraction for _, improved in found]

    steps, both = rounds()
    assert steps == ["regrowing the whole"] * 40 + ["regrowing doubtful patches"] * (len(steps) - 40)
    assert both[39] == 0.5
    assert both[-1] == 1.0
    monkeypatch.setattr(repairing, "WHOLE", puzzle.num_pieces - 1)
    steps, patches = rounds()
    assert set(steps) == {"regrowing doubtful patches"}
    assert patches[patching.ROUNDS - 1] == 1.0
    later = patching.ROUNDS - patching.WARM_UP
    assert (len(both) - 40 - patching.ROUNDS) % later == (len(patches) - patching.ROUNDS) % later == 0
