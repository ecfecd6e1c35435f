"""Chroma before and after a decoder's upsampling, and how well the pixels beside seams agree with it.

The numbers here are small and signed, so they are plain integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.native import native, native_part

UPSAMPLED_SCALE = 16
"""Upsampled chroma is in sixteenths until it is rounded. The subsampled value that a pixel lies in has a weight of 9,
the two values beside it have 3 each, and the diagonal one has 1."""

ROUNDING = 8
"""Rounding to a whole number changes upsampled chroma by at most so many sixteenths."""

MISFIT_CAP = 16
"""The largest misfit of one pixel beside a seam, in sixteenths."""

ESTIMATE_SCALE, ESTIMATE_WEIGHT = 16, 6
"""Estimates of subsampled chroma are in sixteenths. The squared distance of a whole value from its estimate has this
weight, beside the misfits of pixels in sixteenths."""

SWEEPS = 20
"""The fit visits all subsampled values of a face at most so often."""


@native
def recover_chroma(pixels: Any, chroma: Any, exact: Any) -> None:
    """The Cb and Cr that the decoder made each RGB pixel from (gray is 0), and whether they are certain.

    The decoder starts from whole numbers and rounds its result, so only one RGB value in four can occur. Values at the
    ends of the range may be clipped and are not certain.
    """
    for i in range(pixels.shape[0]):
        red, green, blue = np.int64(pixels[i, 0]), np.int64(pixels[i, 1]), np.int64(pixels[i, 2])
        cb = -0.168735892 * red - 0.331264108 * green + 0.5 * blue
        cr = 0.5 * red - 0.418687589 * green - 0.081312411 * blue
        near_cb, near_cr = np.int64(np.rint(cb)), np.int64(np.rint(cr))
        chroma[i, 0], chroma[i, 1], exact[i] = near_cb, near_cr, False
        least = np.inf
        for whole_cb in range(near_cb - 1, near_cb + 2):
            for whole_cr in range(near_cr - 1, near_cr + 2):
                # Only the decoder's own fixed-point arithmetic rounds as the decoder did.
                luma = red - ((91881 * whole_cr + 32768) >> 16)
                same_green = luma + ((-22554 * whole_cb - 46802 * whole_cr + 32768) >> 16) == green
                same_blue = luma + ((116130 * whole_cb + 32768) >> 16) == blue
                distance = (whole_cb - cb) ** 2 + (whole_cr - cr) ** 2
                if same_green and same_blue and distance < least:
                    least = distance
                    chroma[i, 0], chroma[i, 1] = whole_cb, whole_cr
                    exact[i] = min(red, green, blue) > 0 and max(red, green, blue) < 255


@native_part
def next_sample(pixel: int, count: int) -> int:
    """The second sample, along one axis, that a pixel is interpolated from.

    At the border it is the sample that the pixel lies in, because the sample beyond is not known.
    """
    sample = pixel // 2 + 2 * (pixel % 2) - 1
    return min(max(sample, 0), count - 1)


@native_part
def upsample(subsampled: Any, upsampled: Any) -> None:
    """The upsampled chroma of one channel of a face, in sixteenths."""
    count = subsampled.shape[0]
    for y in range(2 * count):
        row, other_row = y // 2, next_sample(y, count)
        for x in range(2 * count):
            column, other_column = x // 2, next_sample(x, count)
            near = 3 * subsampled[row, column] + subsampled[other_row, column]
            far = 3 * subsampled[row, other_column] + subsampled[other_row, other_column]
            upsampled[y, x] = 3 * near + far


@native_part
def axis_weight(pixel: int, sample: int) -> int:
    """The weight, in quarters along one axis, that a subsampled value has in a pixel near it."""
    return 3 if pixel // 2 == sample else 1


@native_part
def pixel_misfit(value: Any, upsampled: Any) -> Any:
    """By how many sixteenths a pixel's chroma differs from upsampled chroma, beyond what rounding explains."""
    return max(abs(UPSAMPLED_SCALE * value - upsampled) - ROUNDING, 0)


@native_part
def misfit_around(chroma: Any, exact: Any, upsampled: Any, row: int, column: int, change: int) -> Any:
    """The misfits of the pixels around a subsampled value, added up, if that value changes.

    The outermost pixels of a face do not count, because they also depend on chroma beyond the face.
    """
    last, total = upsampled.shape[0] - 1, 0
    for y in range(max(2 * row - 1, 1), min(2 * row + 3, last)):
        for x in range(max(2 * column - 1, 1), min(2 * column + 3, last)):
            if exact[y, x]:
                total += pixel_misfit(
                    chroma[y, x], upsampled[y, x] + change * axis_weight(y, row) * axis_weight(x, column)
                )
    return total


@native_part
def best_change(chroma: Any, exact: Any, upsampled: Any, row: int, column: int, value: int, estimate: int) -> int:
    """The change of a subsampled value, 1, 0 or -1, that fits best."""
    best, least = 0, 0
    for change in (0, -1, 1):
        away = ESTIMATE_SCALE * (value + change) - estimate
        total = (
            ESTIMATE_SCALE * ESTIMATE_SCALE * misfit_around(chroma, exact, upsampled, row, column, change)
            + ESTIMATE_WEIGHT * away * away
        )
        if change == 0 or total < least:
            best, least = change, total
    return best


@native_part
def fit_channel(chroma: Any, exact: Any, estimates: Any, subsampled: Any, upsampled: Any) -> None:
    """Change subsampled values by one, in turn, as long as a change fits the pixels better."""
    count, size = subsampled.shape[0], upsampled.shape[0]
    upsample(subsampled, upsampled)
    for _ in range(SWEEPS):
        changed = False
        for row in range(count):
            for column in range(count):
                change = best_change(
                    chroma, exact, upsampled, row, column, subsampled[row, column], estimates[row, column]
                )
                if change != 0:
                    changed = True
                    subsampled[row, column] += change
                    for y in range(max(2 * row - 1, 0), min(2 * row + 3, size)):
                        for x in range(max(2 * column - 1, 0), min(2 * column + 3, size)):
                            upsampled[y, x] += change * axis_weight(y, row) * axis_weight(x, column)
        if not changed:
            return


@native_part
def read_channel(chroma: Any, exact: Any, upsampled: Any, rounding_lead: Any) -> int:
    """How many pixels upsampled chroma does not explain; its ties are added to ``rounding_lead``.

    A tie lies halfway between two whole numbers. The decoder rounds ties up in columns 0, 2, 4 and so on of the file,
    and down in the others.
    """
    unexplained = 0
    for y in range(1, upsampled.shape[0] - 1):
        for x in range(1, upsampled.shape[1] - 1):
            if exact[y, x]:
                added = UPSAMPLED_SCALE * chroma[y, x] - upsampled[y, x]
                unexplained += 1 if abs(added) > ROUNDING else 0
                if abs(added) == ROUNDING:
                    sign = added // ROUNDING
                    rounding_lead[0] += sign if x % 2 == 0 else -sign
                    rounding_lead[1] += sign if y % 2 == 0 else -sign
                    rounding_lead[2] += 1
    return unexplained


@native
def fit_subsampled(
    chroma: Any, exact: Any, estimates: Any, subsampled: Any, upsampled: Any, unexplained: Any, rounding_lead: Any
) -> None:
    """The subsampled chroma of faces in whole numbers, fitted from estimates.

    ``chroma`` (faces x 2) and ``exact`` (faces) hold the pixels of faces; ``estimates`` and ``subsampled`` (faces x 2)
    are half as large; ``upsampled`` is scratch space as large as one face. ``unexplained`` receives how many pixels of
    each face the result does not explain. ``rounding_lead`` receives three numbers for each face: how many more ties
    are rounded as if its columns were the file's columns in their order than in reverse, the same for its rows, and the
    number of ties.
    """
    for face in range(subsampled.shape[0]):
        unexplained[face] = rounding_lead[face, 0] = rounding_lead[face, 1] = rounding_lead[face, 2] = 0
        for i in range(subsampled.shape[1]):
            fit_channel(chroma[face, i], exact[face], estimates[face, i], subsampled[face, i], upsampled)
            unexplained[face] += read_channel(chroma[face, i], exact[face], upsampled, rounding_lead[face])


@native
def seam_misfits(one: Any, other: Any, sums: Any, seen: Any, unknown: int, misfits: Any) -> None:
    """The mean misfit of the pixels beside each seam, in sixteenths; -1 where too few pixels are known.

    By edge, channel and pixel, clockwise: ``sums`` holds the subsampled chroma of the outermost row, interpolated along
    the edge, in quarters; ``seen`` holds the chroma of the outermost pixels. The two end pixels of an edge do not
    count, because they also depend on chroma beyond the ends.
    """
    length = sums.shape[2]
    for i in range(one.shape[0]):
        edge, partner = one[i], other[i]
        total, count = 0, 0
        for channel in range(sums.shape[1]):
            for pixel in range(1, length - 1):
                near, far = np.int64(sums[edge, channel, pixel]), np.int64(sums[partner, channel, length - 1 - pixel])
                here, there = np.int64(seen[edge, channel, pixel]), np.int64(seen[partner, channel, length - 1 - pixel])
                if here != unknown:
                    total += min(pixel_misfit(here, 3 * near + far), MISFIT_CAP)
                    count += 1
                if there != unknown:
                    total += min(pixel_misfit(there, 3 * far + near), MISFIT_CAP)
                    count += 1
        misfits[i] = np.float32(total) / np.float32(count) if count >= sums.shape[1] * length else np.float32(-1)
