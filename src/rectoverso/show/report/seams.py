"""The least certain seams, enlarged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rectoverso.confidence.confidence import Confidence
from rectoverso.images.files import Pixels
from rectoverso.images.tiles import TileSize

MOST = 24
"""How many seams are shown."""
FADED, MARK = 128, (255, 120, 0)
"""What the surroundings fade into, and the color of the marks at both ends of the seam."""


@dataclass(frozen=True)
class Seam:
    """The seam between a cell and the one right of it, or the one below it."""

    row: int
    column: int
    down: bool
    confidence: float

    @property
    def one(self) -> tuple[int, int]:
        """The row and the column of the cell."""
        return self.row, self.column

    @property
    def other(self) -> tuple[int, int]:
        """The row and the column of the other cell."""
        return self.row + self.down, self.column + (not self.down)

    def from_behind(self, columns: int) -> Seam:
        """The same seam on the back, where left and right are exchanged."""
        return Seam(self.row, columns - 1 - self.other[1], self.down, self.confidence)


def least_certain(confidence: Confidence, most: int = MOST) -> list[Seam]:
    """The seams of the least confidence, none of a piece that is shown already: one piece would fill four places."""
    right, down = confidence.right, confidence.down
    values = np.concatenate([right.ravel(), down.ravel()])
    chosen: list[Seam] = []
    shown: set[tuple[int, int]] = set()
    for index in np.argsort(values, kind="stable"):
        below = bool(index >= right.size)
        row, column = np.unravel_index(index - right.size * below, (down if below else right).shape)
        seam = Seam(int(row), int(column), below, float(values[index]))
        pair = {seam.one, seam.other}
        if not pair & shown:
            shown |= pair
            chosen.append(seam)
        if len(chosen) == most:
            break
    return chosen


def crop(picture: Pixels, seam: Seam, size: TileSize) -> Pixels:
    """The two pieces of a seam, with half a piece of their faded surroundings and a mark at both ends of the seam."""
    tall, wide = size
    margin = min(size) // 2
    height, width = (2 * tall, wide) if seam.down else (tall, 2 * wide)
    padded = np.full((height + 2 * margin, width + 2 * margin, 3), FADED, np.uint8)
    top, left = seam.row * tall - margin, seam.column * wide - margin
    inside = picture[max(0, top) : top + padded.shape[0], max(0, left) : left + padded.shape[1]]
    y, x = max(0, -top), max(0, -left)
    padded[y : y + inside.shape[0], x : x + inside.shape[1]] = inside
    faded = (0.4 * padded + 0.6 * FADED).astype(np.uint8)
    pair = (slice(margin, margin + height), slice(margin, margin + width))
    faded[pair] = padded[pair]
    _mark(faded.swapaxes(0, 1) if seam.down else faded, margin, size[::-1] if seam.down else size)
    return faded


def _mark(picture: Pixels, margin: int, size: TileSize) -> None:
    """Two short lines that go on where a vertical seam ends."""
    tall, wide = size
    middle, length, half = margin + wide, max(1, margin // 2), max(1, min(size) // 28)
    for rows in (slice(margin - length, margin), slice(margin + tall, margin + tall + length)):
        picture[rows, middle - half : middle + half] = MARK
