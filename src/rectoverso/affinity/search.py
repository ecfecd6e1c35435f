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
from rectoverso.affinity.strips import Strips
from rectoverso.geometry import mirror
from rectoverso.threads import over_slices

MARGIN = 16
"""How many more survivors are kept than candidates are wanted."""

ROW_BLOCK, COLUMN_BLOCK = 512, 2048


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
    product = _LowerBounds(strips, faces, columns.edges)

    def search(start: int, stop: int) -> None:
        block = rows[start:stop]
        bounds = np.full((len(block), kept), np.inf, np.float32)
        survivors = np.full((len(block), kept), -1, np.int64)
        pieces = (block // (4 * faces)).astype(np.uint32)
        left = product.left(block)
        for first in range(0, len(columns.edges), COLUMN_BLOCK):
            tile = product.tile(left, first)
            _native.keep_best(tile, first, columns.sole, pieces, bounds, survivors)
        _native.settle(
            0,
            len(block),
            strips.forward,
            strips.backward,
            strips.unit,
            np.uint64(faces),
            block,
            columns.edges,
            columns.sole,
            product.as_dissimilarities(bounds),
            survivors,
            values[start:stop],
            numbers[start:stop],
        )

    over_slices(search, len(rows), threads, ROW_BLOCK)
    return values, numbers


class _LowerBounds:
    """Tiles of lower bounds: on squared dissimilarities of one-sided seams, on dissimilarities of two-sided ones."""

    def __init__(self, strips: Strips, faces: int, edges: NDArray[np.uint32]) -> None:
        self.strips, self.faces = strips, faces
        length = strips.forward.shape[1]
        self.mean = np.tile(strips.forward.reshape(-1, 3).mean(axis=0, dtype=np.float64), length // 3)
        # |error| <= gamma * (|a|^2 + |b|^2 + 2|a||b|) <= 2 gamma (|a|^2 + |b|^2) for a sum of `length` products.
        self.shrink = 1 - 2 * (length + 8) * 2.0**-24
        self.sides = [self._right(edges)]
        if faces == 2:
            self.sides.append(self._right(mirror(edges)))

    def _centered(self, strips: NDArray[np.int16]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        centered = (strips - self.mean).astype(np.float32)
        norms = np.einsum("ij,ij->i", centered, centered, dtype=np.float64) * self.shrink
        return centered, norms.astype(np.float32)

    def _right(self, edges: NDArray[np.uint32]) -> NDArray[np.float32]:
        colors, norms = self._centered(self.strips.backward[edges])
        return np.column_stack([colors, norms, np.ones_like(norms)])

    def left(self, rows: NDArray[np.uint32]) -> list[NDArray[np.float32]]:
        """Row edges as left factors, one for each face."""
        factors = []
        for edges in (rows, mirror(rows))[: self.faces]:
            colors, norms = self._centered(self.strips.forward[edges])
            factors.append(np.column_stack([-2 * colors, np.ones_like(norms), norms]))
        return factors

    def tile(self, left: list[NDArray[np.float32]], first: int) -> NDArray[np.float32]:
        """The bounds of some row edges against the columns from ``first`` on."""
        products = [a @ b[first : first + COLUMN_BLOCK].T for a, b in zip(left, self.sides, strict=True)]
        if self.faces == 2:
            _native.add_faces(*products)
        return products[0]

    def as_dissimilarities(self, bounds: NDArray[np.float32]) -> NDArray[np.float64]:
        """Bounds in the scale of exact dissimilarities."""
        scaled = bounds.astype(np.float64)
        if self.faces == 1:
            scaled = np.sqrt(np.maximum(scaled, 0))
        return scaled * self.strips.unit
