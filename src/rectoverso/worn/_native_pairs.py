"""What is computed seam by seam: the named measures, and what lies between two matrix products of the network."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.matching._native_measures import absolute_sum, gradient_cost
from rectoverso.native import native


@native
def named_measures(descriptors: Any, one: Any, other: Any, found: Any) -> None:
    """The logarithms of gradient compatibility and of prediction, of seams on one face."""
    for i in range(one.shape[0]):
        a, b = np.uint64(one[i]), np.uint64(other[i])
        gradients = gradient_cost(descriptors, a, b) + gradient_cost(descriptors, b, a)
        both = np.float64(absolute_sum(descriptors.predicted, descriptors.backward, a, b))
        both = (both + absolute_sum(descriptors.predicted, descriptors.backward, b, a)) * descriptors.unit
        found[i, 0], found[i, 1] = np.log(gradients + 1.0), np.log(both + 1.0)


@native
def meet(near: Any, far: Any, one: Any, other: Any, scale: Any, mixing: Any, windows: Any) -> None:
    """What is positive where both sides of seams meet, in overlapping windows of four pixels, two pixels apart.

    ``near`` are the whitened colors of near sides, what whitens them, and their features; ``far`` are plain colors and
    features. What the colors differ by is whitened, scaled seam by seam, mixed into channels, and added to the
    features. ``windows`` are seams x windows x (4 * channels). The first begins one pixel before the edges; what lies
    beyond their ends is 0.
    """
    near_colors, whitening, near_features = near
    far_colors, far_features = far
    length, colors, channels = near_colors.shape[1], near_colors.shape[2], near_features.shape[2]
    for seam in range(one.shape[0]):
        a, b, white = near_colors[one[seam]], far_colors[other[seam]], whitening[one[seam]]
        c, d = near_features[one[seam]], far_features[other[seam]]
        rows = windows[seam]
        for k in range(channels):
            rows[0, k] = np.float32(0)
        for window in range(rows.shape[0]):
            for k in range(channels):
                rows[window, 3 * channels + k] = np.float32(0)
        for pixel in range(length):
            # A pixel lies in the second half of a window and in the first half of the next one.
            window, start = (pixel + 1) // 2, (pixel + 1) % 2 * channels
            into = rows[window, start : start + channels] if window < rows.shape[0] else d[pixel]
            if window >= rows.shape[0]:
                window, start = window - 1, start + 2 * channels
                into = rows[window, start : start + channels]
            for k in range(channels):
                into[k] = c[pixel, k] + d[pixel, k]
            for i in range(0, colors, 3):
                for j in range(3):
                    apart = a[pixel, i + j]
                    for m in range(3):
                        apart -= white[j, m] * b[pixel, i + m]
                    apart *= scale[seam]
                    for k in range(channels):
                        into[k] += apart * mixing[i + j, k]
            for k in range(channels):
                into[k] = max(into[k], np.float32(0))
            if window > 0 and start < 2 * channels:
                before = rows[window - 1, start + 2 * channels : start + 3 * channels]
                for k in range(channels):
                    before[k] = into[k]


@native
def show(products: Any, bias: Any, rows: Any) -> None:
    """What is positive in the windows of each seam, in ``rows``, which have an empty one before and after them."""
    for seam in range(products.shape[0]):
        for window in range(products.shape[1]):
            for c in range(products.shape[2]):
                rows[seam, window + 1, c] = max(products[seam, window, c] + bias[c], np.float32(0))


@native
def pool(rows: Any, added: Any, bias: Any, pooled: Any) -> None:
    """The mean over the windows of each seam of what is positive with what is ``added`` to them.

    ``added`` is one row of windows for all seams; it begins with the first seam's first window.
    """
    count = rows.shape[1] - 2
    for seam in range(rows.shape[0]):
        into = pooled[seam]
        for c in range(into.shape[0]):
            into[c] = np.float32(0)
        for window in range(count):
            row, more = rows[seam, window + 1], added[seam * rows.shape[1] + window]
            for c in range(into.shape[0]):
                into[c] += max(row[c] + more[c] + bias[c], np.float32(0))
        for c in range(into.shape[0]):
            into[c] /= np.float32(count)
