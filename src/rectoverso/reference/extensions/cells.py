"""Growth by cells: phase 3 judges a placement by all placed neighbors of its cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from rectoverso.geometry import NOTHING, opposite, showing, shown
from rectoverso.reference.extensions.kernel import AlignedKernel, ExtendedRules
from rectoverso.reference.paper.crossover import cross_with
from rectoverso.reference.paper.kernel import Board, Cell, beyond, bits
from rectoverso.reference.paper.random import Stream

FEW, NEUTRAL, ROOM = 6, np.float32(1.4), 28
"""How many candidates are judged at a time, what an open side counts, and how many elements there may be per piece."""

Element = tuple[int, int, Cell, int, int, int]
"""Weight, tie, the open edge as cell and direction, by how many neighbors it was judged, the rank of the candidate.

Judged by none: the place in the candidate list of the edge from which on to look further.
"""


class CellKernel(AlignedKernel):
    """A kernel whose boundary is a list of judged placements."""

    def __init__(
        self, rules: ExtendedRules, parents: Sequence[Mapping[int, int]], random: Stream, anchored: bool = False
    ) -> None:
        super().__init__(rules, parents, random, anchored)
        self.pending: list[tuple[Cell, int]] = []
        self.elements: list[Element] = []

    def open_side(self, cell: Cell, up: int, direction: int) -> None:
        """Note the open edge, too."""
        if self.is_open(beyond(cell, direction)):
            self.pending.append((cell, direction))
        super().open_side(cell, up, direction)

    def evidence(self, cell: Cell, up: int) -> tuple[int, int]:
        """How well a placement fits all placed neighbors of its cell, and how many they are."""
        assert self.rules.weight is not None
        total, count = np.float32(0), 0
        for direction in range(4):
            there = self.board.get(beyond(cell, direction))
            if there is None:
                total += NEUTRAL
            else:
                total += np.float32(self.rules.weight(shown(up, direction), shown(there, opposite(direction))))
                count += 1
        return bits(float(total)), count

    def look_further(self, cell: Cell, direction: int, rank: int) -> None:
        """Judge the next few free candidates of an open edge, and note where to go on."""
        edge, target = shown(self.board[cell], direction), beyond(cell, direction)
        candidates, judged = self.rules.candidates[edge], 0
        while rank < len(candidates) and judged < FEW:
            other = self.offer(candidates[rank][0], target, direction)
            if other != NOTHING:
                judged += 1
                if len(self.elements) < ROOM * self.rules.num_pieces:
                    weight, count = self.evidence(target, showing(other, opposite(direction)))
                    self.elements.append((weight, self.tie(edge), cell, direction, count, rank))
            rank += 1
        if judged < FEW:
            rank = len(candidates)
        following = candidates[rank][1] if rank < len(candidates) else float("inf")
        weight = bits(float(np.float32(following) + np.float32(3) * NEUTRAL))
        self.elements.append((weight, self.tie(edge), cell, direction, 0, rank))

    def find_least(self) -> tuple[Cell, int, str]:
        """Phase 3: the best placement that is known, judged anew where neighbors have come since it was judged."""
        for cell, direction in self.pending:
            if self.is_open(beyond(cell, direction)):
                self.look_further(cell, direction, 0)
        self.pending.clear()
        while True:
            first = min(self.elements)
            self.elements.remove(first)
            _, tie, cell, direction, judged, rank = first
            target, candidates = beyond(cell, direction), self.rules.candidates[shown(self.board[cell], direction)]
            if not self.is_open(target):
                continue
            if judged == 0 and rank == len(candidates):
                return target, self.best_fit(target), "fitted"
            if judged == 0:
                self.look_further(cell, direction, rank)
                continue
            other = self.offer(candidates[rank][0], target, direction)
            if other == NOTHING:
                continue
            up = showing(other, opposite(direction))
            weight, count = self.evidence(target, up)
            if count != judged:
                self.elements.append((weight, tie, cell, direction, count, rank))
                continue
            skip = round(self.rules.skip * NOTHING)
            if not (skip and self.random.draw(NOTHING) < skip):
                return target, up, "least"


def kernel_of(rules: ExtendedRules) -> type[AlignedKernel]:
    """The kind of kernel that the rules ask for."""
    return CellKernel if rules.weight else AlignedKernel


def cross(
    rules: ExtendedRules, mother: Board, father: Board, key: int, cut: Set[int] = frozenset()
) -> tuple[list[list[int]], dict[str, int]]:
    """One child of two parents, and how many of its pieces each phase placed; ``cut`` edges are not inherited."""
    return cross_with(kernel_of(rules), rules, mother, father, key, cut)
