"""The loop, its parameters, its stop criteria and its observers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, fields, is_dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers import lists_of, small_puzzle

from rectoverso import Progress, Puzzle, Result, Solver, find_candidates, judge, render, score, solve, solving
from rectoverso.changes import as_toml, changed_params
from rectoverso.errors import BadInputError, PuzzleWarning
from rectoverso.evolve.observers import Observer
from rectoverso.evolve.selection import fitness_from_cost, select_parents
from rectoverso.evolve.stop import FirstOf, MaxGenerations, Never, Signal, Stalled, Verdict
from rectoverso.geometry import NOTHING
from rectoverso.images.files import Pixels
from rectoverso.objective import CAP
from rectoverso.parameters import PRESETS, Genetic, Objective, Params, Relative, Repair
from rectoverso.repair import regrowth
from rectoverso.repair.stage import BREAKING
from rectoverso.solving import Budget

FAST = Params(Genetic(population=40, generations=6))
PLAIN = Relative(traces=False, color_gap=0.0, loop_rounds=0, skip=0.0)
"""The ratios and nothing else."""
REGROW = Repair(regrow_steps=40, patch_steps=0, segment_moves=0, exchange_cells=0)
"""The quickest repair there is."""


def trajectory(puzzle: Puzzle, threads: int, seed: int = 3) -> list[tuple[float, float, dict[str, int], bytes]]:
    """Everything that a run shows, generation by generation, but its times."""
    found = []
    for state in Solver(puzzle, find_candidates(puzzle, threads=threads), FAST, seed=seed, threads=threads):
        found.append((state.best_cost, state.last.mean_cost, state.last.phases, state.best.tobytes()))
        if state.generation == FAST.genetic.generations:
            return found
    raise AssertionError


@pytest.mark.compiled
@pytest.mark.parametrize("type", range(1, 8))
def test_same_seed_same_run_for_any_number_of_threads(type: int) -> None:
    """The whole trajectory is the same, bit for bit; another seed gives another one."""
    puzzle = small_puzzle("flat", type, rows=6, columns=8)
    one = trajectory(puzzle, 1)
    assert trajectory(puzzle, 2) == one
    assert trajectory(puzzle, 5) == one
    assert trajectory(puzzle, 2, seed=4) != one


@pytest.mark.compiled
@pytest.mark.parametrize("type", range(1, 8))
def test_photographs_are_solved(photos: tuple[Pixels, Pixels], type: int) -> None:
    """A real picture is put together but for a few dark pieces; perfectly if cells are known or both faces help."""
    front, back = photos
    size = {"front": front[:, 56:476], "back": back[:, 56:476]}
    puzzle = Puzzle.from_image(size["front"], back=size["back"] if type >= 4 else None, type=type, seed=type)
    assert puzzle.truth is not None
    result = solve(puzzle, params=Params(Genetic(population=600, generations=20)), seed=1)
    found = score(result.arrangement, puzzle.truth, puzzle)
    assert found.neighbor > 0.98
    if type in (3, 4, 6, 7):
        assert found.perfect
    if type in (3, 7):
        np.testing.assert_array_equal(render(puzzle, result.arrangement), size["front"])


def test_the_best_never_gets_worse_even_without_elites() -> None:
    """The best so far is kept whatever the next generation brings."""
    puzzle = small_puzzle("duplicated", 2, rows=5, columns=6)
    result = solve(puzzle, params=Params(Genetic(population=10, generations=12, elites=0, mutation=0.3)))
    costs = [record.best_cost for record in result.history]
    assert costs == sorted(costs, reverse=True)
    assert result.cost == costs[-1]


def puzzles_in(told: object) -> Iterator[Puzzle]:
    """All puzzles that can be reached from what somebody was told."""
    if isinstance(told, Puzzle):
        yield told
    elif is_dataclass(told):
        for field in fields(told):
            yield from puzzles_in(getattr(told, field.name))
    elif isinstance(told, (tuple, list)):
        for each in told:
            yield from puzzles_in(each)


def test_solving_puts_the_truth_aside() -> None:
    """No observer, and so nothing downstream, ever sees the truth."""
    told: list[object] = []

    class Spy(Observer):
        def on_start(self, puzzle: Puzzle, params: Params, seed: int, threads: int) -> None:
            told.append((puzzle, params))

        def on_progress(self, progress: Progress) -> None:
            told.append(progress)

        def on_end(self, result: Result) -> None:
            told.append(result)

    solve(small_puzzle("distinct", 2), params=FAST, observers=[Spy()])
    # The preparation tells when it begins to search, when it has searched, and when it is over.
    assert len(told) == 1 + 3 + 7 + 1
    assert [puzzle.truth for puzzle in puzzles_in(told)] == [None, None]


def test_a_failing_observer_is_dropped() -> None:
    """It gets one warning; the result is the same as without it."""

    class Faulty(Observer):
        calls = 0

        def on_progress(self, progress: Progress) -> None:
            Faulty.calls += 1
            raise RuntimeError("no screen")

    puzzle = small_puzzle("distinct", 2)
    with pytest.warns(PuzzleWarning, match="Faulty failed and was dropped"):
        watched = solve(puzzle, params=FAST, observers=[Faulty()])
    assert Faulty.calls == 1
    assert watched.arrangement == solve(puzzle, params=FAST).arrangement


def test_observers_hear_everything_once() -> None:
    """Start, the preparation step by step, generations 0 to the last with a growing fraction, repair, end."""
    heard: list[Any] = []

    class Ear(Observer):
        def on_start(self, *_: object) -> None:
            heard.append("start")

        def on_progress(self, progress: Progress) -> None:
            generation = None if progress.state is None else progress.state.generation
            heard.append((progress.stage, generation, progress.fraction))

        def on_end(self, result: object) -> None:
            heard.append("end")

    puzzle, genetic = small_puzzle("distinct", 1), Genetic(population=5, generations=2)
    solve(puzzle, params=Params(genetic), observers=[Ear()])
    # The four sides are searched one by one.
    searched = [("preparation", None, sides / 4) for sides in range(5)]
    prepared = ("preparation", None, 1.0)
    bred = [("evolution", 0, 0.0), ("evolution", 1, 0.5), ("evolution", 2, 1.0)]
    assert heard == ["start", *searched, prepared, *bred, "end"]
    heard.clear()
    solve(puzzle, params=Params(genetic, Objective(relative=PLAIN), REGROW), observers=[Ear()])
    # Two thirds of the preparation are the search; then a step without loops begins and ends.
    fractions = [fraction for *_, fraction in heard[1:8]]
    assert fractions == pytest.approx([0, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 2 / 3, 1])
    assert {(stage, generation) for stage, generation, _ in heard[1:8]} == {("preparation", None)}
    assert (heard[0], heard[8:12]) == ("start", [prepared, *bred])
    assert heard[-1] == "end"
    repaired = heard[12:-1]
    assert {(stage, generation) for stage, generation, _ in repaired} == {("repair", None)}
    fractions = [fraction for *_, fraction in repaired]
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] <= fractions[-1] == 1


def test_result_tells_what_happened() -> None:
    """The history, the placements and the summary agree with the run."""
    puzzle = small_puzzle("distinct", 2)
    result = solve(puzzle, params=FAST, seed=2)
    assert result.generations == 6
    assert result.reason == "generation limit"
    assert sum(result.placements.values()) == 6 * 36 * (puzzle.num_pieces - 1)
    assert "stopped  generation limit, after 6 generations" in result.summary()
    assert result.history[3].shares["shared"] > 0


def test_patience_stops_a_stalled_run() -> None:
    """A run that finds nothing better for some generations is over."""
    result = solve(small_puzzle("distinct", 1), params=Params(Genetic(population=20, generations=500, patience=2)))
    assert result.reason == "no improvement for 2 generations"
    assert result.generations < 20


def state_of(generation: int = 0, stale: int = 0) -> Any:
    return SimpleNamespace(generation=generation, stale=stale)


def test_stop_criteria() -> None:
    """Each says when it is over and why, and how far it is."""
    assert MaxGenerations(4)(state_of(1)).fraction == 0.25
    assert not MaxGenerations(4)(state_of(3)).over
    assert MaxGenerations(4)(state_of(4)).reason == "generation limit"
    assert not Stalled(3)(state_of(5, stale=2)).over
    assert Stalled(3)(state_of(5, stale=3)).over
    assert Never()(state_of(10**6, 10**6)) == Verdict(0.0)
    assert Signal(lambda: "interrupted")(state_of()).reason == "interrupted"
    both = FirstOf((MaxGenerations(4), MaxGenerations(2), Stalled(3)))
    assert both(state_of(1)) == Verdict(0.5)
    assert both(state_of(1, stale=3)).reason == "no improvement for 3 generations"
    assert both(state_of(4)).reason == "generation limit"


def test_a_budget_is_spent() -> None:
    """It says how much of it is spent since it began, and why to stop when all of it is; 0 seconds are no limit."""
    now = [100.0]
    budget, endless = (Budget(seconds, 100.0, lambda: now[0]) for seconds in (2.0, 0.0))
    assert (budget.spent, budget.share, budget.over) == (0.0, 0.0, "")
    now[0] = 101.0
    assert (budget.spent, budget.share, budget.over) == (1.0, 0.5, "")
    for seconds in (2.0, 2.5, 1e9):
        now[0] = 100.0 + seconds
        assert (budget.spent, budget.share, budget.over) == (seconds, 1.0, "time limit of 2 s")
        assert (endless.spent, endless.share, endless.over) == (seconds, 0.0, "")


@pytest.mark.parametrize("nonsense", [-1.0, -1e-9, float("-inf"), float("nan")])
def test_a_time_limit_that_is_none_is_refused(nonsense: float) -> None:
    """By the parameters, and by what changes them; 0 is no limit, and a whole number will do."""
    with pytest.raises(ValueError, match="positive"):
        replace(FAST, time_limit=nonsense)
    with pytest.raises(ValueError, match="positive"):
        changed_params(FAST, {"time_limit": nonsense})
    assert changed_params(FAST, {"time_limit": 0}) == FAST == replace(FAST, time_limit=0.0)
    limited = changed_params(FAST, {"time_limit": 60})
    assert (limited.time_limit, type(limited.time_limit)) == (60.0, float)


@pytest.mark.parametrize("fitness", ["worst", "reciprocal", "rank"])
def test_fitness_prefers_lower_costs(fitness: Any) -> None:
    """Lower costs are drawn more often; equal costs equally, even where all are the same."""
    costs = np.array([5.0, 1.0, 3.0])
    values = fitness_from_cost(costs, fitness)
    assert values[1] > values[2] > values[0] >= 0
    assert (fitness_from_cost(np.full(4, 2.0), fitness) > 0).all()
    drawn = np.bincount(select_parents(costs, 3000, fitness, np.random.default_rng(0)).ravel(), minlength=3)
    np.testing.assert_allclose(drawn / 6000, values / values.sum(), atol=0.03)


def test_fitness_of_a_free_lunch() -> None:
    """A cost of 0 (all pieces white) does not break the wheel."""
    assert select_parents(np.zeros(3), 5, "reciprocal", np.random.default_rng(0)).max() < 3


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        (Genetic, "population", 1),
        (Genetic, "population", -1),
        (Genetic, "generations", 0),
        (Genetic, "patience", -1),
        (Genetic, "elites", -1),
        (Genetic, "elites", 1000),
        (Genetic, "fitness", "best"),
        (Genetic, "mutation", 1.5),
        (Genetic, "mutation", -0.1),
        (Genetic, "ties", "none"),
        (Genetic, "sample", 0),
        (Objective, "measure", "none"),
        (Objective, "normalization", "none"),
        (Objective, "num_candidates", 0),
        (Objective, "least_group", 1),
        (Relative, "color_gap", -0.1),
        (Relative, "loop_rounds", -1),
        (Relative, "wide_candidates", 0),
        (Relative, "skip", -0.1),
        (Relative, "skip", 1.5),
        (Repair, "regrow_steps", -1),
        (Repair, "patch_steps", -1),
        (Repair, "patch_steps", 0),
        (Repair, "segment_moves", -1),
        (Repair, "exchange_cells", -1),
    ],
)
def test_nonsense_parameters_are_refused(part: type, name: str, value: object) -> None:
    """The message names the parameter."""
    with pytest.raises(ValueError, match=name):
        part(**{name: value})


def test_repair_needs_the_relative_objective() -> None:
    """Which tells doubtful seams from others."""
    with pytest.raises(ValueError, match="repair needs the relative objective"):
        Params(repair=Repair())
    with pytest.raises(ValueError, match="segment_moves needs patch_steps"):
        Repair(patch_steps=0)
    assert Repair(patch_steps=0, segment_moves=0).patch_steps == 0


@pytest.mark.parametrize("skip", [-0.1, 1.5])
def test_a_skip_is_a_probability(skip: float) -> None:
    """The message says so."""
    with pytest.raises(ValueError, match="skip is a probability from 0 to 1"):
        Relative(skip=skip)


def test_loops_look_at_no_fewer_candidates_than_are_kept() -> None:
    """Where there are loops; elsewhere the number of wide candidates says nothing."""
    without = Objective(num_candidates=128, relative=Relative(loop_rounds=0))
    assert without.searched == Objective(num_candidates=128).searched == 128 > Relative().wide_candidates
    assert Objective(relative=Relative()).searched == 96
    with pytest.raises(ValueError, match=r"wide_candidates must be at least num_candidates \(128\), not 96"):
        Objective(num_candidates=128, relative=Relative(loop_rounds=1))


@pytest.mark.compiled
def test_best_is_the_default() -> None:
    """Of a solve; the parameters by themselves are the paper's."""
    puzzle = small_puzzle("distinct", 2)
    started: list[Params] = []

    class Given(Observer):
        def on_start(self, puzzle: Puzzle, params: Params, seed: int, threads: int) -> None:
            started.append(params)

    at_once = Signal(lambda: "enough")
    assert solve(puzzle, stop=at_once, observers=[Given()]).params == PRESETS["best"].chosen_for(puzzle.num_pieces)
    assert started == [PRESETS["best"].chosen_for(puzzle.num_pieces)]
    assert Params() == PRESETS["paper"]


def test_the_presets_are_what_was_measured() -> None:
    """A change of any field, or of a constant beside them, is a change of all the published results."""
    genetic = {
        "population": 1000, "generations": 30, "patience": 0, "elites": 4, "fitness": "rank", "mutation": 0.0,
        "ties": "random", "sample": 64,
    }  # fmt: skip
    objective = {
        "measure": "lab", "normalization": "chroma", "num_candidates": 32, "least_group": 2, "relative": None,
    }  # fmt: skip
    relative = {
        "traces": True, "wear": True, "color_gap": 2.0, "superpieces": True, "loop_rounds": 3, "wide_candidates": 96,
        "skip": 0.1,
    }  # fmt: skip
    repair = {"regrow_steps": 5000, "patch_steps": 200, "segment_moves": 60, "exchange_cells": 600}
    assert asdict(PRESETS["paper"]) == {
        "genetic": genetic,
        "objective": objective,
        "repair": None,
        "time_limit": 0.0,
    }
    assert asdict(PRESETS["quick"]) == {
        "genetic": genetic | {"population": 200, "patience": 3},
        "objective": objective,
        "repair": None,
        "time_limit": 0.0,
    }
    assert asdict(PRESETS["best"]) == {
        "genetic": genetic | {"population": 0, "patience": 4, "sample": 16},
        "objective": objective | {"measure": "blend", "least_group": 13, "relative": relative},
        "repair": repair,
        "time_limit": 0.0,
    }
    assert list(PRESETS) == ["paper", "quick", "best"]
    assert CAP == 2.5
    assert regrowth.TEMPERATURES == (5.0, 0.4)
    assert (BREAKING / NOTHING).tolist() == pytest.approx([0.9, 0.05])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"genetics": {}}, "there is no parameter genetics; the whole has genetic, objective, repair, time_limit"),
        ({"population": 50}, "there is no parameter population; the whole has genetic, "),
        ({"genetic": {"populaton": 50}}, "there is no parameter genetic.populaton; genetic has population, "),
        ({"objective": {"relativ": False}}, "there is no parameter objective.relativ; objective has measure, "),
        ({"objective": {"relative": {"skips": 0.1}}}, "there is no parameter objective.relative.skips; "),
        ({"repair": {"patches": 1}}, "there is no parameter repair.patches; repair has regrow_steps, "),
    ],
)
@pytest.mark.parametrize("preset", PRESETS)
def test_unknown_parameters_are_refused_by_their_full_name(preset: str, changes: dict[str, Any], words: str) -> None:
    """Whether or not the part is left out in what is changed."""
    with pytest.raises(ValueError, match=re.escape(words)):
        changed_params(PRESETS[preset], changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"genetic": {"population": "many"}}, "genetic.population must be of type int, not 'many'"),
        ({"genetic": {"population": 50.0}}, "genetic.population must be of type int, not 50.0"),
        ({"genetic": {"population": True}}, "genetic.population must be of type int, not True"),
        ({"genetic": {"population": None}}, "genetic.population must be of type int, not None"),
        ({"genetic": {"mutation": "0.1"}}, "genetic.mutation must be of type float, not '0.1'"),
        ({"genetic": {"mutation": True}}, "genetic.mutation must be of type float, not True"),
        ({"genetic": {"ties": 1}}, "genetic.ties must be of type str, not 1"),
        ({"objective": {"measure": False}}, "objective.measure must be of type str, not False"),
        ({"objective": {"relative": {"traces": 1}}}, "objective.relative.traces must be of type bool, not 1"),
        ({"genetic": 50}, "genetic is a part with parameters of its own, not 50"),
        ({"repair": True}, "repair is a part with parameters of its own, not True"),
        ({"objective": {"relative": "yes"}}, "objective.relative is a part with parameters of its own, not 'yes'"),
        ({"genetic": False}, "genetic cannot be left out"),
        ({"objective": False}, "objective cannot be left out"),
        ({"genetic": {"mutation": 2}}, "mutation is a probability from 0 to 1, not 2.0"),
        ({"time_limit": "60"}, "time_limit must be of type float, not '60'"),
        ({"time_limit": None}, "time_limit must be of type float, not None"),
        ({"time_limit": True}, "time_limit must be of type float, not True"),
        ({"time_limit": -1}, "a time limit must be positive, not -1.0 seconds"),
    ],
)
def test_parameters_of_the_wrong_type_are_refused(changes: dict[str, Any], words: str) -> None:
    """So that a mistake in a file is not a Params that fails later."""
    for preset in PRESETS.values():
        with pytest.raises(ValueError, match=re.escape(words)):
            changed_params(preset, changes)


def test_false_leaves_a_part_out() -> None:
    """And a part that is left out begins with its own defaults when it comes back."""
    best = PRESETS["best"]
    assert changed_params(best, {"repair": False}) == replace(best, repair=None)
    assert changed_params(best, {"repair": None}) == replace(best, repair=None)
    paper = changed_params(best, {"repair": False, "objective": {"relative": False}})
    assert paper == Params(best.genetic, replace(best.objective, relative=None))
    with pytest.raises(ValueError, match="repair needs the relative objective"):
        changed_params(best, {"objective": {"relative": False}})
    back = changed_params(paper, {"repair": {"patch_steps": 7}, "objective": {"relative": {"loop_rounds": 1}}})
    assert back == Params(
        best.genetic, replace(best.objective, relative=Relative(loop_rounds=1)), Repair(patch_steps=7)
    )


def test_only_what_is_named_is_changed() -> None:
    """In parts of parts, too; nothing named is nothing changed."""
    best = PRESETS["best"]
    assert changed_params(best, {}) == changed_params(best, {"genetic": {}, "repair": {}}) == best
    changed = changed_params(best, {"genetic": {"population": 50}, "objective": {"relative": {"traces": False}}})
    assert best.objective.relative is not None
    objective = replace(best.objective, relative=replace(best.objective.relative, traces=False))
    assert changed == Params(replace(best.genetic, population=50), objective, best.repair)


def test_a_whole_number_will_do_for_a_real_one() -> None:
    """And becomes one, so that equal parameters are written alike."""
    changed = changed_params(PRESETS["best"], {"genetic": {"mutation": 1}, "objective": {"relative": {"color_gap": 3}}})
    assert changed.objective.relative is not None
    for value, expected in ((changed.genetic.mutation, 1.0), (changed.objective.relative.color_gap, 3.0)):
        assert (value, type(value)) == (expected, float)


@pytest.mark.parametrize(
    "params",
    [
        *PRESETS.values(),
        Params(Genetic(mutation=1e-7, ties="first"), Objective(normalization="units", relative=PLAIN)),
        Params(objective=Objective(relative=PLAIN), repair=REGROW),
        replace(PRESETS["best"], time_limit=60.0),
        replace(FAST, time_limit=1e-7),
    ],
)
def test_parameters_survive_their_toml(params: Params) -> None:
    """Every preset, and others, given back by what is written of it; every parameter is written."""
    written = tomllib.loads(as_toml(params))
    assert changed_params(Params(), written) == params
    assert changed_params(PRESETS["best"], written) == params
    assert written["time_limit"] == params.time_limit
    left_out = {"repair": params.repair, "relative": params.objective.relative}
    assert written["genetic"] == asdict(params.genetic)
    for name, part in left_out.items():
        held = written if name == "repair" else written["objective"]
        assert held[name] == (asdict(part) if part else False)
    assert written["objective"].keys() == asdict(params.objective).keys()


def test_the_lists_of_another_puzzle_are_refused() -> None:
    """Native code would read beyond the ends of its arrays."""
    puzzle, other = small_puzzle("distinct", 2), small_puzzle("distinct", 2, rows=2, columns=3)
    assert puzzle.truth is not None
    lists = find_candidates(other)
    with pytest.raises(ValueError, match="found for another puzzle"):
        Solver(puzzle, lists, FAST)
    with pytest.raises(ValueError, match="found for another puzzle"):
        judge(puzzle.truth, puzzle, lists)


def test_the_lists_of_another_objective_are_refused() -> None:
    """What a seam costs is decided when the lists are prepared, and nowhere else."""
    puzzle, relative = small_puzzle("distinct", 2), replace(FAST, objective=Objective(relative=PLAIN))
    for prepared, wanted in ((FAST, relative), (relative, FAST)):
        with pytest.raises(ValueError, match="were not prepared for this objective"):
            Solver(puzzle, lists_of(puzzle, prepared), wanted)


@pytest.mark.parametrize(("limit", "generations"), [(99, 1), (125, 2), (100_000, 2)])
def test_a_time_limit_counts_the_preparation(limit: float, generations: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preparation of 100 seconds counts like generations; one is always bred, and of repair there is none then."""
    now = [0.0]
    prepare = solving.prepare

    def slowly(*args: Any, **options: Any) -> Any:
        now[0] += 100.0
        return prepare(*args, **options)

    monkeypatch.setattr(solving, "prepare", slowly)
    monkeypatch.setattr(solving.time, "perf_counter", lambda: now[0])
    # Its clock is a default, which was there before the clock was changed.
    monkeypatch.setattr(solving, "Budget", partial(Budget, clock=lambda: now[0]))
    params = Params(Genetic(population=10, generations=2), Objective(relative=PLAIN), REGROW, time_limit=limit)
    fractions = []

    class Ear(Observer):
        def on_progress(self, progress: Progress) -> None:
            if progress.state is not None:
                fractions.append(progress.fraction)

    result = solve(small_puzzle("distinct", 2), params=params, observers=[Ear()])
    assert fractions == [max(number / 2, min(1.0, 100 / limit)) for number in range(generations + 1)]
    assert result.seconds["preparation"] == 100.0
    assert result.generations == generations
    assert (result.reason == "time limit of 99 s") == (limit == 99)
    assert ("repair" in result.seconds) == (limit != 99)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_beyond_64_bits_are_refused(seed: int) -> None:
    """By everything that takes one; the last that is allowed works."""
    puzzle = small_puzzle("distinct", 2)
    with pytest.raises(ValueError, match=f"the seed {seed} was given; seeds are from 0 to"):
        solve(puzzle, params=FAST, seed=seed)
    with pytest.raises(ValueError, match="seeds are from 0 to"):
        Solver(puzzle, find_candidates(puzzle), FAST, seed=seed)
    with pytest.raises(ValueError, match="seeds are from 0 to"):
        Puzzle.from_image(np.zeros((8, 8, 3), np.uint8), size=4, seed=seed)
    assert solve(puzzle, params=FAST, seed=2**64 - 1).seed == 2**64 - 1


def test_numbers_that_mean_nothing_are_refused() -> None:
    """No threads, no generations, no patience, and frames of a negative size."""
    puzzle = small_puzzle("distinct", 2)
    with pytest.raises(ValueError, match="0 threads were asked for"):
        solve(puzzle, params=FAST, threads=0)
    with pytest.raises(ValueError, match="0 generations was given"):
        MaxGenerations(0)
    with pytest.raises(ValueError, match="patience of 0 generations"):
        Stalled(0)
    with pytest.raises(BadInputError, match="a frame of -2x-3 cells"):
        replace(puzzle, rows=-2, columns=-3)
