"""sRGB to L*a*b* (D65), and the readings of the paper's word "normalized"."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rectoverso.images.files import Pixels

Normalization = Literal["units", "chroma", "variance", "range"]

_LINEAR = np.where(
    (_c := np.arange(256) / 255) > 0.04045, ((_c + 0.055) / 1.055) ** 2.4, _c / 12.92
)  # the sRGB transfer function, inverted
_XYZ = np.array([[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]])
_WHITE = np.array([0.95047, 1.0, 1.08883])


def lab_from_rgb(pixels: Pixels) -> NDArray[np.float64]:
    """L* (0..100), a* and b* (about -128..127) of sRGB pixels.

    >>> lab_from_rgb(np.array([[255, 255, 255]], np.uint8)).round(1).tolist()
    [[100.0, -0.0, 0.0]]
    """
    red, green, blue = np.moveaxis(_LINEAR[pixels], -1, 0)
    # Written out: a matrix product is rounded otherwise by every kernel of BLAS.
    xyz = np.stack([x * red + y * green + z * blue for x, y, z in _XYZ / _WHITE[:, None]], axis=-1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def normalized_lab(pixels: Pixels, normalization: Normalization) -> NDArray[np.float64]:
    """The L*a*b* colors that dissimilarities are measured in, in one of the readings of "normalized".

    ``units`` leaves L*, a* and b* in their own units; ``chroma`` doubles a* and b*; ``variance`` brings each channel of
    these very pixels to the same variance; ``range`` stretches each channel's nominal range to the same width.
    """
    lab = lab_from_rgb(pixels)
    if normalization == "chroma":
        return lab * (1.0, 2.0, 2.0)
    if normalization == "variance":
        return lab * (10.0 / np.maximum(lab.reshape(-1, 3).std(axis=0), 0.1))
    if normalization == "range":
        return lab * (1.0, 100 / 255, 100 / 255)
    return lab
