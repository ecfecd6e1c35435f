"""Lines that fit a terminal, and numbers in the few columns of one."""

from __future__ import annotations

import math
import shutil
import textwrap
from typing import TextIO

LEAST_WIDTH = 45
"""Lines fit a terminal of so many columns; on a narrower one they are wrapped by the terminal."""


def terminal_width() -> int:
    """How many columns a line may have: ``COLUMNS`` if that is set, those of the terminal, or 80."""
    return max(LEAST_WIDTH, shutil.get_terminal_size((80, 24)).columns)


def wrapped(text: str, width: int, *, label: str = "", indent: int = 0, whole_words: bool = False) -> str:
    """A text on lines of at most ``width``, which begin below each other after the label, or after the indent.

    With ``whole_words`` a word that is too long, such as a path, has a line of its own and is left whole.

    >>> print(wrapped("805 pieces of 28x28 pixels", 24, label="puzzle  "))
    puzzle  805 pieces of
            28x28 pixels
    """
    return textwrap.fill(
        text,
        width,
        initial_indent=label or " " * indent,
        subsequent_indent=" " * (len(label) or indent),
        break_long_words=not whole_words,
        break_on_hyphens=False,
    )


def for_terminal(text: str, stream: TextIO) -> str:
    """A text whose lines fit, if they are shown on a terminal; another program gets them as they are."""
    if not stream.isatty():
        return text
    return "\n".join(wrapped(line, terminal_width(), whole_words=True) for line in text.splitlines())


def shortened(text: str, width: int) -> str:
    """A text that is cut off if it is too long.

    >>> shortened("reading JPEG traces", 12)
    'reading JPE…'
    """
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def printable(text: str) -> str:
    r"""A name from a file without what would control the terminal.

    >>> printable("a\x1b[2Jb")
    'a?[2Jb'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def clock(seconds: float) -> str:
    """A time as a clock shows it.

    >>> clock(4.9), clock(83), clock(3725)
    ('0:04', '1:23', '1:02:05')
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def rounded_down(share: float) -> str:
    """A share in percent; only all is 100 %.

    >>> rounded_down(0.98765), rounded_down(0.99999), rounded_down(1.0)
    ('98.7%', '99.9%', '100%')
    """
    return f"{math.floor(1000 * share) / 10:.1f}%" if share < 1 else "100%"
