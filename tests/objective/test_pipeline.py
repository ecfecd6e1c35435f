"""The pipeline: its steps, and what is told of them on the way."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np
import pytest
from compression import Pictures, compressed, puzzle_of, scaled
from helpers import small_puzzle

from rectoverso import PRESETS, Observer, Params, Progress, Puzzle, changed_params, prepare, solve
from rectoverso.evolve.stop import Signal
from rectoverso.objective.pipeline import REFINING, SEARCHING, SUPPORTING

TRACELESS = changed_params(PRESETS["best"], {"objective": {"relative": {"traces": False}}})
STEPS = {
    "best": (PRESETS["best"], [SEARCHING, REFINING, SUPPORTING]),
    "best without traces": (TRACELESS, [SEARCHING, SUPPORTING]),
    "paper": (PRESETS["paper"], [SEARCHING]),
}


class Ear(Observer):
    """Remembers what is told of the preparation, and that nothing of it comes later."""

    def __init__(self) -> None:
        self.heard: list[Progress] = []
        self.over = False

    def on_progress(self, progress: Progress) -> None:
        """One more."""
        if progress.stage == "preparation":
            assert not self.over
            self.heard.append(progress)
        else:
            self.over = True


def heard_of(puzzle: Puzzle, params: Params, threads: int) -> list[Progress]:
    """All that a solve tells of its preparation; it stops right after."""
    ear = Ear()
    few = replace(params, genetic=replace(params.genetic, population=4, elites=1))
    solve(puzzle, params=few, threads=threads, observers=[ear], stop=Signal(lambda: "enough"))
    assert ear.over
    return ear.heard


def assert_told(heard: list[Progress], steps: list[str]) -> None:
    """From 0 to 1 without ever falling, step by step in their order, and always how long it will take still."""
    fractions = [progress.fraction for progress in heard]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)
    assert [step for step, _ in groupby(progress.step for progress in heard)] == [*steps, "prepared"]
    seconds = [progress.seconds for progress in heard]
    assert seconds == sorted(seconds)
    assert seconds[0] >= 0
    for progress in heard:
        # At the very beginning nothing can be said.
        assert (progress.seconds_left is None) == (progress.fraction == 0)
        if progress.seconds_left is not None:
            left = progress.seconds * (1 - progress.fraction) / progress.fraction
            assert progress.seconds_left == pytest.approx(left)
        assert progress.best is progress.best_cost is progress.state is None
    assert heard[-1].seconds_left == 0
    assert [progress.findings is None for progress in heard] == [True] * (len(heard) - 1) + [False]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("name", STEPS)
def test_the_preparation_tells_its_steps(name: str, type: int, threads: int) -> None:
    """Of every type, on any number of threads."""
    params, steps = STEPS[name]
    assert_told(heard_of(small_puzzle("distinct", type), params, threads), steps)


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("name", STEPS)
def test_a_file_has_the_same_steps(name: str, type: int, threads: int, files: Pictures) -> None:
    """Also where traces are found, and candidates are searched again."""
    params, steps = STEPS[name]
    heard = heard_of(puzzle_of(files, type), params, threads)
    assert_told(heard, steps)
    assert bool(heard[-1].findings) == (name == "best")


@pytest.mark.compiled
def test_a_large_step_is_told_in_many(photos: Pictures) -> None:
    """Nobody waits for long without a word: no more than a third of the preparation goes by unheard."""
    large = compressed(scaled(photos[0], 1008, 672))
    heard = heard_of(Puzzle.from_image(large, type=2, size=28), PRESETS["best"], 2)
    assert heard[-1].findings
    assert max(late.fraction - early.fraction for early, late in pairwise(heard)) < 1 / 3
    for step in (SEARCHING, REFINING, SUPPORTING):
        assert len({progress.fraction for progress in heard if progress.step == step}) > 3


def test_what_is_told_changes_nothing() -> None:
    """Nor does anybody have to listen."""
    puzzle, objective = small_puzzle("flat", 2), PRESETS["best"].objective
    told: list[tuple[str, float]] = []
    silent, loud = prepare(puzzle, objective), prepare(puzzle, objective, tell=lambda *step: told.append(step))
    assert told[0] == (SEARCHING, 0.0)
    assert told[-1] == (SUPPORTING, pytest.approx(1.0))
    for name in ("candidates", "weights", "buddies"):
        for one, other in ((silent.lists, loud.lists), (silent.measured, loud.measured)):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("type", [2, 3])
def test_nothing_can_be_searched_again_in_the_end(name: str, type: int) -> None:
    """What the search has computed of all edges takes much memory, and is let go with the preparation."""
    prepared = prepare(small_puzzle("distinct", type), STEPS[name][0].objective)
    assert prepared.lists.search is prepared.measured.search is None
