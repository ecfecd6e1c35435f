"""Native parts of the candidate search: factors of matrix products, running lists of the best, exact ranks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rectoverso._native_geometry import NOTHING, _0, _1, _32
from rectoverso.matching._native_measures import seam_dissimilarity
from rectoverso.native import native, native_part

SIGN = np.uint64(0x80000000)
GLANCE = 8
"""How many columns of a tile are looked at together: 8 / 16 / 32 take 0.81 / 0.89 / 1.02 ns for each value. It is a
constant here, so that the compiler unrolls the loop."""


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


@native_part
def sortable(value: np.float32, column: int) -> np.uint64:
    """A value and its column as one integer that sorts by the value, and then by the column."""
    bits = np.uint64(np.float32(value).view(np.uint32))
    return ((bits ^ (SIGN if bits < SIGN else NOTHING)) << _32) | np.uint64(column)


@native_part
def value_of(key: np.uint64) -> np.float32:
    """The value of such an integer."""
    bits = key >> _32
    return np.uint32(bits ^ (SIGN if bits >= SIGN else NOTHING)).view(np.float32)


@native
def put_lowest_first(keys: Any, length: int, count: int) -> None:
    """Reorder the first ``length`` keys so that the ``count`` lowest come first (Hoare's selection)."""
    low, high = 0, length - 1
    while low < high:
        pivot, i, j = keys[(low + high) // 2], low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                i, j = i + 1, j - 1
        if count - 1 <= j:
            high = j
        elif count - 1 >= i:
            low = i
        else:
            return


@native
def keep_lowest(tile: Any, glances: Any, first: int, sole: Any, pieces: Any, keys: Any, lengths: Any) -> None:
    """Run over a tile and keep at least the lowest values of each row with their columns, as keys.

    A row has room for twice as many keys as are wanted. When it is full, the lower half stays, and only what is lower
    than all of it is kept from then on. ``sole[j]`` is the piece that column ``first + j`` belongs to alone; it is no
    candidate for ``pieces[i]`` itself. Nearly all values are too high. ``glances`` has the same values, several columns
    together, as far as they go: the least of these is found without a branch.
    """
    for i in range(tile.shape[0]):
        length, limit = lengths[i, 0], np.uint32(lengths[i, 1]).view(np.float32)
        for glance in range(glances.shape[1] + 1):
            start = glance * GLANCE
            stop = min(start + GLANCE, tile.shape[1])
            if glance < glances.shape[1]:
                least = glances[i, glance, 0]
                for j in range(GLANCE):
                    value = glances[i, glance, j]
                    least = value if value < least else least
                if least >= limit:
                    continue
            for j in range(start, stop):
                if tile[i, j] < limit and sole[first + j] != pieces[i]:
                    length, limit = keep(keys[i], length, limit, tile[i, j], first + j)
        lengths[i, 0], lengths[i, 1] = length, np.uint64(np.float32(limit).view(np.uint32))


@native
def keep_lowest_down(tile: Any, first: int, sole: Any, pieces: Any, keys: Any, lengths: Any, limits: Any) -> None:
    """The same for a tile that lies on its side: row i is column ``first + i``, and column j is row j of the lists.

    ``limits`` are those of the lists, as numbers.
    """
    width = tile.shape[1]
    for i in range(tile.shape[0]):
        for start in range(0, width, GLANCE):
            if start + GLANCE <= width:
                low = np.uint32(0)
                for j in range(GLANCE):
                    low |= np.uint32(tile[i, start + j] < limits[start + j])
                if low == 0:
                    continue
            for j in range(start, min(start + GLANCE, width)):
                if tile[i, j] < limits[j] and sole[first + i] != pieces[j]:
                    lengths[j, 0], limits[j] = keep(keys[j], lengths[j, 0], limits[j], tile[i, j], first + i)
    for j in range(width):
        lengths[j, 1] = np.uint64(np.float32(limits[j]).view(np.uint32))


@native_part
def keep(keys: Any, length: int, limit: np.float32, value: np.float32, column: int) -> tuple[int, np.float32]:
    """Put one more value among the keys of a row; how many they are then, and what others must be below."""
    wanted = keys.shape[0] // 2
    keys[length] = sortable(value, column)
    if length + 1 < 2 * wanted:
        return length + 1, limit
    put_lowest_first(keys, 2 * wanted, wanted)
    return wanted, value_of(highest(keys, wanted))


@native_part
def highest(keys: Any, length: int) -> np.uint64:
    """The highest of the first keys."""
    most = keys[0]
    for i in range(1, length):
        most = max(most, keys[i])
    return most


@native
def read_survivors(keys: Any, lengths: Any, limits: Any, survivors: Any) -> None:
    """The columns of the lowest keys of each row, -1 where there are fewer, and what all others are not below."""
    wanted = survivors.shape[1]
    for i in range(keys.shape[0]):
        length = lengths[i, 0]
        limits[i] = np.inf
        if length > wanted:
            put_lowest_first(keys[i], length, wanted)
            length = wanted
        if np.uint32(lengths[i, 1]).view(np.float32) < np.inf or lengths[i, 0] >= wanted:
            limits[i] = value_of(highest(keys[i], length))
        for j in range(wanted):
            survivors[i, j] = np.int64(keys[i, j] & NOTHING) if j < length else -1


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
    descriptors: Any, rows: Any, members: Any, sole: Any, limits: Any, survivors: Any, values: Any, columns: Any
) -> int:
    """Rank survivors by their exact dissimilarity, and search the row in full where that leaves doubt.

    What did not survive is not below ``limits``.
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
        if length > 0 and values[i, length - 1] >= limits[i]:
            searched += 1
            length = 0
            piece = rows[i] // (4 * descriptors.faces)
            for column in range(members.shape[0]):
                if sole[column] != piece:
                    exact = seam_dissimilarity(descriptors, rows[i], members[column])
                    length = insert(exact, column, values[i], columns[i], length)
    return searched


@native
def drop_highest(left: Any, right: Any, edges: Any, keys: Any, dropped: int, survivors: Any) -> None:
    """Drop so many survivors of each row: the highest by estimates in double precision, in a fixed order.

    Only twice as many are estimated again, the highest ones: all others stay in any case. ``keys`` are the survivors'.
    """
    for i in range(survivors.shape[0]):
        doubtful = survivors.shape[1] - 2 * dropped
        put_lowest_first(keys[i], survivors.shape[1], doubtful)
        for j in range(survivors.shape[1]):
            survivors[i, j] = np.int64(keys[i, j] & NOTHING)
        for j in range(doubtful, survivors.shape[1]):
            edge, total = edges[survivors[i, j]], 0.0
            for k in range(left.shape[1]):
                total += np.float64(left[i, k]) * np.float64(right[edge, k])
            keys[i, j] = sortable(np.float32(total), survivors[i, j])
        for _ in range(dropped):
            at = doubtful
            for j in range(doubtful, survivors.shape[1]):
                if keys[i, j] > keys[i, at]:
                    at = j
            keys[i, at] = _0
            survivors[i, at] = -1


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
    half = descriptors.rgb.shape[1] + 7
    of_a, of_x = (0, half) if left else (half, 0)
    for i in range(edges.shape[0]):
        edge = np.uint64(edges[i])
        length = np.int64(descriptors.lengths[edge & _1])
        for k in range(length, descriptors.rgb.shape[1]):
            factor[i, of_a + 6 + k] = factor[i, of_x + 6 + k] = 0
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
            facing = length - 3 - k
            x = np.float64(descriptors.rgb[edge, facing]) - center[0]
            y = np.float64(descriptors.rgb[edge, facing + 1]) - center[1]
            z = np.float64(descriptors.rgb[edge, facing + 2]) - center[2]
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
