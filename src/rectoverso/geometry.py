"""Sides, rotations, faces and mirrors: the small algebra that every room uses.

A *side* is a border of one face, 0..3 clockwise from the top. An *edge* is (piece, face, side) as one integer,
``(piece * faces + face) * 4 + side``. A placed piece is written as its *up edge*: the edge it shows upwards, which
holds the piece, its face and its rotation in one number. All functions take integers or integer arrays.

>>> up = up_edge(piece=5, face=0, rotation=1, faces=1)  # piece 5, a quarter turn clockwise
>>> shown(up, RIGHT) % 4                                # its top now looks to the right
0
>>> split(up, faces=1)
(5, 0, 1)
"""

from __future__ import annotations

from typing import Any, TypeVar

from numpy.typing import NDArray

UP, RIGHT, DOWN, LEFT = range(4)
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""The (row, column) step of each direction."""

NOTHING = 0xFFFFFFFF
"""No edge at all: an empty cell, the world outside the frame, the end of a list."""

Edges = TypeVar("Edges", int, NDArray[Any])


def up_edge(piece: Edges, face: Edges, rotation: Edges, faces: int) -> Edges:
    """The edge that a piece shows upwards when it lies with ``face`` up, turned clockwise ``rotation`` times."""
    return (piece * faces + face) * 4 + (4 - rotation) % 4


def split(up: Edges, faces: int) -> tuple[Edges, Edges, Edges]:
    """The (piece, face, rotation) of an up edge."""
    return up // (4 * faces), up // 4 % faces, (4 - up % 4) % 4


def shown(up: Edges, direction: int) -> Edges:
    """The edge that a placed piece shows in a direction."""
    return up - up % 4 + (up + direction) % 4


def showing(edge: Edges, direction: int) -> Edges:
    """The up edge of the piece when it is turned so that ``edge`` looks in ``direction``."""
    return edge - edge % 4 + (edge + 4 - direction) % 4


def mirror(edge: Edges) -> Edges:
    """The same physical border seen from the other face (two-sided pieces only)."""
    return edge - edge % 8 + (4 - edge // 4 % 2 * 4) + (4 - edge % 4) % 4


def opposite(direction: int) -> int:
    """The direction that looks back."""
    return (direction + 2) % 4
