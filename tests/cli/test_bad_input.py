"""What a person gets wrong: one clear sentence, an exit code, and nothing left behind."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from rectoverso import storage

Refused = Callable[..., str]


def edit(file: Path, **changes: Any) -> None:
    """Change entries of a JSON file."""
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """Where nothing must be after a refusal."""
    return tmp_path / "output"


def cut_refused(refused: Refused, output: Path, *args: object, code: int = 3) -> str:
    """The sentence with which a cut was refused; nothing was written."""
    sentence = refused("cut", *args, "-o", output, code=code)
    assert not output.exists()
    return sentence


def test_not_an_image(refused: Refused, tmp_path: Path, output: Path) -> None:
    """A text file is not a picture."""
    (tmp_path / "notes.txt").write_text("not a picture")
    assert "notes.txt is not a picture" in cut_refused(refused, output, tmp_path / "notes.txt")


def test_truncated_image(refused: Refused, front: Path, output: Path) -> None:
    """Half a picture file cannot be decoded."""
    front.write_bytes(front.read_bytes()[:5000])
    assert "front.png cannot be decoded" in cut_refused(refused, output, front)


def test_missing_image(refused: Refused, tmp_path: Path, output: Path) -> None:
    """A file that is not there."""
    assert "nowhere.png does not exist" in cut_refused(refused, output, tmp_path / "nowhere.png")


def test_folder_instead_of_image(refused: Refused, tmp_path: Path, output: Path) -> None:
    """A folder is not a picture."""
    assert "is a folder" in cut_refused(refused, output, tmp_path)


def test_size_that_does_not_divide(refused: Refused, front: Path, output: Path) -> None:
    """The sentence says what --crop would cut."""
    sentence = cut_refused(refused, output, front, "--size", 30)
    assert "--crop would cut it to 120x90 (20 pixels less wide, 22 less high)" in sentence


def test_faces_of_different_size(refused: Refused, front: Path, back: Path, output: Path) -> None:
    """Front and back need the same size, and both sizes are named."""
    Image.open(back).resize((112, 140)).save(back)
    sentence = cut_refused(refused, output, front, "--back", back)
    assert "140x112" in sentence
    assert "112x140" in sentence


def test_one_piece(refused: Refused, front: Path, output: Path) -> None:
    """A picture that makes one piece is no puzzle."""
    assert "makes 1 piece" in cut_refused(refused, output, front, "--size", 100, "--crop")


@pytest.mark.parametrize(("type", "with_back"), [(4, False), (1, True)])
def test_type_and_faces_disagree(
    refused: Refused, front: Path, back: Path, output: Path, type: int, with_back: bool
) -> None:
    """Types 1 to 3 have one face, the others two."""
    backs = ("--back", back) if with_back else ()
    assert f"Type {type}" in cut_refused(refused, output, front, "--type", type, *backs)


def test_too_large_image(refused: Refused, tmp_path: Path, output: Path) -> None:
    """A picture over the limit is exit code 4."""
    Image.new("1", (21_000, 20_000)).save(tmp_path / "large.png")
    assert "has 420 megapixels; at most 400 are read" in cut_refused(refused, output, tmp_path / "large.png", code=4)
    Image.new("1", (2000, 1000)).save(tmp_path / "large.png")
    less = ("--max-megapixels", 1)
    assert "has 2 megapixels; at most 1 are read" in cut_refused(refused, output, tmp_path / "large.png", *less, code=4)


def test_cut_over_something_else(refused: Refused, front: Path, output: Path) -> None:
    """A folder with other things in it is left as it is."""
    output.mkdir()
    (output / "diary.txt").write_text("dear diary")
    assert "is no puzzle" in refused("cut", front, "-o", output)
    assert [path.name for path in output.iterdir()] == ["diary.txt"]


@pytest.mark.parametrize("name", ["below", "below.zip"])
def test_cut_to_an_unwritable_place(refused: Refused, front: Path, name: str) -> None:
    """Nothing can be written below a file."""
    assert "cannot be written" in refused("cut", front, "-o", front / name)


def test_solve_to_an_unwritable_place(
    refused: Refused, puzzle: Path, front: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An output that cannot be written is refused before the solve starts."""
    monkeypatch.setattr("rectoverso.cli.run.solve", None)
    assert "cannot be written" in refused("solve", puzzle, "-o", front / "below")
    assert "cannot be written" in refused("solve", puzzle, "-o", front)
    assert "cannot be written" in refused("demo", "-o", front)


def test_solve_into_a_puzzle(refused: Refused, puzzle: Path) -> None:
    """The pictures of a solution must not overwrite the pieces, which have the same names."""
    before = (puzzle / "front.png").read_bytes()
    assert "holds a puzzle" in refused("solve", puzzle, "-o", puzzle)
    assert "holds a puzzle" in refused("demo", "-o", puzzle)
    assert (puzzle / "front.png").read_bytes() == before
    assert not (puzzle / "puzzle").exists()


def solve_refused(refused: Refused, puzzle: Path, output: Path, code: int = 3) -> str:
    """The sentence with which a solve was refused; info says the same, and nothing was written."""
    sentence = refused("solve", puzzle, "-o", output, code=code)
    assert not output.exists()
    assert refused("info", puzzle, code=code) == sentence
    return sentence


@pytest.mark.parametrize("format", ["EPS", "JPEG"])
def test_pieces_that_are_no_png(refused: Refused, puzzle: Path, output: Path, format: str) -> None:
    """The pieces of a puzzle are a PNG file, and nothing else is decoded in its place."""
    Image.new("RGB", (56, 56)).save(puzzle / "front.png", format)
    assert "front.png is not a PNG file" in solve_refused(refused, puzzle, output)


def test_missing_puzzle(refused: Refused, tmp_path: Path, output: Path) -> None:
    """A puzzle that is not there, or a folder that is none."""
    assert "nowhere does not exist" in solve_refused(refused, tmp_path / "nowhere", output)
    (tmp_path / "empty").mkdir()
    assert "holds no picture files" in solve_refused(refused, tmp_path / "empty", output)


def test_whole_picture_instead_of_tiles(refused: Refused, front: Path, output: Path) -> None:
    """A picture that was never cut has no tiles."""
    assert "front shows no cuts between tiles" in solve_refused(refused, front, output)


def test_missing_face(refused: Refused, puzzle: Path, output: Path) -> None:
    """A puzzle whose pieces are missing."""
    (puzzle / "front.png").unlink()
    assert "front.png does not exist" in solve_refused(refused, puzzle, output)


@pytest.mark.parametrize("text", ["{", "", "[]", '{"format": "rectoverso/puzzle"}', "\ufeff\ufeff", '"\n"'])
def test_broken_json(refused: Refused, puzzle: Path, output: Path, text: str) -> None:
    """Text that is not what a puzzle.json should be."""
    (puzzle / "puzzle.json").write_text(text)
    assert "puzzle.json is not valid" in solve_refused(refused, puzzle, output)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"type": 8}, "says type 8"),
        ({"type": "two"}, "is not valid"),
        ({"type": 4}, "names the faces"),
        ({"version": 2}, "has version 2"),
        ({"format": "rectoverso/solution"}, "'rectoverso/puzzle' is needed"),
        ({"rows": 5}, "20 pieces for a frame of 5x5"),
        ({"pieces": 1}, "at least 2 pieces"),
        ({"piece_size": 27}, "make 135x108"),
        ({"homes": [0, 1]}, "type 3, 6 and 7 only"),
        ({"digest": "00"}, "cut the puzzle again"),
        ({"faces": ["../../secret.png"]}, "names the faces"),
    ],
)
def test_wrong_puzzle_json(refused: Refused, puzzle: Path, output: Path, changes: dict[str, Any], words: str) -> None:
    """Each entry of puzzle.json that does not fit is named."""
    edit(puzzle / "puzzle.json", **changes)
    assert words in solve_refused(refused, puzzle, output)


def test_atlas_of_the_wrong_size(refused: Refused, puzzle: Path, output: Path) -> None:
    """The picture of the pieces must hold as many as puzzle.json says."""
    Image.new("RGB", (140, 28)).save(puzzle / "front.png")
    sentence = solve_refused(refused, puzzle, output)
    assert "front.png is 140x28 pixels" in sentence
    assert "make 140x112" in sentence


def zipped(puzzle: Path, **more: str) -> Path:
    """A puzzle as a zip file, with more files in it."""
    path = puzzle.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in puzzle.iterdir():
            archive.write(file, file.name)
        for name, text in more.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/outside.txt", "a/../../outside.txt"])
def test_zip_that_points_outside(refused: Refused, puzzle: Path, output: Path, name: str) -> None:
    """An archive with names that leave it is not opened at all."""
    assert "points outside" in solve_refused(refused, zipped(puzzle, **{name: "x"}), output)


def test_zip_bomb(refused: Refused, puzzle: Path, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive that unpacks to more than the limit is exit code 4."""
    path = zipped(puzzle)
    monkeypatch.setattr(storage, "MAX_UNPACKED", 1000)
    assert "would unpack to" in solve_refused(refused, path, output, code=4)


def test_truncated_zip(refused: Refused, puzzle: Path, output: Path) -> None:
    """Half an archive."""
    path = zipped(puzzle)
    path.write_bytes(path.read_bytes()[:2000])
    assert "is not a folder or an intact .zip file" in solve_refused(refused, path, output)


def both_refused(refused: Refused, puzzle: Path, solution: Path, output: Path) -> str:
    """The sentence with which score and render refuse a solution."""
    picture = output.with_suffix(".png")
    sentence = refused("render", puzzle, solution, "-o", picture)
    assert not picture.exists()
    assert refused("score", puzzle, solution) == sentence
    return sentence


def test_missing_solution(refused: Refused, puzzle: Path, tmp_path: Path, output: Path) -> None:
    """A solution that is not there."""
    assert "nowhere.json does not exist" in both_refused(refused, puzzle, tmp_path / "nowhere.json", output)


def test_solution_of_another_puzzle(
    refused: Refused, puzzle: Path, two_sided: Path, solution: Path, output: Path
) -> None:
    """A solution knows which puzzle it belongs to."""
    assert "belongs to another puzzle" in both_refused(refused, two_sided, solution, output)


def test_truth_instead_of_solution(refused: Refused, puzzle: Path, output: Path) -> None:
    """The truth is not taken for a solution by mistake."""
    assert "'rectoverso/solution' is needed" in both_refused(refused, puzzle, puzzle / "truth.json", output)


@pytest.mark.parametrize(
    ("table", "value", "words"),
    [
        ("piece", 3, "at most once"),
        ("piece", 20, "at most once"),
        ("piece", -1, "at most once"),
        ("piece", "x", "is not valid"),
        ("rotation", 4, "rotations of 0, 1, 2, 3 and"),
        ("face", 1, "faces from 0 to 0"),
    ],
)
def test_wrong_solution(
    refused: Refused, puzzle: Path, solution: Path, output: Path, table: str, value: object, words: str
) -> None:
    """A piece placed twice, a piece, rotation or face that does not exist."""
    board = json.loads(solution.read_text())["boards"][0]
    cell = next(index for index, piece in enumerate(board["piece"]) if piece != 3)
    board[table][cell] = value
    edit(solution, boards=[board])
    assert words in both_refused(refused, puzzle, solution, output)


@pytest.mark.parametrize("boards", [[], [{"rows": 4, "columns": 5, "piece": [0], "rotation": [0]}]])
def test_solution_without_a_full_board(
    refused: Refused, puzzle: Path, solution: Path, output: Path, boards: list[object]
) -> None:
    """A solution has one board with an entry for each cell."""
    edit(solution, boards=boards)
    assert "board" in both_refused(refused, puzzle, solution, output)


def test_score_without_truth(refused: Refused, puzzle: Path, solution: Path) -> None:
    """What is not known cannot be compared with."""
    (puzzle / "truth.json").unlink()
    assert "no truth.json" in refused("score", puzzle, solution)


def test_render_what_cannot_be(refused: Refused, puzzle: Path, solution: Path, tmp_path: Path) -> None:
    """A back that is not there, a format that is none, a place that cannot be written to."""
    assert "nothing on their back" in refused("render", puzzle, solution, "--back", "-o", tmp_path / "x.png")
    assert ".xyz is not a picture format" in refused("render", puzzle, solution, "-o", tmp_path / "x.xyz")
    assert "cannot be written" in refused("render", puzzle, solution, "-o", tmp_path / "nowhere" / "x.png")
    assert not list(tmp_path.glob("*x.*"))


def test_render_confidence_of_a_solution_that_has_none(
    refused: Refused, puzzle: Path, solution: Path, tmp_path: Path
) -> None:
    sentence = refused("render", puzzle, solution, "-o", tmp_path / "made.png", "--confidence")
    assert "does not say how sure it is; solve the puzzle again, or leave out --confidence" in sentence
    assert not (tmp_path / "made.png").exists()
