"""The dissimilarity of a seam, exactly, by each measure."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rectoverso._native_geometry import _1, mirrored
from rectoverso.native import native, native_part

VECTORS, MGC, PREDICTION, BLEND, TABLE = range(5)
"""The codes of measures. The paper's is one of vectors, the colors along an edge."""


class EdgeDescriptors(NamedTuple):
    """All that the dissimilarity of any two edges is computed from; what a measure does not need is empty.

    ``forward`` and ``backward`` are the colors along an edge, clockwise and reversed, in multiples of ``unit``;
    ``predicted`` continues the picture by one pixel beyond the edge, in the same unit. ``rgb`` are plain colors,
    clockwise; ``step`` is the mean change of color across the edge, ``inverse`` the inverse covariance of that
    change (xx, yy, zz, xy, xz, yz). ``table`` holds all dissimilarities of a measure that is a matrix.

    Edges of pieces that are not square have two lengths: ``lengths`` are the numbers of values along edges of even and
    of odd sides. Beyond the end of an edge all values are 0.

    Not for the dissimilarity: ``depth`` is how many rows of pixels the measure looks at, ``colors`` are the sums of the
    normalized colors along each edge and ``color_unit`` are the sums that one unit of L*a*b* makes, by even and odd
    sides.
    """

    measure: Any
    faces: Any
    depth: Any
    lengths: Any
    unit: Any
    forward: Any
    backward: Any
    predicted: Any
    rgb: Any
    step: Any
    inverse: Any
    table: Any
    colors: Any
    color_unit: Any


@native_part
def square_sum(forward: Any, backward: Any, one: np.uint64, other: np.uint64) -> np.int32:
    """The sum of squared differences along the seam of two edges, exact in 32 bits."""
    a, b = forward[one], backward[other]
    total = np.int32(0)
    for i in range(a.shape[0]):
        difference = np.int32(np.int32(a[i]) - np.int32(b[i]))
        total = np.int32(total + np.int32(difference * difference))
    return total


@native_part
def absolute_sum(predicted: Any, backward: Any, one: np.uint64, other: np.uint64) -> np.int32:
    """The sum of absolute differences between what one edge predicts and what the other shows, exact in 32 bits."""
    a, b = predicted[one], backward[other]
    total = np.int32(0)
    for i in range(a.shape[0]):
        total = np.int32(total + abs(np.int32(np.int32(a[i]) - np.int32(b[i]))))
    return total


@native_part
def gradient_cost(descriptors: Any, one: np.uint64, other: np.uint64) -> float:
    """How unlikely the change of color from one edge to the other is, by the changes just inside the one."""
    here, there, step, a = descriptors.rgb[one], descriptors.rgb[other], descriptors.step[one], descriptors.inverse[one]
    length = np.int64(descriptors.lengths[one & _1])
    total = 0.0
    for k in range(0, length, 3):
        facing = length - 3 - k
        x = np.float64(there[facing]) - here[k] - step[0]
        y = np.float64(there[facing + 1]) - here[k + 1] - step[1]
        z = np.float64(there[facing + 2]) - here[k + 2] - step[2]
        squared = a[0] * x * x + a[1] * y * y + a[2] * z * z + 2.0 * (a[3] * x * y + a[4] * x * z + a[5] * y * z)
        total += math.sqrt(max(squared, 0.0))
    return total


@native_part
def one_face(descriptors: Any, one: np.uint64, other: np.uint64) -> float:
    """The dissimilarity of a seam on one face."""
    if descriptors.measure == TABLE:
        return np.float64(descriptors.table[one, other])
    if descriptors.measure == VECTORS:
        return math.sqrt(square_sum(descriptors.forward, descriptors.backward, one, other)) * descriptors.unit
    mgc = predicted = 0.0
    if descriptors.measure != PREDICTION:
        mgc = gradient_cost(descriptors, one, other) + gradient_cost(descriptors, other, one)
    if descriptors.measure != MGC:
        both = np.float64(absolute_sum(descriptors.predicted, descriptors.backward, one, other))
        predicted = (both + absolute_sum(descriptors.predicted, descriptors.backward, other, one)) * descriptors.unit
    if descriptors.measure == MGC:
        return mgc
    return predicted if descriptors.measure == PREDICTION else math.sqrt(mgc * predicted)


@native
def seam_dissimilarity(descriptors: Any, one: Any, other: Any) -> float:
    """What a seam costs by the chosen measure; for two-sided pieces both faces added up."""
    total = one_face(descriptors, one, other)
    if descriptors.faces > 1:
        total += one_face(descriptors, mirrored(one), mirrored(other))
    return total
