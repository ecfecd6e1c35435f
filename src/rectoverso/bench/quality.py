"""How good a measure is by itself: whether true neighbors are each other's best candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import DOWN, NOTHING, RIGHT, opposite, shown
from rectoverso.matching.lists import CandidateLists
from rectoverso.puzzle.arrangement import Arrangement


@dataclass(frozen=True)
class Quality:
    """Shares from 0 to 1.

    ``top1``: true neighbors that are an edge's best candidate (any of a group of look-alikes will do). ``precision``:
    best buddies that are true neighbors. ``recall``: true neighbors that are best buddies.
    """

    top1: float
    precision: float
    recall: float


def candidate_quality(lists: CandidateLists, truth: Arrangement) -> Quality:
    """Judge candidates by the truth."""
    one, other = true_neighbors(truth, int(lists.descriptors.faces))
    entry = lists.look_alikes.entries[other]
    buddies = lists.buddies[one].astype(np.int64)
    has_buddy = buddies != NOTHING
    return Quality(
        top1=float((lists.candidates[one, 0] == entry).mean()),
        precision=float((buddies == other)[has_buddy].mean()) if has_buddy.any() else 1.0,
        recall=float((buddies == other).mean()),
    )


def true_neighbors(truth: Arrangement, faces: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The two edges of every true seam on the front, from both sides."""
    up = truth.up_edges(faces).astype(np.int64)
    one = np.concatenate([shown(up[:, :-1], RIGHT).ravel(), shown(up[:-1], DOWN).ravel()])
    other = np.concatenate([shown(up[:, 1:], opposite(RIGHT)).ravel(), shown(up[1:], opposite(DOWN)).ravel()])
    return np.concatenate([one, other]), np.concatenate([other, one])
