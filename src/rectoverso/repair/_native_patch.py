"""Ruin and regrow of a patch: the doubtful cells around a doubtful one, while the rest stays where it is.

The arrangement lies on the kernel's board, from row 1 and column 1 on, and in ``layout.parent`` on a board of the same
width: what the patch grows from. Only cells of the ``strip`` (first row, further rows, first column, further columns)
are changed, so that several strips can be worked on at the same time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rectoverso._native_geometry import (
    GROUP,
    NOTHING,
    _0,
    _1,
    _2,
    _3,
    _4,
    _32,
    cell_at,
    column_of,
    row_of,
)
from rectoverso.evolve._native_alignment import FIXED, OF_COLUMNS, OF_ROWS
from rectoverso.evolve._native_crossover import find_placement
from rectoverso.evolve._native_kernel import (
    BOTTOM,
    COLUMN_SPAN,
    FREE,
    LEFT,
    LOW_COLUMN,
    LOW_ROW,
    RIGHT,
    ROW_SPAN,
    TOP,
    open_side,
    place,
)
from rectoverso.evolve._native_weights import COST_SCALE
from rectoverso.native import draw, mix, native, native_part, stream_key
from rectoverso.repair._native_annealing import DOUBT, accepts, is_doubtful, seam_at, uniform

TRIES = 64
"""How many random cells are looked at for a doubtful one."""

NEAR = 4
"""Of how many first candidates one decides where the second half of a patch lies."""


class Patch(NamedTuple):
    """The cells that a step may change, the pieces that lay there, and which cells are marked by which step."""

    cells: Any
    ups: Any
    marks: Any
    random: Any
    strip: Any


@native_part
def find_doubt(parent: Any, tables: Any, rules: Any, patch: Any) -> np.uint64:
    """A random doubtful cell of the strip; NOTHING if many tries found none."""
    strip = patch.strip
    for _ in range(TRIES):
        row, column = strip[0] + draw(patch.random, strip[1] + _1), strip[2] + draw(patch.random, strip[3] + _1)
        cell = cell_at(row, column, rules)
        if is_doubtful(cell, parent, tables):
            return cell
    return NOTHING


@native_part
def in_strip(cell: Any, rules: Any, patch: Any) -> bool:
    """Whether a cell may be changed."""
    row, column = row_of(cell, rules), column_of(cell, rules)
    return row - patch.strip[0] <= patch.strip[1] and column - patch.strip[2] <= patch.strip[3]


@native_part
def may_join(cell: Any, mark: Any, parent: Any, rules: Any, patch: Any) -> bool:
    """Whether a cell lies in the strip and is not in the patch yet."""
    return in_strip(cell, rules, patch) and patch.marks[cell] != mark


@native_part
def spread(cell: Any, size: Any, count: Any, mark: Any, parent: Any, tables: Any, rules: Any, patch: Any) -> np.uint64:
    """Add cells to a patch, ring by ring from one on, until it has its size: doubtful ones, and a quarter of others."""
    if count == size or not may_join(cell, mark, parent, rules, patch):
        return count
    at = count
    patch.cells[count], patch.marks[cell] = cell, mark
    count += _1
    while at < count:
        cell = np.uint64(patch.cells[at])
        at += _1
        turn = draw(patch.random, _4)
        for i in range(_4):
            target = cell + parent.steps[(i + turn) & _3]
            if count == size or not may_join(target, mark, parent, rules, patch):
                continue
            if is_doubtful(target, parent, tables) or draw(patch.random, _4) == _0:
                patch.cells[count], patch.marks[target] = target, mark
                count += _1
    return count


@native_part
def choose_patch(sizes: Any, mark: Any, parent: Any, tables: Any, rules: Any, patch: Any) -> np.uint64:
    """Choose the cells of a step around a doubtful one, and give their number.

    Half of the patches have a second half where a good candidate of the first cell lies.
    """
    start = find_doubt(parent, tables, rules, patch)
    if start == NOTHING:
        return _0
    size = np.uint64(sizes[0] * (sizes[1] / sizes[0]) ** uniform(patch.random))
    if draw(patch.random, _2) == _0:
        return spread(start, size, _0, mark, parent, tables, rules, patch)
    count = spread(start, (size + _1) >> _1, _0, mark, parent, tables, rules, patch)
    edge = (np.uint64(parent.board[start]) & ~_3) | draw(patch.random, _4)
    rank = draw(patch.random, np.uint64(min(NEAR, tables.candidates.shape[1])))
    entry = np.uint64(tables.candidates[edge, rank])
    if entry < GROUP:
        there = np.uint64(parent.at[entry >> rules.piece_shift])
        count = spread(there, size, count, mark, parent, tables, rules, patch)
    return count


@native_part
def patch_cost(count: Any, mark: Any, parent: Any, tables: Any, patch: Any) -> np.int64:
    """What all seams of the patch cost, each counted once."""
    total = np.int64(0)
    for i in range(count):
        cell = np.uint64(patch.cells[i])
        for direction in range(_4):
            inner = patch.marks[cell + parent.steps[direction]] == mark
            if not inner or direction == _1 or direction == _2:
                total += seam_at(cell, direction, parent, tables)
    return total


@native_part
def break_patch(count: Any, mark: Any, chances: Any, parent: Any, tables: Any, patch: Any) -> None:
    """Break the seams of the patch, doubtful ones with one chance and others with another, in 2**32ths."""
    for i in range(count):
        cell = np.uint64(patch.cells[i])
        for direction in range(_4):
            target = cell + parent.steps[direction]
            inner = patch.marks[target] == mark
            if np.uint64(parent.board[target]) == NOTHING or (inner and (direction == _0 or direction == _3)):
                continue
            doubtful = seam_at(cell, direction, parent, tables) >= DOUBT
            if draw(patch.random, NOTHING) < (chances[0] if doubtful else chances[1]):
                parent.cut[cell] |= np.uint8(_1 << direction)
                parent.cut[target] |= np.uint8(_1 << ((direction + _2) & _3))


@native_part
def empty_patch(key: Any, count: Any, kernel: Any, tables: Any, rules: Any, parent: Any, patch: Any) -> None:
    """Take the pieces of the patch off the kernel's board and open the edges around it."""
    kernel.counts[:] = _0
    kernel.counts[FREE] = count
    kernel.passed[:] = _0
    kernel.random[0], kernel.random[1] = patch.random[0], mix(key)
    for i in range(count):
        cell = np.uint64(patch.cells[i])
        up = np.uint64(parent.board[cell])
        patch.ups[i], kernel.board[cell] = up, NOTHING
        kernel.free[i] = up >> rules.piece_shift
        kernel.free_at[up >> rules.piece_shift] = i
    for i in range(count):
        for direction in range(_4):
            beyond = np.uint64(patch.cells[i]) + kernel.steps[direction]
            there = np.uint64(kernel.board[beyond])
            if there != NOTHING:
                open_side(beyond, there, (direction + _2) & _3, kernel, tables, rules, parent, parent)


@native_part
def mend(count: Any, kernel: Any, rules: Any, parent: Any, patch: Any) -> None:
    """Put the regrown patch into the arrangement; no seam is broken and no piece free any more."""
    for i in range(count):
        cell = np.uint64(patch.cells[i])
        parent.cut[cell] = 0
        for direction in range(_4):
            target = cell + parent.steps[direction]
            parent.cut[target] &= np.uint8(~(_1 << ((direction + _2) & _3)) & np.uint64(255))
        parent.board[cell] = kernel.board[cell]
        kernel.free_at[np.uint64(patch.ups[i]) >> rules.piece_shift] = NOTHING


@native_part
def settle(accepted: Any, count: Any, kernel: Any, rules: Any, parent: Any, patch: Any) -> None:
    """Keep the regrown patch, or put back what lay there."""
    for i in range(count):
        cell = np.uint64(patch.cells[i])
        if not accepted:
            parent.board[cell] = kernel.board[cell] = patch.ups[i]
        parent.at[np.uint64(parent.board[cell]) >> rules.piece_shift] = cell


@native
def regrow_patches(
    steps: int,
    seed: np.uint64,
    number: np.uint64,
    temperature: float,
    chances: Any,
    sizes: Any,
    parent: Any,
    kernel: Any,
    tables: Any,
    rules: Any,
    patch: Any,
) -> None:
    """So many steps of ruin and regrow in a strip, accepted by annealing at one temperature."""
    patch.marks[:] = 0
    for step in range(steps):
        key = stream_key(seed, number, np.uint64(step))
        patch.random[0] = key
        mark = np.uint32(step + 1)
        count = choose_patch(sizes, mark, parent, tables, rules, patch)
        if count == _0:
            continue
        before = patch_cost(count, mark, parent, tables, patch)
        break_patch(count, mark, chances, parent, tables, patch)
        empty_patch(key, count, kernel, tables, rules, parent, patch)
        while kernel.counts[FREE] > _0:
            placement, _ = find_placement(kernel, tables, rules)
            place(placement >> _32, placement & NOTHING, kernel, tables, rules, parent, parent)
        mend(count, kernel, rules, parent, patch)
        worse = np.float64(patch_cost(count, mark, parent, tables, patch) - before) / COST_SCALE
        settle(accepts(worse, temperature, kernel.random), count, kernel, rules, parent, patch)


@native
def lay_out(chromosome: Any, alignment: Any, rules: Any, parent: Any, kernel: Any) -> None:
    """Lay a chromosome out on the boards of a parent and of a kernel that fills the frame and has this alignment."""
    for axis in (OF_ROWS, OF_COLUMNS):
        kernel.alignment[axis] = alignment[axis]
        kernel.alignment[axis + 1] = alignment[axis + 1] | FIXED
    kernel.board[:] = NOTHING
    kernel.free_at[:] = NOTHING
    limits = kernel.limits
    limits[TOP] = limits[LEFT] = limits[LOW_ROW] = limits[LOW_COLUMN] = _1
    limits[BOTTOM], limits[RIGHT] = rules.rows, rules.columns
    limits[ROW_SPAN], limits[COLUMN_SPAN] = rules.rows - _1, rules.columns - _1
    for row in range(rules.rows):
        for column in range(rules.columns):
            cell = cell_at(row + _1, column + _1, rules)
            up = np.uint64(chromosome[row * rules.columns + column])
            kernel.board[cell] = up
            parent.board[cell] = up
            parent.at[up >> rules.piece_shift] = cell


@native
def count_doubtful(strip: Any, parent: Any, tables: Any, rules: Any) -> int:
    """How many pieces of a strip are doubtful."""
    count = 0
    for row in range(strip[0], strip[0] + strip[1] + _1):
        for column in range(strip[2], strip[2] + strip[3] + _1):
            if is_doubtful(cell_at(row, column, rules), parent, tables):
                count += 1
    return count
