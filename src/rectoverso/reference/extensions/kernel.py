"""A kernel that keeps to one alignment, and the rules of all extensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rectoverso.geometry import LEFT, UP, shown
from rectoverso.reference.paper.kernel import Cell, Kernel, Rules
from rectoverso.reference.paper.random import Stream

FIXED = 64
"""The bit that keeps an alignment from learning."""

Alignments = tuple[tuple[int, int], tuple[int, int]]
"""The alignment of the first row and of the first column, and which bits of it are known."""

UNKNOWN: Alignments = ((0, 0), (0, 0))


@dataclass
class ExtendedRules(Rules):
    """What is given beyond the paper."""

    weight: Callable[[int, int], float] | None = None
    """What a seam costs, for growth by cells: without it growth is by edges."""
    skip: float = 0.0
    alignment: Sequence[tuple[int, int]] | None = None
    """The phase of each edge (modulo 16) plus 16 times its direction, and which bits of that are known."""
    strides: tuple[int, int] = (0, 0)
    """By how much an alignment changes from one row to the next, and from one column to the next."""


class AlignedKernel(Kernel):
    """A kernel whose pieces keep to one alignment, as far as they tell it."""

    rules: ExtendedRules

    def __init__(
        self, rules: ExtendedRules, parents: Sequence[Mapping[int, int]], random: Stream, anchored: bool = False
    ) -> None:
        super().__init__(rules, parents, random, anchored)
        self.alignment: list[tuple[int, int]] = list(UNKNOWN)

    def at_first_line(self, cell: Cell, up: int) -> list[tuple[int, int]]:
        """The alignment of the first row and column that a placed piece tells, and what is known of that."""
        if self.rules.alignment is None:
            return list(UNKNOWN)
        found = []
        for side, line, stride in zip((UP, LEFT), cell, self.rules.strides, strict=True):
            value, known = self.rules.alignment[shown(up, side)]
            direction, phase = divmod(value, 16)
            found.append((16 * direction + (phase + line * stride) % 16, known))
        return found

    def admits(self, cell: Cell, up: int) -> bool:
        """Whether a placement is aligned with the kernel, as far as both are known."""
        pairs = zip(self.at_first_line(cell, up), self.alignment, strict=True)
        return all((value ^ ours) & known & told == 0 for (value, known), (ours, told) in pairs)

    def place(self, cell: Cell, up: int) -> None:
        """Fill a cell; learn from a piece that knows more of the alignment and does not contradict what is known."""
        for axis, (value, known) in enumerate(self.at_first_line(cell, up)):
            ours, told = self.alignment[axis]
            if not told & FIXED and (value ^ ours) & known & told == 0:
                self.alignment[axis] = (ours & told) | (value & known), told | known
        super().place(cell, up)
