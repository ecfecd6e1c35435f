"""How accurate the best was on the way: kept while solving, judged when the solve is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.evolve.observers import Observer, Progress
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.metrics import Score, look_alikes, score
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.show.thinning import thinned

MOST = 60
"""How many are judged; at most twice as many are kept."""


@dataclass(frozen=True, eq=False)
class Best:
    """A chromosome that was the best so far, and the seconds after evolution began when it was found."""

    seconds: float
    chromosome: NDArray[np.uint32]


@dataclass(frozen=True)
class Judged:
    """How right the best was at a time; ``seconds`` since evolution began."""

    seconds: float
    score: Score


class Bests(Observer):
    """Keeps the best chromosome whenever it is a new one; it knows nothing of the truth."""

    def __init__(self) -> None:
        self.kept: list[Best] = []
        self._evolved = 0.0

    def on_progress(self, progress: Progress) -> None:
        """Keep the best, but for that of the random generation."""
        if progress.best is None or (progress.state is not None and progress.state.generation == 0):
            return
        if progress.stage == "evolution":
            self._evolved = progress.seconds
        if self.kept and np.array_equal(self.kept[-1].chromosome, progress.best):
            return
        if len(self.kept) == 2 * MOST:
            del self.kept[1::2]
        seconds = progress.seconds + (self._evolved if progress.stage == "repair" else 0.0)
        self.kept.append(Best(seconds, progress.best))


def judge(kept: Sequence[Best], truth: Arrangement, puzzle: Puzzle) -> list[Judged]:
    """The scores of what was kept, not of all if there are many."""
    looks = look_alikes(puzzle)
    judged = []
    for best in thinned(kept, MOST - 1):
        arrangement = Arrangement.from_up_edges(best.chromosome, puzzle.rows, puzzle.columns, puzzle.faces)
        judged.append(Judged(best.seconds, score(arrangement, truth, puzzle, looks=looks)))
    return judged
