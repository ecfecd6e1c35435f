"""The compression grid: a picture that once was a JPEG file is made of blocks, and edges that break it cannot touch.

Nothing is taken for granted: how often the seams that are certain anyway keep to the grid says what that is worth.
In a picture without a grid, or with tiles that are files of their own, they do no more often than any others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity
from rectoverso.affinity.confidence import Edges, weighed_by_odds
from rectoverso.affinity.rulers import LEVELS, Ruler, find_traces, make_rulers, spread
from rectoverso.affinity.witnesses import PRIOR, Pairs, trusted_seams
from rectoverso.geometry import NOTHING
from rectoverso.puzzle.puzzle import Puzzle

LINKED = 0.8
"""Best buddies of a smaller relative dissimilarity that keep to the grid tell each other where it runs."""

FLOOR = 1e-4
"""No share counts as smaller than about this: the log odds stay finite."""

CONFIRMED = -1.0
"""Seams that break a grid must be rarer than this among the surest ones, or there is none."""

Judged = list[tuple[Ruler, NDArray[np.float32]]]
"""Rulers that tell true seams from others, with the log odds by sureness and agreement."""


@dataclass(frozen=True)
class Grid:
    """Where the grids of brightness and of colors run: two rulers for each, and those that tell seams."""

    rulers: list[Ruler]
    judged: Judged


def find_grid(puzzle: Puzzle, affinity: Affinity, trusted: Pairs, chance: Pairs, threads: int = 1) -> Grid:
    """The grid of a puzzle; no ruler is judged if it has none that tells true seams from others.

    It is found twice: from each piece by itself, and then from pieces that certainly touch.
    """
    traces = find_traces(puzzle, threads)
    rulers = make_rulers(traces)
    judged = judge(rulers, trusted, chance)
    if not judged:
        return Grid(rulers, judged)
    links = certain_links(weighed_by_rulers(puzzle, affinity, judged, threads))
    told = telling(rulers, judged)
    runs_on = [None not in told[i : i + 2] for i in range(0, len(rulers), 2)]
    rulers = make_rulers([spread(t, links) if shared else t for t, shared in zip(traces, runs_on, strict=True)])
    return Grid(rulers, judge(rulers, trusted, chance))


def weighed_by_rulers(puzzle: Puzzle, affinity: Affinity, judged: Judged, threads: int = 1) -> Affinity:
    """The affinity with larger dissimilarities where a seam would break the grid."""

    def log_odds(one: Edges, other: Edges) -> NDArray[np.float32]:
        found = [table[ruler.sureness(one, other), ruler.agree(one, other)] for ruler, table in judged]
        return np.sum(found, axis=0, dtype=np.float32)

    return weighed_by_odds(affinity, puzzle.faces, log_odds, threads)


def judge(found: Sequence[Ruler], trusted: Pairs, chance: Pairs) -> Judged:
    """The rulers that tell true seams from others, with their log odds."""
    judged = [(ruler, _log_odds(ruler, trusted, chance)) for ruler in found]
    return [(ruler, odds) for ruler, odds in judged if odds[-1, 0] < CONFIRMED]


def telling(rulers: Sequence[Ruler], judged: Judged) -> list[Ruler | None]:
    """The rulers, with None for those that do not tell."""
    return [ruler if any(ruler is other for other, _ in judged) else None for ruler in rulers]


def certain_links(affinity: Affinity) -> NDArray[np.uint32]:
    """The edge that each edge touches, as far as that is certain."""
    links = np.full(len(affinity.candidates), NOTHING, np.uint32)
    edges, others = trusted_seams(affinity, LINKED)
    links[edges] = others
    return links


def _log_odds(ruler: Ruler, trusted: Pairs, chance: Pairs) -> NDArray[np.float32]:
    """By sureness and agreement: how much rarer that is in trusted seams than by chance; at most 0."""
    counts, usual = _count(ruler, *trusted), _count(ruler, *chance)
    usual /= np.maximum(usual.sum(axis=1, keepdims=True), 1)
    found = (counts + PRIOR * usual) / (counts.sum(axis=1, keepdims=True) + PRIOR)
    return np.minimum(np.log((found + FLOOR) / (usual + FLOOR)), 0).astype(np.float32)


def _count(ruler: Ruler, one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.float64]:
    """How many seams there are of each level of sureness, against and with the grid; none where nothing is known."""
    counts = np.zeros((LEVELS + 1, 2))
    np.add.at(counts, (ruler.sureness(one, other), ruler.agree(one, other)), 1)
    counts[0] = 0
    return counts
