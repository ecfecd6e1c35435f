"""The plain background of a sheet: its color, which may change slowly across the sheet, and its noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels

Colors = NDArray[np.floating[Any]]
"""Single precision, which is all that OpenCV remaps; the type says less because arithmetic widens it."""

SAMPLES = 100_000
"""About how many pixels the background is fitted to: plenty for six numbers a channel. Others were not tried."""

PLAIN_RIM = 0.8
"""The share of the sheet's outermost pixels that must be background; pieces may reach into the rest."""

MOST_NOISE = 20.0
"""The noise (standard deviation) beyond which a background is called not plain; chosen, not measured."""

FAINTEST = 40.0
"""The sum of three squared deviations, each over its noise, from which a pixel is no background: chance alone gives
this to one pixel in a hundred million."""


@dataclass(frozen=True, eq=False)
class Background:
    """The color of the background at every place of a sheet, as a surface of second degree for each channel."""

    terms: NDArray[np.float64]
    noise: NDArray[np.float64]
    shape: tuple[int, int]

    @classmethod
    def of(cls, sheet: Pixels, name: str = "The sheet") -> Self:
        """Fit the background, beginning with the outermost pixels of the sheet, where no pieces should lie."""
        height, width = sheet.shape[:2]
        rim = rim_pixels(sheet)
        middle = np.median(rim, axis=0)
        noise = _noise(rim - middle)
        plain = (np.abs(rim - middle) < 6 * noise + 12).all(axis=1).mean()
        if plain < PLAIN_RIM or noise.max() > MOST_NOISE:
            raise BadInputError(
                f"{name} has no plain background: {1 - plain:.0%} of its outermost pixels have another color than the "
                "rest; lay the pieces apart on plain paper, and leave some of it free all around."
            )
        step = max(1, round((height * width / SAMPLES) ** 0.5))
        ys, xs = (grid.ravel() for grid in np.mgrid[step // 2 : height : step, step // 2 : width : step])
        values, basis = sheet[ys, xs].astype(float), _basis(xs, ys, (height, width))
        used = (np.abs(values - middle) < 6 * noise + 12).all(axis=1)
        for _ in range(6):
            terms = np.linalg.lstsq(basis[used], values[used], rcond=None)[0]
            rest = values - basis @ terms
            noise = _noise(rest[used])
            used = (np.abs(rest) < 4 * noise).all(axis=1)
        return cls(terms, noise, (height, width))

    def at(self, left: int, top: int, right: int, bottom: int) -> Colors:
        """The background in a window of the sheet."""
        ys, xs = np.mgrid[top:bottom, left:right]
        return (_basis(xs, ys, self.shape) @ self.terms).astype(np.float32)

    def deviations(self, sheet: Pixels, left: int = 0, top: int = 0) -> Colors:
        """How far the colors of a sheet, or of a window of it, are from the background."""
        height, width = sheet.shape[:2]
        result = sheet.astype(np.float32)
        for start in range(0, height, 256):
            end = min(height, start + 256)
            result[start:end] -= self.at(left, top + start, left + width, top + end)
        return result


def rim_pixels(sheet: Pixels) -> NDArray[np.float64]:
    """The outermost pixels of a sheet, a hundredth of its shorter side deep."""
    deep = max(2, min(sheet.shape[:2]) // 100)
    parts = (sheet[:deep], sheet[-deep:], sheet[deep:-deep, :deep], sheet[deep:-deep, -deep:])
    return np.concatenate([part.reshape(-1, 3) for part in parts]).astype(float)


def _noise(deviations: NDArray[np.float64]) -> NDArray[np.float64]:
    """The standard deviation of each channel, told from the median so that a few strangers do not matter."""
    return np.maximum(0.7, 1.4826 * np.median(np.abs(deviations), axis=0))


def _basis(xs: NDArray[np.int64], ys: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[np.float64]:
    x, y = xs / shape[1] * 2 - 1, ys / shape[0] * 2 - 1
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)
