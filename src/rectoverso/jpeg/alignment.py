"""Grid alignment: where the block grid runs from each edge inward, and which direction the edge had in the file.

A solve needs no more of the file than this, in the neutral form of :mod:`rectoverso.matching.alignment`. A phase has a
period of 8 pixels where only the luma blocks are known, and of 16 where the chroma blocks are known, too. A piece of 28
pixels whose phases are known fits one cell in sixteen in each rotation. A piece whose direction is known has one
rotation.
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

COLLAGE_FACES, COLLAGE_SEAMS = 10, 3
"""A picture is a collage if two parts of at least so many faces, each with an alignment of its own, are joined by at
least so many certain seams."""


def find_alignment(
    inward: Sequence[GridOffsets | None], orientation: Sequence[GridOffsets | None], links: Pairs, piece_size: int
) -> Alignment | None:
    """The alignment of all edges; None if neither the block grid nor the orientation is known.

    ``inward`` has the inward offsets of luma and of chroma; ``orientation`` has the axis and the sense of edges. Each
    is None if it is not informative. A face that disagrees with most of its certain neighbors (``links``) was misread,
    so its alignment counts as unknown. A collage of several files has no alignment, because its parts may lie next to
    each other in any way.
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
        alignment = _direction_bits(axis, sense)
        if not is_collage(alignment, links, piece_size):
            alignment[_misread(alignment, links, piece_size)] = 0
            found = alignment if found is None else found | alignment
    return found


def _direction_bits(axis: GridOffsets, sense: GridOffsets | None) -> Alignment:
    """The alignment by orientation alone: only the bits of the direction are known."""
    value = np.where(axis.offset != 0, AXIS, 0)
    known = np.where(axis.level >= SURE, AXIS, 0)
    if sense is not None:
        value |= np.where(sense.offset != 1, DIRECTION - AXIS, 0)
        known |= np.where(sense.level >= SURE, DIRECTION, 0)
    return np.stack([value & known, known], axis=1).astype(np.uint8)


def _agreement(alignment: Alignment, links: Pairs, piece_size: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """By seam: in how many axes (0 to 2) both faces have a known alignment, and whether these contradict each other."""
    one, other = (edges.astype(np.int64) for edges in links)
    value, known = alignment.astype(np.int64).T
    axes, broken = np.zeros(len(one), np.int64), np.zeros(len(one), bool)
    # Both pieces are turned so that they lie side by side: first their rows are compared, then their columns.
    for a, b, further in (
        (showing(one, RIGHT), showing(other, LEFT), 0),
        (shown(showing(one, RIGHT), LEFT), other, piece_size),
    ):
        both = known[a] & known[b]
        axes += both > 0
        broken |= (value[a] ^ moved(value[b], further)) & both != 0
    return axes, broken


def _misread(alignment: Alignment, links: Pairs, piece_size: int) -> NDArray[np.bool_]:
    """The edges of faces whose alignment is contradicted by more of their certain seams than confirm it."""
    axes, broken = _agreement(alignment, links, piece_size)
    faces, number = links[0] // 4, len(alignment) // 4
    breaking = np.bincount(faces[broken], minlength=number)
    return np.repeat(breaking > np.bincount(faces[(axes > 0) & ~broken], minlength=number), 4)


def is_collage(alignment: Alignment, links: Pairs, piece_size: int) -> bool:
    """Whether two large parts, each with one alignment, certainly touch but have different alignments.

    Seams between two parts count together only if they put the parts in the same place.
    """
    axes, broken = _agreement(alignment, links, piece_size)
    kept = (axes == 2) & ~broken
    part, cells, ups = _parts((links[0][kept], links[1][kept]), len(alignment))
    large = np.bincount(part, minlength=len(part)) >= COLLAGE_FACES
    joints: Counter[tuple[int, ...]] = Counter()
    for one, other in zip(links[0][broken].tolist(), links[1][broken].tolist(), strict=True):
        here, there = one // 4, other // 4
        if large[part[here]] and large[part[there]] and part[here] < part[there]:
            direction = (one - ups[here]) % 4
            turn = (showing(other, opposite(direction)) - ups[there]) % 4
            place = np.add(cells[here], STEPS[direction]) - _turned(cells[there], turn)
            joints[int(part[here]), int(part[there]), int(turn), *place.tolist()] += 1
    return max(joints.values(), default=0) >= COLLAGE_SEAMS


def _turned(cell: NDArray[np.int64], turn: int) -> NDArray[np.int64]:
    """A cell of a part after so many quarter turns counterclockwise."""
    row, column = cell
    return np.array([(row, column), (-column, row), (-row, -column), (column, -row)][turn])


def _parts(links: Pairs, edges: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """By face: the first face of its connected part, its cell in that part, and its up edge there."""
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
