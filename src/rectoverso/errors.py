"""What can go wrong with what a person gave us, one class for each way out."""


class PuzzleError(Exception):
    """Something given to rectoverso cannot be used; the message says what, and what to do."""


class BadInputError(PuzzleError):
    """A file, picture or puzzle that cannot be understood."""


class TooLargeError(PuzzleError):
    """Something that would not fit this machine or a stated limit."""


class PuzzleWarning(UserWarning):
    """Legal but suspicious: the work goes on, a person should look."""
