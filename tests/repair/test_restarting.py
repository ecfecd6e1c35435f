"""Other evolutions for who has time."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from helpers import affinity_of, small_puzzle
from rectoverso.repair.restarting import restart

from rectoverso import PRESETS, solve
from rectoverso.evolve import _native as breeding_native
from rectoverso.evolve.stop import MaxGenerations, TimeLimit
from rectoverso.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.repair import restarting
from rectoverso.repair.patching import Patching
from rectoverso.repair.regrowth import Regrown

PARAMS = Params(
    population=6, generations=3, elites=1, objective="relative", growth="cell", num_candidates=8, patch_steps=1
)
UNTIL = MaxGenerations(PARAMS.generations)


def unsolved(puzzle: Puzzle) -> tuple[Patching, Regrown]:
    """The pieces in the order of their numbers."""
    patching = Patching(puzzle, affinity_of(puzzle, PARAMS), PARAMS)
    chromosome = (np.arange(puzzle.num_pieces) * 4 * puzzle.faces).astype(np.uint32)
    cost = float(breeding_native.cost(chromosome, patching.tables, patching.rules))
    return patching, Regrown(1.0, cost, chromosome, 2.0)


def test_the_best_so_far_never_gets_worse_and_its_cost_is_true() -> None:
    puzzle = small_puzzle("distinct", 2, rows=4, columns=5)
    patching, start = unsolved(puzzle)
    rounds = list(restart(puzzle, affinity_of(puzzle, PARAMS), PARAMS, start, UNTIL, seed=3, threads=1))
    costs = [regrown.best_cost for regrown in rounds]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < start.best_cost
    assert costs[-1] == float(breeding_native.cost(rounds[-1].best, patching.tables, patching.rules))
    assert all(late.seconds >= early.seconds >= 2 for early, late in itertools.pairwise(rounds))


def test_the_seed_decides() -> None:
    puzzle = small_puzzle("distinct", 2, rows=4, columns=5)
    lists, (_, start) = affinity_of(puzzle, PARAMS), unsolved(puzzle)

    def costs(seed: int, threads: int) -> list[float]:
        rounds = restart(puzzle, lists, PARAMS, start, UNTIL, seed=seed, threads=threads)
        return [regrown.best_cost for regrown in itertools.islice(rounds, 60)]

    assert costs(1, 1) == costs(1, 2)
    assert costs(1, 1) != costs(2, 1)


def test_restarts_in_vain_come_to_an_end(monkeypatch) -> None:
    puzzle = small_puzzle("distinct", 2, rows=3, columns=3)
    lists, (_, start) = affinity_of(puzzle, PARAMS), unsolved(puzzle)
    monkeypatch.setattr(restarting, "IN_VAIN", 0)
    assert list(restart(puzzle, lists, PARAMS, start, UNTIL, seed=1, threads=1)) == []


def test_only_who_limits_the_time_gets_restarts(monkeypatch) -> None:
    seeds = []

    def watched(puzzle, lists, params, best, until, *, seed, threads):
        seeds.append(seed)
        return iter(())

    monkeypatch.setattr("rectoverso.solving.restart", watched)
    puzzle = small_puzzle("distinct", 2, rows=3, columns=3)
    params = replace(PRESETS["best"], population=6, generations=2, regrow_steps=1, patch_steps=1)
    for stop in (None, MaxGenerations(5)):
        solve(puzzle, params=params, stop=stop, seed=7)
    assert seeds == []
    solve(puzzle, params=params, stop=TimeLimit(60), seed=7)
    assert seeds == [7]
