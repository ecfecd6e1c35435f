"""Ruin and regrow by patches: what is certain stays where it is, and small doubtful parts are grown anew.

The frame is divided into strips with a frozen line between them, at another place in each round, and the strips are
worked on side by side: a step costs what its patch costs, however large the puzzle is, and the seed decides.
After the patches of a round, segments of what hangs together are tried elsewhere as a whole.
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
from rectoverso.repair import _native_move as moving
from rectoverso.repair import _native_patch as native
from rectoverso.repair.regrowth import Regrown, breaking_chances
from rectoverso.threads import over_slices

SIZES = (8.0, 200.0)
"""The least and the largest patch, in pieces; it never is the whole, since it grows from what is around it."""

HEAT, MOVING_HEAT = (2.0, 0.3, 0.5), (2.0, 0.4, 1.0)
"""The first and the last temperature of a cycle, for patches and for moves of segments, and by what share the first one
rises with ``tones``, which let a seam count more: a move changes more seams."""

ROUNDS, WARM_UP = 50, 20
"""How many rounds a cycle has, and how many of these only the first one needs: later ones begin in some order."""

MOST = 400_000
"""How many steps a cycle has at most, however much is doubtful."""

SEGMENTS, HOLD = (1.0, 300.0), (0.8, 2.4)
"""The least and the largest segment, in pieces, and what the seams that hold it together may count at most."""

ENOUGH = 0.01
"""A cycle that lowers the cost by less than this share was the last one, unless there is time given."""

STREAM, MOVING = 1 << 41, 1 << 42
"""Apart from the streams of generations and of whole regrowths."""


Land = tuple[int, int, int, int]
"""First row, further rows, first column, further columns; the first of all is 1."""


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
        number, heats = 0, self.heats()
        while self._doubtful((1, self.puzzle.rows - 1, 1, self.puzzle.columns - 1)):
            cost_before = best_cost
            for done, heat in enumerate(heats, 1):
                self._anneal(number, heat, current, kernels)
                number += 1
                if (found := float(breeding_native.cost(current, self.tables, self.rules))) < best_cost:
                    best, best_cost = current.copy(), found
                yield Regrown(done / len(heats), best_cost, best, self.clock() - started)
            if best_cost >= cost_before * (1 - self.enough):
                break
            current, heats = best.copy(), heats[-(ROUNDS - WARM_UP) :]

    def heats(self) -> NDArray[np.float64]:
        """The temperatures of patches and of moves in the rounds of the first cycle."""
        rising = ((hot * (1 + self.tables.reach * share), cold) for hot, cold, share in (HEAT, MOVING_HEAT))
        return np.stack([np.geomspace(*ends, ROUNDS) for ends in rising], axis=1)

    def lands(self, number: int) -> list[Land]:
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

    def _doubtful(self, land: Land) -> int:
        """How many pieces of a land are doubtful."""
        return native.count_doubtful(np.array(land, np.uint64), self.parent, self.tables, self.rules)

    def _anneal(
        self, number: int, heat: NDArray[np.float64], current: NDArray[np.uint32], kernels: list[Kernel]
    ) -> None:
        """One round: all lands, and the arrangement that comes of it."""
        lands = self.lands(number)
        for kernel in kernels[: len(lands)]:
            self._lay_out(current, kernel)
        doubtful = [self._doubtful(land) for land in lands]
        share = min(1.0, MOST / (1 + sum(doubtful) * self.params.patch_steps))
        steps = [math.ceil(count * self.params.patch_steps * share / ROUNDS) for count in doubtful]

        def work(start: int, stop: int) -> None:
            for i in range(start, stop):
                self._regrow(number * len(kernels) + i, lands[i], steps[i], float(heat[0]), kernels[i])
                self._move(number * len(kernels) + i, lands[i], steps[i], float(heat[1]), kernels[i])

        over_slices(work, len(lands), self.threads, 1)
        current[:] = self.arrangement()

    def _regrow(self, number: int, land: Land, steps: int, heat: float, kernel: Kernel) -> None:
        """So many steps of ruin and regrow in a land."""
        native.regrow_patches(
            steps,
            self.seed,
            np.uint64(STREAM + number),
            heat,
            self.chances,
            self.sizes,
            # Lands share the frozen line between them, but not what they break of its seams.
            self.parent._replace(cut=np.zeros_like(self.parent.cut)),
            kernel,
            self.tables,
            self.rules,
            make_patch(self.puzzle, self.parent, land),
        )

    def _move(self, number: int, land: Land, steps: int, heat: float, kernel: Kernel) -> None:
        """The tries to move a segment that belong to so many steps; the kernel's board is not looked at."""
        if self.params.segment_moves and self.puzzle.type.location_unknown:
            moving.move_segments(
                steps * self.params.segment_moves,
                self.seed,
                np.uint64(MOVING + number),
                heat,
                np.array(SEGMENTS),
                np.array(HOLD),
                self.parent,
                kernel,
                self.tables,
                self.rules,
                make_segment(self.puzzle, self.parent, land),
            )

    def arrangement(self) -> NDArray[np.uint32]:
        """The chromosome that is laid out."""
        board = self.parent.board.reshape(-1, 1 << int(self.rules.row_shift))
        return board[1:-1, 1 : self.puzzle.columns + 1].ravel()


def make_patch(puzzle: Puzzle, parent: Parent, land: Land) -> native.Patch:
    """The work arrays of one land."""
    cells = min(puzzle.num_pieces, int(SIZES[1]))
    return native.Patch(
        np.empty(cells, np.uint32),
        np.empty(cells, np.uint32),
        np.zeros(len(parent.board), np.uint32),
        np.zeros(2, np.uint64),
        np.array(land, np.uint64),
    )


def make_segment(puzzle: Puzzle, parent: Parent, land: Land) -> moving.Segment:
    """The work arrays of moves in one land."""
    most = min(puzzle.num_pieces, int(SEGMENTS[1]))
    return moving.Segment(
        np.empty(2 * most, np.uint32),
        np.empty(most, np.uint32),
        np.empty(2 * most, np.uint32),
        np.zeros(len(parent.board), np.uint32),
        np.empty((land[1] + 1) * (land[3] + 1), np.uint32),
        np.zeros(2, np.uint64),
        np.array(land, np.uint64),
    )
