"""What a report tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rectoverso.evolve.result import Result
from rectoverso.images.files import Pixels
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.metrics import Score
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.render import render
from rectoverso.show.log import Round
from rectoverso.show.report.bests import Best, Judged, judge

FACES = ("front", "back")


@dataclass(frozen=True, eq=False)
class Story:
    """A solve that is over: what was solved, the result, what was collected on the way, and the truth if it is known.

    Attributes
    ----------
    puzzle, preset, result
        What was solved, with which preset, and what came out.
    rounds
        The rounds of ruin and regrow that followed evolution, if there were any.
    bests
        The best chromosomes on the way, to be compared with the truth.
    truth
        The arrangement that was cut.
    """

    puzzle: Puzzle
    preset: str
    result: Result
    rounds: Sequence[Round] = ()
    bests: Sequence[Best] = ()
    truth: Arrangement | None = None

    @cached_property
    def faces(self) -> dict[str, Pixels]:
        """The picture on each face that has one."""
        names = FACES[: self.puzzle.faces]
        return {name: render(self.puzzle, self.result.arrangement, back=name == "back") for name in names}

    @cached_property
    def judged(self) -> list[Judged]:
        """How right the best was on the way and, last of all, in the end; nothing if the truth is not known."""
        return [] if self.truth is None else judge(self.bests, self.result, self.truth, self.puzzle)

    @property
    def score(self) -> Score | None:
        """How right the result is, if that is known."""
        return self.judged[-1].score if self.judged else None

    @property
    def seconds(self) -> float:
        """How long all of the work took."""
        return sum(self.result.seconds.values())
