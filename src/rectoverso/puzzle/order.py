"""The answer as a table: where each piece belongs, for people with a spreadsheet or a table full of pieces."""

from __future__ import annotations

import csv
from io import StringIO

import numpy as np

from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle

COLUMNS = ("piece", "file", "board", "row", "column", "rotation", "face")
"""Pieces, boards, rows and columns count from 0; rotation is in quarter turns clockwise, and face 1 is the back."""


def encode_order(arrangement: Arrangement, puzzle: Puzzle) -> bytes:
    """A CSV file with a line for each piece, in the order of their numbers; one that lies nowhere has no place."""
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    places: dict[int, tuple[int, ...]] = {}
    for row, column in np.argwhere(arrangement.piece >= 0).tolist():
        turned = (int(arrangement.rotation[row, column]), int(arrangement.face[row, column]))
        places[int(arrangement.piece[row, column])] = (0, row, column, *turned)
    for piece in range(puzzle.num_pieces):
        name = puzzle.names[piece] if puzzle.names else ""
        table.writerow((piece, name, *places.get(piece, ("",) * 5)))
    return text.getvalue().encode()
