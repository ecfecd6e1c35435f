"""The block grid: a picture that was a JPEG file is made of blocks, and edges that would break the grid cannot touch.

In a picture without a grid, or with tiles that are files of their own, positive pairs keep to it no more often than the
background does, and no offsets are informative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import NOTHING
from rectoverso.jpeg.likelihood import PRIOR, Edges, Pairs, positive_pairs, weighed
from rectoverso.jpeg.offsets import LEVELS, GridOffsets, find_offsets, measure_strengths, spread
from rectoverso.matching.lists import CandidateLists
from rectoverso.puzzle.puzzle import Puzzle

LINKED = 0.8
"""Best buddies of a smaller ratio that keep to the grid share what they know of it."""

FLOOR = 1e-4
"""Added to every share: the log ratios stay finite."""

CONFIRMED = -1.0
"""Among the surest positive pairs, the log ratio of breaking the grid must be below this, or there is no grid."""

Calibrated = list[tuple[GridOffsets, NDArray[np.float32]]]
"""Offsets that tell true seams from others, with their log likelihood ratios by sureness and agreement."""


@dataclass(frozen=True)
class Grid:
    """Where the block grids of luma and of chroma run: inward and along offsets for each; and the informative ones."""

    offsets: list[GridOffsets]
    calibrated: Calibrated


def find_grid(puzzle: Puzzle, lists: CandidateLists, positive: Pairs, background: Pairs, threads: int = 1) -> Grid:
    """The block grid of a puzzle; nothing is calibrated if no offsets tell true seams from others.

    It is found twice: from each piece alone, and then from pieces that certainly touch.
    """
    strengths = measure_strengths(puzzle, threads)
    offsets = find_offsets(strengths)
    calibrated = calibrate(offsets, positive, background)
    if not calibrated:
        return Grid(offsets, calibrated)
    links = certain_links(weighed_by_grid(puzzle, lists, calibrated, threads))
    told = informative(offsets, calibrated)
    shared = [None not in told[i : i + 2] for i in range(0, len(offsets), 2)]
    offsets = find_offsets([spread(s, links) if share else s for s, share in zip(strengths, shared, strict=True)])
    return Grid(offsets, calibrate(offsets, positive, background))


def weighed_by_grid(puzzle: Puzzle, lists: CandidateLists, calibrated: Calibrated, threads: int = 1) -> CandidateLists:
    """The lists with larger weights where a seam would break the grid."""

    def log_ratios(one: Edges, other: Edges) -> NDArray[np.float32]:
        found = [table[each.sureness(one, other), each.agree(one, other)] for each, table in calibrated]
        return np.sum(found, axis=0, dtype=np.float32)

    return weighed(lists, puzzle.faces, log_ratios, threads)


def calibrate(found: Sequence[GridOffsets], positive: Pairs, background: Pairs) -> Calibrated:
    """The offsets that tell true seams from others, with their log likelihood ratios."""
    calibrated = [(offsets, _log_ratios(offsets, positive, background)) for offsets in found]
    return [(offsets, ratios) for offsets, ratios in calibrated if ratios[-1, 0] < CONFIRMED]


def informative(offsets: Sequence[GridOffsets], calibrated: Calibrated) -> list[GridOffsets | None]:
    """The offsets, with None for those that tell nothing."""
    return [each if any(each is other for other, _ in calibrated) else None for each in offsets]


def certain_links(lists: CandidateLists) -> NDArray[np.uint32]:
    """The edge that each edge touches, as far as that is certain."""
    links = np.full(len(lists.candidates), NOTHING, np.uint32)
    edges, others = positive_pairs(lists, LINKED)
    links[edges] = others
    return links


def _log_ratios(offsets: GridOffsets, positive: Pairs, background: Pairs) -> NDArray[np.float32]:
    """By sureness and agreement: how much rarer that is in positive pairs than in the background; at most 0."""
    counts, usual = _count(offsets, *positive), _count(offsets, *background)
    usual /= np.maximum(usual.sum(axis=1, keepdims=True), 1)
    found = (counts + PRIOR * usual) / (counts.sum(axis=1, keepdims=True) + PRIOR)
    return np.minimum(np.log((found + FLOOR) / (usual + FLOOR)), 0).astype(np.float32)


def _count(offsets: GridOffsets, one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.float64]:
    """How many seams there are of each level of sureness, against and with the grid; none where nothing is known."""
    counts = np.zeros((LEVELS + 1, 2))
    np.add.at(counts, (offsets.sureness(one, other), offsets.agree(one, other)), 1)
    counts[0] = 0
    return counts
