"""2x2 superpieces: four pieces around a corner that the block grid leaves whole, compared as one.

Seams on block lines tell least of all, and in smooth skies hardly anything. Of the lines that pieces were cut along,
only every second one may lie between blocks. So a piece whose alignment is known has two good sides, and the four
pieces that meet where these cross close a loop of good seams: a superpiece. Its sides are twice as long. Two long sides
differ by the sum of what their halves differ by, which is known already: nothing is measured again. The superpieces
have loops of their own, and superpieces of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import DOWN, LEFT, NOTHING, RIGHT, UP, mirror, showing, shown
from rectoverso.matching.alignment import PHASE, SHORT_PHASE, Alignment
from rectoverso.matching.lists import CandidateLists, best_buddies
from rectoverso.matching.look_alikes import GROUP, LookAlikes
from rectoverso.matching.ratio import relative_lists, sorted_by_weight
from rectoverso.objective import CAP
from rectoverso.objective.loops import support_by_loops

Superpieces = NDArray[np.int64]
"""Superpieces x 2 x 2: the up edges of their pieces."""

WIDTH = 8
"""How many candidates of a side are tried for a loop."""

DOUBTFUL = 5.0
"""Loops whose four seams cost more than this together are wrong too often: two caps."""

FEWEST = 8
"""Fewer superpieces are not a puzzle."""

SLICE = 512


@dataclass(frozen=True)
class Level:
    """Pieces, or superpieces, and what is known of their edges.

    ``measured`` are the lists before they were made relative, ``lists`` those that count.
    """

    measured: CandidateLists
    lists: CandidateLists
    piece_size: int
    faces: int
    rotation_unknown: bool


def with_superpieces(level: Level, rounds: int, threads: int = 1) -> CandidateLists:
    """The lists with what the long sides of superpieces tell, which have superpieces themselves, and so on."""
    found = find_superpieces(level, threads)
    if len(found) < FEWEST:
        return level.lists
    sides = long_sides(found, level.faces)
    measured = long_lists(level.measured, sides, level.faces, threads)
    lists = support_by_loops(relative_lists(measured), rounds, level.lists.candidates.shape[1], threads)
    larger = replace(level, measured=measured, lists=lists, piece_size=2 * level.piece_size)
    return pooled(level.lists, with_superpieces(larger, rounds, threads), sides, threads)


def find_superpieces(level: Level, threads: int = 1) -> Superpieces:
    """The superpieces, best first; no piece is in two of them."""
    alignment = level.lists.alignment
    # If block lines run along every side there are no better ones.
    if alignment is None or level.piece_size % (int((alignment[:, 1] & PHASE).max()) + 1) == 0:
        return np.empty((0, 2, 2), np.int64)
    loops, totals = _find_loops(level, _may_be_inside(alignment, level.piece_size), threads)
    order = np.argsort(totals, kind="stable")
    first, second, third, fourth = loops[_disjoint(loops[order] // (4 * level.faces), order)].T
    rows = ((showing(first, RIGHT), showing(second, DOWN)), (showing(fourth, UP), showing(third, LEFT)))
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1)


def _may_be_inside(alignment: Alignment, piece_size: int) -> NDArray[np.bool_]:
    """For each edge whether it and the next one clockwise may be the good sides of a face, as far as that is known."""
    value, known = alignment.astype(np.int64).T
    good, bad = np.zeros((2, len(alignment)), bool)
    for mask in (SHORT_PHASE, PHASE):
        apart = math.gcd(piece_size, mask + 1)
        told = (known & PHASE == mask) & (apart <= mask)
        good[told] = (value[told] & PHASE) // apart % 2 == 1
        bad[told] = ~good[told]
    turned = [np.roll(np.stack([good, bad]).reshape(2, -1, 4), -i, axis=2) for i in range(4)]
    return (~turned[0][1] & ~turned[1][1] & ~turned[2][0] & ~turned[3][0]).ravel()


def _find_loops(
    level: Level, allowed: NDArray[np.bool_], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Four edges, each of which has the next one clockwise of the next piece for a candidate, and their cost."""
    after, weights = _following(level.lists, allowed)
    # With known rotations a superpiece begins at its upper left corner.
    begins = allowed & (level.rotation_unknown | (np.arange(len(allowed)) % 4 == RIGHT))
    starts, per_piece = np.flatnonzero(begins), 4 * level.faces
    found: dict[int, tuple[NDArray[np.int64], NDArray[np.float32]]] = {}

    def work(start: int, stop: int) -> None:
        loops, totals = starts[start:stop, None], np.zeros(stop - start, np.float32)
        for _ in range(3):
            following, more = after[loops[:, -1]], weights[loops[:, -1]]
            row, column = np.nonzero((totals[:, None] + more) <= DOUBTFUL)
            totals = totals[row] + more[row, column]
            loops = np.concatenate([loops[row], following[row, column, None]], axis=1)
            pieces = loops // per_piece
            new = (pieces[:, :-1] != pieces[:, -1:]).all(axis=1)
            loops, totals = loops[new], totals[new]
        closes = after[loops[:, 3]] == loops[:, :1]
        totals += np.where(closes, weights[loops[:, 3]], CAP).min(axis=1, initial=CAP)
        found[start] = loops[totals <= DOUBTFUL], totals[totals <= DOUBTFUL]

    over_slices(work, len(starts), threads, SLICE)
    if not found:
        return np.empty((0, 4), np.int64), np.empty(0, np.float32)
    loops, totals = zip(*(found[start] for start in sorted(found)), strict=True)
    return np.concatenate(loops), np.concatenate(totals)


def _following(lists: CandidateLists, allowed: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """For each edge the edges that may follow it in a loop, best first, and the weights of the seams between them."""
    touching = np.where(lists.candidates < GROUP, lists.candidates, 0).astype(np.int64)
    after = shown(touching, LEFT)
    fits = (lists.candidates < GROUP) & allowed[after] & allowed[:, None]
    weights = np.where(fits, np.minimum(lists.weights, CAP), np.inf).astype(np.float32)
    order = np.argsort(weights, axis=1, kind="stable")[:, :WIDTH]
    return np.take_along_axis(after, order, axis=1), np.take_along_axis(weights, order, axis=1)


def _disjoint(pieces: NDArray[np.int64], numbers: NDArray[np.int64]) -> list[int]:
    """The numbers of the loops, in their order, that have no piece of an earlier one."""
    used: set[int] = set()
    chosen = []
    for number, loop in zip(numbers.tolist(), pieces.tolist(), strict=True):
        if used.isdisjoint(loop):
            used.update(loop)
            chosen.append(number)
    return chosen


def long_sides(superpieces: Superpieces, faces: int) -> NDArray[np.int64]:
    """For each edge of the superpieces the two edges that it is made of, clockwise."""
    found = []
    seen = [superpieces] if faces == 1 else [superpieces, mirror(superpieces)[:, :, ::-1]]
    for ups in seen:
        corners = (ups[:, 0, 0], ups[:, 0, 1], ups[:, 1, 1], ups[:, 1, 0], ups[:, 0, 0])
        pairs = [(shown(corners[side], side), shown(corners[side + 1], side)) for side in range(4)]
        found.append(np.stack([np.stack(pair, axis=1) for pair in pairs], axis=1))
    return np.stack(found, axis=1).reshape(-1, 2)


def _places(sides: NDArray[np.int64], edges: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each edge the long side that it is a half of, or -1, and which half."""
    side_of, half_of = np.full(edges, -1), np.zeros(edges, np.int64)
    for half in range(2):
        side_of[sides[:, half]], half_of[sides[:, half]] = np.arange(len(sides)), half
    return side_of, half_of


def long_lists(lists: CandidateLists, sides: NDArray[np.int64], faces: int, threads: int = 1) -> CandidateLists:
    """The candidates of long sides: those that the list of either half tells, by the sum of both halves.

    A half that is not listed differs by what the list of its edge ends with, at least.
    """
    side_of, half_of = _places(sides, len(lists.candidates))
    width = lists.candidates.shape[1]
    candidates = np.full((len(sides), width), NOTHING, np.uint32)
    weights = np.full((len(sides), width), np.inf, np.float32)

    def work(start: int, stop: int) -> None:
        own = np.arange(start, stop) // (4 * faces)
        names, values, ends = [], [], []
        for half in range(2):
            listed, value = lists.candidates[sides[start:stop, half]], lists.weights[sides[start:stop, half]]
            edges = np.where(listed < GROUP, listed, 0)
            # The first half of a side touches the second one of another.
            long = np.where((listed < GROUP) & (half_of[edges] == 1 - half), side_of[edges], -1)
            names.append(np.where(long // (4 * faces) == own[:, None], -1, long))
            values.append(value)
            ends.append(np.where(np.isfinite(value), value, 0).max(axis=1, keepdims=True))
        same = (names[0][:, :, None] == names[1][:, None, :]) & (names[0][:, :, None] >= 0)
        first = values[0] + np.where(same, values[1][:, None, :], ends[1][:, :, None]).min(axis=2, initial=np.inf)
        second = np.where(same.any(axis=1), np.inf, values[1] + ends[0])
        joined = np.concatenate([names[0], np.where(same.any(axis=1), -1, names[1])], axis=1)
        sums = np.where(joined >= 0, np.concatenate([first, second], axis=1), np.inf)
        found, total = sorted_by_weight(np.where(joined >= 0, joined, NOTHING).astype(np.uint32), sums)
        candidates[start:stop], weights[start:stop] = found[:, :width], total[:, :width]

    over_slices(work, len(sides), threads, SLICE)
    if faces == 2:
        # The other face shows the same seams: equal weights must be in the same order there.
        edges = np.arange(len(sides))
        fronts = edges[edges // 4 % 2 == 0]
        front = candidates[fronts]
        candidates[mirror(fronts)] = np.where(front == NOTHING, NOTHING, mirror(front))
        weights[mirror(fronts)] = weights[fronts]
    alignment, slack = lists.alignment, lists.slack
    return replace(
        lists,
        candidates=candidates,
        weights=weights,
        buddies=best_buddies(candidates),
        look_alikes=LookAlikes.none(len(sides)),
        alignment=None if alignment is None else alignment[sides[:, 0]],
        slack=None if slack is None else slack[sides].sum(axis=1),
        search=None,
    )


def pooled(lists: CandidateLists, long: CandidateLists, sides: NDArray[np.int64], threads: int = 1) -> CandidateLists:
    """The lists of edges with those of the long sides.

    A seam between two superpieces weighs the geometric mean of its own weight and of the weight of the long seam that
    it is a part of; where either is not listed, that is the cap. All other seams keep their weights.
    """
    side_of, half_of = _places(sides, len(lists.candidates))
    edges = np.flatnonzero(side_of >= 0)
    candidates, weights = lists.candidates.copy(), lists.weights.copy()

    def work(start: int, stop: int) -> None:
        these = edges[start:stop]
        names = long.candidates[side_of[these]]
        theirs = sides[np.where(names < GROUP, names, 0), 1 - half_of[these][:, None]]
        theirs = np.where(names < GROUP, theirs, NOTHING)
        values = np.where(names < GROUP, long.weights[side_of[these]], np.inf)
        mine, own = lists.candidates[these], lists.weights[these]
        inside = (mine < GROUP) & (side_of[np.where(mine < GROUP, mine, 0)] >= 0)
        candidates[these], weights[these] = _merged(mine, own, inside, theirs, values)

    over_slices(work, len(edges), threads, SLICE)
    return lists.with_candidates(candidates, weights)


def _merged(
    mine: NDArray[np.uint32],
    own: NDArray[np.float32],
    inside: NDArray[np.bool_],
    theirs: NDArray[np.int64],
    values: NDArray[np.floating],
) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """The best of both lists of each row, as many as the first one has."""
    same = (mine[:, :, None] == theirs[:, None, :]) & (mine[:, :, None] != NOTHING)
    own_of_theirs = np.where(same, own[:, :, None], CAP).min(axis=1)
    theirs_too = same.any(axis=2)
    mean = np.sqrt(np.minimum(values, CAP) * np.minimum(own_of_theirs, CAP))
    values = np.where(theirs == NOTHING, np.inf, mean)
    own = np.where(inside, np.sqrt(np.minimum(own, CAP) * CAP), own)
    weights = np.concatenate([values, np.where(theirs_too, np.inf, own)], axis=1)
    entries = np.concatenate([theirs, np.where(theirs_too, NOTHING, mine)], axis=1)
    order = np.argsort(weights, axis=1, kind="stable")[:, : mine.shape[1]]
    weights = np.take_along_axis(weights, order, axis=1)
    entries = np.where(np.isinf(weights), NOTHING, np.take_along_axis(entries, order, axis=1))
    return entries.astype(np.uint32), weights.astype(np.float32)
