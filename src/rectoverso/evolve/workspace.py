"""The workspace of a solve: the puzzle, the lists and the parameters as native code takes them.

The solver and all stages of repair share it. The ``make_`` methods give work arrays, which belong to one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.seeds import checked_seed
from rectoverso.engines.threads import checked_threads
from rectoverso.errors import TooLargeError
from rectoverso.evolve import _native_breeding as native
from rectoverso.evolve._native_kernel import Kernel, Parent, Rules, Tables
from rectoverso.geometry import NOTHING
from rectoverso.matching.alignment import PHASE, common_alignment, unknown_alignment
from rectoverso.matching.lists import CandidateLists, UnlistedSeams
from rectoverso.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle

MOST_WIDTH = 1 << 15
"""The widest board: its cells are numbers of 30 bits."""


@dataclass(frozen=True, eq=False)
class Workspace:
    """What does not change during a solve; what is made in it depends on the seed, not on the threads."""

    puzzle: Puzzle
    params: Params
    seed: int
    threads: int
    clock: Callable[[], float]
    rules: Rules
    tables: Tables

    @classmethod
    def of(
        cls,
        puzzle: Puzzle,
        lists: CandidateLists,
        params: Params,
        *,
        seed: int = 0,
        threads: int = 1,
        clock: Callable[[], float] = time.perf_counter,
    ) -> Workspace:
        """The workspace of a puzzle and its lists, which must have been prepared for this objective."""
        seed, threads = checked_seed(seed), checked_threads(threads)
        lists.check_is_of(puzzle)
        if (lists.unlisted is None) != (params.objective.relative is None):
            raise ValueError("these candidates were not prepared for this objective; see rectoverso.prepare")
        params = params.chosen_for(puzzle.num_pieces)
        rules = make_rules(puzzle, params)
        return cls(puzzle, params, seed, threads, clock, rules, make_tables(puzzle, lists, rules))

    def cost(self, chromosome: NDArray[np.uint32]) -> float:
        """What a chromosome costs."""
        return float(native.cost(chromosome, self.tables, self.rules))

    def board(self, chromosome: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """A chromosome by rows and columns."""
        return chromosome.reshape(self.puzzle.rows, self.puzzle.columns)

    def alignment_of(self, chromosome: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """The alignment that most pieces of a chromosome have."""
        sizes = (self.puzzle.piece_height, self.puzzle.piece_width)
        return common_alignment(self.tables.alignment, self.board(chromosome), sizes)

    def make_parent(self) -> Parent:
        """Room for a chromosome with an empty rim: one column between rows, one row above and below."""
        return self._parent(self.puzzle.columns + 1, 1)

    def make_anchored_parent(self) -> Parent:
        """Room for a chromosome on a board as wide as the kernel's, from row 1 and column 1 on."""
        return self._parent(1 << int(self.rules.row_shift), 0)

    def _parent(self, width: int, more: int) -> Parent:
        board = np.full((self.puzzle.rows + 2) * width + more, NOTHING, np.uint32)
        at, cut = np.empty(self.puzzle.num_pieces, np.uint32), np.zeros(len(board), np.uint8)
        return Parent(board, at, _steps(width), cut)

    def make_kernel(self) -> Kernel:
        """The work arrays of one growing kernel."""
        width = 1 << int(self.rules.row_shift)
        pieces, slots = self.puzzle.num_pieces, 4 * self.puzzle.num_pieces
        heap = 8 * slots if self.rules.by_cell else slots
        return Kernel(
            board=np.empty(width * width if self.rules.floating else (self.puzzle.rows + 2) * width, np.uint32),
            steps=_steps(width),
            limits=np.empty(8, np.uint64),
            alignment=np.zeros(4, np.uint64),
            counts=np.empty(5, np.uint64),
            random=np.empty(2, np.uint64),
            free=np.empty(pieces, np.uint32),
            free_at=np.empty(pieces, np.uint32),
            shared=np.empty(slots, np.uint64),
            buddy=np.empty(slots, np.uint64),
            pending=np.empty(slots, np.uint64),
            heap=np.empty(heap, np.uint64),
            heap_slot=np.empty(heap, np.uint32),
            heap_rank=np.empty(heap, np.uint32),
            passed=np.empty(len(self.tables.group_start) - 1, np.uint64),
        )


def board_width(long_side: int, floating: bool) -> int:
    """How wide the board is that the kernel grows on, a power of two: a kernel that floats may grow either way.

    Native code keeps a cell and a direction in 32 bits, so a frame can be too long.
    """
    reach = 2 * (long_side + 1) if floating else long_side + 2
    width = 1 << reach.bit_length()
    if width > MOST_WIDTH:
        longest = MOST_WIDTH // 2 - 2 if floating else MOST_WIDTH - 3
        raise TooLargeError(
            f"A frame {long_side:,} pieces long is too long; {longest:,} are the most that can be solved."
        )
    return width


def make_rules(puzzle: Puzzle, params: Params) -> Rules:
    """The frame, the type and the operator's parameters as the native code takes them."""
    floating, genetic, relative = puzzle.type.location_unknown, params.genetic, params.objective.relative
    values = {
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        "faces": puzzle.faces,
        "piece_shift": 1 + puzzle.faces,
        "rotations": len(puzzle.turns),
        "turn": 1 if puzzle.square else 2,
        "floating": floating,
        "flexible": floating and len(puzzle.turns) == 4,
        "mutation": round(genetic.mutation * NOTHING),
        "random_ties": genetic.ties == "random",
        "sample": genetic.sample,
        "by_cell": relative is not None,
        "skip": round(relative.skip * NOTHING) if relative else 0,
        "row_stride": puzzle.piece_height & PHASE,
        "column_stride": puzzle.piece_width & PHASE,
        "row_shift": board_width(max(puzzle.rows, puzzle.columns), floating).bit_length() - 1,
    }
    return Rules(**{name: np.uint64(value) for name, value in values.items()})


def make_tables(puzzle: Puzzle, lists: CandidateLists, rules: Rules) -> Tables:
    """The lists as the native code takes them; homes become cells of the kernel's board, which has a rim."""
    homes = puzzle.homes if puzzle.homes is not None else np.zeros(0, np.uint32)
    row, column = np.divmod(homes, np.uint32(puzzle.columns))
    unlisted = lists.unlisted or UnlistedSeams.at_cap(puzzle.num_edges, 0.0)
    return Tables(
        candidates=lists.candidates,
        weights=lists.weights,
        weight_bits=lists.weights.view(np.uint32),
        entries=lists.look_alikes.entries,
        buddies=lists.buddies,
        group_start=lists.look_alikes.start,
        group_members=lists.look_alikes.members,
        descriptors=lists.descriptors,
        homes=(((row + 1) << np.uint32(rules.row_shift)) + column + 1).astype(np.uint32),
        cap=unlisted.cap,
        ends=unlisted.ends,
        colors=unlisted.colors,
        gap_scales=unlisted.scales,
        gap_factor=unlisted.factor,
        alignment=unknown_alignment(puzzle.num_edges) if lists.alignment is None else lists.alignment,
    )


def _steps(width: int) -> NDArray[np.uint64]:
    return np.array([-width, 1, width, -1], np.int64).astype(np.uint64)
