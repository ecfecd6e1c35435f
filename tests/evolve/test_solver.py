"""The loop, its parameters, its stop criteria and its observers."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from helpers import small_puzzle

from rectoverso import Params, Progress, Puzzle, Solver, find_candidates, judge, render, score, solve, solving
from rectoverso.errors import PuzzleWarning
from rectoverso.evolve.observers import Observer
from rectoverso.evolve.selection import fitness_from_cost, select_parents
from rectoverso.evolve.stop import FirstOf, MaxGenerations, Never, Signal, Stalled, TimeLimit, Verdict
from rectoverso.images.files import Pixels
from rectoverso.parameters import PRESETS

FAST = Params(population=40, generations=6)


def trajectory(puzzle: Puzzle, threads: int, seed: int = 3) -> list[tuple[float, float, dict[str, int], bytes]]:
    """Everything that a run shows, generation by generation, but its times."""
    found = []
    for progress in Solver(puzzle, find_candidates(puzzle, threads=threads), FAST, seed=seed, threads=threads):
        found.append((progress.best_cost, progress.mean_cost, progress.phases, progress.best.tobytes()))
        if progress.generation == FAST.generations:
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
    result = solve(puzzle, params=Params(population=600, generations=20), seed=1)
    found = score(result.arrangement, puzzle.truth, puzzle)
    assert found.neighbor > 0.98
    if type in (3, 4, 6, 7):
        assert found.perfect
    if type in (3, 7):
        np.testing.assert_array_equal(render(puzzle, result.arrangement), size["front"])


def test_the_best_never_gets_worse_even_without_elites() -> None:
    """The best so far is kept whatever the next generation brings."""
    puzzle = small_puzzle("duplicated", 2, rows=5, columns=6)
    result = solve(puzzle, params=Params(population=10, generations=12, elites=0, mutation=0.3))
    costs = [record.best_cost for record in result.history]
    assert costs == sorted(costs, reverse=True)
    assert result.cost == costs[-1]


def test_solving_puts_the_truth_aside() -> None:
    """No observer, and so nothing downstream, ever sees the truth."""

    class Spy(Observer):
        truths: ClassVar[list[object]] = []

        def on_start(self, puzzle: Puzzle, params: Params, seed: int, threads: int) -> None:
            self.truths.append(puzzle.truth)

        def on_generation(self, progress: Progress, fraction: float) -> None:
            self.truths.append(progress.puzzle.truth)

    solve(small_puzzle("distinct", 2), params=FAST, observers=[Spy()])
    assert Spy.truths == [None] * 8


def test_a_failing_observer_is_dropped() -> None:
    """It gets one warning; the result is the same as without it."""

    class Faulty(Observer):
        calls = 0

        def on_generation(self, progress: Progress, fraction: float) -> None:
            Faulty.calls += 1
            raise RuntimeError("no screen")

    puzzle = small_puzzle("distinct", 2)
    with pytest.warns(PuzzleWarning, match="Faulty failed and was dropped"):
        watched = solve(puzzle, params=FAST, observers=[Faulty()])
    assert Faulty.calls == 1
    assert watched.arrangement == solve(puzzle, params=FAST).arrangement


def test_observers_hear_everything_once() -> None:
    """Start, prepared, generations 0 to the last with a growing fraction, end."""
    heard: list[Any] = []

    class Ear(Observer):
        def on_start(self, *_: object) -> None:
            heard.append("start")

        def on_prepared(self, *_: object) -> None:
            heard.append("prepared")

        def on_generation(self, progress: Progress, fraction: float) -> None:
            heard.append((progress.generation, fraction))

        def on_end(self, result: object) -> None:
            heard.append("end")

    solve(small_puzzle("distinct", 1), params=Params(population=5, generations=2), observers=[Ear()])
    assert heard == ["start", "prepared", (0, 0.0), (1, 0.5), (2, 1.0), "end"]


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
    result = solve(small_puzzle("distinct", 1), params=Params(population=20, generations=500, patience=2))
    assert result.reason == "no improvement for 2 generations"
    assert result.generations < 20


def progress_of(generation: int = 0, seconds: float = 0, stale: int = 0) -> Any:
    return SimpleNamespace(generation=generation, seconds=seconds, stale=stale)


def test_stop_criteria() -> None:
    """Each says when it is over and why, and how far it is."""
    assert MaxGenerations(4)(progress_of(1)).fraction == 0.25
    assert not MaxGenerations(4)(progress_of(3)).over
    assert MaxGenerations(4)(progress_of(4)).reason == "generation limit"
    assert TimeLimit(2)(progress_of(seconds=1)).fraction == 0.5
    assert TimeLimit(2)(progress_of(1, seconds=2.5)).reason == "time limit of 2 s"
    assert not TimeLimit(2)(progress_of(0, seconds=2.5)).over
    assert not Stalled(3)(progress_of(5, stale=2)).over
    assert Stalled(3)(progress_of(5, stale=3)).over
    assert Never()(progress_of(10**6, 1e9, 10**6)) == Verdict(0.0)
    assert Signal(lambda: "interrupted")(progress_of()).reason == "interrupted"
    both = FirstOf((MaxGenerations(4), TimeLimit(2)))
    assert both(progress_of(1, 1.5)).fraction == 0.75
    assert both(progress_of(4, 1)).reason == "generation limit"
    for nonsense in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="positive"):
            TimeLimit(nonsense)


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
    ("name", "value"),
    [
        ("population", 1),
        ("generations", 0),
        ("elites", -1),
        ("elites", 1000),
        ("mutation", 1.5),
        ("ties", "none"),
        ("fitness", "best"),
        ("normalization", "none"),
        ("num_candidates", 0),
        ("sample", 0),
        ("patience", -1),
        ("cap", 1.0),
        ("grid", True),
        ("squares", -1),
        ("squares", 1),
        ("growth", "none"),
        ("growth", "cell"),
        ("blink", 0.1),
        ("wide_candidates", 0),
        ("least_group", 1),
        ("regrow_steps", 10),
        ("patch_steps", -1),
        ("patch_steps", 10),
        ("segment_moves", -1),
        ("segment_moves", 10),
        ("regrow_heat", (1.0, 2.0)),
        ("regrow_any", -0.1),
        ("measure", "none"),
        ("objective", "none"),
    ],
)
def test_nonsense_parameters_are_refused(name: str, value: object) -> None:
    """The message names the parameter."""
    with pytest.raises(ValueError, match=name):
        Params(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("blink", [-0.1, 1.5])
def test_a_blink_is_a_chance(blink: float) -> None:
    """Where there is one: the growth by edges has none."""
    with pytest.raises(ValueError, match="blink is a chance"):
        Params(objective="relative", growth="cell", blink=blink)
    with pytest.raises(ValueError, match="blink needs growth by cell"):
        Params(objective="relative", blink=blink)


def test_pooling_needs_the_grid() -> None:
    """Which shows what belongs together."""
    with pytest.raises(ValueError, match="pooling needs the grid"):
        Params(objective="relative", pooling=True)


def test_squares_look_at_no_fewer_candidates_than_are_kept() -> None:
    """Where there are squares; elsewhere the number of wide candidates says nothing."""
    assert Params(num_candidates=128).num_candidates > Params().wide_candidates
    with pytest.raises(ValueError, match="wide_candidates must be at least 128, not 96"):
        Params(objective="relative", squares=1, num_candidates=128)


@pytest.mark.compiled
def test_best_is_the_default() -> None:
    """Of a solve; the parameters by themselves are the paper's."""
    puzzle = small_puzzle("distinct", 2)
    assert solve(puzzle, stop=TimeLimit(1e-9)).params == PRESETS["best"].chosen_for(puzzle.num_pieces)
    assert Params() == PRESETS["paper"]


def test_the_presets_are_what_was_measured() -> None:
    """A change of any field is a change of all the published results."""
    paper = {
        "population": 1000, "generations": 30, "elites": 4, "fitness": "rank", "mutation": 0.0, "ties": "random",
        "measure": "lab", "normalization": "chroma", "objective": "dissimilarity", "cap": 2.5, "tones": 0.0,
        "grid": False, "pooling": False, "squares": 0, "growth": "edge", "blink": 0.0, "num_candidates": 32,
        "wide_candidates": 96, "least_group": 2, "sample": 64, "regrow_steps": 0, "patch_steps": 0, "segment_moves": 0,
        "exchange_cells": 0, "regrow_heat": (5.0, 0.4), "regrow_doubtful": 0.9, "regrow_any": 0.05, "patience": 0,
    }  # fmt: skip
    best = {
        "population": 0, "patience": 4, "measure": "blend", "objective": "relative", "tones": 2.0, "grid": True,
        "pooling": True, "squares": 3, "growth": "cell", "blink": 0.1, "least_group": 13, "sample": 16,
        "regrow_steps": 5000, "patch_steps": 200, "segment_moves": 60, "exchange_cells": 600,
    }  # fmt: skip
    assert asdict(PRESETS["paper"]) == paper
    assert asdict(PRESETS["quick"]) == paper | {"population": 200, "patience": 3}
    assert asdict(PRESETS["best"]) == paper | best


def test_the_affinity_of_another_puzzle_is_refused() -> None:
    """Native code would read beyond the ends of its arrays."""
    puzzle, other = small_puzzle("distinct", 2), small_puzzle("distinct", 2, rows=2, columns=3)
    lists = find_candidates(other)
    with pytest.raises(ValueError, match="measured for another puzzle"):
        Solver(puzzle, lists, FAST)
    with pytest.raises(ValueError, match="measured for another puzzle"):
        judge(puzzle.truth, puzzle, lists)


@pytest.mark.parametrize(("limit", "generations"), [(99, 1), (100_000, 2)])
def test_a_time_limit_counts_the_preparation(limit: float, generations: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preparation of 100 seconds counts like generations; one is always bred, and of repair there is none then."""
    now = [0.0]
    measure = solving.prepare

    def slowly(*args: Any) -> Any:
        now[0] += 100.0
        return measure(*args)

    monkeypatch.setattr(solving, "prepare", slowly)
    monkeypatch.setattr(solving.time, "perf_counter", lambda: now[0])
    params = Params(population=10, generations=2, objective="relative", regrow_steps=40)
    result = solve(small_puzzle("distinct", 2), params=params, stop=TimeLimit(limit))
    assert result.seconds["preparation"] == 100.0
    assert result.generations == generations
    assert (result.reason == "time limit of 99 s") == (limit == 99)
    assert ("regrowing" in result.seconds) == (limit != 99)
