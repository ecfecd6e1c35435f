"""Exchanges, literally: of all ways to deal the pieces of some cells out among these, the cheapest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product

from rectoverso.reference.extensions.patch import Arrangement, Bearing
from rectoverso.reference.paper.kernel import Cell, Kernel, Rules
from rectoverso.reference.paper.random import Stream

OUT_OF_STEP = 2**20
"""What it costs that a piece does not keep to the grid."""


def placed_cost(kernel: Kernel, lying: Arrangement, cell: Cell, up: int) -> int:
    """What a piece would cost in a cell, in whole multiples of 2**-20."""
    placed = Arrangement(lying.ups | {cell: up}, lying.worth)
    return placed.cost([cell]) + (0 if kernel.aligned(cell, up) else OUT_OF_STEP)


def hand_costs(
    rules: Rules,
    worth: Callable[[int, int], float],
    board: Sequence[Sequence[int]],
    cells: Sequence[Cell],
    bearing: Bearing = ((0, 0), (0, 0)),
) -> list[list[tuple[int, int]]]:
    """What the piece of each cell (a column) costs in each cell (a row), in its best orientation, and which that is.

    What does not lie as it does now costs 2**-20 more, so that nothing is changed in vain.
    """
    lying = Arrangement.of(board, worth)
    kernel = Kernel(rules, [{}, {}], Stream(0), anchored=True)
    kernel.bearing = list(bearing)
    pieces = [rules.piece(lying.ups[cell]) for cell in cells]
    orientations = list(product(range(rules.type.faces), range(rules.type.rotations)))
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
