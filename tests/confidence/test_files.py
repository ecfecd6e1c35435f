"""The confidence in solution files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers import small_puzzle

from rectoverso import BadInputError, load_confidence, load_solution, save_solution
from rectoverso.confidence.confidence import Confidence


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A solution of 3 x 5 pieces that says how sure it is."""
    puzzle = small_puzzle("distinct", 2)
    assert puzzle.truth is not None
    numbers = np.random.default_rng(0).random(37)
    confidence = Confidence.of(numbers[:12], numbers[12:22], numbers[22:].reshape(3, 5))
    save_solution(puzzle.truth, puzzle, tmp_path / "solution.json", confidence=confidence)
    return tmp_path


def test_round_trip_to_three_decimals(saved: Path) -> None:
    puzzle = small_puzzle("distinct", 2)
    confidence = load_confidence(saved, puzzle)
    assert confidence is not None
    numbers = np.random.default_rng(0).random(37).round(3)
    assert np.allclose(confidence.right.ravel(), numbers[:12])
    assert np.allclose(confidence.down.ravel(), numbers[12:22])
    assert np.allclose(confidence.pieces.ravel(), numbers[22:])
    text = json.loads((saved / "solution.json").read_text())["boards"][0]["confidence"]
    assert text["right"] == numbers[:12].tolist()
    assert load_solution(saved, puzzle) == puzzle.truth


def test_solutions_without_it_still_load(tmp_path: Path) -> None:
    puzzle = small_puzzle("distinct", 2)
    assert puzzle.truth is not None
    save_solution(puzzle.truth, puzzle, tmp_path / "plain.json")
    assert "confidence" not in (tmp_path / "plain.json").read_text()
    assert load_confidence(tmp_path / "plain.json", puzzle) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["right"].pop(), "needs 12 numbers"),
        (lambda c: c["pieces"].append(1), "15 for the pieces"),
        (lambda c: c["down"].__setitem__(0, 1.1), "from 0 to 1"),
        (lambda c: c["down"].__setitem__(0, "high"), "not valid"),
        (lambda c: c.pop("down"), "not valid"),
    ],
)
def test_bad_confidences_are_refused(saved: Path, change, message: str) -> None:  # type: ignore[no-untyped-def]
    file = saved / "solution.json"
    data = json.loads(file.read_text())
    change(data["boards"][0]["confidence"])
    file.write_text(json.dumps(data))
    with pytest.raises(BadInputError, match=message):
        load_confidence(saved, small_puzzle("distinct", 2))
