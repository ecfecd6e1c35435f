"""Chroma upsampling (4:2:0): the chroma at the border of a piece depends on the piece beyond.

JPEG halves the resolution of chroma before it codes it, and a decoder upsamples it again. The chroma of a pixel is
interpolated from the subsampled value that it lies in (with a weight of 9 / 16) and from three values around it. So the
outermost pixels of a piece depend with a weight of 4 / 16 on the subsampled chroma of its neighbor. This also holds
where a seam runs between blocks, which no other trace covers. Subsampled chroma consists of whole numbers and can be
recovered from the pixels of a piece. The subsampled chroma of two neighbors must give exactly the pixels beside the
seam between them.

A picture whose chroma was not upsampled in this way is recognized, because no subsampled chroma explains its pixels.
How much a misfit counts is fitted on positive and background pairs; see :mod:`rectoverso.jpeg.likelihood`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rectoverso.engines.threads import over_slices
from rectoverso.jpeg._native_upsampling import (
    ESTIMATE_SCALE,
    MISFIT_CAP,
    ROUNDING,
    UPSAMPLED_SCALE,
    fit_subsampled,
    recover_chroma,
    seam_misfits,
)
from rectoverso.jpeg.likelihood import Edges, LikelihoodTable, Pairs, levels_of, weighed
from rectoverso.jpeg.offsets import GridOffsets, fixed_point
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.strips import side_rows
from rectoverso.puzzle.puzzle import Puzzle

CHANNELS = 2
UNKNOWN = -1000
"""Stands for the chroma of a pixel that is not certain."""

BORDER_WEIGHT = 0.3
"""The weight of the outermost pixels in estimates. A quarter of their chroma comes from beyond the piece, where the
estimate assumes that the border values repeat."""

UNEXPLAINED = 0.05
"""If this share of the pixels is not explained, chroma was not upsampled, or pieces were cut through subsampled
values."""

LEVELS = 4
"""The number of levels of chroma variation, with as many faces in each. Of the flattest pieces of 10375/19, 95 % of the
true seams and half of the other candidates fit exactly; where chroma varies more, 72 and 6 % do."""

BINS = np.array([0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1, 1.5, 2.2, 3.2, 4.5, 6.5], np.float32)
"""The bounds of the bins of misfits, in sixteenths: true seams are near 0."""

CONFIRMED = -0.3
"""The mean log likelihood ratio of background pairs must be below this. It is not far below 0, because many background
pairs have the chroma of true neighbors."""

FACES = 500
"""So many faces are tested for whether a picture was decoded at all."""

SLICE = 256


@dataclass(frozen=True)
class SubsampledChroma:
    """Chroma before the decoder upsampled it.

    Attributes
    ----------
    planes
        Faces x 2 x rows x columns: the subsampled chroma; gray is 0.
    sums
        Edges x 2 x pixels, clockwise: the subsampled chroma of the outermost row, interpolated along the edge, in
        quarters.
    seen
        Edges x 2 x pixels: the chroma of the outermost pixels, or :data:`UNKNOWN`.
    rounding_lead
        Faces x 3: how many more ties are rounded as if the columns of the face were the file's columns in their order
        than in reverse, the same for its rows, and the number of ties.
    """

    planes: NDArray[np.int16]
    sums: NDArray[np.int16]
    seen: NDArray[np.int16]
    rounding_lead: NDArray[np.int64]


def find_subsampled_chroma(puzzle: Puzzle, threads: int = 1) -> SubsampledChroma | None:
    """The subsampled chroma of all faces; None if chroma was not upsampled.

    One to three values in a hundred are wrong.
    """
    size, half = puzzle.piece_height, puzzle.piece_height // 2
    pixels = puzzle.pixels.reshape(-1, size, size, 3)
    if size % 2 or half < 2 or not _is_decoded(pixels):
        return None
    planes = np.empty((len(pixels), CHANNELS, half, half), np.int16)
    sums, seen = np.empty((2, len(pixels), 4, CHANNELS, size), np.int16)
    known, unexplained = np.empty((2, len(pixels)), np.int64)
    rounding_lead = np.empty((len(pixels), 3), np.int64)
    estimator = _estimator(half)

    def work(start: int, stop: int) -> None:
        chroma, exact = _chroma_of(pixels[start:stop])
        estimates = np.rint(ESTIMATE_SCALE * (estimator @ chroma @ estimator.T)).astype(np.int32)
        subsampled = np.rint(estimates / ESTIMATE_SCALE).astype(np.int32)
        scratch = np.empty((size, size), np.int32)
        fit_subsampled(
            chroma, exact, estimates, subsampled, scratch, unexplained[start:stop], rounding_lead[start:stop]
        )
        known[start:stop] = CHANNELS * exact[:, 1:-1, 1:-1].sum(axis=(1, 2))
        planes[start:stop] = subsampled
        seen[start:stop] = _sides(np.where(exact[:, None], chroma, UNKNOWN))
        sums[start:stop] = _sums(_sides(subsampled))

    with threadpool_limits(1, user_api="blas"):
        over_slices(work, len(pixels), threads, SLICE)
    if unexplained.sum() >= UNEXPLAINED * known.sum():
        return None
    return SubsampledChroma(planes, sums.reshape(-1, CHANNELS, size), seen.reshape(-1, CHANNELS, size), rounding_lead)


def _chroma_of(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Faces x channels x rows x columns: the chroma of pixels; and for each pixel whether its chroma is certain."""
    chroma, exact = np.empty((*pixels.shape[:3], CHANNELS), np.int32), np.empty(pixels.shape[:3], bool)
    recover_chroma(pixels.reshape(-1, 3), chroma.reshape(-1, CHANNELS), exact.reshape(-1))
    return np.ascontiguousarray(np.moveaxis(chroma, 3, 1)), exact


def _is_decoded(pixels: NDArray[np.uint8]) -> bool:
    """Whether a decoder could have made nearly all unclipped pixels of a sample of faces from whole numbers."""
    sample = np.ascontiguousarray(pixels[:: -(-len(pixels) // FACES)])
    clipped = ((sample == 0) | (sample == 255)).any(axis=3)
    exact = _chroma_of(sample)[1]
    return bool(exact.sum() > (1 - UNEXPLAINED) * (~clipped).sum())


def reaches_across(chroma: SubsampledChroma, positive: Pairs) -> bool:
    """Whether chroma was upsampled across the seams of positive pairs, and not within each tile as a file of its own.

    It was if the outermost pixels fit the subsampled chroma of both sides better than that of their own side alone.
    """
    together = seam_misfits_of(chroma, *positive)
    known = together >= 0
    edges = positive[0][known]
    seen, sums = (values[edges, :, 1:-1].astype(np.int64) for values in (chroma.seen, chroma.sums))
    alone = np.clip(np.abs(UPSAMPLED_SCALE * seen - UPSAMPLED_SCALE // 4 * sums) - ROUNDING, 0, MISFIT_CAP)
    return bool(known.any() and together[known].mean() < 0.5 * alone[seen != UNKNOWN].mean())


def seam_misfits_of(chroma: SubsampledChroma, one: Edges, other: Edges) -> NDArray[np.float32]:
    """The mean misfit of the pixels beside each seam, in sixteenths; -1 where too few pixels are known."""
    misfits = np.empty(len(one), np.float32)
    seam_misfits(one.astype(np.int64), other.astype(np.int64), chroma.sums, chroma.seen, UNKNOWN, misfits)
    return misfits


def _estimator(half: int) -> NDArray[np.float64]:
    """The matrix that estimates a row of subsampled chroma from upsampled chroma, by least squares."""
    upsampling = np.zeros((2 * half, half))
    for pixel in range(2 * half):
        upsampling[pixel, pixel // 2] = 0.75
        upsampling[pixel, min(max(pixel // 2 + 2 * (pixel % 2) - 1, 0), half - 1)] += 0.25
    weights = np.ones(2 * half)
    weights[[0, -1]] = BORDER_WEIGHT
    return fixed_point(np.linalg.pinv(weights[:, None] * upsampling) * weights, bits=16)


def _sides(planes: NDArray[np.integer]) -> NDArray[np.integer]:
    """Faces x 4 x channels x length: the outermost rows of faces x channels x rows x columns, clockwise."""
    return np.moveaxis(side_rows(np.moveaxis(planes, 1, 3)), 3, 2)


def _sums(rows: NDArray[np.integer]) -> NDArray[np.integer]:
    """Rows of subsampled chroma, interpolated along themselves, in quarters.

    Each pixel has three quarters of the value that it lies in and one of the next.
    """
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
    """The lists, weighed by how well seams explain the chroma beside them; the same lists if that is not informative.

    ``inward`` has the inward offsets of the chroma grid, if they are known. Background pairs fit less often between
    chroma blocks than inside them, so both have ratios of their own.
    """
    table = _fit_table(chroma, inward, positive, background)
    return lists if table is None else weighed(lists, faces, table.log_ratios, threads)


def _fit_table(
    chroma: SubsampledChroma, inward: GridOffsets | None, positive: Pairs, background: Pairs
) -> LikelihoodTable | None:
    """The likelihood table of misfits, by chroma variation and by the place of the seam; None if not informative."""
    steps = [np.abs(np.diff(chroma.planes, axis=axis)).mean(axis=(1, 2, 3)) for axis in (2, 3)]
    level = levels_of(steps[0] + steps[1], np.ones(len(chroma.planes), bool), LEVELS)
    between = np.zeros(len(chroma.sums), bool) if inward is None else (inward.level > 0) & (inward.offset == 0)

    def measure(one: Edges, other: Edges) -> NDArray[np.float32]:
        return seam_misfits_of(chroma, one, other)

    def kind(one: Edges, other: Edges) -> NDArray[np.int64]:
        flatter = np.minimum(level[one // 4], level[other // 4])
        return flatter + LEVELS * (between[one] & between[other])

    return LikelihoodTable(measure, kind, BINS).fit(2 * LEVELS, positive, background, CONFIRMED, repeats=2)
