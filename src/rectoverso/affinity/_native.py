"""Native parts of the affinity search: exact seam dissimilarities and running lists of the best."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rectoverso.native import native, native_part

_3, _4, _7 = np.uint64(3), np.uint64(4), np.uint64(7)


@native_part
def mirrored(edge: np.uint64) -> np.uint64:
    """The same border seen from the other face; two-sided edges only."""
    return (edge & ~_7) | ((edge ^ _4) & _4) | ((_4 - (edge & _3)) & _3)


@native_part
def square_sum(forward: Any, backward: Any, one: np.uint64, other: np.uint64) -> np.int32:
    """The sum of squared differences along the seam of two edges, exact in 32 bits."""
    a, b = forward[one], backward[other]
    total = np.int32(0)
    for i in range(a.shape[0]):
        difference = np.int32(np.int32(a[i]) - np.int32(b[i]))
        total = np.int32(total + np.int32(difference * difference))
    return total


@native
def seam_dissimilarity(forward: Any, backward: Any, unit: float, faces: np.uint64, one: Any, other: Any) -> float:
    """Eq. 1 for the seam of two edges; for two-sided pieces plus the seam on the other face."""
    total = math.sqrt(square_sum(forward, backward, one, other))
    if faces > 1:
        total += math.sqrt(square_sum(forward, backward, mirrored(one), mirrored(other)))
    return total * unit


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
def keep_best(tile: Any, first: int, sole: Any, pieces: Any, values: Any, columns: Any) -> None:
    """Run over a tile and keep each row's lowest values and their columns, sorted.

    ``sole[j]`` is the piece that column ``first + j`` belongs to alone; it is no candidate for ``pieces[i]`` itself.
    """
    last = values.shape[1] - 1
    for i in range(tile.shape[0]):
        worst = values[i, last]
        for j in range(tile.shape[1]):
            value = tile[i, j]
            if value < worst and sole[first + j] != pieces[i]:
                at = last
                while at > 0 and values[i, at - 1] > value:
                    values[i, at] = values[i, at - 1]
                    columns[i, at] = columns[i, at - 1]
                    at -= 1
                values[i, at] = value
                columns[i, at] = first + j
                worst = values[i, last]


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
    forward: Any,
    backward: Any,
    unit: float,
    faces: np.uint64,
    rows: Any,
    members: Any,
    sole: Any,
    bounds: Any,
    survivors: Any,
    values: Any,
    columns: Any,
) -> int:
    """Rank survivors by their exact dissimilarity, and search the row in full where that leaves doubt.

    ``bounds`` holds lower bounds (of dissimilarities) of the survivors; what did not survive is not below the last.
    Returns how many rows had to be searched in full.
    """
    searched = 0
    for i in range(rows.shape[0]):
        length = 0
        for j in range(survivors.shape[1]):
            if survivors[i, j] >= 0:
                column = survivors[i, j]
                exact = seam_dissimilarity(forward, backward, unit, faces, rows[i], members[column])
                length = insert(exact, column, values[i], columns[i], length)
        if survivors[i, -1] >= 0 and values[i, length - 1] >= bounds[i, -1]:
            searched += 1
            length = 0
            piece = rows[i] // (4 * faces)
            for column in range(members.shape[0]):
                if sole[column] != piece:
                    exact = seam_dissimilarity(forward, backward, unit, faces, rows[i], members[column])
                    length = insert(exact, column, values[i], columns[i], length)
    return searched


@native
def measure_pairs(
    forward: Any, backward: Any, unit: float, faces: np.uint64, pairs: Any, allowed: Any, values: Any
) -> None:
    """The dissimilarity of each edge with the edges in its row of ``pairs``, where allowed."""
    for edge in range(pairs.shape[0]):
        for j in range(pairs.shape[1]):
            if allowed[edge, j]:
                other = np.uint64(pairs[edge, j])
                values[edge, j] = seam_dissimilarity(forward, backward, unit, faces, np.uint64(edge), other)
