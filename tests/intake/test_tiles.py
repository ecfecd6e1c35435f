"""Tiles as files: their order, their faces, and what is refused."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rectoverso.errors import BadInputError, PuzzleWarning, TooLargeError
from rectoverso.images.files import Pixels
from rectoverso.intake import sources
from rectoverso.intake.anything import About, read_heap
from rectoverso.intake.names import face_of, match_backs, natural_key, pair_faces
from rectoverso.puzzle.puzzle import Puzzle


def tile(number: int, height: int = 4, width: int = 4) -> Pixels:
    """A tile that is told from all others by its color."""
    return np.full((height, width, 3), (number, 2 * number, 255 - number), np.uint8)


def encoded(pixels: Pixels) -> bytes:
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def write_tiles(folder: Path, names: Iterable[str]) -> Path:
    """A folder of tiles, in the order of their names, numbered from 0."""
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(encoded(tile(number)))
    return folder


def numbers(pixels: Pixels) -> list[int]:
    """The numbers of the tiles of one face."""
    return pixels[:, 0, 0, 0].tolist()


def test_numbers_in_names_count() -> None:
    names = ["tile10.png", "tile9.png", "Tile1.png", "tile01.png", "x/2.png", "tile.png"]
    assert sorted(names, key=natural_key) == [
        "Tile1.png",
        "tile01.png",
        "tile9.png",
        "tile10.png",
        "tile.png",
        "x/2.png",
    ]


@given(st.lists(st.text(max_size=8), max_size=12))
def test_the_order_does_not_depend_on_the_order_given(names: list[str]) -> None:
    backwards = names[::-1]
    assert sorted(names, key=natural_key) == sorted(backwards, key=natural_key)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("07_front.png", ("07", 0)),
        ("07-BACK.png", ("07", 1)),
        ("07.recto.png", ("07", 0)),
        ("tiles/7verso.tif", ("tiles/7", 1)),
        ("12a.png", ("12", 0)),
        ("12b.png", ("12", 1)),
        ("back/3/12.png", ("3/12", 1)),
        ("a.png", None),
        ("07.png", None),
    ],
)
def test_names_tell_the_face(name: str, found: tuple[str, int] | None) -> None:
    assert face_of(name) == found


def test_pairs_by_name_are_in_natural_order() -> None:
    names = ["10_verso.png", "10_recto.png", "9_verso.png", "9_recto.png"]
    assert pair_faces(names) == [("9_recto.png", "9_verso.png"), ("10_recto.png", "10_verso.png")]


def test_names_that_only_look_like_faces_are_pieces() -> None:
    """Random names may end in a or b."""
    assert pair_faces(["3a.png", "4b.png", "5c.png"]) == [("3a.png",), ("4b.png",), ("5c.png",)]
    assert pair_faces(["1a.png", "2a.png", "3b.png"]) == [("1a.png",), ("2a.png",), ("3b.png",)]


def test_a_missing_face_is_named() -> None:
    with pytest.raises(BadInputError, match=r"2_front\.png has no back"):
        pair_faces(["1_front.png", "1_back.png", "2_front.png", "3_back.png", "3_front.png"])


def test_backs_are_matched_by_name_or_by_order() -> None:
    assert match_backs(["1.png", "2.png"], ["2.jpg", "1.jpg"]) == ["1.jpg", "2.jpg"]
    assert match_backs(["1.png", "2.png"], ["b10.png", "b9.png"]) == ["b9.png", "b10.png"]
    with pytest.raises(BadInputError, match="2 fronts and 1 backs"):
        match_backs(["1.png", "2.png"], ["1.png"])


@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_or_a_zip_of_tiles(tmp_path: Path, packed: bool) -> None:
    folder = write_tiles(tmp_path / "tiles", ["p1.png", "p2.png", "p10.png", "sub/p0.png"])
    (folder / "notes.txt").write_text("not a tile")
    (folder / ".hidden.png").write_text("not a picture")
    place = folder
    if packed:
        place = tmp_path / "tiles.zip"
        with zipfile.ZipFile(place, "w") as archive:
            for path in sorted(folder.rglob("*"), reverse=True):
                if path.is_file():
                    archive.write(path, path.relative_to(folder).as_posix())
    heap = read_heap([place])
    assert heap.names == ("p1.png", "p2.png", "p10.png", "sub/p0.png")
    assert numbers(heap.pixels[:, 0]) == [0, 1, 2, 3]
    assert (heap.name, heap.pixels.shape) == ("tiles", (4, 1, 4, 4, 3))
    assert "1 other file was left out" in heap.notes[-1]


def test_tile_files_and_patterns(tmp_path: Path) -> None:
    folder = write_tiles(tmp_path, ["1.png", "2.png", "10.png"])
    (folder / "other.bmp").write_bytes(encoded(tile(9)))
    named = read_heap([folder / "10.png", folder / "1.png"])
    assert numbers(named.pixels[:, 0]) == [0, 2]
    assert numbers(read_heap([folder / "*.png"]).pixels[:, 0]) == [0, 1, 2]
    with pytest.raises(BadInputError, match="No picture file is named like"):
        read_heap([folder / "*.webp"])


def test_both_faces(tmp_path: Path) -> None:
    by_name = write_tiles(tmp_path / "by-name", ["1_front.png", "1_back.png", "2_front.png", "2_back.png"])
    heap = read_heap([by_name])
    assert [numbers(heap.pixels[:, face]) for face in range(2)] == [[0, 2], [1, 3]]
    assert heap.names == ("1_front.png", "2_front.png")
    fronts, backs = (write_tiles(tmp_path / name, ["1.png", "2.png", "3.png"]) for name in ("fronts", "backs"))
    heap = read_heap([fronts], About(back=backs))
    assert heap.pixels.shape == (3, 2, 4, 4, 3)
    assert Puzzle.from_heap(heap).type == 4


def test_a_peculiarity_is_told_once(tmp_path: Path) -> None:
    for number in range(3):
        Image.new("RGBA", (4, 4), (number, 0, 0, 100)).save(tmp_path / f"my {number}.png")
    with pytest.warns(PuzzleWarning) as said:
        read_heap([tmp_path])
    assert [str(each.message) for each in said] == [
        "my 0.png has transparent parts; they are laid on white. (and so it is with 2 more files)"
    ]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (
            lambda folder: (folder / "3.png").write_bytes(encoded(tile(3, 5, 4))),
            r"one size: 3 are 4x4 .*3\.png \(4x5\)",
        ),
        (lambda folder: (folder / "3.png").write_bytes(b"no picture"), r"3\.png is not a picture"),
        (lambda folder: [path.unlink() for path in folder.iterdir()], "holds no picture files"),
    ],
)
def test_bad_folders_are_explained(tmp_path: Path, spoil: object, says: str) -> None:
    folder = write_tiles(tmp_path / "tiles", ["0.png", "1.png", "2.png", "3.png"])
    spoil(folder)  # type: ignore[operator]
    with pytest.raises(BadInputError, match=says):
        read_heap([folder])


def test_tiles_that_lie_on_their_side_are_named(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.png").write_bytes(encoded(tile(number, *((4, 6) if number else (6, 4)))))
    with pytest.raises(BadInputError, match=r"3 are 6x4 pixels, but not 0\.png \(4x6\)\. Turn the ones"):
        read_heap([tmp_path])


def test_damaged_and_dishonest_zips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "tiles.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.png", encoded(tile(number)))
    whole = place.read_bytes()
    place.write_bytes(whole[:60] + b"\0" * 20 + whole[80:])
    with pytest.raises(BadInputError):
        read_heap([place])
    place.write_bytes(whole)
    monkeypatch.setattr(sources, "MAX_FILES", 2)
    with pytest.raises(TooLargeError, match="3 files"):
        read_heap([place])


def test_what_is_not_there_or_does_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="does not exist"):
        read_heap([tmp_path / "nothing"])
    folder = write_tiles(tmp_path / "tiles", ["1.png", "2.png"])
    with pytest.raises(BadInputError, match="--size is for one picture"):
        read_heap([folder], About(size=(4, 4)))
    with pytest.raises(BadInputError, match="is a folder"):
        read_heap([folder, folder / "1.png"])


def test_arrays_become_a_puzzle() -> None:
    tiles = [tile(number, 4, 6) for number in range(6)]
    puzzle = Puzzle.from_arrays(tiles, backs=tiles[::-1], frame=(2, 3))
    assert (puzzle.num_pieces, puzzle.faces, puzzle.rows, puzzle.type_told) == (6, 2, 2, False)
    with pytest.raises(BadInputError, match="one size"):
        Puzzle.from_arrays([tile(0), tile(1, 5, 5)])
    with pytest.raises(BadInputError, match="whole numbers"):
        Puzzle.from_arrays([tile(0) / 255.0, tile(1) / 255.0])
    with pytest.raises(BadInputError, match="No tiles"):
        Puzzle.from_arrays([])


def test_known_locations_need_a_frame() -> None:
    tiles = [tile(number) for number in range(6)]
    puzzle = Puzzle.from_arrays(tiles, type=3, frame=(2, 3))
    assert puzzle.homes is not None
    assert puzzle.homes.tolist() == list(range(6))
    with pytest.raises(BadInputError, match="give the frame"):
        Puzzle.from_arrays(tiles, type=3)
