"""How sure a piece is to lie where it lies: how well it hangs together with the rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.confidence.confidence import SURE
from rectoverso.confidence.model import Model, Table, chances_of, log_odds, odds_of
from rectoverso.geometry import DOWN, LEFT, RIGHT, STEPS, UP

Cells = list[tuple[int, int]]


def piece_probabilities(right: Table, down: Table, model: Model) -> Table:
    """The chances that the pieces lie right relative to the largest part that surely holds together.

    No piece is surer than its best seam.
    """
    around = seams_around(right, down)
    chances = chances_of(log_odds(piece_columns(around), model.placed))
    return np.minimum(chances, np.sort(around, axis=0)[-1])


def seams_around(right: Table, down: Table) -> Table:
    """Directions x rows x columns: the chance of the seam on each side of a cell; -1 at the frame."""
    around = np.full((4, len(right), down.shape[1]), -1.0)
    around[RIGHT, :, :-1], around[LEFT, :, 1:], around[DOWN, :-1], around[UP, 1:] = right, right, down, down
    return around


def piece_columns(around: Table) -> Table:
    """What speaks for a piece, in the order of the weights of :class:`Placed`; more is better."""
    return odds_of(reach(around))[..., None]


def reach(around: Table) -> Table:
    """How well each cell hangs together with the largest sure part: the weakest seam of the best way there.

    For a cell of that part it is its best seam. A part that is whole in itself, but joined to the rest by doubtful
    seams alone, is as doubtful as those. Parts of equal size count alike.
    """
    best = np.zeros(around.shape[1:])
    parts = connected(around >= SURE)
    most = max(map(len, parts))
    for part in parts:
        if len(part) == most:
            best[tuple(zip(*part, strict=True))] = 1.0
    while True:
        rim = np.pad(best, 1)
        steps = [rim[1 + y : rim.shape[0] - 1 + y, 1 + x : rim.shape[1] - 1 + x] for y, x in STEPS]
        better = np.maximum(best, np.minimum(around, steps).max(axis=0))
        if np.array_equal(better, best):
            return np.minimum(best, around.max(axis=0))
        best = better


def connected(joined: NDArray[np.bool_]) -> list[Cells]:
    """The parts of a board that hang together; ``joined`` says for each direction and cell whether the two are."""
    _, rows, columns = joined.shape
    links, seen, parts = joined.tolist(), np.zeros((rows, columns), bool).tolist(), []
    for start in np.ndindex(rows, columns):
        if seen[start[0]][start[1]]:
            continue
        part = [start]
        seen[start[0]][start[1]] = True
        for row, column in part:  # grows on the way
            for direction, (down, right) in enumerate(STEPS):
                y, x = row + down, column + right
                if links[direction][row][column] and not seen[y][x]:
                    seen[y][x] = True
                    part.append((y, x))
        parts.append(part)
    return parts
