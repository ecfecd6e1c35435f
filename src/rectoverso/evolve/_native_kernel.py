"""The growing kernel: its board, the frame it must fit, the parents it copies from, the bags of what may follow.

The kernel floats on a board twice the frame's size; ``limits`` holds the rows and columns it may still reach. All work
arrays belong to one thread and are used again for every child. Bags are checked lazily: what lies in them was possible
when it was put in, and is looked at again when it is taken out, because what has become impossible stays so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rectoverso._native_geometry import (
    NOTHING,
    _0,
    _1,
    _2,
    _3,
    _4,
    _32,
    column_of,
    facing,
    mirrored,
    row_of,
    turned,
)
from rectoverso.evolve._native_alignment import aligned, learn_alignment
from rectoverso.native import draw, native, native_part

SHARED, BUDDY, LEAST, FITTED, MUTATED = range(5)
"""How a piece came to be placed; also the columns of the phase counts."""

NUM_PHASES = 5
FREE, IN_SHARED, IN_BUDDY, IN_PENDING, IN_HEAP = range(5)
TOP, BOTTOM, LEFT, RIGHT, LOW_ROW, ROW_SPAN, LOW_COLUMN, COLUMN_SPAN = range(8)


class Rules(NamedTuple):
    """What does not change during a solve: the frame, the puzzle's type and the operator's parameters, all uint64.

    A piece may have any of ``rotations``, each ``turn`` quarter turns from the one before. From one row to the next an
    alignment changes by ``row_stride``, and from one column to the next by ``column_stride``.
    """

    rows: Any
    columns: Any
    faces: Any
    piece_shift: Any
    rotations: Any
    turn: Any
    floating: Any
    flexible: Any
    mutation: Any
    random_ties: Any
    sample: Any
    by_cell: Any
    skip: Any
    row_stride: Any
    column_stride: Any
    row_shift: Any


class Tables(NamedTuple):
    """What the crossover reads of the candidate lists, and each piece's cell on the board where it is known.

    ``weights`` order the growth, ``weight_bits`` are the same as integers. ``entries`` is what edges are called in the
    lists. With a ``cap`` the cost of a seam is its weight, at most the cap, and without one (0) its dissimilarity; see
    :class:`rectoverso.matching.lists.UnlistedSeams` for the rest of the cost. Where no alignment is known, every
    placement is aligned.
    """

    candidates: Any
    weights: Any
    weight_bits: Any
    entries: Any
    buddies: Any
    group_start: Any
    group_members: Any
    descriptors: Any
    homes: Any
    cap: Any
    ends: Any
    colors: Any
    gap_scales: Any
    gap_factor: Any
    alignment: Any


class Parent(NamedTuple):
    """A chromosome spread out for looking up neighbors: a board with an empty rim, and where each piece lies.

    ``cut`` has a bit for each direction in which a cell's seam counts as broken: what touches there is not inherited.
    """

    board: Any
    at: Any
    steps: Any
    cut: Any


class Kernel(NamedTuple):
    """The growing assembly and what may be added to it."""

    board: Any
    steps: Any
    limits: Any
    alignment: Any
    counts: Any
    random: Any
    free: Any
    free_at: Any
    shared: Any
    buddy: Any
    pending: Any
    heap: Any
    heap_slot: Any
    heap_rank: Any
    passed: Any


@native
def load_parent(chromosome: Any, rows: Any, columns: Any, piece_shift: Any, parent: Any) -> None:
    """Spread a chromosome out."""
    cell = columns + _2
    number = _0
    for _ in range(rows):
        for _ in range(columns):
            up = np.uint64(chromosome[number])
            parent.board[cell] = up
            parent.at[up >> piece_shift] = cell
            cell += _1
            number += _1
        cell += _1


@native_part
def touching(parent: Any, edge: np.uint64, piece_shift: np.uint64) -> np.uint64:
    """The edge that touches an edge in a parent, as seen from the same face; NOTHING at the rim."""
    cell = np.uint64(parent.at[edge >> piece_shift])
    up = np.uint64(parent.board[cell])
    # The same piece: faces differ just where bit 2 does, and one-sided pieces never differ there.
    flipped = (up ^ edge) & _4 != _0
    seen = mirrored(edge) if flipped else edge
    direction = (seen - up) & _3
    other = np.uint64(parent.board[cell + parent.steps[direction]])
    if other == NOTHING or (np.uint64(parent.cut[cell]) >> direction) & _1:
        return NOTHING
    touched = facing(other, direction)
    return mirrored(touched) if flipped else touched


@native_part
def inside(kernel: Any, rules: Any, cell: np.uint64) -> bool:
    """Whether a cell is within the rows and columns that the kernel may still reach."""
    row, column, limits = row_of(cell, rules), column_of(cell, rules), kernel.limits
    return row - limits[LOW_ROW] <= limits[ROW_SPAN] and column - limits[LOW_COLUMN] <= limits[COLUMN_SPAN]


@native_part
def stretch(kernel: Any, rules: Any, cell: np.uint64) -> None:
    """Take a newly filled cell into the kernel's extent and narrow what it may still reach.

    The frame is flexible if pieces may lie on their side: it may lie or stand until one extent exceeds its shorter
    side.
    """
    limits = kernel.limits
    row = row_of(cell, rules)
    column = column_of(cell, rules)
    limits[TOP] = min(limits[TOP], row)
    limits[BOTTOM] = max(limits[BOTTOM], row)
    limits[LEFT] = min(limits[LEFT], column)
    limits[RIGHT] = max(limits[RIGHT], column)
    if rules.floating == _0:
        return
    height, width = rules.rows, rules.columns
    if rules.flexible != _0:
        short, long = min(height, width), max(height, width)
        height = short if limits[RIGHT] - limits[LEFT] + _1 > short else long
        width = short if limits[BOTTOM] - limits[TOP] + _1 > short else long
    limits[LOW_ROW] = limits[BOTTOM] + _1 - height
    limits[ROW_SPAN] = limits[TOP] + height - _1 - limits[LOW_ROW]
    limits[LOW_COLUMN] = limits[RIGHT] + _1 - width
    limits[COLUMN_SPAN] = limits[LEFT] + width - _1 - limits[LOW_COLUMN]


@native_part
def is_free(kernel: Any, piece: np.uint64) -> bool:
    """Whether a piece has not been placed yet."""
    return kernel.free_at[piece] < kernel.counts[FREE]


@native_part
def put(bag: Any, counts: Any, which: int, cell: np.uint64, up: np.uint64) -> None:
    """Put a possible placement into a bag."""
    bag[counts[which]] = (cell << _32) | up
    counts[which] += _1


@native_part
def take(bag: Any, counts: Any, which: int, random: Any) -> np.uint64:
    """Take one out of a bag at random."""
    at = draw(random, counts[which])
    counts[which] -= _1
    taken = bag[at]
    bag[at] = bag[counts[which]]
    return taken


@native_part
def open_side(
    cell: Any, up: Any, direction: Any, kernel: Any, tables: Any, rules: Any, mother: Any, father: Any
) -> None:
    """Note what has become possible beyond one edge of a placed piece."""
    counts = kernel.counts
    target = cell + kernel.steps[direction]
    if np.uint64(kernel.board[target]) != NOTHING or not inside(kernel, rules, target):
        return
    edge = turned(up, direction)
    put(kernel.pending, counts, IN_PENDING, target, (cell << _2) | direction)
    a = touching(mother, edge, rules.piece_shift)
    b = touching(father, edge, rules.piece_shift)
    turn = _2 - direction
    if a == b:
        if a != NOTHING and is_free(kernel, a >> rules.piece_shift):
            put(kernel.shared, counts, IN_SHARED, target, turned(a, turn))
        return
    buddy = np.uint64(tables.buddies[edge])
    if buddy != NOTHING and (buddy == a or buddy == b) and is_free(kernel, buddy >> rules.piece_shift):
        put(kernel.buddy, counts, IN_BUDDY, target, turned(buddy, turn))


@native_part
def place(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any, mother: Any, father: Any) -> None:
    """Fill a cell and note what has become possible around it."""
    board, counts = kernel.board, kernel.counts
    board[cell] = up
    counts[FREE] -= _1
    piece = up >> rules.piece_shift
    at, last = kernel.free_at[piece], np.uint64(kernel.free[counts[FREE]])
    kernel.free[at], kernel.free_at[last], kernel.free_at[piece] = last, at, counts[FREE]
    stretch(kernel, rules, cell)
    learn_alignment(cell, up, kernel, tables, rules)
    for direction in range(_4):
        open_side(cell, up, direction, kernel, tables, rules, mother, father)


@native_part
def possible(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any) -> bool:
    """Whether a placement can still be made: the cell empty and in reach, the piece free and aligned."""
    piece = up >> rules.piece_shift
    return (
        np.uint64(kernel.board[cell]) == NOTHING
        and is_free(kernel, piece)
        and inside(kernel, rules, cell)
        and aligned(cell, up, kernel, tables, rules)
        and (rules.floating != _0 or np.uint64(tables.homes[piece]) == cell)
    )
