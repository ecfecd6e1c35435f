"""Matrix products that find the candidates worth looking at.

The paper's measure is one: |a - b|^2 = |a|^2 + |b|^2 - 2ab, and in single precision, with the rounding error bounded
and subtracted, it is a *lower bound*. The other measures have estimates: what they would be with squares in the place
of lengths. An estimate bounds nothing, so more survivors are kept.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import mirror
from rectoverso.matching import _native_search as native
from rectoverso.matching._native_measures import PREDICTION, TABLE, VECTORS, EdgeDescriptors

MARGIN = 16
"""How many more survivors are kept than candidates are wanted, if numbers are bounds. Fewer make more rows doubtful."""

MARGIN_OF_ESTIMATES = 3 * MARGIN
"""The same for estimates: with 48 more, 99 % of the best candidates and 90 % of ten are those of a search in full."""

ROUNDED = 16
"""How many more survive the product in single precision, whose rounding is that of the machine, and are then estimated
again in double precision, in a fixed order: so the list is the same on every machine."""

SLICE = 4096

Edges = NDArray[np.uint32]
Keys = NDArray[np.uint64]
Limits = NDArray[np.float64]


class Tiles(Protocol):
    """A block of row edges."""

    def tile(self, edges: Edges) -> NDArray[np.float32]:
        """A number for every pair of the rows and some edges; lower is better."""
        ...

    def limits(self, edges: Edges, keys: Keys, limits: Limits, survivors: NDArray[np.int64]) -> Limits:
        """What the dissimilarities of all that did not survive are not below; ``limits`` is that of their numbers.

        ``survivors`` are columns of ``edges``, with their ``keys``; some may be taken out (-1).
        """
        ...


class Products(Protocol):
    """What a matrix product needs of all edges.

    ``symmetric``: the number of a seam is the same from both of its edges, but for rounding.
    """

    margin: int
    symmetric: bool

    def order(self, rows: Edges) -> NDArray[np.int64]:
        """The order in which rows are best put into blocks."""
        ...

    def tiles(self, rows: Edges) -> Tiles:
        """A block of rows."""
        ...


def make_products(descriptors: EdgeDescriptors, threads: int = 1) -> Products:
    """The product that suits a measure."""
    if descriptors.measure == TABLE:
        return Table(descriptors)
    return LowerBounds(descriptors) if descriptors.measure == VECTORS else Estimates(descriptors, threads)


class LowerBounds:
    """Lower bounds: of squared dissimilarities for one-sided pieces, of dissimilarities for two-sided ones."""

    margin = MARGIN
    symmetric = False

    def __init__(self, descriptors: EdgeDescriptors) -> None:
        self.descriptors = descriptors

    def order(self, rows: Edges) -> NDArray[np.int64]:
        """Rows of like brightness share a block, close to its center, where rounding errors are small."""
        return np.argsort(self.descriptors.forward[rows, ::3].mean(axis=1), kind="stable")

    def tiles(self, rows: Edges) -> Tiles:
        """A block of rows."""
        return _BoundTiles(self.descriptors, rows)


class _BoundTiles:
    """All strips are seen from the center of the block's rows, so that the edges that fit them have small numbers."""

    def __init__(self, descriptors: EdgeDescriptors, rows: Edges) -> None:
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

    def tile(self, edges: Edges) -> NDArray[np.float32]:
        products = []
        right = np.empty((len(edges), self.left[0].shape[1]), np.float32)
        for these, center, left in zip(_faces(self.descriptors, edges), self.centers, self.left, strict=True):
            native.centered(self.descriptors.backward, these, center, self.shrink, False, right)
            products.append(left @ right.T)
        if len(products) == 2:
            native.add_faces(*products)
        return products[0]

    def limits(self, edges: Edges, keys: Keys, limits: Limits, survivors: NDArray[np.int64]) -> Limits:
        scaled = np.sqrt(np.maximum(limits, 0)) if self.descriptors.faces == 1 else limits
        return scaled * self.descriptors.unit


class Estimates:
    """Estimates, from factors of all edges that are computed once."""

    margin = MARGIN_OF_ESTIMATES + ROUNDED
    symmetric = True

    def __init__(self, descriptors: EdgeDescriptors, threads: int = 1) -> None:
        predicting = descriptors.measure == PREDICTION
        self.fill = native.prediction_factors if predicting else native.gradient_factors
        colors = descriptors.forward if predicting else descriptors.rgb
        width = 2 * colors.shape[1] + (2 if predicting else 14)
        # A whole number of colors, so that it is the same on every machine.
        self.center = np.rint(_mean_color(descriptors, colors))
        faces = int(descriptors.faces)
        self.left, self.right = np.empty((2, len(colors), faces * width), np.float32)
        edges = np.arange(len(colors), dtype=np.uint32)

        def work(start: int, stop: int) -> None:
            for number, these in enumerate(_faces(descriptors, edges[start:stop])):
                part = np.s_[start:stop, number * width : (number + 1) * width]
                self.fill(descriptors, these, self.center, True, self.left[part])
                self.fill(descriptors, these, self.center, False, self.right[part])

        over_slices(work, len(edges), threads, SLICE)

    def order(self, rows: Edges) -> NDArray[np.int64]:
        """Any order will do."""
        return np.arange(len(rows))

    def tiles(self, rows: Edges) -> Tiles:
        """A block of rows."""
        return _EstimateTiles(self, rows)


class _EstimateTiles:
    def __init__(self, products: Estimates, rows: Edges) -> None:
        self.products, self.rows, self.left = products, rows, products.left[rows]

    def tile(self, edges: Edges) -> NDArray[np.float32]:
        return self.left @ self.products.right[edges].T

    def limits(self, edges: Edges, keys: Keys, limits: Limits, survivors: NDArray[np.int64]) -> Limits:
        """Nothing is known of what did not survive; of what did, only the lowest by estimates in a fixed order stay."""
        if survivors.shape[1] < len(edges):
            native.drop_highest(self.left, self.products.right, edges, keys, ROUNDED, survivors)
        return np.full(len(self.rows), np.inf)


class Table:
    """No product at all: the dissimilarities are there."""

    margin = MARGIN
    symmetric = False

    def __init__(self, descriptors: EdgeDescriptors) -> None:
        self.descriptors = descriptors

    def order(self, rows: Edges) -> NDArray[np.int64]:
        """Any order will do."""
        return np.arange(len(rows))

    def tiles(self, rows: Edges) -> Tiles:
        """A block of rows."""
        return _TableTiles(self.descriptors, rows)


class _TableTiles:
    def __init__(self, descriptors: EdgeDescriptors, rows: Edges) -> None:
        self.descriptors, self.rows = descriptors, rows

    def tile(self, edges: Edges) -> NDArray[np.float32]:
        faces = zip(_faces(self.descriptors, self.rows), _faces(self.descriptors, edges), strict=True)
        tiles = [self.descriptors.table[np.ix_(rows, columns)] for rows, columns in faces]
        return tiles[0] if len(tiles) == 1 else tiles[0] + tiles[1]

    def limits(self, edges: Edges, keys: Keys, limits: Limits, survivors: NDArray[np.int64]) -> Limits:
        return np.full(len(self.rows), np.inf)


def _mean_color(descriptors: EdgeDescriptors, colors: NDArray[np.generic]) -> NDArray[np.float64]:
    """The mean color along all edges."""
    even, odd = (int(length) for length in descriptors.lengths)
    if even == odd:
        return colors.reshape(-1, 3).mean(axis=0, dtype=np.float64)
    parts = [colors[side::2, :length].reshape(-1, 3) for side, length in enumerate((even, odd))]
    return np.concatenate(parts).mean(axis=0, dtype=np.float64)


def _faces(descriptors: EdgeDescriptors, edges: Edges) -> list[Edges]:
    """Edges, and for two-sided pieces their mirrors."""
    return [edges, mirror(edges)] if descriptors.faces == 2 else [edges]
