"""solve(): the parts wired together."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from rectoverso.affinity.affinity import measure_affinity
from rectoverso.confidence.judging import judge
from rectoverso.evolve.observers import Observer, Observers
from rectoverso.evolve.parameters import PRESETS, Params
from rectoverso.evolve.ranking import prepare
from rectoverso.evolve.result import Result
from rectoverso.evolve.solver import Solver
from rectoverso.evolve.state import Progress, State
from rectoverso.evolve.stop import FirstOf, MaxGenerations, Never, Stalled, Stop, Verdict
from rectoverso.planning import Size, available_memory, check_memory
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.types import PuzzleType
from rectoverso.repair.regrowth import Regrown
from rectoverso.repair.repairing import repair
from rectoverso.repair.restarting import restart
from rectoverso.threads import available_threads

AGES = 1e12
"""More seconds than any time limit."""


def warm_up() -> None:
    """Compile all native code now, by solving a tiny puzzle of each type."""
    front, back = np.random.default_rng(0).integers(0, 256, (2, 12, 16, 3), dtype=np.uint8)
    for kind in PuzzleType:
        puzzle = Puzzle.from_image(front, back=back if kind.two_sided else None, type=kind, size=4)
        for params in (Params(mutation=0.05), replace(PRESETS["best"], regrow_steps=1, patch_steps=1)):
            solve(puzzle, params=replace(params, population=10, generations=2))
        for measure in ("mgc", "prediction"):
            measure_affinity(puzzle, measure=measure)


def solve(
    puzzle: Puzzle,
    *,
    params: Params | None = None,
    stop: Stop | None = None,
    seed: int | None = None,
    threads: int | None = None,
    observers: Iterable[Observer] = (),
    resume: State | None = None,
) -> Result:
    """Solve a puzzle; refused with a :class:`TooLargeError` if it would not fit into the memory that is available.

    Parameters
    ----------
    puzzle
        What is to be solved; its truth, if it has one, is put aside first.
    params
        The parameters of the algorithm; the preset ``best`` unless given.
    stop
        A further reason to stop, besides the generations and the patience in ``params``.
    seed
        Decides the result, together with the puzzle and the parameters; the number of threads does not. 0 unless given.
    threads
        How many threads to use; all processors unless given.
    observers
        Who watches.
    resume
        Where an earlier solve of this puzzle was (see ``load_checkpoint``): the result is that of a solve which never
        stopped. The parameters and the seed are the earlier solve's; ``params`` may only set other limits.

    Examples
    --------
    >>> import numpy as np
    >>> from rectoverso import Params, Puzzle, score, solve
    >>> rows, columns = np.mgrid[0:48, 0:64]
    >>> picture = np.stack([rows * 5, columns * 3, rows + columns], axis=2).astype(np.uint8)
    >>> puzzle = Puzzle.from_image(picture, size=8, type=2, seed=1)
    >>> result = solve(puzzle, params=Params(population=50, generations=5), seed=1)
    >>> score(result.arrangement, puzzle.truth, puzzle).neighbor
    1.0
    """
    puzzle, watching = puzzle.without_truth(), Observers(observers)
    threads = available_threads() if threads is None else threads
    params = (params or (resume.params if resume else PRESETS["best"])).chosen_for(puzzle.num_pieces)
    seed = (resume.seed if resume else 0) if seed is None else seed
    state = None if resume is None else resume.resumed(puzzle, params, seed)
    check_memory(Size.of(puzzle), params, threads, available_memory(), resumed=resume is not None)
    watching.tell(lambda observer: observer.on_start(puzzle, params, seed, threads))

    started = time.perf_counter()
    affinity = prepare(puzzle, params, threads)
    preparation = time.perf_counter() - started
    watching.tell(lambda observer: observer.on_prepared(puzzle, preparation))

    later = _Later(stop or Never(), preparation)
    solver = Solver(puzzle, affinity, params, seed=seed, threads=threads, state=state)
    progress, reason = _evolve(solver, _until(params, later), watching)
    best, cost, seconds = progress.best, progress.best_cost, {"preparation": preparation, "breeding": progress.seconds}
    if not later(progress).over:
        # Who will end it by the clock gives it time, and that is used.
        patient = later.by_the_clock(progress)
        rounds = repair(puzzle, affinity, params, best, cost, seed=seed, threads=threads, patient=patient)
        last, why = _regrow(rounds, progress, later, watching)
        if last is not None and patient and not later.after(last.seconds)(progress).over:
            rounds = restart(puzzle, affinity, params, last, _until(params, Never()), seed=seed, threads=threads)
            again, why = _regrow(rounds, progress, later, watching)
            last = again or last
        if last is not None:
            best, cost, reason, seconds["regrowing"] = last.best, last.best_cost, why, last.seconds
    arrangement = Arrangement.from_up_edges(best, puzzle.rows, puzzle.columns, puzzle.faces)
    confidence = judge(arrangement, puzzle, affinity)
    result = Result(arrangement, cost, params, seed, threads, reason, seconds, progress.state.history, confidence)
    watching.tell(lambda observer: observer.on_end(result))
    return result


def _evolve(solver: Solver, until: Stop, watching: Observers) -> tuple[Progress, str]:
    """Breed generations; the last one, and why it was the last."""
    for progress in solver:
        verdict = until(progress)
        watching.tell(lambda observer: observer.on_generation(progress, verdict.fraction))  # noqa: B023
        if verdict.over:
            break
    return progress, verdict.reason


def _regrow(
    rounds: Iterable[Regrown], bred: Progress, later: _Later, watching: Observers
) -> tuple[Regrown | None, str]:
    """Regrow what was bred; the last round, None if there was nothing to do, and why it was the last."""
    last = None
    for last in rounds:
        seen = (last.best, last.best_cost, last.seconds, last.fraction)
        watching.tell(lambda observer: observer.on_regrown(*seen))  # noqa: B023
        if reason := later.after(last.seconds)(bred).reason:
            return last, reason
    return last, "nothing more was gained"


@dataclass(frozen=True)
class _Later:
    """A criterion that judges a generation as if it had been bred so many seconds later."""

    stop: Stop
    seconds: float

    def __call__(self, progress: Progress) -> Verdict:
        last = progress.state.last
        history = (*progress.state.history[:-1], replace(last, seconds=last.seconds + self.seconds))
        return self.stop(Progress(progress.puzzle, replace(progress.state, history=history)))

    def after(self, seconds: float) -> _Later:
        """The criterion so many seconds later."""
        return replace(self, seconds=self.seconds + seconds)

    def by_the_clock(self, progress: Progress) -> bool:
        """Whether time alone will end it."""
        return self.after(AGES)(progress).over


def _until(params: Params, given: Stop) -> Stop:
    """The generations, the patience and what else is given, as one reason to stop."""
    patience = (Stalled(params.patience),) if params.patience else ()
    return FirstOf((MaxGenerations(params.generations), *patience, given))
