"""Growth by cells: phase 3 judges a placement by all placed neighbors of its cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rectoverso.geometry import NOTHING, opposite, showing, shown
from rectoverso.reference.paper.kernel import Cell, Kernel, Rules, beyond, bits
from rectoverso.reference.paper.random import Stream

FEW, USUAL, ROOM = 6, np.float32(1.4), 28
"""How many candidates are judged at a time, what an open side counts, and how many elements there may be per piece."""

Element = tuple[int, int, Cell, int, int, int]
"""Weight, tie, the open edge as cell and direction, by how many neighbors it was judged, the rank of the candidate.

Judged by none: the place in the candidate list of the edge from which on to look further.
"""


class CellKernel(Kernel):
    """A kernel whose boundary is a list of judged placements."""

    def __init__(
        self, rules: Rules, parents: Sequence[Mapping[int, int]], random: Stream, anchored: bool = False
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
        assert self.rules.worth is not None
        total, count = np.float32(0), 0
        for direction in range(4):
            there = self.board.get(beyond(cell, direction))
            if there is None:
                total += USUAL
            else:
                total += np.float32(self.rules.worth(shown(up, direction), shown(there, opposite(direction))))
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
        worth = candidates[rank][1] if rank < len(candidates) else float("inf")
        weight = bits(float(np.float32(worth) + np.float32(3) * USUAL))
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
            blink = round(self.rules.blink * NOTHING)
            if not (blink and self.random.draw(NOTHING) < blink):
                return target, up, "least"
