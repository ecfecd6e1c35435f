"""The 8 x 8 blocks of a JPEG file as DCT coefficients: whole blocks, and the parts of blocks that edges split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import LEFT, UP
from rectoverso.jpeg.offsets import BLOCK, LUMA, GridOffsets, fixed_point
from rectoverso.puzzle.puzzle import Puzzle

NOISE = 12**-0.5
"""The unit of coefficients: the decoder rounds pixels to whole numbers, which changes coefficients by about this."""

SIGNS = (-1.0) ** np.add.outer(np.arange(BLOCK), np.arange(BLOCK)).ravel()
"""A half turn of a block multiplies its coefficients by these."""

SLICE = 1024

Coefficients = NDArray[np.float32]
Planes = NDArray[np.uint8] | NDArray[np.int16]


@dataclass(frozen=True)
class SplitBlocks:
    """The parts of split blocks that lie at each edge, seen with the edge up.

    Attributes
    ----------
    parts
        Edges x blocks x 64: the coefficients of the parts, with the rest of their blocks black.
    places
        Edges x 3, by :func:`block_places`.
    """

    parts: Coefficients
    places: NDArray[np.int16]


def luma(puzzle: Puzzle, threads: int = 1) -> Planes:
    """The luma of each face, rounded: the decoder had the same values before it converted them to RGB."""
    pixels = puzzle.pixels.reshape(-1, puzzle.piece_height, puzzle.piece_height, 3)
    planes = np.empty(pixels.shape[:3], np.uint8)

    def work(start: int, stop: int) -> None:
        planes[start:stop] = np.rint(pixels[start:stop].astype(np.float64) @ LUMA[:, 0])

    over_slices(work, len(pixels), threads, SLICE)
    return planes


def clipped(puzzle: Puzzle, threads: int = 1) -> Planes:
    """1 where a pixel of a face has a value at the end of its range, so that it may be clipped; 0 elsewhere."""
    pixels = puzzle.pixels.reshape(-1, puzzle.piece_height, puzzle.piece_height, 3)
    planes = np.empty(pixels.shape[:3], np.uint8)

    def work(start: int, stop: int) -> None:
        planes[start:stop] = ((pixels[start:stop] == 0) | (pixels[start:stop] == 255)).any(axis=3)

    over_slices(work, len(pixels), threads, SLICE)
    return planes


def _dct_matrix() -> NDArray[np.float64]:
    """The DCT as a matrix from the pixels of a block to its coefficients, in units of :data:`NOISE`.

    The DC coefficient is set to 0: it tells no more of a seam than the pixels themselves do.
    """
    k = np.arange(BLOCK)
    cosines = np.cos((2 * k + 1) * k[:, None] * np.pi / (2 * BLOCK)) / 2
    cosines[0] /= np.sqrt(2)
    matrix = np.kron(cosines, cosines).T / NOISE
    matrix[:, 0] = 0
    return fixed_point(matrix)


DCT = _dct_matrix()


def coefficients(strips: Planes) -> Coefficients:
    """Strips x blocks x 64: the coefficients of the blocks that lie side by side in strips x rows x columns.

    A strip has the lowest rows of its blocks; the rows above are black.
    """
    count, rows, columns = strips.shape
    blocks = strips.reshape(count, rows, columns // BLOCK, BLOCK).swapaxes(1, 2).reshape(-1, rows * BLOCK)
    return (blocks.astype(np.float64) @ DCT[-rows * BLOCK :]).astype(np.float32).reshape(count, -1, BLOCK * BLOCK)


def cut_by_corner(planes: Planes, corners: NDArray[np.integer]) -> Iterator[tuple[NDArray[np.int64], Planes]]:
    """Groups of faces that have their first grid lines, down and right, in the same places, and their whole blocks.

    The blocks are faces x rows of blocks x 8 x columns of blocks x 8. Faces without a whole block are left out.
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
    """By face: where its first grid lines are, from the top and from the left, and whether both are known."""
    corners, known = (values.reshape(-1, 4)[:, [UP, LEFT]] for values in (inward.offset, inward.level))
    return corners, np.all(known > 0, axis=1)


def block_places(inward: GridOffsets, along: GridOffsets, size: int) -> NDArray[np.int16]:
    """Edges x 3: the place of the split blocks, the place that those of a neighbor must have, and their number.

    A place encodes how many rows of the blocks are in the piece, and where the first block with all its columns begins
    along the edge. It is -1 where no block is split or the grid is not known. Blocks without all their columns do not
    count.
    """
    rows, first = inward.offset.astype(np.int16), along.offset.astype(np.int16)
    count = (size - first) // BLOCK
    known = (inward.level > 0) & (along.level > 0) & (rows > 0) & (count > 0)
    place = rows * BLOCK + first
    wanted = (inward.total - rows) % BLOCK * BLOCK + (along.total - first) % BLOCK
    return np.stack([np.where(known, place, -1), np.where(known, wanted, -2), np.where(known, count, 0)], axis=1)


def split_blocks(planes: Planes, places: NDArray[np.int16], threads: int = 1) -> SplitBlocks:
    """The parts of split blocks at every edge."""
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
