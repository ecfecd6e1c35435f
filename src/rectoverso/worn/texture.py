"""What the insides of pieces show of noise and blur: a few numbers that the measure of worn pieces is told."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rectoverso.images.files import Pixels

FLAT = 0.1
"""The share of the faces that are taken for flat: what changes in them is noise. Not fewer, because a few faces may be
clipped, where noise does not show."""


class Texture(NamedTuple):
    """How much the insides of pieces change from pixel to pixel, in values of 0 to 255.

    ``noise`` and ``usual`` are second differences in both directions, scaled so that they are the standard deviation of
    white noise: of the flattest faces, and of the usual one. ``sharpness`` is the usual mean square of changes over one
    pixel beside that over two: 1 for white noise, 1/4 for a slope. ``blur`` is the standard deviation, in pixels, of a
    blur that would leave a picture this soft below its noise.
    """

    noise: float
    usual: float
    sharpness: float
    blur: float


def texture_of(faces: Pixels) -> Texture:
    """The texture of faces (anything x height x width x 3, at least 3 pixels each way)."""
    values = faces.reshape(-1, *faces.shape[-3:]).astype(np.float32)
    bent = np.diff(np.diff(values, 2, axis=1), 2, axis=2)
    noise = np.sqrt(np.square(bent).mean(axis=(1, 2, 3)) / 36)
    steps = np.square(np.diff(values, 1, axis=1)).mean(axis=(1, 2, 3))
    strides = np.square(values[:, 2:] - values[:, :-2]).mean(axis=(1, 2, 3))
    steps = steps + np.square(np.diff(values, 1, axis=2)).mean(axis=(1, 2, 3))
    strides = strides + np.square(values[:, :, 2:] - values[:, :, :-2]).mean(axis=(1, 2, 3))
    flattest = float(np.quantile(noise, FLAT))
    sharpness = float(np.median((steps + 0.1) / (strides + 0.1)))
    # Noise adds twice its variance to both, on both axes.
    white = 4 * flattest**2
    softness = np.median((np.maximum(steps - white, 0) + 0.1) / (np.maximum(strides - white, 0) + 0.1))
    return Texture(flattest, float(np.median(noise)), sharpness, blur_of(float(softness)))


def blur_of(share: float) -> float:
    """The blur after which the mean square of changes over one pixel is this share of that over two.

    A sharp picture changes like a random walk: over k pixels by k, in the mean square. Blurred by s it changes by
    E|k + s Z sqrt 2| - E|s Z sqrt 2|, where Z is normal.

    >>> blur_of(0.5), round(blur_of(0.3), 1)
    (0.0, 0.7)
    """
    radii = np.linspace(0.01, 3, 300)
    expected = _walk(1, radii) / _walk(2, radii)
    return float(np.interp(-share, -expected, radii, left=0.0))


def _walk(pixels: int, radii: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much a blurred random walk changes over some pixels, in the mean square."""
    spread = radii * math.sqrt(2)
    normal = np.exp(-0.5 * (pixels / spread) ** 2)
    inside = np.array([math.erf(each) for each in pixels / spread / math.sqrt(2)])
    return math.sqrt(2 / math.pi) * spread * (normal - 1) + pixels * inside


def conditions(texture: Texture, gap: float, light: float) -> NDArray[np.float32]:
    """What the network is told: the texture, how many pixels each side has lost, and by how much lights differ."""
    told = (np.log1p(texture.noise), np.log1p(texture.usual), 2 * texture.sharpness, gap, np.log1p(light))
    return np.array(told, np.float32)
