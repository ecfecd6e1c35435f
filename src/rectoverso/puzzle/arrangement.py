"""An arrangement: which piece lies in which cell, how it is turned and which face it shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso import geometry


@dataclass(frozen=True, eq=False)
class Arrangement:
    """A full solution: the piece, rotation and face in each cell of a frame.

    ``piece`` holds -1 where a cell is empty; ``rotation`` counts quarter turns clockwise of the piece as given;
    ``face`` is 1 where the back of the piece as given is seen.

    >>> a = Arrangement.of([[0, 1]], rotation=[[0, 1]])
    >>> a.turned().piece.tolist(), a.turned().rotation.tolist()
    ([[0], [1]], [[1], [2]])
    >>> a.flipped().piece.tolist(), a.flipped().rotation.tolist(), a.flipped().face.tolist()
    ([[1, 0]], [[3, 0]], [[1, 1]])
    """

    piece: NDArray[np.int32]
    rotation: NDArray[np.uint8]
    face: NDArray[np.uint8]

    def __post_init__(self) -> None:
        if self.piece.ndim != 2 or not self.piece.shape == self.rotation.shape == self.face.shape:
            raise ValueError("piece, rotation and face must be tables of the same rows and columns")
        placed = self.piece[self.piece >= 0]
        if len(np.unique(placed)) != len(placed):
            raise ValueError("an arrangement places each piece at most once")
        for array in (self.piece, self.rotation, self.face):
            array.flags.writeable = False

    @classmethod
    def of(cls, piece: object, rotation: object = None, face: object = None) -> Arrangement:
        """An arrangement from anything array-like; rotations and faces are 0 unless given."""
        pieces = np.array(piece, dtype=np.int32)
        return cls(
            pieces,
            np.zeros(pieces.shape, np.uint8) if rotation is None else np.array(rotation, dtype=np.uint8) % 4,
            np.zeros(pieces.shape, np.uint8) if face is None else np.array(face, dtype=np.uint8),
        )

    @classmethod
    def from_up_edges(cls, up: NDArray[np.uint32], rows: int, columns: int, faces: int) -> Arrangement:
        """An arrangement from the up edges of its cells, row by row."""
        table = up.astype(np.int64).reshape(rows, columns)
        piece, face, rotation = geometry.split(table, faces)
        return cls.of(np.where(table == geometry.NOTHING, -1, piece), rotation, face)

    def up_edges(self, faces: int) -> NDArray[np.uint32]:
        """The up edge in each cell, as a table; ``geometry.NOTHING`` where a cell is empty."""
        up = geometry.up_edge(
            self.piece.astype(np.int64), self.face.astype(np.int64), self.rotation.astype(np.int64), faces
        )
        return np.where(self.piece < 0, geometry.NOTHING, up).astype(np.uint32)

    @property
    def rows(self) -> int:
        """The number of rows of the frame."""
        return int(self.piece.shape[0])

    @property
    def columns(self) -> int:
        """The number of columns of the frame."""
        return int(self.piece.shape[1])

    def turned(self, quarters: int = 1) -> Arrangement:
        """The whole turned clockwise by quarter turns."""
        quarters %= 4
        return Arrangement.of(
            np.rot90(self.piece, -quarters),
            np.rot90(self.rotation, -quarters) + quarters,
            np.rot90(self.face, -quarters),
        )

    def flipped(self) -> Arrangement:
        """The whole seen from behind: turned over about its vertical axis."""
        return Arrangement.of(self.piece[:, ::-1], (4 - self.rotation[:, ::-1]) % 4, 1 - self.face[:, ::-1])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Arrangement):
            return NotImplemented
        return (
            np.array_equal(self.piece, other.piece)
            and np.array_equal(self.rotation, other.rotation)
            and np.array_equal(self.face, other.face)
        )

    __hash__ = None  # type: ignore[assignment]


def seams_of(up: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The two edges of all seams of a board of up edges without holes: those to the right, and then those down.

    >>> [edges.tolist() for edges in seams_of(np.array([[0, 4]]))]
    [[1], [7]]
    """
    parts = ((geometry.RIGHT, up[:, :-1], up[:, 1:]), (geometry.DOWN, up[:-1], up[1:]))
    one = [geometry.shown(here, direction).ravel() for direction, here, _ in parts]
    other = [geometry.shown(there, geometry.opposite(direction)).ravel() for direction, _, there in parts]
    return np.concatenate(one), np.concatenate(other)
