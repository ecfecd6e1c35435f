"""The compression grid: a picture that once was a JPEG file is made of blocks, and edges that break it cannot touch.

Nothing is taken for granted: how often the seams that are certain anyway keep to the grid says what that is worth.
In a picture without a grid, or with tiles that are files of their own, they do no more often than any others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import GROUP, Affinity, shortened
from rectoverso.affinity.bearings import find_bearings
from rectoverso.affinity.blocks import brightness
from rectoverso.affinity.confidence import Edges, relative_of_seams, weighed_by_odds
from rectoverso.affinity.enlarging import COLORS, HalvedColors, find_halved_colors, run_on, weighed_by_enlarging
from rectoverso.affinity.quantization import weighed_by_quantization
from rectoverso.affinity.rulers import LEVELS, Pairs, Ruler, find_traces, make_rulers, spread
from rectoverso.affinity.stepping import in_step
from rectoverso.geometry import NOTHING
from rectoverso.puzzle.puzzle import Puzzle

TRUSTED = 0.6
"""Best buddies of a smaller relative dissimilarity are certain anyway."""

LINKED = 0.8
"""Those of a smaller one that keep to the grid are certain enough to tell each other where it runs."""

CHANCE = 8
"""How many of the last candidates of each list stand for seams that are not true."""

PRIOR = 20.0
"""How many trusted seams that keep to no grid are added to the observed ones."""

FLOOR = 1e-4
"""No share counts as smaller than about this: the log odds stay finite."""

CONFIRMED = -1.0
"""Seams that break a grid must be rarer than this among the surest ones, or there is none."""

WIDER = 4
"""Where more is known than what a search finds candidates by, so many times as many are found first."""

Judged = list[tuple[Ruler, NDArray[np.float32]]]
"""Rulers that tell true seams from others, with the log odds by sureness and agreement."""


def weighed_by_grid(puzzle: Puzzle, affinity: Affinity, threads: int = 1) -> Affinity:
    """The affinity among edges that keep to the compression grid, as far as it shows; itself without one.

    Where the grid runs is found twice: from each piece by itself, and then from pieces that certainly touch. What may
    touch then is searched anew, and what would break the grid has larger dissimilarities.
    """
    traces, trusted, chance = find_traces(puzzle, threads), _trusted_seams(affinity), _chance_seams(affinity)
    likely = _trusted_seams(affinity, LINKED)
    rulers = make_rulers(traces)
    judged = _judged(rulers, trusted, chance)
    if not judged:
        return affinity
    links = _links(_weighed(puzzle, affinity, judged, threads))
    runs_on = [all(_tells(ruler, judged) for ruler in rulers[i : i + 2]) for i in range(0, len(rulers), 2)]
    rulers = make_rulers([spread(t, links) if shared else t for t, shared in zip(traces, runs_on, strict=True)])
    judged = _judged(rulers, trusted, chance)
    inward = [ruler if _tells(ruler, judged) else None for ruler in rulers[::2]]
    bearings = find_bearings(inward, likely, puzzle.piece_size)
    halved = find_halved_colors(puzzle, threads)
    if halved is not None and not run_on(halved, trusted):
        halved = None
    # In step, lists half as long still reach further.
    kept = (affinity.candidates.shape[1] + 1) // 2
    wide = kept if halved is None else WIDER * kept
    affinity = in_step(puzzle, affinity, [ruler for ruler, _ in judged], wide, threads)
    affinity = _weighed(puzzle, affinity, judged, threads)
    affinity = _weighed_by_file(puzzle, affinity, rulers, halved, trusted, chance, threads)
    return replace(shortened(affinity, kept) if puzzle.type.location_unknown else affinity, bearings=bearings)


def _weighed_by_file(
    puzzle: Puzzle,
    affinity: Affinity,
    rulers: Sequence[Ruler],
    halved: HalvedColors | None,
    trusted: Pairs,
    chance: Pairs,
    threads: int,
) -> Affinity:
    """The affinity with larger dissimilarities where a seam would not give what was in the file."""
    planes = [brightness(puzzle, threads)]
    affinity = weighed_by_quantization(affinity, planes, rulers[:2], puzzle.faces, trusted, chance, threads)
    if halved is None:
        return affinity
    of_colors = rulers[2:]
    inward = of_colors[0] if of_colors else None
    affinity = weighed_by_enlarging(affinity, halved, inward, puzzle.faces, trusted, _chance_seams(affinity), threads)
    if not of_colors:
        return affinity
    planes = [np.ascontiguousarray(halved.planes[:, color]) for color in range(COLORS)]
    return weighed_by_quantization(affinity, planes, of_colors, puzzle.faces, trusted, chance, threads)


def _weighed(puzzle: Puzzle, affinity: Affinity, judged: Judged, threads: int) -> Affinity:
    """The affinity with larger dissimilarities where a seam would break the grid."""

    def log_odds(one: Edges, other: Edges) -> NDArray[np.float32]:
        found = [table[ruler.sureness(one, other), ruler.agree(one, other)] for ruler, table in judged]
        return np.sum(found, axis=0, dtype=np.float32)

    return weighed_by_odds(affinity, puzzle.faces, log_odds, threads)


def _judged(found: Sequence[Ruler], trusted: Pairs, chance: Pairs) -> Judged:
    """The rulers that tell true seams from others, with their log odds."""
    judged = [(ruler, _log_odds(ruler, trusted, chance)) for ruler in found]
    return [(ruler, odds) for ruler, odds in judged if odds[-1, 0] < CONFIRMED]


def _tells(ruler: Ruler, judged: Judged) -> bool:
    return any(ruler is other for other, _ in judged)


def _trusted_seams(affinity: Affinity, least: float = TRUSTED) -> Pairs:
    """The seams that are certain anyway, from both sides."""
    edges = np.flatnonzero(affinity.buddies != NOTHING)
    others = affinity.buddies[edges].astype(np.int64)
    certain = relative_of_seams(affinity, edges, others) < least
    return edges[certain], others[certain]


def _links(affinity: Affinity) -> NDArray[np.uint32]:
    """The edge that each edge touches, as far as that is certain."""
    links = np.full(len(affinity.candidates), NOTHING, np.uint32)
    edges, others = _trusted_seams(affinity, LINKED)
    links[edges] = others
    return links


def _chance_seams(affinity: Affinity) -> Pairs:
    """Each edge with the last candidates of its list, which hardly are its neighbors."""
    length = (affinity.candidates != NOTHING).sum(axis=1, keepdims=True)
    rank = np.arange(affinity.candidates.shape[1])
    chosen = (rank < length) & (rank >= length - CHANCE) & (affinity.candidates < GROUP)
    return np.nonzero(chosen)[0], affinity.candidates[chosen]


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
