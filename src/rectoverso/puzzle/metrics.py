"""How right an arrangement is: direct, neighbor and perfect, strict and twin-aware."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso import geometry
from rectoverso.errors import BadInputError
from rectoverso.geometry import DOWN, RIGHT
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle

WIDE = 1 << 32
"""Wider than any board."""


@dataclass(frozen=True)
class Score:
    """The share of an arrangement that is right, each from 0 to 1.

    ``direct`` counts cells that hold the right piece in the right orientation, for the best turn and flip of the
    whole where those are unknowable; ``neighbor`` counts true seams that were found. The ``_twins`` scores take pieces
    with identical pixels for each other: a cell is right if its pixels are, seams count by what they look like.
    """

    direct: float
    neighbor: float
    perfect: bool
    direct_twins: float
    neighbor_twins: float

    def as_dict(self) -> dict[str, float | bool]:
        """The scores by name."""
        return asdict(self)

    def __str__(self) -> str:
        twins = f"twin-aware {self.direct_twins:.2%} and {self.neighbor_twins:.2%}"
        return f"direct {self.direct:.2%}, neighbor {self.neighbor:.2%}{', perfect' if self.perfect else ''} ({twins})"


def score(
    arrangement: Arrangement, truth: Arrangement, puzzle: Puzzle, *, looks: NDArray[np.int64] | None = None
) -> Score:
    """Compare an arrangement with the truth; ``looks`` are the puzzle's :func:`look_alikes`, for who compares many.

    >>> puzzle = Puzzle.from_image(np.arange(48, dtype=np.uint8).reshape(4, 4, 3), size=2)
    >>> score(puzzle.truth.turned(), puzzle.truth, puzzle).perfect  # which way was up cannot be known
    True
    """
    highest = max(arrangement.piece.max(initial=-1), truth.piece.max(initial=-1))
    if highest >= puzzle.num_pieces or (arrangement.face.max(initial=0) >= puzzle.faces):
        raise BadInputError("The arrangement places pieces or faces that this puzzle does not have.")
    looks = look_alikes(puzzle) if looks is None else looks
    true_up = truth.up_edges(puzzle.faces)
    best = best_twins = 0
    for view in _views(arrangement, puzzle):
        up = view.up_edges(puzzle.faces)
        if up.shape == true_up.shape:
            filled = (up != geometry.NOTHING) & (true_up != geometry.NOTHING)
            best = max(best, int(np.count_nonzero((up == true_up) & filled)))
            best_twins = max(best_twins, int(np.count_nonzero(looks[up[filled]] == looks[true_up[filled]])))
    cells = int(np.count_nonzero(true_up != geometry.NOTHING))
    strict = np.arange(puzzle.num_edges, dtype=np.int64)
    return Score(
        direct=best / cells,
        neighbor=_shared_seams(arrangement, truth, puzzle.faces, strict),
        perfect=best == cells,
        direct_twins=best_twins / cells,
        neighbor_twins=_shared_seams(arrangement, truth, puzzle.faces, looks),
    )


def look_alikes(puzzle: Puzzle) -> NDArray[np.int64]:
    """For each edge a number for what the piece looks like, on all its faces, with that edge up: equal for twins."""
    numbers: dict[bytes, int] = {}
    looks = np.empty(puzzle.num_edges, np.int64)
    for side in range(4):
        # Side s comes up when the piece is turned clockwise by -s; its back then turns the other way.
        turned = [np.rot90(puzzle.pixels[:, 0], side, axes=(1, 2))]
        if puzzle.faces == 2:
            turned.append(np.rot90(puzzle.pixels[:, 1], -side, axes=(1, 2)))
        for piece in range(puzzle.num_pieces):
            # Pieces that are not square look different on their side, whatever their bytes are.
            shown = [str(picture.shape).encode() + picture[piece].tobytes() for picture in turned]
            edge = piece * puzzle.faces * 4 + side
            looks[edge] = numbers.setdefault(_fingerprint(shown), len(numbers))
            if puzzle.faces == 2:
                looks[geometry.mirror(edge)] = numbers.setdefault(_fingerprint(shown[::-1]), len(numbers))
    return looks


def _fingerprint(shown: list[bytes]) -> bytes:
    """What stands for some pixels: kept as they are, all turns of all pieces would take much memory."""
    return hashlib.blake2b(b"".join(shown), digest_size=16).digest()


def _views(arrangement: Arrangement, puzzle: Puzzle) -> Iterator[Arrangement]:
    """The arrangement turned and flipped in every way in which the whole cannot be told from the truth."""
    sides = (arrangement, arrangement.flipped()) if puzzle.type.two_sided else (arrangement,)
    for side in sides:
        for quarters in puzzle.turns:
            yield side.turned(quarters)


def _shared_seams(arrangement: Arrangement, truth: Arrangement, faces: int, looks: NDArray[np.int64]) -> float:
    """The share of the true seams that the arrangement has, seams being equal if their edges' numbers are."""
    wanted = Counter(_seams(truth, faces, looks).tolist())
    found = Counter(_seams(arrangement, faces, looks).tolist())
    return (wanted & found).total() / wanted.total() if wanted else 1.0


def right_seams(
    arrangement: Arrangement, truth: Arrangement, puzzle: Puzzle
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which seams of an arrangement are true ones, strictly: those to the right of a cell, and those below a cell."""
    strict = np.arange(puzzle.num_edges, dtype=np.int64)
    wanted = _seams(truth, puzzle.faces, strict)
    right, down = (np.isin(table, wanted) for table in _seam_tables(arrangement, puzzle.faces, strict))
    return right, down


def right_places(arrangement: Arrangement, truth: Arrangement, puzzle: Puzzle) -> NDArray[np.bool_]:
    """Which pieces belong to the largest part of an arrangement that lies right in itself, wherever it lies as a whole.

    >>> puzzle = Puzzle.from_image(np.arange(72, dtype=np.uint8).reshape(4, 6, 3), size=2)
    >>> row = np.arange(6).reshape(2, 3)
    >>> right_places(Arrangement.of(np.roll(row, 1, axis=1)), Arrangement.of(row), puzzle).tolist()
    [[False, True, True], [False, True, True]]
    """
    cell_of, up_of = np.full(puzzle.num_pieces, -1), np.full(puzzle.num_pieces, geometry.NOTHING)
    filled = truth.piece >= 0
    cell_of[truth.piece[filled]] = _numbered(filled)
    up_of[truth.piece[filled]] = truth.up_edges(puzzle.faces)[filled]
    right = np.zeros(puzzle.num_pieces, bool)
    for view in _views(arrangement, puzzle):
        placed = view.piece >= 0
        piece = view.piece[placed]
        same_way_up = view.up_edges(puzzle.faces)[placed] == up_of[piece]
        shift = cell_of[piece] - _numbered(placed)
        shifts, counts = np.unique(shift[same_way_up], return_counts=True)
        if counts.max(initial=0) > np.count_nonzero(right):
            right[:] = False
            right[piece[same_way_up & (shift == shifts[counts.argmax()])]] = True
    return right[arrangement.piece] & (arrangement.piece >= 0)


def _numbered(filled: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Cells as numbers whose differences tell steps down and to the right."""
    row, column = np.nonzero(filled)
    return row * WIDE + column


def _seams(arrangement: Arrangement, faces: int, looks: NDArray[np.int64]) -> NDArray[np.int64]:
    """One number for each seam: the same from whichever piece, turn or face of the whole it is seen."""
    tables = _seam_tables(arrangement, faces, looks)
    return np.concatenate([table[table >= 0] for table in tables])


def _seam_tables(arrangement: Arrangement, faces: int, looks: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The numbers of the seams to the right of each cell and of those below; -1 beside an empty cell."""
    up = arrangement.up_edges(faces).astype(np.int64)
    tables = []
    for direction, here, there in ((RIGHT, up[:, :-1], up[:, 1:]), (DOWN, up[:-1], up[1:])):
        filled = (here != geometry.NOTHING) & (there != geometry.NOTHING)
        one = geometry.shown(here[filled], direction)
        other = geometry.shown(there[filled], geometry.opposite(direction))
        names = [_pair_number(looks[one], looks[other])]
        if faces == 2:
            names.append(_pair_number(looks[geometry.mirror(one)], looks[geometry.mirror(other)]))
        table = np.full(here.shape, -1, np.int64)
        table[filled] = np.minimum.reduce(names)
        tables.append(table)
    return tables


def _pair_number(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.minimum(one, other) << 32 | np.maximum(one, other)
