"""A confidence for each seam and each piece of an arrangement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SURE = 0.9
"""From here on a seam or a piece is called sure; below, uncertain."""


@dataclass(frozen=True, eq=False)
class Confidence:
    """The chances, each from 0 to 1, that the seams and the pieces of an arrangement are right.

    ``right`` is rows x (columns - 1): the seam between a cell and the one right of it. ``down`` is (rows - 1) x
    columns: the seam below a cell. A seam is right if its two pieces are true neighbors in just that way. ``pieces`` is
    rows x columns: how sure a piece is to lie right, place, rotation and face, relative to the largest part of the
    arrangement that surely holds together. At an empty cell all are 0.

    >>> confidence = Confidence.of(right=[[0.5]], down=[], pieces=[[0.5, 0.75]])
    >>> confidence.turned().down.tolist(), confidence.flipped().pieces.tolist()
    ([[0.5]], [[0.75, 0.5]])
    >>> confidence.sure, confidence.expected
    (0, 0.5)
    """

    right: NDArray[np.float32]
    down: NDArray[np.float32]
    pieces: NDArray[np.float32]

    def __post_init__(self) -> None:
        rows, columns = self.pieces.shape
        if self.right.shape != (rows, columns - 1) or self.down.shape != (rows - 1, columns):
            raise ValueError(
                f"{rows}x{columns} pieces have {rows}x{columns - 1} seams to the right and {rows - 1}x{columns} down, "
                f"not {self.right.shape} and {self.down.shape}"
            )
        for array in (self.right, self.down, self.pieces):
            if not ((array >= 0) & (array <= 1)).all():
                raise ValueError("a confidence is a number from 0 to 1")
            array.flags.writeable = False

    @classmethod
    def of(cls, right: object, down: object, pieces: object) -> Confidence:
        """A confidence from anything array-like."""
        table = np.array(pieces, np.float32)
        rows, columns = table.shape
        return cls(
            np.array(right, np.float32).reshape(rows, columns - 1),
            np.array(down, np.float32).reshape(rows - 1, columns),
            table,
        )

    @property
    def seams(self) -> NDArray[np.float32]:
        """The confidence of all seams, in a row."""
        return np.concatenate([self.right.ravel(), self.down.ravel()])

    @property
    def sure(self) -> int:
        """How many pieces are sure."""
        return int((self.pieces >= SURE).sum())

    @property
    def expected(self) -> float:
        """What to expect of the neighbor score: the mean over the seams, 1 if there are none."""
        return float(self.seams.mean(dtype=np.float64)) if self.seams.size else 1.0

    def turned(self, quarters: int = 1) -> Confidence:
        """That of the whole turned clockwise by quarter turns, as :meth:`Arrangement.turned` does it."""
        right, down, pieces = (np.rot90(table, -quarters) for table in (self.right, self.down, self.pieces))
        return Confidence.of(*((down, right) if quarters % 2 else (right, down)), pieces)

    def flipped(self) -> Confidence:
        """That of the whole turned over about its vertical axis, as :meth:`Arrangement.flipped` does it."""
        return Confidence.of(self.right[:, ::-1], self.down[:, ::-1], self.pieces[:, ::-1])
