"""Affinity: for each edge its best candidates in order, and its best buddy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rectoverso.affinity import MeasureName, _native
from rectoverso.affinity._native_measures import Seams, seam_dissimilarity
from rectoverso.affinity.measures import make_seams
from rectoverso.affinity.search import Columns, best_columns
from rectoverso.affinity.strips import LookAlikes
from rectoverso.geometry import NOTHING, STEPS, mirror, opposite
from rectoverso.images.color import Normalization
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.threads import over_slices

GROUP = 0x80000000
"""A candidate with this bit set is a group of look-alikes, of which any unused edge will do."""


Class = tuple[NDArray[np.uint32], NDArray[np.bool_]]
"""Edges that are searched alike, and which edges they may touch, as a mask over all of them."""


@dataclass(frozen=True)
class Tones:
    """What seams that neither edge lists count, by how much they show; see :mod:`rectoverso.affinity.tones`.

    Attributes
    ----------
    colors
        Edges x channels: the sum of the colors along each edge, with those of its mirror for two-sided pieces.
    steps
        How far the tones of two edges usually are apart: differences below that hardly show.
    ends
        What a seam counts at least that an edge does not list: as much as the end of its list.
    """

    colors: NDArray[np.int32]
    steps: NDArray[np.float32]
    ends: NDArray[np.float32]


@dataclass(frozen=True)
class Ranking:
    """The candidates of each edge in the order of what a seam with them counts, and the best buddies by that order.

    ``look_alikes`` are the groups that are candidates, if there are any, ``bearings`` those of the affinity that was
    ranked, and ``tones`` what all other seams count by; without them it is the cap.
    """

    candidates: NDArray[np.uint32]
    weights: NDArray[np.float32]
    buddies: NDArray[np.uint32]
    look_alikes: LookAlikes | None = None
    bearings: NDArray[np.uint8] | None = None
    tones: Tones | None = None


@dataclass(frozen=True)
class Affinity:
    """What the search knows of the edges of a puzzle.

    Attributes
    ----------
    candidates
        Edges x k: the edges that fit best, or groups of look-alikes (``GROUP`` + number), best first; a row ends with
        ``geometry.NOTHING``. Only edges that may touch by the puzzle's type are listed.
    dissimilarity
        Edges x k: what the seam with each candidate costs, on both faces for two-sided pieces.
    buddies
        The edge that is an edge's best candidate and whose best candidate it is; ``geometry.NOTHING`` if there is none,
        or if it is one of several that look alike.
    look_alikes, seams
        The groups, and what any other seam's dissimilarity is computed from.
    puzzle
        The fingerprint (``Puzzle.digest``) of the puzzle whose edges these are.
    ranking
        The candidates by what a seam counts in a solve, once that is known.
    bearings
        Where the compression grid runs, see :mod:`rectoverso.affinity.bearings`; None if there is none.
    """

    candidates: NDArray[np.uint32]
    dissimilarity: NDArray[np.float32]
    buddies: NDArray[np.uint32]
    look_alikes: LookAlikes
    seams: Seams
    puzzle: str
    ranking: Ranking | None = None
    bearings: NDArray[np.uint8] | None = None

    def check_is_of(self, puzzle: Puzzle) -> None:
        """Refuse the affinity of another puzzle: native code trusts its numbers without looking."""
        if self.puzzle != puzzle.digest:
            raise ValueError(f"this affinity was measured for another puzzle than {puzzle.name}")

    def of_seam(self, one: int, other: int) -> float:
        """The dissimilarity of any two edges."""
        return float(seam_dissimilarity(self.seams, np.uint64(one), np.uint64(other)))


def measure_affinity(
    puzzle: Puzzle,
    *,
    measure: MeasureName = "lab",
    normalization: Normalization = "chroma",
    num_candidates: int = 32,
    least_group: int = 2,
    threads: int = 1,
) -> Affinity:
    """Find the best candidates of every edge of a puzzle; look-alikes form a group from ``least_group`` of them on."""
    seams = make_seams(puzzle, measure, normalization)
    if puzzle.type.location_unknown:
        look_alikes = LookAlikes.of(puzzle, depth=1 if measure == "lab" else 2, least=least_group)
        candidates, values = search(puzzle, seams, look_alikes, classes_by_side(puzzle), num_candidates, threads)
    else:
        look_alikes = LookAlikes.none(puzzle.num_edges)
        candidates, values = _search_at_home(puzzle, seams)
    buddies = best_buddies(candidates)
    for array in (candidates, values, buddies):
        array.flags.writeable = False
    return Affinity(candidates, values, buddies, look_alikes, seams, puzzle.digest)


def classes_by_side(puzzle: Puzzle) -> Iterator[Class]:
    """All edges, or with known rotations those of each side with those of the opposite one."""
    edges = np.arange(puzzle.num_edges, dtype=np.uint32)
    if puzzle.type.rotation_unknown:
        yield edges, np.ones(len(edges), bool)
        return
    for side in range(4):
        yield edges[edges % 4 == side], edges % 4 == opposite(side)


def search(
    puzzle: Puzzle, seams: Seams, look_alikes: LookAlikes, classes: Iterable[Class], k: int, threads: int
) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """The k best candidates of the edges of each class among those that they may touch, and the dissimilarities."""
    edges = np.arange(puzzle.num_edges, dtype=np.uint32)
    candidates = np.full((puzzle.num_edges, k), NOTHING, np.uint32)
    values = np.full((puzzle.num_edges, k), np.inf, np.float32)
    group = look_alikes.group
    first_of_group = np.zeros(puzzle.num_edges, bool)
    first_of_group[look_alikes.members[look_alikes.start[:-1]]] = True
    listed = (group < 0) | first_of_group

    def find(these: NDArray[np.uint32], may_touch: NDArray[np.bool_], threads: int) -> None:
        # What the other face shows of a seam is what this one shows, mirrored.
        rows = these if puzzle.faces == 1 else these[these // 4 % 2 == 0]
        searched = edges[listed & may_touch]
        if not len(rows) or not len(searched):
            return
        found, numbers = best_columns(seams, rows, _columns(puzzle, searched, group), k, threads)
        entries = np.where(group[searched] >= 0, group[searched] | GROUP, searched).astype(np.uint32)
        width = found.shape[1]
        candidates[rows, :width] = np.where(numbers >= 0, entries[numbers], NOTHING)
        values[rows, :width] = found

    every = list(classes)
    # One BLAS thread in each of ours: more would only wait for each other.
    with threadpool_limits(1, user_api="blas"):
        if len(every) == 1:
            find(*every[0], threads)
        else:
            over_slices(lambda number, _: find(*every[number], 1), len(every), threads, 1)
    if puzzle.faces == 2:
        fronts = edges[edges // 4 % 2 == 0]
        candidates[mirror(fronts)] = _mirrored_entries(candidates[fronts], look_alikes)
        values[mirror(fronts)] = values[fronts]
    return candidates, values


def _columns(puzzle: Puzzle, edges: NDArray[np.uint32], group: NDArray[np.int64]) -> Columns:
    pieces = edges // (4 * puzzle.faces)
    return Columns(edges, np.where(group[edges] >= 0, NOTHING, pieces).astype(np.uint32))


def _mirrored_entries(entries: NDArray[np.uint32], look_alikes: LookAlikes) -> NDArray[np.uint32]:
    """The candidates of the mirrored edges: the same seams seen from the other face."""
    is_edge = entries < GROUP
    result = entries.copy()
    result[is_edge] = mirror(entries[is_edge])
    is_group = ~is_edge & (entries != NOTHING)
    first = look_alikes.members[look_alikes.start[entries[is_group] & ~np.uint32(GROUP)]]
    result[is_group] = look_alikes.group[mirror(first)] | GROUP
    return result


def _search_at_home(puzzle: Puzzle, seams: Seams) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
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
    if not puzzle.type.rotation_unknown:
        direction = np.repeat(np.arange(4), per_piece)
        allowed &= (edges[:, None] % 4 == direction) & (pairs % 4 == (direction + 2) % 4)
    values = np.full(pairs.shape, np.inf)
    _native.measure_pairs(seams, pairs, allowed, values)
    order = np.lexsort((pairs, values), axis=1)
    ranked = np.take_along_axis(values, order, axis=1).astype(np.float32)
    candidates = np.take_along_axis(pairs, order, axis=1)
    width = int(allowed.sum(axis=1).max())
    return np.where(np.isinf(ranked), NOTHING, candidates)[:, :width].astype(np.uint32), ranked[:, :width].copy()


def shortened(affinity: Affinity, k: int) -> Affinity:
    """The affinity with the first k candidates of each edge."""
    candidates, values = affinity.candidates[:, :k].copy(), affinity.dissimilarity[:, :k].copy()
    return replace(affinity, candidates=candidates, dissimilarity=values, buddies=best_buddies(candidates))


def best_buddies(candidates: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Mutual best candidates among edges that have no look-alike."""
    edges = np.arange(len(candidates), dtype=np.uint32)
    best = candidates[:, 0]
    is_edge = best < GROUP
    mutual = np.zeros(len(edges), bool)
    mutual[is_edge] = best[best[is_edge]] == edges[is_edge]
    return np.where(mutual, best, NOTHING).astype(np.uint32)
