"""What a report tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rectoverso.evolve.result import Result
from rectoverso.images.files import Pixels
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.metrics import Score, score
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.render import render
from rectoverso.show.log import Round
from rectoverso.show.report.bests import Best, Judged, judge

FACES = ("front", "back")


def render_faces(puzzle: Puzzle, arrangement: Arrangement) -> dict[str, Pixels]:
    """The picture on each face that has one, by its name."""
    return {name: render(puzzle, arrangement, back=name == "back") for name in FACES[: puzzle.faces]}


@dataclass(frozen=True, eq=False)
class Story:
    """A solve that is over: what was solved, the result, what was collected on the way, and the truth if it is known.

    Attributes
    ----------
    puzzle, preset, result, faces
        What was solved, with which preset, what came out, and the picture on each face.
    rounds
        The rounds of repair that followed evolution, if there were any.
    bests
        The best chromosomes on the way, to be compared with the truth.
    truth
        The arrangement that was cut.
    """

    puzzle: Puzzle
    preset: str
    result: Result
    faces: dict[str, Pixels]
    rounds: Sequence[Round] = ()
    bests: Sequence[Best] = ()
    truth: Arrangement | None = None

    @cached_property
    def judged(self) -> list[Judged]:
        """How right the best was on the way and, last of all, in the end; nothing if the truth is not known."""
        if self.truth is None or self.score is None:
            return []
        end = self.result.seconds["evolution"] + self.result.seconds.get("repair", 0.0)
        return [*judge(self.bests, self.truth, self.puzzle), Judged(end, self.score)]

    @cached_property
    def score(self) -> Score | None:
        """How right the result is, if that is known."""
        return None if self.truth is None else score(self.result.arrangement, self.truth, self.puzzle)

    @property
    def seconds(self) -> float:
        """How long all of the work took."""
        return sum(self.result.seconds.values())
