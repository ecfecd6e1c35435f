"""What a solve needs: the prediction holds, and what does not fit is refused with what would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from helpers import small_puzzle

from rectoverso import (
    PRESETS,
    Genetic,
    Objective,
    Params,
    Puzzle,
    TooLargeError,
    changed_params,
    planning,
    save_puzzle,
    solve,
)
from rectoverso.cli import commands
from rectoverso.planning import Size, available_memory, check_memory, predict_memory, predict_seconds
from rectoverso.puzzle.types import PuzzleType

MEDIUM = Size(2000, (28, 28), PuzzleType(2), 50)
PEAK = """
import atexit, sys
from rectoverso.bench.memory import peak_memory
from rectoverso.cli import main
atexit.register(lambda: print(peak_memory(), file=sys.stderr))
main()
"""


@pytest.mark.compiled
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize(
    ("preset", "type", "population", "wear"),
    [("paper", 2, 1500, True), ("paper", 4, 100, True), ("best", 2, 200, True), ("best", 2, 200, False)],
)
def test_prediction_of_memory_holds(tmp_path: Path, preset: str, type: int, population: int, wear: bool) -> None:
    """The peak of the command is within a quarter of what was predicted for it; for repair there is no time.

    The pieces show nothing but noise, so they are taken for worn where that is looked for.
    """
    front, back = np.random.default_rng(0).integers(0, 256, (2, 40 * 20, 50 * 20, 3), dtype=np.uint8)
    puzzle = Puzzle.from_image(front, back=back if type == 4 else None, type=type, size=20)
    save_puzzle(puzzle, tmp_path / "puzzle")
    args = ["solve", tmp_path / "puzzle", "-o", tmp_path / "out", "--generations", 1, "--population", population]
    args += ["--preset", preset, "--threads", 2, "--time-limit", 5]
    if not wear:
        (tmp_path / "clean.toml").write_text("[objective.relative]\nwear = false\n")
        args += ["--params", tmp_path / "clean.toml"]
    command = [sys.executable, "-c", PEAK, *map(str, args)]
    stderr = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    params = changed_params(PRESETS[preset], {"genetic": {"population": population}})
    predicted = predict_memory(Size.of(puzzle), params, 2, worn=preset == "best" and wear)
    assert predicted == pytest.approx(int(stderr.splitlines()[-1]), rel=0.25)


@pytest.mark.parametrize(
    "more",
    [
        lambda size, params: (replace(size, pieces=4000, long_side=80), params),
        lambda size, params: (replace(size, piece_size=(100, 100)), params),
        lambda size, params: (replace(size, type=PuzzleType(4)), params),
        lambda size, params: (replace(size, long_side=2000), params),
        lambda size, params: (size, replace(params, genetic=Genetic(population=5000))),
        lambda size, params: (size, replace(params, objective=Objective(num_candidates=1000))),
    ],
)
def test_more_needs_more(more: Callable[[Size, Params], tuple[Size, Params]]) -> None:
    """Every number that makes a solve larger makes its prediction larger."""
    base = predict_memory(MEDIUM, Params(), 2)
    assert predict_memory(*more(MEDIUM, Params()), 2) > base
    assert predict_memory(MEDIUM, Params(), 4) > base
    assert predict_memory(MEDIUM, Params(), 2, resumed=True) > base


@pytest.mark.parametrize("type", range(1, 8))
def test_size_agrees_with_the_puzzle(type: int) -> None:
    """The numbers that are derived are the puzzle's own."""
    puzzle = small_puzzle("distinct", type)
    size = Size.of(puzzle)
    assert (size.edges, size.pixels, size.long_side) == (puzzle.num_edges, puzzle.pixels.nbytes, 5)
    assert size.values == puzzle.num_edges * 3 * puzzle.piece_height
    assert predict_memory(size, Params(), 1) > planning.BASE


def test_seconds_are_of_the_right_kind() -> None:
    """A known rotation or cell saves search; more threads than processors save nothing."""
    seconds = {type: predict_seconds(replace(MEDIUM, type=PuzzleType(type)), Params(), 1) for type in range(1, 8)}
    assert seconds[3] < seconds[1] < seconds[2] < seconds[4]
    assert 5 < seconds[2] < 120
    assert predict_seconds(MEDIUM, Params(Genetic(generations=60)), 1) > 1.5 * seconds[2]
    processors = planning.available_threads()
    assert predict_seconds(MEDIUM, Params(), 10**6) == predict_seconds(MEDIUM, Params(), processors)


def test_available_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says, what the machine has where it says nothing, or nothing at all."""
    page = os.sysconf("SC_PAGE_SIZE")
    (tmp_path / "meminfo").write_text("MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:   7000 kB\n")
    (tmp_path / "statm").write_text("100 3 2 1 0 5 0\n")
    monkeypatch.setattr(planning, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(planning, "_STATM", tmp_path / "statm")
    assert available_memory() == 7000 * 1024 + 3 * page
    (tmp_path / "meminfo").write_text("MemTotal:  9000 kB\n")
    assert available_memory() == page * os.sysconf("SC_PHYS_PAGES")
    monkeypatch.setattr(planning, "_MEMINFO", tmp_path / "nowhere")
    assert available_memory() == page * os.sysconf("SC_PHYS_PAGES")
    monkeypatch.delattr(os, "sysconf")
    assert available_memory() is None


def test_what_fits_is_not_refused() -> None:
    """Exactly enough is enough, and where nothing is known nothing is refused."""
    check_memory(MEDIUM, Params(), 2, predict_memory(MEDIUM, Params(), 2))
    check_memory(MEDIUM, Params(Genetic(population=10**9)), 2, None)


def refusal(size: Size, params: Params, available: int) -> str:
    """The sentence with which a solve is refused."""
    with pytest.raises(TooLargeError) as caught:
        check_memory(size, params, 2, available)
    return str(caught.value)


def number_before(words: str, sentence: str) -> int:
    """The number that stands before some words."""
    found = re.search(rf"([\d,]+) {words}", sentence)
    assert found is not None, sentence
    return int(found[1].replace(",", ""))


def test_a_smaller_population_would_fit() -> None:
    """The largest population that fits is named, and it does fit."""
    params, available = Params(Genetic(population=10**6)), 2 * 10**9
    sentence = refusal(MEDIUM, params, available)
    assert "needs about 16.4 GB of memory and 2.0 GB are available" in sentence
    found = re.search(r"a population of ([\d,]+) would fit", sentence)
    assert found is not None
    population = int(found[1].replace(",", ""))
    check_memory(MEDIUM, Params(Genetic(population=population)), 2, available)
    assert predict_memory(MEDIUM, Params(Genetic(population=population + 1)), 2) > available


def test_fewer_pieces_would_fit() -> None:
    """Where even the smallest population is too large, the largest number of pieces is named."""
    huge, available = Size(3_000_000, (28, 28), PuzzleType(4), 2000), 10**9
    sentence = refusal(huge, Params(), available)
    pieces = number_before("pieces", sentence)
    assert 1000 < pieces < 3_000_000
    check_memory(
        Size(pieces, (28, 28), PuzzleType(4), int(pieces**0.5) + 1), Params(Genetic(population=5)), 2, available
    )
    assert "no puzzle would fit" in refusal(huge, Params(), 10**8)


def test_solve_is_refused_before_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The function raises, the command ends with exit code 4 and one sentence, and leaves nothing."""
    puzzle = small_puzzle("distinct", 2)
    save_puzzle(puzzle, tmp_path / "puzzle")
    monkeypatch.setattr("rectoverso.solving.available_memory", lambda: 10**6)
    monkeypatch.setattr("rectoverso.solving.prepare", None)
    with pytest.raises(TooLargeError, match="no puzzle would fit"):
        solve(puzzle)
    result = CliRunner().invoke(commands, ["solve", str(tmp_path / "puzzle"), "-o", str(tmp_path / "out")])
    assert result.exit_code == 4
    assert result.stderr.startswith("error: This solve needs about ")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_info_says_what_a_solve_needs(tmp_path: Path) -> None:
    """In words and as JSON, for the preset, the population and the threads that are given."""
    puzzle = small_puzzle("distinct", 2)
    save_puzzle(puzzle, tmp_path / "puzzle")

    def info(*args: object) -> str:
        result = CliRunner().invoke(commands, ["info", str(tmp_path / "puzzle"), *map(str, args)])
        assert result.exit_code == 0, result.output
        return result.stdout

    about, size, best = json.loads(info("--json", "--threads", 1)), Size.of(puzzle), PRESETS["best"]
    assert about["needs_memory_mb"] == round(predict_memory(size, best, 1) / 1e6)
    assert about["needs_seconds"] == round(predict_seconds(size, best, 1), 1)
    more = json.loads(info("--json", "--threads", 1, "--population", 10**6))
    assert more["needs_memory_mb"] > about["needs_memory_mb"]
    assert more["needs_seconds"] > about["needs_seconds"]
    words = info("--preset", "quick", "--threads", 3)
    assert re.search(r"a solve  needs about \d+ MB of memory and, very roughly, 1 s", words)
    assert "(population 200, 30 generations, threads 3)" in words
    wrong = CliRunner().invoke(commands, ["info", str(tmp_path / "puzzle"), "--population", "1"])
    assert wrong.exit_code == 2
