"""Moves of segments: what hangs together goes beside a better candidate, and what lay there takes its place.

Patches grow piece by piece and cannot carry a block of sky to the other end of the picture. A segment stays as it is
and may turn; if it slides over its own place, what it leaves in front is passed behind it. Seams on the lines of an
alignment pattern tell least, so parts that are right in themselves often lie between two of these lines: such fields
are moved, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rectoverso._native_geometry import GROUP, _0, _1, _2, _3, _4, cell_at, column_of, row_of, turned
from rectoverso.evolve._native_alignment import OF_COLUMNS, OF_ROWS, PHASE, aligned, stride_of
from rectoverso.evolve._native_weights import COST_SCALE
from rectoverso.native import draw, native, native_part, stream_key
from rectoverso.repair._native_annealing import accepts, is_doubtful, seam_at, uniform
from rectoverso.repair._native_patch import NEAR, in_strip, may_join

LEFT_ONLY, SHARED, REACHED_ONLY = (np.uint32(i) for i in range(3))
"""Marks of cells, beside the step's own: which the segment leaves, keeps, and comes to."""

KINDS = np.uint32(3)

FIELDS = np.uint64(8)
"""One segment in so many is a field: all between two lines of the pattern, rather than what hangs together."""


class Segment(NamedTuple):
    """The cells of a segment, those that it comes to, and all that a move changes with what lay there.

    ``doubtful`` are the cells that segments are looked for around; ``strip`` is as in a patch.
    """

    cells: Any
    targets: Any
    ups: Any
    marks: Any
    doubtful: Any
    random: Any
    strip: Any


@native_part
def list_doubtful(parent: Any, tables: Any, rules: Any, segment: Any) -> np.uint64:
    """List the doubtful cells of the strip, and give their number."""
    count, strip = _0, segment.strip
    for row in range(strip[0], strip[0] + strip[1] + _1):
        for column in range(strip[2], strip[2] + strip[3] + _1):
            cell = cell_at(row, column, rules)
            if is_doubtful(cell, parent, tables):
                segment.doubtful[count] = cell
                count += _1
    return count


@native_part
def choose_place(
    cell: Any, parent: Any, kernel: Any, tables: Any, rules: Any, segment: Any
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Where a piece would lie beside a candidate that fits better than what it touches: the side, and how it turns.

    If there is no such place, it is the piece's own cell.
    """
    direction = draw(segment.random, _4)
    rank = draw(segment.random, np.uint64(min(NEAR, tables.candidates.shape[1])))
    up = np.uint64(parent.board[cell])
    edge = turned(up, direction)
    entry = np.uint64(tables.candidates[edge, rank])
    if entry >= GROUP or tables.weights[edge, rank] * COST_SCALE > seam_at(cell, direction, parent, tables):
        return cell, _0, _0
    beside = np.uint64(parent.at[entry >> rules.piece_shift])
    there = np.uint64(parent.board[beside])
    facing = (entry - there) & _3
    place, quarters = beside + parent.steps[facing], (facing + _2 - direction) & _3
    # A candidate in another strip is too far away, wherever it lies by now: there is a line between strips.
    if (there ^ entry) & ~_3 != _0 or not in_strip(place, rules, segment):
        return cell, _0, _0
    keeps = aligned(place, turned(up, _0 - quarters), kernel, tables, rules)
    return place if keeps else cell, direction, quarters


@native_part
def gather(
    cell: Any, sizes: Any, seams: Any, mark: Any, parent: Any, tables: Any, rules: Any, segment: Any
) -> np.uint64:
    """Take the cells that hang together with one by seams of at most some cost, at most so many; gives their number."""
    size = np.uint64(sizes[0] * (sizes[1] / sizes[0]) ** uniform(segment.random))
    most = np.int64(COST_SCALE * (seams[0] + (seams[1] - seams[0]) * uniform(segment.random)))
    segment.cells[0], segment.marks[cell] = cell, mark
    at, count = _0, _1
    while at < count:
        cell = np.uint64(segment.cells[at])
        at += _1
        for direction in range(_4):
            target = cell + parent.steps[direction]
            if count == size or not may_join(target, mark, parent, rules, segment):
                continue
            if seam_at(cell, direction, parent, tables) <= most:
                segment.cells[count], segment.marks[target] = target, mark
                count += _1
    return count


@native_part
def line_before(line: Any, first: Any, axis: int, kernel: Any, rules: Any) -> np.uint64:
    """The row, or column, from one on backward, before which a line of the pattern runs; no further than the first."""
    while line > first and (kernel.alignment[axis] - line * stride_of(axis, rules)) & PHASE != _0:
        line -= _1
    return line


@native_part
def line_after(line: Any, last: Any, axis: int, kernel: Any, rules: Any) -> np.uint64:
    """The same from one on forward; no further than the last."""
    while line < last and (kernel.alignment[axis] - line * stride_of(axis, rules)) & PHASE != _0:
        line += _1
    return line


@native_part
def field_around(line: Any, first: Any, further: Any, axis: int, kernel: Any, rules: Any, segment: Any) -> Any:
    """Where the field around a row, or column, begins and ends; in two cases of three the next one belongs to it."""
    last, more = first + further + _1, draw(segment.random, _3)
    low, high = line_before(line, first, axis, kernel, rules), line_after(line + _1, last, axis, kernel, rules)
    if more == _1 and low > first:
        low = line_before(low - _1, first, axis, kernel, rules)
    if more == _2 and high < last:
        high = line_after(high + _1, last, axis, kernel, rules)
    return low, high


@native_part
def gather_field(cell: Any, sizes: Any, mark: Any, kernel: Any, rules: Any, segment: Any) -> np.uint64:
    """Take the cells around one between lines of the pattern; gives their number, 0 if too many."""
    strip = segment.strip
    row, column = row_of(cell, rules), column_of(cell, rules)
    top, bottom = field_around(row, strip[0], strip[1], OF_ROWS, kernel, rules, segment)
    left, right = field_around(column, strip[2], strip[3], OF_COLUMNS, kernel, rules, segment)
    if np.float64((bottom - top) * (right - left)) > sizes[1]:
        return _0
    segment.cells[0], count = cell, _1
    for row in range(top, bottom):
        for column in range(left, right):
            target = cell_at(row, column, rules)
            segment.marks[target] = mark
            if target != cell:
                segment.cells[count] = target
                count += _1
    return count


@native_part
def choose_segment(
    cell: Any, sizes: Any, seams: Any, mark: Any, parent: Any, kernel: Any, tables: Any, rules: Any, segment: Any
) -> np.uint64:
    """Take a segment around a cell, and give its number of cells: what hangs together or, now and then, a field."""
    on_lines = kernel.alignment[1] & kernel.alignment[3] & PHASE == PHASE
    if on_lines and draw(segment.random, FIELDS) == _0:
        return gather_field(cell, sizes, mark, kernel, rules, segment)
    return gather(cell, sizes, seams, mark, parent, tables, rules, segment)


@native_part
def turned_step(rows: np.int64, columns: np.int64, quarters: np.uint64) -> tuple[np.int64, np.int64]:
    """A step on the board, turned clockwise."""
    if quarters == _1:
        return columns, -rows
    if quarters == _2:
        return -rows, -columns
    if quarters == _3:
        return -columns, rows
    return rows, columns


@native_part
def aim(count: Any, pivot: Any, place: Any, quarters: Any, mark: Any, rules: Any, segment: Any) -> np.uint64:
    """Find where all cells of a segment come to lie, its pivot on a place, and mark and list what that changes.

    Gives the number of cells that change: 0 if the segment would leave the strip, or turn on its own place.
    """
    strip, changed = segment.strip, count
    for i in range(count):
        cell = np.uint64(segment.cells[i])
        rows, columns = turned_step(
            np.int64(row_of(cell, rules)) - np.int64(row_of(pivot, rules)),
            np.int64(column_of(cell, rules)) - np.int64(column_of(pivot, rules)),
            quarters,
        )
        row = np.uint64(np.int64(row_of(place, rules)) + rows)
        column = np.uint64(np.int64(column_of(place, rules)) + columns)
        if row - strip[0] > strip[1] or column - strip[2] > strip[3]:
            return _0
        target = cell_at(row, column, rules)
        segment.targets[i] = target
        if segment.marks[target] == mark + LEFT_ONLY:
            if quarters != _0:
                return _0
            segment.marks[target] = mark + SHARED
        else:
            segment.cells[changed], segment.marks[target] = target, mark + REACHED_ONLY
            changed += _1
    return changed


@native_part
def cost_without(kept: Any, changed: Any, mark: Any, parent: Any, tables: Any, segment: Any) -> np.int64:
    """What the seams of all cells that change cost, each counted once, but for those between cells of a segment.

    ``kept`` is the first of the two marks that its cells have, before the move or after it.
    """
    total = np.int64(0)
    for i in range(changed):
        cell = np.uint64(segment.cells[i])
        own = segment.marks[cell] - kept
        for direction in range(_4):
            beyond = segment.marks[cell + parent.steps[direction]]
            if beyond - mark < KINDS and (direction == _0 or direction == _3 or (own < 2 and beyond - kept < 2)):
                continue
            total += seam_at(cell, direction, parent, tables)
    return total


@native_part
def lay(cell: Any, up: Any, parent: Any, rules: Any) -> None:
    """Put a piece into a cell."""
    parent.board[cell] = up
    parent.at[up >> rules.piece_shift] = cell


@native_part
def move(count: Any, changed: Any, quarters: Any, mark: Any, parent: Any, rules: Any, segment: Any) -> None:
    """Move a segment to its targets, and what lay there to where it came from."""
    for i in range(changed):
        segment.ups[i] = parent.board[segment.cells[i]]
    back, reached = np.uint64(segment.cells[0]) - np.uint64(segment.targets[0]), count
    for i in range(count):
        up, target = np.uint64(segment.ups[i]), np.uint64(segment.targets[i])
        lay(target, turned(up, _0 - quarters), parent, rules)
    for i in range(count):
        if segment.marks[segment.targets[i]] != mark + REACHED_ONLY:
            continue
        up, cell = np.uint64(segment.ups[reached]), np.uint64(segment.cells[i])
        reached += _1
        while segment.marks[cell] == mark + SHARED:
            cell += back
        lay(cell, turned(up, quarters), parent, rules)


@native_part
def all_aligned(changed: Any, parent: Any, kernel: Any, tables: Any, rules: Any, segment: Any) -> bool:
    """Whether all that was moved is aligned."""
    for i in range(changed):
        cell = np.uint64(segment.cells[i])
        if not aligned(cell, np.uint64(parent.board[cell]), kernel, tables, rules):
            return False
    return True


@native
def move_segments(
    steps: int,
    seed: np.uint64,
    number: np.uint64,
    temperature: float,
    sizes: Any,
    seams: Any,
    parent: Any,
    kernel: Any,
    tables: Any,
    rules: Any,
    segment: Any,
) -> int:
    """So many tries to move a segment of a strip, accepted by annealing at one temperature; gives how many were.

    ``sizes`` and ``seams``: the least and most pieces of a segment, and of what the seams that hold it together count.
    """
    segment.marks[:] = 0
    doubtful, accepted = list_doubtful(parent, tables, rules, segment), 0
    for step in range(steps if doubtful > _0 else 0):
        segment.random[0] = stream_key(seed, number, np.uint64(step))
        mark = np.uint32(1 + 3 * step)
        start = np.uint64(segment.doubtful[draw(segment.random, doubtful)])
        place, direction, quarters = choose_place(start, parent, kernel, tables, rules, segment)
        if place == start:
            continue
        count = choose_segment(start, sizes, seams, mark, parent, kernel, tables, rules, segment)
        beside = place + parent.steps[(direction + quarters) & _3]
        if count == _0 or segment.marks[beside] == mark or segment.marks[start + parent.steps[direction]] == mark:
            continue
        changed = aim(count, start, place, quarters, mark, rules, segment)
        if changed == _0:
            continue
        before = cost_without(mark + LEFT_ONLY, changed, mark, parent, tables, segment)
        move(count, changed, quarters, mark, parent, rules, segment)
        if all_aligned(changed, parent, kernel, tables, rules, segment):
            after = cost_without(mark + SHARED, changed, mark, parent, tables, segment)
            if accepts(np.float64(after - before) / COST_SCALE, temperature, segment.random):
                accepted += 1
                continue
        for i in range(changed):
            lay(np.uint64(segment.cells[i]), np.uint64(segment.ups[i]), parent, rules)
    return accepted
