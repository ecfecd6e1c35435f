"""Ruin and regrow of a patch: a few hundred cells around a doubtful seam, while the rest stays where it is."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rectoverso.evolve._native import find_placement, seam_cost
from rectoverso.evolve._native_kernel import (
    BOTTOM,
    COLUMN_SPAN,
    FREE,
    LEFT,
    LOW_COLUMN,
    LOW_ROW,
    NOTHING,
    RIGHT,
    ROW_SPAN,
    TOP,
    _0,
    _1,
    _2,
    _3,
    _4,
    _32,
    open_side,
    place,
)
from rectoverso.native import draw, mix, native, native_part, stream_key
from rectoverso.repair._native import DOUBT


class Patch(NamedTuple):
    """The cells that a step may change and what lay there; ``within`` marks them by the step's number."""

    cells: Any
    ups: Any
    within: Any
    random: Any


@native_part
def seam_at(parent: Any, tables: Any, cell: Any, direction: Any) -> np.int64:
    """The cost of the seam of a cell in a direction; 0 where there is none."""
    up, there = np.uint64(parent.board[cell]), np.uint64(parent.board[cell + parent.steps[direction]])
    if up == NOTHING or there == NOTHING:
        return np.int64(0)
    one = (up & ~_3) | ((up + direction) & _3)
    other = (there & ~_3) | ((there + direction + _2) & _3)
    return seam_cost(tables, one, other)


@native_part
def is_doubtful(parent: Any, tables: Any, cell: Any) -> bool:
    for direction in range(_4):
        if seam_at(parent, tables, cell, direction) >= DOUBT:
            return True
    return False


@native_part
def in_land(cell, land, rules):
    row = cell >> rules.row_shift
    column = cell & ((_1 << rules.row_shift) - _1)
    return row - land[0] <= land[1] and column - land[2] <= land[3]


@native_part
def spread(
    seed_cell: Any, size: Any, count: Any, mark: Any, parent: Any, tables: Any, land: Any, rules: Any, patch: Any
) -> np.uint64:
    """Add cells to the patch, ring by ring from a cell, through doubtful cells; gives their number."""
    first = count
    if patch.within[seed_cell] == mark or not in_land(seed_cell, land, rules):
        return count
    patch.cells[count] = seed_cell
    patch.within[seed_cell] = mark
    count += _1
    while first < count < size:
        cell = np.uint64(patch.cells[first])
        first += _1
        turn = draw(patch.random, _4)
        for i in range(_4):
            target = cell + parent.steps[(i + turn) & _3]
            if (
                count < size
                and patch.within[target] != mark
                and np.uint64(parent.board[target]) != NOTHING
                and in_land(target, land, rules)
                and (is_doubtful(parent, tables, target) or draw(patch.random, _4) == _0)
            ):
                patch.cells[count] = target
                patch.within[target] = mark
                count += _1
    return count


@native_part
def patch_cost(count: Any, mark: Any, parent: Any, tables: Any, patch: Any) -> np.int64:
    total = np.int64(0)
    for i in range(count):
        cell = np.uint64(patch.cells[i])
        for direction in range(_4):
            # seams inside are seen once, from their left or upper cell
            if patch.within[cell + parent.steps[direction]] == mark and (direction == _0 or direction == _3):
                continue
            total += seam_at(parent, tables, cell, direction)
    return total


@native_part
def break_patch(count, mark, parent, tables, patch, doubtful, any_seam):
    for i in range(count):
        cell = np.uint64(patch.cells[i])
        for direction in range(_4):
            target = cell + parent.steps[direction]
            if patch.within[target] == mark and (direction == _0 or direction == _3):
                continue
            if np.uint64(parent.board[target]) == NOTHING:
                continue
            chance = doubtful if seam_at(parent, tables, cell, direction) >= DOUBT else any_seam
            if draw(patch.random, NOTHING) < chance:
                parent.cut[cell] |= np.uint8(_1 << direction)
                parent.cut[target] |= np.uint8(_1 << ((direction + _2) & _3))


@native_part
def mend(count, parent, patch):
    for i in range(count):
        cell = np.uint64(patch.cells[i])
        parent.cut[cell] = 0
        for direction in range(_4):
            target = cell + parent.steps[direction]
            parent.cut[target] &= np.uint8(~(_1 << ((direction + _2) & _3)) & np.uint64(255))


@native_part
def find_doubt(parent, tables, land, rules, random):
    """A random doubtful cell of the land; NOTHING if 64 tries found none."""
    for _ in range(64):
        row = land[0] + draw(random, land[1] + _1)
        column = land[2] + draw(random, land[3] + _1)
        cell = (row << rules.row_shift) + column
        if np.uint64(parent.board[cell]) != NOTHING and is_doubtful(parent, tables, cell):
            return cell
    return NOTHING


@native_part
def elsewhere(cell, parent, tables, rules, random):
    """Where a good candidate of one of the cell's edges lies."""
    up = np.uint64(parent.board[cell])
    edge = (up & ~_3) | draw(random, _4)
    rank = draw(random, np.uint64(min(4, tables.candidates.shape[1])))
    entry = np.uint64(tables.candidates[edge, rank])
    if entry >= np.uint64(0x80000000):
        return NOTHING
    return np.uint64(parent.at[entry >> rules.piece_shift])


@native
def regrow_patches(
    steps: int, seed, number, heat, chances, sizes, land, parent, kernel, tables, rules, patch, phases, tally
) -> None:
    shift = rules.row_shift
    limits = kernel.limits
    for step in range(steps):
        key = stream_key(seed, number, np.uint64(step))
        patch.random[0] = key
        mark = np.uint32(tally[2] + 1)
        tally[2] += 1
        start = find_doubt(parent, tables, land, rules, patch.random)
        if start == NOTHING:
            break
        # sizes: log-uniform between sizes[0] and sizes[1]
        luck = np.float64(draw(patch.random, NOTHING)) / 4294967296.0
        size = np.uint64(sizes[0] * (sizes[1] / sizes[0]) ** luck)
        two = draw(patch.random, _2) == _0
        count = spread(start, (size + _1) >> _1 if two else size, _0, mark, parent, tables, land, rules, patch)
        if two:
            there = elsewhere(start, parent, tables, rules, patch.random)
            if there != NOTHING:
                count = spread(there, size, count, mark, parent, tables, land, rules, patch)
        before = patch_cost(count, mark, parent, tables, patch)
        break_patch(count, mark, parent, tables, patch, chances[0], chances[1])
        # empty the patch
        kernel.counts[:] = _0
        kernel.counts[FREE] = count
        kernel.passed[:] = _0
        kernel.random[0] = patch.random[0]
        kernel.random[1] = mix(key)
        for i in range(count):
            cell = np.uint64(patch.cells[i])
            up = np.uint64(parent.board[cell])
            patch.ups[i] = up
            kernel.board[cell] = NOTHING
            kernel.free[i] = up >> rules.piece_shift
            kernel.free_at[up >> rules.piece_shift] = i
        for i in range(count):
            cell = np.uint64(patch.cells[i])
            for direction in range(_4):
                target = cell + kernel.steps[direction]
                there = np.uint64(kernel.board[target])
                if there != NOTHING:
                    open_side(target, there, (direction + _2) & _3, kernel, tables, rules, parent, parent)
        while kernel.counts[FREE] > _0:
            placement, phase = find_placement(kernel, tables, rules)
            phases[phase] += 1
            place(placement >> _32, placement & NOTHING, kernel, tables, rules, parent, parent)
        mend(count, parent, patch)
        for i in range(count):
            cell = np.uint64(patch.cells[i])
            kernel.free_at[patch.ups[i] >> rules.piece_shift] = NOTHING
            parent.board[cell] = kernel.board[cell]
        after = patch_cost(count, mark, parent, tables, patch)
        warmth = heat[0] * (heat[1] / heat[0]) ** (step / steps)
        luck = -math.log((np.float64(draw(kernel.random, NOTHING)) + 1.0) / 4294967296.0)
        tally[3] += 1
        for i in range(count):
            if np.uint64(parent.board[np.uint64(patch.cells[i])]) != np.uint64(patch.ups[i]):
                tally[4] += 1
                break
        if np.float64(after - before) <= warmth * luck * 1048576.0:
            tally[0] += after - before
            tally[1] += 1
            for i in range(count):
                cell = np.uint64(patch.cells[i])
                parent.at[np.uint64(parent.board[cell]) >> rules.piece_shift] = cell
        else:
            for i in range(count):
                cell = np.uint64(patch.cells[i])
                parent.board[cell] = kernel.board[cell] = patch.ups[i]


@native
def load_board(chromosome: Any, rules: Any, parent: Any, kernel: Any) -> None:
    """Lay a chromosome out on the anchored board of parent and kernel."""
    kernel.board[:] = NOTHING
    kernel.free_at[:] = NOTHING
    limits = kernel.limits
    limits[TOP] = limits[LEFT] = _1
    limits[BOTTOM], limits[RIGHT] = rules.rows, rules.columns
    limits[LOW_ROW] = limits[LOW_COLUMN] = _1
    limits[ROW_SPAN], limits[COLUMN_SPAN] = rules.rows - _1, rules.columns - _1
    for row in range(rules.rows):
        for column in range(rules.columns):
            cell = ((row + _1) << rules.row_shift) + column + _1
            up = np.uint64(chromosome[row * rules.columns + column])
            kernel.board[cell] = up
            parent.board[cell] = up
            parent.at[up >> rules.piece_shift] = cell
