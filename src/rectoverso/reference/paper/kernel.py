"""The kernel of sections "Type 2 Crossover" and "Type 4 Crossover": pieces that grow together, phase by phase."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from rectoverso.geometry import NOTHING, STEPS, mirror, opposite, showing, shown
from rectoverso.puzzle.types import PuzzleType
from rectoverso.reference.paper.dissimilarity import Dissimilarity
from rectoverso.reference.paper.random import Stream

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
    num_candidates: int = 32
    square: bool = True
    """Whether pieces may lie on their side."""

    @property
    def turns(self) -> Sequence[int]:
        """The quarter turns that a piece may have."""
        return range(0, 4, 1 if self.square else 2) if self.type.rotation_unknown else (0,)

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


def beyond(cell: Cell, direction: int) -> Cell:
    """The next cell in a direction."""
    down, right = STEPS[direction]
    return cell[0] + down, cell[1] + right


class Kernel:
    """The growing assembly. Cells are (row, column) from where it began; it slides in the frame until it fills it.

    An ``anchored`` one does not slide: its cells are those of the frame.
    """

    def __init__(
        self, rules: Rules, parents: Sequence[Mapping[int, int]], random: Stream, anchored: bool = False
    ) -> None:
        self.rules, self.parents, self.random = rules, parents, random
        self.anchored = anchored or rules.homes is not None
        self.board: dict[Cell, int] = {}
        self.free = list(range(rules.num_pieces))
        self.shared: list[tuple[Cell, int]] = []
        self.buddy: list[tuple[Cell, int]] = []
        self.phases: Counter[str] = Counter()

    def start(self, mother: Board) -> None:
        """Begin with a random piece, lying as it does in the mother."""
        piece = self.random.draw(self.rules.num_pieces)
        lying = next(up for row in mother for up in row if self.rules.piece(up) == piece)
        self.place(self.home(piece) or (0, 0), lying)

    def home(self, piece: int) -> Cell | None:
        """The cell of a piece, where that is known."""
        return None if self.rules.homes is None else divmod(self.rules.homes[piece], self.rules.columns)

    def fits_frame(self, cell: Cell) -> bool:
        """Whether the kernel with this cell would still fit the frame: lying or, if pieces may do so, standing."""
        rules = self.rules
        if self.anchored:
            return 0 <= cell[0] < rules.rows and 0 <= cell[1] < rules.columns
        rows, columns = zip(*self.board, cell, strict=True)
        height, width = max(rows) - min(rows) + 1, max(columns) - min(columns) + 1
        lying = height <= rules.rows and width <= rules.columns
        return lying or (len(rules.turns) == 4 and height <= rules.columns and width <= rules.rows)

    def is_open(self, cell: Cell) -> bool:
        """Whether a piece may be put into a cell."""
        return cell not in self.board and self.fits_frame(cell)

    def is_possible(self, cell: Cell, up: int) -> bool:
        """Whether this very piece may be put there."""
        piece = self.rules.piece(up)
        free = piece in self.free and self.is_open(cell) and self.home(piece) in (None, cell)
        return free and self.admits(cell, up)

    def admits(self, cell: Cell, up: int) -> bool:
        """Whether nothing beyond the paper speaks against a placement; extensions know more."""
        return True

    def place(self, cell: Cell, up: int) -> None:
        """Fill a cell and note what may follow."""
        self.board[cell] = up
        at = self.free.index(self.rules.piece(up))
        self.free[at] = self.free[-1]
        self.free.pop()
        for direction in range(4):
            self.open_side(cell, up, direction)

    def open_side(self, cell: Cell, up: int, direction: int) -> None:
        """Note the edges of the parents that may be copied beyond one side of a placed piece."""
        rules, target = self.rules, beyond(cell, direction)
        if not self.is_open(target):
            return
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

    def offer(self, entry: int, cell: Cell, direction: int) -> int:
        """The edge that a candidate stands for, if its piece may go there, in a direction from what it touches."""
        if entry >= GROUP:
            return self.next_member(entry - GROUP)
        piece, up = self.rules.piece(entry), showing(entry, opposite(direction))
        possible = piece in self.free and self.home(piece) in (None, cell) and self.admits(cell, up)
        return entry if possible else NOTHING

    def next_member(self, group: int) -> int:
        """The next unused edge of a group of look-alikes."""
        members = self.rules.groups[group]
        first = self.random.hashed(group) % len(members)
        ring = [*members[first:], *members[:first]]
        return next((edge for edge in ring if self.rules.piece(edge) in self.free), NOTHING)

    def find_least(self) -> tuple[Cell, int, str]:
        """Phase 3: the least dissimilarity over the whole boundary, equal ones at random.

        Edges whose candidates are used up come last: their cell gets the best fit to all its neighbors.
        """
        choices: list[tuple[int, int, Cell, int, Cell, int]] = []
        for cell, up in self.board.items():
            for direction in range(4):
                target = beyond(cell, direction)
                if not self.is_open(target):
                    continue
                edge = shown(up, direction)
                tie = self.tie(edge)
                offers = ((self.offer(entry, target, direction), d) for entry, d in self.rules.candidates[edge])
                other, weight = next(((other, d) for other, d in offers if other != NOTHING), (NOTHING, float("inf")))
                placed = other if other == NOTHING else showing(other, opposite(direction))
                choices.append((bits(weight), tie, cell, direction, target, placed))
        *_, target, placed = min(choices)
        if placed == NOTHING:
            return target, self.best_fit(target), "fitted"
        return target, placed, "least"

    def tie(self, edge: int) -> int:
        """What decides between open edges of equal weight."""
        return self.random.hashed(edge) >> 32 if self.rules.random_ties else edge

    def best_fit(self, cell: Cell) -> int:
        """The free piece, of a sample, that fits all placed neighbors of a cell best, if possible an admitted one."""
        first = self.random.draw(len(self.free))
        sample = (self.free[first:] + self.free[:first])[: self.rules.sample]
        if self.rules.homes is not None:
            sample = [piece for piece in self.free if self.home(piece) == cell]
        kind = self.rules.type
        ups = [
            (piece * kind.faces + face) * 4 + side
            for piece in sample
            for face in range(kind.faces)
            for side in self.rules.turns
        ]
        return min(ups, key=lambda up: (not self.admits(cell, up), self.fit(cell, up)))

    def fit(self, cell: Cell, up: int) -> float:
        """The sum of the dissimilarities with all placed neighbors."""
        total = 0.0
        for direction in range(4):
            there = self.board.get(beyond(cell, direction))
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
        return (piece * kind.faces + face) * 4 + self.rules.turns[self.random.draw(len(self.rules.turns))]

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


def bits(weight: float) -> int:
    """A non-negative float as the integer that sorts like it in single precision."""
    return int(struct.unpack("I", struct.pack("f", weight))[0])
