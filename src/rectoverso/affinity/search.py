"""The exact k best candidates of every edge, with no table of all pairs at any size.

The dissimilarity is a matrix product: |a - b|^2 = |a|^2 + |b|^2 - 2ab. A blocked float32 product gives *lower bounds*
of all of them (the rounding error is bounded and subtracted), a running list keeps the lowest, and the survivors are
ranked by their exact values. Where the bounds cannot prove that nothing was missed the row is searched in full.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity import _native
from rectoverso.affinity._native_measures import LAB, PREDICTION, Seams
from rectoverso.geometry import mirror
from rectoverso.threads import over_slices

MARGIN = 16
"""How many more survivors are kept than candidates are wanted."""

ROW_BLOCK, COLUMN_BLOCK = 1024, 1024


@dataclass(frozen=True)
class Columns:
    """What is searched: one edge for each group of look-alikes, and one for every other edge.

    ``sole`` is the piece that alone can be had through a column, or ``geometry.NOTHING`` if there are several.
    """

    edges: NDArray[np.uint32]
    sole: NDArray[np.uint32]


def best_columns(
    seams: Seams, rows: NDArray[np.uint32], columns: Columns, k: int, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each row edge the dissimilarities and numbers of its k best columns, best first; -1 ends a short list.

    Equal dissimilarities are in the order of the columns.
    """
    product = _LowerBounds if seams.measure == LAB else _Estimates
    k = min(k, len(columns.edges))
    kept = min(k + product.margin, len(columns.edges))
    values = np.full((len(rows), k), np.inf)
    numbers = np.full((len(rows), k), -1, np.int64)
    # Rows of like brightness share a block, so that they lie close to the block's center and rounding errors are small.
    order = np.argsort(seams.forward[rows, ::3].mean(axis=1), kind="stable")

    def search(start: int, stop: int) -> None:
        block = rows[order[start:stop]]
        bounds = np.full((len(block), kept), np.inf, np.float32)
        survivors = np.full((len(block), kept), -1, np.int64)
        pieces = (block // (4 * seams.faces)).astype(np.uint32)
        products = product(seams, block)
        for first in range(0, len(columns.edges), COLUMN_BLOCK):
            tile = products.tile(columns.edges[first : first + COLUMN_BLOCK])
            _native.keep_best(tile, first, columns.sole, pieces, bounds, survivors)
        found, places = np.full((len(block), k), np.inf), np.full((len(block), k), -1, np.int64)
        limits = products.as_dissimilarities(bounds)
        _native.settle(seams, block, columns.edges, columns.sole, limits, survivors, found, places)
        values[order[start:stop]], numbers[order[start:stop]] = found, places

    over_slices(search, len(rows), threads, ROW_BLOCK)
    return values, numbers


class _LowerBounds:
    """Lower bounds for a block of row edges: on squared dissimilarities of one-sided seams, on those of two-sided ones.

    All strips are seen from the center of the block's rows, so that the edges that fit them have small numbers, too.
    """

    margin = MARGIN

    def __init__(self, seams: Seams, rows: NDArray[np.uint32]) -> None:
        self.seams = seams
        length = seams.forward.shape[1]
        # |error| <= gamma * (|a|^2 + |b|^2 + 2|a||b|) <= 2 gamma (|a|^2 + |b|^2) for a sum of `length` products.
        self.shrink = np.float32(1 - 2 * (length + 8) * 2.0**-24)
        self.centers, self.left = [], []
        for edges in _faces(seams, rows):
            center = np.rint(seams.forward[edges].mean(axis=0)).astype(np.int16)
            factor = np.empty((len(edges), length + 2), np.float32)
            _native.centered(seams.forward, edges, center, self.shrink, True, factor)
            self.centers.append(center)
            self.left.append(factor)

    def tile(self, edges: NDArray[np.uint32]) -> NDArray[np.float32]:
        """The bounds of the rows against some edges."""
        products = []
        right = np.empty((len(edges), self.left[0].shape[1]), np.float32)
        for these, center, left in zip(_faces(self.seams, edges), self.centers, self.left, strict=True):
            _native.centered(self.seams.backward, these, center, self.shrink, False, right)
            products.append(left @ right.T)
        if len(products) == 2:
            _native.add_faces(*products)
        return products[0]

    def as_dissimilarities(self, bounds: NDArray[np.float32]) -> NDArray[np.float64]:
        """Bounds in the scale of exact dissimilarities."""
        scaled = bounds.astype(np.float64)
        if self.seams.faces == 1:
            scaled = np.sqrt(np.maximum(scaled, 0))
        return scaled * self.seams.unit


class _Estimates:
    """Estimates for a block of row edges: what the other measures would be with squares in the place of lengths.

    They bound nothing, so more survivors are kept.
    """

    margin = 3 * MARGIN

    def __init__(self, seams: Seams, rows: NDArray[np.uint32]) -> None:
        self.seams = seams
        predicting = seams.measure == PREDICTION
        self.fill = _native.prediction_factors if predicting else _native.gradient_factors
        colors = seams.forward if predicting else seams.rgb
        self.width = 2 * colors.shape[1] + (2 if predicting else 14)
        self.centers = [colors[edges].reshape(-1, 3).mean(axis=0, dtype=np.float64) for edges in _faces(seams, rows)]
        self.left = self._factors(rows, True)

    def _factors(self, edges: NDArray[np.uint32], left: bool) -> NDArray[np.float32]:
        factors = []
        for these, center in zip(_faces(self.seams, edges), self.centers, strict=True):
            factors.append(np.empty((len(edges), self.width), np.float32))
            self.fill(self.seams, these, center, left, factors[-1])
        return np.concatenate(factors, axis=1) if len(factors) == 2 else factors[0]

    def tile(self, edges: NDArray[np.uint32]) -> NDArray[np.float32]:
        """The estimates of the rows against some edges."""
        return self.left @ self._factors(edges, False).T

    def as_dissimilarities(self, bounds: NDArray[np.float32]) -> NDArray[np.float64]:
        """Nothing is known of what did not survive."""
        return np.full(bounds.shape, np.inf)


def _faces(seams: Seams, edges: NDArray[np.uint32]) -> list[NDArray[np.uint32]]:
    """Edges, and for two-sided pieces their mirrors."""
    return [edges, mirror(edges)] if seams.faces == 2 else [edges]
