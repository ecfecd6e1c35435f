"""Halved colors and what a decoder makes of them, literally: everything is computed anew for every question."""

from __future__ import annotations

from collections.abc import Sequence

Plane = Sequence[Sequence[int]]
Rows = tuple[Sequence[int | None], Sequence[int | None]]


def mixed(brightness: int, cb: int, cr: int) -> tuple[int, int, int]:
    """The red, green and blue that a decoder makes of whole numbers; gray is 0, and nothing is clipped."""
    red = brightness + (91881 * cr + 32768 >> 16)
    green = brightness + (-22554 * cb - 46802 * cr + 32768 >> 16)
    return red, green, brightness + (116130 * cb + 32768 >> 16)


def parts(chroma: Plane, y: int, x: int) -> int:
    """The sixteen parts of the enlarged color at a pixel, added up; beyond the border it goes on as it is there."""
    total = 0
    for row, of_four in ((y // 2, 3), (y // 2 + (1 if y % 2 else -1), 1)):
        for column, of_four_too in ((x // 2, 3), (x // 2 + (1 if x % 2 else -1), 1)):
            inside_row = min(max(row, 0), len(chroma) - 1)
            inside_column = min(max(column, 0), len(chroma[0]) - 1)
            total += of_four * of_four_too * chroma[inside_row][inside_column]
    return total


def off_by(color: int, total: int) -> int:
    """How many parts a whole color is off by, beyond the half that rounding explains."""
    return max(abs(16 * color - total) - 8, 0)


def settle(colors: Plane, exact: Plane, estimates: Plane, chroma: Plane) -> list[list[int]]:
    """Halved colors changed by one, row by row, as long as that explains more of the inner pixels' colors."""
    found = [list(row) for row in chroma]

    def misfit(row: int, column: int, change: int) -> int:
        changed = [list(line) for line in found]
        changed[row][column] += change
        inner = range(1, len(colors) - 1)
        off = sum(off_by(colors[y][x], parts(changed, y, x)) for y in inner for x in inner if exact[y][x])
        return 256 * off + 6 * (16 * changed[row][column] - estimates[row][column]) ** 2

    for _ in range(20):
        before = [list(row) for row in found]
        for row in range(len(found)):
            for column in range(len(found)):
                found[row][column] += min((0, -1, 1), key=lambda change: misfit(row, column, change))
        if found == before:
            break
    return found


def leaning(colors: Plane, exact: Plane, chroma: Plane) -> tuple[int, int, int]:
    """How many inner pixels that lay just between two colors speak for columns to be the file's, and for rows to be.

    The decoder rounds them up in the columns 0, 2, 4 and so on, and down in the others; those that it would have
    rounded otherwise count against it. And how many there are of both.
    """
    of_columns, of_rows, count = 0, 0, 0
    for y in range(1, len(colors) - 1):
        for x in range(1, len(colors) - 1):
            added = 16 * colors[y][x] - parts(chroma, y, x)
            if exact[y][x] and abs(added) == 8:
                of_columns += 1 if (added > 0) == (x % 2 == 0) else -1
                of_rows += 1 if (added > 0) == (y % 2 == 0) else -1
                count += 1
    return of_columns, of_rows, count


def seam_misfit(ones: Sequence[Plane], others: Sequence[Plane], seen: Sequence[Rows], cap: int) -> float | None:
    """How many parts the colors beside a seam are off by, on average; None if less than half of them are known.

    ``ones`` and ``others`` are the chroma colors of two faces, seen with their edges up; the others are turned and put
    above the ones. ``seen`` has the pixels' own colors just above and just below the seam, as far as they are known.
    """
    found = []
    for one, other, rows in zip(ones, others, seen, strict=True):
        above = [list(row[::-1]) for row in other[::-1]]
        joined, seam = above + [list(row) for row in one], 2 * len(above)
        for y, row in zip((seam - 1, seam), rows, strict=True):
            for x, color in list(enumerate(row))[1:-1]:
                if color is not None:
                    found.append(min(off_by(color, parts(joined, y, x)), cap))
    return sum(found) / len(found) if len(found) >= sum(len(rows[0]) for rows in seen) else None
