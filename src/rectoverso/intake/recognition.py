"""Whether a picture is a sheet of separate pieces, told without OpenCV."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels
from rectoverso.intake.background import FAINTEST, Background, rim_pixels

MOST_PIXELS = 4_000_000
"""Larger pictures are looked at in every second, third... pixel: pieces are some ten pixels wide even then."""

LEAST_PIECES = 4
LEAST_SIDE = 32
LEAST_AREA = 40
"""Blobs below this many pixels (at the scale that is looked at) are letters or dust."""

ALIKE = 0.2
"""By how much areas of pieces differ: parts of a piece may have the color of the background."""

SOLID = (0.86, 1.035)
"""The area of a blob over that of the rectangle with the same moments: 1 for a rectangle, 1.05 for a disc, less
for what has gaps, such as letters."""


def looks_like_scan(picture: Pixels) -> bool:
    """Whether a picture shows separate rectangles of one size on a plain background.

    It is False for photographs, for shuffled pictures of touching tiles and for pages of text.
    """
    step = int(np.ceil((picture.shape[0] * picture.shape[1] / MOST_PIXELS) ** 0.5))
    small = picture[::step, ::step]
    if min(small.shape[:2]) < LEAST_SIDE or not _plain_rim(small):
        return False
    try:
        background = Background.of(small)
    except BadInputError:
        return False
    deviations = background.deviations(small) / background.noise.astype(np.float32)
    foreground = (deviations**2).sum(axis=2) > FAINTEST
    if not 0.02 < foreground.mean() < 0.9:
        return False
    area, solidity = _blobs(foreground)
    return _alike_rectangles(area, solidity)


def _plain_rim(picture: Pixels) -> bool:
    """A quick look at the outermost pixels, which already tells most photographs."""
    rim = rim_pixels(picture)
    return bool((np.abs(rim - np.median(rim, axis=0)) < 40).all(axis=1).mean() > 0.9)


def _alike_rectangles(area: NDArray[np.float64], solidity: NDArray[np.float64]) -> bool:
    big = area >= LEAST_AREA
    area, solidity = area[big], solidity[big]
    if len(area) < LEAST_PIECES:
        return False
    order = np.argsort(area)
    typical = area[order][np.searchsorted(np.cumsum(area[order]), area.sum() / 2)]
    alike = np.abs(area / typical - 1) < ALIKE
    solid = (solidity > SOLID[0]) & (solidity < SOLID[1])
    return bool(
        (alike & solid).sum() >= LEAST_PIECES and area[alike].sum() > 0.7 * area.sum() and solid[alike].mean() > 0.6
    )


def _blobs(mask: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The area and the solidity of each connected blob, from the runs of its rows."""
    row, start, end = _runs(mask)
    label = _joined(row, start, end, mask.shape[1])
    length = (end - start).astype(float)
    x, y = (start + end - 1) / 2.0, row.astype(float)

    def total(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(label, values).astype(float)

    area = total(length)
    mean_x, mean_y = total(length * x) / area, total(length * y) / area
    # A pixel is a square, so it has a variance of its own: 1/12.
    xx = total(length * x * x + (length**3 - length) / 12) / area - mean_x**2 + 1 / 12
    yy = total(length * y * y) / area - mean_y**2 + 1 / 12
    xy = total(length * x * y) / area - mean_x * mean_y
    return area, area / (12 * np.sqrt(np.maximum(xx * yy - xy * xy, 1e-9)))


def _runs(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The runs of set pixels, row by row: their row, where they start and where they end."""
    steps = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    row, start = np.nonzero(steps == 1)
    return row, start, np.nonzero(steps == -1)[1]


def _joined(row: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """A number for each run, the same for runs that hang together."""
    wide = width + 1
    first = np.searchsorted(row * wide + end, (row - 1) * wide + start, side="right")
    last = np.searchsorted(row * wide + start, (row - 1) * wide + end, side="left")
    touching = np.maximum(last - first, 0)
    one = np.repeat(np.arange(len(row)), touching)
    other = np.repeat(first, touching) + np.arange(len(one)) - np.repeat(np.cumsum(touching) - touching, touching)
    label = np.arange(len(row))
    while True:
        lower = label.copy()
        np.minimum.at(lower, label[one], label[other])
        np.minimum.at(lower, label[other], label[one])
        lower = np.minimum(lower, lower[lower])
        lower = lower[lower]
        if np.array_equal(lower, label):
            return np.unique(label, return_inverse=True)[1]
        label = lower
