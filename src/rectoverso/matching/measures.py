"""Measures: what makes two edges dissimilar.

A measure supplies two things: the exact dissimilarity of any seam (``_native_measures.one_face``, from arrays that are
made here), and factors of a matrix product that finds the candidates worth looking at (``search``).

- ``lab``: the paper's eq. 1, the Euclidean distance of the colors along the seam in normalized L*a*b*.
- ``mgc``: Gallagher's Mahalanobis gradient compatibility: the change of color across the seam, in RGB, should be one of
  the changes just inside either edge.
- ``prediction``: each edge continues its picture by one pixel, and the other should show that: Paikin and Tal's L1,
  of both edges added up.
- ``blend``: the geometric mean of the last two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.images.color import Normalization, normalized_lab
from rectoverso.matching._native_measures import BLEND, MGC, PREDICTION, TABLE, VECTORS, EdgeDescriptors
from rectoverso.matching.custom import MatrixMeasure, Measure, border_strips, checked_matrix, whole_vectors
from rectoverso.matching.strips import border_pixels
from rectoverso.parameters import MeasureName
from rectoverso.puzzle.puzzle import Puzzle

MEASURES: dict[str, int] = {"lab": VECTORS, "mgc": MGC, "prediction": PREDICTION, "blend": BLEND}

DUMMIES = np.array(
    [[0, 0, 0], [1, 1, 1], [-1, -1, -1], [0, 0, 1], [0, 0, -1], [0, 1, 0], [0, -1, 0], [1, 0, 0], [-1, 0, 0]], np.int64
)
"""Gallagher's nine dummy gradients: they keep the covariance of a flat edge from being singular."""

NO_TABLE = np.zeros((0, 0), np.float32)

SLICE = 4096
"""Of how many edges gradients are found at a time, which takes eight times the memory of what is kept of them."""


def describe_edges(
    puzzle: Puzzle,
    measure: MeasureName,
    normalization: Normalization,
    custom: Measure | None = None,
    threads: int = 1,
) -> EdgeDescriptors:
    """Everything that a measure needs to know of the edges of a puzzle."""
    if custom is not None:
        return _describe_by_custom(puzzle, custom, normalization)
    if measure == "custom":
        raise ValueError('the measure "custom" is given as a function: solve(puzzle, measure=...)')
    code = MEASURES[measure]
    border = border_pixels(puzzle)
    inner = border_pixels(puzzle, 1) if code != VECTORS else border[:0]
    looked_at = np.concatenate([border, inner if code in (PREDICTION, BLEND) else border[:0]])
    colors, ahead, unit = _whole_colors(_lab(looked_at, normalization, threads), len(border))
    gradients = code in (MGC, BLEND)
    rgb = border if gradients else border[:0]
    step, inverse = _gradients(border, inner, threads) if gradients else (np.zeros((0, 3)), np.zeros((0, 6)))
    return EdgeDescriptors(
        measure=np.uint64(code),
        faces=np.uint64(puzzle.faces),
        depth=np.uint64(1 if code == VECTORS else 2),
        unit=unit,
        forward=_flat(colors),
        backward=_flat(colors[:, ::-1]),
        predicted=_flat(ahead),
        rgb=_flat(rgb),
        step=step,
        inverse=inverse,
        table=NO_TABLE,
        colors=colors.sum(axis=1, dtype=np.int32),
        color_unit=border.shape[1] / unit,
    )


def _describe_by_custom(puzzle: Puzzle, custom: Measure, normalization: Normalization) -> EdgeDescriptors:
    """What a measure of the user's own gives; the colors are those of the paper's measure."""
    strips = border_strips(puzzle)
    usual = describe_edges(puzzle, "lab", normalization)._replace(depth=np.uint64(strips.shape[1]))
    if isinstance(custom, MatrixMeasure):
        return usual._replace(measure=np.uint64(TABLE), table=checked_matrix(custom.matrix, strips))
    forward, backward, unit = whole_vectors(custom.vectors, strips)
    return usual._replace(forward=forward, backward=backward, unit=unit)


def _flat(strips: NDArray[np.generic]) -> NDArray[np.generic]:
    return np.ascontiguousarray(strips.reshape(len(strips), strips.shape[1] * 3))


def _lab(strips: NDArray[np.uint8], normalization: Normalization, threads: int) -> NDArray[np.float64]:
    """Normalized colors; where the normalization looks at each pixel alone, slice by slice."""
    if normalization == "variance":
        return normalized_lab(strips, normalization)
    lab = np.empty(strips.shape)

    def work(start: int, stop: int) -> None:
        lab[start:stop] = normalized_lab(strips[start:stop], normalization)

    over_slices(work, len(strips), threads, SLICE)
    return lab


def _whole_colors(lab: NDArray[np.float64], edges: int) -> tuple[NDArray[np.int16], NDArray[np.int16], float]:
    """Normalized colors, and those predicted one pixel further out, in whole multiples of a unit.

    The unit is fine enough to lose nothing of 8-bit pixels and coarse enough for sums of squares to stay below 2**31.
    Sums of whole numbers do not depend on their order: every machine and every number of threads sees the same.
    """
    colors, further_in = lab[:edges], lab[edges:]
    flat = colors.reshape(-1, 3)
    middle = (flat.max(axis=0) + flat.min(axis=0)) / 2
    finest = 2 * float(np.abs(colors - middle).max()) / (np.sqrt((2**31 - 1) / (3 * lab.shape[1])) - 2)
    unit = max(finest, 1 / 64)
    whole = np.rint((colors - middle) / unit).astype(np.int16)
    ahead = np.rint((2 * colors[: len(further_in)] - further_in - middle) / unit).astype(np.int16)
    return whole, ahead, float(unit)


def _gradients(
    border: NDArray[np.uint8], inner: NDArray[np.uint8], threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean step across each edge, from the inside outwards, and the inverse covariance of its steps."""
    means, inverses = np.empty((len(border), 3)), np.empty((len(border), 6))

    def work(start: int, stop: int) -> None:
        means[start:stop], inverses[start:stop] = _gradients_of(border[start:stop], inner[start:stop])

    over_slices(work, len(border), threads, SLICE)
    return means, inverses


def _gradients_of(
    border: NDArray[np.uint8], inner: NDArray[np.uint8]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of whole numbers, and a 3 x 3 inverse written out: the same bits on every machine, which LAPACK's is not."""
    steps = border.astype(np.int64) - inner
    dummies = np.broadcast_to(DUMMIES, (len(steps), *DUMMIES.shape))
    with_dummies = np.concatenate([steps, dummies], axis=1)
    count = with_dummies.shape[1]
    x, y, z = np.moveaxis(with_dummies, 2, 0)

    def covariance(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        return (count * (a * b).sum(axis=1) - a.sum(axis=1) * b.sum(axis=1)) / (count * (count - 1))

    xx, yy, zz = covariance(x, x), covariance(y, y), covariance(z, z)
    xy, xz, yz = covariance(x, y), covariance(x, z), covariance(y, z)
    cofactors = (
        yy * zz - yz**2,
        xx * zz - xz**2,
        xx * yy - xy**2,
        xz * yz - xy * zz,
        xy * yz - xz * yy,
        xy * xz - xx * yz,
    )
    determinant = xx * cofactors[0] + xy * cofactors[3] + xz * cofactors[4]
    return steps.sum(axis=1) / steps.shape[1], np.stack(cofactors, axis=1) / determinant[:, None]
