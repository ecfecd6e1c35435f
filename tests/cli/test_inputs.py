"""Anything that a person points at is solved with no option, and what was found out is said."""

from __future__ import annotations

import csv
import json
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from rectoverso.cli import commands
from rectoverso.images.files import Pixels

pytestmark = pytest.mark.compiled
QUICK = ("--preset", "quick")


def run(*arguments: str | Path, code: int = 0) -> Result:
    """A command that ends as it should."""
    result = CliRunner().invoke(commands, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def cut(picture: Pixels, height: int, width: int) -> list[Pixels]:
    """The tiles of a picture, row by row; written without the package."""
    rows, columns = picture.shape[0] // height, picture.shape[1] // width
    return [
        picture[r * height : (r + 1) * height, c * width : (c + 1) * width] for r in range(rows) for c in range(columns)
    ]


def laid(tiles: list[Pixels], columns: int) -> Pixels:
    """Tiles side by side."""
    rows = [np.concatenate(tiles[start : start + columns], axis=1) for start in range(0, len(tiles), columns)]
    return np.concatenate(rows)


def saved(pixels: Pixels, path: Path, **options: object) -> Path:
    Image.fromarray(np.ascontiguousarray(pixels)).save(path, **options)
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def photo(photos: tuple[Pixels, Pixels]) -> Pixels:
    """A photograph of 6 x 9 tiles of 56 pixels."""
    return photos[0][:336, :504]


def rightness(folder: Path, order: np.ndarray, columns: int) -> float:
    """The share of true neighbors side by side, for pieces that are not turned; ``order`` has the cell of each."""
    board = json.loads((folder / "solution.json").read_text())["boards"][0]
    cells = order[np.reshape(board["piece"], (board["rows"], board["columns"]))]
    right = np.count_nonzero(np.diff(cells, axis=1) == 1) + np.count_nonzero(np.diff(cells, axis=0) == columns)
    rows = len(order) // columns
    return right / (rows * (columns - 1) + (rows - 1) * columns)


@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_of_turned_tiles(here: Path, photo: Pixels, packed: bool) -> None:
    rng = np.random.default_rng(1)
    tiles, place = cut(photo, 56, 56), here / "heap"
    place.mkdir()
    for number, cell in enumerate(rng.permutation(len(tiles))):
        saved(np.rot90(tiles[cell], rng.integers(4)), place / f"t{number}.png")
    if packed:
        with zipfile.ZipFile(here / "heap.zip", "w") as archive:
            for path in place.iterdir():
                archive.write(path, path.name)
        place = here / "heap.zip"
    said = run("solve", place)
    assert "Type 2: pieces are turned" in said.stderr
    assert "frame of 6x9" in said.stderr
    assert "direct" not in said.stdout  # there is no truth, so nothing is scored
    solved = np.asarray(Image.open("heap-solved/front.png"))
    assert any(np.array_equal(np.rot90(solved, turns), photo) for turns in range(4))
    lines = list(csv.DictReader(Path("heap-solved/order.csv").read_text().splitlines()))
    assert [line["file"] for line in lines[:3]] == ["t0.png", "t1.png", "t2.png"]
    assert len({(line["row"], line["column"]) for line in lines}) == 54
    solution = json.loads(Path("heap-solved/solution.json").read_text())
    assert solution["files"][0] == "t0.png"
    assert run("render", place, "heap-solved", "-o", "again.png").exit_code == 0
    np.testing.assert_array_equal(np.asarray(Image.open("again.png")), solved)
    assert "not a rectoverso puzzle" in run("score", place, "heap-solved", code=3).stderr


@pytest.mark.parametrize("size", [(56, 56), (28, 84), (48, 36)])
def test_a_shuffled_picture(here: Path, photo: Pixels, size: tuple[int, int]) -> None:
    tiles, columns = cut(photo, *size), photo.shape[1] // size[1]
    order = np.random.default_rng(2).permutation(len(tiles))
    saved(laid([tiles[cell] for cell in order], columns), here / "shuffled.png")
    said = run("solve", "shuffled.png")
    assert f"{size[1]}x{size[0]} pixels" in said.stderr
    assert "no piece is turned" in said.stderr
    np.testing.assert_array_equal(np.asarray(Image.open("shuffled-solved/front.png")), photo)


def test_a_shuffled_picture_saved_as_jpeg(here: Path, photo: Pixels) -> None:
    tiles = cut(photo, 28, 28)
    order = np.random.default_rng(3).permutation(len(tiles))
    saved(laid([tiles[cell] for cell in order], 18), here / "shuffled.jpg", quality=90)
    said = run("solve", "shuffled.jpg")
    assert "saved as JPEG" in said.stderr.replace("\n         ", " ")
    assert rightness(here / "shuffled-solved", order, 18) > 0.9


def test_half_turns_of_oblong_tiles_and_their_backs(here: Path, photos: tuple[Pixels, Pixels]) -> None:
    rng = np.random.default_rng(4)
    fronts, backs = cut(photos[0][:336, :560], 28, 56), cut(photos[1][:336, :560], 28, 56)
    (here / "pieces").mkdir()
    for number, cell in enumerate(rng.permutation(len(fronts))):
        row, column = divmod(int(cell), 10)
        faces = [fronts[cell], backs[row * 10 + 9 - column]]
        if rng.integers(2):
            faces = [np.rot90(face, 2) for face in faces]
        if rng.integers(2):
            faces.reverse()
        for face, name in zip(faces, ("front", "back"), strict=True):
            saved(face, here / "pieces" / f"{number}_{name}.png")
    said = run("solve", "pieces")
    assert "Type 4" in said.stderr
    solved = [np.asarray(Image.open(f"pieces-solved/{name}.png")) for name in ("front", "back")]
    views = [np.rot90(face, turns) for face in solved for turns in (0, 2)]
    assert any(np.array_equal(view, photos[0][:336, :560]) for view in views)
    assert any(np.array_equal(view, photos[1][:336, :560]) for view in views)


def test_an_answer_that_is_what_was_given_is_suspicious(here: Path, photo: Pixels) -> None:
    """A whole picture cut into tiles that it never had."""
    saved(photo, here / "whole.png")
    assert "just as it was given, which is suspicious" in run("solve", "whole.png", "--size", "56").stderr


def test_which_way_up(here: Path, photo: Pixels) -> None:
    rng = np.random.default_rng(5)
    tiles = cut(photo, 56, 56)
    order, turns = rng.permutation(len(tiles)), rng.integers(0, 4, len(tiles))
    (here / "heap").mkdir()
    for number, (cell, turn) in enumerate(zip(order, turns, strict=True)):
        saved(np.rot90(tiles[cell], turn), here / "heap" / f"{number}.png")
    known = int(np.flatnonzero(turns == 0)[0])
    said = run("solve", "heap", "--up", f"{known}.png", "-o", "up")
    assert f"piece {known}.png lies as it was given" in said.stdout
    np.testing.assert_array_equal(np.asarray(Image.open("up/front.png")), photo)
    run("render", "heap", "up", "-o", "turned.png", "--turn", "90")
    np.testing.assert_array_equal(np.asarray(Image.open("turned.png")), np.rot90(photo, -1))
    run("render", "heap", "up", "-o", "mirrored.png", "--flip")
    np.testing.assert_array_equal(np.asarray(Image.open("mirrored.png")), photo[:, ::-1])
    assert "There is no piece 99.png" in run("solve", "heap", "--up", "99.png", code=3).stderr


def test_a_solve_of_tiles_is_resumed(here: Path, photo: Pixels) -> None:
    """The type and the frame are those that were found out the first time."""
    tiles = cut(photo, 56, 56)
    (here / "heap").mkdir()
    for number, cell in enumerate(np.random.default_rng(6).permutation(len(tiles))):
        saved(tiles[cell], here / "heap" / f"{number}.png")
    run("solve", "heap", *QUICK, "--checkpoint", "c", "--generations", "2", "-o", "first")
    run("solve", "heap", "--resume", "c", "--generations", "4", "-o", "second")
    run("solve", "heap", *QUICK, "--generations", "4", "-o", "whole")
    boards = [json.loads((here / name / "solution.json").read_text())["boards"] for name in ("second", "whole")]
    assert boards[0] == boards[1]


def test_check_says_what_was_understood(here: Path, photo: Pixels) -> None:
    tiles = cut(photo, 56, 56)
    tiles[3] = tiles[4]
    tiles[5] = np.full_like(tiles[5], 77)
    saved(laid([tiles[cell] for cell in np.random.default_rng(7).permutation(len(tiles))], 9), here / "shuffled.png")
    said = run("check", "shuffled.png").stdout
    for words in ("56x56 pixels", "Type 1", "6x9 breaks", "twins  2:", "flat  1:", "a solve  needs about"):
        assert words in said, said
    assert np.asarray(Image.open("shuffled-check.png")).shape[2] == 3
    told = json.loads(run("check", "shuffled.png", "--json").stdout)
    assert (told["rows"], told["columns"], len(told["twins"]), len(told["flat"])) == (6, 9, 2, 1)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nothing",), "nothing does not exist"),
        (("plain.png",), "shows no cuts between tiles"),
        (("plain.png", "--size", "17"), "do not divide"),
        (("plain.png", "--size", "10", "--type", "4"), "two faces"),
        (("plain.png", "--size", "10", "--frame", "7x7"), "for a frame of 7x7"),
        (("plain.png", "--max-megapixels", "0.001"), "at most 0.001"),
        (("empty",), "holds no picture files"),
    ],
)
def test_bad_inputs_are_explained(here: Path, arguments: tuple[str, ...], says: str) -> None:
    saved(np.full((40, 60, 3), 90, np.uint8), here / "plain.png")
    (here / "empty").mkdir()
    said = run("solve", *arguments, code=4 if "megapixels" in " ".join(arguments) else 3).stderr
    assert says in said
    assert said.count("\n") == 1
    assert sorted(path.name for path in here.iterdir()) == ["empty", "plain.png"]


def test_inputs_are_never_written_to(here: Path, photo: Pixels) -> None:
    (here / "heap").mkdir()
    for number, tile in enumerate(cut(photo, 56, 56)):
        saved(tile, here / "heap" / f"{number}.png")
    before = {path: path.read_bytes() for path in (here / "heap").iterdir()}
    run("solve", "heap", "-o", "heap", code=3)
    run("check", "heap")
    assert {path: path.read_bytes() for path in (here / "heap").iterdir()} == before


def test_a_zip_of_tiles_is_not_taken_for_a_puzzle(here: Path) -> None:
    file = BytesIO()
    Image.new("RGB", (8, 8)).save(file, "PNG")
    with zipfile.ZipFile("tiles.zip", "w") as archive:
        archive.writestr("only.png", file.getvalue())
    assert "at least 2 pieces" in run("solve", "tiles.zip", code=3).stderr
