"""Chromosomes by the slice: the native crossover with its work arrays, run on threads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity
from rectoverso.affinity.confidence import entries_of_edges
from rectoverso.affinity.strips import LookAlikes
from rectoverso.affinity.tones import no_tones
from rectoverso.evolve import _native
from rectoverso.evolve._native_kernel import NUM_PHASES, Kernel, Parent, Rules, Tables
from rectoverso.evolve.parameters import Params
from rectoverso.evolve.ranking import rank
from rectoverso.geometry import NOTHING
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.threads import over_slices

SLICE = 16


@dataclass(frozen=True)
class Brood:
    """Chromosomes (rows of up edges, cell by cell), their costs, and how many pieces each phase placed in each."""

    chromosomes: NDArray[np.uint32]
    costs: NDArray[np.float64]
    phases: NDArray[np.int64]


class Breeder:
    """Makes chromosomes of one puzzle. What it makes depends on the seed, the generation and the parents alone."""

    def __init__(self, puzzle: Puzzle, affinity: Affinity, params: Params, seed: int, threads: int) -> None:
        self.puzzle, self.seed, self.threads = puzzle, np.uint64(seed), threads
        self.rules = make_rules(puzzle, params)
        self.tables = make_tables(puzzle, affinity, self.rules, params)

    def scatter(self, count: int) -> Brood:
        """A random generation."""
        brood = self._empty(count)
        homes = self.puzzle.homes if self.puzzle.homes is not None else np.zeros(0, np.uint32)

        def work(start: int, stop: int) -> None:
            random = np.zeros(2, np.uint64)
            args = (self.seed, self.tables, self.rules, homes, random, brood.chromosomes, brood.costs)
            _native.scatter(start, stop, *args)

        over_slices(work, count, self.threads, SLICE)
        return brood

    def breed(
        self, generation: int, population: NDArray[np.uint32], parents: NDArray[np.int64], room: int = 0
    ) -> Brood:
        """One child for each pair of parents, after room for so many chromosomes that the caller puts in."""
        brood = self._empty(room + len(parents))
        made = (brood.chromosomes[room:], brood.costs[room:], brood.phases[room:])

        def work(start: int, stop: int) -> None:
            mother, father = (make_parent(self.puzzle) for _ in range(2))
            kernel = make_kernel(self.puzzle, self.rules, len(self.tables.group_start) - 1)
            args = (self.seed, np.uint64(generation), population, parents, mother, father, kernel)
            _native.breed(start, stop, *args, self.tables, self.rules, *made)

        over_slices(work, len(parents), self.threads, SLICE)
        return brood

    def _empty(self, count: int) -> Brood:
        return Brood(
            np.empty((count, self.puzzle.num_pieces), np.uint32),
            np.zeros(count),
            np.zeros((count, NUM_PHASES), np.int64),
        )


def board_width(long_side: int, floating: bool) -> int:
    """How wide the board is that the kernel grows on, a power of two: a kernel that floats may grow either way."""
    reach = 2 * (long_side + 1) if floating else long_side + 2
    return 1 << reach.bit_length()


def make_rules(puzzle: Puzzle, params: Params) -> Rules:
    """The frame, the type and the operator's parameters as the native code takes them."""
    floating = puzzle.type.location_unknown
    values = {
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        "faces": puzzle.faces,
        "piece_shift": 1 + puzzle.faces,
        "rotations": puzzle.type.rotations,
        "floating": floating,
        "flexible": floating and puzzle.type.rotation_unknown,
        "mutation": round(params.mutation * NOTHING),
        "random_ties": params.ties == "random",
        "sample": params.sample,
        "by_cell": params.growth == "cell",
        "blink": round(params.blink * NOTHING),
        "stride": puzzle.piece_size % 16,
        "row_shift": board_width(max(puzzle.rows, puzzle.columns), floating).bit_length() - 1,
    }
    return Rules(**{name: np.uint64(value) for name, value in values.items()})


def make_tables(puzzle: Puzzle, affinity: Affinity, rules: Rules, params: Params) -> Tables:
    """The affinity as the native code takes it; homes become cells of the kernel's board, which has a rim."""
    affinity.check_is_of(puzzle)
    ranking = affinity.ranking or rank(puzzle, affinity, params)
    look_alikes = ranking.look_alikes or LookAlikes.none(puzzle.num_edges)
    homes = puzzle.homes if puzzle.homes is not None else np.zeros(0, np.uint32)
    row, column = np.divmod(homes, np.uint32(puzzle.columns))
    unknown = np.zeros((puzzle.num_edges, 2), np.uint8)
    tones, reach = ranking.tones or no_tones(puzzle.num_edges, params.cap), params.tones if ranking.tones else 0.0
    return Tables(
        ranking.candidates,
        ranking.weights.view(np.uint32),
        ranking.weights,
        entries_of_edges(look_alikes),
        params.cap * (1 + reach) if params.objective == "relative" else 0.0,
        reach,
        tones.colors,
        tones.steps,
        tones.ends,
        ranking.buddies,
        look_alikes.start,
        look_alikes.members,
        affinity.seams,
        (((row + 1) << np.uint32(rules.row_shift)) + column + 1).astype(np.uint32),
        unknown if ranking.bearings is None else ranking.bearings,
    )


def _steps(width: int) -> NDArray[np.uint64]:
    return np.array([-width, 1, width, -1], np.int64).astype(np.uint64)


def make_parent(puzzle: Puzzle) -> Parent:
    """Room for a chromosome with an empty rim: one column between rows, one row above and below."""
    width = puzzle.columns + 1
    board = np.full((puzzle.rows + 2) * width + 1, NOTHING, np.uint32)
    return Parent(board, np.empty(puzzle.num_pieces, np.uint32), _steps(width), np.zeros(len(board), np.uint8))


def make_anchored_parent(puzzle: Puzzle, rules: Rules) -> Parent:
    """Room for a chromosome on a board as wide as the kernel's, from row 1 and column 1 on."""
    width = 1 << int(rules.row_shift)
    board = np.full((puzzle.rows + 2) * width, NOTHING, np.uint32)
    return Parent(board, np.empty(puzzle.num_pieces, np.uint32), _steps(width), np.zeros(len(board), np.uint8))


def make_kernel(puzzle: Puzzle, rules: Rules, num_groups: int) -> Kernel:
    """The work arrays of one thread."""
    width = 1 << int(rules.row_shift)
    pieces, slots = puzzle.num_pieces, 4 * puzzle.num_pieces
    heap = 8 * slots if rules.by_cell else slots
    return Kernel(
        board=np.empty(width * width if rules.floating else (puzzle.rows + 2) * width, np.uint32),
        steps=_steps(width),
        limits=np.empty(8, np.uint64),
        bearing=np.zeros(4, np.uint64),
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
        passed=np.empty(num_groups, np.uint64),
    )
