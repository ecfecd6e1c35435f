"""One picture that holds all tiles: shuffled side by side, or lying apart on a scanned sheet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels, read_picture
from rectoverso.images.opening import MAX_MEGAPIXELS
from rectoverso.images.tiles import TileSize, cut_tiles
from rectoverso.intake.coding import Coding, coding_of_file
from rectoverso.intake.grid import Grid, find_grids, is_doubtful
from rectoverso.intake.heap import Examples, Heap
from rectoverso.intake.saved_sheet import examples, recognize, restored_pixels
from rectoverso.intake.scan import cut_scan, looks_like_scan

RUNNERS_UP = 2
"""How many other tile sizes are named."""


def read_picture_or_scan(
    front: Path, back: Path | None, size: TileSize | None, max_megapixels: float = MAX_MEGAPIXELS
) -> Heap:
    """The pieces of a picture: of a scanned sheet if they lie apart, otherwise of a shuffled picture."""
    picture = read_picture(front, max_megapixels=max_megapixels)
    behind = None if back is None else read_picture(back, max_megapixels=max_megapixels)
    if looks_like_scan(picture):
        return heap_of_scan(picture, behind, size, front.stem)
    said = [coding_of_file(path) for path in (front, back) if path is not None]
    return heap_of_picture(picture, behind, size, front.stem, said)


def heap_of_scan(front: Pixels, back: Pixels | None, size: TileSize | None, name: str) -> Heap:
    """The pieces of a scanned sheet, and of a second one that shows the other faces."""
    scan = cut_scan(front, back, size)
    names = tuple(f"at {round(x)},{round(y)}" for x, y in scan.centers.tolist())
    return Heap(scan.pixels, names, name, notes=scan.notes)


def heap_of_picture(
    front: Pixels, back: Pixels | None, size: TileSize | None, name: str, said: Sequence[Coding | None] = (None, None)
) -> Heap:
    """The tiles of a shuffled picture; the backs lie in the same places of a second one.

    ``said`` is how the files of both are coded, if they are JPEG files.
    """
    if back is not None and back.shape != front.shape:
        raise BadInputError(
            f"The front of {name} is {front.shape[1]}x{front.shape[0]} pixels and the back "
            f"{back.shape[1]}x{back.shape[0]}; both need the same size."
        )
    tile, notes = (size, []) if size is not None else _found_size(front, name)
    _check_divides(front, tile, name)
    faces = [front] if back is None else [front, back]
    tiles = [cut_tiles(face, tile, name=name) for face in faces]
    rows, columns = tiles[0][1:]
    notes.append(f"{rows * columns} tiles of {tile[1]}x{tile[0]} pixels, in {rows} rows and {columns} columns")
    compared, worn, told = _restored(faces, tile, said)
    names = tuple(f"row {row + 1}, column {column + 1}" for row in range(rows) for column in range(columns))
    pixels = np.stack([each[0] for each in tiles], axis=1)
    return Heap(pixels, names, name, (rows, columns), compared, worn, (*notes, *told))


def _found_size(picture: Pixels, name: str) -> tuple[TileSize, list[str]]:
    """The tile size that the cuts of a shuffled picture show, and what speaks for it."""
    grids = find_grids(picture)
    if not grids:
        raise BadInputError(
            f"{name} shows no cuts between tiles, so that their size cannot be found; give it (--size N, or "
            "--size WIDTHxHEIGHT), or a folder of tiles."
        )
    best = grids[0]
    return (best.height, best.width), [evidence_in_words(grids)]


def evidence_in_words(grids: list[Grid]) -> str:
    """What speaks for the first grid, and for the next ones."""
    best, others = grids[0], grids[1 : 1 + RUNNERS_UP]
    said = f"the tile size was found: {best.width}x{best.height} pixels"
    if others:
        shown = [f"{each.width}x{each.height} explains {each.evidence / best.evidence:.0%} as much" for each in others]
        said += f" ({'; '.join(shown)})"
    return f"{said}; it is doubtful: if it is wrong, give it (--size WIDTHxHEIGHT)" if is_doubtful(grids) else said


def _check_divides(picture: Pixels, tile: TileSize, name: str) -> None:
    (height, width), (tall, wide) = picture.shape[:2], tile
    if height % tall or width % wide:
        raise BadInputError(
            f"{name} is {width}x{height} pixels, which tiles of {wide}x{tall} pixels do not divide; give the size of "
            "its tiles (--size WIDTHxHEIGHT)."
        )


def _restored(
    faces: list[Pixels], tile: TileSize, said: Sequence[Coding | None]
) -> tuple[Pixels | None, Examples | None, list[str]]:
    """What tiles are compared by if a picture was saved with losses after it was shuffled, and examples of its wear."""
    sheets = [recognize(face, tile, coding) for face, coding in zip(faces, said, strict=False)]
    worn = [(face, sheet) for face, sheet in zip(faces, sheets, strict=True) if sheet is not None]
    if not worn:
        return None, None, []
    tiles = [
        cut_tiles(face, tile)[0] if sheet is None else restored_pixels(face, tile, sheet)
        for face, sheet in zip(faces, sheets, strict=True)
    ]
    pairs = [examples(face, tile, sheet).pairs for face, sheet in worn]
    joined = tuple(
        (np.concatenate([one for one, _ in same]), np.concatenate([other for _, other in same]))
        for same in zip(*pairs, strict=True)
    )
    return np.stack(tiles, axis=1), Examples(joined), sorted({sheet.note for _, sheet in worn})
