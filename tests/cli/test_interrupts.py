"""Ctrl-C, and what a terminal shows: real processes with real signals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rectoverso import load_checkpoint, load_puzzle, load_solution

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals as on Unix")

Start = Callable[..., subprocess.Popen[str]]

ENDLESS = ["--preset", "paper", "--population", "20", "--generations", "1000000000", "--verbose"]
SLEEPING_THREADS = """
import time
from rectoverso.engines.threads import over_slices

def sleep(*args, **kwargs):
    over_slices(lambda start, stop: time.sleep(60), 2, 2, 1)
"""
SLEEP_WHILE_PREPARING = f"{SLEEPING_THREADS}\nimport rectoverso.solving\nrectoverso.solving.prepare = sleep\n"
SLEEP_WHILE_BREEDING = f"{SLEEPING_THREADS}\nimport rectoverso.evolve.solver\nrectoverso.evolve.solver.breed = sleep\n"
SLOW_REPAIR = """
import sys, time
from rectoverso.repair.regrowth import Regrowth

anneal = Regrowth._anneal
Regrowth._anneal = lambda *args: (anneal(*args), print("a round", file=sys.stderr, flush=True), time.sleep(0.5))
"""


@pytest.fixture
def start() -> Iterator[Start]:
    """Start the command in a process of its own, after some code that slows it down."""
    started = []

    def start_one(*args: object, before: str = "") -> subprocess.Popen[str]:
        # A background job of a shell begins with Ctrl-C ignored, and so would what it starts.
        heard = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)"
        code = f"{heard}\n{before}\nfrom rectoverso.cli import main\nmain()"
        command = [sys.executable, "-c", code, *map(str, args)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start_one
    for process in started:
        process.kill()
        process.communicate()


def wait_for(process: subprocess.Popen[str], words: str) -> str:
    """The first line on stderr that has these words."""
    assert process.stderr is not None
    for line in process.stderr:
        if re.search(rf"\b{words}\b", line):
            return line
    raise AssertionError(f"{words!r} was never said")


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """The exit code and the rest of what the process says."""
    stdout, stderr = process.communicate(timeout=30)
    return process.returncode, stdout, stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_first_interrupt_keeps_the_best(start: Start, puzzle: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, or being told to end, ends the solve after the generation, saves everything, and the exit code is 130."""
    output = tmp_path / "out"
    process = start("solve", puzzle, "-o", output, *ENDLESS, "--json", "--report")
    wait_for(process, "generation 3")
    process.send_signal(number)
    code, stdout, stderr = finish(process)
    assert code == 130
    assert "stopping after this generation" in stderr
    assert "Traceback" not in stderr
    about = json.loads(stdout)
    assert about["stopped"] == "interrupted"
    assert about["generations"] >= 3
    there = {path.name for path in output.iterdir()}
    assert there == {"solution.json", "order.csv", "front.png", "log.jsonl", "report.html"}
    assert "<td>interrupted</td>" in (output / "report.html").read_text()
    assert load_solution(output, load_puzzle(puzzle)).piece.size == 20


def test_interrupt_while_repairing(start: Start, puzzle: Path, tmp_path: Path) -> None:
    """The default repairs after evolution: Ctrl-C ends that after the round and saves the best, too."""
    process = start("solve", puzzle, "-o", tmp_path / "out", "--generations", 1, "--json", before=SLOW_REPAIR)
    wait_for(process, "a round")
    process.send_signal(signal.SIGINT)
    code, stdout, stderr = finish(process)
    assert code == 130
    assert "stopping after this generation or round" in stderr
    assert json.loads(stdout)["stopped"] == "interrupted"
    assert load_solution(tmp_path / "out", load_puzzle(puzzle)).piece.size == 20


def test_interrupt_writes_the_checkpoint(start: Start, puzzle: Path, tmp_path: Path) -> None:
    """Ctrl-C keeps not only the best but also where the solve was, between two checkpoints."""
    saved = tmp_path / "state"
    process = start("solve", puzzle, "-o", tmp_path / "out", *ENDLESS, "--checkpoint", saved, "--json",
                    "--checkpoint-every", 10**6)  # fmt: skip
    wait_for(process, "generation 3")
    process.send_signal(signal.SIGINT)
    code, stdout, _ = finish(process)
    assert code == 130
    state = load_checkpoint(saved, load_puzzle(puzzle))
    assert state.generation == json.loads(stdout)["generations"] >= 3
    assert state.best_cost == json.loads(stdout)["cost"]


def outcome(output: Path) -> tuple[object, ...]:
    """What a solve found and how, but for its times."""
    solution = json.loads((output / "solution.json").read_text())
    lines = [json.loads(line) for line in (output / "log.jsonl").read_text().splitlines()]
    made = [solution["made"][name] for name in ("cost", "generations", "params", "seed", "preset", "stopped")]
    return solution["boards"], made, [{**line, "seconds": 0, "seconds_left": 0} for line in lines]


def test_killed_and_resumed(start: Start, puzzle: Path, tmp_path: Path) -> None:
    """A process that is killed loses what came after its last checkpoint, and nothing else."""
    saved, given = tmp_path / "state", load_puzzle(puzzle)
    options = ("--checkpoint", saved, "--checkpoint-every", 1)
    process = start("solve", puzzle, "-o", tmp_path / "a", *ENDLESS, "--seed", 7, *options)
    reached = 0
    for _ in range(2):
        wait_for(process, f"generation {reached + 5}")
        process.kill()
        process.wait()
        assert load_checkpoint(saved, given).generation >= reached + 5
        reached = load_checkpoint(saved, given).generation
        process = start("solve", puzzle, "-o", tmp_path / "a", "--resume", saved, "--verbose", *options)
    process.kill()
    process.wait()
    limit = ("--generations", load_checkpoint(saved, given).generation + 3)
    assert finish(start("solve", puzzle, "-o", tmp_path / "b", "--resume", saved, *limit))[0] == 0
    whole = ("--preset", "paper", "--population", 20, "--seed", 7, *limit)
    assert finish(start("solve", puzzle, "-o", tmp_path / "c", *whole))[0] == 0
    assert outcome(tmp_path / "b") == outcome(tmp_path / "c")


def test_second_interrupt_gives_up_at_once(start: Start, puzzle: Path, tmp_path: Path) -> None:
    """The second Ctrl-C waits for no thread and leaves nothing."""
    process = start("solve", puzzle, "-o", tmp_path / "out", *ENDLESS, before=SLEEP_WHILE_BREEDING)
    wait_for(process, "generation 0")
    process.send_signal(signal.SIGINT)
    wait_for(process, "stopping")
    started = time.perf_counter()
    process.send_signal(signal.SIGINT)
    code, stdout, stderr = finish(process)
    assert time.perf_counter() - started < 10
    assert (code, stdout, stderr) == (130, "", "interrupted: no solution was saved.\n")
    assert not (tmp_path / "out").exists()


def test_interrupt_while_preparing(start: Start, puzzle: Path, tmp_path: Path) -> None:
    """Before there is a generation there is nothing to keep: the first Ctrl-C ends it with one sentence."""
    process = start("solve", puzzle, "-o", tmp_path / "out", before=SLEEP_WHILE_PREPARING)
    wait_for(process, "stage")  # the header of the table
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    code, stdout, stderr = finish(process)
    assert (code, stdout, stderr) == (130, "", "interrupted: no solution was saved.\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_of_another_command(start: Start, front: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C in a command that solves nothing is one sentence and exit code 130, too."""
    before = "import rectoverso.puzzle.cutting as p, sys, time\n"
    before += "p.cut_tiles = lambda *args, **kwargs: (print('cutting', file=sys.stderr, flush=True), time.sleep(60))\n"
    process = start("cut", front, "-o", tmp_path / "out", before=before)
    wait_for(process, "cutting")
    time.sleep(0.2)
    process.send_signal(number)
    code, stdout, stderr = finish(process)
    assert (code, stdout) == (130, "")
    assert stderr.startswith("interrupted: ")
    assert stderr.count("\n") == 1


def on_terminal(environment: dict[str, str], *args: object) -> tuple[str, str]:
    """What a command says on stdout, a pipe, and on stderr, a terminal."""
    controller, terminal = os.openpty()
    command = [sys.executable, "-m", "rectoverso", *map(str, args)]
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, env=kept | environment) as process:
        os.close(terminal)
        shown = b""
        try:
            while chunk := os.read(controller, 4096):
                shown += chunk
        except OSError:  # what Linux says when the other end is closed
            pass
        os.close(controller)
        assert process.stdout is not None
        stdout = process.stdout.read()
        assert process.wait() == 0
    return stdout.decode(), shown.decode()


def test_a_terminal_gets_a_bar(puzzle: Path, tmp_path: Path) -> None:
    """On a terminal there is a moving line below the table, gone at the end; stdout stays clean."""
    args = ("solve", puzzle, "-o", tmp_path / "out", "--population", 20, "--generations", 3, "--verbose", "--json")
    stdout, shown = on_terminal({"TERM": "xterm-256color"}, *args)
    assert json.loads(stdout)["generations"] == 3
    assert "\x1b[?25l" in shown  # the cursor is hidden, and shown again
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
    assert "\x1b[1m" in shown
    assert "stopped  nothing more was gained, after 3 generations" in shown


@pytest.mark.parametrize(
    ("environment", "bar"), [({"NO_COLOR": "1", "TERM": "xterm"}, True), ({"TERM": "dumb"}, False)]
)
def test_terminals_without_color(puzzle: Path, tmp_path: Path, environment: dict[str, str], bar: bool) -> None:
    """NO_COLOR takes the colors away, a dumb terminal gets plain lines."""
    args = ("solve", puzzle, "-o", tmp_path / "out", "--population", 20, "--generations", 3, "--verbose")
    shown = on_terminal(environment, *args)[1]
    assert "\x1b[3" not in shown
    assert ("\x1b" in shown) == bar
    assert "stopped  nothing more was gained, after 3 generations" in shown
