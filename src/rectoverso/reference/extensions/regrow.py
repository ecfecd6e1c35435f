"""Ruin and regrow, literally: break seams, grow the child from what is left, accept it by annealing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rectoverso.geometry import DOWN, NOTHING, RIGHT, STEPS, opposite, shown
from rectoverso.reference.extensions.cells import cross
from rectoverso.reference.extensions.kernel import ExtendedRules
from rectoverso.reference.paper.dissimilarity import cost
from rectoverso.reference.paper.kernel import Board
from rectoverso.reference.paper.random import Stream, stream_key


def break_seams(board: Board, weight: Callable[[int, int], float], chances: Sequence[int], random: Stream) -> set[int]:
    """The edges of broken seams: those that cost 1 or more with one probability, the others with another."""
    cut: set[int] = set()
    for r, row in enumerate(board):
        for c, up in enumerate(row):
            for direction in (RIGHT, DOWN):
                down, right = STEPS[direction]
                if r + down < len(board) and c + right < len(row):
                    one = shown(up, direction)
                    other = shown(board[r + down][c + right], opposite(direction))
                    doubtful = int(weight(one, other) * 2**20 + 0.5) >= 2**20
                    if random.draw(NOTHING) < chances[0 if doubtful else 1]:
                        cut |= {one, other}
    return cut


def regrow(
    rules: ExtendedRules,
    weight: Callable[[int, int], float],
    board: Board,
    steps: int,
    seed: int,
    number: int,
    temperatures: tuple[float, float],
    chances: Sequence[int],
) -> tuple[Board, Board]:
    """So many steps from a board; the last accepted one and the best."""
    current = best = board
    current_cost = best_cost = cost(board, weight)
    for step in range(steps):
        random = Stream(stream_key(seed, number, step))
        cut = break_seams(current, weight, chances, random)
        child = cross(rules, current, current, random.state, cut)[0]
        found = cost(child, weight)
        temperature = temperatures[0] * (temperatures[1] / temperatures[0]) ** (step / steps)
        if found - current_cost <= -temperature * math.log((random.draw(NOTHING) + 1.0) / 2**32):
            current, current_cost = child, found
            if found < best_cost:
                best, best_cost = child, found
    return current, best
