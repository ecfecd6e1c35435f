"""The exact k best candidates of every edge, with no table of all pairs at any size.

The dissimilarity is a matrix product: |a - b|^2 = |a|^2 + |b|^2 - 2ab. A blocked float32 product gives *lower bounds*
of all of them (the rounding error is bounded and subtracted), a running list keeps the lowest, and the survivors are
ranked by their exact values. Where the bounds cannot prove that nothing was missed the row is searched in full.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rectoverso.affinity import _native
from rectoverso.affinity.strips import Strips
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
    strips: Strips, faces: int, rows: NDArray[np.uint32], columns: Columns, k: int, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For each row edge the dissimilarities and numbers of its k best columns, best first; -1 ends a short list.

    Equal dissimilarities are in the order of the columns.
    """
    k = min(k, len(columns.edges))
    kept = min(k + MARGIN, len(columns.edges))
    values = np.full((len(rows), k), np.inf)
    numbers = np.full((len(rows), k), -1, np.int64)
    # Rows of like brightness share a block, so that they lie close to the block's center and rounding errors are small.
    order = np.argsort(strips.forward[rows, ::3].mean(axis=1), kind="stable")

    def search(start: int, stop: int) -> None:
        block = rows[order[start:stop]]
        bounds = np.full((len(block), kept), np.inf, np.float32)
        survivors = np.full((len(block), kept), -1, np.int64)
        pieces = (block // (4 * faces)).astype(np.uint32)
        product = _LowerBounds(strips, faces, block)
        for first in range(0, len(columns.edges), COLUMN_BLOCK):
            tile = product.tile(columns.edges[first : first + COLUMN_BLOCK])
            _native.keep_best(tile, first, columns.sole, pieces, bounds, survivors)
        found, places = np.full((len(block), k), np.inf), np.full((len(block), k), -1, np.int64)
        _native.settle(
            strips.forward,
            strips.backward,
            strips.unit,
            np.uint64(faces),
            block,
            columns.edges,
            columns.sole,
            product.as_dissimilarities(bounds),
            survivors,
            found,
            places,
        )
        values[order[start:stop]], numbers[order[start:stop]] = found, places

    # One BLAS thread in each of ours: more would only wait for each other.
    with threadpool_limits(1, user_api="blas"):
        over_slices(search, len(rows), threads, ROW_BLOCK)
    return values, numbers


class _LowerBounds:
    """Lower bounds for a block of row edges: on squared dissimilarities of one-sided seams, on those of two-sided ones.

    All strips are seen from the center of the block's rows, so that the edges that fit them have small numbers, too.
    """

    def __init__(self, strips: Strips, faces: int, rows: NDArray[np.uint32]) -> None:
        self.strips, self.faces = strips, faces
        length = strips.forward.shape[1]
        # |error| <= gamma * (|a|^2 + |b|^2 + 2|a||b|) <= 2 gamma (|a|^2 + |b|^2) for a sum of `length` products.
        self.shrink = np.float32(1 - 2 * (length + 8) * 2.0**-24)
        self.centers, self.left = [], []
        for edges in (rows, mirror(rows))[:faces]:
            center = np.rint(strips.forward[edges].mean(axis=0)).astype(np.int16)
            factor = np.empty((len(edges), length + 2), np.float32)
            _native.centered(strips.forward, edges, center, self.shrink, True, factor)
            self.centers.append(center)
            self.left.append(factor)

    def tile(self, edges: NDArray[np.uint32]) -> NDArray[np.float32]:
        """The bounds of the rows against some edges."""
        products = []
        right = np.empty((len(edges), self.left[0].shape[1]), np.float32)
        for these, center, left in zip((edges, mirror(edges)), self.centers, self.left, strict=False):
            _native.centered(self.strips.backward, these, center, self.shrink, False, right)
            products.append(left @ right.T)
        if self.faces == 2:
            _native.add_faces(*products)
        return products[0]

    def as_dissimilarities(self, bounds: NDArray[np.float32]) -> NDArray[np.float64]:
        """Bounds in the scale of exact dissimilarities."""
        scaled = bounds.astype(np.float64)
        if self.faces == 1:
            scaled = np.sqrt(np.maximum(scaled, 0))
        return scaled * self.strips.unit
