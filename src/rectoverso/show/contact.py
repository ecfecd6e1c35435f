"""A contact sheet: the pieces of an input side by side, numbered, as a picture to look at before anything is solved."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from PIL import Image, ImageDraw

from rectoverso.images.files import Pixels
from rectoverso.puzzle.puzzle import Puzzle

MOST = 400
"""How many pieces are shown at most: of more, evenly spaced ones."""

SIDE, LABEL, GAP = 56, 12, 6
"""Pixels along the longer side of a piece, of the line with its number, and between pieces."""

PAPER, INK, MARK = (255, 255, 255), (60, 60, 60), (214, 90, 20)
"""The colors of the background, of numbers, and of numbers of pieces with a peculiarity."""


def contact_sheet(puzzle: Puzzle, marked: Collection[int] = ()) -> Pixels:
    """The pieces with their numbers, both faces side by side; marked ones have a number in color."""
    shown = np.unique(np.linspace(0, puzzle.num_pieces - 1, min(MOST, puzzle.num_pieces)).round().astype(int)).tolist()
    scale = SIDE / max(puzzle.piece_height, puzzle.piece_width)
    height, width = (max(1, round(side * scale)) for side in (puzzle.piece_height, puzzle.piece_width))
    cell = (puzzle.faces * (width + 2) + GAP, height + LABEL + GAP)
    columns = max(1, math.ceil(math.sqrt(len(shown) * cell[1] / cell[0])))
    rows = -(-len(shown) // columns)
    sheet = Image.new("RGB", (columns * cell[0] + GAP, rows * cell[1] + GAP), PAPER)
    draw = ImageDraw.Draw(sheet)
    for place, piece in enumerate(shown):
        left, top = GAP + place % columns * cell[0], GAP + place // columns * cell[1]
        for face in range(puzzle.faces):
            tile = Image.fromarray(puzzle.pixels[piece, face])
            enlarged = tile.resize((width, height), Image.Resampling.NEAREST if scale > 1 else Image.Resampling.BOX)
            sheet.paste(enlarged, (left + face * (width + 2), top))
        draw.text((left, top + height), str(piece), fill=MARK if piece in marked else INK)
    return np.asarray(sheet)
