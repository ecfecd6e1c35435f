"""A confidence for each seam and each piece of an arrangement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SURE = 0.9
"""From here on a seam or a piece is called sure; below, uncertain."""


@dataclass(frozen=True, eq=False)
class Confidence:
    """How sure each seam and each piece of an arrangement is, from 0 to 1.

    Attributes
    ----------
    right
        rows x (columns - 1): the seam between a cell and the one right of it.
    down
        (rows - 1) x columns: the seam between a cell and the one below it.
    pieces
        rows x columns: each piece.
    """

    right: NDArray[np.float32]
    down: NDArray[np.float32]
    pieces: NDArray[np.float32]
