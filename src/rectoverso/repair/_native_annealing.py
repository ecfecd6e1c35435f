"""What all stages share: uniform draws, acceptance by temperature, and which seams and pieces are doubtful."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rectoverso._native_geometry import NOTHING, _4, facing, turned
from rectoverso.evolve._native_weights import COST_SCALE, seam_cost
from rectoverso.native import draw, native_part

DOUBT = np.int64(COST_SCALE)
"""The cost from which on a seam is doubtful: a ratio of 1, where it is not the best of both its edges."""


@native_part
def uniform(random: Any) -> float:
    """A uniform draw from 0 to 1."""
    return np.float64(draw(random, NOTHING)) / 4294967296.0


@native_part
def accepts(worse: float, temperature: float, random: Any) -> bool:
    """Whether annealing accepts a change that costs so much more (Metropolis)."""
    return worse <= -temperature * math.log(uniform(random) + 2.0**-32)


@native_part
def seam_at(cell: Any, direction: Any, parent: Any, tables: Any) -> np.int64:
    """What the seam of a cell in a direction costs; 0 at the rim."""
    up, there = np.uint64(parent.board[cell]), np.uint64(parent.board[cell + parent.steps[direction]])
    if there == NOTHING:
        return np.int64(0)
    return seam_cost(tables, turned(up, direction), facing(there, direction))


@native_part
def is_doubtful(cell: Any, parent: Any, tables: Any) -> Any:
    """Whether a piece has a seam that is not the best of both its edges."""
    most = np.int64(0)
    for direction in range(_4):
        most = max(most, seam_at(cell, direction, parent, tables))
    return most >= DOUBT
