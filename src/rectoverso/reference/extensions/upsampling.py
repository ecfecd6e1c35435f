"""Chroma upsampling, literally: every value is computed anew wherever it is needed."""

from __future__ import annotations

from collections.abc import Sequence

Plane = Sequence[Sequence[int]]
Rows = tuple[Sequence[int | None], Sequence[int | None]]


def decoded(luma: int, cb: int, cr: int) -> tuple[int, int, int]:
    """The red, green and blue that a decoder makes of whole numbers; gray has a chroma of 0, and nothing is clipped."""
    red = luma + (91881 * cr + 32768 >> 16)
    green = luma + (-22554 * cb - 46802 * cr + 32768 >> 16)
    return red, green, luma + (116130 * cb + 32768 >> 16)


def upsampled(subsampled: Plane, y: int, x: int) -> int:
    """The upsampled chroma of a pixel, in sixteenths; values at the border repeat beyond it."""
    total = 0
    for row, row_weight in ((y // 2, 3), (y // 2 + (1 if y % 2 else -1), 1)):
        for column, column_weight in ((x // 2, 3), (x // 2 + (1 if x % 2 else -1), 1)):
            inside_row = min(max(row, 0), len(subsampled) - 1)
            inside_column = min(max(column, 0), len(subsampled[0]) - 1)
            total += row_weight * column_weight * subsampled[inside_row][inside_column]
    return total


def pixel_misfit(value: int, sixteenths: int) -> int:
    """By how many sixteenths a whole value differs from upsampled chroma, beyond the half that rounding explains."""
    return max(abs(16 * value - sixteenths) - 8, 0)


def fit_subsampled(chroma: Plane, exact: Plane, estimates: Plane, subsampled: Plane) -> list[list[int]]:
    """Subsampled chroma, changed by one row by row as long as that explains more of the chroma of inner pixels."""
    found = [list(row) for row in subsampled]

    def misfit(row: int, column: int, change: int) -> int:
        changed = [list(line) for line in found]
        changed[row][column] += change
        inner = range(1, len(chroma) - 1)
        total = sum(pixel_misfit(chroma[y][x], upsampled(changed, y, x)) for y in inner for x in inner if exact[y][x])
        return 256 * total + 6 * (16 * changed[row][column] - estimates[row][column]) ** 2

    for _ in range(20):
        before = [list(row) for row in found]
        for row in range(len(found)):
            for column in range(len(found)):
                found[row][column] += min((0, -1, 1), key=lambda change: misfit(row, column, change))
        if found == before:
            break
    return found


def rounding_lead(chroma: Plane, exact: Plane, subsampled: Plane) -> tuple[int, int, int]:
    """How many more ties are rounded as in the file's columns than the other way, for columns and for rows.

    A tie is an inner pixel halfway between two whole values. The decoder rounds ties up in columns 0, 2, 4 and so on,
    and down in the others. The third number is how many ties there are.
    """
    of_columns, of_rows, count = 0, 0, 0
    for y in range(1, len(chroma) - 1):
        for x in range(1, len(chroma) - 1):
            added = 16 * chroma[y][x] - upsampled(subsampled, y, x)
            if exact[y][x] and abs(added) == 8:
                of_columns += 1 if (added > 0) == (x % 2 == 0) else -1
                of_rows += 1 if (added > 0) == (y % 2 == 0) else -1
                count += 1
    return of_columns, of_rows, count


def seam_misfit(ones: Sequence[Plane], others: Sequence[Plane], seen: Sequence[Rows], cap: int) -> float | None:
    """The mean misfit of the pixels beside a seam, in sixteenths; None if less than half of them are known.

    ``ones`` and ``others`` are the channels of the subsampled chroma of two faces, each with its edge up; the others
    are turned by half and put above the ones. ``seen`` has the chroma of the pixels just above and just below the seam,
    as far as it is known.
    """
    found = []
    for one, other, rows in zip(ones, others, seen, strict=True):
        above = [list(row[::-1]) for row in other[::-1]]
        joined, seam = above + [list(row) for row in one], 2 * len(above)
        for y, row in zip((seam - 1, seam), rows, strict=True):
            for x, value in list(enumerate(row))[1:-1]:
                if value is not None:
                    found.append(min(pixel_misfit(value, upsampled(joined, y, x)), cap))
    return sum(found) / len(found) if len(found) >= sum(len(rows[0]) for rows in seen) else None
