"""Sheets of pieces as a scanner would see them, made from pictures by Pillow and numpy alone.

The program that reads sheets has no part in this file, so that neither can repeat the other's mistakes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]

RIMS = ("hard", "soft", "area")
"""How a piece ends: in whole pixels; in mixtures with the background; in pixels that are means of areas, as scanned."""

FINE = 4
"""How many times finer than the sheet the pieces are turned for ``area``."""


@dataclass(frozen=True)
class Sheet:
    """One or two sheets, and where each tile of the picture lies on the first: x, y, and whether its back is seen."""

    front: Pixels
    back: Pixels | None
    centers: NDArray[np.float64]
    flipped: NDArray[np.bool_]
    tiles: Pixels
    back_tiles: Pixels | None
    rows: int
    columns: int


def cut(picture: Pixels, size: int) -> tuple[Pixels, int, int]:
    """The tiles of a picture row by row; a rest that fills no tile is left out evenly on both sides."""
    rows, columns = picture.shape[0] // size, picture.shape[1] // size
    top, left = (picture.shape[0] - rows * size) // 2, (picture.shape[1] - columns * size) // 2
    inner = picture[top : top + rows * size, left : left + columns * size]
    return inner.reshape(rows, size, columns, size, 3).swapaxes(1, 2).reshape(-1, size, size, 3), rows, columns


def make_sheet(
    picture: Pixels,
    size: int,
    back: Pixels | None = None,
    *,
    rims: str = "hard",
    noise: float = 3.0,
    gray: int = 128,
    seed: int = 0,
) -> Sheet:
    """The tiles of a picture, shuffled, turned by any angle and laid apart on noisy gray."""
    rng = np.random.default_rng(seed)
    tiles, rows, columns = cut(picture, size)
    back_tiles = None
    if back is not None:
        # The back picture is seen after turning the whole over about its vertical axis.
        cells, *_ = cut(back, size)
        back_tiles = cells.reshape(rows, columns, size, size, 3)[:, ::-1].reshape(tiles.shape)
    count = len(tiles)
    pitch = math.ceil(size * math.sqrt(2)) + 10
    across = math.ceil(math.sqrt(count * 1.3))
    cells_of = rng.permutation(count)
    centers = np.stack([cells_of % across + 0.75, cells_of // across + 0.75], axis=1) * pitch
    centers = np.round(centers + rng.uniform(-3, 3, centers.shape))
    angles = rng.uniform(0, 360, count)
    flipped = rng.random(count) < 0.5 if back_tiles is not None else np.zeros(count, bool)
    width, height = int((across + 0.5) * pitch), int((-(-count // across) + 0.5) * pitch)
    sheets = []
    for side in range(1 if back_tiles is None else 2):
        canvas = gray + rng.normal(0, noise, (height, width, 3))
        for tile in range(count):
            shown = back_tiles if flipped[tile] ^ (side == 1) else tiles
            x, y = centers[tile]
            _lay(canvas, shown[tile], width - x if side else x, y, -angles[tile] if side else angles[tile], rims)
        sheets.append(np.clip(np.rint(canvas), 0, 255).astype(np.uint8))
    return Sheet(sheets[0], sheets[1] if len(sheets) > 1 else None, centers, flipped, tiles, back_tiles, rows, columns)


def _lay(canvas: NDArray[np.float64], tile: Pixels, x: float, y: float, angle: float, rims: str) -> None:
    colors, cover = {"hard": _turn_hard, "soft": _turn_soft, "area": _turn_area}[rims](tile, angle)
    height, width = cover.shape
    top, left = round(y - height / 2), round(x - width / 2)
    part = canvas[top : top + height, left : left + width]
    part += cover[:, :, None] * (colors - part)


def _turn_hard(tile: Pixels, angle: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    turned = Image.fromarray(tile).convert("RGBA").rotate(angle, Image.Resampling.BICUBIC, expand=True)
    values = np.asarray(turned).astype(float)
    return values[:, :, :3], (values[:, :, 3] > 0).astype(float)


def _turn_soft(tile: Pixels, angle: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    size, margin = len(tile), len(tile) // 2
    wide = np.pad(tile, ((margin, margin), (margin, margin), (0, 0)), mode="edge")
    cover = np.pad(np.full((size, size), 255, np.uint8), margin)
    colors = Image.fromarray(wide).rotate(angle, Image.Resampling.BICUBIC)
    mask = Image.fromarray(cover).rotate(angle, Image.Resampling.BILINEAR)
    return np.asarray(colors).astype(float), np.asarray(mask) / 255


def _turn_area(tile: Pixels, angle: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    size = len(tile)
    fine = Image.fromarray(tile).resize((size * FINE, size * FINE), Image.Resampling.BICUBIC)
    colors, cover = _turn_hard(np.asarray(fine), angle)
    height, width = (-(-length // (2 * FINE)) * 2 * FINE for length in cover.shape)
    pad = [((height - cover.shape[0]) // 2, -((cover.shape[0] - height) // 2))]
    pad.append(((width - cover.shape[1]) // 2, -((cover.shape[1] - width) // 2)))
    cover, colors = np.pad(cover, pad), np.pad(colors, [*pad, (0, 0)])

    def shrink(values: NDArray[np.float64]) -> NDArray[np.float64]:
        rest = values.shape[2:]
        return values.reshape(height // FINE, FINE, width // FINE, FINE, *rest).mean(axis=(1, 3))

    share = shrink(cover)
    return shrink(colors * cover[:, :, None]) / np.maximum(share, 1e-9)[:, :, None], share
