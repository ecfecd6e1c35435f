"""Survivors: running lists of the lowest numbers of many rows, as blocks of columns come by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.matching import _native_search as native

INFINITE = 0x7F800000
"""The bits of an infinite value in single precision."""

Tile = NDArray[np.float32]


@dataclass(frozen=True)
class Survivors:
    """The lowest numbers of some rows with their columns, as far as tiles were seen.

    Attributes
    ----------
    pieces
        The piece of each row, which is no candidate for itself.
    sole
        For all columns the piece that a column belongs to alone, or ``geometry.NOTHING``.
    keys
        Rows x twice as many as are wanted: numbers and columns as integers.
    lengths
        Rows x 2: how many keys there are, and the bits of the number that others must be below.
    """

    pieces: NDArray[np.uint32]
    sole: NDArray[np.uint32]
    keys: NDArray[np.uint64]
    lengths: NDArray[np.int64]

    @classmethod
    def none(cls, pieces: NDArray[np.uint32], sole: NDArray[np.uint32], wanted: int) -> Survivors:
        """No tile was seen yet."""
        keys, lengths = np.zeros((len(pieces), 2 * wanted), np.uint64), np.zeros((len(pieces), 2), np.int64)
        lengths[:, 1] = INFINITE
        return cls(pieces, sole, keys, lengths)

    def part(self, start: int, stop: int) -> Survivors:
        """Those of some rows; what is kept there is kept here."""
        part = slice(start, stop)
        return Survivors(self.pieces[part], self.sole, self.keys[part], self.lengths[part])

    def keep(self, tile: Tile, first: int) -> None:
        """See a tile whose first column has this number."""
        native.keep_lowest(tile, _glances(tile), first, self.sole, self.pieces, self.keys, self.lengths)

    def keep_down(self, tile: Tile, first: int) -> None:
        """See a tile that lies on its side: its rows are columns, and the first has this number."""
        limits = self.lengths[:, 1].astype(np.uint32).view(np.float32)
        native.keep_lowest_down(tile, first, self.sole, self.pieces, self.keys, self.lengths, limits)

    def columns(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """What all others are not below, and the columns of the survivors; -1 where there are fewer."""
        limits, columns = np.empty(len(self.keys)), np.empty((len(self.keys), self.keys.shape[1] // 2), np.int64)
        native.read_survivors(self.keys, self.lengths, limits, columns)
        return limits, columns


def _glances(tile: Tile) -> Tile:
    """The columns of a tile, several together; those that are left over are left out."""
    whole = tile.shape[1] // native.GLANCE
    return tile[:, : whole * native.GLANCE].reshape(len(tile), whole, native.GLANCE)
