"""Ruin and regrow of patches, literally: empty the doubtful cells around a doubtful one and grow them from around."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rectoverso.geometry import LEFT, NOTHING, UP, opposite, shown
from rectoverso.reference.extensions.annealing import Annealing
from rectoverso.reference.extensions.cells import kernel_of
from rectoverso.reference.extensions.kernel import FIXED, UNKNOWN, Alignments, ExtendedRules
from rectoverso.reference.paper.kernel import GROUP, Cell, beyond, neighbors
from rectoverso.reference.paper.random import Stream

TRIES, NEAR = 64, 4
"""How many cells are looked at for a doubtful one, and of how many candidates one says where a second half lies."""

Strip = tuple[int, int, int, int]
"""First row, further rows, first column, further columns; the first of all is 1."""


@dataclass
class Arrangement:
    """The pieces by their cells, and what their seams count."""

    ups: dict[Cell, int]
    weight: Callable[[int, int], float]

    @classmethod
    def of(cls, board: Sequence[Sequence[int]], weight: Callable[[int, int], float]) -> Arrangement:
        """Lay a board out."""
        return cls({(r, c): up for r, row in enumerate(board) for c, up in enumerate(row)}, weight)

    def seam(self, cell: Cell, direction: int) -> int:
        """What the seam of a cell in a direction costs, in whole multiples of 2**-20; 0 at the rim."""
        there = self.ups.get(beyond(cell, direction))
        if there is None:
            return 0
        return int(self.weight(shown(self.ups[cell], direction), shown(there, opposite(direction))) * 2**20 + 0.5)

    def is_doubtful(self, cell: Cell) -> bool:
        """Whether a piece has a seam that counts 1 or more."""
        return any(self.seam(cell, direction) >= 2**20 for direction in range(4))

    def cost(self, cells: Sequence[Cell]) -> int:
        """What all seams of these cells cost, each counted once."""
        seams = {
            frozenset((cell, beyond(cell, direction))): self.seam(cell, direction)
            for cell in cells
            for direction in range(4)
        }
        return sum(seams.values())


def find_doubt(lying: Arrangement, strip: Strip, random: Stream) -> Cell | None:
    """A random doubtful cell of the strip."""
    for _ in range(TRIES):
        cell = (strip[0] + random.draw(strip[1] + 1) - 1, strip[2] + random.draw(strip[3] + 1) - 1)
        if lying.is_doubtful(cell):
            return cell
    return None


def spread(start: Cell, size: int, cells: list[Cell], lying: Arrangement, strip: Strip, random: Stream) -> None:
    """Add cells ring by ring until there are so many: doubtful ones, and a quarter of the others."""

    def may_join(cell: Cell) -> bool:
        row, column = cell[0] + 1 - strip[0], cell[1] + 1 - strip[2]
        return 0 <= row <= strip[1] and 0 <= column <= strip[3] and cell not in cells and len(cells) < size

    if not may_join(start):
        return
    at = len(cells)
    cells.append(start)
    while at < len(cells):
        turn = random.draw(4)
        for i in range(4):
            target = beyond(cells[at], (i + turn) % 4)
            if may_join(target) and (lying.is_doubtful(target) or random.draw(4) == 0):
                cells.append(target)
        at += 1


def choose_patch(
    rules: ExtendedRules, lying: Arrangement, strip: Strip, sizes: tuple[float, float], random: Stream
) -> list[Cell]:
    """Cells around a doubtful one; half of the patches have a second half where a good candidate of its piece lies."""
    start, cells = find_doubt(lying, strip, random), list[Cell]()
    if start is None:
        return cells
    size = int(sizes[0] * (sizes[1] / sizes[0]) ** (random.draw(NOTHING) / 2**32))
    if random.draw(2) == 0:
        spread(start, size, cells, lying, strip, random)
        return cells
    spread(start, (size + 1) // 2, cells, lying, strip, random)
    up = lying.ups[start]
    candidates = rules.candidates[up - up % 4 + random.draw(4)]
    rank = random.draw(min(NEAR, rules.num_candidates))
    if rank < len(candidates) and candidates[rank][0] < GROUP:
        piece = rules.piece(candidates[rank][0])
        there = next(cell for cell, up in lying.ups.items() if rules.piece(up) == piece)
        spread(there, size, cells, lying, strip, random)
    return cells


def break_patch(cells: Sequence[Cell], lying: Arrangement, chances: Sequence[int], random: Stream) -> set[int]:
    """The edges of the seams of the patch that are broken: doubtful ones with one probability, others with another."""
    cut: set[int] = set()
    for cell in cells:
        for direction in range(4):
            target = beyond(cell, direction)
            if target not in lying.ups or (target in cells and direction in (UP, LEFT)):
                continue
            doubtful = lying.seam(cell, direction) >= 2**20
            if random.draw(NOTHING) < chances[0 if doubtful else 1]:
                cut |= {shown(lying.ups[cell], direction), shown(lying.ups[target], opposite(direction))}
    return cut


def as_rows(ups: dict[Cell, int], rules: ExtendedRules) -> list[list[int]]:
    """The pieces by row and column."""
    return [[ups[r, c] for c in range(rules.columns)] for r in range(rules.rows)]


def regrow(
    rules: ExtendedRules,
    lying: Arrangement,
    cells: Sequence[Cell],
    cut: set[int],
    random: Stream,
    alignment: Alignments,
) -> dict[Cell, int]:
    """Empty the patch and grow its pieces from what lies around it; the frame does not move."""
    inherited = neighbors(as_rows(lying.ups, rules), rules.type.faces, cut)
    kernel = kernel_of(rules)(rules, [inherited, inherited], random, anchored=True)
    kernel.board = {cell: up for cell, up in lying.ups.items() if cell not in cells}
    kernel.alignment = [(runs, known | FIXED) for runs, known in alignment]
    kernel.free = [rules.piece(lying.ups[cell]) for cell in cells]
    for cell in cells:
        for direction in range(4):
            around = beyond(cell, direction)
            if around in kernel.board:
                kernel.open_side(around, kernel.board[around], opposite(direction))
    while kernel.free:
        kernel.grow()
    return kernel.board


def regrow_patches(
    rules: ExtendedRules,
    weight: Callable[[int, int], float],
    board: Sequence[Sequence[int]],
    strip: Strip,
    annealing: Annealing,
    chances: Sequence[int],
    sizes: tuple[float, float],
    alignment: Alignments = UNKNOWN,
) -> list[list[int]]:
    """So many steps of ruin and regrow in a strip, accepted by annealing at one temperature."""
    lying = Arrangement.of(board, weight)
    rules = replace(rules, mutation=0.0)
    for random in annealing.streams():
        cells = choose_patch(rules, lying, strip, sizes, random)
        if not cells:
            continue
        cut = break_patch(cells, lying, chances, random)
        regrown = Arrangement(regrow(rules, lying, cells, cut, random, alignment), weight)
        worse = (regrown.cost(cells) - lying.cost(cells)) / 2**20
        if annealing.accepts(worse, random):
            lying = regrown
    return as_rows(lying.ups, rules)
