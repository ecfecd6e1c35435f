"""Ruin and regrow against its literal twin, and on a real picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import PICTURES, reference_rules, reference_worth, small_puzzle

from rectoverso import Params, Puzzle, TimeLimit, find_candidates, score, solve
from rectoverso.evolve._native_kernel import NUM_PHASES
from rectoverso.evolve.breeding import Breeder, make_kernel, make_parent
from rectoverso.images.files import Pixels
from rectoverso.reference.extensions.regrow import regrow
from rectoverso.reference.paper import dissimilarity
from rectoverso.repair import _native
from rectoverso.repair.regrowth import EARLY, ROUNDS, Regrowth

PARAMS = Params(measure="blend", objective="relative", num_candidates=6, population=10, regrow_steps=40)
CHOICES = {
    "edge": PARAMS,
    "cell, blinking": replace(PARAMS, growth="cell", blink=0.2),
    "toned": replace(PARAMS, tones=1.5),
}


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("type", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("choice", CHOICES)
def test_same_steps_as_the_reference(kind: str, type: int, choice: str) -> None:
    """Fed with the same random numbers, both break the same seams and grow and accept the same arrangements."""
    params = CHOICES[choice]
    puzzle = small_puzzle(kind, type)
    lists = find_candidates(puzzle, measure="blend", num_candidates=6)
    breeder = Breeder(puzzle, lists, params, 1, 1)
    start = breeder.scatter(1)
    rules = reference_rules(puzzle, lists, params)
    worth = reference_worth(puzzle, lists, params)
    heat, chances = (2.0, 0.5), (int(0.8 * 2**32), int(0.1 * 2**32))
    current, best, costs = start.chromosomes[0].copy(), start.chromosomes[0].copy(), np.repeat(start.costs, 2)
    _native.regrow(
        6,
        np.uint64(5),
        np.uint64(9),
        np.array(heat),
        np.array(chances, np.uint64),
        current,
        best,
        costs,
        make_parent(puzzle),
        make_kernel(puzzle, breeder.rules, len(lists.look_alikes.start) - 1),
        breeder.tables,
        breeder.rules,
        np.empty(puzzle.num_pieces, np.uint32),
        np.empty(NUM_PHASES, np.int64),
        np.zeros(2, np.uint64),
    )
    board = start.chromosomes[0].reshape(puzzle.rows, puzzle.columns).tolist()
    boards = regrow(rules, worth, board, 6, 5, 9, heat, chances)
    for mine, reference in zip((current, best), boards, strict=True):
        assert mine.reshape(puzzle.rows, puzzle.columns).tolist() == reference
    assert costs.tolist() == [dissimilarity.cost(reference, worth) for reference in boards]


def test_threads_do_not_matter_and_the_best_is_kept() -> None:
    """The same rounds on any number of threads, costs that never rise, and a chromosome that has the cost it claims."""
    puzzle = small_puzzle("distinct", 2, rows=6, columns=7)
    lists = find_candidates(puzzle, measure="blend", num_candidates=6)
    breeder = Breeder(puzzle, lists, PARAMS, 1, 1)
    start = breeder.scatter(1)
    runs = []
    for threads in (1, 2):
        regrowth = Regrowth(puzzle, lists, PARAMS, seed=3, threads=threads)
        runs.append([(r.best_cost, r.best.tolist()) for r in regrowth.improve(start.chromosomes[0], start.costs[0])])
    assert runs[0] == runs[1]
    assert len(runs[0]) == ROUNDS
    costs = [cost for cost, _ in runs[0]]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < start.costs[0]
    cost, best = runs[0][-1]
    assert _native.cost(np.array(best, np.uint32), breeder.tables, breeder.rules) == cost


def test_rounds_that_gain_nothing_are_soon_over() -> None:
    """What is right already is left alone after a few."""
    puzzle = small_puzzle("distinct", 2)
    lists = find_candidates(puzzle, measure="blend", num_candidates=6)
    start = Breeder(puzzle, lists, PARAMS, 1, 1).scatter(1)
    assert len(list(Regrowth(puzzle, lists, PARAMS).improve(start.chromosomes[0], 0.0))) == EARLY


@pytest.mark.compiled
def test_regrowth_improves_what_evolution_found(photos: tuple[Pixels, Pixels]) -> None:
    """After two generations of few chromosomes much is wrong; ruin and regrow puts some of it right."""
    puzzle = Puzzle.from_image(photos[1][:196, :280], type=2, size=14)
    assert puzzle.truth is not None
    params = Params(measure="blend", objective="relative", population=10, generations=2)
    evolved = solve(puzzle, params=params, seed=1)
    regrown = solve(puzzle, params=replace(params, regrow_steps=3000), seed=1)
    before, after = (score(result.arrangement, puzzle.truth, puzzle).neighbor for result in (evolved, regrown))
    assert regrown.cost < evolved.cost
    assert after > before
    assert regrown.reason == "nothing more was gained"


@pytest.mark.compiled
def test_a_time_limit_ends_regrowth() -> None:
    """A limit that evolution kept within stops the rounds after it."""
    params = Params(measure="blend", objective="relative", population=10, generations=1, regrow_steps=400_000)
    result = solve(small_puzzle("distinct", 2), params=params, stop=TimeLimit(0.3))
    assert result.reason == "time limit of 0.3 s"
