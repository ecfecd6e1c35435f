"""The compression grid: a picture that once was a JPEG file is made of blocks, and edges that break it cannot touch.

JPEG codes blocks of 8 x 8 pixels on their own (of 16 x 16 for colors, which are halved first) and leaves small breaks
between them. Where the breaks in a piece lie tells where its picture's grid runs, and the grid runs on in its neighbors.

Nothing is taken for granted: how often the seams that are certain anyway keep to the grid says what that is worth.
In a picture without a grid, or with tiles that were compressed one by one, they do no more often than any others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import GROUP, Affinity
from rectoverso.affinity.confidence import ranked, relative_ranking
from rectoverso.geometry import NOTHING, mirror
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.threads import over_slices

BLOCK = 8
BRIGHTNESS = np.array([[0.299], [0.587], [0.114]], np.float32)
COLORS = np.array([[-0.1687, 0.5], [-0.3313, -0.4187], [0.5, -0.0813]], np.float32)
"""JPEG's own channels, from RGB."""

LARGEST = 4.0
"""A break counts at most so much: larger ones are the picture's."""

LEVELS = 4
"""How many levels of sureness are told apart, with as many pieces in each, above level 0 for what is not known."""

UNSURE = 0.2
"""A lead that says nothing: flat pieces show no breaks."""

RARE = 0.06
"""An offset that has a smaller share of the surest quarter does not occur."""

TRUSTED = 0.6
"""Best buddies of a smaller relative dissimilarity are certain anyway."""

PRIOR = 20.0
"""How many trusted seams that keep to no grid are added to the observed ones."""

FLOOR = 1e-4

CONFIRMED = -1.0
"""Seams that break a grid must be rarer than this among the surest ones, or there is none."""

SHARE, MOST = 0.2, 6.0
"""What the log odds count beside the logarithm of the dissimilarity, and how many count at most."""

SLICE = 2048


@dataclass(frozen=True)
class Ruler:
    """Where grid lines cross each edge, or run along it: the offset of the first one, and how sure that is.

    The offsets of two edges that touch add up to ``total``, modulo the size of a block.
    """

    offset: NDArray[np.int8]
    level: NDArray[np.int8]
    total: int

    def agree(self, one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.int8]:
        """Whether the grid runs on across seams: 1 or 0."""
        return ((self.offset[one] + self.offset[other]) % BLOCK == self.total).astype(np.int8)

    def sureness(self, one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.int8]:
        """The level of the less sure edge of each seam."""
        return np.minimum(self.level[one], self.level[other])


def weighed_by_grid(puzzle: Puzzle, affinity: Affinity, threads: int = 1) -> Affinity:
    """The affinity with larger dissimilarities where a seam would break the compression grid."""
    weights = affinity.dissimilarity.copy()
    judged = [(ruler, _log_odds(ruler, affinity)) for ruler in rulers(puzzle, threads)]

    def weigh(start: int, stop: int) -> None:
        edges, others = np.arange(start, stop)[:, None], affinity.candidates[start:stop]
        known = others < GROUP
        others = np.where(known, others, 0)
        odds = np.zeros(others.shape, np.float32)
        for ruler, table in judged:
            for one, other in _seen_from_all_faces(edges, others, puzzle.faces):
                odds += table[ruler.sureness(one, other), ruler.agree(one, other)]
        weights[start:stop] *= np.where(known, np.exp(-SHARE * np.maximum(odds, -MOST)), 1)

    if any(table.any() for _, table in judged):
        over_slices(weigh, len(weights), threads, SLICE)
    new = ranked(affinity.candidates, weights)
    return replace(affinity, candidates=new.candidates, dissimilarity=new.weights, buddies=new.buddies)


def _seen_from_all_faces(
    one: NDArray[np.integer], other: NDArray[np.integer], faces: int
) -> list[tuple[NDArray[np.integer], NDArray[np.integer]]]:
    return [(one, other)] if faces == 1 else [(one, other), (mirror(one), mirror(other))]


def _log_odds(ruler: Ruler, affinity: Affinity) -> NDArray[np.float32]:
    """By sureness and agreement: how much rarer that is in trusted seams than by chance; at most 0, and 0 without a grid.
    """
    ranking = relative_ranking(affinity)
    edges = np.flatnonzero((affinity.buddies != NOTHING) & (ranking.weights[:, 0] < TRUSTED))
    trusted = _count(ruler, edges, affinity.buddies[edges])
    last = affinity.candidates[:, -1]
    edges = np.flatnonzero(last < GROUP)
    chance = _count(ruler, edges, last[edges])
    chance /= np.maximum(chance.sum(axis=1, keepdims=True), 1)
    found = (trusted + PRIOR * chance) / (trusted.sum(axis=1, keepdims=True) + PRIOR)
    odds = np.minimum(np.log((found + FLOOR) / (chance + FLOOR)), 0).astype(np.float32)
    return odds if odds[-1, 0] < CONFIRMED else np.zeros_like(odds)


def _count(ruler: Ruler, one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.float64]:
    counts = np.zeros((LEVELS + 1, 2))
    np.add.at(counts, (ruler.sureness(one, other), ruler.agree(one, other)), 1)
    counts[0] = 0
    return counts


def rulers(puzzle: Puzzle, threads: int = 1) -> Iterator[Ruler]:
    """The grids of brightness and of colors, each across and along the edges; none for pieces too small to show one."""
    count, size = puzzle.num_pieces * puzzle.faces, puzzle.piece_size
    pixels = puzzle.pixels.reshape(count, size, size, 3)
    for channels, scale in ((BRIGHTNESS, 1), (COLORS, 2)):
        length = size // scale
        if size % scale or length < BLOCK + 3:
            continue
        strength = np.empty((2, count, BLOCK), np.float32)

        def measure(start: int, stop: int, channels: NDArray[np.float32] = channels, scale: int = scale) -> None:
            planes = pixels[start:stop].astype(np.float32) @ channels  # noqa: B023
            planes = planes.reshape(stop - start, length, scale, length, scale, -1).mean(axis=(2, 4))  # noqa: B023
            strength[0, start:stop] = _strength(planes)  # noqa: B023
            strength[1, start:stop] = _strength(planes.swapaxes(1, 2))  # noqa: B023

        over_slices(measure, count, threads, SLICE)
        (right, down), (sure_right, sure_down) = _offsets(strength)
        inward = (down, length - right, length - down, right)
        along = (right, down, length - right, length - down)
        sure = (sure_down, sure_right, sure_down, sure_right)
        yield Ruler(_by_edge(inward) % BLOCK, _by_edge(sure), 0)
        yield Ruler(_by_edge(along) % BLOCK, _by_edge(sure[1:] + sure[:1]), length % BLOCK)


def _by_edge(sides: tuple[NDArray[np.integer], ...]) -> NDArray[np.int8]:
    return np.stack(sides, axis=1).astype(np.int8).ravel()


def _strength(planes: NDArray[np.float32]) -> NDArray[np.float32]:
    """How strong the breaks between columns are at each offset of a grid, compared with the other breaks of a piece.

    A break is where the step between two pixels is not the mean of the steps beside it.
    """
    steps = np.diff(planes, axis=2)
    breaks = np.abs(steps[:, :, 1:-1] - (steps[:, :, :-2] + steps[:, :, 2:]) / 2)
    sums = np.minimum(breaks, LARGEST).sum(axis=(1, 3))
    sums /= sums.mean(axis=1, keepdims=True) + 0.1 * planes.shape[1]
    columns = np.arange(2, planes.shape[2] - 1)
    return np.stack([sums[:, columns % BLOCK == offset].mean(axis=1) for offset in range(BLOCK)], axis=1)


def _offsets(strength: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The offset of the strongest breaks among those that occur, and the level of sureness."""
    lead = _lead(strength)
    surest = strength.argmax(axis=2)[lead >= np.quantile(lead, 0.75)]
    occurs = np.bincount(surest, minlength=BLOCK) >= RARE * len(surest)
    strength = np.where(occurs, strength, -np.inf)
    lead = _lead(strength) if occurs.sum() > 1 else np.zeros(lead.shape)
    quantiles = np.quantile(lead, np.arange(1, LEVELS) / LEVELS)
    level = np.where(lead < UNSURE, 0, 1 + np.searchsorted(quantiles, lead, side="right"))
    return strength.argmax(axis=2), level


def _lead(strength: NDArray[np.floating]) -> NDArray[np.floating]:
    """By how much the strongest offset is stronger than the next one."""
    second, first = np.moveaxis(np.sort(strength, axis=2)[..., -2:], -1, 0)
    return first - second
