"""Sections "Type 2 Crossover" and "Type 4 Crossover": a kernel of pieces grown from one piece.

Fed with the same random numbers it makes the same child as the native crossover, cell by cell.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

from rectoverso.geometry import NOTHING, STEPS, mirror, opposite, showing, shown
from rectoverso.puzzle.types import PuzzleType
from rectoverso.reference.dissimilarity import Dissimilarity
from rectoverso.reference.random import Stream

Cell = tuple[int, int]
Board = Sequence[Sequence[int]]
"""The up edges of an arrangement, by row and column."""

GROUP = 0x80000000


@dataclass
class Rules:
    """What is given: the puzzle, what is known of its edges, and the operator's parameters."""

    type: PuzzleType
    rows: int
    columns: int
    homes: Sequence[int] | None
    candidates: Sequence[Sequence[tuple[int, float]]]
    buddies: Sequence[int]
    groups: Sequence[Sequence[int]]
    dissimilarity: Dissimilarity
    mutation: float = 0.0
    random_ties: bool = True
    sample: int = 64

    @property
    def num_pieces(self) -> int:
        """The number of pieces."""
        return self.rows * self.columns

    def piece(self, edge: int) -> int:
        """The piece that an edge belongs to."""
        return edge // (4 * self.type.faces)


def neighbors(parent: Board, faces: int, cut: Set[int] = frozenset()) -> dict[int, int]:
    """Which edge touches which in a parent, apart from those that are cut; for two-sided pieces on both faces."""
    touching: dict[int, int] = {}
    for r, row in enumerate(parent):
        for c, up in enumerate(row):
            for direction, (down, right) in enumerate(STEPS):
                if 0 <= r + down < len(parent) and 0 <= c + right < len(row):
                    one = shown(up, direction)
                    other = shown(parent[r + down][c + right], opposite(direction))
                    if one not in cut:
                        touching[one] = other
                        if faces == 2:
                            touching[mirror(one)] = mirror(other)
    return touching


class Kernel:
    """The growing assembly. Cells are (row, column) from where it began; it slides in the frame until it fills it."""

    def __init__(self, rules: Rules, mother: Board, father: Board, key: int, cut: Set[int] = frozenset()) -> None:
        self.rules = rules
        self.random = Stream(key)
        self.parents = [neighbors(parent, rules.type.faces, cut) for parent in (mother, father)]
        self.board: dict[Cell, int] = {}
        self.free = list(range(rules.num_pieces))
        self.shared: list[tuple[Cell, int]] = []
        self.buddy: list[tuple[Cell, int]] = []
        self.phases: Counter[str] = Counter()
        piece = self.random.draw(rules.num_pieces)
        lying = next(up for row in mother for up in row if rules.piece(up) == piece)
        self.place(self.home(piece) or (0, 0), lying)

    def home(self, piece: int) -> Cell | None:
        """The cell of a piece, where that is known."""
        return None if self.rules.homes is None else divmod(self.rules.homes[piece], self.rules.columns)

    def fits_frame(self, cell: Cell) -> bool:
        """Whether the kernel with this cell would still fit the frame: lying or, with unknown rotations, standing."""
        rules = self.rules
        if rules.homes is not None:
            return 0 <= cell[0] < rules.rows and 0 <= cell[1] < rules.columns
        rows, columns = zip(*self.board, cell, strict=True)
        height, width = max(rows) - min(rows) + 1, max(columns) - min(columns) + 1
        lying = height <= rules.rows and width <= rules.columns
        return lying or (rules.type.rotation_unknown and height <= rules.columns and width <= rules.rows)

    def is_open(self, cell: Cell) -> bool:
        """Whether a piece may be put into a cell."""
        return cell not in self.board and self.fits_frame(cell)

    def is_possible(self, cell: Cell, up: int) -> bool:
        """Whether this very piece may be put there."""
        piece = self.rules.piece(up)
        return piece in self.free and self.is_open(cell) and self.home(piece) in (None, cell)

    def place(self, cell: Cell, up: int) -> None:
        """Fill a cell and note the edges of the parents that may be copied next."""
        rules = self.rules
        self.board[cell] = up
        at = self.free.index(rules.piece(up))
        self.free[at] = self.free[-1]
        self.free.pop()
        for direction, (down, right) in enumerate(STEPS):
            target = (cell[0] + down, cell[1] + right)
            if not self.is_open(target):
                continue
            edge = shown(up, direction)
            a, b = (parent.get(edge, NOTHING) for parent in self.parents)
            buddy = rules.buddies[edge]
            if a == b:
                if a != NOTHING and rules.piece(a) in self.free:
                    self.shared.append((target, showing(a, opposite(direction))))
            elif buddy != NOTHING and buddy in (a, b) and rules.piece(buddy) in self.free:
                self.buddy.append((target, showing(buddy, opposite(direction))))

    def take(self, bag: list[tuple[Cell, int]]) -> tuple[Cell, int] | None:
        """Take placements out of a bag at random until one is possible still."""
        while bag:
            at = self.random.draw(len(bag))
            bag[at], bag[-1] = bag[-1], bag[at]
            cell, up = bag.pop()
            if self.is_possible(cell, up):
                return cell, up
        return None

    def offer(self, entry: int, cell: Cell) -> int:
        """The edge that a candidate stands for, if its piece may go there: of a group the next unused member."""
        if entry < GROUP:
            piece = self.rules.piece(entry)
            return entry if piece in self.free and self.home(piece) in (None, cell) else NOTHING
        members = self.rules.groups[entry - GROUP]
        first = self.random.hashed(entry - GROUP) % len(members)
        ring = [*members[first:], *members[:first]]
        return next((edge for edge in ring if self.rules.piece(edge) in self.free), NOTHING)

    def find_least(self) -> tuple[Cell, int, str]:
        """Phase 3: the least dissimilarity over the whole boundary, equal ones at random.

        Edges whose candidates are used up come last: their cell gets the best fit to all its neighbors.
        """
        choices: list[tuple[int, int, Cell, int, Cell, int]] = []
        for cell, up in self.board.items():
            for direction, (down, right) in enumerate(STEPS):
                target = (cell[0] + down, cell[1] + right)
                if not self.is_open(target):
                    continue
                edge = shown(up, direction)
                tie = self.random.hashed(edge) >> 32 if self.rules.random_ties else edge
                offers = ((self.offer(entry, target), d) for entry, d in self.rules.candidates[edge])
                other, weight = next(((other, d) for other, d in offers if other != NOTHING), (NOTHING, float("inf")))
                placed = other if other == NOTHING else showing(other, opposite(direction))
                choices.append((_bits(weight), tie, cell, direction, target, placed))
        *_, target, placed = min(choices)
        if placed == NOTHING:
            return target, self.best_fit(target), "fitted"
        return target, placed, "least"

    def best_fit(self, cell: Cell) -> int:
        """The free piece, of a sample, that fits best to all placed neighbors of a cell."""
        first = self.random.draw(len(self.free))
        sample = (self.free[first:] + self.free[:first])[: self.rules.sample]
        kind = self.rules.type
        ups = [
            (piece * kind.faces + face) * 4 + side
            for piece in sample
            for face in range(kind.faces)
            for side in range(kind.rotations)
        ]
        return min(ups, key=lambda up: self.fit(cell, up))

    def fit(self, cell: Cell, up: int) -> float:
        """The sum of the dissimilarities with all placed neighbors."""
        total = 0.0
        for direction, (down, right) in enumerate(STEPS):
            there = self.board.get((cell[0] + down, cell[1] + right))
            if there is not None:
                total += self.rules.dissimilarity(shown(up, direction), shown(there, opposite(direction)))
        return total

    def any_piece(self, cell: Cell) -> int:
        """A mutation: a random free piece (the cell's own where that is known) in a random orientation."""
        piece = self.free[self.random.draw(len(self.free))]
        if self.rules.homes is not None:
            piece = next(piece for piece in self.free if self.home(piece) == cell)
        kind = self.rules.type
        face = self.random.draw(kind.faces)
        return (piece * kind.faces + face) * 4 + self.random.draw(kind.rotations)

    def grow(self) -> None:
        """Place a piece: an edge of both parents, else a best-buddy edge of either, else the least of all."""
        found = self.take(self.shared)
        phase = "shared"
        if found is None:
            found = self.take(self.buddy)
            phase = "buddy"
        if found is None:
            cell, up, phase = self.find_least()
        else:
            cell, up = found
        chance = round(self.rules.mutation * NOTHING)
        if chance and phase in ("shared", "least") and self.random.draw(NOTHING) < chance:
            up, phase = self.any_piece(cell), "mutated"
        self.phases[phase] += 1
        self.place(cell, up)


def cross(
    rules: Rules, mother: Board, father: Board, key: int, cut: Set[int] = frozenset()
) -> tuple[list[list[int]], dict[str, int]]:
    """One child of two parents, and how many of its pieces each phase placed; ``cut`` edges are not inherited."""
    kernel = Kernel(rules, mother, father, key, cut)
    while kernel.free:
        kernel.grow()
    top, left = (min(cell[axis] for cell in kernel.board) for axis in (0, 1))
    bottom = max(cell[0] for cell in kernel.board)
    if bottom - top + 1 == rules.rows:
        child = [[kernel.board[top + r, left + c] for c in range(rules.columns)] for r in range(rules.rows)]
    else:  # it stands where the frame lies: turn it clockwise
        child = [
            [shown(kernel.board[bottom - c, left + r], 3) for c in range(rules.columns)] for r in range(rules.rows)
        ]
    return child, dict(kernel.phases)


def scatter(kind: PuzzleType, rows: int, columns: int, homes: Sequence[int] | None, key: int) -> list[int]:
    """A random chromosome: every piece in a random cell (or its own) in a random orientation."""
    random = Stream(key)
    chromosome = [NOTHING] * (rows * columns)
    for piece in range(rows * columns):
        face = random.draw(kind.faces)
        up = (piece * kind.faces + face) * 4 + random.draw(kind.rotations)
        if homes is not None:
            chromosome[homes[piece]] = up
        else:
            at = random.draw(piece + 1)
            chromosome[piece], chromosome[at] = chromosome[at], up
    return chromosome


def _bits(weight: float) -> int:
    """A non-negative float as the integer that sorts like it in single precision."""
    return int(struct.unpack("I", struct.pack("f", weight))[0])
