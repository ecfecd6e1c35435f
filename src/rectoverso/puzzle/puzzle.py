"""The puzzle: what a solver is given, and nothing of what it has to find."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels, as_picture, read_picture
from rectoverso.images.opening import MAX_MEGAPIXELS
from rectoverso.images.tiles import TileSize
from rectoverso.images.wear import Wear
from rectoverso.intake.anything import About, read_heap
from rectoverso.intake.coding import coding_of_file
from rectoverso.intake.heap import Examples, Heap
from rectoverso.intake.picture import heap_of_picture, heap_of_scan
from rectoverso.intake.tiles import heap_of_arrays
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.cutting import checked_size, cut_and_shuffle, type_of
from rectoverso.puzzle.types import PuzzleType

WEAR = 1
"""The random stream that wears pieces, beside that which shuffles them."""


@dataclass(frozen=True, eq=False)
class Puzzle:
    """Pieces of unknown location, rotation or face, and the frame they fill.

    Attributes
    ----------
    pixels
        uint8, pieces x faces x height x width x 3. The back (face 1) is what one sees after turning the piece over
        about its vertical axis.
    type
        What is unknown.
    rows, columns
        The frame. Where rotations are unknown a solution may fill it with square pieces lying or standing. Both are 0
        where the frame is not known; a solve then weighs all frames of that many pieces.
    homes
        Where locations are known: the cell of each piece, row by row.
    truth
        The arrangement that was cut, if this puzzle was cut here. No solver looks at it.
    names
        What the pieces are called where they came from: the names of their files, say. Nobody solves by them.
    type_told
        Whether somebody said the type. Otherwise it is the freest one, and a solve looks for a stricter one.
    compared
        What pieces are compared by where that is not what they show, in the shape of ``pixels``; None where it is.
    examples
        Seams whose truth is known and which are worn as the edges of the pieces are, to learn a measure from.
    gap
        How many pixels were lost at each side of a piece, if somebody said so; a solve finds it out of worn pieces.
    laid
        The rows and columns in which the pieces lay, in the order of their numbers, in a shuffled picture.
    """

    pixels: Pixels
    type: PuzzleType
    rows: int
    columns: int
    homes: NDArray[np.uint32] | None = None
    name: str = "puzzle"
    truth: Arrangement | None = field(default=None, repr=False)
    names: tuple[str, ...] = field(default=(), repr=False)
    type_told: bool = True
    compared: Pixels | None = field(default=None, repr=False)
    examples: Examples | None = field(default=None, repr=False)
    laid: tuple[int, int] | None = None
    gap: int | None = None

    def __post_init__(self) -> None:
        count, faces, _, _, channels = self.pixels.shape
        if self.pixels.dtype != np.uint8 or channels != 3:
            raise ValueError("pixels must be uint8 RGB")
        if self.compared is not None and self.compared.shape != self.pixels.shape:
            raise ValueError("what is compared has the shape of the pixels")
        if len(self.names) not in (0, count):
            raise ValueError(f"{len(self.names)} names were given for {count} pieces")
        if count < 2:
            raise BadInputError(f"A puzzle needs at least 2 pieces; {self.name} has {count}.")
        self._check_frame(count)
        if faces != self.type.faces:
            raise BadInputError(
                f"A Type {int(self.type)} puzzle has pieces with {self.type.faces} picture face(s); these have {faces}."
            )
        if (self.homes is None) != self.type.location_unknown:
            raise BadInputError(f"Each piece's cell is given in puzzles of type 3, 6 and 7 only, not {int(self.type)}.")
        if self.homes is not None and not np.array_equal(np.sort(self.homes), np.arange(count)):
            raise BadInputError(f"{self.name} must give each piece a cell of its own.")
        self.pixels.flags.writeable = False

    def _check_frame(self, count: int) -> None:
        if (self.rows, self.columns) == (0, 0) and self.homes is None:
            return
        if self.rows < 1 or self.columns < 1:
            raise BadInputError(f"{self.name} has a frame of {self.rows}x{self.columns} cells; 1x1 is the least.")
        if count != self.rows * self.columns:
            raise BadInputError(f"{self.name} has {count} pieces for a frame of {self.rows}x{self.columns} cells.")

    @classmethod
    def from_image(
        cls,
        image: Path | str | Pixels,
        *,
        back: Path | str | Pixels | None = None,
        type: int | None = None,
        size: int | TileSize = 28,
        seed: int = 0,
        crop: bool = False,
        name: str | None = None,
        max_megapixels: float = MAX_MEGAPIXELS,
        wear: Wear | None = None,
    ) -> Puzzle:
        """Cut a picture (and the picture on its back) into a puzzle, shuffled by ``seed``.

        Pieces are squares of ``size`` pixels, or ``size`` is their height and width. They may be worn afterwards.

        >>> puzzle = Puzzle.from_image(np.zeros((56, 84, 3), np.uint8), type=1)
        >>> puzzle.num_pieces, puzzle.rows, puzzle.columns
        (6, 2, 3)
        """
        kind = type_of(type, back is not None)
        name = name or (Path(image).stem if isinstance(image, (Path, str)) else "puzzle")
        front_pixels = _pixels(image, max_megapixels)
        back_pixels = None if back is None else _pixels(back, max_megapixels)
        cut = cut_and_shuffle(front_pixels, back_pixels, kind, size, seed, crop=crop, name=name)
        # A stream of its own: the same pieces lie in the same places, worn or not.
        pixels = cut.pixels if wear is None else wear.worn(cut.pixels, np.random.default_rng([seed, WEAR]))
        return cls(pixels, kind, cut.rows, cut.columns, cut.homes, name, cut.truth)

    @classmethod
    def from_heap(cls, heap: Heap, *, type: int | None = None, frame: tuple[int, int] | None = None) -> Puzzle:
        """The pieces of an input as a puzzle; a type or a frame that is not told is found out when it is solved.

        Where locations are known, the pieces lie in the frame in the order of their numbers.
        """
        kind = type_of(type, heap.pixels.shape[1] == 2)
        rows, columns = frame or (heap.grid if heap.grid and not kind.location_unknown else None) or (0, 0)
        if not kind.location_unknown and not rows:
            raise BadInputError(f"Type {type} pieces lie in their cells already: give the frame, too (--frame).")
        homes = None if kind.location_unknown else np.arange(len(heap.pixels), dtype=np.uint32)
        return cls(
            heap.pixels,
            kind,
            rows,
            columns,
            homes,
            heap.name,
            names=heap.names,
            type_told=type is not None,
            compared=heap.compared,
            examples=heap.examples,
            laid=heap.grid,
        )

    @classmethod
    def from_folder(
        cls,
        path: Path | str,
        *,
        back: Path | str | None = None,
        type: int | None = None,
        frame: tuple[int, int] | None = None,
    ) -> Puzzle:
        """The tiles of a folder or zip file, in the natural order of their names.

        The backs are in a folder of their own, or the names of the files tell fronts from backs.
        """
        about = About(back=None if back is None else Path(back))
        return cls.from_heap(read_heap([Path(path)], about), type=type, frame=frame)

    @classmethod
    def from_picture(
        cls,
        picture: Path | str | Pixels,
        *,
        back: Path | str | Pixels | None = None,
        size: int | TileSize | None = None,
        type: int | None = None,
        frame: tuple[int, int] | None = None,
    ) -> Puzzle:
        """The tiles of one shuffled picture; their size is found unless it is told, as a number or height and width."""
        name = Path(picture).stem if isinstance(picture, (Path, str)) else "picture"
        tile = None if size is None else checked_size(size)
        behind = None if back is None else _pixels(back)
        said = [coding_of_file(Path(each)) if isinstance(each, (Path, str)) else None for each in (picture, back)]
        heap = heap_of_picture(_pixels(picture), behind, tile, name, said)
        return cls.from_heap(heap, type=type, frame=frame)

    @classmethod
    def from_sheet(
        cls,
        sheet: Path | str | Pixels,
        *,
        back: Path | str | Pixels | None = None,
        size: int | TileSize | None = None,
        type: int | None = None,
        frame: tuple[int, int] | None = None,
    ) -> Puzzle:
        """The pieces of a scanned sheet, which lie apart on a plain background; needs the extra ``scan``.

        ``back`` is the sheet turned over like a page.
        """
        name = Path(sheet).stem if isinstance(sheet, (Path, str)) else "sheet"
        tile = None if size is None else checked_size(size)
        behind = None if back is None else _pixels(back)
        return cls.from_heap(heap_of_scan(_pixels(sheet), behind, tile, name), type=type, frame=frame)

    @classmethod
    def from_arrays(
        cls,
        tiles: Sequence[Pixels] | Pixels,
        *,
        backs: Sequence[Pixels] | Pixels | None = None,
        type: int | None = None,
        frame: tuple[int, int] | None = None,
        name: str = "puzzle",
    ) -> Puzzle:
        """Tiles that are arrays already, each rows x columns x 3.

        >>> puzzle = Puzzle.from_arrays(np.zeros((6, 4, 4, 3), np.uint8))
        >>> puzzle.num_pieces, puzzle.frame_known, puzzle.type_told
        (6, False, False)
        """
        return cls.from_heap(heap_of_arrays(tiles, backs, name), type=type, frame=frame)

    @property
    def num_pieces(self) -> int:
        """The number of pieces."""
        return int(self.pixels.shape[0])

    @property
    def faces(self) -> int:
        """The number of faces that carry a picture: 1 or 2."""
        return int(self.pixels.shape[1])

    @property
    def piece_height(self) -> int:
        """The height of a piece as given, in pixels."""
        return int(self.pixels.shape[2])

    @property
    def piece_width(self) -> int:
        """The width of a piece as given, in pixels."""
        return int(self.pixels.shape[3])

    @property
    def square(self) -> bool:
        """Whether pieces are as high as they are wide; others cannot lie on their side."""
        return self.piece_height == self.piece_width

    @property
    def turns(self) -> tuple[int, ...]:
        """The quarter turns that a piece may have been turned by: none, any, or for other than square pieces two.

        >>> Puzzle.from_image(np.zeros((4, 6, 3), np.uint8), type=2, size=(2, 3)).turns
        (0, 2)
        """
        if not self.type.rotation_unknown:
            return (0,)
        return (0, 1, 2, 3) if self.square else (0, 2)

    @property
    def frame_known(self) -> bool:
        """Whether the rows and columns of the frame are known."""
        return self.rows > 0

    @property
    def num_edges(self) -> int:
        """The number of edges: four for each face of each piece."""
        return self.num_pieces * self.faces * 4

    @cached_property
    def pieces_digest(self) -> str:
        """A fingerprint of the pieces alone: solutions of one and the same heap have it, whatever was told about it."""
        hashed = hashlib.blake2b(f"{self.pixels.shape}".encode(), digest_size=16)
        hashed.update(np.ascontiguousarray(self.pixels).data)
        return hashed.hexdigest()

    @cached_property
    def digest(self) -> str:
        """A fingerprint of everything the solver sees."""
        parts = f"{int(self.type)} {self.rows} {self.columns} {self.pixels.shape}".encode()
        hashed = hashlib.blake2b(parts, digest_size=16)
        hashed.update(np.ascontiguousarray(self.pixels).data)
        if self.compared is not None:
            hashed.update(np.ascontiguousarray(self.compared).data)
        if self.homes is not None:
            hashed.update(self.homes.tobytes())
        return hashed.hexdigest()

    @property
    def is_settled(self) -> bool:
        """Whether the type and the frame are known, so that nothing has to be found out."""
        return self.type_told and self.frame_known

    def settled(self, type: int, rows: int, columns: int) -> Puzzle:
        """The same pieces with a type and a frame."""
        return replace(self, type=type_of(type, self.faces == 2), rows=rows, columns=columns, type_told=True)

    def in_frame(self, rows: int, columns: int) -> Puzzle:
        """The same pieces for a frame that is known."""
        return replace(self, rows=rows, columns=columns)

    def without_truth(self) -> Puzzle:
        """The same puzzle as a stranger would hand it over."""
        return replace(self, truth=None)


def _pixels(image: Path | str | Pixels, max_megapixels: float = MAX_MEGAPIXELS) -> Pixels:
    if isinstance(image, (Path, str)):
        return read_picture(Path(image), max_megapixels=max_megapixels)
    return as_picture(image)
