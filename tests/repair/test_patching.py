"""Ruin and regrow by patches: against its literal twin, and by what it promises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import FLAT_FIRST, PICTURES, affinity_of, reference_rules, reference_worth, small_puzzle, with_bearings

from rectoverso.evolve import _native as breeding_native
from rectoverso.evolve.breeding import Breeder, make_kernel
from rectoverso.geometry import split
from rectoverso.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions import patch as reference
from rectoverso.repair import _native_patch as native
from rectoverso.repair import patching, repairing
from rectoverso.repair.patching import Patching, make_patch
from rectoverso.repair.repairing import repair

CELL = Params(objective="relative", growth="cell", blink=0.05, num_candidates=16, patch_steps=20, segment_moves=5)
CHOICES = {
    "cell": CELL,
    "edge": Params(measure="blend", objective="relative", num_candidates=6, sample=3, patch_steps=20),
    "cell, on a grid": CELL,
    "cell, toned": replace(CELL, tones=2.0),
}
BEARING = (4, 15, 8, 7)
UNKNOWN = (0, 0, 0, 0)


def started(puzzle: Puzzle, params: Params, seed: int = 1, generations: int = 0) -> tuple[np.ndarray, float]:
    """A chromosome and its cost: random, or bred so many times."""
    breeder = Breeder(puzzle, affinity_of(puzzle, params), params, seed, 1)
    brood = breeder.scatter(4)
    for generation in range(1, generations + 1):
        brood = breeder.breed(generation, brood.chromosomes, np.array([[0, 1], [2, 3], [1, 2], [3, 0]]))
    return brood.chromosomes[0], float(brood.costs[0])


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("choice", CHOICES)
def test_same_patches_as_the_reference(kind: str, type: int, choice: str) -> None:
    """Fed with the same random numbers, both choose, break, regrow and accept the same patches."""
    params = CHOICES[choice]
    puzzle = small_puzzle(kind, type, rows=4, columns=5)
    lists, bearing = affinity_of(puzzle, params), UNKNOWN
    if choice.endswith("grid"):
        lists, bearing = with_bearings(puzzle, lists), BEARING
    rules = reference_rules(puzzle, lists, params)
    worth = reference_worth(puzzle, lists, params)
    for generations, land, sizes, warmth in ((0, (1, 3, 1, 4), (3.0, 19.0), 1.0), (1, (1, 2, 2, 3), (2.0, 12.0), 0.2)):
        start, _ = started(puzzle, params, generations=generations)
        board = start.reshape(4, 5).tolist()
        patches = Patching(puzzle, lists, params, seed=5)
        patches.chances[:] = int(0.8 * 2**32), int(0.1 * 2**32)
        kernel = make_kernel(puzzle, patches.rules, len(patches.tables.group_start) - 1)
        native.lay_out(start, np.array(bearing, np.uint64), patches.rules, patches.parent, kernel)
        native.regrow_patches(
            12,
            np.uint64(5),
            np.uint64(9),
            warmth,
            patches.chances,
            np.array(sizes),
            patches.parent,
            kernel,
            patches.tables,
            patches.rules,
            make_patch(puzzle, patches.parent, land),
        )
        args = (12, 5, 9, warmth, patches.chances.tolist(), sizes)
        stride = puzzle.piece_size
        from_first = ((bearing[0] - stride, bearing[1]), (bearing[2] - stride, bearing[3]))
        expected = reference.regrow_patches(rules, worth, board, land, *args, from_first)
        assert patches.arrangement().reshape(4, 5).tolist() == expected
        assert generations > 0 or expected != board
        assert not patches.parent.cut.any()


@pytest.mark.parametrize("type", range(1, 8))
def test_doubtful_pieces_are_counted_as_by_the_reference(type: int) -> None:
    """A piece is doubtful if one of its seams counts 1 or more."""
    params = CHOICES["cell"]
    puzzle = small_puzzle("distinct", type)
    lists = affinity_of(puzzle, params)
    rules = reference_rules(puzzle, lists, params)
    start, _ = started(puzzle, params, generations=2)
    patches = Patching(puzzle, lists, params)
    kernel = make_kernel(puzzle, patches.rules, len(patches.tables.group_start) - 1)
    native.lay_out(start, np.array(UNKNOWN, np.uint64), patches.rules, patches.parent, kernel)
    assert rules.worth is not None
    lying = reference.Arrangement({(i // 5, i % 5): up for i, up in enumerate(start.tolist())}, rules.worth)
    expected = sum(lying.is_doubtful(cell) for cell in lying.ups)
    whole = np.array([1, puzzle.rows - 1, 1, puzzle.columns - 1], np.uint64)
    assert native.count_doubtful(whole, patches.parent, patches.tables, patches.rules) == expected
    rows = [np.array([1 + row, 0, 1, puzzle.columns - 1], np.uint64) for row in range(puzzle.rows)]
    counts = [native.count_doubtful(row, patches.parent, patches.tables, patches.rules) for row in rows]
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
    params = CHOICES["cell"]
    puzzle = small_puzzle(kind, type, rows=9, columns=11)
    lists = affinity_of(puzzle, params)
    start, cost = started(puzzle, params)
    runs = []
    for threads in (1, 2, 3):
        patches = Patching(puzzle, lists, params, seed=3, threads=threads)
        runs.append([(r.best_cost, r.best.tolist()) for r in patches.improve(start, cost)])
    assert runs[0] == runs[1] == runs[2]
    costs = [cost, *(found for found, _ in runs[0])]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < cost
    for found, best in runs[0]:
        chromosome = np.array(best, np.uint32)
        assert_valid(chromosome, puzzle)
        assert breeding_native.cost(chromosome, patches.tables, patches.rules) == found


@pytest.mark.compiled
@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (1, 3), (2, 2), (1, 12), (2, 7), (3, 40), (40, 3)])
@pytest.mark.parametrize("type", [2, 4, 7])
def test_frames_of_any_shape(shape: tuple[int, int], type: int) -> None:
    """A patch is never the whole: there is always something to grow from."""
    params = CHOICES["cell"]
    puzzle = small_puzzle("distinct", type, *shape)
    start, cost = started(puzzle, params)
    last = None
    for last in Patching(puzzle, affinity_of(puzzle, params), params, seed=2).improve(start, cost):
        assert_valid(last.best, puzzle)
    assert last is None or last.best_cost <= cost


@pytest.mark.parametrize("shape", [(1, 2), (1, 50), (2, 30), (3, 40), (40, 3), (8, 8), (9, 31), (80, 70), (150, 140)])
def test_lands_leave_a_frozen_line_between_them(shape: tuple[int, int]) -> None:
    """They lie in the frame, do not touch, and leave nothing out but one line between two of them, each round anew."""
    rows, columns = shape
    sketch = small_puzzle("distinct", 2, 1, 2)
    patches = Patching(sketch, affinity_of(sketch, CHOICES["cell"]), CHOICES["cell"])
    patches.puzzle = Puzzle.from_image(np.zeros((2 * rows, 2 * columns, 3), np.uint8), type=2, size=2)
    seen = set()
    for number in range(12):
        lands = patches.lands(number)
        seen.add(tuple(lands))
        owner = np.full((rows + 2, columns + 2), -1)
        for i, (row, further_rows, column, further_columns) in enumerate(lands):
            assert row >= 1
            assert column >= 1
            assert min(further_rows, further_columns) >= 0
            assert row + further_rows <= rows
            assert column + further_columns <= columns
            land = owner[row : row + further_rows + 1, column : column + further_columns + 1]
            assert (land == -1).all()
            land[:] = i
        for one, other in ((owner[:-1], owner[1:]), (owner[:, :-1], owner[:, 1:])):
            assert ((one == other) | (one < 0) | (other < 0)).all()
        line = columns if number % 2 == 0 else rows
        assert (owner[1:-1, 1:-1] < 0).sum() == (len(lands) - 1) * line
    assert (len(seen) > 2) == (max(shape) >= 8)


def test_it_ends_when_little_is_gained_and_goes_on_if_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cycle that gains less than a percent is the last one; the patient go on until one gains nothing."""
    monkeypatch.setattr(patching, "ROUNDS", 3)
    monkeypatch.setattr(patching, "WARM_UP", 1)
    params = replace(CHOICES["cell"], patch_steps=1)
    puzzle = small_puzzle("distinct", 2)
    lists = affinity_of(puzzle, params)
    start, _ = started(puzzle, params)
    costs = iter([100.0, 95.0, 90.0, 95.0, 89.8, 89.7, 89.8, 89.7, 89.8])
    monkeypatch.setattr(patching.breeding_native, "cost", lambda *_: next(costs))
    hasty = [r.best_cost for r in Patching(puzzle, lists, params).improve(start, 120.0)]
    assert hasty == [100.0, 95.0, 90.0, 90.0, 89.8]
    costs = iter([100.0, 95.0, 90.0, 95.0, 89.8, 89.7, 89.8, 89.7, 89.8])
    patient = [r.best_cost for r in Patching(puzzle, lists, params, patient=True).improve(start, 120.0)]
    assert patient == [100.0, 95.0, 90.0, 90.0, 89.8, 89.7, 89.7, 89.7, 89.7]


def test_nothing_is_done_where_nothing_is_doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    """No round at all."""
    puzzle = small_puzzle("distinct", 2)
    monkeypatch.setattr(patching.native, "count_doubtful", lambda *_: 0)
    start, cost = started(puzzle, CHOICES["cell"])
    patches = Patching(puzzle, affinity_of(puzzle, CHOICES["cell"]), CHOICES["cell"])
    assert list(patches.improve(start, cost)) == []


@pytest.mark.parametrize(("tones", "first"), [(0.0, [2.0, 2.0]), (2.0, [4.0, 6.0])])
def test_the_more_a_seam_may_count_the_hotter_it_begins(tones: float, first: list[float]) -> None:
    """Patches and moves; in the end they are as cold in any case."""
    puzzle, params = small_puzzle("distinct", 2), replace(CELL, tones=tones)
    heats = Patching(puzzle, affinity_of(puzzle, params), params).heats()
    assert heats[0].tolist() == pytest.approx(first)
    assert heats[-1].tolist() == pytest.approx([0.3, 0.4])
    assert (np.diff(heats, axis=0) < 0).all()


def test_noise_is_not_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is certain there is nothing to grow from; the small and the patient try it all the same."""
    puzzle, params = small_puzzle("distinct", 2), CHOICES["cell"]
    lists = affinity_of(puzzle, params)
    start, cost = started(puzzle, params)
    assert Patching(puzzle, lists, params).doubt(start) == 1.0

    def is_repaired(patient: bool) -> bool:
        rounds = repair(puzzle, lists, params, start, cost, seed=1, threads=1, patient=patient)
        return next(rounds, None) is not None

    assert is_repaired(patient=False)
    monkeypatch.setattr(repairing, "SMALL", puzzle.num_pieces - 1)
    assert not is_repaired(patient=False)
    assert is_repaired(patient=True)


def test_large_puzzles_are_repaired_by_patches_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above so many pieces no step regrows the whole; the fractions of what is done rise to 1 in any case."""
    puzzle = small_puzzle("distinct", 2)
    params = Params(objective="relative", regrow_steps=40, patch_steps=1)
    lists = affinity_of(puzzle, params)
    start, cost = started(puzzle, params)

    def fractions() -> list[float]:
        found = repair(puzzle, lists, params, start, cost, seed=1, threads=1, patient=False)
        return [regrown.fraction for regrown in found]

    both = fractions()
    assert both[39] == 0.5
    assert both[-1] == 1.0
    monkeypatch.setattr(repairing, "WHOLE", puzzle.num_pieces - 1)
    patches = fractions()
    assert patches[patching.ROUNDS - 1] == 1.0
    later = patching.ROUNDS - patching.WARM_UP
    assert (len(both) - 40 - patching.ROUNDS) % later == (len(patches) - patching.ROUNDS) % later == 0
