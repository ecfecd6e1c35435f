"""Quads: four pieces around a corner that the compression grid leaves whole, as one piece of a smaller puzzle.

EdgeDescriptors on lines between blocks tell least of all, and in smooth skies hardly anything. Of the lines that pieces were cut
along only every second one may lie between blocks: so of a piece whose alignment are known two sides are good, and the
four pieces that meet where these cross close a square of good seams. They make a quad, a piece of another puzzle that
has a quarter as many pieces, and sides twice as long that tell more.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import DOWN, LEFT, RIGHT, UP, mirror, showing, shown
from rectoverso.matching.alignment import PHASE, Alignment
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.look_alikes import GROUP
from rectoverso.puzzle.puzzle import Puzzle

Quads = NDArray[np.int64]
"""Quads x 2 x 2: the up edges of their pieces."""

WIDTH = 8
"""How many candidates of a side are tried."""

UNLISTED = 2.5
"""What a seam of a quad counts that is not among these; others count no more."""

DOUBTFUL = 5.0
"""Quads whose seams count more than this together are wrong too often."""

SLICE = 512


def find_quads(puzzle: Puzzle, lists: CandidateLists, threads: int = 1) -> Quads:
    """The quads of a puzzle, best first; no piece is in two of them."""
    # If lines between blocks run along every side there are no better ones.
    if lists.alignment is None or puzzle.piece_size % (int((lists.alignment[:, 1] & PHASE).max()) + 1) == 0:
        return np.empty((0, 2, 2), np.int64)
    allowed = _may_be_inside(lists.alignment, puzzle.piece_size)
    loops, totals = _find_loops(puzzle, lists, allowed, threads)
    order = np.argsort(totals, kind="stable")
    first, second, third, fourth = loops[_disjoint(loops[order] // (4 * puzzle.faces), order)].T
    rows = ((showing(first, RIGHT), showing(second, DOWN)), (showing(fourth, UP), showing(third, LEFT)))
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1)


def _may_be_inside(alignment: Alignment, piece_size: int) -> NDArray[np.bool_]:
    """For each edge whether it and the next one clockwise may be the good sides of a face, as far as that is known."""
    offset, known = alignment.astype(np.int64).T
    good, bad = np.zeros((2, len(alignment)), bool)
    for mask in (7, 15):
        apart = math.gcd(piece_size, mask + 1)
        told = (known & PHASE == mask) & (apart <= mask)
        good[told] = (offset[told] & PHASE) // apart % 2 == 1
        bad[told] = ~good[told]
    turned = [np.roll(np.stack([good, bad]).reshape(2, -1, 4), -i, axis=2) for i in range(4)]
    return (~turned[0][1] & ~turned[1][1] & ~turned[2][0] & ~turned[3][0]).ravel()


def _find_loops(
    puzzle: Puzzle, lists: CandidateLists, allowed: NDArray[np.bool_], threads: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Four edges, each of which has the next one clockwise of the next piece for a candidate, and what they count."""
    after, weights = _following(lists, allowed)
    # With known rotations a quad begins at its upper left corner.
    begins = allowed & (puzzle.type.rotation_unknown | (np.arange(len(allowed)) % 4 == RIGHT))
    starts, per_piece = np.flatnonzero(begins), 4 * puzzle.faces
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
        totals += np.where(closes, weights[loops[:, 3]], UNLISTED).min(axis=1, initial=UNLISTED)
        found[start] = loops[totals <= DOUBTFUL], totals[totals <= DOUBTFUL]

    over_slices(work, len(starts), threads, SLICE)
    if not found:
        return np.empty((0, 4), np.int64), np.empty(0, np.float32)
    loops, totals = zip(*(found[start] for start in sorted(found)), strict=True)
    return np.concatenate(loops), np.concatenate(totals)


def _following(lists: CandidateLists, allowed: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """For each edge the edges that may follow it in a loop, best first, and what the seams between them count."""
    touching = np.where(lists.candidates < GROUP, lists.candidates, 0).astype(np.int64)
    after = shown(touching, LEFT)
    fits = (lists.candidates < GROUP) & allowed[after] & allowed[:, None]
    weights = np.where(fits, np.minimum(lists.weights, UNLISTED), np.inf).astype(np.float32)
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


def puzzle_of_quads(puzzle: Puzzle, quads: Quads) -> Puzzle:
    """The puzzle whose pieces are quads; its frame means nothing."""
    size = puzzle.piece_size
    pixels = np.empty((len(quads), puzzle.faces, 2 * size, 2 * size, 3), np.uint8)
    for face, ups in enumerate(_seen_from(quads, puzzle.faces)):
        for row in range(2):
            for column in range(2):
                up = ups[:, row, column]
                room = np.s_[row * size : (row + 1) * size, column * size : (column + 1) * size]
                for side in range(4):
                    turned = np.flatnonzero(up % 4 == side)
                    piece, shows = np.divmod(up[turned] // 4, puzzle.faces)
                    pixels[turned, face, *room] = np.rot90(puzzle.pixels[piece, shows], side, axes=(1, 2))
    return Puzzle(pixels, puzzle.type, 1, len(quads), name=puzzle.name)


def sides_of_quads(quads: Quads, faces: int) -> NDArray[np.int64]:
    """For each edge of the puzzle of quads the two edges that it is made of, clockwise."""
    found = []
    for ups in _seen_from(quads, faces):
        corners = (ups[:, 0, 0], ups[:, 0, 1], ups[:, 1, 1], ups[:, 1, 0], ups[:, 0, 0])
        pairs = [(shown(corners[side], side), shown(corners[side + 1], side)) for side in range(4)]
        found.append(np.stack([np.stack(pair, axis=1) for pair in pairs], axis=1))
    return np.stack(found, axis=1).reshape(-1, 2)


def _seen_from(quads: Quads, faces: int) -> list[Quads]:
    """The up edges of quads as they lie, and as they lie turned over."""
    return [quads] if faces == 1 else [quads, mirror(quads)[:, :, ::-1]]
