"""Signs of wear: what seams that are certain show of lost borders and of light, and the insides of pieces of noise.

Beside a seam nothing is missing if pixels change across it as much as from one pixel to the next inside the same two
pieces. If they change as much as over five pixels, four were lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import NOTHING, mirror
from rectoverso.matching.custom import Strips, border_strips
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.ratio import ratios
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.worn.network import ROWS, Floats
from rectoverso.worn.texture import Texture, conditions, texture_of

CERTAIN, FEWEST, PART = 0.7, 40, 0.25
"""Mutual best candidates of a smaller ratio are looked at, and at least so many, the best ones, if they are no larger
part of all seams. Of 27 puzzles, 24 of them worn, at least 78 % of these are right, mostly all."""

LEAST_SIDE, LEAST_SEAMS = 10, 24
"""Smaller pieces show too little of their insides, and fewer seams are no proof."""

LARGEST = 4
"""A larger gap is not recognized."""

NOISY, FEW = 1.6, 0.38
"""Noise of so much counts as wear if fewer of the seams are certain. Of 48 clean pictures ten have as much, but at
least 0.4 of their seams are certain; of eight with noise of 2 it is 0.12 to 0.35."""

APART, MANY, FAR, UNEVEN = 1.6, 0.6, 2.0, 1.6
"""From here on pieces count as worn: the pixels from one side of a seam to the other, if fewer seams than so many are
certain, and in any case; and the light. Of 48 clean pictures the largest are 1.36 and 1.24; with one pixel lost at each
side, or a light of 5, the least are 2.1 and 4. Pictures that were saved with a low quality reach 1.6, but most of their
seams are certain."""

SPARSE = 0.2
"""Pieces with a smaller share of certain seams are compared as worn ones, because the measures for clean ones say so
little. Of clean photographs at least 0.28 are certain, of scanned pages of text 0.05 to 0.13, and by the network more
than twice as many seams of these pages are found."""

BLURRED = 0.6
"""A blur of so many pixels is told; of 48 clean pictures the largest is 0.55."""

LEAST_LIGHT = 1.3
"""Lights below this are taken for none: without any, up to 1.3 was found in 40 worn puzzles."""

GRAY = np.array([0.299, 0.587, 0.114], np.float32)

UNIFORM = 0.868
"""The spread of the difference of two lights, told by its median, for lights that differ by 1."""


@dataclass(frozen=True)
class Signs:
    """What wear did to the pieces of a puzzle.

    Attributes
    ----------
    texture
        The noise and the sharpness of the insides.
    apart
        How many pixels the two sides of a seam are apart; 1 if nothing is lost.
    gap
        How many pixels were lost at each side of a piece.
    light
        How much brighter or darker a piece may be, of 255.
    certain
        The share of the seams that are certain by themselves.
    told
        Whether the gap was told, and is not 0.
    """

    texture: Texture
    apart: float
    gap: int
    light: float
    certain: float
    told: bool = False

    @property
    def worn(self) -> bool:
        """Whether the measures for clean pieces would be misled."""
        return self.noisy or self.parted or self.sparse or self.light >= UNEVEN

    @property
    def parted(self) -> bool:
        """Whether something is missing between pieces, or was smeared."""
        return self.told or self.apart >= FAR or (self.apart >= APART and self.certain < MANY)

    @property
    def sparse(self) -> bool:
        """Whether the measures for clean pieces say too little, as of text."""
        return self.certain < SPARSE

    @property
    def noisy(self) -> bool:
        """Whether there is noise, and not only fine texture."""
        return self.texture.noise >= NOISY and self.certain < FEW

    @property
    def conditions(self) -> Floats:
        """What the network is told."""
        return conditions(self.texture, self.gap, self.light if self.light >= LEAST_LIGHT else 0.0)

    @property
    def words(self) -> tuple[str, ...]:
        """What was found, in a few words each."""
        known = (
            (f"noise of {self.texture.noise:.1f}", self.noisy),
            (f"{self.gap} pixel{'s' if self.gap > 1 else ''} lost at each side", self.gap > 0),
            (f"light of +-{self.light:.0f}", self.light >= UNEVEN),
            (f"blur of {self.texture.blur:.1f} pixels", self.texture.blur >= BLURRED),
        )
        other = "hardly any certain seams" if self.sparse else "worn borders"
        return tuple(words for words, shown in known if shown) or (other,)

    def of_gap(self, gap: int) -> Signs:
        """The same with another gap."""
        return replace(self, gap=gap)

    def with_gap(self, gap: int | None) -> Signs:
        """The same with the gap that somebody told."""
        return self if gap is None else replace(self, gap=gap, told=gap > 0)


UNKNOWN = Signs(Texture(0.0, 0.0, 0.5, 0.0), 1.0, 0, 0.0, 1.0)
"""Nothing can be said, so pieces are taken as they are."""


def find_signs(puzzle: Puzzle, lists: CandidateLists) -> Signs:
    """The signs of wear that candidates show which were found by any measure."""
    shown = puzzle.pixels if puzzle.compared is None else puzzle.compared
    seams = max(1, 2 * puzzle.num_pieces - math.isqrt(4 * puzzle.num_pieces)) * puzzle.faces
    one, other, certain = certain_seams(lists, min(FEWEST * puzzle.faces, int(PART * seams)))
    if len(one) < LEAST_SEAMS * puzzle.faces or min(shown.shape[2:4]) < LEAST_SIDE:
        return UNKNOWN
    if puzzle.faces == 2:
        one, other = np.concatenate([one, mirror(one)]), np.concatenate([other, mirror(other)])
    strips = border_strips(puzzle, ROWS)
    across, along, lights, slopes = [], [], [], []
    for number, each in enumerate(strips):
        these = one % len(strips) == number
        near, far = each[one[these] // len(strips)], each[other[these] // len(strips), :, ::-1]
        seam, own = _changes(near, far)
        across.append(seam)
        along.append(own)
        lights.append(_gray(near)[:, 0] - _gray(far)[:, 0])
        slopes += [_gray(near), _gray(far)]
    apart = _place(np.concatenate(across), np.concatenate(along))
    gap = min(LARGEST, round((apart - 1) / 2))
    slope = np.concatenate([gray[:, 0] - gray[:, min(round(apart), gray.shape[1] - 1)] for gray in slopes])
    light = math.sqrt(max(0.0, _spread(np.concatenate(lights)) ** 2 - _spread(slope) ** 2)) / UNIFORM
    return Signs(texture_of(shown), apart, gap, light, certain / seams)


def certain_seams(lists: CandidateLists, fewest: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """The two edges of seams between mutual best candidates that stand out most, and how many are certain."""
    edges = np.flatnonzero((lists.buddies != NOTHING) & (np.arange(len(lists.buddies)) < lists.buddies))
    ratio = ratios(lists, lists.candidates[:, :2], lists.weights[:, :2])[edges, 0]
    order = edges[np.argsort(ratio, kind="stable")]
    certain = int(np.count_nonzero(ratio < CERTAIN))
    kept = order[: max(fewest, certain)]
    return kept, lists.buddies[kept].astype(np.int64), certain


def _changes(near: Strips, far: Strips) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean squares of changes, but for those of the mean color: across each seam, and over 1, 2, ... pixels inside."""
    a, b = (_without_mean(strips) for strips in (near, far))
    across = np.square(a[:, 0] - b[:, 0]).mean(axis=(1, 2))
    inside = [np.square(side[:, :1] - side[:, 1:]).mean(axis=(2, 3)) for side in (a, b)]
    return across, (inside[0] + inside[1]) / 2


def _without_mean(strips: Strips) -> NDArray[np.float64]:
    values = strips.astype(np.float64)
    return values - values.mean(axis=2, keepdims=True)


def _place(across: NDArray[np.float64], inside: NDArray[np.float64]) -> float:
    """Over how many pixels the insides change as much as the seams do, all seams counting alike."""
    scale = inside[:, inside.shape[1] // 2] + 1
    curve = np.maximum.accumulate((inside / scale[:, None]).mean(axis=0))
    return float(np.interp((across / scale).mean(), curve, np.arange(1, len(curve) + 1)))


def _gray(strips: Strips) -> NDArray[np.float32]:
    """Edges x rows: the mean gray of each row."""
    return strips.mean(axis=2, dtype=np.float32) @ GRAY


def _spread(values: NDArray[np.floating]) -> float:
    """The standard deviation, told by the median."""
    return float(np.median(np.abs(values))) / 0.6745
