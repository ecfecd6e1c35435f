"""The confidence in a solution file; docs/formats.md describes it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rectoverso.confidence.confidence import Confidence
from rectoverso.errors import BadInputError
from rectoverso.puzzle.files import read_board
from rectoverso.puzzle.puzzle import Puzzle


def load_confidence(path: Path | str, puzzle: Puzzle) -> Confidence | None:
    """Read how sure a solution is, from its file or from the folder that a solve wrote; None if it does not say."""
    board, file = read_board(path, puzzle)
    said = board.confidence
    if said is None:
        return None
    rows, columns = board.rows, board.columns
    needed = (rows * (columns - 1), (rows - 1) * columns, rows * columns)
    if (len(said.right), len(said.down), len(said.pieces)) != needed:
        raise BadInputError(
            f"{file}: the confidence of a board of {rows}x{columns} needs {needed[0]} numbers for the seams to the "
            f"right, {needed[1]} for those down and {needed[2]} for the pieces; solve the puzzle again."
        )
    if not all(0 <= value <= 1 for value in (*said.right, *said.down, *said.pieces)):
        raise BadInputError(f"{file}: a confidence is a number from 0 to 1; solve the puzzle again.")
    return Confidence.of(said.right, said.down, np.reshape(said.pieces, (rows, columns)))
