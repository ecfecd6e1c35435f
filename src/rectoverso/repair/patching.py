"""Ruin and regrow by patches: what is certain stays where it is, and small doubtful parts are grown anew.

The frame is divided into strips with a frozen line between them, at another place in each round, and the strips are
worked on side by side: a step costs what its patch costs, however large the puzzle is, and the seed decides.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity
from rectoverso.affinity.bearings import common_bearing
from rectoverso.evolve import _native as breeding_native
from rectoverso.evolve._native_kernel import Kernel, Parent
from rectoverso.evolve.breeding import make_anchored_parent, make_kernel, make_rules, make_tables
from rectoverso.evolve.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair import _native_patch as native
from rectoverso.repair.regrowth import Regrown, breaking_chances
from rectoverso.threads import over_slices

SIZES = (8.0, 200.0)
"""The least and the largest patch, in pieces; it never is the whole, since it grows from what is around it."""

HEAT = (2.0, 0.3)
"""The first and the last temperature of a cycle."""

ROUNDS = 50
"""How many rounds a cycle has."""

MOST = 400_000
"""How many steps a cycle has at most, however much is doubtful."""

ENOUGH = 0.01
"""A cycle that lowers the cost by less than this share was the last one, unless there is time given."""

STREAM = 1 << 41
"""Apart from the streams of generations and of whole regrowths."""


class Patching:
    """Improves a chromosome, round after round, until that stops paying or the caller has enough."""

    def __init__(
        self,
        puzzle: Puzzle,
        affinity: Affinity,
        params: Params,
        *,
        seed: int = 0,
        threads: int = 1,
        patient: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """``patient``: go on with cycle after cycle as long as they gain anything."""
        self.puzzle, self.params, self.threads, self.clock = puzzle, params, threads, clock
        self.seed, self.enough = np.uint64(seed), 0.0 if patient else ENOUGH
        self.rules = make_rules(puzzle, params)
        self.tables = make_tables(puzzle, affinity, self.rules, params)
        self.chances = breaking_chances(params)
        self.sizes = np.minimum(SIZES, puzzle.num_pieces - 1.0)
        self.parent = make_anchored_parent(puzzle, self.rules)

    def improve(self, chromosome: NDArray[np.uint32], cost: float) -> Iterator[Regrown]:
        """Regrow patches of a chromosome of known cost; what comes depends on it and the seed alone."""
        started = self.clock()
        current, best, best_cost = chromosome.copy(), chromosome.copy(), cost
        lands = max(len(self.lands(number)) for number in range(2))
        kernels = [make_kernel(self.puzzle, self.rules, len(self.tables.group_start) - 1) for _ in range(lands)]
        self._lay_out(current, kernels[0])
        number = 0
        while self._doubtful((1, self.puzzle.rows - 1, 1, self.puzzle.columns - 1)):
            cost_before = best_cost
            for heat in np.geomspace(*HEAT, ROUNDS):
                self._anneal(number, float(heat), current, kernels)
                number += 1
                if (found := float(breeding_native.cost(current, self.tables, self.rules))) < best_cost:
                    best, best_cost = current.copy(), found
                done = number % ROUNDS or ROUNDS
                yield Regrown(done / ROUNDS, best_cost, best, self.clock() - started)
            if best_cost >= cost_before * (1 - self.enough):
                break
            current = best.copy()

    def lands(self, number: int) -> list[tuple[int, int, int, int]]:
        """The strips of a round: first row, further rows, first column, further columns."""
        rows, columns = self.puzzle.rows, self.puzzle.columns
        across = number % 2 == 0
        length = rows if across else columns
        count = int(np.clip(self.puzzle.num_pieces // 2500, 2, 8))
        if length < 4 * count:
            return [(1, rows - 1, 1, columns - 1)]
        random = np.random.default_rng([int(self.seed), STREAM, number])
        lines = (np.arange(1, count) * length) // count + random.integers(-length // (3 * count), length // (3 * count))
        ends = [0, *(int(line) for line in lines), length + 1]
        strips = [(low + 1, high - low - 2) for low, high in pairwise(ends)]
        return [(*strip, 1, columns - 1) if across else (1, rows - 1, *strip) for strip in strips]

    def doubt(self, chromosome: NDArray[np.uint32]) -> float:
        """The share of the pieces that are doubtful."""
        kernel = make_kernel(self.puzzle, self.rules, len(self.tables.group_start) - 1)
        self._lay_out(chromosome, kernel)
        return self._doubtful((1, self.puzzle.rows - 1, 1, self.puzzle.columns - 1)) / self.puzzle.num_pieces

    def _lay_out(self, chromosome: NDArray[np.uint32], kernel: Kernel) -> None:
        """Lay a chromosome out on the board of a kernel, which keeps to the grid that most of its pieces tell of."""
        ups = chromosome.reshape(self.puzzle.rows, self.puzzle.columns)
        bearing = common_bearing(self.tables.bearings, ups, self.puzzle.piece_size)
        native.lay_out(chromosome, bearing, self.rules, self.parent, kernel)

    def _doubtful(self, land: tuple[int, int, int, int]) -> int:
        """How many pieces of a land are doubtful."""
        return native.count_doubtful(np.array(land, np.uint64), self.parent, self.tables, self.rules)

    def _anneal(self, number: int, heat: float, current: NDArray[np.uint32], kernels: list[Kernel]) -> None:
        """One round: all lands, and the arrangement that comes of it."""
        lands = self.lands(number)
        for kernel in kernels[: len(lands)]:
            self._lay_out(current, kernel)
        doubtful = [self._doubtful(land) for land in lands]
        share = min(1.0, MOST / (1 + sum(doubtful) * self.params.patch_steps))
        steps = [math.ceil(count * self.params.patch_steps * share / ROUNDS) for count in doubtful]

        def work(start: int, stop: int) -> None:
            for i in range(start, stop):
                patch = make_patch(self.puzzle, self.parent, lands[i])
                stream = np.uint64(STREAM + number * len(kernels) + i)
                native.regrow_patches(
                    steps[i],
                    self.seed,
                    stream,
                    heat,
                    self.chances,
                    self.sizes,
                    # Lands share the frozen line between them, but not what they break of its seams.
                    self.parent._replace(cut=np.zeros_like(self.parent.cut)),
                    kernels[i],
                    self.tables,
                    self.rules,
                    patch,
                )

        over_slices(work, len(lands), self.threads, 1)
        current[:] = self.arrangement()

    def arrangement(self) -> NDArray[np.uint32]:
        """The chromosome that is laid out."""
        board = self.parent.board.reshape(-1, 1 << int(self.rules.row_shift))
        return board[1:-1, 1 : self.puzzle.columns + 1].ravel()


def make_patch(puzzle: Puzzle, parent: Parent, land: tuple[int, int, int, int]) -> native.Patch:
    """The work arrays of one land."""
    cells = min(puzzle.num_pieces, int(SIZES[1]))
    return native.Patch(
        np.empty(cells, np.uint32),
        np.empty(cells, np.uint32),
        np.zeros(len(parent.board), np.uint32),
        np.zeros(2, np.uint64),
        np.array(land, np.uint64),
    )
