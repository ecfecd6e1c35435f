"""Puzzles, truths and solutions as files; docs/formats.md describes them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import BadInputError, PuzzleError, one_line
from rectoverso.images.files import Pixels, encode_png, read_picture
from rectoverso.images.opening import MAX_MEGAPIXELS, check_megapixels
from rectoverso.images.tiles import TileSize, atlas_columns, cut_tiles, make_atlas
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.types import PuzzleType
from rectoverso.storage import MAX_TEXT, has_file, is_empty, kind_of, read_file, write_file, write_files
from rectoverso.swapping import PUZZLE, settle

VERSION = 1
MAX_GAP = 100
"""The largest gap that can be told, in pixels."""
MAX_NAME = 100
"""How many characters of a puzzle's name are read."""

Number = Annotated[int, msgspec.Meta(ge=-(2**31), lt=2**31)]
"""What a whole number in a file can be: larger ones would not fit the arrays."""
Pair = Annotated[list[Number], msgspec.Meta(min_length=2, max_length=2)]
"""Two whole numbers. It is a list and no tuple: msgspec 0.22 damages its memory for a union of an integer that has
bounds with a tuple of fixed length, and the garbage collector crashes on it."""
FACES = ("front.png", "back.png")


class PuzzleFile(msgspec.Struct, kw_only=True):
    """puzzle.json."""

    format: str = "rectoverso/puzzle"
    version: int = VERSION
    name: str = "puzzle"
    type: Number
    rows: Number
    columns: Number
    pieces: Number
    piece_size: Number | Pair
    """Pixels along a square piece, or the width and the height of other pieces."""
    faces: list[str]
    homes: list[Number] | None = None
    digest: str = ""

    @property
    def tile(self) -> TileSize:
        """The height and the width of a piece."""
        width, height = (self.piece_size,) * 2 if isinstance(self.piece_size, int) else self.piece_size
        return height, width


class Chances(Protocol):
    """How sure seams and pieces are, as :class:`rectoverso.Confidence` holds it."""

    @property
    def right(self) -> NDArray[np.float32]:
        """Of the seams to the right of a cell."""

    @property
    def down(self) -> NDArray[np.float32]:
        """Of the seams below a cell."""

    @property
    def pieces(self) -> NDArray[np.float32]:
        """Of the pieces."""


class BoardConfidence(msgspec.Struct):
    """How sure the seams and the pieces of a board are, row by row."""

    right: list[float]
    down: list[float]
    pieces: list[float]


class Board(msgspec.Struct, omit_defaults=True):
    """One board of a truth or a solution, row by row; null for an empty cell."""

    rows: Number
    columns: Number
    piece: list[Number | None]
    rotation: list[Number]
    face: list[Number] | None = None
    confidence: BoardConfidence | None = None


class BoardsFile(msgspec.Struct, kw_only=True):
    """truth.json and solution.json."""

    format: str = "rectoverso/solution"
    version: int = VERSION
    puzzle: str = ""
    boards: list[Board]
    files: list[str] | msgspec.UnsetType = msgspec.UNSET
    """What the pieces are called where they came from."""
    gap: Number | msgspec.UnsetType = msgspec.UNSET
    """How many pixels the pieces have lost at each side."""
    made: dict[str, Any] = {}


File = TypeVar("File", PuzzleFile, BoardsFile)


def save_puzzle(puzzle: Puzzle, path: Path | str) -> None:
    """Write a puzzle as a folder, or as one file if the path ends in .zip; the truth goes into a file of its own.

    What is there already is only replaced if it is a puzzle.
    """
    path = Path(path)
    there = kind_of(path)
    if there == "folder":
        settle(path)
    empty = there == "nothing" or (there == "folder" and is_empty(path))
    if not empty and not has_file(path, "puzzle.json"):
        raise BadInputError(f"{path} is there already and is no puzzle; choose another name.")
    about = PuzzleFile(
        name=puzzle.name,
        type=int(puzzle.type),
        rows=puzzle.rows,
        columns=puzzle.columns,
        pieces=puzzle.num_pieces,
        piece_size=puzzle.piece_width if puzzle.square else [puzzle.piece_width, puzzle.piece_height],
        faces=list(FACES[: puzzle.faces]),
        homes=None if puzzle.homes is None else puzzle.homes.tolist(),
        digest=puzzle.digest,
    )
    files = {"puzzle.json": _encode(about)}
    files |= {FACES[face]: encode_png(make_atlas(puzzle.pixels[:, face])) for face in range(puzzle.faces)}
    if puzzle.truth is not None:
        files["truth.json"] = _encode(_boards_file("rectoverso/truth", puzzle.truth, puzzle.digest))
    write_files(path, files, PUZZLE)


def load_puzzle(path: Path | str, max_megapixels: float = MAX_MEGAPIXELS) -> Puzzle:
    """Read a puzzle; its truth is left where it is (see :func:`load_truth`)."""
    path = Path(path)
    there = kind_of(path)
    if there == "nothing":
        raise BadInputError(f"{path} does not exist; make a puzzle with 'rectoverso cut'.")
    if there == "folder":
        settle(path)
        if not has_file(path, "puzzle.json"):
            raise BadInputError(f"{path} holds no puzzle.json; it is not a rectoverso puzzle.")
    about = _decode(read_file(path, "puzzle.json", MAX_TEXT), PuzzleFile, "rectoverso/puzzle", f"{path}/puzzle.json")
    where = f"{path}/puzzle.json"
    if about.type not in range(1, 8):
        raise BadInputError(f"{where} says type {about.type}; the types are 1 to 7.")
    if about.pieces < 2 or min(about.tile) < 2 or about.rows < 1 or about.columns < 1:
        raise BadInputError(f"{where} needs at least 2 pieces of 2 pixels in a frame of 1x1 or more.")
    kind = PuzzleType(about.type)
    if about.faces != list(FACES[: kind.faces]):
        raise BadInputError(
            f"{where} names the faces {about.faces}; type {about.type} has {list(FACES[: kind.faces])}."
        )
    pixels = np.stack([_read_atlas(path, name, about, max_megapixels) for name in about.faces], axis=1)
    homes = None if about.homes is None else np.array(about.homes, np.int64).astype(np.uint32)
    puzzle = Puzzle(pixels, kind, about.rows, about.columns, homes, one_line(about.name, MAX_NAME))
    if about.digest and about.digest != puzzle.digest:
        raise BadInputError(
            f"The pieces in {path} are not the ones its puzzle.json was written for; cut the puzzle again."
        )
    return puzzle


def load_truth(path: Path | str, puzzle: Puzzle) -> Arrangement | None:
    """The truth that lies beside a puzzle, if there is one."""
    path = Path(path)
    if not has_file(path, "truth.json"):
        return None
    return _arrangement(
        _board(read_file(path, "truth.json", MAX_TEXT), puzzle, "rectoverso/truth", f"{path}/truth.json")
    )


def save_solution(
    arrangement: Arrangement,
    puzzle: Puzzle,
    path: Path | str,
    made: dict[str, Any] | None = None,
    confidence: Chances | None = None,
) -> None:
    """Write a solution; ``made`` says how it was made: seed, cost, parameters."""
    write_file(Path(path), encode_solution(arrangement, puzzle, made, confidence))


def encode_solution(
    arrangement: Arrangement,
    puzzle: Puzzle,
    made: dict[str, Any] | None = None,
    confidence: Chances | None = None,
) -> bytes:
    """A solution as the bytes of its file."""
    # What was told about other people's pieces may be told otherwise the next time.
    digest = puzzle.pieces_digest if puzzle.names else puzzle.digest
    file = _boards_file("rectoverso/solution", arrangement, digest, made, confidence)
    if puzzle.names:
        file.files = list(puzzle.names)
    if puzzle.gap:
        file.gap = puzzle.gap
    return _encode(file)


def is_solution(path: Path) -> bool:
    """Whether a file is a solution, of whichever puzzle."""
    try:
        _decode(read_file(path, limit=MAX_TEXT), BoardsFile, "rectoverso/solution", str(path))
    except PuzzleError:
        return False
    return True


def load_solution(path: Path | str, puzzle: Puzzle) -> Arrangement:
    """Read a solution of a puzzle, from its file or from the folder that a solve wrote."""
    return _arrangement(read_board(path, puzzle)[0])


def gap_of_solution(path: Path | str) -> int:
    """How many pixels the pieces of a solution have lost at each side, as it says."""
    path = Path(path)
    file = path / "solution.json" if kind_of(path) == "folder" else path
    gap = _decode(read_file(file, limit=MAX_TEXT), BoardsFile, "rectoverso/solution", str(file)).gap
    if gap is msgspec.UNSET:
        return 0
    if not 0 <= gap <= MAX_GAP:
        raise BadInputError(f"{file} says that {gap} pixels are lost at each side; it can be 0 to {MAX_GAP}.")
    return gap


def read_board(path: Path | str, puzzle: Puzzle) -> tuple[Board, Path]:
    """The one board of a solution as it was written, checked but for its confidence, and the file that it is in."""
    path = Path(path)
    if kind_of(path) == "folder":
        settle(path)
        path = path / "solution.json"
    file = path
    return _board(read_file(file, limit=MAX_TEXT), puzzle, "rectoverso/solution", str(file)), file


def _read_atlas(path: Path, name: str, about: PuzzleFile, max_megapixels: float) -> Pixels:
    where = f"{path}/{name}"
    columns, (height, width) = atlas_columns(about.pieces), about.tile
    expected = (-(-about.pieces // columns) * height, columns * width)
    check_megapixels(expected, f"{where}, by what puzzle.json says,", max_megapixels)
    # 8 bytes a pixel are the most that a PNG can have, and then some for what else is in the file.
    data = read_file(path, name, limit=MAX_TEXT + 9 * expected[0] * expected[1])
    atlas = read_picture(BytesIO(data), where, max_megapixels, formats=("PNG",))
    if atlas.shape[:2] != expected:
        raise BadInputError(
            f"{where} is {atlas.shape[1]}x{atlas.shape[0]} pixels; {about.pieces} pieces of {width}x{height} pixels "
            f"make {expected[1]}x{expected[0]}."
        )
    return cut_tiles(atlas, about.tile, name=where)[0][: about.pieces]


def _boards_file(
    kind: str,
    arrangement: Arrangement,
    digest: str,
    made: dict[str, Any] | None = None,
    confidence: Chances | None = None,
) -> BoardsFile:
    pieces = [None if piece < 0 else piece for piece in arrangement.piece.ravel().tolist()]
    board = Board(
        arrangement.rows,
        arrangement.columns,
        pieces,
        arrangement.rotation.ravel().tolist(),
        arrangement.face.ravel().tolist(),
    )
    if confidence is not None:
        tables = (confidence.right, confidence.down, confidence.pieces)
        board.confidence = BoardConfidence(*(table.astype(float).round(3).ravel().tolist() for table in tables))
    return BoardsFile(format=kind, puzzle=digest, boards=[board], made=made or {})


def _board(data: bytes, puzzle: Puzzle, kind: str, where: str) -> Board:
    """The one board of a file, after a look at whether it can be one of this puzzle."""
    file = _decode(data, BoardsFile, kind, where)
    if file.puzzle and file.puzzle not in (puzzle.digest, puzzle.pieces_digest):
        again = "; give the same --back and --size as when it was solved" if puzzle.names else ""
        raise BadInputError(f"{where} belongs to another puzzle than {puzzle.name}{again}.")
    if len(file.boards) != 1:
        raise BadInputError(f"{where} has {len(file.boards)} boards; a puzzle has one.")
    board = file.boards[0]
    board.face = face = board.face or [0] * len(board.piece)
    cells = board.rows * board.columns
    if not len(board.piece) == len(board.rotation) == len(face) == cells or min(board.rows, board.columns) < 1:
        raise BadInputError(
            f"{where}: a board of {board.rows}x{board.columns} needs {cells} pieces, rotations and faces."
        )
    placed = [piece for piece in board.piece if piece is not None]
    if len(set(placed)) != len(placed) or any(not 0 <= piece < puzzle.num_pieces for piece in placed):
        raise BadInputError(f"{where} must place each piece from 0 to {puzzle.num_pieces - 1} at most once.")
    rotations = (0, 1, 2, 3) if puzzle.square else (0, 2)
    if any(r not in rotations for r in board.rotation) or any(not 0 <= f < puzzle.faces for f in face):
        raise BadInputError(
            f"{where} needs rotations of {', '.join(map(str, rotations))} and faces from 0 to {puzzle.faces - 1}."
        )
    return board


def _arrangement(board: Board) -> Arrangement:
    shape = (board.rows, board.columns)
    pieces = [-1 if piece is None else piece for piece in board.piece]
    return Arrangement.of(*(np.array(table).reshape(shape) for table in (pieces, board.rotation, board.face)))


def _encode(file: PuzzleFile | BoardsFile) -> bytes:
    return msgspec.json.encode(file) + b"\n"


def _decode(data: bytes, kind: type[File], name: str, where: str) -> File:
    try:
        file = msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise BadInputError(f"{where} is not valid: {error}.") from error
    if file.version > VERSION:
        raise BadInputError(f"{where} has version {file.version}; this rectoverso reads up to {VERSION}: update it.")
    if file.format != name:
        raise BadInputError(f"{where} is a {file.format!r} file; {name!r} is needed.")
    return file
