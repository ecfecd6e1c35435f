"""``rectoverso solve`` with --checkpoint and --resume."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from rectoverso import load_checkpoint, load_puzzle

Call = Callable[..., Result]

SMALL = ("--population", 20, "--generations", 8, "--seed", 5)
PAPER = ("--preset", "paper", *SMALL)
AT_ONCE = ("--time-limit", 1e-9)


def solved(call: Call, puzzle: Path, output: Path, *args: object) -> dict[str, Any]:
    """What a solve says as JSON, with its boards and its log, but for times and places."""
    result = call("solve", puzzle, "-o", output, *args, "--json")
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in (output / "log.jsonl").read_text().splitlines()]
    boards = json.loads((output / "solution.json").read_text())["boards"]
    said = json.loads(result.stdout) | {
        "boards": boards,
        "log": [{**line, "seconds": 0, "seconds_left": 0} for line in lines],
    }
    return {name: value for name, value in said.items() if name not in ("seconds", "output")}


@pytest.fixture
def saved(call: Call, puzzle: Path, tmp_path: Path) -> Path:
    """The checkpoint of a solve that a time limit stopped at once."""
    solved(call, puzzle, tmp_path / "stopped", *PAPER, *AT_ONCE, "--checkpoint", tmp_path / "state")
    return tmp_path / "state"


@pytest.mark.parametrize("options", [SMALL, PAPER])
def test_resume_goes_on(call: Call, puzzle: Path, tmp_path: Path, options: tuple[object, ...]) -> None:
    """The result, the log and the counts are those of a solve that was never stopped."""
    whole, saved = solved(call, puzzle, tmp_path / "whole", *options), tmp_path / "state"
    solved(call, puzzle, tmp_path / "stopped", *options, *AT_ONCE, "--checkpoint", saved)
    before = saved.read_bytes()
    assert solved(call, puzzle, tmp_path / "resumed", "--resume", saved) == whole
    assert saved.read_bytes() == before


def test_resume_and_checkpoint_in_one_file(call: Call, puzzle: Path, saved: Path, tmp_path: Path) -> None:
    """The same file may be read and written, and a solve that was over goes on with a higher limit."""
    solved(call, puzzle, tmp_path / "out", "--resume", saved, "--checkpoint", saved, "--checkpoint-every", 3)
    assert load_checkpoint(saved, load_puzzle(puzzle)).generation == 8
    longer = solved(call, puzzle, tmp_path / "out", "--resume", saved, "--generations", 12)
    assert longer == solved(call, puzzle, tmp_path / "whole", *PAPER, "--generations", 12)


def test_resume_keeps_the_preset(call: Call, puzzle: Path, tmp_path: Path) -> None:
    """The preset is told by the parameters, and a time limit may be given anew."""
    options = ("--preset", "quick", "--checkpoint", tmp_path / "out" / "state")
    solved(call, puzzle, tmp_path / "out", *options, *AT_ONCE)
    resumed = ("--resume", tmp_path / "out" / "state")
    about = solved(call, puzzle, tmp_path / "again", *resumed, *AT_ONCE)
    assert (about["preset"], about["generations"], about["stopped"]) == ("quick", 1, "time limit of 1e-09 s")
    assert solved(call, puzzle, tmp_path / "again", *resumed)["stopped"] == "no improvement for 3 generations"


def test_resume_with_animation(call: Call, puzzle: Path, saved: Path, tmp_path: Path) -> None:
    """Even a solve that finds nothing better any more has a picture to show."""
    solved(call, puzzle, tmp_path / "out", "--resume", saved, "--checkpoint", saved, "--generations", 30)
    solved(call, puzzle, tmp_path / "out", "--resume", saved, "--animation")
    assert (tmp_path / "out" / "animation.webp").exists()


def test_words_say_how_to_go_on(call: Call, puzzle: Path, tmp_path: Path) -> None:
    """Whoever asked for a checkpoint is told what it is for."""
    result = call("solve", puzzle, "-o", tmp_path / "out", *SMALL, "--checkpoint", tmp_path / "state")
    assert f"go on with --resume {tmp_path / 'state'}" in result.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--seed", 5), "--seed cannot be given here"),
        (("--preset", "paper"), "--preset cannot"),
        (("--population", 20), "--population cannot"),
        (("--measure", "mgc"), "--measure cannot"),
        (("--params", "params.toml"), "--params cannot be given here: --resume has its own params"),
        (("--no-traces",), "--no-traces cannot"),
        (("--generations", 0), "generations must be at least 1"),
        (("--checkpoint-every", 2), "without --checkpoint"),
        (("--checkpoint-every", 0), "checkpoint-every"),
    ],
)
def test_options_that_contradict(
    call: Call, puzzle: Path, saved: Path, tmp_path: Path, args: tuple[object, ...], words: str
) -> None:
    """What the checkpoint decides cannot be given with it."""
    result = call("solve", puzzle, "-o", tmp_path / "out", "--resume", saved, *args)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()


def test_fewer_generations_than_were_bred(call: Call, puzzle: Path, tmp_path: Path) -> None:
    """A solve cannot be taken back."""
    solved(call, puzzle, tmp_path / "out", *PAPER, "--checkpoint", tmp_path / "state")
    result = call("solve", puzzle, "-o", tmp_path / "again", "--resume", tmp_path / "state", "--generations", 7)
    assert result.exit_code == 2
    assert "at generation 8 already" in result.stderr


def test_bad_checkpoints(
    refused: Callable[..., str], puzzle: Path, two_sided: Path, saved: Path, front: Path, tmp_path: Path
) -> None:
    """One sentence, exit code 3, nothing written."""
    output = ("-o", tmp_path / "out")
    assert "another puzzle" in refused("solve", two_sided, *output, "--resume", saved)
    assert "is not a checkpoint" in refused("solve", puzzle, *output, "--resume", front)
    assert "does not exist" in refused("solve", puzzle, *output, "--resume", tmp_path / "nowhere")
    saved.write_bytes(saved.read_bytes()[:1000])
    assert "not a whole one" in refused("solve", puzzle, *output, "--resume", saved)
    assert not (tmp_path / "out").exists()


def test_checkpoint_that_cannot_be_written(
    refused: Callable[..., str], puzzle: Path, front: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before the solve starts."""
    monkeypatch.setattr("rectoverso.cli.run.solve", None)
    before = front.read_bytes()
    for place in (front / "state", tmp_path / "nowhere" / "state", tmp_path):
        assert "cannot be written" in refused("solve", puzzle, "-o", tmp_path / "out", "--checkpoint", place)
    assert "is no checkpoint" in refused("solve", puzzle, "-o", tmp_path / "out", "--checkpoint", front)
    assert front.read_bytes() == before
    assert not (tmp_path / "out").exists()
