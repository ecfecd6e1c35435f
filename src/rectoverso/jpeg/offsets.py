"""Where the compression grid runs in each piece.

JPEG codes blocks of 8 x 8 pixels on their own (of 16 x 16 for colors, which are chroma first) and leaves small breaks
between them. A flat piece shows them faintly; but the grid runs on in its neighbors, so pieces that certainly touch
tell each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import NOTHING
from rectoverso.puzzle.puzzle import Puzzle

BLOCK = 8


def multiples(values: ArrayLike, bits: int = 24) -> NDArray[np.float64]:
    """Values rounded to whole multiples of ``2**-bits``.

    As long as a sum of products of such numbers needs no more than 53 bits, it is exact in double precision, and the
    same on every machine, whatever order its BLAS adds it up in.
    """
    return np.rint(np.asarray(values, np.float64) * 2.0**bits) * 2.0**-bits


LUMA = multiples([[0.299], [0.587], [0.114]])
CHROMA = multiples([[-0.1687, 0.5], [-0.3313, -0.4187], [0.5, -0.0813]])
"""JPEG's own channels, from RGB."""

LARGEST = 4.0
"""A break counts at most so much: larger ones are the picture's."""

LEVELS = 4
"""How many levels of sureness are told apart, with as many faces in each, above level 0 for what is not known."""

UNSURE = 0.2
"""A lead that says nothing: flat pieces show no breaks."""

RARE = 0.06
"""An offset that has a smaller share of the surer half does not occur."""

ROUNDS = 2
"""How far pieces that certainly touch tell each other."""

SLICE = 256


@dataclass(frozen=True)
class GridStrengths:
    """How strongly each face shows a grid at each offset: 2 x faces x 8, between its columns and between its rows.

    ``length`` is that of a piece in samples of the channel; ``occurs`` are the offsets that grid lines have at all.
    """

    strength: NDArray[np.float64]
    length: int
    occurs: NDArray[np.bool_]


@dataclass(frozen=True)
class GridOffsets:
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


def measure_strengths(puzzle: Puzzle, threads: int = 1) -> list[GridStrengths]:
    """The traces of the grids of brightness and of colors; none if pieces are too small to show one."""
    found = []
    for channels, scale in ((LUMA, 1), (CHROMA, 2)):
        length = puzzle.piece_size // scale
        if puzzle.piece_size % scale == 0 and length >= BLOCK + 3:
            strength = _strengths(puzzle, channels, scale, threads)
            found.append(GridStrengths(strength, length, _occurring(strength)))
    return found


def spread(traces: GridStrengths, links: NDArray[np.uint32]) -> GridStrengths:
    """The traces with those of the neighbors that are certain: ``links`` has the edge that each edge touches, if any.

    Each round is the mean of a face and its neighbors, shifted to where the grid would run in the face.
    """
    linked = (links != NOTHING)[:, None]
    others = np.where(links != NOTHING, links, 0)
    count = 1 + linked.reshape(-1, 4).sum(axis=1)[:, None]
    back = (traces.length - np.arange(BLOCK)) % BLOCK
    strength = traces.strength - traces.strength.mean(axis=2, keepdims=True)
    for _ in range(ROUNDS):
        inward, along = _by_edge(strength, back)
        inward = np.where(linked, inward[others][:, -np.arange(BLOCK) % BLOCK], 0).reshape(-1, 4, BLOCK)
        along = np.where(linked, along[others][:, back], 0).reshape(-1, 4, BLOCK)
        across = inward[:, 3] + inward[:, 1][:, back] + along[:, 0] + along[:, 2][:, back]
        down = inward[:, 0] + inward[:, 2][:, back] + along[:, 1] + along[:, 3][:, back]
        strength = (strength + np.stack([across, down])) / count
    return replace(traces, strength=strength)


def _by_edge(axes: NDArray[np.float64], back: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Strengths by offsets from each edge inward, and along it; ``back`` is where an offset lies from the far side."""
    across, down = axes
    inward = np.stack([down, across[:, back], down[:, back], across], axis=1)
    along = np.stack([across, down, across[:, back], down[:, back]], axis=1)
    return inward.reshape(-1, BLOCK), along.reshape(-1, BLOCK)


def find_offsets(traces: Sequence[GridStrengths]) -> list[GridOffsets]:
    """What traces of brightness and of colors tell of the edges: two all_offsets for each, inward and along."""
    all_offsets: list[GridOffsets] = []
    lines: NDArray[np.int64] | None = None
    for trace in traces:
        strength = np.where(trace.occurs, trace.strength, -np.inf)
        if lines is not None:
            # Every line between blocks of colors is one between blocks of brightness.
            on_lines = (2 * np.arange(BLOCK) - lines[..., None]) % BLOCK == 0
            told = (lines >= 0) & ((on_lines & trace.occurs).sum(axis=2) > 1)
            strength = np.where(told[..., None] & ~on_lines, -np.inf, strength)
        offsets, levels = _offsets(strength)
        lines = np.where(levels > 0, offsets, -1)
        all_offsets += _by_edge_offsets(offsets, levels, trace.length)
    return all_offsets


def _by_edge_offsets(offsets: NDArray[np.int64], levels: NDArray[np.int64], length: int) -> list[GridOffsets]:
    (right, down), (sure_right, sure_down) = offsets, levels
    inward = (down, length - right, length - down, right)
    along = (right, down, length - right, length - down)
    sure = (sure_down, sure_right, sure_down, sure_right)
    return [
        GridOffsets(_edges(inward) % BLOCK, _edges(sure), 0),
        GridOffsets(_edges(along) % BLOCK, _edges(sure[1:] + sure[:1]), length % BLOCK),
    ]


def _edges(sides: tuple[NDArray[np.integer], ...]) -> NDArray[np.int8]:
    return np.stack(sides, axis=1).astype(np.int8).ravel()


def _strengths(puzzle: Puzzle, channels: NDArray[np.float64], scale: int, threads: int) -> NDArray[np.float64]:
    """How strong the breaks of each face are at each offset: between its columns, and between its rows."""
    size, length = puzzle.piece_size, puzzle.piece_size // scale
    pixels = puzzle.pixels.reshape(-1, size, size, 3)
    strengths = np.empty((2, len(pixels), BLOCK))

    def measure(start: int, stop: int) -> None:
        planes = (pixels[start:stop].astype(np.float64) @ channels).astype(np.float32)
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


def _occurring(strength: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The offsets that the surest faces show."""
    lead = _lead(strength)
    surest = strength.argmax(axis=2)[lead >= max(UNSURE, np.median(lead))]
    return np.bincount(surest, minlength=BLOCK) >= RARE * len(surest)


def _offsets(strength: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The offset of the strongest breaks, and the level of sureness."""
    lead = _lead(strength)
    quantiles = np.quantile(lead, np.arange(1, LEVELS) / LEVELS)
    level = np.where(lead < UNSURE, 0, 1 + np.searchsorted(quantiles, lead, side="right"))
    return strength.argmax(axis=2), level


def _lead(strength: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much the strongest offset is stronger than the next one; 0 where there is nothing to choose from."""
    second, first = np.moveaxis(np.sort(strength, axis=2)[..., -2:], -1, 0)
    return np.where(np.isneginf(second), 0, first - np.where(np.isneginf(second), 0, second))
