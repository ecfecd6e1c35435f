"""How a JPEG file codes a picture: luma and chroma, subsampling, blocks and quantization steps; and back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, JpegImagePlugin

from rectoverso.images.files import Pixels

Plane = NDArray[np.float32]
"""Rows x columns of one channel."""

Coefficients = NDArray[np.float32]
"""Rows x columns of blocks x 8 x 8."""

BLOCK = 8

_ANNEX_K = (
    "16 11 10 16 24 40 51 61 12 12 14 19 26 58 60 55 14 13 16 24 40 57 69 56 14 17 22 29 51 87 80 62 "
    "18 22 37 56 68 109 103 77 24 35 55 64 81 104 113 92 49 64 78 87 103 121 120 101 72 92 95 98 112 100 103 99",
    "17 18 24 47 99 99 99 99 18 21 26 66 99 99 99 99 24 26 56 99 99 99 99 99 47 66 99 99 99 99 99 99" + 32 * " 99",
)
"""The quantization steps that the standard proposes for luma and chroma, and that nearly every encoder scales."""

_LUMA = np.array([0.299, 0.587, 0.114], np.float32)
_FREQUENCIES = np.arange(BLOCK)
_DCT = (np.cos((2 * _FREQUENCIES + 1) * _FREQUENCIES[:, None] * np.pi / 16) / 2).astype(np.float32)
_DCT[0] /= np.float32(np.sqrt(2))


@dataclass(frozen=True, eq=False)
class Coding:
    """How a file codes its picture.

    Attributes
    ----------
    luma, chroma
        8 x 8: the quantization steps of the DCT coefficients, those of slow changes first.
    sampling
        How many rows and columns of pixels share one sample of chroma: (2, 2) is what is called 4:2:0, (1, 2) is 4:2:2.
    """

    luma: NDArray[np.int64]
    chroma: NDArray[np.int64]
    sampling: tuple[int, int]


def standard_coding(quality: int, sampling: tuple[int, int]) -> Coding:
    """The steps of the standard, scaled by a quality from 1 to 100 as libjpeg does it."""
    percent = 5000 // quality if quality < 50 else 200 - 2 * quality
    luma, chroma = (
        ((np.array(table.split(), np.int64) * percent + 50) // 100).clip(1, 255).reshape(BLOCK, BLOCK)
        for table in _ANNEX_K
    )
    return Coding(luma, chroma, sampling)


def coding_of(image: Image.Image) -> Coding | None:
    """What the header of an opened JPEG file says; None for other files, and for pictures that are stored turned."""
    if not isinstance(image, JpegImagePlugin.JpegImageFile) or image.getexif().get(0x0112, 1) != 1:
        return None
    layers: list[Any] = image.layer
    if len(layers) not in {1, 3}:
        return None
    tables = [np.array(image.quantization[layer[3]], np.int64).reshape(BLOCK, BLOCK) for layer in layers]
    sampling = (layers[0][2] // layers[-1][2], layers[0][1] // layers[-1][1])
    return Coding(tables[0], tables[-1], sampling)


def ycbcr_from_rgb(picture: Pixels) -> tuple[Plane, Plane, Plane]:
    """Luma, and the two channels of chroma around 0."""
    values = picture.astype(np.float32)
    # Written out: a matrix product is rounded otherwise by every kernel of BLAS.
    luma = _LUMA[0] * values[..., 0] + _LUMA[1] * values[..., 1] + _LUMA[2] * values[..., 2]
    return luma, (values[..., 2] - luma) / np.float32(1.772), (values[..., 0] - luma) / np.float32(1.402)


def rgb_from_ycbcr(luma: Plane, blue: Plane, red: Plane) -> Pixels:
    """The inverse of :func:`ycbcr_from_rgb`, rounded."""
    green = luma - np.float32(0.344136) * blue - np.float32(0.714136) * red
    rgb = np.stack([luma + np.float32(1.402) * red, green, luma + np.float32(1.772) * blue], axis=-1)
    return np.rint(rgb).clip(0, 255).astype(np.uint8)


def padded(plane: Plane, rows: int, columns: int) -> Plane:
    """A plane made a multiple of so many rows and columns by repeating its last ones, as encoders do it."""
    height, width = plane.shape
    return np.pad(plane, ((0, -height % rows), (0, -width % columns)), mode="edge")


def dct(plane: Plane) -> Coefficients:
    """The DCT coefficients of the blocks of a plane, rows x columns of blocks x 8 x 8."""
    height, width = plane.shape
    blocks = plane.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK).swapaxes(1, 2)
    return np.asarray(_DCT @ blocks @ _DCT.T, np.float32)


def inverse_dct(coefficients: Coefficients) -> Plane:
    """The plane that has these coefficients."""
    rows, columns = coefficients.shape[:2]
    blocks = np.asarray(_DCT.T @ coefficients @ _DCT, np.float32)
    return blocks.swapaxes(1, 2).reshape(rows * BLOCK, columns * BLOCK)


def subsampled(plane: Plane, sampling: tuple[int, int]) -> Plane:
    """The samples that a decoder made the pixels of a chroma plane from, by least squares."""
    samples = padded(plane, *sampling)
    if sampling[0] == 2:
        samples = _halved(samples)
    if sampling[1] == 2:
        samples = _halved(samples.T).T
    return np.ascontiguousarray(samples)


def upsampled(samples: Plane, sampling: tuple[int, int]) -> Plane:
    """What a decoder makes of samples: a pixel has three parts of its own sample and one of the next, along each axis.

    libjpeg calls it fancy upsampling.
    """
    if sampling[0] == 2:
        samples = _doubled(samples)
    return _doubled(samples.T).T if sampling[1] == 2 else samples


def _doubled(samples: Plane) -> Plane:
    pixels = np.repeat(samples, 2, axis=0)
    pixels[2::2] += (samples[:-1] - samples[1:]) / 4
    pixels[1:-1:2] += (samples[1:] - samples[:-1]) / 4
    return pixels


def _halved(pixels: Plane) -> Plane:
    """The least squares inverse of :func:`_doubled`, whose normal equations are tridiagonal."""
    even, odd = pixels[0::2].astype(np.float64), pixels[1::2].astype(np.float64)
    found = 12 * (even + odd)
    found[:-1] += 4 * even[1:]
    found[1:] += 4 * odd[:-1]
    found[0] += 4 * even[0]
    found[-1] += 4 * odd[-1]
    diagonal = np.full(len(found), 20.0)
    diagonal[[0, -1]] = 32 if len(found) == 1 else 26
    for row in range(1, len(found)):
        share = 6 / diagonal[row - 1]
        diagonal[row] -= 6 * share
        found[row] -= share * found[row - 1]
    found[-1] /= diagonal[-1]
    for row in range(len(found) - 2, -1, -1):
        found[row] = (found[row] - 6 * found[row + 1]) / diagonal[row]
    return found.astype(np.float32)


def coding_of_file(path: Path) -> Coding | None:
    """What the header of a picture file says; None if it is no JPEG file."""
    try:
        with Image.open(path, formats=["JPEG"]) as image:
            return coding_of(image)
    except (OSError, ValueError, SyntaxError):
        return None
