"""The pipeline: from a puzzle to the candidate lists of a solve, step by step.

A refinement takes a puzzle and its lists and gives new lists. Only this file knows which refinements there are: one,
:func:`rectoverso.jpeg.refinement.refine`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from rectoverso.engines.threads import Tell, part_of, silent
from rectoverso.intake.heap import Examples
from rectoverso.intake.saved_sheet import muted
from rectoverso.jpeg.refinement import refine
from rectoverso.matching.custom import Measure, VectorMeasure
from rectoverso.matching.learned import learned_measure
from rectoverso.matching.lists import CandidateLists, UnlistedSeams, find_candidates
from rectoverso.matching.ratio import relative_lists
from rectoverso.objective import CAP
from rectoverso.objective.chances import likely_lists
from rectoverso.objective.color_gap import with_color_gap
from rectoverso.objective.loops import support_by_loops
from rectoverso.objective.superpieces import Level, with_superpieces
from rectoverso.parameters import Objective, Relative
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.worn.adapting import adapt
from rectoverso.worn.signs import Signs, find_signs

SEARCHING, REFINING, SUPPORTING = "searching candidates", "reading JPEG traces", "supporting seams by loops"
COMPARING = "comparing worn edges"

SHARES_OF_WORN = {SEARCHING: 0.15, COMPARING: 0.65, SUPPORTING: 0.2}
"""The shares of the steps of worn pieces."""


@dataclass(frozen=True)
class Prepared:
    """The lists as they were measured, which tell how sure a seam is, and those that a solve grows and costs by."""

    measured: CandidateLists
    lists: CandidateLists

    def of(self, puzzle: Puzzle) -> Prepared:
        """The same lists for the same pieces in another frame."""
        return Prepared(replace(self.measured, puzzle=puzzle.digest), replace(self.lists, puzzle=puzzle.digest))


@dataclass(frozen=True)
class _Steps:
    """The steps of a preparation, with the shares that they have of its time; told one by one."""

    tell: Callable[[str, float], None]
    shares: dict[str, float]

    def step(self, name: str) -> Tell:
        """Who is told how far done a step is."""
        names, total = list(self.shares), sum(self.shares.values())
        before = sum(self.shares[other] for other in names[: names.index(name)])
        share = self.shares[name]
        self.tell(name, before / total)
        return lambda fraction: self.tell(name, (before + fraction * share) / total)


def prepare(
    puzzle: Puzzle,
    objective: Objective,
    threads: int = 1,
    *,
    custom: Measure | None = None,
    tell: Callable[[str, float], None] | None = None,
) -> Prepared:
    """Find the candidates of a puzzle and weigh them by an objective; ``tell`` is told what is done, and how far.

    A ``custom`` measure takes the place of the objective's. So does one that worn pieces teach by their examples, in
    the place of the default.
    """
    given = puzzle
    if custom is None and puzzle.examples is not None:
        puzzle, custom = _by_wear(puzzle, puzzle.examples, objective)
    if isinstance(custom, VectorMeasure) and custom.rerank is not None and objective.relative is None:
        raise ValueError("a measure that ranks again needs the relative objective: other seams have no exact cost")
    steps = _Steps(tell or (lambda name, fraction: None), _shares(objective))
    measured = _measure(puzzle, objective, custom, threads, steps.step(SEARCHING))
    signs = _signs_of_wear(puzzle, measured, objective, custom)
    if signs is not None:
        steps = _Steps(steps.tell, SHARES_OF_WORN)
        measured = adapt(puzzle, measured, signs, threads, steps.step(COMPARING))
    measured = replace(measured, puzzle=given.digest)
    kept = replace(measured, search=None)
    if objective.relative is None:
        return Prepared(kept, kept)
    lists = _weigh(puzzle, measured, objective, objective.relative, threads, steps)
    # The gap is for seams on block lines: in a picture without known ones it does harm.
    if objective.relative.color_gap and lists.alignment is not None:
        lists = with_color_gap(lists, puzzle.faces, objective.relative.color_gap, threads)
    else:
        lists = replace(lists, unlisted=UnlistedSeams.at_cap(puzzle.num_edges, CAP))
    return Prepared(kept, replace(lists, search=None))


def _by_wear(puzzle: Puzzle, examples: Examples, objective: Objective) -> tuple[Puzzle, Measure | None]:
    """How worn pieces are compared: by the measure that they teach or, if another one was named, with less chroma."""
    if objective.relative is not None and objective.measure == "blend":
        return puzzle, learned_measure(examples)
    return (puzzle if puzzle.compared is None else replace(puzzle, compared=muted(puzzle.compared))), None


def _signs_of_wear(
    puzzle: Puzzle, measured: CandidateLists, objective: Objective, custom: Measure | None
) -> Signs | None:
    """The signs of wear where the measure is to know them; None if it is not, or if pieces are clean."""
    if custom is not None or objective.measure != "blend" or objective.relative is None or not objective.relative.wear:
        return None
    signs = find_signs(puzzle, measured).with_gap(puzzle.gap)
    return signs if signs.worn else None


def can_show_traces(puzzle: Puzzle) -> bool:
    """Whether traces of compression can be read: pieces are square, and are compared by what they show."""
    return puzzle.square and puzzle.compared is None


def _shares(objective: Objective) -> dict[str, float]:
    """The steps that an objective takes, with their shares of the time: measured on puzzles of 22,755 pieces."""
    if objective.relative is None:
        return {SEARCHING: 1.0}
    traces = {REFINING: 0.4} if objective.relative.traces else {}
    return {SEARCHING: 0.4} | traces | {SUPPORTING: 0.2}


def _measure(
    puzzle: Puzzle, objective: Objective, custom: Measure | None, threads: int, tell: Tell = silent
) -> CandidateLists:
    return find_candidates(
        puzzle,
        measure=objective.measure,
        normalization=objective.normalization,
        num_candidates=objective.searched,
        least_group=objective.least_group,
        custom=custom,
        threads=threads,
        tell=tell,
    )


def _weigh(
    puzzle: Puzzle, lists: CandidateLists, objective: Objective, relative: Relative, threads: int, steps: _Steps
) -> CandidateLists:
    """Refined by what the picture tells, relative, and supported by loops and by superpieces."""
    # Wear damages traces, and lost borders move their grid.
    if relative.traces and not lists.wear and can_show_traces(puzzle):
        lists = refine(puzzle, lists, threads, steps.step(REFINING))
    tell = steps.step(SUPPORTING)
    if lists.wear:
        return likely_lists(lists, puzzle, relative.loop_rounds, objective.num_candidates, threads, tell)
    measured, lists = lists, relative_lists(lists)
    if relative.loop_rounds:
        lists = support_by_loops(lists, relative.loop_rounds, objective.num_candidates, threads, part_of(tell, 0, 0.8))
    if relative.superpieces and puzzle.type.location_unknown:
        level = Level(measured, lists, puzzle.piece_height, puzzle.faces, puzzle.type.rotation_unknown)
        lists = with_superpieces(level, relative.loop_rounds, threads)
    tell(1.0)
    return lists
