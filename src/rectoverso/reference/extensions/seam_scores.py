"""What two sides of a seam show together, literally: pixel by pixel, window by window."""

from __future__ import annotations

from collections.abc import Sequence

Row = Sequence[float]
Rows = Sequence[Row]
"""Pixels along an edge x channels."""

WINDOW, STEP = 4, 2


def met(near: tuple[Rows, Rows, Rows], far: tuple[Rows, Rows], scale: float, mixing: Rows) -> list[list[float]]:
    """For each pixel and channel what is positive of both sides.

    ``near`` are the expected colors, already white, the 3 x 3 matrix that whitens, and features; ``far`` are the colors
    that are shown, and features. ``mixing`` (colors x channels) makes channels of what they differ by.
    """
    (expected, whitening, near_features), (shown, far_features) = near, far
    pixels = []
    for wanted, given, one, other in zip(expected, shown, near_features, far_features, strict=True):
        white = [
            sum(w * x for w, x in zip(whitening[i % 3], given[i - i % 3 :], strict=False)) for i in range(len(given))
        ]
        apart = [scale * (a - b) for a, b in zip(wanted, white, strict=True)]
        mixed = [sum(x * row[k] for x, row in zip(apart, mixing, strict=True)) for k in range(len(one))]
        pixels.append([max(0.0, x + a + b) for x, a, b in zip(mixed, one, other, strict=True)])
    return pixels


def windowed(pixels: Rows, kernel: Sequence[Rows], bias: Row) -> list[list[float]]:
    """What is positive of a kernel (pixels x channels x found) in windows of four pixels, two pixels apart."""
    zero = [0.0] * len(pixels[0])
    padded, count = [zero, *pixels, zero, zero], len(pixels) // STEP
    return [_positive(padded[STEP * i : STEP * i + WINDOW], kernel, bias) for i in range(count)]


def pooled(windows: Rows, kernel: Sequence[Rows], bias: Row) -> list[float]:
    """The mean over windows of what is positive of each with a kernel (windows x channels x found) around it."""
    zero = [0.0] * len(windows[0])
    padded, found = [zero, *windows, zero], []
    for i, window in enumerate(windows):
        base = [x + b for x, b in zip(window, bias, strict=True)]
        found.append(_positive(padded[i : i + 3], kernel, base))
    return [sum(column) / len(windows) for column in zip(*found, strict=True)]


def _positive(rows: Rows, kernel: Sequence[Rows], base: Row) -> list[float]:
    total = list(base)
    for row, weights in zip(rows, kernel, strict=True):
        for x, weight in zip(row, weights, strict=True):
            total = [t + x * w for t, w in zip(total, weight, strict=True)]
    return [max(0.0, t) for t in total]
