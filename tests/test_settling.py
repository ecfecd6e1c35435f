"""What nobody told about a puzzle is found out: whether pieces are turned, the frame, which way up."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from helpers import small_puzzle
from PIL import Image

from rectoverso import PRESETS, changed_params, prepare, score, settling, solve
from rectoverso.errors import BadInputError, PuzzleWarning, TooLargeError
from rectoverso.images.files import Pixels
from rectoverso.intake.saved_sheet import muted
from rectoverso.matching.likely import certain_pairs
from rectoverso.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.types import PuzzleType
from rectoverso.settling import frames_of, settle_frame, settle_type, weigh_frames

FEW = changed_params(PRESETS["best"], {"genetic": {"population": 30, "generations": 3}})
PAPER = changed_params(PRESETS["paper"], {"genetic": {"population": 30, "generations": 3}})
pytestmark = pytest.mark.compiled


def as_given(puzzle: Puzzle) -> Puzzle:
    """The puzzle as a heap of pieces: of the freest type, without a frame."""
    kind = PuzzleType.TYPE_4 if puzzle.faces == 2 else PuzzleType.TYPE_2
    return replace(puzzle, type=kind, type_told=False, rows=0, columns=0)


@pytest.mark.parametrize("size", [28, (28, 42), (21, 28)])
@pytest.mark.parametrize("type", [1, 2])
def test_whether_pieces_are_turned(photos: tuple[Pixels, Pixels], type: int, size: int | tuple[int, int]) -> None:
    puzzle = Puzzle.from_image(photos[0], type=type, size=size, crop=True)
    found, said = settle_type(as_given(puzzle))
    assert (int(found.type), found.type_told) == (type, True)
    assert ("no piece is turned" in said) == (type == 1)


@pytest.mark.parametrize("type", [4, 5])
def test_whether_pieces_of_two_faces_are_turned(photos: tuple[Pixels, Pixels], type: int) -> None:
    puzzle = Puzzle.from_image(photos[0], back=photos[1], type=type, size=28, crop=True)
    assert int(settle_type(as_given(puzzle))[0].type) == type


def test_where_it_is_not_clear_the_type_is_the_freer_one() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (40, 60, 3), np.uint8)
    found, said = settle_type(as_given(Puzzle.from_image(noise, type=1, size=10)))
    assert int(found.type) == 2
    assert "may be turned" in said


def test_certain_pairs_are_true(photos: tuple[Pixels, Pixels]) -> None:
    """Nearly all of them, found from either side and of both faces."""
    puzzle = Puzzle.from_image(photos[0], back=photos[1], type=4, size=28, crop=True)
    assert puzzle.truth is not None
    one, other = certain_pairs(puzzle)
    up = puzzle.truth.up_edges(2).astype(np.int64)
    true = {
        frozenset((int(a - a % 4 + (a + direction) % 4), int(b - b % 4 + (b + direction + 2) % 4)))
        for direction, here, there in ((1, up[:, :-1], up[:, 1:]), (2, up[:-1], up[1:]))
        for a, b in zip(here.ravel(), there.ravel(), strict=True)
    }
    fronts = [frozenset(pair) for pair in zip(one.tolist(), other.tolist(), strict=True)]
    shown = [pair for pair in fronts if any(edge // 4 in set((up // 4).ravel().tolist()) for edge in pair)]
    assert len(shown) > 100
    assert np.mean([pair in true for pair in shown]) > 0.98


def test_frames_are_all_that_have_as_many_cells() -> None:
    assert frames_of(as_given(small_puzzle("distinct", 2, rows=3, columns=4))) == [(3, 4), (2, 6), (1, 12)]
    standing = {(1, 12), (2, 6), (3, 4), (4, 3), (6, 2), (12, 1)}
    assert set(frames_of(small_puzzle("distinct", 1, rows=3, columns=4))) == standing
    assert set(frames_of(small_puzzle("oblong", 2, rows=3, columns=4))) == standing


@pytest.mark.parametrize("params", [FEW, PAPER], ids=["best", "paper"])
@pytest.mark.parametrize(("type", "size"), [(1, 28), (2, 28), (2, (42, 28))])
def test_the_frame_is_found(
    photos: tuple[Pixels, Pixels], params: Params, type: int, size: int | tuple[int, int]
) -> None:
    puzzle = Puzzle.from_image(photos[0], type=type, size=size, crop=True)
    result = solve(replace(puzzle, rows=0, columns=0), params=params)
    assert {result.puzzle.rows, result.puzzle.columns} == {puzzle.rows, puzzle.columns}
    assert puzzle.truth is not None
    assert score(result.arrangement, puzzle.truth, puzzle).neighbor > (0.98 if params is FEW else 0.8)
    assert any("frame of" in note for note in result.notes)


def test_frames_do_not_depend_on_threads(photos: tuple[Pixels, Pixels]) -> None:
    puzzle = replace(Puzzle.from_image(photos[0], type=2, size=28, crop=True), rows=0, columns=0)
    lists = prepare(puzzle, FEW.objective).lists
    assert weigh_frames(puzzle, lists, FEW, threads=1) == weigh_frames(puzzle, lists, FEW, threads=2)


def test_pieces_that_make_no_rectangle_are_refused(photos: tuple[Pixels, Pixels]) -> None:
    puzzle = Puzzle.from_image(photos[0], type=2, size=28, crop=True)
    kept = puzzle.pixels[: puzzle.num_pieces - 7].copy()
    heap = Puzzle(kept, PuzzleType(2), 0, 0)
    with pytest.raises(BadInputError, match=r"make no rectangle.*--frame"):
        settle_frame(heap, prepare(heap, FEW.objective).lists, FEW)


def test_worn_pieces_are_only_warned_of(photos: tuple[Pixels, Pixels]) -> None:
    """With few certain seams a broken frame may be the right one."""
    puzzle = Puzzle.from_image(photos[0], type=2, size=28, crop=True)
    kept = puzzle.pixels[: puzzle.num_pieces - 7].astype(int)
    worn = (kept + np.random.default_rng(0).normal(0, 5, kept.shape)).clip(0, 255).astype(np.uint8)
    heap = Puzzle(worn, PuzzleType(2), 0, 0)
    with pytest.warns(PuzzleWarning, match="may make no rectangle"):
        settle_frame(heap, prepare(heap, FEW.objective).lists, FEW)


def test_the_grid_of_a_shuffled_picture_is_preferred() -> None:
    """A picture of one color fits any frame equally well."""
    heap = Puzzle(np.full((12, 1, 4, 4, 3), 9, np.uint8), PuzzleType(1), 0, 0, laid=(6, 2))
    settled, _ = settle_frame(heap, prepare(heap, FEW.objective).lists, FEW)
    assert (settled.rows, settled.columns) == (6, 2)


def test_worn_pieces_teach_the_default_measure_and_mute_the_others(photos: tuple[Pixels, Pixels]) -> None:
    """Lists stay those of the puzzle that was given."""
    shuffled = np.random.default_rng(0).permutation(
        Puzzle.from_image(photos[0][:168, :252], type=1, size=28).pixels[:, 0]
    )
    sheet = Image.fromarray(shuffled.reshape(6, 9, 28, 28, 3).swapaxes(1, 2).reshape(168, 252, 3))
    sheet.save(file := BytesIO(), "JPEG", quality=75)
    puzzle = Puzzle.from_picture(np.asarray(Image.open(file)), size=28, type=1, frame=(6, 9))
    assert puzzle.examples is not None
    assert puzzle.compared is not None
    best, paper = (prepare(puzzle, params.objective).measured for params in (FEW, PAPER))
    assert best.puzzle == paper.puzzle == puzzle.digest
    assert best.descriptors.depth == 3
    gray = replace(puzzle, compared=muted(puzzle.compared), examples=None)
    np.testing.assert_array_equal(paper.candidates, prepare(gray, PAPER.objective).measured.candidates)


def test_a_plainly_better_frame_overrules_the_grid(photos: tuple[Pixels, Pixels]) -> None:
    """Tiles that somebody laid out in other rows than those of the picture."""
    puzzle = Puzzle.from_image(photos[0], type=1, size=28, crop=True)
    heap = replace(puzzle, rows=0, columns=0, laid=(puzzle.num_pieces // 6, 6))
    settled, _ = settle_frame(heap, prepare(heap, FEW.objective).lists, FEW)
    assert (settled.rows, settled.columns) == (puzzle.rows, puzzle.columns)


def test_long_frames_of_many_pieces_are_not_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The squarest one is, however long it is."""
    heap = Puzzle(np.random.default_rng(0).integers(0, 256, (14, 1, 4, 4, 3), np.uint8), PuzzleType(1), 0, 0)
    lists = prepare(heap, FEW.objective).lists
    assert len(weigh_frames(heap, lists, FEW)) == 4
    monkeypatch.setattr(settling, "LONGEST", 7)
    assert {(each.rows, each.columns) for each in weigh_frames(heap, lists, FEW)} == {(2, 7), (7, 2)}
    monkeypatch.setattr(settling, "LONGEST", 3)
    assert [(each.rows, each.columns) for each in weigh_frames(heap, lists, FEW)] == [(2, 7)]


def test_a_frame_that_native_code_cannot_number_is_refused() -> None:
    puzzle = Puzzle(np.zeros((20_000, 1, 2, 2, 3), np.uint8), PuzzleType(1), 1, 20_000)
    with pytest.raises(TooLargeError, match="20,000 pieces long is too long; 16,382"):
        solve(puzzle, params=PAPER)
