"""The crossover: a kernel of pieces grown from one piece, by the paper's three phases (section "Type 2 Crossover")."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.evolve._native_boundary import find_least, seam_weight
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
    NOTHING,
    RIGHT,
    ROW_SPAN,
    SHARED,
    TOP,
    _0,
    _1,
    _2,
    _3,
    _32,
    load_parent,
    place,
    possible,
    take,
)
from rectoverso.native import draw, mix, native, native_part, stream_key

COST_SCALE = 2.0**20


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
    return (piece << rules.piece_shift) + (face << _2) + draw(kernel.random, rules.rotations)


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
    cell = (half << rules.row_shift) + half if rules.floating != _0 else np.uint64(tables.homes[piece])
    limits = kernel.limits
    limits[TOP] = limits[BOTTOM] = cell >> rules.row_shift
    limits[LEFT] = limits[RIGHT] = cell & ((_1 << rules.row_shift) - _1)
    limits[LOW_ROW] = limits[LOW_COLUMN] = _1
    limits[ROW_SPAN], limits[COLUMN_SPAN] = rules.rows - _1, rules.columns - _1
    kernel.bearing[:] = _0
    place(cell, np.uint64(mother.board[mother.at[piece]]), kernel, tables, rules, mother, father)


@native_part
def write_child(kernel: Any, rules: Any, child: Any) -> None:
    """The finished kernel row by row; one that stands where the frame lies is turned clockwise."""
    limits = kernel.limits
    upright = limits[BOTTOM] - limits[TOP] + _1 == rules.rows
    for row in range(rules.rows):
        for column in range(rules.columns):
            if upright:
                cell = ((limits[TOP] + row) << rules.row_shift) + limits[LEFT] + column
                child[row * rules.columns + column] = kernel.board[cell]
            else:
                cell = ((limits[BOTTOM] - column) << rules.row_shift) + limits[LEFT] + row
                up = np.uint64(kernel.board[cell])
                child[row * rules.columns + column] = (up & ~_3) | ((up - _1) & _3)


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


@native_part
def seam_cost(tables: Any, one: np.uint64, other: np.uint64) -> np.int64:
    """What a seam adds to the cost, in whole multiples of 2**-20."""
    return np.int64(seam_weight(tables, one, other) * COST_SCALE + 0.5)


@native
def cost(chromosome: Any, tables: Any, rules: Any) -> float:
    """Eq. 2: the sum of what all seams cost, on both faces for two-sided pieces.

    Whole numbers are added: the sum is the same to the last bit however the whole is turned or flipped.
    """
    total = np.int64(0)
    for row in range(rules.rows):
        for column in range(rules.columns):
            cell = row * rules.columns + column
            up = np.uint64(chromosome[cell])
            if column + _1 < rules.columns:
                there = np.uint64(chromosome[cell + _1])
                total += seam_cost(tables, (up & ~_3) | ((up + _1) & _3), (there & ~_3) | ((there + _3) & _3))
            if row + _1 < rules.rows:
                there = np.uint64(chromosome[cell + rules.columns])
                total += seam_cost(tables, (up & ~_3) | ((up + _2) & _3), there)
    return total / COST_SCALE


@native
def breed(
    start: int,
    stop: int,
    seed: np.uint64,
    generation: np.uint64,
    population: Any,
    parents: Any,
    mother: Any,
    father: Any,
    kernel: Any,
    tables: Any,
    rules: Any,
    children: Any,
    costs: Any,
    phases: Any,
) -> None:
    """Children ``start`` to ``stop`` of a generation, their costs and phase counts."""
    for i in range(start, stop):
        load_parent(population[parents[i, 0]], rules.rows, rules.columns, rules.piece_shift, mother)
        load_parent(population[parents[i, 1]], rules.rows, rules.columns, rules.piece_shift, father)
        key = stream_key(seed, generation, np.uint64(i))
        cross(key, mother, father, kernel, tables, rules, children[i], phases[i])
        costs[i] = cost(children[i], tables, rules)


@native
def scatter(
    start: int,
    stop: int,
    seed: np.uint64,
    tables: Any,
    rules: Any,
    homes: Any,
    random: Any,
    population: Any,
    costs: Any,
) -> None:
    """Random chromosomes ``start`` to ``stop``: every piece in a random cell (or its own) in a random orientation."""
    pieces = np.uint64(population.shape[1])
    for i in range(start, stop):
        random[0] = stream_key(seed, _0, np.uint64(i))
        chromosome = population[i]
        for piece in range(pieces):
            face = draw(random, rules.faces)
            up = (piece << rules.piece_shift) + (face << _2) + draw(random, rules.rotations)
            if rules.floating == _0:
                chromosome[homes[piece]] = up
            else:
                # Fisher and Yates, inside out.
                at = draw(random, piece + _1)
                chromosome[piece] = chromosome[at]
                chromosome[at] = up
        costs[i] = cost(chromosome, tables, rules)
