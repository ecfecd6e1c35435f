"""Ruin and regrow: break the doubtful seams of an arrangement, and some others, and grow it anew from what is left."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rectoverso.evolve._native import COST_SCALE, cost, cross, seam_cost
from rectoverso.evolve._native_kernel import NOTHING, _1, _2, _3, load_parent
from rectoverso.native import draw, native, native_part, stream_key

DOUBT = np.int64(COST_SCALE)
"""The relative cost from which on a seam is doubtful: it is not the best of both its edges."""


@native_part
def break_seams(parent: Any, tables: Any, rules: Any, doubtful: np.uint64, any_seam: np.uint64, random: Any) -> None:
    """Mark seams as broken: doubtful ones with one chance, all others with another, in 2**32ths."""
    parent.cut[:] = 0
    cell = rules.columns + _2
    for _ in range(rules.rows):
        for _ in range(rules.columns):
            up = np.uint64(parent.board[cell])
            for direction in range(_1, _3):
                next_cell = cell + parent.steps[direction]
                there = np.uint64(parent.board[next_cell])
                if there == NOTHING:
                    continue
                one = (up & ~_3) | ((up + direction) & _3)
                other = (there & ~_3) | ((there + direction + _2) & _3)
                chance = doubtful if seam_cost(tables, one, other) >= DOUBT else any_seam
                if draw(random, NOTHING) < chance:
                    parent.cut[cell] |= np.uint8(_1 << direction)
                    parent.cut[next_cell] |= np.uint8(_1 << ((direction + _2) & _3))
            cell += _1
        cell += _1


@native_part
def copy(source: Any, target: Any) -> None:
    """Copy an array; a slice assignment could not be compiled without memory of its own."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@native
def regrow(
    steps: int,
    seed: np.uint64,
    number: np.uint64,
    heat: Any,
    chances: Any,
    current: Any,
    best: Any,
    costs: Any,
    parent: Any,
    kernel: Any,
    tables: Any,
    rules: Any,
    child: Any,
    phases: Any,
    random: Any,
) -> None:
    """So many steps of ruin and regrow from ``current``, accepted by annealing; ``costs`` is (current, best).

    ``heat`` falls from its first to its second value; ``chances`` are those of :func:`break_seams`.
    """
    for step in range(steps):
        key = stream_key(seed, number, np.uint64(step))
        random[0] = key
        load_parent(current, rules.rows, rules.columns, rules.piece_shift, parent)
        break_seams(parent, tables, rules, chances[0], chances[1], random)
        cross(random[0], parent, parent, kernel, tables, rules, child, phases)
        found = cost(child, tables, rules)
        warmth = heat[0] * (heat[1] / heat[0]) ** (step / steps)
        luck = -math.log((np.float64(draw(random, NOTHING)) + 1.0) / 4294967296.0)
        if found <= costs[0] + warmth * luck:
            costs[0] = found
            copy(child, current)
            if found < costs[1]:
                costs[1] = found
                copy(child, best)
