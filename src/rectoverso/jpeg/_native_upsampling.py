"""Colors as a file's decoder had them, before it enlarged them and after; and seams that fit what it did.

The numbers here are small and have signs, so they are plain integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.native import native, native_part

PARTS = 16
"""An enlarged color has so many parts: nine of the chroma color it lies in, three of each of two beside that, and one
of the one between these two."""

ROUNDED = 8
"""How many parts are lost or added, at most, when that is rounded to a whole color."""

FAR = 16
"""An enlarged color counts as off by so many parts at most."""

FINENESS, KEPT = 16, 6
"""Estimates are so many times as fine as whole colors; what the square of the way from them counts, beside parts."""

SWEEPS = 20
"""How often all chroma colors of a face are looked at, at most."""


@native
def unmix(pixels: Any, colors: Any, exact: Any) -> None:
    """The two colors that the decoder made each pixel from (gray is 0), and whether they are known for sure.

    It had whole numbers and rounded the result, and of four RGB values only one can come from whole numbers. Those at
    the ends of the range may have been clipped.
    """
    for i in range(pixels.shape[0]):
        red, green, blue = np.int64(pixels[i, 0]), np.int64(pixels[i, 1]), np.int64(pixels[i, 2])
        cb = -0.168735892 * red - 0.331264108 * green + 0.5 * blue
        cr = 0.5 * red - 0.418687589 * green - 0.081312411 * blue
        near_cb, near_cr = np.int64(np.rint(cb)), np.int64(np.rint(cr))
        colors[i, 0], colors[i, 1], exact[i] = near_cb, near_cr, False
        least = np.inf
        for other_cb in range(near_cb - 1, near_cb + 2):
            for other_cr in range(near_cr - 1, near_cr + 2):
                # The decoder's own arithmetic.
                brightness = red - ((91881 * other_cr + 32768) >> 16)
                same_green = brightness + ((-22554 * other_cb - 46802 * other_cr + 32768) >> 16) == green
                same_blue = brightness + ((116130 * other_cb + 32768) >> 16) == blue
                distance = (other_cb - cb) ** 2 + (other_cr - cr) ** 2
                if same_green and same_blue and distance < least:
                    least = distance
                    colors[i, 0], colors[i, 1] = other_cb, other_cr
                    exact[i] = min(red, green, blue) > 0 and max(red, green, blue) < 255


@native_part
def beside(pixel: int, count: int) -> int:
    """The chroma color next to the one that a pixel lies in; at the border that one, as nothing is known beyond."""
    other = pixel // 2 + 2 * (pixel % 2) - 1
    return min(max(other, 0), count - 1)


@native_part
def enlarge(chroma: Any, parts: Any) -> None:
    """The parts of all enlarged colors of a face."""
    count = chroma.shape[0]
    for y in range(2 * count):
        row, other_row = y // 2, beside(y, count)
        for x in range(2 * count):
            column, other_column = x // 2, beside(x, count)
            near = 3 * chroma[row, column] + chroma[other_row, column]
            far = 3 * chroma[row, other_column] + chroma[other_row, other_column]
            parts[y, x] = 3 * near + far


@native_part
def share(pixel: int, place: int) -> int:
    """How many of four parts a pixel has, along one axis, of the chroma color at a place near it."""
    return 3 if pixel // 2 == place else 1


@native_part
def off_by(color: Any, parts: Any) -> Any:
    """How many parts a whole color is off by, beyond what rounding explains."""
    return max(abs(PARTS * color - parts) - ROUNDED, 0)


@native_part
def off_around(colors: Any, exact: Any, parts: Any, row: int, column: int, change: int) -> Any:
    """How many parts the pixels around a chroma color are off by if it changes.

    The outermost pixels of a face do not count: they have a share of what lies beyond.
    """
    last, total = parts.shape[0] - 1, 0
    for y in range(max(2 * row - 1, 1), min(2 * row + 3, last)):
        for x in range(max(2 * column - 1, 1), min(2 * column + 3, last)):
            if exact[y, x]:
                total += off_by(colors[y, x], parts[y, x] + change * share(y, row) * share(x, column))
    return total


@native_part
def change_of(colors: Any, exact: Any, parts: Any, row: int, column: int, value: int, estimate: int) -> int:
    """By how much a chroma color had better change: 1, 0 or -1."""
    best, least = 0, 0
    for change in (0, -1, 1):
        away = FINENESS * (value + change) - estimate
        total = FINENESS * FINENESS * off_around(colors, exact, parts, row, column, change) + KEPT * away * away
        if change == 0 or total < least:
            best, least = change, total
    return best


@native_part
def settle_face(colors: Any, exact: Any, estimates: Any, chroma: Any, parts: Any) -> None:
    """Change chroma colors one by one as long as that explains more of the enlarged ones."""
    count, size = chroma.shape[0], parts.shape[0]
    enlarge(chroma, parts)
    for _ in range(SWEEPS):
        changed = False
        for row in range(count):
            for column in range(count):
                change = change_of(colors, exact, parts, row, column, chroma[row, column], estimates[row, column])
                if change != 0:
                    changed = True
                    chroma[row, column] += change
                    for y in range(max(2 * row - 1, 0), min(2 * row + 3, size)):
                        for x in range(max(2 * column - 1, 0), min(2 * column + 3, size)):
                            parts[y, x] += change * share(y, row) * share(x, column)
        if not changed:
            return


@native_part
def read_face(colors: Any, exact: Any, parts: Any, leaning: Any) -> int:
    """How many pixels of a face are not explained; ``leaning`` is told what those say that lay just between two colors.

    The decoder rounds these up in every second column of the file, the first one among them, and down in the others.
    """
    unexplained = 0
    for y in range(1, parts.shape[0] - 1):
        for x in range(1, parts.shape[1] - 1):
            if exact[y, x]:
                added = PARTS * colors[y, x] - parts[y, x]
                unexplained += 1 if abs(added) > ROUNDED else 0
                if abs(added) == ROUNDED:
                    sign = added // ROUNDED
                    leaning[0] += sign if x % 2 == 0 else -sign
                    leaning[1] += sign if y % 2 == 0 else -sign
                    leaning[2] += 1
    return unexplained


@native
def settle(colors: Any, exact: Any, estimates: Any, chroma: Any, parts: Any, unexplained: Any, leaning: Any) -> None:
    """The whole chroma colors of faces, from estimates; and how many pixels of each face they do not explain.

    ``colors`` (faces x 2), ``exact`` (faces) and ``parts`` (room to work in) are as large as faces, ``estimates`` and
    ``chroma`` (faces x 2) half as large. ``leaning`` is told for the columns and for the rows of each face by how
    many pixels more speak for these to be the file's columns in their order than in reverse, and how many these are.
    """
    for face in range(chroma.shape[0]):
        unexplained[face] = leaning[face, 0] = leaning[face, 1] = leaning[face, 2] = 0
        for i in range(chroma.shape[1]):
            settle_face(colors[face, i], exact[face], estimates[face, i], chroma[face, i], parts)
            unexplained[face] += read_face(colors[face, i], exact[face], parts, leaning[face])


@native
def seam_misfits(one: Any, other: Any, sums: Any, seen: Any, unknown: int, found: Any) -> None:
    """How many parts the colors beside seams are off by, on average; -1 where too few are known.

    By edge, color and pixel, clockwise: ``sums`` has what the chroma colors of the outermost row give, in four parts,
    and ``seen`` the enlarged colors there. What lies beyond the ends of an edge is not known.
    """
    length = sums.shape[2]
    for i in range(one.shape[0]):
        edge, partner = one[i], other[i]
        total, count = 0, 0
        for color in range(sums.shape[1]):
            for pixel in range(1, length - 1):
                mine, theirs = np.int64(sums[edge, color, pixel]), np.int64(sums[partner, color, length - 1 - pixel])
                here, there = np.int64(seen[edge, color, pixel]), np.int64(seen[partner, color, length - 1 - pixel])
                if here != unknown:
                    total += min(off_by(here, 3 * mine + theirs), FAR)
                    count += 1
                if there != unknown:
                    total += min(off_by(there, 3 * theirs + mine), FAR)
                    count += 1
        found[i] = np.float32(total) / np.float32(count) if count >= sums.shape[1] * length else np.float32(-1)
