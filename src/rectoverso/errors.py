"""What can go wrong with what a person gave us, one class for each way out."""

MAX_LINE = 400
"""How many characters of a message are shown: what it quotes may be as long as a file."""


def one_line(text: str, most: int = MAX_LINE) -> str:
    r"""A text as one line that does nothing to a terminal and is not endless: its middle is left out.

    >>> one_line("a\x1b[31m red\n name"), one_line("from here" * 1000 + " to the end", 21)
    ('a�[31m red name', 'from here ... the end')
    """
    if len(text) > 2 * most:
        text = f"{text[:most]} {text[-most:]}"
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in " ".join(text.split()))
    tail = most // 3
    return line if len(line) <= most else f"{line[: most - tail - 5]} ... {line[-tail:]}"


class PuzzleError(Exception):
    """Something given to rectoverso cannot be used; the message says what, and what to do."""


class BadInputError(PuzzleError):
    """A file, picture or puzzle that cannot be understood."""


class TooLargeError(PuzzleError):
    """Something that would not fit this machine or a stated limit."""


class PuzzleWarning(UserWarning):
    """Legal but suspicious: the work goes on, a person should look."""
