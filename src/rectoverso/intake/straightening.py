"""Pieces on a sheet turned straight, so that their rims have their own colors and nothing of the background.

A piece is not read off the sheet at the places of its pixels, because that blurs it and mixes its rim with the
background. Instead the pixels of the piece are sought that, turned back onto the sheet, give what the sheet shows:
what is still missing there is added, a few times over. Pixels of the sheet beyond the rim do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.images.files import Pixels
from rectoverso.intake.background import Background, Colors
from rectoverso.intake.opencv import load_opencv
from rectoverso.intake.rectangles import Rectangle

ROUNDS = 6
"""How often what is missing is added. With pixels half a pixel inside the rim, 70 % of the true neighbors of five
images rank first with 0 rounds, 73 with 2, 73 to 74 with 4, 74 with 8."""

OWN = 0.85
"""The least share of its own color with which a pixel of the rim counts: between 0.8 and 0.9, which rank as many true
neighbors first on five images (75 and 74 % where rims are mixtures, 80 % elsewhere); 0.5 and less rank fewer on smooth
pictures."""

DOUBT = 0.1
"""By how many pixels the depth of a pixel below the rim may be misjudged: nine in ten rectangles are off by less."""

DEPTHS = np.arange(-1.0, 2.01, 0.1)
"""The depths below the rim, in pixels, between which the share of its own color is learned."""

TEACHERS = 150
"""About how many pieces the share of its own color is learned from."""


@dataclass(frozen=True, eq=False)
class _Lying:
    """A piece where it lies: which pixel of the sheet is where in the piece, and the other way round."""

    window: tuple[slice, slice]
    box: tuple[int, int, int, int]
    depth: NDArray[np.float64]
    in_piece: tuple[NDArray[np.float32], NDArray[np.float32]]
    on_sheet: tuple[NDArray[np.float32], NDArray[np.float32]]

    @classmethod
    def of(cls, found: Rectangle, shape: tuple[int, ...], size: tuple[int, int]) -> _Lying:
        left, top, right, bottom = box = found.window(shape, 3)
        cosine, sine = found.axes[0]
        xs, ys = np.arange(left, right) + 0.5 - found.x, (np.arange(top, bottom) + 0.5 - found.y)[:, None]
        along, down = xs * cosine + ys * sine, ys * cosine - xs * sine
        depth = np.minimum(found.width / 2 - np.abs(along), found.height / 2 - np.abs(down))
        height, width = size
        column = (along / found.width + 0.5) * width - 0.5
        row = (down / found.height + 0.5) * height - 0.5
        in_piece = (column.clip(0, width - 1).astype(np.float32), row.clip(0, height - 1).astype(np.float32))
        across = ((np.arange(width) + 0.5) / width - 0.5) * found.width
        up = (((np.arange(height) + 0.5) / height - 0.5) * found.height)[:, None]
        x = across * cosine - up * sine + found.x - left - 0.5
        y = across * sine + up * cosine + found.y - top - 0.5
        window = (slice(top, bottom), slice(left, right))
        return cls(window, box, depth, in_piece, (x.astype(np.float32), y.astype(np.float32)))

    def straight(self, values: Colors) -> Colors:
        """What lies on the sheet, seen from the piece."""
        cv = load_opencv()
        return cv.remap(values, *self.on_sheet, cv.INTER_LINEAR, borderMode=cv.BORDER_REPLICATE)

    def laid(self, piece: Colors) -> Colors:
        """What the sheet would show of a piece."""
        cv = load_opencv()
        return cv.remap(piece, *self.in_piece, cv.INTER_CUBIC, borderMode=cv.BORDER_REPLICATE)


def straighten(sheet: Pixels, background: Background, rectangles: Sequence[Rectangle], size: tuple[int, int]) -> Pixels:
    """The pieces that lie in rectangles of a sheet, cut to a height and width: pieces x height x width x 3."""
    shares = _own_shares(sheet, background, rectangles, size)
    middles = (DEPTHS[1:] + DEPTHS[:-1]) / 2
    pieces = np.empty((len(rectangles), *size, 3), np.uint8)
    for number, found in enumerate(rectangles):
        lying = _Lying.of(found, sheet.shape, size)
        own = np.interp(lying.depth, middles, shares).astype(np.float32)
        counts = np.interp(lying.depth - DOUBT, middles, shares) >= OWN
        beside = background.at(*lying.box)
        # A pixel of the rim is a mixture; without the background's share it is the piece's own color.
        colors = beside + (sheet[lying.window] - beside) / np.maximum(own, 0.5)[:, :, None]
        piece = _sought(lying, colors, np.where(counts, own**2, 0).astype(np.float32), ROUNDS)
        pieces[number] = np.rint(piece).clip(0, 255)
    return pieces


def _sought(lying: _Lying, colors: Colors, weights: Colors, rounds: int) -> Colors:
    """The piece that, laid on the sheet, shows the colors where they have weight."""
    cv = load_opencv()
    weight = weights[:, :, None]
    total = lying.straight(weights)
    known = (total > 0.05).astype(np.float32)
    piece = lying.straight(colors * weight) / np.maximum(total, 0.05)[:, :, None] * known[:, :, None]
    sigma = 1.0
    while not known.all() and sigma < max(known.shape):
        # Where nothing on the sheet has weight, the colors nearby are the first guess.
        spread, near = cv.GaussianBlur(piece, (0, 0), sigma), cv.GaussianBlur(known, (0, 0), sigma)
        reached = (known == 0) & (near > 1e-3)
        piece[reached] = spread[reached] / near[reached][:, None]
        known[reached] = 1
        sigma *= 2
    step = 1 / np.maximum(total, 0.25)[:, :, None]
    for _ in range(rounds):
        piece = piece + lying.straight((colors - lying.laid(piece)) * weight) * step
    return piece


def _own_shares(
    sheet: Pixels, background: Background, rectangles: Sequence[Rectangle], size: tuple[int, int]
) -> NDArray[np.float64]:
    """How much of its own color a piece has in pixels at depths below its rim, from 0 outside to 1 inside.

    Depths at which the sheet tells nothing have 0 outside and 1 inside.
    """
    depths, shares = [], []
    for found in rectangles[:: max(1, len(rectangles) // TEACHERS)]:
        lying = _Lying.of(found, sheet.shape, size)
        beside = background.at(*lying.box)
        seen = sheet[lying.window] - beside
        inside = (lying.depth > 0.8).astype(np.float32)
        expected = lying.laid(_sought(lying, seen, inside, 3))
        contrast = (expected**2).sum(axis=2)
        # Thirty levels are clear of the noise of any plain background.
        clear = (np.abs(lying.depth) < 2) & (contrast > 30**2)
        depths.append(lying.depth[clear])
        shares.append((seen * expected).sum(axis=2)[clear] / contrast[clear])
    depth, share = np.concatenate(depths), np.concatenate(shares)
    number = np.digitize(depth, DEPTHS)
    result = (DEPTHS[:-1] >= 0.7).astype(float)
    for place in range(1, len(DEPTHS)):
        if (number == place).sum() >= 20:
            result[place - 1] = np.median(share[number == place])
    return np.maximum.accumulate(result.clip(0, 1))
