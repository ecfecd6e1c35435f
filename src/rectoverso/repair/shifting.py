"""The whole shifted in its frame.

Growth that runs out of candidates at a doubtful rim goes on at a certain one, and then the whole picture lies beside
its place, with a strip of leftovers before its first row. Which of two rims the leftovers belong to is hard to tell as
long as they lie in disorder: both are improved, and the cheaper one is kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.evolve.workspace import Workspace

NEAR = 0.002
"""A shift that costs more than this share in addition is out of question."""


def shifts(space: Workspace, chromosome: NDArray[np.uint32], cost: float) -> list[tuple[NDArray[np.uint32], float]]:
    """The cheapest shift along the rows and along the columns, with their costs, as far as they cost hardly more.

    What leaves the frame on one side comes in on the other, so that only two lines of seams change.
    """
    found = []
    board = space.board(chromosome)
    # A frame one piece high, or wide, has no shift along that side.
    axes = [axis for axis in range(2) if board.shape[axis] > 1] if space.puzzle.type.location_unknown else []
    for axis in axes:
        rolled = [np.roll(board, step, axis).ravel() for step in range(1, board.shape[axis])]
        costs = [space.cost(each) for each in rolled]
        least = int(np.argmin(costs))
        if costs[least] < cost * (1 + NEAR):
            found.append((rolled[least], costs[least]))
    return found
