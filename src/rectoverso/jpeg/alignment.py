"""Grid alignment: where the block grid runs from each edge inward, and which direction the edge had in the file.

It is what a solve must know of the file, in the neutral form of :mod:`rectoverso.matching.alignment`. Phases have a
period of 8 pixels where only the luma blocks show, and of 16 where the chroma blocks do. A piece of 28 pixels whose
phases are known fits one cell in sixteen in each rotation, and one whose direction is known has one rotation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import LEFT, NOTHING, RIGHT, STEPS, opposite, showing, shown
from rectoverso.jpeg.aligned import SURE
from rectoverso.jpeg.likelihood import Pairs
from rectoverso.jpeg.offsets import BLOCK, GridOffsets
from rectoverso.matching.alignment import AXIS, DIRECTION, Alignment, moved

MANY, SEVERAL = 10, 3
"""Two parts of so many faces with grids of their own, joined by so many certain seams: the picture is a collage."""


def find_alignment(
    inward: Sequence[GridOffsets | None], orientation: Sequence[GridOffsets | None], links: Pairs, piece_size: int
) -> Alignment | None:
    """The alignment by the inward all_offsets of brightness and of colors, and by orientation; None if there is neither.

    Faces that disagree with most of those that they certainly touch (``links``) were misread, and know nothing. A
    picture that is a collage of several files has no alignment: its parts may lie next to each other anyhow.
    """
    found: Alignment | None = None
    for offsets, scale in zip(inward, (1, 2), strict=False):
        if offsets is None:
            continue
        alignment = np.zeros((len(offsets.offset), 2), np.uint8) if found is None else found.copy()
        known = offsets.level >= SURE
        alignment[known, 0] = offsets.offset[known].astype(np.int64) * scale % 16
        alignment[known, 1] = BLOCK * scale - 1
        if is_collage(alignment, links, piece_size):
            break
        alignment[_misread(alignment, links, piece_size)] = 0
        found = alignment
    axis, sense = orientation or (None, None)
    if axis is not None:
        alignment = _orientation(axis, sense)
        if not is_collage(alignment, links, piece_size):
            alignment[_misread(alignment, links, piece_size)] = 0
            found = alignment if found is None else found | alignment
    return found


def _orientation(axis: GridOffsets, sense: GridOffsets | None) -> Alignment:
    """Headings as alignment."""
    value = np.where(axis.offset != 0, AXIS, 0)
    known = np.where(axis.level >= SURE, AXIS, 0)
    if sense is not None:
        value |= np.where(sense.offset != 1, DIRECTION - AXIS, 0)
        known |= np.where(sense.level >= SURE, DIRECTION, 0)
    return np.stack([value & known, known], axis=1).astype(np.uint8)


def _agreement(alignment: Alignment, links: Pairs, piece_size: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each seam by how much both faces know of the grid (rows, columns: 0 to 2), and whether that breaks there."""
    one, other = (edges.astype(np.int64) for edges in links)
    offset, known = alignment.astype(np.int64).T
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


def _misread(alignment: Alignment, links: Pairs, piece_size: int) -> NDArray[np.bool_]:
    """The edges of faces that break the grid in more of their certain seams than they keep it in."""
    told, broken = _agreement(alignment, links, piece_size)
    faces, number = links[0] // 4, len(alignment) // 4
    breaking = np.bincount(faces[broken], minlength=number)
    return np.repeat(breaking > np.bincount(faces[(told > 0) & ~broken], minlength=number), 4)


def is_collage(alignment: Alignment, links: Pairs, piece_size: int) -> bool:
    """Whether two large parts, each with one grid, lie next to each other for sure but have not the same grid."""
    told, broken = _agreement(alignment, links, piece_size)
    kept = (told == 2) & ~broken
    part, cells, ups = _parts((links[0][kept], links[1][kept]), len(alignment))
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
