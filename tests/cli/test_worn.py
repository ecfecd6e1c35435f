"""Worn pieces on the command line: what is found, what is told, and pictures with their gaps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from PIL import Image

from rectoverso.images.files import Pixels, read_picture

Call = Callable[..., Result]


@pytest.fixture
def worn(call: Call, photos: tuple[Pixels, Pixels], tmp_path: Path) -> Path:
    """A puzzle of 294 pieces that lost a pixel at each side."""
    Image.fromarray(photos[0]).save(tmp_path / "photo.png")
    assert call("cut", tmp_path / "photo.png", "-o", tmp_path / "worn", "--wear", "gap=1").exit_code == 0
    return tmp_path / "worn"


@pytest.mark.compiled
def test_a_gap_is_found_said_and_shown(call: Call, worn: Path, tmp_path: Path) -> None:
    checked = call("check", worn, "-o", tmp_path / "sheet.png")
    assert "1 pixel lost at each side" in checked.stdout
    assert "JPEG traces" not in checked.stdout
    solved = call("solve", worn, "-o", tmp_path / "solved")
    assert solved.exit_code == 0, solved.stderr
    assert "worn pieces: 1 pixel lost at each side" in " ".join(solved.stderr.split())
    assert json.loads((tmp_path / "solved" / "solution.json").read_bytes())["gap"] == 1
    shown = call("render", worn, tmp_path / "solved", "-o", tmp_path / "open.png", "--gap", "open")
    assert shown.exit_code == 0, shown.stderr
    assert read_picture(tmp_path / "open.png").shape[:2] == (14 * 28 - 2, 21 * 28 - 2)
    assert call("render", worn, tmp_path / "solved", "-o", tmp_path / "whole.png", "--gap", "fill").exit_code == 0
    assert read_picture(tmp_path / "whole-filled.png").shape[:2] == (14 * 28 - 2, 21 * 28 - 2)
    assert not (tmp_path / "whole.png").exists()


@pytest.mark.compiled
def test_a_gap_can_be_told(call: Call, worn: Path, tmp_path: Path) -> None:
    checked = json.loads(call("check", worn, "-o", tmp_path / "sheet.png", "--gap", 2, "--json").stdout)
    assert checked["gap"] == 2
    assert "2 pixels lost at each side" in checked["wear"]


def test_a_gap_that_nobody_knows_is_not_shown(
    refused: Call, call: Call, puzzle: Path, solution: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "picture.png"
    said = refused("render", puzzle, solution, "-o", picture, "--gap", "open")
    assert "knows of no lost borders; solve the puzzle with --gap N" in said
    assert call("solve", puzzle, "--gap", -1).exit_code == 2
    assert not picture.exists()
