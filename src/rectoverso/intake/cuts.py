"""Cuts through a whole picture: how sharp each line of it is, and what cuts at every multiple of a size explain.

Where two tiles meet that were no neighbors, the colors jump along the whole border. So each line between two columns of
pixels gets a number, its *sharpness*: by how much the steps across it exceed those across the lines beside it. In a
shuffled picture all lines inside tiles are alike, because chance decides which contents they run through, and all cuts
are alike. Tiles of a width of w cut at every multiple of w and nowhere else. The width that explains most of what
distinguishes the lines is the one: with half of it, every other line would be no cut; with twice as much, cuts would be
left unexplained.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.images.files import Pixels

SMALLEST = 8
"""The smallest side of a tile, in pixels."""

SAMPLES = 1024
"""From twice as many rows on only every second one is looked at, then every third one and so on."""

SOFT = 8.0
"""Steps of brightness far below this count little. On 500 small or nearly empty pictures 4, 8 and 16 find the size in
484, 487 and 487."""

BLOCK = 8
"""JPEG files are coded in blocks of 8 x 8 pixels, and the lines between them are sharper than others."""

BLOCK_SHARPNESS = 0.12
"""What block lines add to the sharpness with a quality of 75, at most; 0.05 is usual."""

BLOCK_CUTS = 0.4
"""From which sharpness on the multiples of 8 are cuts: block lines have up to 0.34 with a quality of 40."""

RULED = 0.6
"""The sharpness beside cuts, relative to theirs, from which on they are ruled lines: cuts of tiles have up to 0.45, and
a ruled line is as sharp on its far side."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Comb:
    """Cuts at every multiple of a size, in one direction.

    Attributes
    ----------
    size, cuts
        The size of a tile, and how many cuts there are; no cuts if the size is that of the picture.
    gain
        How much better the sharpness of all lines is predicted with these cuts than without, in nats.
    share
        What the cuts explain of the variation between lines.
    sharpness, beside
        By how much the cuts are sharper than other lines, and what is left of it one pixel to their left or right.
    """

    size: int
    cuts: int = 0
    gain: float = 0.0
    share: float = 0.0
    sharpness: float = 0.0
    beside: float = 0.0

    @property
    def may_be_blocks(self) -> bool:
        """Whether the lines between JPEG blocks may look like these cuts."""
        return self.size == BLOCK and self.sharpness < BLOCK_CUTS

    @property
    def may_be_ruled(self) -> bool:
        """Whether ruled lines may look like these cuts."""
        return self.beside >= RULED * self.sharpness


def sharpness(picture: Pixels) -> Values:
    """By how much the steps across each line between two columns exceed those across the four lines beside it.

    It is the difference of the mean logarithms of the steps. Entry x is about the line to the right of column x.
    """
    if picture.shape[1] < 2 * SMALLEST:
        return np.zeros(picture.shape[1] - 1)
    sampled = picture[:: max(1, picture.shape[0] // SAMPLES)].astype(np.int16)
    # Brightness alone: files that keep chroma at half the resolution blur it across cuts.
    luma = (sampled[..., 0] * 5 + sampled[..., 1] * 9 + sampled[..., 2] * 2) >> 4
    logarithms = np.log(np.arange(256) + SOFT)
    steps = logarithms[np.abs(np.diff(luma, axis=1))].mean(axis=0)
    beside = np.pad(steps, 2, mode="reflect")
    return steps - (beside[:-4] + beside[1:-3] + beside[3:-1] + beside[4:]) / 4


def combs(lines: Values) -> list[Comb]:
    """What the cuts of tiles of each possible size explain of the sharpness of lines.

    Where block lines explain it best, other sizes are not considered: they would explain what block lines leave over.
    Sharpness is modeled as a constant for odd lines and one for even ones, plus something at block lines, plus
    something at the cuts, plus Gaussian noise.
    """
    length = len(lines) + 1
    if length < 2 * SMALLEST:
        return []
    values = _leveled(lines)
    if values @ values < 1e-9 * length:
        return []
    # Where 8 divides the picture, cuts of tiles of 8 pixels must not pass for block lines.
    limit = math.inf if length % BLOCK else BLOCK_SHARPNESS
    without = _residue(values, _block_effect(values, None, limit) * _teeth(BLOCK, length))
    found = [_comb(values, size, limit, without) for size in range(SMALLEST, length // 2 + 1) if length % size == 0]
    best = max(found, key=lambda comb: comb.gain, default=None)
    return [best] if best and best.may_be_blocks else found


def _comb(values: Values, size: int, limit: float, without: float) -> Comb:
    """The cuts of one size, fitted together with block lines."""
    effect, rest = _fit(values, _teeth(size, len(values) + 1), 0.0 if size == BLOCK else limit)
    beside = max(float(values[size - 2 :: size].mean()), float(values[size::size].mean()))
    return Comb(size, len(values) // size, _gain(values, rest, without), 1 - rest / without, effect, beside)


def _fit(values: Values, teeth: Values, limit: float) -> tuple[float, float]:
    """By how much some lines are sharper than others, and the sum of squares that they and block lines leave over."""
    blocks = _block_effect(values, teeth, limit) * _teeth(BLOCK, len(values) + 1)
    effect = float(teeth @ (values - blocks)) / float(teeth @ teeth)
    # Lines that are smoother than others are no cuts: they explain nothing.
    return effect, _residue(values, blocks + max(effect, 0.0) * teeth)


def _gain(values: Values, rest: float, without: float) -> float:
    """How much more likely Gaussian values are with the sum of squares that is left over, in nats."""
    return len(values) / 2 * math.log(without / max(rest, 1e-6 * without))


def _block_effect(values: Values, teeth: Values | None, limit: float) -> float:
    """What block lines add to the sharpness, by least squares, next to cuts if there are any."""
    blocks = _teeth(BLOCK, len(values) + 1)
    if teeth is not None:
        blocks = blocks - teeth * (float(blocks @ teeth) / float(teeth @ teeth))
    norm = float(blocks @ blocks)
    return min(max(float(blocks @ values) / norm, 0.0), limit) if norm > 1e-9 else 0.0


def _teeth(size: int, length: int) -> Values:
    """1 at the multiples of a size and 0 elsewhere, leveled."""
    teeth = np.zeros(length - 1)
    teeth[size - 1 :: size] = 1.0
    return _leveled(teeth)


def _leveled(lines: Values) -> Values:
    """Subtract the mean of odd and of even lines: enlarged pictures, or chroma, have a pattern of two pixels."""
    leveled = lines.copy()
    leveled[::2] -= lines[::2].mean()
    leveled[1::2] -= lines[1::2].mean()
    return leveled


def _residue(values: Values, explained: Values) -> float:
    """The sum of squares that is left unexplained."""
    return float(np.square(values - explained).sum())
