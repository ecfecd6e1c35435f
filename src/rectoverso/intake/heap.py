"""A heap: the pieces of an input, before anything is known of how they belong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rectoverso.images.files import Pixels


@dataclass(frozen=True, eq=False)
class Examples:
    """Seams whose truth is known, because they run through the inside of tiles, with the same wear as real ones.

    ``one`` and ``other`` are seams x rows x pixels x RGB, the outermost row first, each read clockwise around its piece
    like the edges of a puzzle. There is one pair for each length of edge.
    """

    pairs: tuple[tuple[Pixels, Pixels], ...]


@dataclass(frozen=True, eq=False)
class Heap:
    """The pieces that were found in an input.

    Attributes
    ----------
    pixels
        uint8, pieces x faces x height x width x 3. The back (face 1) is what one sees after turning the piece over
        about its vertical axis.
    names
        What each piece is called: the name of its file, or where it lay in a picture.
    name
        What the whole is called: the name of the input without its suffix.
    grid
        The rows and columns in which the pieces lay in a shuffled picture, row by row; None for other inputs.
    compared
        What pieces are compared by where that is not what they show, in the shape of ``pixels``; None where it is.
    examples
        Seams whose truth is known and which are worn as the edges of the pieces are; None where nothing is worn.
    notes
        What was understood and how sure that is, one sentence each.
    """

    pixels: Pixels
    names: tuple[str, ...]
    name: str
    grid: tuple[int, int] | None = None
    compared: Pixels | None = None
    examples: Examples | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.pixels.dtype != np.uint8 or self.pixels.ndim != 5 or len(self.names) != len(self.pixels):
            raise ValueError("pixels must be pieces x faces x height x width x 3, with a name for each piece")
        if self.compared is not None and self.compared.shape != self.pixels.shape:
            raise ValueError("what is compared has the shape of the pixels")
