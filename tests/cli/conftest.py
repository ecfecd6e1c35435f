"""Fixtures of the command line: small pictures and puzzles as files, and a way to call a command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from rectoverso import Puzzle, save_puzzle
from rectoverso.cli import commands
from rectoverso.images.files import Pixels

Call = Callable[..., Result]


@pytest.fixture
def call() -> Call:
    """Call a command as if from a shell, with stdout and stderr apart."""
    return lambda *args: CliRunner().invoke(commands, [str(arg) for arg in args])


@pytest.fixture
def refused(call: Call) -> Call:
    """Call a command that must end with an exit code and one sentence; returns that sentence."""

    def check(*args: object, code: int = 3) -> str:
        result = call(*args)
        assert result.exit_code == code, result.output
        lines = result.stderr.splitlines()
        assert len(lines) == 1, result.stderr
        assert lines[0].startswith("error: ")
        assert result.stdout == ""
        return lines[0]

    return check  # type: ignore[return-value]


@pytest.fixture
def front(tmp_path: Path, photos: tuple[Pixels, Pixels]) -> Path:
    """A picture of 4 x 5 pieces of 28 pixels."""
    Image.fromarray(photos[0][140:252, 168:308]).save(tmp_path / "front.png")
    return tmp_path / "front.png"


@pytest.fixture
def back(tmp_path: Path, photos: tuple[Pixels, Pixels]) -> Path:
    """Another picture of the same size."""
    Image.fromarray(photos[1][140:252, 168:308]).save(tmp_path / "back.png")
    return tmp_path / "back.png"


@pytest.fixture
def puzzle(tmp_path: Path, front: Path) -> Path:
    """A one-sided puzzle."""
    save_puzzle(Puzzle.from_image(front, seed=1), tmp_path / "puzzle")
    return tmp_path / "puzzle"


@pytest.fixture
def two_sided(tmp_path: Path, front: Path, back: Path) -> Path:
    """A two-sided puzzle."""
    save_puzzle(Puzzle.from_image(front, back=back, seed=1), tmp_path / "two-sided")
    return tmp_path / "two-sided"


@pytest.fixture
def solution(puzzle: Path, tmp_path: Path) -> Path:
    """A right solution of the one-sided puzzle: its truth under another name."""
    text = (puzzle / "truth.json").read_text().replace("rectoverso/truth", "rectoverso/solution")
    (tmp_path / "solution.json").write_text(text)
    return tmp_path / "solution.json"
