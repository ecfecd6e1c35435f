"""The console: what it says, how wide it is, what it costs, and what it says of the time left."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from helpers import small_puzzle

import rectoverso
from rectoverso import PRESETS, Confidence, Genetic, Observer, Params, Progress, Puzzle, Repair, Result, solve
from rectoverso.show.console import JUDGED, MOST_GAP, Console
from rectoverso.show.lines import for_terminal, terminal_width
from rectoverso.show.remaining import Left, Remaining

TINY = Params(Genetic(population=20, generations=3, elites=1))
REPAIRED = replace(
    PRESETS["best"], genetic=TINY.genetic, repair=Repair(patch_steps=0, segment_moves=0, exchange_cells=0)
)
BEST = np.zeros(4, np.uint32)
SURE = Confidence.of([[1.0], [0.5]], [[1.0, 0.75]], [[0.95, 0.95], [0.99, 0.5]])


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """What it shows."""
        return self.now


def watched(puzzle: Puzzle, *observers: Observer, params: Params = TINY) -> Result:
    """A short solve."""
    return solve(puzzle, params=params, seed=4, threads=1, observers=observers)


def shown_by(
    puzzle: Puzzle, capsys: pytest.CaptureFixture[str], params: Params = TINY, preset: str = "paper", **options: bool
) -> list[str]:
    """The lines on stderr of a solve; stdout must stay empty."""
    with Console(preset, live=False, **options) as console:
        watched(puzzle, console, params=params)
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


def started(hand: Hand, capsys: pytest.CaptureFixture[str], params: Params = REPAIRED) -> Console:
    """A console that has said who solves what, on a clock that is set by hand."""
    console = Console("best", live=False, clock=hand)
    console.on_start(small_puzzle("distinct", 2), params, 0, 1)
    capsys.readouterr()
    return console


def row_of(line: str) -> list[str]:
    """The cells of a row."""
    return re.split(r"\s{2,}", line.strip())


def test_console_identifies_the_solve(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Who, what, how: version, puzzle, type, pieces, frame, changed parameters, seed, threads."""
    monkeypatch.setenv("COLUMNS", "120")
    puzzle = small_puzzle("distinct", 5)
    text = "\n".join(shown_by(puzzle, capsys))
    for words in (
        f"rectoverso {rectoverso.__version__}",
        "puzzle: 15 two-sided pieces of 4x4, Type 5 (location and face unknown)",
        "frame  3 x 5",
        "paper, population 20 instead of 1000, generations 3 instead of 30, elites 1 instead of 4",
        "seed  4, on 1 thread",
    ):
        assert words in text
    for words in (puzzle.digest[:8], "shared", "placements"):
        assert words not in text


def test_console_speaks_of_progress(capsys: pytest.CaptureFixture[str]) -> None:
    """The first generation, and in the end how many pieces are sure and what accuracy to expect, as in the result."""
    console = Console("paper", live=False)
    result = watched(small_puzzle("distinct", 2), console)
    lines = capsys.readouterr().err.splitlines()
    header = next(index for index, line in enumerate(lines) if "pieces sure" in line)
    assert row_of(lines[header]) == ["time", "stage", "pieces sure", "expected right", "time left"]
    stages = [row_of(line)[1] for line in lines[header + 1 :]]
    assert (stages[0], stages[-2], stages[-1]) == ("prepared", "generation 1", "done")
    _, _, sure, expected = row_of(lines[-1])
    assert int(sure) == (result.confidence.pieces >= 0.9).sum()
    assert float(expected.rstrip("%")) == pytest.approx(100 * result.confidence.seams.mean(), abs=0.11)


def test_verbose_console_shows_internals(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One row for each generation, in columns that line up, then where the time went; and the fingerprint."""
    monkeypatch.setenv("COLUMNS", "100")
    puzzle = small_puzzle("distinct", 2)
    lines = shown_by(puzzle, capsys, verbose=True)
    header = next(index for index, line in enumerate(lines) if "stage" in line)
    names = ["time", "stage", "sure", "right", "left", "best", "shared", "buddy", "least", "fitted", "mean"]
    assert lines[header].split() == names
    table = [line for line in lines[header + 1 :] if " generation " in line and line.split()[0] == "0:00"]
    assert [line.split()[2] for line in table] == ["0", "1", "2", "3"]
    assert {len(line) for line in (lines[header], *table)} == {len(lines[header])}
    assert table[0].split()[-5:-1] == ["-"] * 4
    text = "\n".join(lines)
    for words in (puzzle.digest[:8], "stopped  generation limit, after 3 generations", "preparation ", "placements a"):
        assert words in text


def test_console_shows_mutation_only_where_there_is_some(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The column of mutated placements is there when mutation is on."""
    monkeypatch.setenv("COLUMNS", "100")
    mutating = Params(Genetic(population=20, generations=2, mutation=0.5))
    assert any(
        "fitted mutated" in line for line in shown_by(small_puzzle("distinct", 2), capsys, mutating, verbose=True)
    )


@pytest.mark.parametrize("width", [45, 60, 80, 120])
@pytest.mark.parametrize("verbose", [False, True])
def test_lines_fit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int, verbose: bool
) -> None:
    """Every line fits the terminal, whatever it says; none has control characters."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("rectoverso.show.console.is_warm", lambda: False)
    picture = np.random.default_rng(0).integers(0, 256, (12, 16, 3), np.uint8)
    puzzle = Puzzle.from_image(picture, size=4, name="a long name " * 5 + "x" * 100 + "\x1b[31m\n")
    lines = shown_by(puzzle, capsys, REPAIRED, "best", verbose=verbose)
    assert max(map(len, lines)) <= width
    assert all(line.isprintable() for line in lines)


def test_large_numbers_fit(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred thousand pieces, hours and high generations stay within 45 columns."""
    monkeypatch.setenv("COLUMNS", "45")
    hand = Hand()
    console = started(hand, capsys)
    console._table = replace(console._table, digits=6)
    hand.now = 36_000.0
    many = Confidence.of(np.ones((400, 299)), np.ones((399, 300)), np.ones((400, 300)))
    console.on_progress(Progress("repair", "restart 12: breeding", 0.5, 35_000.0, BEST, 1.0, judge=lambda: many))
    assert capsys.readouterr().err == "10:00:00  restart 12     120000  100%   9.7h\n"


def test_console_says_once_that_it_compiles(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first run says why it takes long; later ones do not."""
    puzzle = small_puzzle("distinct", 2)
    for warm in (False, True):
        monkeypatch.setattr("rectoverso.show.console.is_warm", lambda warm=warm: warm)
        assert "\n".join(shown_by(puzzle, capsys)).count("compiled once") == (0 if warm else 1)


def test_one_clock_through_all_stages(capsys: pytest.CaptureFixture[str]) -> None:
    """A row says when it was, counted from the start, and not how long its own stage has taken."""
    hand = Hand()
    console = started(hand, capsys)
    for now, progress in (
        (20.0, Progress("preparation", "searching candidates", 0.25, 20.0)),
        (80.0, Progress("preparation", "prepared", 1.0, 80.0, findings=("block grid",))),
        (95.0, Progress("repair", "regrowing the whole", 0.5, 10.0, BEST, 5.0, judge=lambda: SURE)),
    ):
        hand.now = now
        console.on_progress(progress)
    assert [row_of(line) for line in capsys.readouterr().err.splitlines()] == [
        ["0:20", "searching candidates 25%", "1:00+"],
        ["1:20", "prepared; JPEG traces found and used: block grid"],
        ["1:35", "regrowing the whole 50%", "3", "81.2%", "0:10"],
    ]


def test_a_long_solve_has_few_rows(capsys: pytest.CaptureFixture[str]) -> None:
    """Rows become rarer while a stage goes on, but never rarer than one a minute."""
    hand = Hand()
    console = started(hand, capsys)
    for second in range(1, 3601):
        hand.now = float(second)
        console.on_progress(Progress("repair", "regrowing", second / 3600, second, BEST, 5.0, judge=lambda: SURE))
    at = [line.split()[0] for line in capsys.readouterr().err.splitlines()]
    assert at[:6] == ["0:01", "0:02", "0:03", "0:05", "0:08", "0:12"]
    assert 60 <= len(at) <= 75
    minutes = [sum(int(part) * 60**power for power, part in enumerate(reversed(text.split(":")))) for text in at]
    assert max(np.diff(minutes)) <= MOST_GAP


def test_judging_takes_a_small_share(capsys: pytest.CaptureFixture[str]) -> None:
    """However long it takes to judge, and however often the best changes, it stays within its share of the time."""
    hand, judged = Hand(), []

    def slow() -> Confidence:
        hand.now += 0.2
        judged.append(hand.now)
        return SURE

    console = started(hand, capsys)
    for step in range(1, 2001):
        hand.now += 0.1
        best = np.full(4, step, np.uint32)
        console._told = ("evolution", 0.0)  # a row for each
        console.on_progress(Progress("repair", "regrowing", step / 2000, 1.0 + step, best, 5.0, judge=slow))
    assert len(judged) >= 2
    assert 0.2 * len(judged) <= JUDGED * hand.now + 0.2


def test_the_same_best_is_judged_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is computed again for a best that has not changed."""
    hand, judged = Hand(), []

    def count() -> Confidence:
        judged.append(1)
        return SURE

    console = started(hand, capsys)
    for second in range(1, 100):
        hand.now += 1.0
        console.on_progress(Progress("repair", "regrowing", second / 100, second, BEST.copy(), 5.0, judge=count))
    assert len(judged) == 1
    assert capsys.readouterr().err.count("81.2%") > 5


def test_progress_can_be_judged() -> None:
    """What an observer is told of the best is what the result says of the same arrangement."""
    told: list[Progress] = []

    class Watcher(Observer):
        def on_progress(self, progress: Progress) -> None:
            told.append(progress)

    puzzle = small_puzzle("distinct", 2)
    result = watched(puzzle, Watcher(), params=REPAIRED)
    bests = [progress for progress in told if progress.best is not None]
    assert {progress.stage for progress in bests} == {"evolution", "repair"}
    assert all(progress.judge is None for progress in told if progress.best is None)
    assert bests[-1].judge is not None
    assert bests[0].judge is not None
    assert np.array_equal(bests[-1].judge().pieces, result.confidence.pieces)
    assert bests[0].judge().expected < result.confidence.expected


def lefts(params: Params, *told: tuple[str, float, float], step: Callable[[float], float] = float) -> list[str]:
    """What is said of the time left after (stage, fraction, seconds), all on one clock."""
    remaining, said = Remaining(params), []
    for stage, fraction, seconds in told:
        left = remaining.after(Progress(stage, "", fraction, seconds), step(seconds))  # type: ignore[arg-type]
        said.append(str(left or ""))
    return said


def test_time_left_of_preparation_is_the_least() -> None:
    """What comes after it takes time, too; the first steps say nothing."""
    told = [
        ("preparation", fraction, seconds) for fraction, seconds in ((0.1, 1.0), (0.25, 5.0), (0.5, 10.0), (1, 20.0))
    ]
    assert lefts(PRESETS["best"], *told) == ["", "0:15+", "0:10+", ""]


def test_time_left_of_evolution() -> None:
    """Known where only the number of generations ends it; a bound with patience; unknown before a repair."""
    told = [("evolution", 0.0, 0.1), ("evolution", 0.1, 10.0), ("evolution", 0.2, 20.0)]
    assert lefts(PRESETS["paper"], *told) == ["", "1:30", "1:30"]
    assert lefts(PRESETS["quick"], *told) == ["", "<1:30", "<1:30"]
    assert lefts(PRESETS["best"], *told) == ["", "", ""]


def test_time_left_of_repair_is_not_nonsense() -> None:
    """Nothing is said when it goes on for another cycle, and nothing after the expected end."""
    flat = [("repair", 0.5, 30.0 + seconds) for seconds in range(40)]
    said = lefts(PRESETS["best"], ("repair", 0.25, 15.0), ("repair", 0.5, 30.0), *flat)
    assert said[:2] == ["0:45", "0:30"]
    assert said[4] == "0:30"
    assert set(said[6:]) == {""}


def test_time_left_does_not_jump() -> None:
    """Fractions that come unevenly move the expected end by a part only."""
    rng, remaining, ends = np.random.default_rng(0), Remaining(PRESETS["paper"]), []
    for step in range(1, 60):
        seconds = step * (1 + rng.uniform(-0.3, 0.3))
        left = remaining.after(Progress("evolution", "", step / 60, seconds), seconds)
        if left is not None:
            ends.append(seconds + left.seconds)
    assert len(ends) > 40
    assert max(abs(np.diff(ends))) < 15


def test_time_limit_is_the_most() -> None:
    """With a limit the time left is at most what is left of it, and less if less is needed."""
    limited = replace(PRESETS["best"], time_limit=60.0)
    assert lefts(limited, ("evolution", 0.1, 10.0), ("repair", 0.8, 48.0)) == ["<0:50", "<0:15"]
    short = replace(PRESETS["paper"], time_limit=3600.0)
    assert lefts(short, ("evolution", 0.5, 10.0)) == ["0:10"]
    assert lefts(limited, ("repair", 1.0, 70.0)) == ["<0:00"]


def test_time_left_is_rounded_up() -> None:
    """The longer it is, the coarser it is told."""
    seconds = (3.1, 41.0, 100.0, 3000.5, 9000.0)
    assert [str(Left(left)) for left in seconds] == ["0:04", "0:45", "1:45", "51:00", "2.5h"]


def on_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> StringIO:
    """A stderr that is a terminal."""
    stderr = StringIO()
    stderr.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(width))
    return stderr


def test_console_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same lines as anywhere, with names that look like markup left alone, and the cursor given back."""
    stderr = on_terminal(monkeypatch, 80)
    picture = np.random.default_rng(0).integers(0, 256, (8, 12, 3), np.uint8)
    with Console("quick") as console:
        watched(Puzzle.from_image(picture, size=4, name="[red]name[/red]"), console)
    text = stderr.getvalue()
    assert "[red]name[/red]" in text
    assert "breeding generation" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")


@pytest.mark.parametrize("width", [45, 80])
def test_bar_fits(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """The moving line never needs a second one, even when it says how to give up."""
    stderr = on_terminal(monkeypatch, width)
    with Console("quick", live=True) as console:
        console.screen.status("exchanging doubtful pieces and more of them", 0.5, "<12:34 left")
        console.screen.progress.refresh()  # type: ignore[attr-defined]
        console.screen.stopping()
        console.screen.progress.refresh()  # type: ignore[attr-defined]
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", stderr.getvalue()).replace("\r", "\n")
    plain = re.sub(r"\x1b\[[0-9;?]*m", "", stderr.getvalue())
    shown = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in re.split(r"[\r\n]", plain)]
    assert max(map(len, shown)) <= width
    assert "Ctrl-C again gives up" in lines


def test_results_are_wrapped_for_people_only() -> None:
    """Lines for a terminal fit it and leave paths whole; another program gets them as they are."""
    text = f"sure of {'very ' * 30}much\nlook at /{'x' * 200}"
    pipe, terminal = StringIO(), StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    assert for_terminal(text, pipe) == text
    lines = for_terminal(text, terminal).splitlines()
    assert max(map(len, lines[:-1])) <= terminal_width()
    assert lines[-1] == "/" + "x" * 200
