"""Sections "Type 2 Crossover" and "Type 4 Crossover": a child grown from one piece.

Fed with the same random numbers it is the same child as that of the native crossover, cell by cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from rectoverso.geometry import NOTHING, shown
from rectoverso.puzzle.types import PuzzleType
from rectoverso.reference.paper.kernel import Board, Kernel, Rules, neighbors
from rectoverso.reference.paper.random import Stream


def cross(rules: Rules, mother: Board, father: Board, key: int) -> tuple[list[list[int]], dict[str, int]]:
    """One child of two parents, and how many of its pieces each phase placed."""
    return cross_with(Kernel, rules, mother, father, key)


def cross_with(
    kind: Callable[[Any, Sequence[Mapping[int, int]], Stream], Kernel],
    rules: Rules,
    mother: Board,
    father: Board,
    key: int,
    cut: Set[int] = frozenset(),
) -> tuple[list[list[int]], dict[str, int]]:
    """A child grown by some kind of kernel; ``cut`` edges are not inherited."""
    parents = [neighbors(parent, rules.type.faces, cut) for parent in (mother, father)]
    kernel = kind(rules, parents, Stream(key))
    kernel.start(mother)
    while kernel.free:
        kernel.grow()
    top, left = (min(cell[axis] for cell in kernel.board) for axis in (0, 1))
    bottom = max(cell[0] for cell in kernel.board)
    if bottom - top + 1 == rules.rows:
        child = [[kernel.board[top + r, left + c] for c in range(rules.columns)] for r in range(rules.rows)]
    else:  # it stands where the frame lies: turn it clockwise
        child = [
            [shown(kernel.board[bottom - c, left + r], 3) for c in range(rules.columns)] for r in range(rules.rows)
        ]
    return child, dict(kernel.phases)


def scatter(
    kind: PuzzleType, rows: int, columns: int, homes: Sequence[int] | None, turns: Sequence[int], key: int
) -> list[int]:
    """A random chromosome: every piece in a random cell (or its own) in a random orientation."""
    random = Stream(key)
    chromosome = [NOTHING] * (rows * columns)
    for piece in range(rows * columns):
        face = random.draw(kind.faces)
        up = (piece * kind.faces + face) * 4 + turns[random.draw(len(turns))]
        if homes is not None:
            chromosome[homes[piece]] = up
        else:
            at = random.draw(piece + 1)
            chromosome[piece], chromosome[at] = chromosome[at], up
    return chromosome
