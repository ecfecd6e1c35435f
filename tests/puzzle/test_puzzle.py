"""Puzzles cut from pictures, and their files."""

from __future__ import annotations

import gc
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from helpers import picture, small_puzzle

from rectoverso.errors import BadInputError
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.files import load_puzzle, load_solution, load_truth, save_puzzle, save_solution
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.render import render, render_heap
from rectoverso.puzzle.types import PuzzleType

TYPES = {
    1: (True, False, False),
    2: (True, True, False),
    3: (False, True, False),
    4: (True, True, True),
    5: (True, False, True),
    6: (False, True, True),
    7: (False, False, True),
}


@pytest.mark.parametrize("type", TYPES)
def test_types_are_the_papers_table(type: int) -> None:
    """Unknown location, rotation and face as in the paper's first table."""
    kind = PuzzleType(type)
    assert (kind.location_unknown, kind.rotation_unknown, kind.two_sided) == TYPES[type]


@pytest.mark.parametrize("type", TYPES)
def test_cut_hides_just_what_the_type_says(type: int) -> None:
    """Rotations and faces vary only where they are unknown, and cells are given only where they are known."""
    puzzle = small_puzzle("distinct", type, rows=4, columns=5)
    truth = puzzle.truth
    assert truth is not None
    assert (len(np.unique(truth.rotation)) > 1) == TYPES[type][1]
    assert (len(np.unique(truth.face)) > 1) == TYPES[type][2]
    assert (puzzle.homes is None) == TYPES[type][0]
    if puzzle.homes is not None:
        assert (truth.piece.ravel()[puzzle.homes] == np.arange(20)).all()


@pytest.mark.parametrize("type", TYPES)
def test_cut_then_render_is_the_identity(type: int) -> None:
    """The truth shows the pictures that were cut, on both faces."""
    front, back = picture("distinct", 12, 20), picture("distinct", 12, 20, seed=5)
    puzzle = Puzzle.from_image(front, back=back if TYPES[type][2] else None, type=type, size=4, seed=9)
    assert puzzle.truth is not None
    np.testing.assert_array_equal(render(puzzle, puzzle.truth), front)
    if TYPES[type][2]:
        np.testing.assert_array_equal(render(puzzle, puzzle.truth, back=True), back)


def test_heap_shows_the_pieces_as_given() -> None:
    """Piece 1 lies second in the first row."""
    puzzle = small_puzzle("distinct", 4)
    np.testing.assert_array_equal(render_heap(puzzle, back=True)[:4, 4:8], puzzle.pixels[1, 1])


def test_a_one_sided_puzzle_has_no_back() -> None:
    """Asking for it is explained."""
    puzzle = small_puzzle("distinct", 2)
    assert puzzle.truth is not None
    with pytest.raises(BadInputError, match="have no back"):
        render(puzzle, puzzle.truth, back=True)


def test_empty_cells_are_gray() -> None:
    """A cell without a piece is seen as such."""
    puzzle = small_puzzle("distinct", 1)
    assert (render(puzzle, Arrangement.of([[-1, 0]]))[:4, :4] == 128).all()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"type": 9}, "no puzzle type 9"),
        ({"type": 4}, "give the picture on the back"),
        ({"type": 2, "back": picture("flat", 12, 20)}, "one face"),
        ({"back": picture("flat", 20, 12)}, "The front is 20x12 pixels and the back 12x20"),
        ({"size": 1}, "too small"),
    ],
)
def test_bad_cuts_are_explained(arguments: dict[str, object], says: str) -> None:
    """One sentence for each thing that cannot be cut."""
    with pytest.raises(BadInputError, match=says):
        Puzzle.from_image(picture("distinct", 12, 20), **{"size": 4, **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", ["folder", "packed.zip"])
def test_files_round_trip(tmp_path: Path, type: int, name: str) -> None:
    """A puzzle read back is the puzzle that was written; the truth comes only when asked for."""
    puzzle = small_puzzle("distinct", type)
    assert puzzle.truth is not None
    save_puzzle(puzzle, tmp_path / name)
    again = load_puzzle(tmp_path / name)
    np.testing.assert_array_equal(again.pixels, puzzle.pixels)
    assert again.digest == puzzle.digest
    assert again.truth is None
    assert load_truth(tmp_path / name, again) == puzzle.truth


def test_reading_leaves_memory_sound(tmp_path: Path) -> None:
    """The types that files are read by are walked by the garbage collector; it crashed on one of them."""
    save_puzzle(small_puzzle("distinct", 2), tmp_path / "made")
    load_puzzle(tmp_path / "made")
    gc.collect()


def test_loading_never_opens_the_truth(tmp_path: Path) -> None:
    """A broken truth does not disturb the puzzle."""
    save_puzzle(small_puzzle("distinct", 2), tmp_path / "p")
    (tmp_path / "p" / "truth.json").write_text("broken")
    puzzle = load_puzzle(tmp_path / "p")
    with pytest.raises(BadInputError, match=r"truth\.json is not valid"):
        load_truth(tmp_path / "p", puzzle)


def test_solution_file_has_the_common_form(tmp_path: Path) -> None:
    """Boards row by row with null for an empty cell, as other programs read them."""
    puzzle = small_puzzle("distinct", 2, rows=1, columns=3)
    save_solution(Arrangement.of([[2, -1, 0]], [[1, 0, 3]]), puzzle, tmp_path / "s.json", {"seed": 5})
    board = json.loads((tmp_path / "s.json").read_text())["boards"][0]
    assert board == {"rows": 1, "columns": 3, "piece": [2, None, 0], "rotation": [1, 0, 3], "face": [0, 0, 0]}
    assert load_solution(tmp_path / "s.json", puzzle).piece.tolist() == [[2, -1, 0]]


def test_a_bare_board_is_a_solution(tmp_path: Path) -> None:
    """Other programs need to write nothing but the boards; faces may be left out."""
    board = {"rows": 1, "columns": 3, "piece": [2, 1, 0], "rotation": [0, 0, 0]}
    (tmp_path / "s.json").write_text(json.dumps({"boards": [board]}))
    assert load_solution(tmp_path / "s.json", small_puzzle("distinct", 2, rows=1, columns=3)).piece.tolist() == [
        [2, 1, 0]
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"piece": [0, 0, 1]}, "at most once"),
        ({"piece": [0, 1, 3]}, "from 0 to 2"),
        ({"piece": [0, 1]}, "needs 3 pieces"),
        ({"rotation": [0, 0, 4]}, "rotations of 0, 1, 2, 3 and"),
        ({"face": [0, 0, 1]}, "faces from 0 to 0"),
        ({"piece": "all"}, "not valid"),
    ],
)
def test_bad_boards_are_explained(tmp_path: Path, change: dict[str, object], says: str) -> None:
    """One sentence for each way a board can be wrong."""
    board = {"rows": 1, "columns": 3, "piece": [2, 1, 0], "rotation": [0, 0, 0]} | change
    (tmp_path / "s.json").write_text(json.dumps({"boards": [board]}))
    with pytest.raises(BadInputError, match=says):
        load_solution(tmp_path / "s.json", small_puzzle("distinct", 2, rows=1, columns=3))


def edited(path: Path, **changes: object) -> None:
    about = json.loads((path / "puzzle.json").read_text()) | changes
    (path / "puzzle.json").write_text(json.dumps(about))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"version": 2}, "version 2; this rectoverso reads up to 1"),
        ({"format": "other"}, "'other' file"),
        ({"type": 8}, "says type 8"),
        ({"type": 4}, "names the faces"),
        ({"pieces": 1}, "at least 2 pieces"),
        ({"piece_size": 5}, "pieces of 5x5 pixels make"),
        ({"rows": 4}, "15 pieces for a frame of 4x5"),
        ({"homes": [0] * 15}, "Each piece's cell is given in puzzles of type 3, 6 and 7 only"),
        ({"digest": "00"}, "not the ones"),
    ],
)
def test_bad_puzzle_files_are_explained(tmp_path: Path, changes: dict[str, object], says: str) -> None:
    """One sentence for each way a puzzle can be wrong."""
    save_puzzle(small_puzzle("distinct", 2), tmp_path / "p")
    edited(tmp_path / "p", **changes)
    with pytest.raises(BadInputError, match=says):
        load_puzzle(tmp_path / "p")


def test_homes_must_be_cells_of_their_own(tmp_path: Path) -> None:
    """Two pieces in one cell are refused."""
    save_puzzle(small_puzzle("distinct", 3), tmp_path / "p")
    edited(tmp_path / "p", homes=[0] * 15)
    with pytest.raises(BadInputError, match="a cell of its own"):
        load_puzzle(tmp_path / "p")


def test_zip_files_are_not_trusted(tmp_path: Path) -> None:
    """Names that point outside are refused, and so is what is no zip file."""
    save_puzzle(small_puzzle("distinct", 2), tmp_path / "p.zip")
    with zipfile.ZipFile(tmp_path / "p.zip", "a") as archive:
        archive.writestr("../evil", "x")
    with pytest.raises(BadInputError, match="points outside"):
        load_puzzle(tmp_path / "p.zip")
    (tmp_path / "q.zip").write_text("no zip")
    with pytest.raises(BadInputError, match="not a folder or an intact"):
        load_puzzle(tmp_path / "q.zip")


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    """Saving never mixes a puzzle into another folder."""
    (tmp_path / "thesis.tex").write_text("precious")
    (tmp_path / "other.zip").write_text("precious, too")
    for place in (tmp_path, tmp_path / "other.zip"):
        with pytest.raises(BadInputError, match="is no puzzle"):
            save_puzzle(small_puzzle("distinct", 2), place)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other.zip", "thesis.tex"]
    assert (tmp_path / "other.zip").read_text() == "precious, too"


def test_what_files_are_decoded_into_survives_the_garbage_collector(tmp_path: Path) -> None:
    """A library that keeps what it knows of a type badly crashes when that is looked at."""
    import gc

    puzzle = small_puzzle("distinct", 3)
    save_puzzle(puzzle, tmp_path / "puzzle")
    load_truth(tmp_path / "puzzle", load_puzzle(tmp_path / "puzzle"))
    for _ in range(3):
        gc.collect()
