"""Which way up: the whole is known only up to a turn and a flip, so pictures of it are turned alike to be compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np

from rectoverso.confidence.confidence import Confidence
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle

Whole = TypeVar("Whole", Arrangement, Confidence)


def aligned(arrangement: Arrangement, like: Arrangement, puzzle: Puzzle) -> Arrangement:
    """The arrangement, turned and flipped as a whole so that it agrees as well as possible with another one.

    >>> from rectoverso import Puzzle
    >>> puzzle = Puzzle.from_image(np.arange(72, dtype=np.uint8).reshape(4, 6, 3), size=2)
    >>> aligned(puzzle.truth.turned(2), puzzle.truth, puzzle) == puzzle.truth
    True
    """
    views = [view for view in _views(arrangement, puzzle) if view.piece.shape == like.piece.shape]
    return max(views, key=lambda view: _agreement(view, like, puzzle), default=arrangement)


def as_seen(confidence: Confidence, arrangement: Arrangement, view: Arrangement, puzzle: Puzzle) -> Confidence:
    """The confidence of an arrangement, turned and flipped as a view of that arrangement is."""
    for seen, said in zip(_views(arrangement, puzzle), _views(confidence, puzzle), strict=True):
        if seen == view:
            return said
    raise ValueError("the view is of another arrangement")


def _views(whole: Whole, puzzle: Puzzle) -> Iterator[Whole]:
    """Every way to look at the whole; where cells are known there is only one."""
    yield whole
    if not puzzle.type.location_unknown:
        return
    for side in (whole, whole.flipped())[: puzzle.faces]:
        for quarters in puzzle.turns:
            yield side.turned(quarters)


def _agreement(one: Arrangement, other: Arrangement, puzzle: Puzzle) -> int:
    """Cells that are equal, plus pieces that lie the same way up: parts may be right but shifted."""
    cells = one.up_edges(puzzle.faces) == other.up_edges(puzzle.faces)
    return int(np.count_nonzero(cells) + np.count_nonzero(_ways_up(one, puzzle) == _ways_up(other, puzzle)))


def _ways_up(arrangement: Arrangement, puzzle: Puzzle) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The orientation of each piece as a number; -1 for a piece that was not placed."""
    ways = np.full(puzzle.num_pieces, -1, np.int64)
    placed = arrangement.piece >= 0
    ways[arrangement.piece[placed]] = arrangement.face[placed].astype(np.int64) * 4 + arrangement.rotation[placed]
    return ways
