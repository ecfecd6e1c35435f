"""What can be said about the pieces of a puzzle before it is solved: which of them are twins, flat, blurred or odd."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.matching.lists import CandidateLists
from rectoverso.puzzle.metrics import look_alikes
from rectoverso.puzzle.puzzle import Puzzle

FLAT = 4
"""The most gray levels that a flat piece spans: no measure tells its edges from others."""

CONTRAST, SOFT = 32, 0.15
"""A piece that spans so many gray levels, but changes by no more than this share of them from one pixel to the next, is
blurred: 0.6 % of 10,584 pieces of sharp photographs are, 6 % after a blur of 1.5 pixels, and 48 % after one of 3."""

MISFIT = 4.0
"""A piece is odd if even its best edge fits so many times worse than the best edges of other pieces usually do. None of
10,584 pieces of photographs is; set by hand."""

SLICE = 1024


@dataclass(frozen=True)
class Inspection:
    """Pieces with peculiarities, each kind as their numbers.

    Attributes
    ----------
    twins
        Pieces whose pixels another piece has, too, turned or not: any of them may lie in the place of the other.
    flat
        Pieces of one color: nothing tells where they belong but what is around them.
    blurred
        Pieces with contrast but without detail.
    odd
        Pieces of which no edge fits any other well: they may be foreign or damaged.
    """

    twins: NDArray[np.int64]
    flat: NDArray[np.int64]
    blurred: NDArray[np.int64]
    odd: NDArray[np.int64]


def inspect(puzzle: Puzzle, lists: CandidateLists) -> Inspection:
    """Look at all pieces; ``lists`` are the candidates as they were measured."""
    span, step = _contrasts(puzzle)
    flat = span <= FLAT
    blurred = (span >= CONTRAST) & (step <= SOFT * span)
    return Inspection(*(np.flatnonzero(each) for each in (_twins(puzzle), flat, blurred, _misfits(puzzle, lists))))


def _contrasts(puzzle: Puzzle) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """By piece: how many gray levels it spans, and its largest step from one pixel to the next, over both faces."""
    span, step = np.zeros((2, puzzle.num_pieces), np.int64)
    for start in range(0, puzzle.num_pieces, SLICE):
        gray = puzzle.pixels[start : start + SLICE].astype(np.int16).sum(axis=4) // 3
        piece = slice(start, start + len(gray))
        span[piece] = gray.max(axis=(1, 2, 3)) - gray.min(axis=(1, 2, 3))
        steps = [np.abs(np.diff(gray, axis=axis)).max(axis=(1, 2, 3)) for axis in (2, 3)]
        step[piece] = np.maximum(*steps)
    return span, step


def _twins(puzzle: Puzzle) -> NDArray[np.bool_]:
    """Which pieces have a twin."""
    looks = look_alikes(puzzle).reshape(puzzle.num_pieces, -1)
    kinds = looks.min(axis=1)
    _, number, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    return counts[number] > 1


def _misfits(puzzle: Puzzle, lists: CandidateLists) -> NDArray[np.bool_]:
    """Which pieces fit nowhere."""
    best = lists.weights[:, 0].reshape(puzzle.num_pieces, -1).min(axis=1)
    usual = np.median(best)
    spread = np.median(np.abs(best - usual))
    return best > MISFIT * (usual + spread)
