"""Edges and cells in native code: turning an up edge, and rows and columns of a board whose width is a power of two."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.native import native_part

_0, _1, _2, _3, _4, _7, _32 = (np.uint64(i) for i in (0, 1, 2, 3, 4, 7, 32))
NOTHING = np.uint64(0xFFFFFFFF)
GROUP = np.uint64(0x80000000)


@native_part
def turned(edge: Any, quarters: Any) -> Any:
    """The edge so many quarter turns clockwise from an edge of the same face.

    Of an up edge it is the edge that looks in that direction; ``quarters`` counts modulo 4 and may have wrapped around.
    """
    return (edge & ~_3) | ((edge + quarters) & _3)


@native_part
def facing(up: Any, direction: Any) -> Any:
    """The edge with which a piece, shown with an up edge, faces whoever looks at it in a direction."""
    return turned(up, direction + _2)


@native_part
def mirrored(edge: np.uint64) -> np.uint64:
    """The same border seen from the other face; two-sided edges only."""
    return (edge & ~_7) | ((edge ^ _4) & _4) | ((_4 - (edge & _3)) & _3)


@native_part
def row_of(cell: Any, rules: Any) -> Any:
    """The row of a cell of the kernel's board."""
    return cell >> rules.row_shift


@native_part
def column_of(cell: Any, rules: Any) -> Any:
    """The column of a cell of the kernel's board."""
    return cell & ((_1 << rules.row_shift) - _1)


@native_part
def cell_at(row: Any, column: Any, rules: Any) -> Any:
    """The cell of the kernel's board in a row and a column."""
    return (row << rules.row_shift) + column
