"""The compression grid: a picture that once was a JPEG file is made of blocks, and edges that break it cannot touch.

JPEG codes blocks of 8 x 8 pixels on their own (of 16 x 16 for colors, which are halved first) and leaves small breaks
between them. Where the breaks in a piece lie tells where its picture's grid runs; it runs on in the piece's neighbors.

Nothing is taken for granted: how often the seams that are certain anyway keep to the grid says what that is worth.
In a picture without a grid, or with tiles that are files of their own, they do no more often than any others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import GROUP, Affinity
from rectoverso.affinity.confidence import ranked, relative_of_seams
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
"""No share counts as smaller than about this: the log odds stay finite."""

CONFIRMED = -1.0
"""Seams that break a grid must be rarer than this among the surest ones, or there is none."""

SHARE, MOST = 0.2, 6.0
"""What the log odds count beside the logarithm of the dissimilarity, and how many count at most."""

SLICE = 2048

Pairs = tuple[NDArray[np.integer], NDArray[np.integer]]
"""The two edges of each seam."""


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
    """The affinity with larger dissimilarities where a seam would break the compression grid; itself without one."""
    judged = _judged(list(rulers(puzzle, threads)), affinity)
    if not judged:
        return affinity
    weights = affinity.dissimilarity.copy()

    def weigh(start: int, stop: int) -> None:
        edges, others = np.arange(start, stop)[:, None], affinity.candidates[start:stop]
        known = others < GROUP
        others = np.where(known, others, 0)
        odds = np.zeros(others.shape, np.float32)
        for ruler, table in judged:
            seen = _seen_from_all_faces(edges, others, puzzle.faces)
            # The faces first: the sum of two does not depend on their order, so that mirrored seams weigh the same.
            odds += sum(table[ruler.sureness(one, other), ruler.agree(one, other)] for one, other in seen)
        weights[start:stop] *= np.where(known, np.exp(-SHARE * np.maximum(odds, -MOST)), 1)

    over_slices(weigh, len(weights), threads, SLICE)
    new = ranked(affinity.candidates, weights)
    return replace(affinity, candidates=new.candidates, dissimilarity=new.weights, buddies=new.buddies)


def _seen_from_all_faces(one: NDArray[np.integer], other: NDArray[np.integer], faces: int) -> list[Pairs]:
    return [(one, other)] if faces == 1 else [(one, other), (mirror(one), mirror(other))]


def _judged(found: list[Ruler], affinity: Affinity) -> list[tuple[Ruler, NDArray[np.float32]]]:
    """The rulers that tell true seams from others, with their log odds."""
    if not found:
        return []
    trusted, chance = _trusted_seams(affinity), _chance_seams(affinity)
    judged = [(ruler, _log_odds(ruler, trusted, chance)) for ruler in found]
    return [(ruler, odds) for ruler, odds in judged if odds[-1, 0] < CONFIRMED]


def _trusted_seams(affinity: Affinity) -> Pairs:
    """The seams that are certain anyway, from both sides."""
    edges = np.flatnonzero(affinity.buddies != NOTHING)
    others = affinity.buddies[edges].astype(np.int64)
    certain = relative_of_seams(affinity, edges, others) < TRUSTED
    return edges[certain], others[certain]


def _chance_seams(affinity: Affinity) -> Pairs:
    """Each edge with the last candidate of its list, which hardly is its neighbor."""
    edges = np.arange(len(affinity.candidates))
    last = affinity.candidates[edges, (affinity.candidates != NOTHING).sum(axis=1) - 1]
    return edges[last < GROUP], last[last < GROUP]


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


def rulers(puzzle: Puzzle, threads: int = 1) -> Iterator[Ruler]:
    """The grids of brightness and of colors, each across and along the edges; none for pieces too small to show one."""
    for channels, scale in ((BRIGHTNESS, 1), (COLORS, 2)):
        length = puzzle.piece_size // scale
        if puzzle.piece_size % scale or length < BLOCK + 3:
            continue
        (right, down), (sure_right, sure_down) = _offsets(_strengths(puzzle, channels, scale, threads))
        inward = (down, length - right, length - down, right)
        along = (right, down, length - right, length - down)
        sure = (sure_down, sure_right, sure_down, sure_right)
        yield Ruler(_by_edge(inward) % BLOCK, _by_edge(sure), 0)
        yield Ruler(_by_edge(along) % BLOCK, _by_edge(sure[1:] + sure[:1]), length % BLOCK)


def _by_edge(sides: tuple[NDArray[np.integer], ...]) -> NDArray[np.int8]:
    return np.stack(sides, axis=1).astype(np.int8).ravel()


def _strengths(puzzle: Puzzle, channels: NDArray[np.float32], scale: int, threads: int) -> NDArray[np.float32]:
    """How strong the breaks of each face are at each offset: between its columns, and between its rows."""
    size, length = puzzle.piece_size, puzzle.piece_size // scale
    pixels = puzzle.pixels.reshape(-1, size, size, 3)
    strengths = np.empty((2, len(pixels), BLOCK), np.float32)

    def measure(start: int, stop: int) -> None:
        planes = pixels[start:stop].astype(np.float32) @ channels
        planes = planes.reshape(stop - start, length, scale, length, scale, -1).mean(axis=(2, 4))
        strengths[0, start:stop] = _strength(planes)
        strengths[1, start:stop] = _strength(planes.swapaxes(1, 2))

    over_slices(measure, len(pixels), threads, SLICE)
    return strengths


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
