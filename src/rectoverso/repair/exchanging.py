"""Exchanges after all else: what lies in each other's places, far apart, is assigned anew among its cells.

Patches and moves keep to the alignment and to lists of candidates, so a piece whose alignment was misread never comes
home, and neither does the one that lies there, nor whatever lies in the place of that one. An exchange takes doubtful
cells from all over the frame that do not touch each other, the worst ones first, and solves the assignment problem of
their pieces. It needs no list, and a piece that is not aligned costs as much more as a doubtful seam.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.evolve.workspace import Workspace
from rectoverso.repair import _native_exchange as native
from rectoverso.repair.stage import Improved
from rectoverso.repair.streams import EXCHANGES

ROUNDS, ENOUGH = 8, 0.001
"""If so many exchanges together lower the cost by less than this share, they were the last ones."""

SLICE = 16


class Exchanging:
    """Exchanges the pieces of at most so many cells at a time."""

    step = "exchanging doubtful pieces"

    def __init__(self, space: Workspace, cells: int) -> None:
        self.space, self.cells = space, cells
        self.parent = space.make_anchored_parent()
        self.board = self.parent.board.reshape(-1, 1 << int(space.rules.row_shift))[1:-1, 1 : space.puzzle.columns + 1]
        """The cells of the frame."""

    def improve(self, chromosome: NDArray[np.uint32], cost: float) -> Iterator[Improved]:
        """Exchange pieces of a chromosome of known cost."""
        best, best_cost, number = chromosome, cost, 0
        self.board[:] = self.space.board(chromosome)
        alignment = self.space.alignment_of(chromosome)
        while self.misfits().any():
            cost_before = best_cost
            for done in range(1, ROUNDS + 1):
                self.exchange(self.choose(number), alignment)
                number += 1
                current = self.board.ravel()
                if (found := self.space.cost(current)) < best_cost:
                    best, best_cost = current, found
                yield Improved(done / ROUNDS, best_cost, best)
            if best_cost >= cost_before * (1 - ENOUGH):
                break

    def misfits(self) -> NDArray[np.int64]:
        """What the seams of each doubtful piece cost, cell by cell; 0 for all others."""
        totals = np.empty(self.space.puzzle.num_pieces, np.int64)
        native.weigh_misfits(self.parent, self.space.tables, self.space.rules, totals)
        return totals

    def choose(self, number: int) -> NDArray[np.uint32]:
        """The cells of an exchange: doubtful ones that do not touch each other, the worst first, more or less."""
        width, totals = int(self.parent.steps[2]), self.misfits()
        random = np.random.default_rng([self.space.seed, EXCHANGES, number])
        order = np.argsort(-totals * (0.5 + random.random(len(totals))), kind="stable")
        rows, columns = np.divmod(order[: np.count_nonzero(totals)], self.space.puzzle.columns)
        chosen: list[int] = []
        beside: set[int] = set()
        for cell in ((rows + 1) * width + columns + 1).tolist():
            if len(chosen) == self.cells:
                break
            if cell not in beside:
                chosen.append(cell)
                beside.update((cell - width, cell + 1, cell + width, cell - 1))
        return np.array(chosen, np.uint32)

    def exchange(self, cells: NDArray[np.uint32], alignment: NDArray[np.uint64]) -> None:
        """Assign the pieces of these cells anew, in the best way; ``alignment`` is that of the board."""
        rules = self.space.rules
        hand = make_hand(cells, self.parent.board[cells] >> rules.piece_shift, alignment)

        def work(start: int, stop: int) -> None:
            native.weigh_hand(start, stop, self.parent, self.space.tables, rules, hand)

        over_slices(work, len(cells), self.space.threads, SLICE)
        native.assign(hand)
        native.deal(self.parent, hand)


def make_hand(cells: NDArray[np.uint32], pieces: NDArray[np.uint32], alignment: NDArray[np.uint64]) -> native.Hand:
    """The work arrays of one exchange."""
    count = len(cells)
    return native.Hand(
        cells=cells,
        pieces=pieces.astype(np.uint32),
        costs=np.empty((count, count), np.int64),
        ups=np.empty((count, count), np.uint32),
        alignment=alignment,
        row_price=np.empty(count, np.int64),
        column_price=np.empty(count + 1, np.int64),
        row_of=np.empty(count + 1, np.int64),
        before=np.empty(count, np.int64),
        distance=np.empty(count, np.int64),
        reached=np.empty(count + 1, np.uint8),
    )
