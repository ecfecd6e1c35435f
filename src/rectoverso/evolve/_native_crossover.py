"""The crossover: a kernel of pieces grown from one piece, by the paper's three phases (section "Type 2 Crossover")."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso._native_geometry import NOTHING, _0, _1, _2, _3, _32, cell_at, column_of, row_of, turned
from rectoverso.evolve._native_boundary import find_least
from rectoverso.evolve._native_kernel import (
    BOTTOM,
    BUDDY,
    COLUMN_SPAN,
    FREE,
    IN_BUDDY,
    IN_SHARED,
    LEAST,
    LEFT,
    LOW_COLUMN,
    LOW_ROW,
    MUTATED,
    RIGHT,
    ROW_SPAN,
    SHARED,
    TOP,
    place,
    possible,
    take,
)
from rectoverso.native import draw, mix, native, native_part


@native_part
def any_piece(cell: np.uint64, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """A mutation: a free piece in any orientation, or the cell's own piece in any orientation where that is known."""
    at = draw(kernel.random, kernel.counts[FREE])
    piece = np.uint64(kernel.free[at])
    if rules.floating == _0:
        at = _0
        while np.uint64(tables.homes[kernel.free[at]]) != cell:
            at += _1
        piece = np.uint64(kernel.free[at])
    face = draw(kernel.random, rules.faces)
    return (piece << rules.piece_shift) + (face << _2) + draw(kernel.random, rules.rotations) * rules.turn


@native_part
def find_placement(kernel: Any, tables: Any, rules: Any) -> tuple[np.uint64, int]:
    """The next placement and its phase: what both parents share, a best-buddy edge of either, the least of all."""
    counts = kernel.counts
    while counts[IN_SHARED] > _0:
        placement = take(kernel.shared, counts, IN_SHARED, kernel.random)
        if possible(placement >> _32, placement & NOTHING, kernel, tables, rules):
            return placement, SHARED
    while counts[IN_BUDDY] > _0:
        placement = take(kernel.buddy, counts, IN_BUDDY, kernel.random)
        if possible(placement >> _32, placement & NOTHING, kernel, tables, rules):
            return placement, BUDDY
    return find_least(kernel, tables, rules)


@native_part
def start_kernel(key: np.uint64, kernel: Any, tables: Any, rules: Any, mother: Any, father: Any) -> None:
    """An empty board with one random piece on it, lying as it does in the mother."""
    pieces = np.uint64(kernel.free.shape[0])
    kernel.board[:] = NOTHING
    kernel.passed[:] = _0
    kernel.counts[:] = _0
    kernel.counts[FREE] = pieces
    kernel.random[0] = key
    kernel.random[1] = mix(key)
    for i in range(pieces):
        kernel.free[i] = i
        kernel.free_at[i] = i
    piece = draw(kernel.random, pieces)
    half = _1 << (rules.row_shift - _1)
    cell = cell_at(half, half, rules) if rules.floating != _0 else np.uint64(tables.homes[piece])
    limits = kernel.limits
    limits[TOP] = limits[BOTTOM] = row_of(cell, rules)
    limits[LEFT] = limits[RIGHT] = column_of(cell, rules)
    limits[LOW_ROW] = limits[LOW_COLUMN] = _1
    limits[ROW_SPAN], limits[COLUMN_SPAN] = rules.rows - _1, rules.columns - _1
    kernel.alignment[:] = _0
    place(cell, np.uint64(mother.board[mother.at[piece]]), kernel, tables, rules, mother, father)


@native_part
def write_child(kernel: Any, rules: Any, child: Any) -> None:
    """The finished kernel row by row; one that stands where the frame lies is turned clockwise."""
    limits = kernel.limits
    upright = limits[BOTTOM] - limits[TOP] + _1 == rules.rows
    for row in range(rules.rows):
        for column in range(rules.columns):
            if upright:
                cell = cell_at(limits[TOP] + row, limits[LEFT] + column, rules)
                child[row * rules.columns + column] = kernel.board[cell]
            else:
                cell = cell_at(limits[BOTTOM] - column, limits[LEFT] + row, rules)
                up = np.uint64(kernel.board[cell])
                child[row * rules.columns + column] = turned(up, _3)


@native
def cross(key: Any, mother: Any, father: Any, kernel: Any, tables: Any, rules: Any, child: Any, phases: Any) -> None:
    """One child of two spread-out parents; ``phases`` counts how its pieces were placed."""
    phases[:] = 0
    start_kernel(key, kernel, tables, rules, mother, father)
    while kernel.counts[FREE] > _0:
        placement, phase = find_placement(kernel, tables, rules)
        cell, up = placement >> _32, placement & NOTHING
        if (
            rules.mutation > _0
            and (phase == SHARED or phase == LEAST)
            and draw(kernel.random, NOTHING) < rules.mutation
        ):
            up, phase = any_piece(cell, kernel, tables, rules), MUTATED
        phases[phase] += 1
        place(cell, up, kernel, tables, rules, mother, father)
    write_child(kernel, rules, child)
