"""Every command on small puzzles: exit codes, what goes to stdout and stderr, the files left behind."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from click.testing import Result
from PIL import Image

import rectoverso
from rectoverso import PRESETS, load_puzzle, load_solution, load_truth
from rectoverso.cli import COMMANDS
from rectoverso.cli.demo import demo_puzzle
from rectoverso.cli.options import MEASURE_NAMES, PRESET_NAMES
from rectoverso.images.files import read_picture
from rectoverso.parameters import MeasureName

Call = Callable[..., Result]

QUICK = ("--population", 20, "--generations", 3)
SCORES = {"direct", "neighbor", "perfect", "direct_twins", "neighbor_twins"}


def files_in(folder: Path) -> set[str]:
    """The names in a folder, hidden ones too."""
    return {path.name for path in folder.iterdir()}


def test_cut_writes_a_puzzle(call: Call, front: Path, back: Path, tmp_path: Path) -> None:
    """A puzzle that has the asked type and size, and says so in one line."""
    output = tmp_path / "made"
    result = call("cut", front, "--back", back, "--type", 5, "--size", 14, "--seed", 3, "-o", output)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1
    puzzle = load_puzzle(output)
    assert (int(puzzle.type), puzzle.num_pieces, puzzle.piece_width, puzzle.name) == (5, 80, 14, "front")
    assert load_truth(output, puzzle) is not None


def test_cut_follows_its_seed(call: Call, front: Path, tmp_path: Path) -> None:
    """The same seed gives the same puzzle, another seed another one; a zip file will do."""
    for name, seed in (("a.zip", 1), ("b.zip", 1), ("c.zip", 2)):
        assert call("cut", front, "--seed", seed, "-o", tmp_path / name).exit_code == 0
    digests = [load_puzzle(tmp_path / name).digest for name in ("a.zip", "b.zip", "c.zip")]
    assert digests[0] == digests[1] != digests[2]


def test_cut_crops_when_told(call: Call, front: Path, tmp_path: Path) -> None:
    """--crop cuts away what fills no whole piece."""
    assert call("cut", front, "--size", 30, "--crop", "-o", tmp_path / "made").exit_code == 0
    assert load_puzzle(tmp_path / "made").num_pieces == 12


def test_transparency_is_a_warning(call: Call, front: Path, tmp_path: Path) -> None:
    """What is legal but suspicious is one line on stderr, and the work is done."""
    clear = Image.open(front)
    clear.putalpha(200)
    clear.save(tmp_path / "clear.png")
    result = call("cut", tmp_path / "clear.png", "-o", tmp_path / "made")
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: ")
    assert result.stderr.count("\n") == 1


def test_solve_leaves_its_files(call: Call, two_sided: Path, tmp_path: Path) -> None:
    """The solution, both pictures, a log and an animation; the result on stdout, the progress on stderr."""
    output = tmp_path / "out"
    result = call("solve", two_sided, "-o", output, *QUICK, "--threads", 1, "--animation")
    assert result.exit_code == 0
    assert files_in(output) == {"solution.json", "order.csv", "front.png", "back.png", "log.jsonl", "animation.webp"}
    assert "perfect" in result.stdout
    assert str(output / "front.png") in result.stdout
    assert "shared" not in result.stdout
    for words in ("rectoverso 0", "Type", "best"):
        assert words not in result.stdout
    for words in (
        f"rectoverso {rectoverso.__version__}",
        "two-sided",
        "best, generations 3 instead of 30",
        "1 thread",
    ):
        assert words in result.stderr
    puzzle = load_puzzle(two_sided)
    arrangement = load_solution(output, puzzle)
    assert np.array_equal(read_picture(output / "back.png"), rectoverso.render(puzzle, arrangement, back=True))
    lines = [json.loads(line) for line in (output / "log.jsonl").read_text().splitlines()]
    assert [line["generation"] for line in lines if "generation" in line] == [0, 1, 2, 3]
    made = json.loads((output / "solution.json").read_text())["made"]
    assert made["params"]["genetic"]["population"] == 20
    assert set(made) == {
        "rectoverso",
        "preset",
        "params",
        "seed",
        "cost",
        "generations",
        "stopped",
        "seconds",
        "type",
        "found",
    }


def test_solve_json(call: Call, puzzle: Path, tmp_path: Path) -> None:
    """One object on stdout, with the scores where the truth is known."""
    result = call("solve", puzzle, "-o", tmp_path / "out", "--preset", "quick", *QUICK, "--seed", 5, "--json")
    about = json.loads(result.stdout)
    keys = [
        "puzzle",
        "type",
        "rows",
        "columns",
        "found",
        "pieces",
        "seed",
        "threads",
        "preset",
        "cost",
        "generations",
        "stopped",
    ]
    keys += ["seconds", "placements", "output", "confidence"]
    assert list(about)[: len(keys)] == keys
    assert set(about) == {*keys, *SCORES}
    assert (about["pieces"], about["seed"], about["preset"], about["stopped"]) == (20, 5, "quick", "generation limit")
    assert files_in(tmp_path / "out") == {"solution.json", "order.csv", "front.png", "log.jsonl"}


@pytest.mark.parametrize("broken", [False, True])
def test_solve_without_truth(call: Call, puzzle: Path, tmp_path: Path, broken: bool) -> None:
    """No scores where the truth is not known; a broken one does not cost the solution."""
    (puzzle / "truth.json").unlink()
    if broken:
        (puzzle / "truth.json").write_text("{")
    result = call("solve", puzzle, "-o", tmp_path / "out", *QUICK, "--json")
    assert result.exit_code == 0
    assert not SCORES & set(json.loads(result.stdout))
    assert ("warning: The solution was saved but not scored" in result.stderr) == broken
    assert (tmp_path / "out" / "solution.json").exists()


def test_solve_follows_its_seed_not_its_threads(call: Call, puzzle: Path, tmp_path: Path) -> None:
    """The same seed gives the same solution for any number of threads."""
    boards = []
    for threads in (1, 2):
        call("solve", puzzle, "-o", tmp_path / "out", *QUICK, "--threads", threads)
        boards.append(json.loads((tmp_path / "out" / "solution.json").read_text())["boards"])
    assert boards[0] == boards[1]


def test_solve_again_leaves_nothing_of_before(call: Call, puzzle: Path, two_sided: Path, tmp_path: Path) -> None:
    """A back or an animation of an earlier solve is taken away: it would pass for a part of this one."""
    assert call("solve", two_sided, "-o", tmp_path / "out", *QUICK, "--animation").exit_code == 0
    assert call("solve", puzzle, "-o", tmp_path / "out", *QUICK).exit_code == 0
    assert files_in(tmp_path / "out") == {"solution.json", "order.csv", "front.png", "log.jsonl"}


@pytest.mark.parametrize("known", [True, False])
def test_solve_with_a_report(call: Call, two_sided: Path, tmp_path: Path, known: bool) -> None:
    """The report lies beside the solution and is named on stdout; it has the score if the truth is known."""
    if not known:
        (two_sided / "truth.json").unlink()
    result = call("solve", two_sided, "-o", tmp_path / "out", *QUICK, "--report")
    assert result.exit_code == 0
    assert files_in(tmp_path / "out") == {
        "solution.json",
        "order.csv",
        "front.png",
        "back.png",
        "log.jsonl",
        "report.html",
    }
    assert f"and {tmp_path / 'out' / 'report.html'}" in result.stdout
    html = (tmp_path / "out" / "report.html").read_text()
    assert ("neighbor: true seams found" in html) == ("Accuracy of the best so far" in html) == known
    cost = json.loads((tmp_path / "out" / "solution.json").read_text())["made"]["cost"]
    assert f"<td>{cost:,.1f}</td>" in html
    assert call("solve", two_sided, "-o", tmp_path / "out", *QUICK).exit_code == 0
    assert not (tmp_path / "out" / "report.html").exists()


def test_a_report_that_fails_costs_no_solution(
    call: Call, puzzle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then there is a warning instead of the report, and all else."""

    def fail(story: object) -> str:
        raise ValueError("no ink")

    monkeypatch.setattr("rectoverso.cli.run.make_report", fail)
    result = call("solve", puzzle, "-o", tmp_path / "out", *QUICK, "--report", "--json")
    assert result.exit_code == 0
    assert "warning: The solution was saved, but not its report: no ink" in result.stderr
    assert json.loads(result.stdout)["pieces"] == 20
    assert files_in(tmp_path / "out") == {"solution.json", "order.csv", "front.png", "log.jsonl"}


def test_time_limit(call: Call, puzzle: Path, tmp_path: Path) -> None:
    """A solve that would go on for hours stops."""
    limit = ("--preset", "paper", "--population", 20, "--generations", 10**9, "--time-limit", 0.2)
    about = json.loads(call("solve", puzzle, "-o", tmp_path / "out", *limit, "--json").stdout)
    assert about["stopped"] == "time limit of 0.2 s"
    assert about["seconds"]["evolution"] < 60


@pytest.mark.parametrize(
    "args",
    [("--population", 1), ("--population", 3), ("--generations", 0), ("--time-limit", 0), ("--preset", "magic"),
     ("--threads", 0), ("--seed", -1), ("--seed", 2**64)],
)  # fmt: skip
def test_nonsense_is_a_usage_error(call: Call, puzzle: Path, tmp_path: Path, args: tuple[str, object]) -> None:
    """Options that make no sense end with exit code 2 before anything is written."""
    result = call("solve", puzzle, "-o", tmp_path / "out", *args)
    assert result.exit_code == 2
    assert "Usage:" in result.stderr
    assert not (tmp_path / "out").exists()


def test_preset_names_are_the_presets() -> None:
    """The help names the presets, and the measures, without loading them, the default first."""
    assert set(PRESET_NAMES) == set(PRESETS)
    assert PRESET_NAMES[0] == "best"
    # A custom measure is a function, which cannot be given here.
    assert {*MEASURE_NAMES, "custom"} == set(get_args(MeasureName))
    assert "custom" not in MEASURE_NAMES


def test_best_is_the_default(call: Call, puzzle: Path, tmp_path: Path) -> None:
    """A solve that is told nothing has all its parameters."""
    about = json.loads(call("solve", puzzle, "-o", tmp_path / "out", "--time-limit", 1e-9, "--json").stdout)
    assert about["preset"] == "best"
    made = json.loads((tmp_path / "out" / "solution.json").read_text())["made"]
    limited = replace(PRESETS["best"].chosen_for(20), time_limit=1e-9)
    assert made["params"] == json.loads(json.dumps(asdict(limited)))


def test_score(call: Call, puzzle: Path, solution: Path) -> None:
    """A right solution scores 1 everywhere, a wrong one less; both are told in words and as JSON."""
    assert json.loads(call("score", puzzle, solution, "--json").stdout) == dict.fromkeys(SCORES, 1)
    assert "direct 100.00%" in call("score", puzzle, solution).stdout
    file = json.loads(solution.read_text())
    board = file["boards"][0]["piece"]
    board[0], board[7] = board[7], board[0]
    solution.write_text(json.dumps(file))
    wrong = json.loads(call("score", puzzle, solution, "--json").stdout)
    assert wrong["direct"] == 0.9
    assert not wrong["perfect"]
    assert wrong["neighbor"] < 1


def test_render(call: Call, puzzle: Path, solution: Path, front: Path, tmp_path: Path) -> None:
    """A right solution shows the picture that was cut, in the format of the file's name."""
    assert call("render", puzzle, solution, "-o", tmp_path / "made.png").exit_code == 0
    assert np.array_equal(read_picture(tmp_path / "made.png"), read_picture(front))
    assert call("render", puzzle, solution, "-o", tmp_path / "made.jpg").exit_code == 0
    with Image.open(tmp_path / "made.jpg") as picture:
        assert picture.format == "JPEG"


def test_render_back(call: Call, two_sided: Path, back: Path, tmp_path: Path) -> None:
    """--back shows the back, as it was before it was cut."""
    text = (two_sided / "truth.json").read_text().replace("rectoverso/truth", "rectoverso/solution")
    (tmp_path / "solution.json").write_text(text)
    assert call("render", two_sided, tmp_path / "solution.json", "--back", "-o", tmp_path / "made.png").exit_code == 0
    assert np.array_equal(read_picture(tmp_path / "made.png"), read_picture(back))


def test_render_confidence(call: Call, two_sided: Path, tmp_path: Path) -> None:
    """What a solve was unsure of is drawn over its picture, on either face, where it lies there."""
    output = tmp_path / "out"
    assert call("solve", two_sided, "-o", output, "--population", 6, "--generations", 1).exit_code == 0
    confidence = rectoverso.load_confidence(output, load_puzzle(two_sided))
    assert confidence is not None
    for back in ([], ["--back"]):
        assert call("render", two_sided, output, *back, "-o", tmp_path / "made.png", "--confidence").exit_code == 0
        plain = read_picture(output / ("back.png" if back else "front.png"))
        changed = (read_picture(tmp_path / "made.png") != plain).any(axis=2)
        # The middle of a piece, where no line of a seam gets.
        middles = changed.reshape(confidence.pieces.shape[0], 28, -1, 28)[:, 8:-8, :, 8:-8].all(axis=(1, 3))
        assert np.array_equal(middles[:, ::-1] if back else middles, confidence.pieces < 0.9)


def test_solve_says_where_it_is_uncertain(call: Call, puzzle: Path, tmp_path: Path) -> None:
    """In words and in numbers."""
    words = call("solve", puzzle, "-o", tmp_path / "out", *QUICK).stdout
    assert re.search(r"^sure of [0-9.]+% of the seams; (no piece is uncertain|uncertain: rows? )", words, re.MULTILINE)
    about = json.loads(call("solve", puzzle, "-o", tmp_path / "out", *QUICK, "--json").stdout)["confidence"]
    assert set(about) == {"expected_neighbor", "sure_seams", "uncertain_pieces", "uncertain_regions"}
    assert 0 <= about["sure_seams"] <= 1


def test_info(call: Call, two_sided: Path) -> None:
    """What the puzzle is, in words and as JSON."""
    about = json.loads(call("info", two_sided, "--json").stdout)
    assert (about["type"], about["pieces"], about["rows"], about["columns"], about["truth"]) == (4, 20, 4, 5, True)
    words = call("info", two_sided).stdout
    for part in ("location, rotation and face", "20 of 28x28", "4 rows x 5 columns", about["digest"][:8]):
        assert part in words
    (two_sided / "truth.json").unlink()
    assert json.loads(call("info", two_sided, "--json").stdout)["truth"] is False


def test_demo(call: Call, tmp_path: Path) -> None:
    """The demo solves its puzzle perfectly, leaves upright pictures, and its last line says what to open."""
    output = tmp_path / "demo"
    result = call("demo", "-o", output, "--seed", 2)
    assert result.exit_code == 0
    last = result.stdout.splitlines()[-1]
    assert "perfect" in last
    assert str(output / "animation.webp") in last
    pictures = {"front.png", "back.png", "pieces-front.png", "pieces-back.png", "animation.webp"}
    assert files_in(output) == pictures | {"puzzle", "solution.json", "order.csv", "log.jsonl"}
    puzzle = demo_puzzle(2)
    assert puzzle.num_pieces >= 300
    assert puzzle.truth is not None
    assert np.array_equal(read_picture(output / "front.png"), rectoverso.render(puzzle, puzzle.truth))
    assert call("score", output / "puzzle", output).exit_code == 0


def test_warmup(call: Call) -> None:
    """Warming up says how long it took."""
    result = call("warmup")
    assert result.exit_code == 0
    assert "native code is ready, after " in result.stdout


def test_module_and_version() -> None:
    """``python -m rectoverso --version`` is the program and its version."""
    shown = subprocess.run(
        [sys.executable, "-m", "rectoverso", "--version"], capture_output=True, text=True, check=True
    )
    assert shown.stdout == f"rectoverso {rectoverso.__version__}\n"


@pytest.mark.parametrize("args", [[], *([name] for name in COMMANDS)])
def test_help_loads_nothing_slow(args: list[str]) -> None:
    """Help of any command needs neither numpy nor the compiler nor rich."""
    code = (
        "import sys; from rectoverso.cli import commands\n"
        "try: commands()\n"
        "finally: assert not {'numpy', 'numba', 'rich', 'PIL'} & set(sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code, *args, "--help"], capture_output=True, text=True, check=False)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Usage:" in shown.stdout


def test_help_comes_at_once() -> None:
    """Help is promised in 0.3 s; twice that allows for a busy machine."""
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "rectoverso", "--help"], capture_output=True, check=True)
        seconds.append(time.perf_counter() - started)
    assert min(seconds) < 0.6


def test_memory_error_is_too_large(call: Call, puzzle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Running out of memory is exit code 4 and one sentence, and the empty folder is taken away."""

    def no_memory(*args: object, **kwargs: object) -> None:
        raise MemoryError

    monkeypatch.setattr("rectoverso.solving.prepare", no_memory)
    result = call("solve", puzzle, "-o", tmp_path / "out")
    assert result.exit_code == 4
    assert result.stderr.splitlines()[-1].startswith("error: This needs more memory")
    assert not (tmp_path / "out").exists()
