"""The picture that an arrangement shows."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels
from rectoverso.images.tiles import lay_apart, lay_tiles, make_atlas
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle

EMPTY_COLOR = (128, 128, 128)


Gaps = Literal["closed", "open", "fill"]
"""How the pixels are shown that pieces lost at their sides: not at all, as empty, or interpolated."""


def render(puzzle: Puzzle, arrangement: Arrangement, *, back: bool = False, gaps: Gaps = "closed") -> Pixels:
    """The front of an arrangement, or its back as seen after turning the whole over about its vertical axis.

    Where pieces have lost their borders (``puzzle.gap``), they lie side by side unless ``gaps`` are shown.

    >>> from rectoverso import Puzzle, render
    >>> picture = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    >>> puzzle = Puzzle.from_image(picture, size=2)
    >>> np.array_equal(render(puzzle, puzzle.truth), picture)
    True
    """
    if back and puzzle.faces == 1:
        raise BadInputError(f"The pieces of {puzzle.name} have no back; a Type {int(puzzle.type)} puzzle is one-sided.")
    seen = arrangement.flipped() if back else arrangement
    if not puzzle.square and (seen.rotation % 2).any():
        # The whole lies on its side, with all its pieces.
        return np.ascontiguousarray(np.rot90(render(puzzle, seen.turned(-1), gaps=gaps), -1))
    tiles = np.empty((seen.piece.size, *puzzle.pixels.shape[2:]), np.uint8)
    tiles[:] = EMPTY_COLOR
    piece, rotation, face = seen.piece.ravel(), seen.rotation.ravel(), seen.face.ravel()
    for quarters in range(0, 4, 1 if puzzle.square else 2):
        cells = np.flatnonzero((piece >= 0) & (rotation == quarters))
        tiles[cells] = np.rot90(puzzle.pixels[piece[cells], face[cells]], -quarters, axes=(1, 2))
    if gaps == "closed" or not puzzle.gap:
        return lay_tiles(tiles, seen.rows, seen.columns)
    return lay_apart(tiles, seen.rows, seen.columns, 2 * puzzle.gap, EMPTY_COLOR if gaps == "open" else None)


def render_heap(puzzle: Puzzle, *, back: bool = False) -> Pixels:
    """The pieces as given, in the order of their numbers, laid out in the frame if that is known."""
    tiles = puzzle.pixels[:, int(back)]
    return lay_tiles(tiles, puzzle.rows, puzzle.columns) if puzzle.frame_known else make_atlas(tiles)
