"""How long a solve will still take, as far as that can be known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from rectoverso.evolve.observers import Progress, Stage
from rectoverso.parameters import Params
from rectoverso.show.lines import clock

SOON = 2.0
"""So many seconds of a stage are watched before anything is said of its end: the first steps are no measure."""

TARDY = 0.1
"""If a stage has been as far done as it is for this share of its time, it goes on for longer than it was expected to,
and nothing is said: a repair that still gains begins another cycle, and nobody knows how many it will be."""

KEPT = 0.7
"""How much of the expected end is kept when another one is computed, so that the time left does not jump."""

Bound = Literal["", "at least", "at most"]


@dataclass(frozen=True)
class Left:
    """The seconds that are left, or a bound of them."""

    seconds: float
    bound: Bound = ""

    def __str__(self) -> str:
        """In one column: ``0:40``, ``0:40+`` for at least, ``<0:40`` for at most.

        >>> str(Left(38.2)), str(Left(4.2, "at least")), str(Left(161, "at most"))
        ('0:40', '0:05+', '<2:45')
        """
        # What is not known to the second is not told to the second.
        step = next(step for most, step in ((10, 1), (60, 5), (600, 15), (math.inf, 60)) if self.seconds < most)
        whole = -(-self.seconds // step) * step
        shown = clock(whole) if whole < 3600 else f"{whole / 3600:.1f}h"
        return {"": shown, "at least": f"{shown}+", "at most": f"<{shown}"}[self.bound]


@dataclass
class Remaining:
    """Watches the fractions of the stages, and expects the end of each where it would come if all goes on as before.

    Preparation is followed by the rest, so its end is the least that is left. How many generations there will be is
    known only where nothing but their number ends evolution, and how long a repair takes only when it has begun.
    A time limit is the most that is left.
    """

    params: Params
    _stage: Stage = "preparation"
    _end: float | None = None
    _fraction: float = 0.0
    _moved: float = 0.0

    def after(self, progress: Progress, elapsed: float) -> Left | None:
        """What is left now that this was done, ``elapsed`` seconds after the start; None if nobody knows."""
        expected = self._expected(progress)
        if progress.stage == "preparation":
            return None if expected is None else Left(expected, "at least")
        left, limit = Left(math.inf), self.params.time_limit
        if expected is not None and progress.stage == "repair" and not limit:
            left = Left(expected)
        if expected is not None and progress.stage == "evolution" and self.params.repair is None:
            left = Left(expected, "at most" if self.params.genetic.patience else "")
        if limit and limit - elapsed < left.seconds:
            left = Left(max(0.0, limit - elapsed), "at most")
        return None if left.seconds == math.inf else left

    def _expected(self, progress: Progress) -> float | None:
        """How many seconds the stage will still take, if that can be said."""
        if progress.stage != self._stage:
            self._stage, self._end, self._fraction, self._moved = progress.stage, None, 0.0, 0.0
        if progress.fraction > self._fraction:
            end, early = progress.seconds / progress.fraction, self._moved < SOON
            self._end = end if self._end is None or early else KEPT * self._end + (1 - KEPT) * end
            self._fraction, self._moved = progress.fraction, progress.seconds
        waited = progress.seconds - self._moved
        if self._end is None or progress.seconds < SOON or waited > max(SOON, TARDY * progress.seconds):
            return None
        return self._end - progress.seconds if self._end > progress.seconds else None
