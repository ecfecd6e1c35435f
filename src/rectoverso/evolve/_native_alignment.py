"""The alignment of a kernel: all its pieces keep to one pattern, as far as they tell where it runs.

Only preset ``best`` needs this file: without alignments every placement is aligned. ``kernel.alignment`` holds, for
rows and then for columns, the alignment of the board's first line and which bits of it are known; see
:mod:`rectoverso.matching.alignment`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso._native_geometry import _0, _3, column_of, row_of, turned
from rectoverso.native import native_part

OF_ROWS, OF_COLUMNS = 0, 2
PHASE, DIRECTION = np.uint64(15), np.uint64(48)
"""The bits of a phase, which changes from line to line, and those of a direction, which does not."""

FIXED = np.uint64(64)
"""A bit beside the known ones: what is not known yet will not be learned."""


@native_part
def stride_of(axis: int, rules: Any) -> np.uint64:
    """By how much an alignment changes from one row, or column, to the next."""
    return rules.row_stride if axis == OF_ROWS else rules.column_stride


@native_part
def at_first_line(edge: np.uint64, line: np.uint64, axis: int, tables: Any, rules: Any) -> np.uint64:
    """The alignment of the board's first line that follows from an edge that looks up, or left, from a line."""
    value = np.uint64(tables.alignment[edge, 0])
    return ((value + line * stride_of(axis, rules)) & PHASE) | (value & DIRECTION)


@native_part
def agrees(edge: np.uint64, line: np.uint64, axis: int, kernel: Any, tables: Any, rules: Any) -> bool:
    """Whether an edge that looks up, or left, from a line of the board has the kernel's alignment."""
    known = np.uint64(tables.alignment[edge, 1]) & kernel.alignment[axis + 1]
    return (at_first_line(edge, line, axis, tables, rules) ^ kernel.alignment[axis]) & known == _0


@native_part
def aligned(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any) -> bool:
    """Whether a placement keeps to the kernel's alignment, as far as both are known."""
    row, column, left = row_of(cell, rules), column_of(cell, rules), turned(up, _3)
    return agrees(up, row, OF_ROWS, kernel, tables, rules) and agrees(left, column, OF_COLUMNS, kernel, tables, rules)


@native_part
def learn_from(edge: np.uint64, line: np.uint64, axis: int, kernel: Any, tables: Any, rules: Any) -> None:
    """Take over the alignment of an edge, if it says more than what is known and does not contradict it."""
    known, told = np.uint64(tables.alignment[edge, 1]), kernel.alignment[axis + 1]
    if known & ~told != _0 and told & FIXED == _0 and agrees(edge, line, axis, kernel, tables, rules):
        first = at_first_line(edge, line, axis, tables, rules)
        kernel.alignment[axis] = (kernel.alignment[axis] & told) | (first & known)
        kernel.alignment[axis + 1] = told | known


@native_part
def learn_alignment(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any) -> None:
    """Learn the kernel's alignment from a placed piece."""
    learn_from(up, row_of(cell, rules), OF_ROWS, kernel, tables, rules)
    learn_from(turned(up, _3), column_of(cell, rules), OF_COLUMNS, kernel, tables, rules)
