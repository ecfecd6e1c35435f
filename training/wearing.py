"""Wear made on the fly: more kinds of it, and in more ways, than ``cut --wear`` makes."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Lesson:
    """Tiles of a part of a picture (rows x columns x height x width x 3), and how they were worn."""

    tiles: NDArray[np.uint8]
    gap: int
    light: float


def lesson(part: NDArray[np.uint8], pitch: int, rng: np.random.Generator) -> Lesson:
    """Cut a part of a picture and wear its tiles."""
    if rng.random() < 0.1:
        part = np.repeat(np.asarray(Image.fromarray(part).convert("L"))[:, :, None], 3, axis=2)
    values = part.astype(np.float32)
    if rng.random() < 0.25:
        values = 255 * (values / 255) ** np.float32(np.exp(rng.uniform(-0.5, 0.5)))
    if rng.random() < 0.15:
        values = _blurred(values, rng.uniform(0.3, 1.2))
    rows, columns = part.shape[0] // pitch, part.shape[1] // pitch
    tiles = values.reshape(rows, pitch, columns, pitch, 3).swapaxes(1, 2)
    gap = int(rng.choice(4, p=[0.36, 0.27, 0.27, 0.1]))
    gap = min(gap, (pitch - 10) // 2)
    tiles = tiles[:, :, gap : pitch - gap, gap : pitch - gap]
    shape = (rows, columns, 1, 1)
    light = 0.0
    if rng.random() < 0.45:
        light = float(rng.uniform(0.3, 6.5))
        tiles = tiles + rng.uniform(-light, light, (*shape, 1)).astype(np.float32)
        if rng.random() < 0.3:  # And of another color, or another contrast.
            tiles = tiles + rng.uniform(-light / 3, light / 3, (*shape, 3)).astype(np.float32)
        if rng.random() < 0.3:
            tiles = 128 + (tiles - 128) * (1 + rng.uniform(-light / 150, light / 150, (*shape, 1)).astype(np.float32))
    if rng.random() < 0.22:
        tiles = _each(tiles, rng.uniform(0.25, 1.2))
    if rng.random() < 0.65:
        tiles = tiles + _noise(tiles.shape, rng)
    pixels = np.rint(tiles).clip(0, 255).astype(np.uint8)
    if rng.random() < 0.14:
        pixels = _saved(pixels, int(rng.integers(50, 98)))
    return Lesson(pixels, gap, light)


def _noise(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    strength = float(np.exp(rng.uniform(np.log(0.4), np.log(8.5))))
    noise = rng.standard_normal(shape, dtype=np.float32)
    kind = rng.random()
    if kind < 0.15:  # The same in all channels.
        noise = np.broadcast_to(noise[..., :1], shape)
    elif kind < 0.3:  # With grains larger than a pixel.
        noise = noise + np.roll(noise, 1, axis=2) + np.roll(noise, 1, axis=3) + np.roll(noise, (1, 1), axis=(2, 3))
        noise = noise / 2
    return noise * np.float32(strength)


def _blurred(values: Floats, radius: float) -> Floats:
    picture = Image.fromarray(np.rint(values).clip(0, 255).astype(np.uint8))
    return np.asarray(picture.filter(ImageFilter.GaussianBlur(radius))).astype(np.float32)


def _each(tiles: Floats, radius: float) -> Floats:
    flat = tiles.reshape(-1, *tiles.shape[2:])
    return np.stack([_blurred(tile, radius) for tile in flat]).reshape(tiles.shape)


def _saved(pixels: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    found = []
    for tile in pixels.reshape(-1, *pixels.shape[2:]):
        file = BytesIO()
        Image.fromarray(tile).save(file, "JPEG", quality=quality)
        found.append(np.asarray(Image.open(file).convert("RGB")))
    return np.stack(found).reshape(pixels.shape)
