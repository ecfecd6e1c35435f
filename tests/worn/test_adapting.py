"""Worn pieces are compared by the measure that knows their wear, and clean ones as ever."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rectoverso import PRESETS, changed_params, score, solve, solving
from rectoverso.bench.quality import candidate_quality
from rectoverso.errors import TooLargeError
from rectoverso.images.files import Pixels
from rectoverso.images.wear import Wear
from rectoverso.objective.pipeline import Prepared, prepare
from rectoverso.planning import Size, predict_memory
from rectoverso.puzzle.puzzle import Puzzle

BEST = PRESETS["best"].objective
PLAIN = changed_params(PRESETS["best"], {"objective": {"relative": {"wear": False}}}).objective

pytestmark = pytest.mark.compiled


def puzzle_of(picture: Pixels, wear: str, back: Pixels | None = None, type: int | None = None) -> Puzzle:
    return Puzzle.from_image(picture, back=back, type=type, size=28, seed=1, wear=Wear.of(wear))


def top1(prepared: Prepared, puzzle: Puzzle) -> float:
    assert puzzle.truth is not None
    return candidate_quality(prepared.measured, puzzle.truth).top1


@pytest.mark.parametrize("wear", ["noise=5", "gap=1,noise=2,brightness=2", "gap=2,noise=5,brightness=5"])
def test_more_true_neighbors_come_first(pictures: tuple[Pixels, Pixels], wear: str) -> None:
    puzzle = puzzle_of(pictures[0], wear)
    adapted, plain = (prepare(puzzle, objective, 2) for objective in (BEST, PLAIN))
    assert adapted.measured.wear
    assert not plain.measured.wear
    assert top1(adapted, puzzle) > top1(plain, puzzle) + 0.02


def test_clean_pieces_are_compared_as_ever(files: tuple[Pixels, Pixels]) -> None:
    puzzle = puzzle_of(files[0], "")
    adapted, plain = (prepare(puzzle, objective, 2) for objective in (BEST, PLAIN))
    assert adapted.measured.wear == ()
    assert adapted.measured.gap == 0
    assert np.array_equal(adapted.lists.candidates, plain.lists.candidates)
    assert np.array_equal(adapted.lists.weights, plain.lists.weights)
    assert adapted.lists.findings == plain.lists.findings != ()


def test_no_traces_are_read_of_worn_pieces(files: tuple[Pixels, Pixels]) -> None:
    found = prepare(puzzle_of(files[0], "gap=1"), BEST, 2).lists
    assert found.findings == ()
    assert found.alignment is None
    assert "1 pixel lost at each side" in found.wear
    assert found.gap == 1


def test_a_gap_that_was_told_is_believed(pictures: tuple[Pixels, Pixels]) -> None:
    puzzle = replace(puzzle_of(pictures[0], "gap=1"), gap=2)
    assert prepare(puzzle, BEST, 2).lists.gap == 2


@pytest.mark.parametrize("type", range(1, 8))
def test_every_type_and_any_number_of_threads(photos: tuple[Pixels, Pixels], type: int) -> None:
    front, back = (photo[:224, :280] for photo in photos)
    puzzle = puzzle_of(front, "gap=1,noise=2", back if type > 3 else None, type)
    one, two = (solve(puzzle, seed=0, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.arrangement.piece, two.arrangement.piece)
    assert np.array_equal(one.confidence.seams, two.confidence.seams)
    if puzzle.type.location_unknown:
        assert one.puzzle.gap in (1, 2)
        assert any("worn pieces" in note for note in one.notes)


def test_two_faces_are_better_than_one(pictures: tuple[Pixels, Pixels]) -> None:
    """What both faces say of a seam is added up as log likelihoods, so hard wear is bearable."""
    wear = "gap=2,noise=5,brightness=5"
    one, both = puzzle_of(pictures[0], wear), puzzle_of(pictures[0], wear, pictures[1])
    shares = [top1(prepare(puzzle, BEST, 2), puzzle) for puzzle in (one, both)]
    assert shares[1] > shares[0] + 0.1


def test_rectangular_pieces(pictures: tuple[Pixels, Pixels]) -> None:
    front = pictures[0][:280, :480]
    puzzle = Puzzle.from_image(front, type=2, size=(28, 40), seed=1, wear=Wear(noise=4))
    result = solve(puzzle, seed=0)
    assert puzzle.truth is not None
    assert score(result.arrangement, puzzle.truth, puzzle).neighbor > 0.8


def test_worn_pieces_that_do_not_fit_into_memory_are_refused(
    pictures: tuple[Pixels, Pixels], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is known only when wear is found that the network is needed; clean pieces fit."""
    clean, worn = (puzzle_of(pictures[0], wear) for wear in ("", "gap=1,noise=3"))
    few = changed_params(PRESETS["best"], {"genetic": {"generations": 1}, "repair": {"regrow_steps": 1}})
    needed = [predict_memory(Size.of(worn), few, 1, worn=each) for each in (False, True)]
    monkeypatch.setattr(solving, "available_memory", lambda: sum(needed) // 2)
    solve(clean, params=few, threads=1)
    with pytest.raises(TooLargeError, match="of memory"):
        solve(worn, params=few, threads=1)
