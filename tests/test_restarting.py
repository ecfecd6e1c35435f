"""Other evolutions for who has time."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from helpers import lists_of, small_puzzle, space_of

from rectoverso import PRESETS, Observer, Progress, Result, changed_params, solve, solving
from rectoverso.evolve.stop import MaxGenerations
from rectoverso.evolve.workspace import Workspace
from rectoverso.matching.lists import CandidateLists
from rectoverso.parameters import Genetic, Objective, Params, Relative, Repair
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair.stage import Improved
from rectoverso.solving import Budget, restart

PARAMS = Params(
    Genetic(population=6, generations=3, elites=1),
    Objective(num_candidates=8, relative=Relative(traces=False, color_gap=0.0, loop_rounds=0, skip=0.0)),
    Repair(regrow_steps=0, patch_steps=1, segment_moves=0, exchange_cells=0),
)
SHORT = changed_params(
    PRESETS["best"],
    {"genetic": {"population": 6, "generations": 2}, "repair": {"regrow_steps": 1, "patch_steps": 1}},
)


def unsolved(puzzle: Puzzle, **options: int) -> tuple[Workspace, CandidateLists, Improved]:
    """A workspace with its lists, and the pieces in the order of their numbers."""
    lists = lists_of(puzzle, PARAMS)
    space = space_of(puzzle, PARAMS, lists, **options)
    chromosome = (np.arange(puzzle.num_pieces) * 4 * puzzle.faces).astype(np.uint32)
    return space, lists, Improved(1.0, space.cost(chromosome), chromosome)


def test_the_best_so_far_never_gets_worse_and_its_cost_is_true() -> None:
    space, lists, start = unsolved(small_puzzle("distinct", 2, rows=4, columns=5), seed=3)
    rounds = [improved for _, improved in restart(space, lists, start)]
    costs = [improved.best_cost for improved in rounds]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < start.best_cost
    assert costs[-1] == space.cost(rounds[-1].best)


def test_each_restart_has_its_number_and_begins_with_breeding() -> None:
    """One step for each generation, the random one included, before what is bred is repaired."""
    space, lists, start = unsolved(small_puzzle("distinct", 2, rows=4, columns=5), seed=3)
    rounds = [(step, improved.fraction) for step, improved in restart(space, lists, start)]
    restarts = [list(steps) for _, steps in itertools.groupby(rounds, key=lambda done: done[0].split(":")[0])]
    assert len(restarts) > solving.IN_VAIN
    for number, steps in enumerate(restarts, 1):
        assert steps[:4] == [(f"restart {number}: breeding", 0.0)] * 4
        assert {step for step, _ in steps[5:]} <= {f"restart {number}: regrowing doubtful patches"}
        assert all(0 <= fraction <= 1 for _, fraction in steps)


def test_the_seed_decides() -> None:
    space, lists, start = unsolved(small_puzzle("distinct", 2, rows=4, columns=5))

    def costs(seed: int, threads: int) -> list[float]:
        rounds = restart(replace(space, seed=seed, threads=threads), lists, start)
        return [improved.best_cost for _, improved in itertools.islice(rounds, 60)]

    assert costs(1, 1) == costs(1, 2)
    assert costs(1, 1) != costs(2, 1)


def test_restarts_in_vain_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    space, lists, start = unsolved(small_puzzle("distinct", 2, rows=3, columns=3), seed=1)
    monkeypatch.setattr(solving, "IN_VAIN", 0)
    assert list(restart(space, lists, start)) == []


def test_who_asks_for_no_repair_gets_no_restart() -> None:
    space, lists, start = unsolved(small_puzzle("distinct", 2, rows=3, columns=3), seed=1)
    assert list(restart(replace(space, params=replace(PARAMS, repair=None)), lists, start)) == []


def test_only_who_limits_the_time_gets_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []

    def noted(space: Workspace, lists: CandidateLists, best: Improved) -> solving.Rounds:
        seeds.append(space.seed)
        return iter(())

    monkeypatch.setattr(solving, "restart", noted)
    puzzle = small_puzzle("distinct", 2, rows=3, columns=3)
    for stop in (None, MaxGenerations(5)):
        solve(puzzle, params=SHORT, stop=stop, seed=7)
    assert seeds == []
    solve(puzzle, params=replace(SHORT, time_limit=60.0), seed=7)
    assert seeds == [7]


class Watching(Observer):
    """Remembers what is told of repair, and lets a second pass with each step of the solve."""

    def __init__(self) -> None:
        self.seen: list[Progress] = []
        self.now = 0.0

    def on_progress(self, progress: Progress) -> None:
        """A second has passed."""
        self.now += 1
        if progress.stage == "repair":
            self.seen.append(progress)


def watched(monkeypatch: pytest.MonkeyPatch, time_limit: float) -> tuple[Result, list[Progress], float]:
    """A solve by a clock of steps, what was told of its repair, and when that began; one evolution is not enough."""
    watching = Watching()
    # The clock of steps begins with the solve.
    monkeypatch.setattr(
        solving, "Budget", lambda seconds, started: Budget(seconds, started=0.0, clock=lambda: watching.now)
    )
    params = changed_params(PARAMS, {"genetic": {"population": 2, "generations": 1}, "time_limit": time_limit})
    puzzle = small_puzzle("distinct", 2, rows=5, columns=6)
    result = solve(puzzle, params=params, seed=1, threads=1, observers=[watching])
    return result, watching.seen, watching.now - len(watching.seen)


def test_restarts_go_on_where_repair_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are a part of it: the seconds go on, the cost never rises, and what was gained is the result."""
    result, seen, _ = watched(monkeypatch, time_limit=1e9)
    assert seen[0].step == "regrowing doubtful patches"
    assert seen[-1].step.startswith("restart ")
    # The clock stands still until it is told of the first round.
    assert [progress.seconds for progress in seen] == list(range(len(seen)))
    costs = [progress.best_cost for progress in seen]
    assert costs == sorted(costs, reverse=True)
    assert (result.cost, result.reason) == (costs[-1], "nothing more was gained")
    assert result.seconds["repair"] == len(seen)


@pytest.mark.parametrize("restarts", [0, 1, 2])
def test_a_time_limit_ends_repair_wherever_it_is(restarts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each progress tells which share of the time is spent, unless more is done than that."""
    _, seen, before = watched(monkeypatch, time_limit=1e9)
    begins = f"restart {restarts}: " if restarts else ""
    last = next(i for i, progress in enumerate(seen) if progress.step.startswith(begins))
    limit = before + last + 1
    result, again, _ = watched(monkeypatch, time_limit=limit)
    assert result.reason == f"time limit of {limit:g} s"
    assert [progress.step for progress in again] == [progress.step for progress in seen[: last + 1]]
    assert result.cost == again[-1].best_cost == seen[last].best_cost
    assert all(progress.fraction >= (before + i) / limit for i, progress in enumerate(again))
