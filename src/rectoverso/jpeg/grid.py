"""The block grid: a picture that was a JPEG file is made of blocks, and edges that would break the grid cannot touch.

Offsets are informative if positive pairs continue the grid more often than background pairs do. In a picture without a
grid, or with tiles that are files of their own, no offsets are informative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import NOTHING
from rectoverso.jpeg._native_grid import grid_ratios
from rectoverso.jpeg.likelihood import PRIOR, Edges, Pairs, positive_pairs, weighed
from rectoverso.jpeg.offsets import LEVELS, GridOffsets, find_offsets, measure_strengths, spread
from rectoverso.matching.lists import CandidateLists
from rectoverso.puzzle.puzzle import Puzzle

LINKED = 0.8
"""Best buddies of a smaller ratio count as certain neighbors, and the traces of both are taken together."""

FLOOR = 1e-4
"""Added to every share, so that the log ratios stay finite."""

CONFIRMED = -1.0
"""The log likelihood ratio of breaking the grid, at the highest level of sureness, is below this if there is a grid."""

Calibrated = list[tuple[GridOffsets, NDArray[np.float32]]]
"""Informative offsets, with their log likelihood ratios by sureness and agreement."""


@dataclass(frozen=True)
class Grid:
    """The block grids of luma and of chroma.

    Attributes
    ----------
    offsets
        The inward and the along offsets of luma, then those of chroma, as far as pieces are large enough.
    calibrated
        Those of them that are informative.
    """

    offsets: list[GridOffsets]
    calibrated: Calibrated


def find_grid(puzzle: Puzzle, lists: CandidateLists, positive: Pairs, background: Pairs, threads: int = 1) -> Grid:
    """The block grid of a puzzle; nothing is calibrated if no offsets are informative.

    It is found twice: from each piece alone, and then from each piece together with its certain neighbors.
    """
    strengths = measure_strengths(puzzle, threads)
    offsets = find_offsets(strengths)
    calibrated = calibrate(offsets, positive, background)
    if not calibrated:
        return Grid(offsets, calibrated)
    links = certain_links(weighed_by_grid(puzzle, lists, calibrated, threads))
    useful = informative(offsets, calibrated)
    both = [None not in useful[i : i + 2] for i in range(0, len(offsets), 2)]
    offsets = find_offsets([spread(s, links) if share else s for s, share in zip(strengths, both, strict=True)])
    return Grid(offsets, calibrate(offsets, positive, background))


def weighed_by_grid(puzzle: Puzzle, lists: CandidateLists, calibrated: Calibrated, threads: int = 1) -> CandidateLists:
    """The lists, with larger weights where a seam would break the grid."""
    offsets, levels = (np.stack([getattr(each, name) for each, _ in calibrated]) for name in ("offset", "level"))
    totals = np.array([each.total for each, _ in calibrated], np.int64)
    tables = np.stack([table for _, table in calibrated])

    def log_ratios(one: Edges, other: Edges) -> NDArray[np.float32]:
        found = np.empty(len(one), np.float32)
        edges = (one.astype(np.uint32), other.astype(np.uint32))
        grid_ratios(*edges, offsets, levels, totals, tables, found)
        return found

    return weighed(lists, puzzle.faces, log_ratios, threads)


def calibrate(offsets: Sequence[GridOffsets], positive: Pairs, background: Pairs) -> Calibrated:
    """The informative offsets, with their log likelihood ratios."""
    calibrated = [(each, _log_ratios(each, positive, background)) for each in offsets]
    return [(each, ratios) for each, ratios in calibrated if ratios[-1, 0] < CONFIRMED]


def informative(offsets: Sequence[GridOffsets], calibrated: Calibrated) -> list[GridOffsets | None]:
    """The offsets, with None in place of those that are not informative."""
    return [each if any(each is other for other, _ in calibrated) else None for each in offsets]


def certain_links(lists: CandidateLists) -> NDArray[np.uint32]:
    """By edge: the edge that certainly touches it, or ``geometry.NOTHING``."""
    links = np.full(len(lists.candidates), NOTHING, np.uint32)
    edges, others = positive_pairs(lists, LINKED)
    links[edges] = others
    return links


def _log_ratios(offsets: GridOffsets, positive: Pairs, background: Pairs) -> NDArray[np.float32]:
    """Log likelihood ratios of positive against background pairs by sureness and agreement; at most 0."""
    counts, expected = _count(offsets, *positive), _count(offsets, *background)
    expected /= np.maximum(expected.sum(axis=1, keepdims=True), 1)
    shares = (counts + PRIOR * expected) / (counts.sum(axis=1, keepdims=True) + PRIOR)
    return np.minimum(np.log((shares + FLOOR) / (expected + FLOOR)), 0).astype(np.float32)


def _count(offsets: GridOffsets, one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.float64]:
    """The number of seams by sureness and by whether they break (0) or continue (1) the grid; 0 at level 0."""
    counts = np.zeros((LEVELS + 1, 2))
    np.add.at(counts, (offsets.sureness(one, other), offsets.agree(one, other)), 1)
    counts[0] = 0
    return counts
