"""Exchanges: the pieces of cells that do not touch each other, dealt out among these in the best way that there is.

What a piece costs in one of the cells does not depend on where the others go, so the best of all ways is an assignment
problem, and a ring of pieces that lie in each other's places is put right at once, however long it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rectoverso._native_geometry import NOTHING, _1, _2, _4, cell_at, facing, turned
from rectoverso.evolve._native_alignment import aligned
from rectoverso.evolve._native_weights import COST_SCALE, seam_cost
from rectoverso.native import native, native_part
from rectoverso.repair._native_annealing import is_doubtful, seam_at

MISALIGNED = np.int64(COST_SCALE)
"""What it costs that a piece is not aligned: some alignments were misread, and fit nowhere else."""

FAR = np.int64(1) << np.int64(62)


class Hand(NamedTuple):
    """What an exchange deals out: the pieces of some cells.

    ``costs`` is what each piece (a column) costs in each cell (a row), ``ups`` the up edge that it would show there,
    ``alignment`` that of a kernel. The rest is for :func:`assign`: prices of rows and of columns, the row that a column
    belongs to (a search begins at one column more than there are), and of a search the column before each, the
    distance, and whether it was reached.
    """

    cells: Any
    pieces: Any
    costs: Any
    ups: Any
    alignment: Any
    row_price: Any
    column_price: Any
    row_of: Any
    before: Any
    distance: Any
    reached: Any


@native
def weigh_misfits(parent: Any, tables: Any, rules: Any, totals: Any) -> None:
    """What all seams of each doubtful piece cost, row by row and column by column; 0 for all others."""
    for row in range(rules.rows):
        for column in range(rules.columns):
            cell = cell_at(row + _1, column + _1, rules)
            total = np.int64(0)
            if is_doubtful(cell, parent, tables):
                for direction in range(_4):
                    total += seam_at(cell, direction, parent, tables)
            totals[row * rules.columns + column] = total


@native_part
def placed_cost(cell: Any, up: Any, parent: Any, tables: Any, rules: Any, hand: Any) -> np.int64:
    """What a piece would cost in a cell."""
    total = np.int64(0) if aligned(cell, up, hand, tables, rules) else MISALIGNED
    for direction in range(_4):
        there = np.uint64(parent.board[cell + parent.steps[direction]])
        if there != NOTHING:
            total += seam_cost(tables, turned(up, direction), facing(there, direction))
    return total


@native
def weigh_hand(start: int, stop: int, parent: Any, tables: Any, rules: Any, hand: Any) -> None:
    """What each piece costs in the cells ``start`` to ``stop``, in its best orientation; to stay is best of equals."""
    for i in range(start, stop):
        cell = np.uint64(hand.cells[i])
        own = np.uint64(parent.board[cell])
        for j in range(hand.pieces.shape[0]):
            least, best = FAR, NOTHING
            for face in range(rules.faces):
                for side in range(rules.rotations):
                    up = (np.uint64(hand.pieces[j]) << rules.piece_shift) + (face << _2) + side * rules.turn
                    total = placed_cost(cell, up, parent, tables, rules, hand) + np.int64(up != own)
                    if total < least:
                        least, best = total, up
            hand.costs[i, j], hand.ups[i, j] = least, best


@native_part
def find_free(row: int, hand: Any) -> int:
    """Search, by the least costs above the prices, from a row to a column that belongs to none; raises the prices."""
    number = hand.costs.shape[0]
    hand.distance[:] = FAR
    hand.reached[:] = 0
    hand.row_of[number] = row
    column = number
    while hand.row_of[column] >= 0:
        hand.reached[column] = 1
        here, step, nearest = hand.row_of[column], FAR, number
        for j in range(number):
            if hand.reached[j] != 0:
                continue
            beyond = hand.costs[here, j] - hand.row_price[here] - hand.column_price[j]
            if beyond < hand.distance[j]:
                hand.distance[j], hand.before[j] = beyond, column
            if hand.distance[j] < step:
                step, nearest = hand.distance[j], j
        for j in range(number + 1):
            if hand.reached[j] != 0:
                hand.row_price[hand.row_of[j]] += step
                hand.column_price[j] -= step
            elif j < number:
                hand.distance[j] -= step
        column = nearest
    return column


@native
def assign(hand: Any) -> None:
    """Give each row a column so that all together cost least: ``row_of`` the columns (Kuhn, 1955; Munkres, 1957)."""
    number = hand.costs.shape[0]
    hand.row_price[:] = 0
    hand.column_price[:] = 0
    hand.row_of[:] = -1
    for row in range(number):
        column = find_free(row, hand)
        while column != number:
            previous = hand.before[column]
            hand.row_of[column] = hand.row_of[previous]
            column = previous


@native
def deal(parent: Any, hand: Any) -> None:
    """Lay all pieces where they were assigned."""
    for j in range(hand.costs.shape[0]):
        i = hand.row_of[j]
        parent.board[hand.cells[i]] = hand.ups[i, j]
