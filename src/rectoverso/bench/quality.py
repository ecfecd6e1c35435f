"""How good a measure is by itself, and whether the confidence in a solution keeps what it promises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.confidence.confidence import SURE, Confidence
from rectoverso.geometry import NOTHING
from rectoverso.matching.lists import CandidateLists
from rectoverso.puzzle.arrangement import Arrangement, seams_of


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


@dataclass(frozen=True)
class Promise:
    """What the confidence says of a solution beside what is true, as shares from 0 to 1.

    ``expected``: the neighbor score that it promises. ``sure``: the seams that it is sure of, of all. ``sure_right``:
    the right ones of these; 1 if it is sure of none.
    """

    expected: float
    sure: float
    sure_right: float


def promise_of(confidence: Confidence, right: NDArray[np.bool_], down: NDArray[np.bool_]) -> Promise:
    """Judge the confidence by which seams to the right and down are right.

    >>> confidence = Confidence.of(right=[[0.9, 0.5], [1, 0.4]], down=[[0.95, 0.3, 0.2]], pieces=np.zeros((2, 3)))
    >>> promise = promise_of(confidence, np.array([[True, True], [False, False]]), np.array([[True, False, False]]))
    >>> round(promise.expected, 3), round(promise.sure, 3), round(promise.sure_right, 3)
    (0.607, 0.429, 0.667)
    """
    sure, truth = confidence.seams >= SURE, np.concatenate([right.ravel(), down.ravel()])
    return Promise(
        expected=confidence.expected,
        sure=float(sure.mean()) if sure.size else 0.0,
        sure_right=float(truth[sure].mean()) if sure.any() else 1.0,
    )


def true_neighbors(truth: Arrangement, faces: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The two edges of every true seam on the front, from both sides."""
    up = truth.up_edges(faces).astype(np.int64)
    one, other = seams_of(up)
    return np.concatenate([one, other]), np.concatenate([other, one])
