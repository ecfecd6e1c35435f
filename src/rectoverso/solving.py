"""solve(): the parts wired together, and restarts for who has time."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rectoverso.agreeing import with_agreement
from rectoverso.changes import changed_params
from rectoverso.confidence.confidence import Confidence
from rectoverso.confidence.judging import judge
from rectoverso.engines.seeds import checked_seed
from rectoverso.engines.threads import available_threads, checked_threads
from rectoverso.evolve.observers import Observer, Observers, Progress
from rectoverso.evolve.result import Result
from rectoverso.evolve.solver import Solver
from rectoverso.evolve.state import State
from rectoverso.evolve.stop import FirstOf, MaxGenerations, Never, Stalled, Stop
from rectoverso.evolve.workspace import Workspace
from rectoverso.matching.custom import Function, Measure, as_measure
from rectoverso.matching.lists import CandidateLists, find_candidates
from rectoverso.objective.pipeline import COMPARING, Prepared, prepare
from rectoverso.parameters import PRESETS, Genetic, Params
from rectoverso.planning import Size, available_memory, check_memory
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.types import PuzzleType
from rectoverso.repair.patching import Patching
from rectoverso.repair.repairing import repair
from rectoverso.repair.stage import Improved
from rectoverso.settling import settle_frame, settle_type, upright_turn

IN_VAIN = 6
"""So many restarts in a row that gain nothing are enough."""

LEAST_TOLD = 0.01
"""The least part of the preparation that observers are told of."""

Rounds = Iterator[tuple[str, Improved]]


def warm_up() -> None:
    """Compile all native code now, by solving a tiny puzzle of each type."""
    front, back = np.random.default_rng(0).integers(0, 256, (2, 12, 16, 3), dtype=np.uint8)
    few = {"genetic": {"population": 10, "generations": 2}}
    short = {"repair": {"regrow_steps": 1, "patch_steps": 1}}
    for kind in PuzzleType:
        puzzle = Puzzle.from_image(front, back=back if kind.two_sided else None, type=kind, size=4)
        solve(puzzle, params=changed_params(Params(Genetic(mutation=0.05)), few))
        solve(puzzle, params=changed_params(PRESETS["best"], few | short))
        for measure in ("mgc", "prediction"):
            find_candidates(puzzle, measure=measure)


@dataclass(frozen=True)
class Budget:
    """The time that a solve may take from ``started`` on; with 0 seconds, as long as it needs."""

    seconds: float
    started: float
    clock: Callable[[], float] = time.perf_counter

    @property
    def spent(self) -> float:
        """How many seconds have passed."""
        return self.clock() - self.started

    @property
    def share(self) -> float:
        """Which share of it has been spent; 0 if there is no limit."""
        return min(1.0, self.spent / self.seconds) if self.seconds else 0.0

    @property
    def over(self) -> str:
        """Why to stop; "" as long as there is time left."""
        return f"time limit of {self.seconds:g} s" if self.share >= 1 else ""


def solve(
    puzzle: Puzzle,
    *,
    params: Params | None = None,
    measure: Measure | Function | None = None,
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
        What is to be solved; its truth, if it has one, is put aside first. A type or a frame that was not told is
        found out: the result has the puzzle as it was solved.
    params
        The parameters of the algorithm; the preset ``best`` unless given.
    measure
        A measure of your own instead of that in ``params``: a function from border strips to one vector for each edge,
        or one of the classes in :mod:`rectoverso.matching.custom`.
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
    >>> from rectoverso import Genetic, Params, Puzzle, score, solve
    >>> rows, columns = np.mgrid[0:48, 0:64]
    >>> picture = np.stack([rows * 5, columns * 3, rows + columns], axis=2).astype(np.uint8)
    >>> puzzle = Puzzle.from_image(picture, size=8, type=2, seed=1)
    >>> result = solve(puzzle, params=Params(Genetic(population=50, generations=5)), seed=1)
    >>> score(result.arrangement, puzzle.truth, puzzle).neighbor
    1.0
    """
    started, watching = time.perf_counter(), Observers(observers)
    threads = checked_threads(available_threads() if threads is None else threads)
    puzzle, notes = _with_type(puzzle.without_truth(), resume, threads)
    params = (params or (resume.params if resume else PRESETS["best"])).chosen_for(puzzle.num_pieces)
    custom = None if measure is None else as_measure(measure)
    if custom is not None:
        params = replace(params, objective=replace(params.objective, measure="custom"))
    seed = checked_seed((resume.seed if resume else 0) if seed is None else seed)
    if resume is not None:
        resume.check_fits(puzzle, params, seed)
    check_memory(Size.of(puzzle), params, threads, available_memory(), resumed=resume is not None)
    watching.tell(lambda observer: observer.on_start(puzzle, params, seed, threads))
    prepared, preparation = _prepare(puzzle, params, custom, threads, watching)
    if not puzzle.frame_known:
        puzzle, said = settle_frame(puzzle, prepared.lists, params, seed, threads)
        notes, prepared = (*notes, said), prepared.of(puzzle)
    settled = time.perf_counter()
    prepared = with_agreement(puzzle, prepared, params, seed, threads)
    preparation += time.perf_counter() - settled
    if prepared.lists.wear:
        puzzle = replace(puzzle, gap=prepared.lists.gap)
        notes = (*notes, f"worn pieces: {', '.join(prepared.lists.wear)}")
    if notes:
        watching.tell(lambda observer: observer.on_settled(puzzle, notes))
    run = _Run(
        Solver(puzzle, prepared.lists, params, seed=seed, threads=threads, state=resume),
        stop or Never(),
        Budget(params.time_limit, started),
        watching,
        prepared,
    )
    state, reason = run.evolve()
    best, cost, seconds = state.best, state.best_cost, {"preparation": preparation, "evolution": state.seconds}
    if not run.why_stop(state):
        last, why, seconds_of_repair = run.repair(state, prepared.lists)
        if last is not None:
            best, cost, reason, seconds["repair"] = last.best, last.best_cost, why, seconds_of_repair
    arrangement = Arrangement.from_up_edges(best, puzzle.rows, puzzle.columns, puzzle.faces)
    result = Result(
        arrangement,
        cost,
        params,
        seed,
        threads,
        reason,
        seconds,
        state.history,
        run.judge(best),
        puzzle,
        notes,
        upright_turn(puzzle, arrangement, prepared.lists),
    )
    watching.tell(lambda observer: observer.on_end(result))
    return result


def _with_type(puzzle: Puzzle, resume: State | None, threads: int) -> tuple[Puzzle, tuple[str, ...]]:
    """The puzzle with its type, and what was found out about that; a resumed solve has found out all before."""
    if resume is not None and resume.settled is not None and not puzzle.is_settled:
        return puzzle.settled(*resume.settled), ()
    if puzzle.type_told:
        return puzzle, ()
    puzzle, said = settle_type(puzzle, threads)
    return puzzle, (said,)


def _prepare(
    puzzle: Puzzle, params: Params, custom: Measure | None, threads: int, watching: Observers
) -> tuple[Prepared, float]:
    """Find the candidates, watched, and say how long that took."""
    started = time.perf_counter()

    told = [("", 0.0)]

    def tell(step: str, fraction: float) -> None:
        if step == COMPARING != told[-1][0]:
            check_memory(Size.of(puzzle), params, threads, available_memory(), worn=True)
        # A step may tell of hundreds of parts: one line a percent is enough.
        if step != told[-1][0] or fraction - told[-1][1] >= LEAST_TOLD or fraction == 1:
            told.append((step, fraction))
            progress = Progress("preparation", step, fraction, time.perf_counter() - started)
            watching.tell(lambda observer: observer.on_progress(progress))

    prepared = prepare(puzzle, params.objective, threads, custom=custom, tell=tell)
    seconds = time.perf_counter() - started
    done = Progress("preparation", "prepared", 1.0, seconds, findings=prepared.lists.findings, wear=prepared.lists.wear)
    watching.tell(lambda observer: observer.on_progress(done))
    return prepared, seconds


@dataclass(frozen=True)
class _Run:
    """A solve from its first generation on."""

    solver: Solver
    stop: Stop
    budget: Budget
    watching: Observers
    prepared: Prepared

    def why_stop(self, state: State) -> str:
        """Why to stop from outside of the algorithm; "" to go on."""
        return self.stop(state).reason or self.budget.over

    def evolve(self) -> tuple[State, str]:
        """Breed generations; the last one, and why it was the last."""
        until = FirstOf((_limits(self.solver.space.params), self.stop))
        for state in self.solver:
            verdict = until(state)
            reason = verdict.reason or (self.budget.over if state.generation else "")
            fraction = max(verdict.fraction, self.budget.share)
            best = (state.best, state.best_cost, state)
            judge = partial(self.judge, state.best)
            self._tell(Progress("evolution", "breeding", fraction, state.seconds, *best, judge=judge))
            if reason:
                break
        return state, reason

    def repair(self, state: State, lists: CandidateLists) -> tuple[Improved | None, str, float]:
        """Repair what was bred: the last round, None if there was nothing to do, why it was the last, and the seconds.

        Who gives a time limit gives time, and that is used.
        """
        started, patient = self.budget.clock(), self.budget.seconds > 0
        rounds = repair(self.solver.space, state.best, state.best_cost, patient=patient)
        last, why = self._watch(rounds, state, started)
        if last is not None and patient and not self.why_stop(state):
            again, why = self._watch(restart(self.solver.space, lists, last), state, started)
            last = again or last
        return last, why, self.budget.clock() - started

    def _watch(self, rounds: Rounds, state: State, started: float) -> tuple[Improved | None, str]:
        last, fraction = None, 0.0
        for step, last in rounds:
            # A stage that goes on for another cycle does not take back what it said.
            fraction = max(fraction, last.fraction, self.budget.share)
            seconds = self.budget.clock() - started
            judge = partial(self.judge, last.best)
            self._tell(Progress("repair", step, fraction, seconds, last.best, last.best_cost, judge=judge))
            if reason := self.why_stop(state):
                return last, reason
        return last, "nothing more was gained"

    def judge(self, best: NDArray[np.uint32]) -> Confidence:
        """How sure a chromosome can be of itself, by the lists as they were measured, and by those of the solve."""
        puzzle = self.solver.space.puzzle
        arrangement = Arrangement.from_up_edges(best, puzzle.rows, puzzle.columns, puzzle.faces)
        return judge(arrangement, puzzle, self.prepared.measured, solved=self.prepared.lists)

    def _tell(self, progress: Progress) -> None:
        self.watching.tell(lambda observer: observer.on_progress(progress))


def _limits(params: Params) -> Stop:
    """The generations and the patience of the parameters, as one reason to stop."""
    patience = (Stalled(params.genetic.patience),) if params.genetic.patience else ()
    return FirstOf((MaxGenerations(params.genetic.generations), *patience))


def restart(space: Workspace, lists: CandidateLists, best: Improved) -> Rounds:
    """Evolve and repair again and again, with another seed each time, and give the best so far.

    What one seed gets wrong another one may get right, and the cost tells. It ends when nothing is doubtful, or when
    some restarts in a row have gained nothing.
    """
    if space.params.repair is None:
        return
    patches, until, gained = Patching(space, space.params.repair), _limits(space.params), 0
    for number in itertools.count(1):
        if not patches.doubt(best.best) or number - gained > IN_VAIN:
            return
        seed = int(np.random.SeedSequence([space.seed, number]).generate_state(1)[0])
        solver = Solver(space.puzzle, lists, space.params, seed=seed, threads=space.threads, clock=space.clock)
        for state in solver:
            yield f"restart {number}: breeding", replace(best, fraction=0.0)
            if until(state).over:
                break
        bred = ("bred", Improved(0.0, state.best_cost, state.best))
        for step, improved in itertools.chain([bred], repair(solver.space, state.best, state.best_cost, patient=False)):
            if improved.best_cost < best.best_cost:
                best, gained = improved, number
            yield f"restart {number}: {step}", replace(best, fraction=improved.fraction)
