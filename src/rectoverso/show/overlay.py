"""How sure a solution is, drawn over its picture: uncertain pieces are veiled, uncertain seams are lines.

What is sure stays as it is. The veil darkens and hatches, and a line is bright between dark rims, so that both are seen
on any picture, and without telling colors apart.
"""

from __future__ import annotations

import numpy as np

from rectoverso.confidence.confidence import SURE, Confidence
from rectoverso.images.files import Pixels

VEIL, HATCH, LINE, RIM = (60, 20, 110), (240, 235, 255), (255, 176, 0), (25, 10, 45)
VEIL_STRENGTH, HATCH_STRENGTH = 0.5, 0.55
HOPELESS = 0.3
"""From this confidence down the veil is as thick and the lines are as wide as they get."""


def draw_confidence(picture: Pixels, confidence: Confidence) -> Pixels:
    """A rendered picture with the confidence of its pieces and seams drawn over it."""
    canvas = picture.copy()
    rows, columns = confidence.pieces.shape
    height, width = picture.shape[0] // rows, picture.shape[1] // columns
    for row, column in np.argwhere(confidence.pieces < SURE):
        cell = np.s_[row * height : (row + 1) * height, column * width : (column + 1) * width]
        _veil(canvas, cell, min(height, width), _doubt(confidence.pieces[row, column]))
    # Seams that run down are drawn as those that run across a canvas lying on its side.
    lying = (canvas.transpose(1, 0, 2), confidence.right.T, width, height)
    for board, seams, tall, wide in (lying, (canvas, confidence.down, height, width)):
        for row, column in np.argwhere(seams < SURE):
            across = slice(column * wide, (column + 1) * wide)
            _line(board[:, across], (int(row) + 1) * tall, min(height, width), _doubt(seams[row, column]))
    return canvas


def _doubt(confidence: float) -> float:
    """From 0 where a confidence is just not sure to 1 where it is hopeless."""
    return float(np.clip((SURE - confidence) / (SURE - HOPELESS), 0, 1))


def _veil(canvas: Pixels, place: tuple[slice, slice], size: int, doubt: float) -> None:
    """Darken a piece and hatch it; the hatching runs on from piece to piece."""
    cell = canvas[place]
    y, x = np.ogrid[place]
    hatched = (x + y) % max(3, size // 3) < max(1, size // 20)
    veil, hatch = VEIL_STRENGTH * (0.3 + 0.7 * doubt), HATCH_STRENGTH * (0.4 + 0.6 * doubt)
    veiled = cell * np.float32(1 - veil) + np.float32(veil) * np.array(VEIL, np.float32)
    veiled[hatched] = veiled[hatched] * np.float32(1 - hatch) + np.float32(hatch) * np.array(HATCH, np.float32)
    cell[:] = np.round(veiled)


def _line(strip: Pixels, at: int, size: int, doubt: float) -> None:
    """A line along the middle of a strip, bright between dark rims."""
    half = max(1, round(size * (0.03 + 0.05 * doubt)))
    rim = max(1, size // 24)
    strip[max(0, at - half - rim) : at + half + rim] = RIM
    strip[max(0, at - half) : at + half] = LINE
