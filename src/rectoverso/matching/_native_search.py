"""Native parts of the candidate search: factors of matrix products, running lists of the best, exact ranks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rectoverso.matching._native_measures import seam_dissimilarity
from rectoverso.native import native, native_part

GLANCE = 32
"""How many columns of a tile are looked at together. It is a constant here, so that the compiler unrolls the loop."""


@native
def centered(strips: Any, edges: Any, center: Any, shrink: np.float32, left: bool, factor: Any) -> None:
    """Strips, seen from a center, as factors of a lower bound of |a - b|^2: (-2a, 1, |a|^2) and (b, |b|^2, 1)."""
    length = strips.shape[1]
    for i in range(edges.shape[0]):
        strip = strips[np.uint64(edges[i])]
        norm = np.int64(0)
        for j in range(length):
            value = np.int32(np.int32(strip[j]) - np.int32(center[j]))
            norm += np.int64(value) * np.int64(value)
            factor[i, j] = np.float32(-2 * value) if left else np.float32(value)
        factor[i, length] = np.float32(1) if left else np.float32(norm) * shrink
        factor[i, length + 1] = np.float32(norm) * shrink if left else np.float32(1)


@native
def add_faces(front: Any, back: Any) -> None:
    """Turn two tiles of lower bounds on squared dissimilarities into their sum as dissimilarities, in ``front``."""
    for i in range(front.shape[0]):
        for j in range(front.shape[1]):
            a, b = max(front[i, j], np.float32(0)), max(back[i, j], np.float32(0))
            # Rounding must not lift a lower bound above the exact value.
            front[i, j] = (math.sqrt(a) + math.sqrt(b)) * np.float32(1 - 1e-6)


@native
def keep_best(tile: Any, glances: Any, first: int, sole: Any, pieces: Any, values: Any, columns: Any) -> None:
    """Run over a tile and keep each row's lowest values and their columns as a heap: the highest is always the first.

    ``sole[j]`` is the piece that column ``first + j`` belongs to alone; it is no candidate for ``pieces[i]`` itself.
    Nearly all values are too high. ``glances`` has the same values, several columns together, as far as they go: the
    least of these is found without a branch.
    """
    for i in range(tile.shape[0]):
        heap, places = values[i], columns[i]
        for glance in range(glances.shape[1]):
            least = glances[i, glance, 0]
            for j in range(GLANCE):
                value = glances[i, glance, j]
                least = value if value < least else least
            if least < heap[0]:
                start = glance * GLANCE
                keep_some(start, start + GLANCE, tile[i], first, sole, pieces[i], heap, places)
        keep_some(glances.shape[1] * GLANCE, tile.shape[1], tile[i], first, sole, pieces[i], heap, places)


@native_part
def keep_some(start: int, stop: int, row: Any, first: int, sole: Any, piece: Any, values: Any, columns: Any) -> None:
    """Keep those of some columns of a row that are below the highest that is kept."""
    for j in range(start, stop):
        if row[j] < values[0] and sole[first + j] != piece:
            replace_first(row[j], first + j, values, columns)


@native_part
def replace_first(value: np.float32, column: int, values: Any, columns: Any) -> None:
    """Put a column in the place of the highest of a heap; of equal values the later columns are the higher ones."""
    at, size = 0, values.shape[0]
    while True:
        down = 2 * at + 1
        if down >= size:
            break
        right = down + 1
        if right < size and (
            values[right] > values[down] or (values[right] == values[down] and columns[right] > columns[down])
        ):
            down = right
        if value > values[down] or (value == values[down] and column > columns[down]):
            break
        values[at], columns[at] = values[down], columns[down]
        at = down
    values[at], columns[at] = value, column


@native_part
def insert(value: float, column: int, values: Any, columns: Any, length: int) -> int:
    """Put a column into a list sorted by (value, column) that holds at most ``len(values)``; the new length."""
    at = length
    if length == values.shape[0]:
        at = length - 1
        if value > values[at] or (value == values[at] and column >= columns[at]):
            return length
    while at > 0 and (values[at - 1] > value or (values[at - 1] == value and columns[at - 1] > column)):
        values[at] = values[at - 1]
        columns[at] = columns[at - 1]
        at -= 1
    values[at] = value
    columns[at] = column
    return min(length + 1, values.shape[0])


@native
def settle(
    descriptors: Any, rows: Any, members: Any, sole: Any, bounds: Any, survivors: Any, values: Any, columns: Any
) -> int:
    """Rank survivors by their exact dissimilarity, and search the row in full where that leaves doubt.

    ``bounds`` holds lower bounds (of dissimilarities) of the survivors; what did not survive is not below the first.
    Returns how many rows had to be searched in full.
    """
    searched = 0
    for i in range(rows.shape[0]):
        length = 0
        for j in range(survivors.shape[1]):
            if survivors[i, j] >= 0:
                column = survivors[i, j]
                exact = seam_dissimilarity(descriptors, rows[i], members[column])
                length = insert(exact, column, values[i], columns[i], length)
        if length > 0 and survivors[i, 0] >= 0 and values[i, length - 1] >= bounds[i, 0]:
            searched += 1
            length = 0
            piece = rows[i] // (4 * descriptors.faces)
            for column in range(members.shape[0]):
                if sole[column] != piece:
                    exact = seam_dissimilarity(descriptors, rows[i], members[column])
                    length = insert(exact, column, values[i], columns[i], length)
    return searched


@native_part
def product(one: Any, other: Any) -> float:
    """The product of two vectors in double precision, added up in eight sums, always in the same order."""
    a = b = c = d = e = f = g = h = 0.0
    whole = one.shape[0] - one.shape[0] % 8
    for k in range(0, whole, 8):
        a += np.float64(one[k]) * np.float64(other[k])
        b += np.float64(one[k + 1]) * np.float64(other[k + 1])
        c += np.float64(one[k + 2]) * np.float64(other[k + 2])
        d += np.float64(one[k + 3]) * np.float64(other[k + 3])
        e += np.float64(one[k + 4]) * np.float64(other[k + 4])
        f += np.float64(one[k + 5]) * np.float64(other[k + 5])
        g += np.float64(one[k + 6]) * np.float64(other[k + 6])
        h += np.float64(one[k + 7]) * np.float64(other[k + 7])
    for k in range(whole, one.shape[0]):
        a += np.float64(one[k]) * np.float64(other[k])
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@native
def estimate_again(left: Any, right: Any, edges: Any, room: Any, dropped: int, survivors: Any) -> None:
    """Estimate survivors in double precision, in a fixed order, and drop so many of each row: the highest ones.

    ``room`` is as long as a row; of equal estimates the later columns are the higher ones.
    """
    for i in range(survivors.shape[0]):
        for j in range(survivors.shape[1]):
            room[j] = product(left[i], right[edges[survivors[i, j]]]) if survivors[i, j] >= 0 else -np.inf
        for _ in range(dropped):
            highest = 0
            for j in range(1, survivors.shape[1]):
                if room[j] > room[highest] or (room[j] == room[highest] and survivors[i, j] > survivors[i, highest]):
                    highest = j
            room[highest] = -np.inf
            survivors[i, highest] = -1


@native
def measure_pairs(descriptors: Any, pairs: Any, allowed: Any, values: Any) -> None:
    """The dissimilarity of each edge with the edges in its row of ``pairs``, where allowed."""
    for edge in range(pairs.shape[0]):
        for j in range(pairs.shape[1]):
            if allowed[edge, j]:
                values[edge, j] = seam_dissimilarity(descriptors, np.uint64(edge), np.uint64(pairs[edge, j]))


@native
def gradient_factors(descriptors: Any, edges: Any, center: Any, left: bool, factor: Any) -> None:
    """Factors of a product that adds up squared Mahalanobis lengths along a seam, from both of its edges.

    With A the inverse covariance of an edge, c its colors plus its step and x the reversed colors of the other one,
    sum (x - c)' A (x - c) = <A, sum xx'> - 2 <Ac, x> + sum c'Ac. All colors are seen from ``center``.
    """
    length = descriptors.rgb.shape[1]
    half = length + 7
    of_a, of_x = (0, half) if left else (half, 0)
    for i in range(edges.shape[0]):
        edge = np.uint64(edges[i])
        a, step = descriptors.inverse[edge], descriptors.step[edge]
        for j in range(3):
            factor[i, of_a + j], factor[i, of_a + 3 + j] = a[j], 2 * a[3 + j]
        const = xx = yy = zz = xy = xz = yz = 0.0
        for k in range(0, length, 3):
            p = np.float64(descriptors.rgb[edge, k]) + step[0] - center[0]
            q = np.float64(descriptors.rgb[edge, k + 1]) + step[1] - center[1]
            r = np.float64(descriptors.rgb[edge, k + 2]) + step[2] - center[2]
            ap, aq, ar = a[0] * p + a[3] * q + a[4] * r, a[3] * p + a[1] * q + a[5] * r, a[4] * p + a[5] * q + a[2] * r
            const += p * ap + q * aq + r * ar
            at = of_a + 6 + k
            factor[i, at], factor[i, at + 1], factor[i, at + 2] = -2 * ap, -2 * aq, -2 * ar
            x = np.float64(descriptors.rgb_backward[edge, k]) - center[0]
            y = np.float64(descriptors.rgb_backward[edge, k + 1]) - center[1]
            z = np.float64(descriptors.rgb_backward[edge, k + 2]) - center[2]
            xx, yy, zz, xy, xz, yz = xx + x * x, yy + y * y, zz + z * z, xy + x * y, xz + x * z, yz + y * z
            at = of_x + 6 + k
            factor[i, at], factor[i, at + 1], factor[i, at + 2] = x, y, z
        factor[i, of_x], factor[i, of_x + 1], factor[i, of_x + 2] = xx, yy, zz
        factor[i, of_x + 3], factor[i, of_x + 4], factor[i, of_x + 5] = xy, xz, yz
        factor[i, of_a + half - 1], factor[i, of_x + half - 1] = const, 1


@native
def prediction_factors(descriptors: Any, edges: Any, center: Any, left: bool, factor: Any) -> None:
    """Factors of a product that adds up squared errors of prediction along a seam, from both of its edges."""
    length = descriptors.forward.shape[1]
    of_p, of_x, sign = (0, length, -2) if left else (length, 0, 1)
    for i in range(edges.shape[0]):
        edge = np.uint64(edges[i])
        norm = 0.0
        for k in range(length):
            p = np.float64(descriptors.predicted[edge, k]) - center[k % 3]
            x = np.float64(descriptors.backward[edge, k]) - center[k % 3]
            norm += p * p + x * x
            factor[i, of_p + k], factor[i, of_x + k] = sign * p, sign * x
        factor[i, 2 * length], factor[i, 2 * length + 1] = (norm, 1) if left else (1, norm)
