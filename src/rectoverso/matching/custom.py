"""A measure of one's own: a function from the border strips of a puzzle to one vector for each edge, or to a matrix.

The dissimilarity of two edges is the distance of their vectors, so the search is the same matrix product as for the
paper's measure, at any size. The function sees the strips twice: as they are, and reversed as the edge that touches
sees them; both together make the distance symmetric. Edges of pieces that are not square have two lengths, and it sees
those of each length by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import NOTHING, mirror
from rectoverso.matching.look_alikes import LookAlikes
from rectoverso.matching.strips import border_pixels, edge_classes
from rectoverso.puzzle.puzzle import Puzzle

DEPTH = 2
"""How many rows of pixels a measure sees of each edge unless it asks for more, the outermost first."""

SLICE = 4096

Strips = NDArray[np.uint8]
"""Edges x rows x pixels x RGB: the outermost rows of pixels of each edge, read clockwise around the piece."""

Function = Callable[[Strips], NDArray[np.floating]]
Rerank = Callable[[Strips, NDArray[np.int64], NDArray[np.int64]], NDArray[np.floating]]


@dataclass(frozen=True)
class VectorMeasure:
    """Dissimilarity as a distance of vectors.

    Attributes
    ----------
    vectors
        From strips to edges x anything: one vector for each edge.
    rerank
        The exact dissimilarities of seams, from the strips and the two edges of each. The candidates found by vectors
        are then ranked by these. A seam's cost must be known for all edges, so that needs the relative objective.
    depth
        How many rows of pixels both see of each edge, the outermost first.
    """

    vectors: Function
    rerank: Rerank | None = None
    depth: int = DEPTH


@dataclass(frozen=True)
class MatrixMeasure:
    """Dissimilarity as a table, for small puzzles: ``matrix`` goes from strips to edges x edges."""

    matrix: Function


Measure = VectorMeasure | MatrixMeasure


def as_measure(given: Measure | Function) -> Measure:
    """A measure; a plain function gives vectors."""
    if isinstance(given, VectorMeasure | MatrixMeasure):
        return given
    if not callable(given):
        raise TypeError(f"a measure is a function, a VectorMeasure or a MatrixMeasure, not {given!r}")
    return VectorMeasure(given)


def border_strips(puzzle: Puzzle, depth: int = DEPTH) -> list[Strips]:
    """The strips that a measure sees, for edges of each length; pieces one pixel wide have one row."""
    depth = min(depth, puzzle.piece_height, puzzle.piece_width)
    rows = [border_pixels(puzzle, row) for row in range(depth)]
    return [np.stack([row[edges, :length] for row in rows], axis=1) for edges, length in edge_classes(puzzle)]


def whole_vectors(vectors: Function, strips: list[Strips]) -> tuple[NDArray[np.int16], NDArray[np.int16], float]:
    """Vectors of edges, and of edges as those that touch see them, in whole multiples of a unit.

    Sums of squares stay below 2**31, and sums of whole numbers are the same on every machine.
    """
    views = ((each, each[:, :, ::-1]) for each in strips)
    return in_whole_numbers([(_checked(vectors(a), len(a)), _checked(vectors(b), len(b))) for a, b in views])


def in_whole_numbers(
    pairs: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
) -> tuple[NDArray[np.int16], NDArray[np.int16], float]:
    """The same for vectors that are there, of edges of each length and of these as those that touch see them."""
    centered = [_centered_vectors(*pair) for pair in pairs]
    width = max(own.shape[1] for own, _ in centered)
    largest = max(float(np.abs(each).max()) for pair in centered for each in pair)
    unit = 2 * largest / (np.sqrt((2**31 - 1) / (2 * width)) - 2) or 1.0
    count = len(centered)
    own, seen = np.zeros((2, sum(len(own) for own, _ in centered), width), np.int16)
    for number, pair in enumerate(centered):
        for whole, each in zip((own, seen), pair, strict=True):
            whole[number::count, : each.shape[1]] = np.rint(each / unit)
    # Twice the square of one distance, if the function treats both alike.
    return np.concatenate([own, seen], axis=1), np.concatenate([seen, own], axis=1), float(unit / np.sqrt(2))


def _centered_vectors(
    own: NDArray[np.float64], seen: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The vectors of edges of one length, and as those that touch see them, from the middle of their range."""
    if own.shape != seen.shape:
        raise ValueError(
            f"a measure gave vectors of {own.shape[1]} numbers, and of {seen.shape[1]} for reversed strips"
        )
    middle = (np.minimum(own.min(axis=0), seen.min(axis=0)) + np.maximum(own.max(axis=0), seen.max(axis=0))) / 2
    return own - middle, seen - middle


def whole_table(matrix: Function, strips: list[Strips]) -> NDArray[np.float32]:
    """The table of a measure for all edges; what edges of two lengths would have is 0, and nobody asks for it."""
    if len(strips) == 1:
        return checked_matrix(matrix, strips[0])
    edges = sum(map(len, strips))
    table = np.zeros((edges, edges), np.float32)
    for number, each in enumerate(strips):
        table[number :: len(strips), number :: len(strips)] = checked_matrix(matrix, each)
    return table


def checked_matrix(matrix: Function, strips: Strips) -> NDArray[np.float32]:
    """The table of a measure; refused if it is none."""
    table = np.asarray(matrix(strips), np.float32)
    if table.shape != (len(strips), len(strips)):
        raise ValueError(f"a matrix for {len(strips)} edges is {len(strips)} x {len(strips)}, not {table.shape}")
    if not np.isfinite(table).all() or table.min() < 0:
        raise ValueError("dissimilarities are finite and not negative")
    if not np.allclose(table, table.T, rtol=1e-4, atol=1e-6):
        raise ValueError("a matrix of dissimilarities is symmetric: a seam is the same from both of its sides")
    return np.ascontiguousarray(table)


def _checked(vectors: NDArray[np.floating], count: int) -> NDArray[np.float64]:
    found = np.asarray(vectors, np.float64)
    if found.ndim != 2 or len(found) != count or not found.shape[1]:
        raise ValueError(f"a measure gives one vector for each of {count} edges, not an array of shape {found.shape}")
    if not np.isfinite(found).all():
        raise ValueError("the vectors of a measure must be finite")
    return found


def best_by_rerank(
    measure: VectorMeasure,
    puzzle: Puzzle,
    candidates: NDArray[np.uint32],
    look_alikes: LookAlikes,
    k: int,
    threads: int = 1,
) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """The k best of some candidates by exact dissimilarities, with these: of both faces for two-sided pieces."""
    if measure.rerank is None:
        raise ValueError("this measure has no exact dissimilarities")
    rerank = measure.rerank
    strips, values = border_strips(puzzle, measure.depth), np.full(candidates.shape, np.inf, np.float32)
    others = look_alikes.first_members(candidates)

    def measured(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
        found = np.zeros(len(one))
        for number, each in enumerate(strips):
            these = one % len(strips) == number
            values = np.asarray(rerank(each, one[these] // len(strips), other[these] // len(strips)), np.float64)
            if values.shape != (np.count_nonzero(these),):
                said = f"a re-ranking gives one number for each of {np.count_nonzero(these)} seams, not {values.shape}"
                raise ValueError(said)
            found[these] = values
        return found

    def work(start: int, stop: int) -> None:
        listed = candidates[start:stop] != NOTHING
        one, other = np.nonzero(listed)[0] + start, others[start:stop][listed]
        found = measured(one, other)
        if puzzle.faces == 2:
            found = found + measured(mirror(one), mirror(other))
        if not np.isfinite(found).all() or (len(found) and found.min() < 0):
            raise ValueError("dissimilarities are finite and not negative")
        values[start:stop][listed] = found

    over_slices(work, len(candidates), threads, SLICE)
    order = np.argsort(values, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(candidates, order, axis=1), np.take_along_axis(values, order, axis=1)
