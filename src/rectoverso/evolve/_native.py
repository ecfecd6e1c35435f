"""The crossover: a kernel of pieces grown from one piece, by the paper's three phases (section "Type 2 Crossover").

The kernel floats on a board twice the frame's size; ``limits`` holds the rows and columns it may still reach. All work
arrays belong to one thread and are used again for every child. Bags and heap are checked lazily: what lies in them was
possible when it was put in, and is looked at again when it is taken out, because what has become impossible stays so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rectoverso.affinity._native import mirrored, seam_dissimilarity
from rectoverso.native import GOLDEN, draw, mix, native, stream_key

_0, _1, _2, _3, _4, _32 = (np.uint64(i) for i in (0, 1, 2, 3, 4, 32))
NOTHING = np.uint64(0xFFFFFFFF)
GROUP = np.uint64(0x80000000)
INFINITE = np.uint64(0x7F800000)  # the bits of a float32 infinity
SHARED, BUDDY, LEAST, FITTED, MUTATED = range(5)
"""How a piece came to be placed; also the columns of the phase counts."""

NUM_PHASES = 5
COST_SCALE = 2.0**20
FREE, IN_SHARED, IN_BUDDY, IN_PENDING, IN_HEAP = range(5)
TOP, BOTTOM, LEFT, RIGHT, LOW_ROW, ROW_SPAN, LOW_COLUMN, COLUMN_SPAN = range(8)


class Rules(NamedTuple):
    """What does not change during a solve: the frame, the puzzle's type and the operator's parameters, all uint64."""

    rows: Any
    columns: Any
    faces: Any
    piece_shift: Any
    rotations: Any
    floating: Any
    flexible: Any
    mutation: Any
    random_ties: Any
    sample: Any
    row_shift: Any


class Tables(NamedTuple):
    """What the crossover reads of the affinity, and each piece's cell on the board where it is known."""

    candidates: Any
    weights: Any
    buddies: Any
    group_start: Any
    group_members: Any
    forward: Any
    backward: Any
    unit: Any
    homes: Any


class Parent(NamedTuple):
    """A chromosome spread out for looking up neighbors: a board with an empty rim, and where each piece lies."""

    board: Any
    at: Any
    steps: Any


class Kernel(NamedTuple):
    """The growing assembly and what may be added to it."""

    board: Any
    steps: Any
    limits: Any
    counts: Any
    random: Any
    free: Any
    free_at: Any
    shared: Any
    buddy: Any
    pending: Any
    heap: Any
    heap_slot: Any
    heap_rank: Any
    passed: Any


@native
def load_parent(chromosome: Any, rows: Any, columns: Any, piece_shift: Any, parent: Any) -> None:
    """Spread a chromosome out."""
    cell = columns + _2
    number = _0
    for _ in range(rows):
        for _ in range(columns):
            up = np.uint64(chromosome[number])
            parent.board[cell] = up
            parent.at[up >> piece_shift] = cell
            cell += _1
            number += _1
        cell += _1


@native
def touching(parent: Any, edge: np.uint64, piece_shift: np.uint64) -> np.uint64:
    """The edge that touches an edge in a parent, as seen from the same face; NOTHING at the rim."""
    cell = np.uint64(parent.at[edge >> piece_shift])
    up = np.uint64(parent.board[cell])
    # The same piece: faces differ just where bit 2 does, and one-sided pieces never differ there.
    flipped = (up ^ edge) & _4 != _0
    seen = mirrored(edge) if flipped else edge
    direction = (seen - up) & _3
    other = np.uint64(parent.board[cell + parent.steps[direction]])
    if other == NOTHING:
        return NOTHING
    touched = (other & ~_3) | ((other + direction + _2) & _3)
    return mirrored(touched) if flipped else touched


@native
def inside(kernel: Any, rules: Any, cell: np.uint64) -> bool:
    """Whether a cell is within the rows and columns that the kernel may still reach."""
    row = cell >> rules.row_shift
    column = cell & ((_1 << rules.row_shift) - _1)
    limits = kernel.limits
    return row - limits[LOW_ROW] <= limits[ROW_SPAN] and column - limits[LOW_COLUMN] <= limits[COLUMN_SPAN]


@native
def stretch(kernel: Any, rules: Any, cell: np.uint64) -> None:
    """Take a newly filled cell into the kernel's extent and narrow what it may still reach.

    With unknown rotations the frame is flexible: it may lie or stand until one extent exceeds its shorter side.
    """
    limits = kernel.limits
    row = cell >> rules.row_shift
    column = cell & ((_1 << rules.row_shift) - _1)
    limits[TOP] = min(limits[TOP], row)
    limits[BOTTOM] = max(limits[BOTTOM], row)
    limits[LEFT] = min(limits[LEFT], column)
    limits[RIGHT] = max(limits[RIGHT], column)
    if rules.floating == _0:
        return
    height, width = rules.rows, rules.columns
    if rules.flexible != _0:
        short, long = min(height, width), max(height, width)
        height = short if limits[RIGHT] - limits[LEFT] + _1 > short else long
        width = short if limits[BOTTOM] - limits[TOP] + _1 > short else long
    limits[LOW_ROW] = limits[BOTTOM] + _1 - height
    limits[ROW_SPAN] = limits[TOP] + height - _1 - limits[LOW_ROW]
    limits[LOW_COLUMN] = limits[RIGHT] + _1 - width
    limits[COLUMN_SPAN] = limits[LEFT] + width - _1 - limits[LOW_COLUMN]


@native
def is_free(kernel: Any, piece: np.uint64) -> bool:
    """Whether a piece has not been placed yet."""
    return kernel.free_at[piece] < kernel.counts[FREE]


@native
def put(bag: Any, counts: Any, which: int, cell: np.uint64, up: np.uint64) -> None:
    """Put a possible placement into a bag."""
    bag[counts[which]] = (cell << _32) | up
    counts[which] += _1


@native
def take(bag: Any, counts: Any, which: int, random: Any) -> np.uint64:
    """Take one out of a bag at random."""
    at = draw(random, counts[which])
    counts[which] -= _1
    taken = bag[at]
    bag[at] = bag[counts[which]]
    return taken


@native
def place(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any, mother: Any, father: Any) -> None:
    """Fill a cell and note what has become possible around it."""
    board, counts = kernel.board, kernel.counts
    board[cell] = up
    counts[FREE] -= _1
    piece = up >> rules.piece_shift
    at, last = kernel.free_at[piece], np.uint64(kernel.free[counts[FREE]])
    kernel.free[at], kernel.free_at[last], kernel.free_at[piece] = last, at, counts[FREE]
    stretch(kernel, rules, cell)
    for direction in range(_4):
        target = cell + kernel.steps[direction]
        if np.uint64(board[target]) != NOTHING or not inside(kernel, rules, target):
            continue
        edge = (up & ~_3) | ((up + direction) & _3)
        put(kernel.pending, counts, IN_PENDING, target, (cell << _2) | direction)
        a = touching(mother, edge, rules.piece_shift)
        b = touching(father, edge, rules.piece_shift)
        turn = _2 - direction
        if a == b:
            if a != NOTHING and is_free(kernel, a >> rules.piece_shift):
                put(kernel.shared, counts, IN_SHARED, target, (a & ~_3) | ((a + turn) & _3))
            continue
        buddy = np.uint64(tables.buddies[edge])
        if buddy != NOTHING and (buddy == a or buddy == b) and is_free(kernel, buddy >> rules.piece_shift):
            put(kernel.buddy, counts, IN_BUDDY, target, (buddy & ~_3) | ((buddy + turn) & _3))


@native
def possible(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any) -> bool:
    """Whether a placement can (still) be made: the cell empty and in reach, the piece free, and its own where that is known."""
    piece = up >> rules.piece_shift
    return (
        np.uint64(kernel.board[cell]) == NOTHING
        and is_free(kernel, piece)
        and inside(kernel, rules, cell)
        and (rules.floating != _0 or np.uint64(tables.homes[piece]) == cell)
    )


@native
def offer(entry: np.uint64, cell: np.uint64, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The edge that a candidate stands for, if its piece may go into the cell; for a group its next unused member."""
    if entry < GROUP:
        piece = entry >> rules.piece_shift
        if not is_free(kernel, piece) or (rules.floating == _0 and np.uint64(tables.homes[piece]) != cell):
            return NOTHING
        return entry
    group = entry ^ GROUP
    start = np.uint64(tables.group_start[group])
    size = np.uint64(tables.group_start[group + _1]) - start
    # Each child goes round the group from a place of its own.
    offset = mix(kernel.random[1] ^ (group * GOLDEN)) % size
    while kernel.passed[group] < size:
        member = np.uint64(tables.group_members[start + (offset + kernel.passed[group]) % size])
        if is_free(kernel, member >> rules.piece_shift):
            return member
        kernel.passed[group] += _1
    return NOTHING


@native
def next_rank(edge: Any, rank: Any, cell: Any, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The rank of the first candidate from ``rank`` on that can go into the cell; the list's length if none can."""
    length = np.uint64(tables.candidates.shape[1])
    while rank < length:
        entry = np.uint64(tables.candidates[edge, rank])
        if entry == NOTHING:
            return length
        if offer(entry, cell, kernel, tables, rules) != NOTHING:
            return rank
        rank += _1
    return length


@native
def heap_key(edge: Any, rank: Any, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """Order in the heap: by dissimilarity, then at random but the same for the edge all through one child (or by edge).

    Edges whose candidates are used up come last.
    """
    tie = mix(kernel.random[1] ^ (edge * GOLDEN)) >> _32 if rules.random_ties != _0 else edge
    weight = np.uint64(tables.weights[edge, rank]) if rank < np.uint64(tables.weights.shape[1]) else INFINITE
    return (weight << _32) | tie


@native
def sift_up(kernel: Any, key: np.uint64, slot: np.uint64, rank: np.uint64) -> None:
    """Add an open edge to the heap; equal keys are ordered by their slot."""
    at = kernel.counts[IN_HEAP]
    kernel.counts[IN_HEAP] += _1
    while at > _0:
        up = (at - _1) >> _1
        if kernel.heap[up] < key or (kernel.heap[up] == key and kernel.heap_slot[up] < slot):
            break
        kernel.heap[at], kernel.heap_slot[at], kernel.heap_rank[at] = (
            kernel.heap[up],
            kernel.heap_slot[up],
            kernel.heap_rank[up],
        )
        at = up
    kernel.heap[at], kernel.heap_slot[at], kernel.heap_rank[at] = key, slot, rank


@native
def sift_down(kernel: Any, key: np.uint64, slot: np.uint64, rank: np.uint64) -> None:
    """Replace the heap's first element."""
    heap, slots, ranks, size = kernel.heap, kernel.heap_slot, kernel.heap_rank, kernel.counts[IN_HEAP]
    at = _0
    while True:
        down = (at << _1) + _1
        if down >= size:
            break
        right = down + _1
        if right < size and (heap[right] < heap[down] or (heap[right] == heap[down] and slots[right] < slots[down])):
            down = right
        if key < heap[down] or (key == heap[down] and slot < slots[down]):
            break
        heap[at], slots[at], ranks[at] = heap[down], slots[down], ranks[down]
        at = down
    heap[at], slots[at], ranks[at] = key, slot, rank


@native
def drop_first(kernel: Any) -> None:
    """Take the first element off the heap."""
    kernel.counts[IN_HEAP] -= _1
    last = kernel.counts[IN_HEAP]
    if last > _0:
        sift_down(kernel, kernel.heap[last], kernel.heap_slot[last], kernel.heap_rank[last])


@native
def open_edges(kernel: Any, tables: Any, rules: Any) -> None:
    """Bring the edges that were opened since the last time into the heap, as far as they are open still."""
    counts = kernel.counts
    for i in range(counts[IN_PENDING]):
        cell, slot = kernel.pending[i] >> _32, kernel.pending[i] & NOTHING
        if np.uint64(kernel.board[cell]) == NOTHING and inside(kernel, rules, cell):
            up = np.uint64(kernel.board[slot >> _2])
            edge = (up & ~_3) | ((up + slot) & _3)
            rank = next_rank(edge, _0, cell, kernel, tables, rules)
            sift_up(kernel, heap_key(edge, rank, kernel, tables, rules), slot, rank)
    counts[IN_PENDING] = _0


@native
def fit(cell: np.uint64, up: np.uint64, kernel: Any, tables: Any, rules: Any) -> float:
    """The sum of the dissimilarities of a placement with all placed neighbors of its cell."""
    total = 0.0
    for direction in range(_4):
        there = np.uint64(kernel.board[cell + kernel.steps[direction]])
        if there != NOTHING:
            one = (up & ~_3) | ((up + direction) & _3)
            other = (there & ~_3) | ((there + direction + _2) & _3)
            total += seam_dissimilarity(tables.forward, tables.backward, tables.unit, rules.faces, one, other)
    return total


@native
def best_fit(cell: np.uint64, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """The free piece that fits best to all placed neighbors of a cell.

    At most ``rules.sample`` free pieces are tried, from a random one on.
    """
    free = kernel.counts[FREE]
    first = draw(kernel.random, free)
    best, best_up = np.inf, NOTHING
    for i in range(min(rules.sample, free)):
        base = np.uint64(kernel.free[(first + i) % free]) << rules.piece_shift
        for face in range(rules.faces):
            for side in range(rules.rotations):
                up = base + (face << _2) + side
                total = fit(cell, up, kernel, tables, rules)
                if total < best:
                    best, best_up = total, up
    return best_up


@native
def find_least(kernel: Any, tables: Any, rules: Any) -> tuple[np.uint64, int]:
    """Phase 3: the placement of least dissimilarity over the whole boundary.

    When the candidates of all open edges are used up: the best fit among free pieces.
    """
    open_edges(kernel, tables, rules)
    length = np.uint64(tables.candidates.shape[1])
    while True:
        slot, rank = np.uint64(kernel.heap_slot[0]), np.uint64(kernel.heap_rank[0])
        cell = (slot >> _2) + kernel.steps[slot & _3]
        if np.uint64(kernel.board[cell]) != NOTHING or not inside(kernel, rules, cell):
            drop_first(kernel)
            continue
        if rank == length:
            drop_first(kernel)
            return (cell << _32) | best_fit(cell, kernel, tables, rules), FITTED
        up = np.uint64(kernel.board[slot >> _2])
        edge = (up & ~_3) | ((up + slot) & _3)
        other = offer(np.uint64(tables.candidates[edge, rank]), cell, kernel, tables, rules)
        if other != NOTHING:
            drop_first(kernel)
            return (cell << _32) | (other & ~_3) | ((other + _2 - slot) & _3), LEAST
        rank = next_rank(edge, rank + _1, cell, kernel, tables, rules)
        sift_down(kernel, heap_key(edge, rank, kernel, tables, rules), slot, rank)


@native
def any_piece(cell: np.uint64, kernel: Any, tables: Any, rules: Any) -> np.uint64:
    """A mutation: a free piece in any orientation, or the cell's own piece in any orientation where that is known."""
    at = draw(kernel.random, kernel.counts[FREE])
    piece = np.uint64(kernel.free[at])
    if rules.floating == _0:
        at = _0
        while np.uint64(tables.homes[kernel.free[at]]) != cell:
            at += _1
        piece = np.uint64(kernel.free[at])
    face = draw(kernel.random, rules.faces)
    return (piece << rules.piece_shift) + (face << _2) + draw(kernel.random, rules.rotations)


@native
def find_placement(kernel: Any, tables: Any, rules: Any) -> tuple[np.uint64, int]:
    """The next placement and the phase that found it: what both parents share, a best-buddy edge of either, the least."""
    counts = kernel.counts
    while counts[IN_SHARED] > _0:
        placement = take(kernel.shared, counts, IN_SHARED, kernel.random)
        if possible(placement >> _32, placement & NOTHING, kernel, tables, rules):
            return placement, SHARED
    while counts[IN_BUDDY] > _0:
        placement = take(kernel.buddy, counts, IN_BUDDY, kernel.random)
        if possible(placement >> _32, placement & NOTHING, kernel, tables, rules):
            return placement, BUDDY
    return find_least(kernel, tables, rules)


@native
def start_kernel(key: np.uint64, kernel: Any, tables: Any, rules: Any, mother: Any, father: Any) -> None:
    """An empty board with one random piece on it, lying as it does in the mother."""
    pieces = np.uint64(kernel.free.shape[0])
    kernel.board[:] = NOTHING
    kernel.passed[:] = _0
    kernel.counts[:] = _0
    kernel.counts[FREE] = pieces
    kernel.random[0] = key
    kernel.random[1] = mix(key)
    for i in range(pieces):
        kernel.free[i] = i
        kernel.free_at[i] = i
    piece = draw(kernel.random, pieces)
    half = _1 << (rules.row_shift - _1)
    cell = (half << rules.row_shift) + half if rules.floating != _0 else np.uint64(tables.homes[piece])
    limits = kernel.limits
    limits[TOP] = limits[BOTTOM] = cell >> rules.row_shift
    limits[LEFT] = limits[RIGHT] = cell & ((_1 << rules.row_shift) - _1)
    limits[LOW_ROW] = limits[LOW_COLUMN] = _1
    limits[ROW_SPAN], limits[COLUMN_SPAN] = rules.rows - _1, rules.columns - _1
    place(cell, np.uint64(mother.board[mother.at[piece]]), kernel, tables, rules, mother, father)


@native
def write_child(kernel: Any, rules: Any, child: Any) -> None:
    """The finished kernel row by row; one that stands where the frame lies is turned clockwise."""
    limits = kernel.limits
    upright = limits[BOTTOM] - limits[TOP] + _1 == rules.rows
    for row in range(rules.rows):
        for column in range(rules.columns):
            if upright:
                cell = ((limits[TOP] + row) << rules.row_shift) + limits[LEFT] + column
                child[row * rules.columns + column] = kernel.board[cell]
            else:
                cell = ((limits[BOTTOM] - column) << rules.row_shift) + limits[LEFT] + row
                up = np.uint64(kernel.board[cell])
                child[row * rules.columns + column] = (up & ~_3) | ((up - _1) & _3)


@native
def cross(
    key: Any, mother: Any, father: Any, kernel: Any, tables: Any, rules: Any, child: Any, phases: Any
) -> None:
    """One child of two spread-out parents; ``phases`` counts how its pieces were placed."""
    phases[:] = 0
    start_kernel(key, kernel, tables, rules, mother, father)
    while kernel.counts[FREE] > _0:
        placement, phase = find_placement(kernel, tables, rules)
        cell, up = placement >> _32, placement & NOTHING
        if rules.mutation > _0 and (phase == SHARED or phase == LEAST) and draw(kernel.random, NOTHING) < rules.mutation:
            up, phase = any_piece(cell, kernel, tables, rules), MUTATED
        phases[phase] += 1
        place(cell, up, kernel, tables, rules, mother, father)
    write_child(kernel, rules, child)


@native
def cost(chromosome: Any, tables: Any, rules: Any) -> float:
    """Eq. 2: the sum of the dissimilarities of all seams, on both faces for two-sided pieces.

    Summed in whole multiples of 2**-20: the same to the last bit however the whole is turned or flipped.
    """
    total = np.int64(0)
    for row in range(rules.rows):
        for column in range(rules.columns):
            cell = row * rules.columns + column
            up = np.uint64(chromosome[cell])
            if column + _1 < rules.columns:
                there = np.uint64(chromosome[cell + _1])
                one, other = (up & ~_3) | ((up + _1) & _3), (there & ~_3) | ((there + _3) & _3)
                seam = seam_dissimilarity(tables.forward, tables.backward, tables.unit, rules.faces, one, other)
                total += np.int64(seam * COST_SCALE + 0.5)
            if row + _1 < rules.rows:
                there = np.uint64(chromosome[cell + rules.columns])
                one, other = (up & ~_3) | ((up + _2) & _3), there
                seam = seam_dissimilarity(tables.forward, tables.backward, tables.unit, rules.faces, one, other)
                total += np.int64(seam * COST_SCALE + 0.5)
    return total / COST_SCALE


@native
def breed(
    start: int,
    stop: int,
    seed: np.uint64,
    generation: np.uint64,
    population: Any,
    parents: Any,
    mother: Any,
    father: Any,
    kernel: Any,
    tables: Any,
    rules: Any,
    children: Any,
    costs: Any,
    phases: Any,
) -> None:
    """Children ``start`` to ``stop`` of a generation, their costs and phase counts."""
    for i in range(start, stop):
        load_parent(population[parents[i, 0]], rules.rows, rules.columns, rules.piece_shift, mother)
        load_parent(population[parents[i, 1]], rules.rows, rules.columns, rules.piece_shift, father)
        key = stream_key(seed, generation, np.uint64(i))
        cross(key, mother, father, kernel, tables, rules, children[i], phases[i])
        costs[i] = cost(children[i], tables, rules)


@native
def scatter(
    start: int, stop: int, seed: np.uint64, tables: Any, rules: Any, homes: Any, random: Any, population: Any, costs: Any
) -> None:
    """Random chromosomes ``start`` to ``stop``: every piece in a random cell (or its own) in a random orientation."""
    pieces = np.uint64(population.shape[1])
    for i in range(start, stop):
        random[0] = stream_key(seed, _0, np.uint64(i))
        chromosome = population[i]
        for piece in range(pieces):
            face = draw(random, rules.faces)
            up = (piece << rules.piece_shift) + (face << _2) + draw(random, rules.rotations)
            if rules.floating == _0:
                chromosome[homes[piece]] = up
            else:
                # Fisher and Yates, inside out.
                at = draw(random, piece + _1)
                chromosome[piece] = chromosome[at]
                chromosome[at] = up
        costs[i] = cost(chromosome, tables, rules)
