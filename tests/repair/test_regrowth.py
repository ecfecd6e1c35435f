"""Ruin and regrow against its literal twin, and on a real picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import PICTURES, lists_of, reference_rules, reference_weight, small_puzzle, space_of

from rectoverso import Genetic, Objective, Params, Puzzle, Relative, Repair, changed_params, score, solve
from rectoverso.evolve._native_kernel import NUM_PHASES
from rectoverso.evolve.breeding import scatter
from rectoverso.images.files import Pixels
from rectoverso.objective.color_gap import with_color_gap
from rectoverso.reference.extensions.regrow import regrow
from rectoverso.reference.paper import dissimilarity
from rectoverso.repair import _native_regrow as native
from rectoverso.repair.regrowth import EARLY, ROUNDS, Regrowth

STEPS = 40
PLAIN = Relative(traces=False, color_gap=0.0, loop_rounds=0, skip=0.0)
PARAMS = Params(Genetic(population=10), Objective(measure="blend", num_candidates=6, relative=PLAIN))
CHOICES = {
    "plain": PARAMS,
    "skipping": changed_params(PARAMS, {"objective": {"relative": {"skip": 0.2}}}),
    "color gap": PARAMS,
}


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("type", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("choice", CHOICES)
def test_same_steps_as_the_reference(kind: str, type: int, choice: str) -> None:
    """Fed with the same random numbers, both break the same seams and grow and accept the same arrangements."""
    params = CHOICES[choice]
    puzzle = small_puzzle(kind, type)
    lists = lists_of(puzzle, params)
    if choice == "color gap":
        lists = with_color_gap(lists, puzzle.faces, 1.5)
    space = space_of(puzzle, params, lists, seed=1)
    start = scatter(space, 1)
    rules, weight = reference_rules(puzzle, lists, params), reference_weight(lists)
    temperatures, chances = (2.0, 0.5), (int(0.8 * 2**32), int(0.1 * 2**32))
    current, best, costs = start.chromosomes[0].copy(), start.chromosomes[0].copy(), np.repeat(start.costs, 2)
    native.regrow(
        6,
        np.uint64(5),
        np.uint64(9),
        np.array(temperatures),
        np.array(chances, np.uint64),
        current,
        best,
        costs,
        space.make_parent(),
        space.make_kernel(),
        space.tables,
        space.rules,
        np.empty(puzzle.num_pieces, np.uint32),
        np.empty(NUM_PHASES, np.int64),
        np.zeros(2, np.uint64),
    )
    board = start.chromosomes[0].reshape(puzzle.rows, puzzle.columns).tolist()
    boards = regrow(rules, weight, board, 6, 5, 9, temperatures, chances)
    for mine, reference in zip((current, best), boards, strict=True):
        assert mine.reshape(puzzle.rows, puzzle.columns).tolist() == reference
    assert costs.tolist() == [dissimilarity.cost(reference, weight) for reference in boards]


def test_threads_do_not_matter_and_the_best_is_kept() -> None:
    """The same rounds on any number of threads, costs that never rise, and a chromosome that has the cost it claims."""
    puzzle = small_puzzle("distinct", 2, rows=6, columns=7)
    space = space_of(puzzle, PARAMS, seed=3)
    start = scatter(replace(space, seed=1), 1)
    runs = []
    for threads in (1, 2):
        rounds = Regrowth(replace(space, threads=threads), STEPS).improve(start.chromosomes[0], start.costs[0])
        runs.append([(improved.best_cost, improved.best.tolist()) for improved in rounds])
    assert runs[0] == runs[1]
    assert len(runs[0]) == ROUNDS
    costs = [cost for cost, _ in runs[0]]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < start.costs[0]
    cost, best = runs[0][-1]
    assert space.cost(np.array(best, np.uint32)) == cost


def test_rounds_that_gain_nothing_are_soon_over() -> None:
    """What is right already is left alone after a few."""
    space = space_of(small_puzzle("distinct", 2), PARAMS)
    start = scatter(replace(space, seed=1), 1)
    assert len(list(Regrowth(space, STEPS).improve(start.chromosomes[0], 0.0))) == EARLY


@pytest.mark.compiled
def test_regrowth_improves_what_evolution_found(photos: tuple[Pixels, Pixels]) -> None:
    """After two generations of few chromosomes much is wrong; ruin and regrow puts some of it right."""
    puzzle = Puzzle.from_image(photos[1][140:336, 168:448], type=2, size=14)
    assert puzzle.truth is not None
    params = Params(Genetic(population=10, generations=2), Objective(measure="blend", relative=PLAIN))
    wanted = Repair(regrow_steps=3000, patch_steps=0, segment_moves=0, exchange_cells=0)
    evolved = solve(puzzle, params=params, seed=1)
    regrown = solve(puzzle, params=replace(params, repair=wanted), seed=1)
    before, after = (score(result.arrangement, puzzle.truth, puzzle).neighbor for result in (evolved, regrown))
    assert regrown.cost < evolved.cost
    assert after > before
    assert regrown.reason == "nothing more was gained"


@pytest.mark.compiled
def test_a_time_limit_ends_regrowth() -> None:
    """A limit that evolution kept within stops the rounds after it."""
    params = Params(
        Genetic(population=10, generations=1),
        Objective(measure="blend", relative=PLAIN),
        Repair(regrow_steps=400_000, patch_steps=0, segment_moves=0, exchange_cells=0),
        time_limit=0.3,
    )
    result = solve(small_puzzle("distinct", 2), params=params)
    assert result.reason == "time limit of 0.3 s"
    assert result.seconds["repair"] > 0
