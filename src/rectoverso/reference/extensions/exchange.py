"""Exchanges, literally: of all ways to deal the pieces of some cells out among these, the cheapest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product

from rectoverso.reference.extensions.kernel import UNKNOWN, AlignedKernel, Alignments, ExtendedRules
from rectoverso.reference.extensions.patch import Arrangement
from rectoverso.reference.paper.kernel import Cell
from rectoverso.reference.paper.random import Stream

MISALIGNED = 2**20
"""What it costs that a piece is not aligned."""


def placed_cost(kernel: AlignedKernel, lying: Arrangement, cell: Cell, up: int) -> int:
    """What a piece would cost in a cell, in whole multiples of 2**-20."""
    placed = Arrangement(lying.ups | {cell: up}, lying.weight)
    return placed.cost([cell]) + (0 if kernel.admits(cell, up) else MISALIGNED)


def hand_costs(
    rules: ExtendedRules,
    weight: Callable[[int, int], float],
    board: Sequence[Sequence[int]],
    cells: Sequence[Cell],
    alignment: Alignments = UNKNOWN,
) -> list[list[tuple[int, int]]]:
    """What the piece of each cell (a column) costs in each cell (a row), in its best orientation, and which that is.

    What does not lie as it does now costs 2**-20 more, so that nothing is changed in vain.
    """
    lying = Arrangement.of(board, weight)
    kernel = AlignedKernel(rules, [{}, {}], Stream(0), anchored=True)
    kernel.alignment = list(alignment)
    pieces = [rules.piece(lying.ups[cell]) for cell in cells]
    orientations = list(product(range(rules.type.faces), rules.turns))
    costs = []
    for cell in cells:
        row = []
        for piece in pieces:
            ups = [(piece * rules.type.faces + face) * 4 + side for face, side in orientations]
            row.append(min((placed_cost(kernel, lying, cell, up) + (up != lying.ups[cell]), up) for up in ups))
        costs.append(row)
    return costs


def least_cost(costs: Sequence[Sequence[int]]) -> int:
    """What the cheapest way costs to give each row a column of its own."""
    return min(sum(row[j] for row, j in zip(costs, way, strict=True)) for way in permutations(range(len(costs))))
