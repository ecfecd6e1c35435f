"""Ruin and regrow by patches: what is certain stays where it is, and small doubtful parts are grown anew.

The frame is divided into strips with a frozen line between them, at another place in each round, and the strips are
worked on side by side: a step costs what its patch costs, however large the puzzle is, and the seed decides.
After the patches of a round, segments of what hangs together are tried elsewhere as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.evolve._native_kernel import Kernel, Parent
from rectoverso.evolve.workspace import Workspace
from rectoverso.parameters import Repair
from rectoverso.repair import _native_move as moving
from rectoverso.repair import _native_patch as native
from rectoverso.repair.stage import BREAKING, Improved
from rectoverso.repair.streams import MOVES, PATCHES

SIZES = (8.0, 200.0)
"""The least and the largest patch, in pieces; it never is the whole, since it grows from what is around it."""

TEMPERATURES, MOVING_TEMPERATURES = (2.0, 0.3, 0.5), (2.0, 0.4, 1.0)
"""The first and the last temperature of a cycle, for patches and for moves of segments, and by what share of the color
gap's factor the first one rises: with the gap a seam can cost more, and a move changes more seams."""

ROUNDS, WARM_UP = 50, 20
"""How many rounds a cycle has, and how many of these only the first one needs: later ones begin in some order."""

MOST = 400_000
"""How many steps a cycle has at most, however much is doubtful."""

SEGMENTS, HOLD = (1.0, 300.0), (0.8, 2.4)
"""The least and the largest segment, in pieces, and the most that the seams which hold it together may cost."""

ENOUGH = 0.01
"""A cycle that lowers the cost by less than this share was the last one, unless there is time given."""

Strip = tuple[int, int, int, int]
"""First row, further rows, first column, further columns; the first of all is 1."""


class Patching:
    """Regrows patches and moves segments; if ``patient``, cycle after cycle as long as that gains anything."""

    step = "regrowing doubtful patches"

    def __init__(self, space: Workspace, repair: Repair, *, patient: bool = False) -> None:
        self.space, self.repair, self.enough = space, repair, 0.0 if patient else ENOUGH
        self.sizes = np.minimum(SIZES, space.puzzle.num_pieces - 1.0)
        self.parent = space.make_anchored_parent()
        self.whole: Strip = (1, space.puzzle.rows - 1, 1, space.puzzle.columns - 1)

    def improve(self, chromosome: NDArray[np.uint32], cost: float) -> Iterator[Improved]:
        """Regrow patches of a chromosome of known cost."""
        current, best, best_cost = chromosome.copy(), chromosome.copy(), cost
        strips = max(len(self.strips(number)) for number in range(2))
        kernels = [self.space.make_kernel() for _ in range(strips)]
        self._lay_out(current, kernels[0])
        number, temperatures = 0, self.temperatures()
        while self._doubtful(self.whole):
            cost_before = best_cost
            for done, temperature in enumerate(temperatures, 1):
                self._anneal(number, temperature, current, kernels)
                number += 1
                if (found := self.space.cost(current)) < best_cost:
                    best, best_cost = current.copy(), found
                yield Improved(done / len(temperatures), best_cost, best)
            if best_cost >= cost_before * (1 - self.enough):
                break
            current, temperatures = best.copy(), temperatures[-(ROUNDS - WARM_UP) :]

    def temperatures(self) -> NDArray[np.float64]:
        """The temperatures of patches and of moves in the rounds of the first cycle."""
        factor = self.space.tables.gap_factor
        ends = ((hot * (1 + factor * share), cold) for hot, cold, share in (TEMPERATURES, MOVING_TEMPERATURES))
        return np.stack([np.geomspace(*each, ROUNDS) for each in ends], axis=1)

    def strips(self, number: int) -> list[Strip]:
        """The strips of a round."""
        puzzle = self.space.puzzle
        rows, columns, across = puzzle.rows, puzzle.columns, number % 2 == 0
        length = rows if across else columns
        count = int(np.clip(puzzle.num_pieces // 2500, 2, 8))
        if length < 4 * count:
            return [self.whole]
        random = np.random.default_rng([self.space.seed, PATCHES, number])
        lines = (np.arange(1, count) * length) // count + random.integers(-length // (3 * count), length // (3 * count))
        ends = [0, *(int(line) for line in lines), length + 1]
        found = [(low + 1, high - low - 2) for low, high in pairwise(ends)]
        return [(*strip, 1, columns - 1) if across else (1, rows - 1, *strip) for strip in found]

    def doubt(self, chromosome: NDArray[np.uint32]) -> float:
        """The share of the pieces that are doubtful."""
        self._lay_out(chromosome, self.space.make_kernel())
        return self._doubtful(self.whole) / self.space.puzzle.num_pieces

    def _lay_out(self, chromosome: NDArray[np.uint32], kernel: Kernel) -> None:
        """Lay a chromosome out on the board of a kernel, which keeps to the alignment of most of its pieces."""
        native.lay_out(chromosome, self.space.alignment_of(chromosome), self.space.rules, self.parent, kernel)

    def _doubtful(self, strip: Strip) -> int:
        """How many pieces of a strip are doubtful."""
        return native.count_doubtful(np.array(strip, np.uint64), self.parent, self.space.tables, self.space.rules)

    def _anneal(
        self, number: int, temperatures: NDArray[np.float64], current: NDArray[np.uint32], kernels: list[Kernel]
    ) -> None:
        """One round: all strips, and the arrangement that comes of it."""
        strips = self.strips(number)
        for kernel in kernels[: len(strips)]:
            self._lay_out(current, kernel)
        doubtful = [self._doubtful(strip) for strip in strips]
        share = min(1.0, MOST / (1 + sum(doubtful) * self.repair.patch_steps))
        steps = [math.ceil(count * self.repair.patch_steps * share / ROUNDS) for count in doubtful]

        def work(start: int, stop: int) -> None:
            for i in range(start, stop):
                self._regrow(number * len(kernels) + i, strips[i], steps[i], float(temperatures[0]), kernels[i])
                self._move(number * len(kernels) + i, strips[i], steps[i], float(temperatures[1]), kernels[i])

        over_slices(work, len(strips), self.space.threads, 1)
        current[:] = self.arrangement()

    def _regrow(self, number: int, strip: Strip, steps: int, temperature: float, kernel: Kernel) -> None:
        """So many steps of ruin and regrow in a strip."""
        native.regrow_patches(
            steps,
            np.uint64(self.space.seed),
            np.uint64(PATCHES + number),
            temperature,
            BREAKING,
            self.sizes,
            # Strips share the frozen line between them, but not what they break of its seams.
            self.parent._replace(cut=np.zeros_like(self.parent.cut)),
            kernel,
            self.space.tables,
            self.space.rules,
            make_patch(self.parent, strip, self.space.puzzle.num_pieces),
        )

    def _move(self, number: int, strip: Strip, steps: int, temperature: float, kernel: Kernel) -> None:
        """The tries to move a segment that belong to so many steps; the kernel's board is not looked at."""
        if self.repair.segment_moves and self.space.puzzle.type.location_unknown:
            moving.move_segments(
                steps * self.repair.segment_moves,
                np.uint64(self.space.seed),
                np.uint64(MOVES + number),
                temperature,
                np.array(SEGMENTS),
                np.array(HOLD),
                self.parent,
                kernel,
                self.space.tables,
                self.space.rules,
                make_segment(self.parent, strip, self.space.puzzle.num_pieces),
            )

    def arrangement(self) -> NDArray[np.uint32]:
        """The chromosome that is laid out."""
        board = self.parent.board.reshape(-1, 1 << int(self.space.rules.row_shift))
        return board[1:-1, 1 : self.space.puzzle.columns + 1].ravel()


def make_patch(parent: Parent, strip: Strip, pieces: int) -> native.Patch:
    """The work arrays of one strip."""
    cells = min(pieces, int(SIZES[1]))
    return native.Patch(
        cells=np.empty(cells, np.uint32),
        ups=np.empty(cells, np.uint32),
        marks=np.zeros(len(parent.board), np.uint32),
        random=np.zeros(2, np.uint64),
        strip=np.array(strip, np.uint64),
    )


def make_segment(parent: Parent, strip: Strip, pieces: int) -> moving.Segment:
    """The work arrays of moves in one strip."""
    most = min(pieces, int(SEGMENTS[1]))
    return moving.Segment(
        cells=np.empty(2 * most, np.uint32),
        targets=np.empty(most, np.uint32),
        ups=np.empty(2 * most, np.uint32),
        marks=np.zeros(len(parent.board), np.uint32),
        doubtful=np.empty((strip[1] + 1) * (strip[3] + 1), np.uint32),
        random=np.zeros(2, np.uint64),
        strip=np.array(strip, np.uint64),
    )
