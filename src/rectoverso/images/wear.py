"""Wear: what a printer, scissors and a scanner do to tiles, made on purpose and reproducibly.

Each tile is worn by itself, in the order in which it happens to paper: it is cut with a loss, gets a light of its own,
is blurred and noisy in the scan, and is saved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels


@dataclass(frozen=True)
class Wear:
    """How tiles are worn; nothing is, unless it is said.

    Attributes
    ----------
    noise
        The standard deviation of the noise of each color value, of 255.
    gap
        How many pixels are lost at each side of a tile.
    brightness
        How much brighter or darker a tile may be, of 255; the same for all its pixels.
    blur
        The standard deviation of a blur in pixels; a tile is blurred by itself.
    jpeg
        The quality with which each tile is saved as a JPEG file; 0 if it is not.
    """

    noise: float = 0.0
    gap: int = 0
    brightness: float = 0.0
    blur: float = 0.0
    jpeg: int = 0

    def __post_init__(self) -> None:
        limits = {"noise": 100, "gap": 1000, "brightness": 255, "blur": 100, "jpeg": 100}
        for name, most in limits.items():
            value = getattr(self, name)
            if not 0 <= value <= most:
                raise BadInputError(f"The wear {name}={value} makes no sense; it is from 0 to {most}.")

    @classmethod
    def of(cls, text: str) -> Wear:
        """Wear as people write it.

        >>> Wear.of("noise=2, gap=1")
        Wear(noise=2.0, gap=1, brightness=0.0, blur=0.0, jpeg=0)
        """
        kinds = {field.name: int if field.type == "int" else float for field in fields(cls)}
        values: dict[str, Any] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = (each.strip() for each in part.partition("="))
            if name not in kinds or not equals or name in values:
                raise BadInputError(f"{part!r} is no kind of wear; write {', '.join(f'{kind}=N' for kind in kinds)}.")
            try:
                values[name] = kinds[name](value)
            except ValueError as error:
                needed = "whole number" if kinds[name] is int else "number"
                raise BadInputError(f"The wear {part!r} needs a {needed}, not {value!r}.") from error
        return cls(**values)

    def worn(self, tiles: Pixels, rng: np.random.Generator) -> Pixels:
        """Tiles (anything x height x width x 3) after this wear."""
        height, width = tiles.shape[-3:-1]
        if min(height, width) - 2 * self.gap < 2:
            raise BadInputError(f"A tile of {width}x{height} pixels that loses {self.gap} at each side is too small.")
        kept = tiles[..., self.gap : height - self.gap, self.gap : width - self.gap, :]
        light = rng.uniform(-self.brightness, self.brightness, (*kept.shape[:-3], 1, 1, 1)) if self.brightness else 0.0
        values = kept + light
        if self.blur:
            values = _each(_whole(values), lambda tile: tile.filter(ImageFilter.GaussianBlur(self.blur))).astype(float)
        if self.noise:
            values = values + rng.normal(0, self.noise, values.shape)
        pixels = _whole(values)
        return _each(pixels, lambda tile: _saved(tile, self.jpeg)) if self.jpeg else pixels


def _whole(values: NDArray[np.floating]) -> Pixels:
    return np.ascontiguousarray(np.rint(values).clip(0, 255).astype(np.uint8))


def _each(pixels: Pixels, change: Callable[[Image.Image], Image.Image]) -> Pixels:
    """Every tile, changed by itself."""
    flat = pixels.reshape(-1, *pixels.shape[-3:])
    return np.stack([np.asarray(change(Image.fromarray(tile))) for tile in flat]).reshape(pixels.shape)


def _saved(tile: Image.Image, quality: int) -> Image.Image:
    file = BytesIO()
    tile.save(file, "JPEG", quality=quality)
    with Image.open(file) as opened:
        return opened.convert("RGB")
