"""Ruin and regrow: break the doubtful seams of an arrangement, and some others, and grow it anew from what is left."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso._native_geometry import NOTHING, _1, _2, _3
from rectoverso.evolve._native_breeding import cost
from rectoverso.evolve._native_crossover import cross
from rectoverso.evolve._native_kernel import load_parent
from rectoverso.native import draw, native, native_part, stream_key
from rectoverso.repair._native_annealing import DOUBT, accepts, seam_at


@native_part
def break_seams(parent: Any, tables: Any, rules: Any, doubtful: np.uint64, any_seam: np.uint64, random: Any) -> None:
    """Mark seams as broken: doubtful ones with one probability, all others with another, in 2**32ths."""
    parent.cut[:] = 0
    cell = rules.columns + _2
    for _ in range(rules.rows):
        for _ in range(rules.columns):
            for direction in range(_1, _3):
                next_cell = cell + parent.steps[direction]
                if np.uint64(parent.board[next_cell]) == NOTHING:
                    continue
                chance = doubtful if seam_at(cell, direction, parent, tables) >= DOUBT else any_seam
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
    temperatures: Any,
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

    ``temperatures`` are the first and the last one; ``chances`` are those of :func:`break_seams`.
    """
    for step in range(steps):
        key = stream_key(seed, number, np.uint64(step))
        random[0] = key
        load_parent(current, rules.rows, rules.columns, rules.piece_shift, parent)
        break_seams(parent, tables, rules, chances[0], chances[1], random)
        cross(random[0], parent, parent, kernel, tables, rules, child, phases)
        found = cost(child, tables, rules)
        temperature = temperatures[0] * (temperatures[1] / temperatures[0]) ** (step / steps)
        if accepts(found - costs[0], temperature, random):
            costs[0] = found
            copy(child, current)
            if found < costs[1]:
                costs[1] = found
                copy(child, best)
