"""Pictures as strangers hand them over: folders, zip files, shuffled pictures, sheets. Nothing here is rectoverso's.

Every export is written into a folder and comes with the truth in the words of the referee: for each piece, in the
natural order of the names or in reading order, its true cell, and how often it must be turned clockwise to be right.
"""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Export:
    """What is solved, and the truth: the cell, the rotation and the face of each piece."""

    path: Path
    back: Path | None
    rows: int
    columns: int
    cells: NDArray[np.int64]
    rotations: NDArray[np.int64]
    faces: NDArray[np.int64]


def cut(picture: Pixels, height: int, width: int) -> tuple[Pixels, int, int]:
    """Tiles row by row, and how many rows and columns there are; what fills no tile is cut off at the end."""
    rows, columns = picture.shape[0] // height, picture.shape[1] // width
    whole = picture[: rows * height, : columns * width]
    tiles = whole.reshape(rows, height, columns, width, 3).swapaxes(1, 2)
    return tiles.reshape(-1, height, width, 3), rows, columns


def folder_of_tiles(
    front: Pixels, back: Pixels | None, size: tuple[int, int], turns: int, seed: int, at: Path
) -> Export:
    """A folder of PNG files with random names; ``turns`` is 1, 2 or 4: whether and how tiles are turned."""
    rng, names = np.random.default_rng(seed), random.Random(seed)
    tiles, rows, columns = cut(front, *size)
    behind = None if back is None else cut(back, *size)[0]
    count = len(tiles)
    chosen = sorted({f"{names.randrange(36**8):08d}" for _ in range(2 * count)})[:count]
    names.shuffle(chosen)
    order, quarters = rng.permutation(count), rng.integers(0, turns, count) * (4 // turns) % 4
    faces = rng.integers(0, 2, count) if behind is not None else np.zeros(count, np.int64)
    at.mkdir(parents=True)
    for name, cell, turn, face in zip(chosen, order, quarters, faces, strict=True):
        row, column = divmod(int(cell), columns)
        shown = [np.rot90(tiles[cell], turn)]
        if behind is not None:
            # The back of a cell is at the mirrored place, and turns the other way.
            shown.append(np.rot90(behind[row * columns + columns - 1 - column], -turn))
            shown = shown[::-1] if face else shown
        for picture, suffix in zip(shown, ("_front", "_back") if behind is not None else ("",), strict=True):
            Image.fromarray(np.ascontiguousarray(picture)).save(at / f"{name}{suffix}.png")
    by_name = np.argsort([int(name) for name in chosen])
    turned = np.where(faces == 1, -quarters, quarters) % 4 if behind is None else quarters
    return Export(at, None, rows, columns, order[by_name], turned[by_name], faces[by_name])


def zip_of_tiles(front: Pixels, size: tuple[int, int], turns: int, seed: int, at: Path) -> Export:
    """The same as one zip file."""
    export = folder_of_tiles(front, None, size, turns, seed, at)
    packed = at.with_suffix(".zip")
    with zipfile.ZipFile(packed, "w") as archive:
        for path in at.iterdir():
            archive.write(path, path.name)
    return Export(packed, None, export.rows, export.columns, export.cells, export.rotations, export.faces)


def shuffled_picture(
    front: Pixels, size: tuple[int, int], turns: int, seed: int, at: Path, save: Callable[[Image.Image, Path], None]
) -> Export:
    """One picture of shuffled tiles, side by side."""
    rng = np.random.default_rng(seed)
    tiles, rows, columns = cut(front, *size)
    order, quarters = rng.permutation(len(tiles)), rng.integers(0, turns, len(tiles)) * (4 // turns) % 4
    laid = np.stack([np.rot90(tiles[cell], turn) for cell, turn in zip(order, quarters, strict=True)])
    picture = laid.reshape(rows, columns, *size, 3).swapaxes(1, 2).reshape(rows * size[0], columns * size[1], 3)
    save(Image.fromarray(picture), at)
    return Export(at, None, rows, columns, order, quarters, np.zeros(len(tiles), np.int64))
