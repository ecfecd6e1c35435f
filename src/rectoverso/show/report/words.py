"""Numbers and places in words for people."""

from __future__ import annotations

import math


def count(number: int, one: str, many: str = "") -> str:
    """So many of something.

    >>> count(1, "piece"), count(22755, "piece")
    ('1 piece', '22,755 pieces')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def share(value: float) -> str:
    """A share in percent, which is 100 only for the whole and 0 only for nothing.

    >>> share(0.98765), share(0.99999), share(1.0), share(0.00001)
    ('98.77%', '99.99%', '100%', '0.01%')
    """
    if value in (0, 1):
        return f"{value:.0%}"
    return f"{min(max(value, 0.0001), 0.9999):.2%}"


def duration(seconds: float) -> str:
    """A time in the units that fit its length.

    >>> duration(0.1234), duration(59.96), duration(83.4), duration(3725)
    ('0.12 s', '1 min 0 s', '1 min 23 s', '1 h 2 min')
    """
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"


def time_unit(seconds: float) -> tuple[float, str]:
    """The unit for an axis that ends there: how many seconds it has, and its name.

    >>> time_unit(90), time_unit(900), time_unit(1e5)
    ((1.0, 's'), (60.0, 'min'), (3600.0, 'h'))
    """
    return next((unit for unit in ((1.0, "s"), (60.0, "min")) if seconds < 180 * unit[0]), (3600.0, "h"))


def tick_text(value: float, step: float) -> str:
    """A number on an axis, with as many digits as the step between two of them needs.

    >>> tick_text(1250, 250), tick_text(0.3, 0.1), tick_text(2.5, 2.5)
    ('1,250', '0.3', '2.5')
    """
    digits = max(0, -math.floor(math.log10(step)))
    if round(step, digits) != step:
        digits += 1
    return f"{value:,.{digits}f}"


def cells(one: tuple[int, int], other: tuple[int, int]) -> str:
    """The places of two cells side by side or one above the other, counted from 1 as people do.

    >>> cells((0, 4), (0, 5)), cells((0, 4), (1, 4))
    ('row 1, columns 5 and 6', 'rows 1 and 2, column 5')
    """
    (row, column), (other_row, other_column) = one, other
    if row == other_row:
        return f"row {row + 1}, columns {column + 1} and {other_column + 1}"
    return f"rows {row + 1} and {other_row + 1}, column {column + 1}"
