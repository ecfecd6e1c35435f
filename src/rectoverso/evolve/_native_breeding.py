"""Chromosomes by the slice: their cost (eq. 2), children of a generation, and the random first generation."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso._native_geometry import _0, _1, _2, _3, turned
from rectoverso.evolve._native_crossover import cross
from rectoverso.evolve._native_kernel import load_parent
from rectoverso.evolve._native_weights import COST_SCALE, seam_cost
from rectoverso.native import draw, native, stream_key


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
                total += seam_cost(tables, turned(up, _1), turned(there, _3))
            if row + _1 < rules.rows:
                there = np.uint64(chromosome[cell + rules.columns])
                total += seam_cost(tables, turned(up, _2), there)
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
            up = (piece << rules.piece_shift) + (face << _2) + draw(random, rules.rotations) * rules.turn
            if rules.floating == _0:
                chromosome[homes[piece]] = up
            else:
                # Fisher and Yates, inside out.
                at = draw(random, piece + _1)
                chromosome[piece] = chromosome[at]
                chromosome[at] = up
        costs[i] = cost(chromosome, tables, rules)
