"""The exact k best candidates of every edge, with no table of all pairs at any size.

The dissimilarity is a matrix product: |a - b|^2 = |a|^2 + |b|^2 - 2ab. A blocked float32 product gives *lower bounds*
of all of them (the rounding error is bounded and subtracted), a running list keeps the lowest, and the survivors are
ranked by their exact values. Where the bounds cannot prove that nothing was missed the row is searched in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import NOTHING, STEPS, mirror, opposite
from rectoverso.matching import _native_search as native
from rectoverso.matching._native_measures import LAB, PREDICTION, EdgeDescriptors
from rectoverso.matching.look_alikes import GROUP, LookAlikes
from rectoverso.puzzle.puzzle import Puzzle

MARGIN = 16
"""How many more survivors are kept than candidates are wanted."""

ROW_BLOCK, COLUMN_BLOCK = 1024, 1024

Class = tuple[NDArray[np.uint32], NDArray[np.bool_]]
"""Edges that are searched alike, and which edges they may touch, as a mask over all of them."""


@dataclass(frozen=True)
class Columns:
    """What is searched: one edge for each group of look-alikes, and one for every other edge.

    ``sole`` is the piece that alone can be had through a column, or ``geometry.NOTHING`` if there are several.
    """

    edges: NDArray[np.uint32]
    sole: NDArray[np.uint32]


def best_columns(
    descriptors: EdgeDescriptors, rows: NDArray[np.uint32], columns: Columns, k: int, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each row edge the dissimilarities and numbers of its k best columns, best first; -1 ends a short list.

    Equal dissimilarities are in the order of the columns.
    """
    product = _LowerBounds if descriptors.measure == LAB else _Estimates
    k = min(k, len(columns.edges))
    kept = min(k + product.margin, len(columns.edges))
    values = np.full((len(rows), k), np.inf)
    numbers = np.full((len(rows), k), -1, np.int64)
    # Rows of like brightness share a block, so that they lie close to the block's center and rounding errors are small.
    order = np.argsort(descriptors.forward[rows, ::3].mean(axis=1), kind="stable")

    def search(start: int, stop: int) -> None:
        block = rows[order[start:stop]]
        bounds = np.full((len(block), kept), np.inf, np.float32)
        survivors = np.full((len(block), kept), -1, np.int64)
        pieces = (block // (4 * descriptors.faces)).astype(np.uint32)
        products = product(descriptors, block)
        for first in range(0, len(columns.edges), COLUMN_BLOCK):
            tile = products.tile(columns.edges[first : first + COLUMN_BLOCK])
            native.keep_best(tile, first, columns.sole, pieces, bounds, survivors)
        found, places = np.full((len(block), k), np.inf), np.full((len(block), k), -1, np.int64)
        limits = products.as_dissimilarities(bounds)
        native.settle(descriptors, block, columns.edges, columns.sole, limits, survivors, found, places)
        values[order[start:stop]], numbers[order[start:stop]] = found, places

    over_slices(search, len(rows), threads, ROW_BLOCK)
    return values, numbers


class _LowerBounds:
    """Lower bounds for a block of row edges: on squared dissimilarities of one-sided descriptors, on those of two-sided ones.

    All strips are seen from the center of the block's rows, so that the edges that fit them have small numbers, too.
    """

    margin = MARGIN

    def __init__(self, descriptors: EdgeDescriptors, rows: NDArray[np.uint32]) -> None:
        self.descriptors = descriptors
        length = descriptors.forward.shape[1]
        # |error| <= gamma * (|a|^2 + |b|^2 + 2|a||b|) <= 2 gamma (|a|^2 + |b|^2) for a sum of `length` products.
        self.shrink = np.float32(1 - 2 * (length + 8) * 2.0**-24)
        self.centers, self.left = [], []
        for edges in _faces(descriptors, rows):
            center = np.rint(descriptors.forward[edges].mean(axis=0)).astype(np.int16)
            factor = np.empty((len(edges), length + 2), np.float32)
            native.centered(descriptors.forward, edges, center, self.shrink, True, factor)
            self.centers.append(center)
            self.left.append(factor)

    def tile(self, edges: NDArray[np.uint32]) -> NDArray[np.float32]:
        """The bounds of the rows against some edges."""
        products = []
        right = np.empty((len(edges), self.left[0].shape[1]), np.float32)
        for these, center, left in zip(_faces(self.descriptors, edges), self.centers, self.left, strict=True):
            native.centered(self.descriptors.backward, these, center, self.shrink, False, right)
            products.append(left @ right.T)
        if len(products) == 2:
            native.add_faces(*products)
        return products[0]

    def as_dissimilarities(self, bounds: NDArray[np.float32]) -> NDArray[np.float64]:
        """Bounds in the scale of exact dissimilarities."""
        scaled = bounds.astype(np.float64)
        if self.descriptors.faces == 1:
            scaled = np.sqrt(np.maximum(scaled, 0))
        return scaled * self.descriptors.unit


class _Estimates:
    """Estimates for a block of row edges: what the other measures would be with squares in the place of lengths.

    They bound nothing, so more survivors are kept.
    """

    margin = 3 * MARGIN

    def __init__(self, descriptors: EdgeDescriptors, rows: NDArray[np.uint32]) -> None:
        self.descriptors = descriptors
        predicting = descriptors.measure == PREDICTION
        self.fill = native.prediction_factors if predicting else native.gradient_factors
        colors = descriptors.forward if predicting else descriptors.rgb
        self.width = 2 * colors.shape[1] + (2 if predicting else 14)
        self.centers = [
            colors[edges].reshape(-1, 3).mean(axis=0, dtype=np.float64) for edges in _faces(descriptors, rows)
        ]
        self.left = self._factors(rows, True)

    def _factors(self, edges: NDArray[np.uint32], left: bool) -> NDArray[np.float32]:
        factors = []
        for these, center in zip(_faces(self.descriptors, edges), self.centers, strict=True):
            factors.append(np.empty((len(edges), self.width), np.float32))
            self.fill(self.descriptors, these, center, left, factors[-1])
        return np.concatenate(factors, axis=1) if len(factors) == 2 else factors[0]

    def tile(self, edges: NDArray[np.uint32]) -> NDArray[np.float32]:
        """The estimates of the rows against some edges."""
        return self.left @ self._factors(edges, False).T

    def as_dissimilarities(self, bounds: NDArray[np.float32]) -> NDArray[np.float64]:
        """Nothing is known of what did not survive."""
        return np.full(bounds.shape, np.inf)


def _faces(descriptors: EdgeDescriptors, edges: NDArray[np.uint32]) -> list[NDArray[np.uint32]]:
    """Edges, and for two-sided pieces their mirrors."""
    return [edges, mirror(edges)] if descriptors.faces == 2 else [edges]


def classes_by_side(puzzle: Puzzle) -> Iterator[Class]:
    """All edges, or with known rotations those of each side with those of the opposite one."""
    edges = np.arange(puzzle.num_edges, dtype=np.uint32)
    if puzzle.type.rotation_unknown:
        yield edges, np.ones(len(edges), bool)
        return
    for side in range(4):
        yield edges[edges % 4 == side], edges % 4 == opposite(side)


def search(
    puzzle: Puzzle,
    descriptors: EdgeDescriptors,
    look_alikes: LookAlikes,
    classes: Iterable[Class],
    k: int,
    threads: int,
) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """The k best candidates of the edges of each class among those that they may touch, and the dissimilarities."""
    edges = np.arange(puzzle.num_edges, dtype=np.uint32)
    candidates = np.full((puzzle.num_edges, k), NOTHING, np.uint32)
    values = np.full((puzzle.num_edges, k), np.inf, np.float32)
    group = look_alikes.group
    first_of_group = np.zeros(puzzle.num_edges, bool)
    first_of_group[look_alikes.members[look_alikes.start[:-1]]] = True
    listed = (group < 0) | first_of_group

    def find(these: NDArray[np.uint32], may_touch: NDArray[np.bool_], threads: int) -> None:
        # What the other face shows of a seam is what this one shows, mirrored.
        rows = these if puzzle.faces == 1 else these[these // 4 % 2 == 0]
        searched = edges[listed & may_touch]
        if not len(rows) or not len(searched):
            return
        found, numbers = best_columns(descriptors, rows, _columns(puzzle, searched, group), k, threads)
        entries = np.where(group[searched] >= 0, group[searched] | GROUP, searched).astype(np.uint32)
        width = found.shape[1]
        candidates[rows, :width] = np.where(numbers >= 0, entries[numbers], NOTHING)
        values[rows, :width] = found

    every = list(classes)
    # One BLAS thread in each of ours: more would only wait for each other.
    with threadpool_limits(1, user_api="blas"):
        if len(every) == 1:
            find(*every[0], threads)
        else:
            over_slices(lambda number, _: find(*every[number], 1), len(every), threads, 1)
    if puzzle.faces == 2:
        fronts = edges[edges // 4 % 2 == 0]
        candidates[mirror(fronts)] = _mirrored_entries(candidates[fronts], look_alikes)
        values[mirror(fronts)] = values[fronts]
    return candidates, values


def _columns(puzzle: Puzzle, edges: NDArray[np.uint32], group: NDArray[np.int64]) -> Columns:
    pieces = edges // (4 * puzzle.faces)
    return Columns(edges, np.where(group[edges] >= 0, NOTHING, pieces).astype(np.uint32))


def _mirrored_entries(entries: NDArray[np.uint32], look_alikes: LookAlikes) -> NDArray[np.uint32]:
    """The candidates of the mirrored edges: the same seams seen from the other face."""
    is_edge = entries < GROUP
    result = entries.copy()
    result[is_edge] = mirror(entries[is_edge])
    is_group = ~is_edge & (entries != NOTHING)
    first = look_alikes.members[look_alikes.start[entries[is_group] & ~np.uint32(GROUP)]]
    result[is_group] = look_alikes.group[mirror(first)] | GROUP
    return result


def search_at_home(puzzle: Puzzle, descriptors: EdgeDescriptors) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """Candidates where each piece's cell is known: the edges of its neighbors, in every orientation they may have."""
    homes = np.asarray(puzzle.homes, np.int64)
    per_piece = 4 * puzzle.faces
    piece_at = np.full((puzzle.rows + 2, puzzle.columns + 2), -1, np.int64)
    row, column = np.divmod(homes, puzzle.columns)
    piece_at[row + 1, column + 1] = np.arange(puzzle.num_pieces)
    neighbors = np.stack([piece_at[row + 1 + down, column + 1 + right] for down, right in STEPS], axis=1)
    edges = np.arange(puzzle.num_edges)
    pairs = (neighbors[edges // per_piece][:, :, None] * per_piece + np.arange(per_piece)).reshape(len(edges), -1)
    allowed = np.repeat(neighbors[edges // per_piece] >= 0, per_piece, axis=1)
    if not puzzle.type.rotation_unknown:
        direction = np.repeat(np.arange(4), per_piece)
        allowed &= (edges[:, None] % 4 == direction) & (pairs % 4 == (direction + 2) % 4)
    values = np.full(pairs.shape, np.inf)
    native.measure_pairs(descriptors, pairs, allowed, values)
    order = np.lexsort((pairs, values), axis=1)
    ranked = np.take_along_axis(values, order, axis=1).astype(np.float32)
    candidates = np.take_along_axis(pairs, order, axis=1)
    width = int(allowed.sum(axis=1).max())
    return np.where(np.isinf(ranked), NOTHING, candidates)[:, :width].astype(np.uint32), ranked[:, :width].copy()
