"""The blocks of 8 x 8 pixels that a JPEG file is made of, as it writes them: whole ones, and those that edges split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import LEFT, UP
from rectoverso.jpeg.offsets import BLOCK, LUMA, GridOffsets, multiples
from rectoverso.puzzle.puzzle import Puzzle

NOISE = 12**-0.5
"""The decoder rounds pixels to whole numbers, which moves each coefficient by about this: the unit of coefficients."""

SIGNS = (-1.0) ** np.add.outer(np.arange(BLOCK), np.arange(BLOCK)).ravel()
"""What becomes of the coefficients of a block that is turned by half."""

SLICE = 1024

Coefficients = NDArray[np.float32]
Planes = NDArray[np.uint8] | NDArray[np.int16]


@dataclass(frozen=True)
class SplitBlocks:
    """What each edge has of the blocks that its seam would join, seen with the edge up.

    Attributes
    ----------
    parts
        Edges x blocks x 64: the coefficients of the parts, as if the rest of their blocks were black.
    places
        By :func:`block_places`.
    """

    parts: Coefficients
    places: NDArray[np.int16]


def luma(puzzle: Puzzle, threads: int = 1) -> Planes:
    """The luma of each face: rounded, it is what the decoder had before it made RGB of it."""
    pixels = puzzle.pixels.reshape(-1, puzzle.piece_size, puzzle.piece_size, 3)
    planes = np.empty(pixels.shape[:3], np.uint8)

    def work(start: int, stop: int) -> None:
        planes[start:stop] = np.rint(pixels[start:stop].astype(np.float64) @ LUMA[:, 0])

    over_slices(work, len(pixels), threads, SLICE)
    return planes


def clipped(puzzle: Puzzle, threads: int = 1) -> Planes:
    """1 where a pixel of a face has a color at the end of its range: what the decoder had may lie beyond."""
    pixels = puzzle.pixels.reshape(-1, puzzle.piece_size, puzzle.piece_size, 3)
    planes = np.empty(pixels.shape[:3], np.uint8)

    def work(start: int, stop: int) -> None:
        planes[start:stop] = ((pixels[start:stop] == 0) | (pixels[start:stop] == 255)).any(axis=3)

    over_slices(work, len(pixels), threads, SLICE)
    return planes


def _waves() -> NDArray[np.float64]:
    """The 64 waves that make a block, as a matrix: pixels to coefficients, in units of the noise.

    The first one, the mean, is left out: it fits nothing worse than the pixels themselves do.
    """
    k = np.arange(BLOCK)
    cosines = np.cos((2 * k + 1) * k[:, None] * np.pi / (2 * BLOCK)) / 2
    cosines[0] /= np.sqrt(2)
    waves = np.kron(cosines, cosines).T / NOISE
    waves[:, 0] = 0
    return multiples(waves)


WAVES = _waves()


def coefficients(strips: Planes) -> Coefficients:
    """Of strips x rows x columns, which are the lowest rows of blocks: strips x blocks x 64; the rows above are 0."""
    count, rows, columns = strips.shape
    blocks = strips.reshape(count, rows, columns // BLOCK, BLOCK).swapaxes(1, 2).reshape(-1, rows * BLOCK)
    return (blocks.astype(np.float64) @ WAVES[-rows * BLOCK :]).astype(np.float32).reshape(count, -1, BLOCK * BLOCK)


def cut_by_corner(planes: Planes, corners: NDArray[np.integer]) -> Iterator[tuple[NDArray[np.int64], Planes]]:
    """Faces whose first grid lines, down and right, are at the same place, and their whole blocks.

    These are faces x rows of blocks x 8 x columns of blocks x 8. Faces without a whole block are left out.
    """
    size = planes.shape[1]
    for down, right in np.unique(corners, axis=0).tolist():
        rows, columns = (size - down) // BLOCK, (size - right) // BLOCK
        if rows and columns:
            faces = np.flatnonzero((corners == (down, right)).all(axis=1))
            whole = planes[faces, down : down + rows * BLOCK, right : right + columns * BLOCK]
            yield faces, whole.reshape(len(faces), rows, BLOCK, columns, BLOCK)


def blocks_by_corner(planes: Planes, corners: NDArray[np.integer]) -> Iterator[tuple[NDArray[np.int64], Coefficients]]:
    """The coefficients of the blocks that :func:`cut_by_corner` cuts: faces x blocks x 64."""
    for faces, whole in cut_by_corner(planes, corners):
        count, rows, _, columns, _ = whole.shape
        strips = whole.reshape(count * rows, BLOCK, columns * BLOCK)
        yield faces, coefficients(strips).reshape(count, rows * columns, BLOCK * BLOCK)


def grid_corners(inward: GridOffsets) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """By face where the first grid lines lie, down and right, and whether both are known."""
    corners, known = (values.reshape(-1, 4)[:, [UP, LEFT]] for values in (inward.offset, inward.level))
    return corners, np.all(known > 0, axis=1)


def block_places(inward: GridOffsets, along: GridOffsets, size: int) -> NDArray[np.int16]:
    """Edges x 3: where split blocks lie, where those of another edge must lie to be joined with them, and how many.

    A place is how many rows of the blocks are in the piece, and where the first whole one begins along the edge; -1
    where no block is split, or nothing is known of the grid. Only whole blocks count.
    """
    rows, first = inward.offset.astype(np.int16), along.offset.astype(np.int16)
    count = (size - first) // BLOCK
    known = (inward.level > 0) & (along.level > 0) & (rows > 0) & (count > 0)
    place = rows * BLOCK + first
    wanted = (inward.total - rows) % BLOCK * BLOCK + (along.total - first) % BLOCK
    return np.stack([np.where(known, place, -1), np.where(known, wanted, -2), np.where(known, count, 0)], axis=1)


def split_blocks(planes: Planes, places: NDArray[np.int16], threads: int = 1) -> SplitBlocks:
    """The parts of blocks at every edge."""
    parts = np.zeros((len(places), int(places[:, 2].max()), BLOCK * BLOCK), np.float32)

    def work(start: int, stop: int) -> None:
        for side in range(4):
            turned = np.rot90(planes[start:stop], side, axes=(1, 2))
            here = places[4 * start + side : 4 * stop : 4]
            for place in np.unique(here[here[:, 2] > 0, 0]).tolist():
                chosen = np.flatnonzero(here[:, 0] == place)
                rows, first = divmod(place, BLOCK)
                count = int(here[chosen[0], 2])
                strips = turned[chosen, :rows, first : first + count * BLOCK]
                parts[4 * (start + chosen) + side, :count] = coefficients(strips)

    over_slices(work, len(planes), threads, SLICE)
    return SplitBlocks(parts, places)
