"""Exchanges after all else: what lies in each other's places, far apart, is dealt out anew among its cells.

Patches and moves keep to the grid of compression and to lists of candidates, so a piece whose grid was misread never
comes home, and neither does the one that lies there, nor whatever lies in the place of that one. An exchange takes
doubtful cells from all over the frame that do not touch each other, the worst ones first, and finds the best of all
ways to deal out their pieces. It asks for no list, and to leave the grid costs as much as a doubtful seam.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity
from rectoverso.affinity.bearings import common_bearing
from rectoverso.evolve import _native as breeding_native
from rectoverso.evolve.breeding import make_anchored_parent, make_rules, make_tables
from rectoverso.evolve.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair import _native_exchange as native
from rectoverso.repair.regrowth import Regrown
from rectoverso.threads import over_slices

ROUNDS, ENOUGH = 8, 0.001
"""If so many exchanges together lower the cost by less than this share, they were the last ones."""

STREAM = 1 << 43
"""Apart from all other streams."""

SLICE = 16


class Exchanging:
    """Improves a chromosome, exchange after exchange, until that stops paying or the caller has enough."""

    def __init__(
        self,
        puzzle: Puzzle,
        affinity: Affinity,
        params: Params,
        *,
        seed: int = 0,
        threads: int = 1,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.puzzle, self.params, self.threads, self.clock = puzzle, params, threads, clock
        self.seed = seed
        self.rules = make_rules(puzzle, params)
        self.tables = make_tables(puzzle, affinity, self.rules, params)
        self.parent = make_anchored_parent(puzzle, self.rules)
        self.board = self.parent.board.reshape(-1, 1 << int(self.rules.row_shift))[1:-1, 1 : puzzle.columns + 1]
        """The cells of the frame."""

    def improve(self, chromosome: NDArray[np.uint32], cost: float) -> Iterator[Regrown]:
        """Exchange pieces of a chromosome of known cost; what comes depends on it and the seed alone."""
        started = self.clock()
        best, best_cost, number = chromosome, cost, 0
        self.board[:] = chromosome.reshape(self.board.shape)
        bearing = common_bearing(self.tables.bearings, self.board, self.puzzle.piece_size)
        while self.misfits().any():
            cost_before = best_cost
            for done in range(1, ROUNDS + 1):
                self.exchange(self.choose(number), bearing)
                number += 1
                current = self.board.ravel()
                if (found := float(breeding_native.cost(current, self.tables, self.rules))) < best_cost:
                    best, best_cost = current, found
                yield Regrown(done / ROUNDS, best_cost, best, self.clock() - started)
            if best_cost >= cost_before * (1 - ENOUGH):
                break

    def misfits(self) -> NDArray[np.int64]:
        """What the seams of each doubtful piece cost, cell by cell; 0 for all others."""
        totals = np.empty(self.puzzle.num_pieces, np.int64)
        native.weigh_misfits(self.parent, self.tables, self.rules, totals)
        return totals

    def choose(self, number: int) -> NDArray[np.uint32]:
        """The cells of an exchange: doubtful ones that do not touch each other, the worst first, more or less."""
        width, totals = int(self.parent.steps[2]), self.misfits()
        random = np.random.default_rng([self.seed, STREAM, number])
        order = np.argsort(-totals * (0.5 + random.random(len(totals))), kind="stable")
        rows, columns = np.divmod(order[: np.count_nonzero(totals)], self.puzzle.columns)
        chosen: list[int] = []
        beside: set[int] = set()
        for cell in ((rows + 1) * width + columns + 1).tolist():
            if len(chosen) == self.params.exchange_cells:
                break
            if cell not in beside:
                chosen.append(cell)
                beside.update((cell - width, cell + 1, cell + width, cell - 1))
        return np.array(chosen, np.uint32)

    def exchange(self, cells: NDArray[np.uint32], bearing: NDArray[np.uint64]) -> None:
        """Deal the pieces of these cells out anew, in the best way; ``bearing`` is that of the board."""
        hand = make_hand(cells, self.parent.board[cells] >> self.rules.piece_shift, bearing)

        def work(start: int, stop: int) -> None:
            native.weigh_hand(start, stop, self.parent, self.tables, self.rules, hand)

        over_slices(work, len(cells), self.threads, SLICE)
        native.assign(hand)
        native.deal(self.parent, hand)


def make_hand(cells: NDArray[np.uint32], pieces: NDArray[np.uint32], bearing: NDArray[np.uint64]) -> native.Hand:
    """The work arrays of one exchange."""
    count = len(cells)
    return native.Hand(
        cells=cells,
        pieces=pieces.astype(np.uint32),
        costs=np.empty((count, count), np.int64),
        ups=np.empty((count, count), np.uint32),
        bearing=bearing,
        row_price=np.empty(count, np.int64),
        column_price=np.empty(count + 1, np.int64),
        row_of=np.empty(count + 1, np.int64),
        before=np.empty(count, np.int64),
        distance=np.empty(count, np.int64),
        reached=np.empty(count + 1, np.uint8),
    )
