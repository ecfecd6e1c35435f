"""Moves of segments, literally: lay what hangs together beside a better candidate, and what lay there where it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rectoverso.geometry import NOTHING, opposite, shown
from rectoverso.reference.extensions.annealing import Annealing
from rectoverso.reference.extensions.kernel import FIXED, UNKNOWN, AlignedKernel, Alignments, ExtendedRules
from rectoverso.reference.extensions.patch import NEAR, Arrangement, Strip, as_rows
from rectoverso.reference.paper.kernel import GROUP, Cell, beyond
from rectoverso.reference.paper.random import Stream

FIELDS = 8
"""One segment in so many is a field between lines of the pattern."""


def turned(up: int, quarters: int) -> int:
    """A placed piece after so many quarters clockwise."""
    return up - up % 4 + (up - quarters) % 4


def cells_of(strip: Strip) -> list[Cell]:
    """All cells of a strip, row by row."""
    rows, columns = range(strip[0] - 1, strip[0] + strip[1]), range(strip[2] - 1, strip[2] + strip[3])
    return [(row, column) for row in rows for column in columns]


def choose_place(
    rules: ExtendedRules, lying: Arrangement, cell: Cell, random: Stream
) -> tuple[Cell, Cell, int, int] | None:
    """The place beside a better candidate of a piece, the candidate's cell, on which side it was, and how it turns."""
    direction, rank = random.draw(4), random.draw(min(NEAR, rules.num_candidates))
    candidates = rules.candidates[shown(lying.ups[cell], direction)]
    if rank >= len(candidates) or candidates[rank][0] >= GROUP:
        return None
    if candidates[rank][1] * 2**20 > lying.seam(cell, direction):
        return None
    for beside, up in lying.ups.items():
        for facing in range(4):
            if shown(up, facing) == candidates[rank][0]:
                return beyond(beside, facing), beside, direction, (opposite(facing) - direction) % 4
    return None


def gather(
    lying: Arrangement, start: Cell, strip: Strip, sizes: Sequence[float], seams: Sequence[float], random: Stream
) -> list[Cell]:
    """What hangs together with a cell by seams that count at most so much, ring by ring, at most so many cells."""
    size = int(sizes[0] * (sizes[1] / sizes[0]) ** (random.draw(NOTHING) / 2**32))
    most = int(2**20 * (seams[0] + (seams[1] - seams[0]) * (random.draw(NOTHING) / 2**32)))
    within, cells = cells_of(strip), [start]
    for cell in cells:
        for direction in range(4):
            target = beyond(cell, direction)
            joins = len(cells) < size and target in within and target not in cells
            if joins and lying.seam(cell, direction) <= most:
                cells.append(target)
    return cells


def field_around(line: int, first: int, last: int, lines: Sequence[int], random: Stream) -> range:
    """The lines of a strip between two at which a field begins, around one, maybe with the field beside it."""
    starts = [first, *(start for start in lines if first < start < last), last]
    at = max(i for i, start in enumerate(starts) if start <= line)
    more = random.draw(3)
    low, high = max(0, at - (more == 1)), min(len(starts) - 1, at + 1 + (more == 2))
    return range(starts[low], starts[high])


def gather_field(
    start: Cell, strip: Strip, most: float, alignment: Alignments, strides: tuple[int, int], random: Stream
) -> list[Cell]:
    """All between lines of the pattern around a cell, which comes first; nothing if too many."""
    spans = []
    for line, first, further, (runs, _), stride in zip(start, strip[::2], strip[1::2], alignment, strides, strict=True):
        last = first + further
        lines = [at for at in range(first, last) if (runs - at * stride) % 16 == 0]
        spans.append(field_around(line, first - 1, last, lines, random))
    cells = [(row, column) for row in spans[0] for column in spans[1]]
    return [start, *(cell for cell in cells if cell != start)] if len(cells) <= most else []


def moved(lying: Arrangement, cells: Sequence[Cell], place: Cell, quarters: int) -> tuple[Arrangement, list[Cell]]:
    """The arrangement with a segment moved, its first cell to a place, and all cells that this changes."""
    source: dict[Cell, Cell] = {}
    for cell in cells:
        rows, columns = cell[0] - cells[0][0], cell[1] - cells[0][1]
        for _ in range(quarters):
            rows, columns = columns, -rows
        source[place[0] + rows, place[1] + columns] = cell
    ups = dict(lying.ups)
    for target, cell in source.items():
        ups[target] = turned(lying.ups[cell], quarters)
    for target, cell in source.items():
        if target in lying.ups and target not in cells:
            hole = cell
            while hole in source:
                hole = source[hole]
            ups[hole] = turned(lying.ups[target], -quarters)
    return Arrangement(ups, lying.weight), [*cells, *(target for target in source if target not in cells)]


def move_segments(
    rules: ExtendedRules,
    weight: Callable[[int, int], float],
    board: Sequence[Sequence[int]],
    strip: Strip,
    annealing: Annealing,
    sizes: tuple[float, float],
    seams: tuple[float, float],
    alignment: Alignments = UNKNOWN,
) -> tuple[list[list[int]], int]:
    """So many tries in a strip, accepted by annealing at one temperature: what lies then, and how many were."""
    lying = Arrangement.of(board, weight)
    doubtful, accepted = [cell for cell in cells_of(strip) if lying.is_doubtful(cell)], 0
    for random in annealing.streams() if doubtful else ():
        kernel = AlignedKernel(rules, [{}, {}], random, anchored=True)
        kernel.alignment = [(runs, known | FIXED) for runs, known in alignment]
        start = doubtful[random.draw(len(doubtful))]
        choice = choose_place(rules, lying, start, random)
        if choice is None or choice[0] == start or choice[0] not in cells_of(strip):
            continue
        place, beside, direction, quarters = choice
        if not kernel.admits(place, turned(lying.ups[start], quarters)):
            continue
        on_lines = all(known % 16 == 15 for _, known in alignment)
        if on_lines and random.draw(FIELDS) == 0:
            cells = gather_field(start, strip, sizes[1], alignment, rules.strides, random)
        else:
            cells = gather(lying, start, strip, sizes, seams, random)
        if not cells or beside in cells or beyond(start, direction) in cells:
            continue
        new, changed = moved(lying, cells, place, quarters)
        overlaps = len(changed) < 2 * len(cells)
        if not set(changed) <= set(cells_of(strip)) or (overlaps and quarters):
            continue
        if all(kernel.admits(cell, new.ups[cell]) for cell in changed):
            worse = (new.cost(changed) - lying.cost(changed)) / 2**20
            if annealing.accepts(worse, random):
                lying, accepted = new, accepted + 1
    return as_rows(lying.ups, rules), accepted
