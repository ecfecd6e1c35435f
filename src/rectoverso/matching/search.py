"""The k best candidates of every edge, with no table of all pairs at any size.

A blocked matrix product gives a number for every pair of edges (:mod:`rectoverso.matching.products`), a running list
keeps the lowest, and these survivors are ranked by their exact dissimilarities. Where the numbers are lower bounds and
cannot prove that nothing was missed, the row is searched in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rectoverso.engines.threads import Tell, over_slices, part_of, silent
from rectoverso.geometry import NOTHING, STEPS, mirror, opposite
from rectoverso.matching import _native_search as native
from rectoverso.matching._native_measures import EdgeDescriptors
from rectoverso.matching.custom import VectorMeasure, best_by_rerank
from rectoverso.matching.look_alikes import GROUP, LookAlikes
from rectoverso.matching.products import Products, make_products
from rectoverso.matching.strips import edge_classes
from rectoverso.matching.survivors import Survivors
from rectoverso.puzzle.puzzle import Puzzle

ROW_BLOCK, COLUMN_BLOCK = 1024, 1024
"""Edges of a block of rows and of columns: a tile of 4 MB, which stays in the cache of a core."""

MET = 0.7
"""The share of a search that is done once all blocks of edges have met; measured on 22,755 pieces."""

FEW = 2
"""Up to so many classes are searched one after the other, each on all threads: edges of one length, or of two."""

WIDER = 2
"""How many times as many candidates are found by the vectors of a custom measure as are kept by its exact values."""

Class = tuple[NDArray[np.uint32], Callable[[], NDArray[np.bool_]]]
"""Edges that are searched alike, and which edges they may touch, as a mask over all of them that is made on demand."""


@dataclass(frozen=True)
class Columns:
    """What is searched: one edge for each group of look-alikes, and one for every other edge.

    ``sole`` is the piece that alone can be had through a column, or ``geometry.NOTHING`` if there are several.
    """

    edges: NDArray[np.uint32]
    sole: NDArray[np.uint32]


class Search:
    """A search of one puzzle: what it computes of the edges is kept for the next one."""

    def __init__(
        self, puzzle: Puzzle, descriptors: EdgeDescriptors, threads: int = 1, rerank: VectorMeasure | None = None
    ) -> None:
        """``rerank``: a custom measure with exact dissimilarities; its vectors find more candidates than are kept."""
        self.puzzle, self.descriptors, self.threads, self.rerank = puzzle, descriptors, threads, rerank
        self.products: Products = make_products(descriptors, threads)

    def find(
        self, look_alikes: LookAlikes, classes: Iterable[Class], k: int, tell: Tell = silent
    ) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
        """The k best candidates of the edges of each class among those that they may touch, with dissimilarities."""
        if self.rerank is None:
            return self._find(look_alikes, classes, k, tell)
        candidates, _ = self._find(look_alikes, classes, WIDER * k, tell)
        return best_by_rerank(self.rerank, self.puzzle, candidates, look_alikes, k, self.threads)

    def _find(
        self, look_alikes: LookAlikes, classes: Iterable[Class], k: int, tell: Tell
    ) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
        """The k best candidates by the descriptors."""
        puzzle, edges = self.puzzle, np.arange(self.puzzle.num_edges, dtype=np.uint32)
        candidates = np.full((puzzle.num_edges, k), NOTHING, np.uint32)
        values = np.full((puzzle.num_edges, k), np.inf, np.float32)
        group = look_alikes.group
        first_of_group = np.zeros(puzzle.num_edges, bool)
        first_of_group[look_alikes.members[look_alikes.start[:-1]]] = True
        listed = (group < 0) | first_of_group

        def find(
            these: NDArray[np.uint32], may_touch: Callable[[], NDArray[np.bool_]], threads: int, tell: Tell
        ) -> None:
            # What the other face shows of a seam is what this one shows, mirrored.
            rows = these if puzzle.faces == 1 else these[these // 4 % 2 == 0]
            touched = may_touch()
            searched = edges[listed & touched]
            if not len(rows) or not len(searched):
                return
            among_themselves = len(rows) == np.count_nonzero(touched) and bool(touched[rows].all())
            columns = self._columns(searched, group)
            found, numbers = self.best_columns(rows, columns, k, threads, tell, among_themselves)
            entries = look_alikes.entries[searched]
            width = found.shape[1]
            candidates[rows, :width] = np.where(numbers >= 0, entries[numbers], NOTHING)
            values[rows, :width] = found

        every = list(classes)
        # One BLAS thread in each of ours: more would only wait for each other.
        with threadpool_limits(1, user_api="blas"):
            if len(every) <= FEW:
                for number, each in enumerate(every):
                    find(*each, self.threads, part_of(tell, number / len(every), (number + 1) / len(every)))
            else:
                over_slices(lambda i, _: find(*every[i], 1, silent), len(every), self.threads, 1, tell)
        if puzzle.faces == 2:
            fronts = edges[edges // 4 % 2 == 0]
            candidates[mirror(fronts)] = _mirrored_entries(candidates[fronts], look_alikes)
            values[mirror(fronts)] = values[fronts]
        return candidates, values

    def best_columns(
        self,
        rows: NDArray[np.uint32],
        columns: Columns,
        k: int,
        threads: int,
        tell: Tell = silent,
        among_themselves: bool = False,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """For each row edge the dissimilarities and numbers of its k best columns, best first; -1 ends a short list.

        Equal dissimilarities are in the order of the columns. Rows are searched ``among_themselves`` if all columns
        are rows, too.
        """
        k = min(k, len(columns.edges))
        kept = min(k + self.products.margin, len(columns.edges))
        values = np.full((len(rows), k), np.inf)
        numbers = np.full((len(rows), k), -1, np.int64)
        both_ways = self.products.symmetric and among_themselves
        order = _columns_first(rows, columns.edges) if both_ways else self.products.order(rows)
        pieces = (rows[order] // (4 * self.puzzle.faces)).astype(np.uint32)

        def settle(start: int, stop: int, survivors: Survivors) -> None:
            block = rows[order[start:stop]]
            limits, survived = survivors.columns()
            limits = self.products.tiles(block).limits(columns.edges, survivors.keys, limits, survived)
            found, places = np.full((len(block), k), np.inf), np.full((len(block), k), -1, np.int64)
            native.settle(self.descriptors, block, columns.edges, columns.sole, limits, survived, found, places)
            values[order[start:stop]], numbers[order[start:stop]] = found, places

        def search(start: int, stop: int) -> None:
            survivors = Survivors.none(pieces[start:stop], columns.sole, kept)
            tiles = self.products.tiles(rows[order[start:stop]])
            for first in range(0, len(columns.edges), COLUMN_BLOCK):
                survivors.keep(tiles.tile(columns.edges[first : first + COLUMN_BLOCK]), first)
            settle(start, stop, survivors)

        done = len(columns.edges) if both_ways else 0
        if both_ways:
            shared = Survivors.none(pieces[:done], columns.sole, kept)
            self._meet_all(columns.edges, shared, threads, part_of(tell, 0, MET))
            over_slices(lambda i, j: settle(i, j, shared.part(i, j)), done, threads, ROW_BLOCK, part_of(tell, MET, 1))
        # The rows that are left then, further members of groups of look-alikes, are few: nobody is told of them.
        told = silent if both_ways else tell
        over_slices(lambda i, j: search(done + i, done + j), len(rows) - done, threads, ROW_BLOCK, told)
        return values, numbers

    def _meet_all(self, edges: NDArray[np.uint32], survivors: Survivors, threads: int, tell: Tell) -> None:
        """Let each block of edges meet each other one once: a tile serves its rows, and lying on its side its columns.

        The blocks that meet in one round are all different, so that threads do not get into each other's way.
        """
        starts = range(0, len(edges), COLUMN_BLOCK)

        def meet(at: int, _: int, meetings: list[tuple[int, int]]) -> None:
            one, other = meetings[at]
            tile = self.products.tiles(edges[one : one + COLUMN_BLOCK]).tile(edges[other : other + COLUMN_BLOCK])
            survivors.part(one, one + COLUMN_BLOCK).keep(tile, other)
            if one != other:
                survivors.part(other, other + COLUMN_BLOCK).keep_down(tile, one)

        for number in range(len(starts)):
            pairs = [(i, (number - i) % len(starts)) for i in range(len(starts))]
            meetings = [(starts[i], starts[j]) for i, j in pairs if i <= j]
            over_slices(partial(meet, meetings=meetings), len(meetings), threads, 1)
            tell((number + 1) / len(starts))

    def _columns(self, edges: NDArray[np.uint32], group: NDArray[np.int64]) -> Columns:
        pieces = edges // (4 * self.puzzle.faces)
        return Columns(edges, np.where(group[edges] >= 0, NOTHING, pieces).astype(np.uint32))


def _columns_first(rows: NDArray[np.uint32], columns: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The places of the columns among the rows, in their order, and then all others."""
    is_column = np.isin(rows, columns)
    return np.concatenate([np.flatnonzero(is_column), np.flatnonzero(~is_column)])


def classes_by_side(puzzle: Puzzle) -> Iterator[Class]:
    """All edges, those of each length, or with known rotations those of each side with those of the opposite one."""
    edges = np.arange(puzzle.num_edges, dtype=np.uint32)
    if puzzle.type.rotation_unknown:
        for of_length, _ in edge_classes(puzzle):
            touched = np.zeros(len(edges), bool)
            touched[of_length] = True
            yield edges[of_length], partial(np.copy, touched)
        return
    for side in range(4):
        yield edges[edges % 4 == side], partial(np.equal, edges % 4, opposite(side))


def _mirrored_entries(entries: NDArray[np.uint32], look_alikes: LookAlikes) -> NDArray[np.uint32]:
    """The candidates of the mirrored edges: the same seams seen from the other face."""
    is_edge = entries < GROUP
    result = entries.copy()
    result[is_edge] = mirror(entries[is_edge])
    is_group = ~is_edge & (entries != NOTHING)
    first = look_alikes.members[look_alikes.start[entries[is_group] & ~np.uint32(GROUP)]]
    result[is_group] = look_alikes.group[mirror(first)] | GROUP
    return result


def search_at_home(puzzle: Puzzle, descriptors: EdgeDescriptors) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """Candidates where each piece's cell is known: the edges of its neighbors, in every orientation they may have."""
    homes = np.asarray(puzzle.homes, np.int64)
    per_piece = 4 * puzzle.faces
    piece_at = np.full((puzzle.rows + 2, puzzle.columns + 2), -1, np.int64)
    row, column = np.divmod(homes, puzzle.columns)
    piece_at[row + 1, column + 1] = np.arange(puzzle.num_pieces)
    neighbors = np.stack([piece_at[row + 1 + down, column + 1 + right] for down, right in STEPS], axis=1)
    edges = np.arange(puzzle.num_edges)
    pairs = (neighbors[edges // per_piece][:, :, None] * per_piece + np.arange(per_piece)).reshape(len(edges), -1)
    allowed = np.repeat(neighbors[edges // per_piece] >= 0, per_piece, axis=1)
    direction = np.repeat(np.arange(4), per_piece)
    if not puzzle.type.rotation_unknown:
        allowed &= (edges[:, None] % 4 == direction) & (pairs % 4 == (direction + 2) % 4)
    if not puzzle.square:
        allowed &= (edges[:, None] % 2 == direction % 2) & (pairs % 2 == direction % 2)
    values = np.full(pairs.shape, np.inf)
    native.measure_pairs(descriptors, pairs, allowed, values)
    order = np.lexsort((pairs, values), axis=1)
    ranked = np.take_along_axis(values, order, axis=1).astype(np.float32)
    candidates = np.take_along_axis(pairs, order, axis=1)
    width = int(allowed.sum(axis=1).max())
    return np.where(np.isinf(ranked), NOTHING, candidates)[:, :width].astype(np.uint32), ranked[:, :width].copy()
