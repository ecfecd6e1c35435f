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


def pooled(pixels: Rows, kernel: Sequence[Rows], bias: Row) -> list[float]:
    """The mean over all windows of what is positive of a kernel (window x channels x found)."""
    zero = [0.0] * len(pixels[0])
    padded, count = [zero, *pixels, zero, zero], len(pixels) // STEP
    total = [0.0] * len(bias)
    for start in range(0, STEP * count, STEP):
        for found in range(len(bias)):
            value = bias[found]
            for pixel, weights in zip(padded[start : start + WINDOW], kernel, strict=True):
                value += sum(x * weight[found] for x, weight in zip(pixel, weights, strict=True))
            total[found] += max(0.0, value) / count
    return total
