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
from rectoverso.matching.custom import DEPTH, MatrixMeasure, Measure, border_strips, whole_table, whole_vectors
from rectoverso.matching.strips import Class, border_pixels, edge_classes, reversed_strips
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
    border, classes = border_pixels(puzzle), edge_classes(puzzle)
    inner = border_pixels(puzzle, 1) if code != VECTORS else border[:0]
    looked_at = np.concatenate([border, inner if code in (PREDICTION, BLEND) else border[:0]])
    colors, ahead, unit = _whole_colors(_lab(looked_at, normalization, classes, threads), len(border), classes)
    gradients = code in (MGC, BLEND)
    rgb = border if gradients else border[:0]
    step, inverse = np.zeros((len(rgb), 3)), np.zeros((len(rgb), 6))
    if gradients:
        for edges, length in classes:
            _gradients(border[edges, :length], inner[edges, :length], step[edges], inverse[edges], threads)
    return EdgeDescriptors(
        measure=np.uint64(code),
        faces=np.uint64(puzzle.faces),
        depth=np.uint64(1 if code == VECTORS else 2),
        lengths=np.array([3 * puzzle.piece_width, 3 * puzzle.piece_height], np.uint64),
        unit=unit,
        forward=_flat(colors),
        backward=_flat(reversed_strips(colors, classes)),
        predicted=_flat(ahead),
        rgb=_flat(rgb),
        step=step,
        inverse=inverse,
        table=NO_TABLE,
        colors=colors.sum(axis=1, dtype=np.int32),
        color_unit=np.array([puzzle.piece_width / unit, puzzle.piece_height / unit]),
    )


def _describe_by_custom(puzzle: Puzzle, custom: Measure, normalization: Normalization) -> EdgeDescriptors:
    """What a measure of the user's own gives; the colors are those of the paper's measure."""
    strips = border_strips(puzzle, DEPTH if isinstance(custom, MatrixMeasure) else custom.depth)
    usual = describe_edges(puzzle, "lab", normalization)._replace(depth=np.uint64(strips[0].shape[1]))
    if isinstance(custom, MatrixMeasure):
        return usual._replace(measure=np.uint64(TABLE), table=whole_table(custom.matrix, strips))
    forward, backward, unit = whole_vectors(custom.vectors, strips)
    return usual._replace(forward=forward, backward=backward, unit=unit)


def _flat(strips: NDArray[np.generic]) -> NDArray[np.generic]:
    return np.ascontiguousarray(strips.reshape(len(strips), strips.shape[1] * 3))


def _lab(
    strips: NDArray[np.uint8], normalization: Normalization, classes: list[Class], threads: int
) -> NDArray[np.float64]:
    """Normalized colors; where the normalization looks at each pixel alone, slice by slice."""
    if normalization == "variance" and len(classes) == 1:
        return normalized_lab(strips, normalization)
    lab = np.zeros(strips.shape)
    if normalization == "variance":
        there = _within(strips, classes)
        lab[there] = normalized_lab(strips[there], normalization)
        return lab

    def work(start: int, stop: int) -> None:
        lab[start:stop] = normalized_lab(strips[start:stop], normalization)

    over_slices(work, len(strips), threads, SLICE)
    return lab


def _within(strips: NDArray[np.generic], classes: list[Class]) -> NDArray[np.bool_]:
    """Which pixels of strips lie before the end of their edge."""
    there = np.zeros(strips.shape[:2], bool)
    for edges, length in classes:
        there[edges, :length] = True
    return there


def _whole_colors(
    lab: NDArray[np.float64], edges: int, classes: list[Class]
) -> tuple[NDArray[np.int16], NDArray[np.int16], float]:
    """Normalized colors, and those predicted one pixel further out, in whole multiples of a unit.

    The unit is fine enough to lose nothing of 8-bit pixels and coarse enough for sums of squares to stay below 2**31.
    Sums of whole numbers do not depend on their order: every machine and every number of threads sees the same.
    """
    colors, further_in = lab[:edges], lab[edges:]
    there = None if len(classes) == 1 else _within(colors, classes)
    flat = colors.reshape(-1, 3) if there is None else colors[there]
    middle = (flat.max(axis=0) + flat.min(axis=0)) / 2
    finest = 2 * float(np.abs(flat - middle).max()) / (np.sqrt((2**31 - 1) / (3 * lab.shape[1])) - 2)
    unit = max(finest, 1 / 64)
    whole = np.rint((colors - middle) / unit).astype(np.int16)
    ahead = np.rint((2 * colors[: len(further_in)] - further_in - middle) / unit).astype(np.int16)
    if there is not None:
        whole[~there] = 0
        ahead[~there[: len(ahead)]] = 0
    return whole, ahead, float(unit)


def _gradients(
    border: NDArray[np.uint8],
    inner: NDArray[np.uint8],
    means: NDArray[np.float64],
    inverses: NDArray[np.float64],
    threads: int,
) -> None:
    """Write the mean step across each edge, from the inside outwards, and the inverse covariance of its steps."""

    def work(start: int, stop: int) -> None:
        means[start:stop], inverses[start:stop] = _gradients_of(border[start:stop], inner[start:stop])

    over_slices(work, len(border), threads, SLICE)


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
