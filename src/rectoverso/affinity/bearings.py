"""Bearings: where the compression grid runs from each edge inward, and where the edge looked in the file.

They are for a search that keeps to one grid. A bearing is a number and the mask of its bits that are known. The lower
four are an offset: 7 where only the blocks of brightness show (8 pixels), 15 where those of colors do, 0 where nothing
does. The two above are the direction of the edge in the file: whether it is up or down rather than left or right, and
which of both. A piece whose offsets are known fits few cells, one in sixteen of each rotation if pieces are 28 pixels
wide, and one whose direction is known has one rotation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.rulers import BLOCK, Ruler
from rectoverso.affinity.stepping import SURE
from rectoverso.affinity.witnesses import Pairs
from rectoverso.geometry import LEFT, NOTHING, RIGHT, STEPS, UP, opposite, showing, shown

Bearings = NDArray[np.uint8]

OFFSET, AXIS, HEADING = 15, 16, 48
"""The bits of an offset, that of rows or columns, and all that tell of a direction."""

COMMON = 0.6
"""So many pieces of an arrangement must have the same grid for the others to follow it."""

MANY, SEVERAL = 10, 3
"""Two parts of so many faces with grids of their own, joined by so many certain seams: the picture is a collage."""


def find_bearings(
    inward: Sequence[Ruler | None], headings: Sequence[Ruler | None], links: Pairs, piece_size: int
) -> Bearings | None:
    """The bearings by the inward rulers of brightness and of colors, and by headings; None if there is neither.

    Faces that disagree with most of those that they certainly touch (``links``) were misread, and know nothing. A
    picture that is a collage of several files has no bearings: its parts may lie next to each other anyhow.
    """
    found: Bearings | None = None
    for ruler, scale in zip(inward, (1, 2), strict=False):
        if ruler is None:
            continue
        bearings = np.zeros((len(ruler.offset), 2), np.uint8) if found is None else found.copy()
        known = ruler.level >= SURE
        bearings[known, 0] = ruler.offset[known].astype(np.int64) * scale % 16
        bearings[known, 1] = BLOCK * scale - 1
        if is_collage(bearings, links, piece_size):
            break
        bearings[_misread(bearings, links, piece_size)] = 0
        found = bearings
    axis, sense = headings or (None, None)
    if axis is not None:
        bearings = _headings(axis, sense)
        if not is_collage(bearings, links, piece_size):
            bearings[_misread(bearings, links, piece_size)] = 0
            found = bearings if found is None else found | bearings
    return found


def _headings(axis: Ruler, sense: Ruler | None) -> Bearings:
    """Headings as bearings."""
    value = np.where(axis.offset != 0, AXIS, 0)
    known = np.where(axis.level >= SURE, AXIS, 0)
    if sense is not None:
        value |= np.where(sense.offset != 1, HEADING - AXIS, 0)
        known |= np.where(sense.level >= SURE, HEADING, 0)
    return np.stack([value & known, known], axis=1).astype(np.uint8)


def moved(bearing: NDArray[np.int64], further: NDArray[np.integer] | np.integer | int) -> NDArray[np.int64]:
    """A bearing as it is so many pixels before: only its offset changes."""
    return ((bearing + further) & OFFSET) | (bearing & HEADING)


def _agreement(bearings: Bearings, links: Pairs, piece_size: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each seam by how much both faces know of the grid (rows, columns: 0 to 2), and whether that breaks there."""
    one, other = (edges.astype(np.int64) for edges in links)
    offset, known = bearings.astype(np.int64).T
    told, broken = np.zeros(len(one), np.int64), np.zeros(len(one), bool)
    # Turned so that they lie side by side.
    for a, b, further in (
        (showing(one, RIGHT), showing(other, LEFT), 0),
        (shown(showing(one, RIGHT), LEFT), other, piece_size),
    ):
        both = known[a] & known[b]
        told += both > 0
        broken |= (offset[a] ^ moved(offset[b], further)) & both != 0
    return told, broken


def _misread(bearings: Bearings, links: Pairs, piece_size: int) -> NDArray[np.bool_]:
    """The edges of faces that break the grid in more of their certain seams than they keep it in."""
    told, broken = _agreement(bearings, links, piece_size)
    faces, number = links[0] // 4, len(bearings) // 4
    breaking = np.bincount(faces[broken], minlength=number)
    return np.repeat(breaking > np.bincount(faces[(told > 0) & ~broken], minlength=number), 4)


def is_collage(bearings: Bearings, links: Pairs, piece_size: int) -> bool:
    """Whether two large parts, each with one grid, lie next to each other for sure but have not the same grid."""
    told, broken = _agreement(bearings, links, piece_size)
    kept = (told == 2) & ~broken
    part, cells, ups = _parts((links[0][kept], links[1][kept]), len(bearings))
    large = np.bincount(part, minlength=len(part)) >= MANY
    joints: Counter[tuple[int, ...]] = Counter()
    for one, other in zip(links[0][broken].tolist(), links[1][broken].tolist(), strict=True):
        here, there = one // 4, other // 4
        if large[part[here]] and large[part[there]] and part[here] < part[there]:
            direction = (one - ups[here]) % 4
            turn = (showing(other, opposite(direction)) - ups[there]) % 4
            place = np.add(cells[here], STEPS[direction]) - _turned(cells[there], turn)
            joints[int(part[here]), int(part[there]), int(turn), *place.tolist()] += 1
    return max(joints.values(), default=0) >= SEVERAL


def _turned(cell: NDArray[np.int64], turn: int) -> NDArray[np.int64]:
    """A cell of a part that is turned counterclockwise so often."""
    row, column = cell
    return np.array([(row, column), (-column, row), (-row, -column), (column, -row)][turn])


def _parts(links: Pairs, edges: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """By face: the first face of those that it hangs together with, its cell among them, and its up edge."""
    table = np.full(edges, NOTHING, np.int64)
    table[links[0]] = links[1]
    neighbors = table.tolist()
    part, cells, ups = [-1] * (edges // 4), [(0, 0)] * (edges // 4), list(range(0, edges, 4))
    for first in range(edges // 4):
        if part[first] >= 0:
            continue
        part[first] = first
        waiting = [first]
        while waiting:
            face = waiting.pop()
            for direction, (down, right) in enumerate(STEPS):
                edge = neighbors[shown(ups[face], direction)]
                other = edge // 4
                if edge != NOTHING and part[other] < 0:
                    part[other] = first
                    cells[other] = (cells[face][0] + down, cells[face][1] + right)
                    ups[other] = showing(edge, opposite(direction))
                    waiting.append(other)
    return np.array(part), np.array(cells), np.array(ups)


def common_bearing(bearings: Bearings, ups: NDArray[np.uint32], piece_size: int) -> NDArray[np.uint64]:
    """What most pieces of an arrangement (up edges by row and column) tell of the grid: where it runs, what is known.

    That is for rows and for columns, which are numbered from 1 on.
    """
    row, column = np.indices(ups.shape) + 1
    found: list[int] = []
    for side, lines in ((UP, row), (LEFT, column)):
        edges = shown(ups.astype(np.int64), side)
        offset, known = np.moveaxis(bearings[edges].astype(np.int64), 2, 0)
        there = moved(offset, lines * piece_size)
        runs, told = 0, 0
        for mask in (BLOCK - 1, OFFSET, AXIS, HEADING):
            votes = Counter((there & mask)[known & mask == mask].tolist())
            for most, count in votes.most_common(1):
                if count > COMMON * votes.total():
                    runs, told = runs & ~mask | most, told | mask
        found += [runs, told]
    return np.array(found, np.uint64)
