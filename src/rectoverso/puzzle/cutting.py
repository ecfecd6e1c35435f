"""A picture cut into shuffled pieces, and what was hidden thereby."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.seeds import checked_seed
from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels
from rectoverso.images.tiles import TileSize, cut_tiles
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.types import PuzzleType


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Pieces in any order, turned and turned over as their type says, with the truth."""

    pixels: Pixels
    rows: int
    columns: int
    homes: NDArray[np.uint32] | None
    truth: Arrangement


def cut_and_shuffle(
    front: Pixels, back: Pixels | None, kind: PuzzleType, size: int | TileSize, seed: int, *, crop: bool, name: str
) -> Shuffled:
    """Cut a picture, and the picture on its back, into shuffled pieces."""
    tile = checked_size(size)
    fronts, rows, columns = cut_tiles(front, tile, crop=crop, name=name)
    faces = [fronts]
    if back is not None:
        if back.shape != front.shape:
            front_size, back_size = (f"{p.shape[1]}x{p.shape[0]}" for p in (front, back))
            raise BadInputError(
                f"The front is {front_size} pixels and the back {back_size}; both faces of a piece need the same "
                "size: scale, crop or turn one of them."
            )
        backs = cut_tiles(back, tile, crop=crop, name=name)[0]
        # Turning the whole over about its vertical axis puts the last column first.
        faces.append(backs.reshape(rows, columns, *backs.shape[1:])[:, ::-1].reshape(backs.shape))
    return _shuffled(np.stack(faces, axis=1), kind, rows, columns, seed)


def type_of(number: int | None, two_sided: bool) -> PuzzleType:
    """The type of this number, checked against the faces of the pieces; the freest one if nothing is said."""
    if number is None:
        return PuzzleType.TYPE_4 if two_sided else PuzzleType.TYPE_2
    if number not in range(1, 8):
        raise BadInputError(f"There is no puzzle type {number}; the types are 1 to 7.")
    kind = PuzzleType(number)
    if kind.two_sided and not two_sided:
        raise BadInputError(f"Type {number} pieces have two faces: give the picture on the back, too (--back).")
    if two_sided and not kind.two_sided:
        raise BadInputError(f"Type {number} pieces have one face; with a back choose type 4, 5, 6 or 7.")
    return kind


def checked_size(size: int | TileSize) -> TileSize:
    """The height and the width of a piece."""
    height, width = (size, size) if isinstance(size, int) else size
    if min(height, width) < 2:
        raise BadInputError(f"A piece of {width}x{height} pixels is too small; choose a size of 2 or more.")
    return height, width


def _shuffled(tiles: Pixels, kind: PuzzleType, rows: int, columns: int, seed: int) -> Shuffled:
    """Hide what the type says is unknown: tiles in their cells become pieces in any order, turned and turned over."""
    rng = np.random.default_rng(checked_seed(seed))
    count = len(tiles)
    cells = rng.permutation(count)
    height, width = tiles.shape[2:4]
    turns = kind.rotations if height == width else (kind.rotations + 1) // 2
    rotation = rng.integers(0, turns, count) * (1 if height == width else 2)
    face = rng.integers(0, kind.faces, count)
    pixels = np.empty_like(tiles)
    for piece, cell in enumerate(cells):
        pixels[piece] = _as_given(tiles[cell], int(rotation[piece]), int(face[piece]))
    truth = [np.empty((rows, columns), np.int64) for _ in range(3)]
    for table, values in zip(truth, (np.arange(count), rotation, face), strict=True):
        table.flat[cells] = values
    homes = None if kind.location_unknown else cells.astype(np.uint32)
    return Shuffled(pixels, rows, columns, homes, Arrangement.of(*truth))


def _as_given(tile: Pixels, rotation: int, face: int) -> Pixels:
    """The faces of a piece that must be shown with ``face`` up and turned clockwise ``rotation`` times to be right."""
    turned = [np.rot90(tile[side], rotation if side == 0 else -rotation) for side in range(len(tile))]
    return np.stack(turned[::-1] if face else turned)
