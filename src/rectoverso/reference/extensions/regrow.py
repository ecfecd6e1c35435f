"""Ruin and regrow, literally: break seams, grow the child from what is left, accept it by annealing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rectoverso.geometry import DOWN, NOTHING, RIGHT, STEPS, opposite, shown
from rectoverso.reference.paper.crossover import cross
from rectoverso.reference.paper.dissimilarity import cost
from rectoverso.reference.paper.kernel import Board, Rules
from rectoverso.reference.paper.random import Stream, stream_key


def break_seams(board: Board, worth: Callable[[int, int], float], chances: Sequence[int], random: Stream) -> set[int]:
    """The edges of the seams that are broken: those worth 1 or more with one chance, the others with another."""
    cut: set[int] = set()
    for r, row in enumerate(board):
        for c, up in enumerate(row):
            for direction in (RIGHT, DOWN):
                down, right = STEPS[direction]
                if r + down < len(board) and c + right < len(row):
                    one = shown(up, direction)
                    other = shown(board[r + down][c + right], opposite(direction))
                    doubtful = int(worth(one, other) * 2**20 + 0.5) >= 2**20
                    if random.draw(NOTHING) < chances[0 if doubtful else 1]:
                        cut |= {one, other}
    return cut


def regrow(
    rules: Rules,
    worth: Callable[[int, int], float],
    board: Board,
    steps: int,
    seed: int,
    number: int,
    heat: tuple[float, float],
    chances: Sequence[int],
) -> tuple[Board, Board]:
    """So many steps from a board; the last accepted one and the best."""
    current = best = board
    current_cost = best_cost = cost(board, worth)
    for step in range(steps):
        random = Stream(stream_key(seed, number, step))
        cut = break_seams(current, worth, chances, random)
        child = cross(rules, current, current, random.state, cut)[0]
        found = cost(child, worth)
        warmth = heat[0] * (heat[1] / heat[0]) ** (step / steps)
        luck = -math.log((random.draw(NOTHING) + 1.0) / 2**32)
        if found <= current_cost + warmth * luck:
            current, current_cost = child, found
            if found < best_cost:
                best, best_cost = child, found
    return current, best
