"""A stage of repair: it improves a chromosome round by round, in the workspace of the solve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import NOTHING

BREAKING = np.array([round(chance * NOTHING) for chance in (0.9, 0.05)], np.uint64)
"""The probabilities that a step of ruin and regrow breaks a doubtful seam, and any other, in 2**32ths; set
by hand."""


@dataclass(frozen=True, eq=False)
class Improved:
    """Where a stage is: how far done, and the best chromosome so far with its cost."""

    fraction: float
    best_cost: float
    best: NDArray[np.uint32]


class Stage(Protocol):
    """Anything that improves a chromosome; what comes depends on it and the seed of the workspace alone."""

    step: str
    """What it does, in a few words."""

    def improve(self, chromosome: NDArray[np.uint32], cost: float) -> Iterator[Improved]:
        """Improve a chromosome of known cost, until that stops paying or the caller has enough."""
        ...
