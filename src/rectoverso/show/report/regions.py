"""Where an arrangement is uncertain, in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.confidence.confidence import SURE, Confidence
from rectoverso.show.report.words import count


def regions_in_words(confidence: Confidence) -> list[str]:
    """The regions of uncertain pieces that touch each other, the largest first."""
    parts = sorted(_parts(confidence.pieces < SURE), key=len, reverse=True)
    return [_in_words(np.array(part), confidence) for part in parts]


def _parts(doubtful: NDArray[np.bool_]) -> list[list[tuple[int, int]]]:
    """The cells of each region."""
    left = {(int(row), int(column)) for row, column in np.argwhere(doubtful)}
    parts = []
    while left:
        part, at = [left.pop()], 0
        while at < len(part):
            row, column = part[at]
            touching = left & {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
            left -= touching
            part += sorted(touching)
            at += 1
        parts.append(part)
    return parts


def _in_words(part: NDArray[np.int64], confidence: Confidence) -> str:
    (top, left), (bottom, right) = part.min(axis=0) + 1, part.max(axis=0) + 1
    rows = f"row {top}" if top == bottom else f"rows {top} to {bottom}"
    columns = f"column {left}" if left == right else f"columns {left} to {right}"
    mean = float(confidence.pieces[part[:, 0], part[:, 1]].mean())
    return f"{rows}, {columns}: {count(len(part), 'piece')}, {mean:.0%} sure"
