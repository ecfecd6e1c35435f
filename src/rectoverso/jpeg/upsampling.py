"""Enlarged colors: those at the border of a piece have a share of what lay beyond.

JPEG halves the colors of a picture before it codes them, and a decoder makes them as large as the picture again: each
is mixed from the chroma color it lies in (nine parts of sixteen) and from three others around it. So the outermost
pixels of a piece have four parts of the colors of its neighbor, also where the seam runs between blocks, which tells
nothing else. Halved colors are whole numbers, and are found from the pixels of a piece; put next to each other, two
pieces must give the very pixels that they have.

As in :mod:`rectoverso.jpeg.grid`, nothing is taken for granted: a picture whose colors were not enlarged in this
way is not explained by any chroma ones, and what a misfit is worth is learned.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rectoverso.engines.threads import over_slices
from rectoverso.jpeg._native_upsampling import FAR, FINENESS, PARTS, ROUNDED, seam_misfits, settle, unmix
from rectoverso.jpeg.likelihood import Edges, LikelihoodTable, Pairs, levels_of, weighed
from rectoverso.jpeg.offsets import GridOffsets, multiples
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.strips import side_rows
from rectoverso.puzzle.puzzle import Puzzle

CHANNELS = 2
UNKNOWN = -1000
"""Stands for an enlarged color that is not known for sure."""

SHARED = 0.3
"""What the outermost pixels count for estimates: a quarter of them lies beyond, and is taken for what lies before."""

UNEXPLAINED = 0.05
"""If more pixels than this cannot be explained, colors were not enlarged, or pieces were cut through chroma ones."""

LEVELS = 4
"""How many levels of flatness are told apart, with as many faces in each."""

BINS = np.array([0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1, 1.5, 2.2, 3.2, 4.5, 6.5], np.float32)
"""The bounds of misfits that are told apart, in parts: true seams are near 0."""

CONFIRMED = -0.3
"""What background seams must count less than, on average: many have the colors of the true ones."""

FACES = 500
"""So many faces are looked at to see whether a picture was decoded at all."""

SLICE = 256


@dataclass(frozen=True)
class SubsampledChroma:
    """What is known of colors before they were enlarged.

    Attributes
    ----------
    planes
        Faces x 2 x rows x columns: the chroma colors; gray is 0.
    sums
        Edges x 2 x pixels, clockwise: what those of the outermost row give for each pixel, in four parts.
    seen
        Edges x 2 x pixels: the outermost pixels' own colors, or :data:`UNKNOWN`.
    leaning
        Faces x 3: by how many pixels more the columns and the rows seem to be the file's columns than these in reverse,
        and of how many.
    """

    planes: NDArray[np.int16]
    sums: NDArray[np.int16]
    seen: NDArray[np.int16]
    leaning: NDArray[np.int64]


def find_subsampled_chroma(puzzle: Puzzle, threads: int = 1) -> SubsampledChroma | None:
    """The chroma colors of all faces; None if theirs were not enlarged."""
    size, half = puzzle.piece_size, puzzle.piece_size // 2
    pixels = puzzle.pixels.reshape(-1, size, size, 3)
    if size % 2 or half < 2 or not _are_decoded(pixels):
        return None
    planes = np.empty((len(pixels), CHANNELS, half, half), np.int16)
    sums, seen = np.empty((2, len(pixels), 4, CHANNELS, size), np.int16)
    known, unexplained = np.empty((2, len(pixels)), np.int64)
    leaning = np.empty((len(pixels), 3), np.int64)
    estimating = _estimating(half)

    def work(start: int, stop: int) -> None:
        colors, exact = _colors_of(pixels[start:stop])
        estimates = np.rint(FINENESS * (estimating @ colors @ estimating.T)).astype(np.int32)
        chroma = np.rint(estimates / FINENESS).astype(np.int32)
        room = np.empty((size, size), np.int32)
        settle(colors, exact, estimates, chroma, room, unexplained[start:stop], leaning[start:stop])
        known[start:stop] = CHANNELS * exact[:, 1:-1, 1:-1].sum(axis=(1, 2))
        planes[start:stop] = chroma
        seen[start:stop] = _sides(np.where(exact[:, None], colors, UNKNOWN))
        sums[start:stop] = _sums(_sides(chroma))

    with threadpool_limits(1, user_api="blas"):
        over_slices(work, len(pixels), threads, SLICE)
    if unexplained.sum() >= UNEXPLAINED * known.sum():
        return None
    return SubsampledChroma(planes, sums.reshape(-1, CHANNELS, size), seen.reshape(-1, CHANNELS, size), leaning)


def _colors_of(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Faces x colors x rows x columns, and for each pixel whether its colors are known for sure."""
    colors, exact = np.empty((*pixels.shape[:3], CHANNELS), np.int32), np.empty(pixels.shape[:3], bool)
    unmix(pixels.reshape(-1, 3), colors.reshape(-1, CHANNELS), exact.reshape(-1))
    return np.ascontiguousarray(np.moveaxis(colors, 3, 1)), exact


def _are_decoded(pixels: NDArray[np.uint8]) -> bool:
    """Whether nearly all pixels of some faces, but for those that may be clipped, can be made from whole colors."""
    some = np.ascontiguousarray(pixels[:: -(-len(pixels) // FACES)])
    clipped = ((some == 0) | (some == 255)).any(axis=3)
    exact = _colors_of(some)[1]
    return bool(exact.sum() > (1 - UNEXPLAINED) * (~clipped).sum())


def reaches_across(chroma: SubsampledChroma, positive: Pairs) -> bool:
    """Whether colors were enlarged across seams that are certain anyway; not if each tile was a file of its own.

    Then the outermost pixels are explained better by what lies beyond than by their own side alone.
    """
    together = seam_misfits_of(chroma, *positive)
    known = together >= 0
    edges = positive[0][known]
    seen, sums = (values[edges, :, 1:-1].astype(np.int64) for values in (chroma.seen, chroma.sums))
    off = np.clip(np.abs(PARTS * seen - PARTS // 4 * sums) - ROUNDED, 0, FAR)
    return bool(known.any() and together[known].mean() < 0.5 * off[seen != UNKNOWN].mean())


def seam_misfits_of(chroma: SubsampledChroma, one: Edges, other: Edges) -> NDArray[np.float32]:
    """How many parts the colors beside seams are off by, on average; -1 where too few are known."""
    found = np.empty(len(one), np.float32)
    seam_misfits(one.astype(np.int64), other.astype(np.int64), chroma.sums, chroma.seen, UNKNOWN, found)
    return found


def _estimating(half: int) -> NDArray[np.float64]:
    """The matrix that estimates a row of chroma colors from enlarged ones, by least squares."""
    enlarging = np.zeros((2 * half, half))
    for pixel in range(2 * half):
        enlarging[pixel, pixel // 2] = 0.75
        enlarging[pixel, min(max(pixel // 2 + 2 * (pixel % 2) - 1, 0), half - 1)] += 0.25
    weights = np.ones(2 * half)
    weights[[0, -1]] = SHARED
    return multiples(np.linalg.pinv(weights[:, None] * enlarging) * weights, bits=16)


def _sides(planes: NDArray[np.integer]) -> NDArray[np.integer]:
    """Faces x 4 x colors x length: the outermost rows of faces x colors x rows x columns, clockwise."""
    return np.moveaxis(side_rows(np.moveaxis(planes, 1, 3)), 3, 2)


def _sums(rows: NDArray[np.integer]) -> NDArray[np.integer]:
    """What rows of chroma colors give along themselves, in four parts: three of a pixel's own, one of the next."""
    before = np.concatenate([rows[..., :1], rows[..., :-1]], axis=-1)
    after = np.concatenate([rows[..., 1:], rows[..., -1:]], axis=-1)
    return np.stack([3 * rows + before, 3 * rows + after], axis=-1).reshape(*rows.shape[:-1], -1)


def weighed_by_upsampling(
    lists: CandidateLists,
    chroma: SubsampledChroma,
    inward: GridOffsets | None,
    faces: int,
    positive: Pairs,
    background: Pairs,
    threads: int = 1,
) -> CandidateLists:
    """The lists with dissimilarities that tell whether seams explain the colors beside them; itself if that is moot.

    ``inward`` says where the grid of colors runs, if that is known: background seams between its blocks fit less often.
    ``positive`` are seams that are certain anyway, and ``background`` some that hardly are true.
    """
    table = _fit_table(chroma, inward, positive, background)
    return lists if table is None else weighed(lists, faces, table.log_ratios, threads)


def _fit_table(
    chroma: SubsampledChroma, inward: GridOffsets | None, positive: Pairs, background: Pairs
) -> LikelihoodTable | None:
    """What positive and background seams teach; None if that is nothing."""
    steps = [np.abs(np.diff(chroma.planes, axis=axis)).mean(axis=(1, 2, 3)) for axis in (2, 3)]
    level = levels_of(steps[0] + steps[1], np.ones(len(chroma.planes), bool), LEVELS)
    between = np.zeros(len(chroma.sums), bool) if inward is None else (inward.level > 0) & (inward.offset == 0)

    def measure(one: Edges, other: Edges) -> NDArray[np.float32]:
        return seam_misfits_of(chroma, one, other)

    def kind(one: Edges, other: Edges) -> NDArray[np.int64]:
        flatter = np.minimum(level[one // 4], level[other // 4])
        return flatter + LEVELS * (between[one] & between[other])

    return LikelihoodTable(measure, kind, BINS).fit(2 * LEVELS, positive, background, CONFIRMED, alike=2)
