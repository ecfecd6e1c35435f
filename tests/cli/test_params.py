"""Parameters on the command line: ``solve --params``, ``solve --no-traces`` and ``rectoverso params``."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from compression import compressed, scaled

from rectoverso import PRESETS, Params, Puzzle, changed_params, save_puzzle
from rectoverso.images.files import Pixels

Call = Callable[..., Result]
Refused = Callable[..., str]

QUICK = ("--population", 20, "--generations", 1)


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    """Write a file of parameters."""

    def write(text: str) -> Path:
        (tmp_path / "params.toml").write_text(text)
        return tmp_path / "params.toml"

    return write


def as_json(params: Params) -> dict[str, Any]:
    """Parameters as solution.json has them."""
    return json.loads(json.dumps(asdict(params)))


def solved(call: Call, puzzle: Path, *args: object) -> tuple[dict[str, Any], str]:
    """The parameters in solution.json, and what the console said, in one line."""
    output = puzzle.parent / "out"
    result = call("solve", puzzle, "-o", output, *args, "--json")
    assert result.exit_code == 0, result.output
    return json.loads((output / "solution.json").read_text())["made"]["params"], " ".join(result.stderr.split())


def usage_error(call: Call, *args: object) -> str:
    """What a wrong use of the command line is told, in one line; there is no traceback."""
    result = call(*args)
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    assert result.stderr.startswith("Usage: ")
    return " ".join(result.stderr.split())


def test_a_file_changes_what_it_names(call: Call, puzzle: Path, file: Callable[[str], Path]) -> None:
    """All else is the preset's, a part can be left out, and the console says what is changed."""
    changed = file(
        "repair = false\n[genetic]\nelites = 3\n[objective]\nmeasure = 'mgc'\n[objective.relative]\nskip = 0.25\n"
    )
    params, console = solved(call, puzzle, "--params", changed, *QUICK)
    expected = changed_params(
        PRESETS["best"],
        {
            "genetic": {"elites": 3, "population": 20, "generations": 1},
            "objective": {"measure": "mgc", "relative": {"skip": 0.25}},
            "repair": False,
        },
    )
    assert params == as_json(expected)
    for words in ("elites 3 instead of 4", "measure mgc instead of blend", "skip 0.25 instead of 0.1"):
        assert words in console


def test_a_file_of_another_preset(call: Call, puzzle: Path, file: Callable[[str], Path]) -> None:
    """What the preset leaves out begins with its own defaults; options on the command line come last."""
    changed = file("[genetic]\npopulation = 30\n[objective]\nrelative = {}\n")
    params, _ = solved(call, puzzle, "--preset", "quick", "--params", changed, *QUICK, "--measure", "blend")
    assert params["genetic"] == as_json(PRESETS["quick"])["genetic"] | {"population": 20, "generations": 1}
    assert params["objective"]["relative"] == as_json(PRESETS["best"])["objective"]["relative"]
    assert params["objective"]["measure"] == "blend"
    assert params["repair"] is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[genetic]\npopulaton = 50", "there is no parameter genetic.populaton; genetic has population, generations"),
        (
            "[objective.relative]\ntrace = false",
            "there is no parameter objective.relative.trace; objective.relative has",
        ),
        ("population = 50", "there is no parameter population;"),
        ("[repair.patches]\nsteps = 1", "there is no parameter repair.patches"),
        ("repair = 5", "repair is a part with parameters of its own, not 5"),
        ("genetic = false", "genetic cannot be left out"),
        ("[genetic]\npopulation = 'many'", "genetic.population must be of type int, not 'many'"),
        ("[objective.relative]\ntraces = 1", "objective.relative.traces must be of type bool, not 1"),
        ("[genetic]\npopulation = 1", "population must be at least 2, not 1"),
        ("[objective]\nmeasure = 'magic'", "measure must be one of lab, mgc, prediction, blend, custom, not 'magic'"),
        ("[objective]\nrelative = false", "repair needs the relative objective"),
        ('[objective]\nmeasure = "custom"', "can be given from Python only"),
    ],
)
def test_parameters_that_cannot_be(
    call: Call, puzzle: Path, tmp_path: Path, file: Callable[[str], Path], text: str, words: str
) -> None:
    """They are called by their full names, and nothing is written."""
    said = usage_error(call, "solve", puzzle, "-o", tmp_path / "out", "--params", file(text))
    assert words in said
    assert not (tmp_path / "out").exists()
    assert words in usage_error(call, "params", "--params", tmp_path / "params.toml")


@pytest.mark.parametrize("content", [b"population = = 50", b"{}", b"[genetic", b"\xff\xfe\x00"])
def test_a_file_that_is_no_toml(refused: Refused, puzzle: Path, tmp_path: Path, content: bytes) -> None:
    """It is bad input, named in one sentence that says where to find a good example."""
    (tmp_path / "params.toml").write_bytes(content)
    for command in (("solve", puzzle, "-o", tmp_path / "out"), ("params",)):
        sentence = refused(*command, "--params", tmp_path / "params.toml")
        assert "params.toml is not a TOML file of parameters" in sentence
        assert "rectoverso params --preset best" in sentence
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there(refused: Refused, puzzle: Path, tmp_path: Path) -> None:
    """Nor is a folder a file."""
    for name, words in (("nowhere.toml", "does not exist"), (".", "is a folder")):
        assert words in refused("solve", puzzle, "-o", tmp_path / "out", "--params", tmp_path / name)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def pictures(tmp_path: Path, photos: tuple[Pixels, Pixels]) -> dict[str, Path]:
    """A puzzle of a photo with traces of JPEG compression, and one of the same without any."""
    plain = scaled(photos[0])
    for name, picture in (("plain", plain), ("jpeg", compressed(plain))):
        save_puzzle(Puzzle.from_image(picture, type=2, seed=1), tmp_path / name)
    return {name: tmp_path / name for name in ("plain", "jpeg")}


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("jpeg", "prepared; JPEG traces found and used: block grid, quantization, 4:2:0 chroma, orientation "),
        ("plain", "prepared; no JPEG traces found "),
    ],
)
def test_the_console_says_which_traces_are_used(
    call: Call, pictures: dict[str, Path], file: Callable[[str], Path], name: str, said: str
) -> None:
    """Once, before the first generation."""
    params, console = solved(call, pictures[name], *QUICK, "--params", file("repair = false"))
    assert params["objective"]["relative"]["traces"] is True
    assert console.count(said) == 1
    assert console.index(said) < console.index("generation 1")


@pytest.mark.compiled
def test_traces_are_left_alone_on_demand(call: Call, pictures: dict[str, Path], file: Callable[[str], Path]) -> None:
    """Then they are not even told of, and the solve is the same as that of a file that says so."""
    without = file("repair = false")
    params, console = solved(call, pictures["jpeg"], *QUICK, "--no-traces", "--params", without)
    assert params["objective"]["relative"]["traces"] is False
    assert "JPEG traces" not in console
    assert "traces False instead of True" in console
    by_file = file("repair = false\n[objective.relative]\ntraces = false")
    assert solved(call, pictures["jpeg"], *QUICK, "--params", by_file)[0] == params


@pytest.mark.parametrize("preset", ["paper", "quick"])
def test_presets_that_know_no_traces(call: Call, puzzle: Path, preset: str) -> None:
    """The paper reads none, so that nothing is told of them, and nothing has to be left alone."""
    for options in ((), ("--no-traces",)):
        params, console = solved(call, puzzle, "--preset", preset, *QUICK, *options)
        assert params["objective"]["relative"] is None
        assert "JPEG traces" not in console


@pytest.mark.parametrize("other", ["best", "paper", "quick"])
@pytest.mark.parametrize("preset", ["best", "paper", "quick"])
def test_what_params_prints_is_taken_back(call: Call, file: Callable[[str], Path], preset: str, other: str) -> None:
    """All parameters of a preset, in the form of a file: it says the same whatever preset it changes."""
    printed = call("params", "--preset", preset)
    assert (printed.exit_code, printed.stderr) == (0, "")
    assert changed_params(PRESETS[other], tomllib.loads(printed.stdout)) == PRESETS[preset]
    again = call("params", "--preset", other, "--params", file(printed.stdout))
    assert (again.exit_code, again.stdout) == (0, printed.stdout)


def test_the_default_of_params_is_that_of_solve(call: Call, puzzle: Path, file: Callable[[str], Path]) -> None:
    """A solve with the printed file is the solve without it."""
    printed = call("params").stdout
    assert printed == call("params", "--preset", "best").stdout
    at_once = ("--time-limit", 1e-9)
    assert solved(call, puzzle, *at_once, "--params", file(printed))[0] == solved(call, puzzle, *at_once)[0]


def test_params_prints_what_is_chosen(call: Call, file: Callable[[str], Path]) -> None:
    """Options change what is printed as they would change a solve."""
    chosen = ("--measure", "mgc", "--population", 50, "--no-traces", "--params", file("[repair]\npatch_steps = 7"))
    printed = tomllib.loads(call("params", *chosen).stdout)
    expected = tomllib.loads(call("params").stdout)
    expected["genetic"]["population"] = 50
    expected["objective"]["measure"] = "mgc"
    expected["objective"]["relative"]["traces"] = False
    expected["repair"]["patch_steps"] = 7
    assert printed == expected
