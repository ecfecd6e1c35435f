"""The bearing of a kernel: it keeps to one compression grid, as far as its pieces tell where that runs.

``kernel.bearing`` holds for rows, and then for columns, where the grid runs from the board's first line on (modulo 16)
and where up, or left, was in the file, and which bits of that are known; see :mod:`rectoverso.affinity.bearings`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.native import native_part

_0, _1, _3 = (np.uint64(i) for i in (0, 1, 3))
OF_ROWS, OF_COLUMNS = 0, 2
OFFSET, HEADING = np.uint64(15), np.uint64(48)
"""The bits that count pixels, and those that do not change from line to line."""

FIXED = np.uint64(64)
"""A bit beside the known ones: what is not known yet will not be learned."""


@native_part
def beyond(edge: np.uint64, line: np.uint64, tables: Any, rules: Any) -> np.uint64:
    """What an edge that looks up, or left, from a line of the board tells of the grid."""
    offset = np.uint64(tables.bearings[edge, 0])
    return ((offset + line * rules.stride) & OFFSET) | (offset & HEADING)


@native_part
def runs_on(edge: np.uint64, line: np.uint64, axis: int, kernel: Any, tables: Any, rules: Any) -> bool:
    """Whether the grid beyond an edge that looks up, or left, from a line of the board is the kernel's."""
    known = np.uint64(tables.bearings[edge, 1]) & kernel.bearing[axis + 1]
    return (beyond(edge, line, tables, rules) ^ kernel.bearing[axis]) & known == _0


@native_part
def in_step(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any) -> bool:
    """Whether a placement keeps to the kernel's grid, as far as both are known."""
    left = (up & ~_3) | ((up + _3) & _3)
    row, column = cell >> rules.row_shift, cell & ((_1 << rules.row_shift) - _1)
    return runs_on(up, row, OF_ROWS, kernel, tables, rules) and runs_on(left, column, OF_COLUMNS, kernel, tables, rules)


@native_part
def take_from(edge: np.uint64, line: np.uint64, axis: int, kernel: Any, tables: Any, rules: Any) -> None:
    """Take the grid beyond an edge for the kernel's, if it says more than what is known and does not gainsay it."""
    known, told = np.uint64(tables.bearings[edge, 1]), kernel.bearing[axis + 1]
    if known & ~told != _0 and told & FIXED == _0 and runs_on(edge, line, axis, kernel, tables, rules):
        kernel.bearing[axis] = (kernel.bearing[axis] & told) | (beyond(edge, line, tables, rules) & known)
        kernel.bearing[axis + 1] = told | known


@native_part
def take_bearing(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any) -> None:
    """Learn from a placed piece where the kernel's grid runs."""
    left = (up & ~_3) | ((up + _3) & _3)
    row, column = cell >> rules.row_shift, cell & ((_1 << rules.row_shift) - _1)
    take_from(up, row, OF_ROWS, kernel, tables, rules)
    take_from(left, column, OF_COLUMNS, kernel, tables, rules)
