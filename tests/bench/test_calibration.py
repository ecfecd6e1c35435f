"""The fit of the confidence model, its reliability, and the page that shows it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from helpers import small_puzzle

from rectoverso import Arrangement, find_candidates, score
from rectoverso.bench.calibration import (
    Judged,
    fit_model,
    fit_weights,
    piece_reliability,
    reliability,
    seam_reliability,
)
from rectoverso.bench.reliability import reliability_block, reliability_plot
from rectoverso.confidence.model import Model, fitted_model
from rectoverso.puzzle.metrics import right_places, right_seams

ROOT = Path(__file__).parents[2]


def swapped(arrangement: Arrangement, one: tuple[int, int], other: tuple[int, int]) -> Arrangement:
    tables = [table.copy() for table in (arrangement.piece, arrangement.rotation, arrangement.face)]
    for table in tables:
        table[one], table[other] = table[other], table[one]
    return Arrangement.of(*tables)


def test_regression_finds_the_weights_that_made_the_data() -> None:
    rng = np.random.default_rng(0)
    columns = rng.normal(0, 2, (40000, 2))
    right = rng.random(40000) < 1 / (1 + np.exp(-(0.5 + columns @ [1.5, 0.3])))
    assert fit_weights(columns, right) == pytest.approx([0.5, 1.5, 0.3], abs=0.06)


def test_a_column_that_speaks_against_is_left_out() -> None:
    rng = np.random.default_rng(0)
    columns = rng.normal(0, 2, (5000, 2))
    right = rng.random(5000) < 1 / (1 + np.exp(-(columns @ [1.0, -0.5])))
    weights = fit_weights(columns, right)
    assert weights[2] == 0
    assert weights[1] > 0.5


def test_weights_stay_finite_where_nothing_is_wrong() -> None:
    weights = fit_weights(np.abs(np.random.default_rng(0).normal(0, 1, (500, 2))), np.ones(500, bool))
    assert np.isfinite(weights).all()


def test_bins_by_hand() -> None:
    bins = reliability(np.array([0.0, 0.05, 0.55, 1.0]), np.array([False, True, True, True]))
    assert [row.count for row in bins] == [2, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    assert (bins[0].said, bins[0].right) == (0.025, 0.5)


@pytest.mark.parametrize("type", [1, 2, 4])
def test_right_seams_and_places_by_hand(type: int) -> None:
    """Two corners change places: each takes its two seams with it; the whole may be turned where that is unknown."""
    puzzle = small_puzzle("distinct", type)
    assert puzzle.truth is not None
    wrong = swapped(puzzle.truth, (0, 0), (2, 4))
    right, down = right_seams(wrong, puzzle.truth, puzzle)
    assert (np.argwhere(~right).tolist(), np.argwhere(~down).tolist()) == ([[0, 0], [2, 3]], [[0, 0], [1, 4]])
    total = right.size + down.size
    assert (right.sum() + down.sum()) / total == score(wrong, puzzle.truth, puzzle).neighbor
    views = [wrong, wrong.turned(), wrong.turned().flipped()][: {1: 1, 2: 2, 4: 3}[type]]
    for view in views:
        placed = right_places(view, puzzle.truth, puzzle)
        assert placed.sum() == 13
        assert not placed[np.isin(view.piece, puzzle.truth.piece[[0, 2], [0, 4]])].any()


def test_the_larger_part_of_a_shifted_picture_lies_right() -> None:
    puzzle = small_puzzle("distinct", 1)
    assert puzzle.truth is not None
    shifted = Arrangement.of(np.roll(puzzle.truth.piece, 2, axis=1))
    assert right_places(shifted, puzzle.truth, puzzle).tolist() == [[False] * 2 + [True] * 3] * 3


def test_a_fit_tells_right_from_wrong_and_counts_every_seam() -> None:
    judged = []
    for seed in range(4):
        puzzle = small_puzzle("distinct", 2, rows=6, columns=8, seed=seed)
        assert puzzle.truth is not None
        wrong = swapped(swapped(puzzle.truth, (1, 1), (4, 6)), (2, 5), (4, 2))
        judged.append(Judged.of(wrong, puzzle.truth, puzzle, find_candidates(puzzle)))
    model = fit_model(judged, "here")
    assert len(model.amid) == 2
    assert model.commit == "here"
    bins = seam_reliability(judged, model)
    assert sum(row.count for row in bins) == 4 * (6 * 7 + 5 * 8)
    assert bins[9].right > 0.97
    assert bins[0].right < 0.2
    assert sum(row.count for row in piece_reliability(judged, model)) == 4 * 48


def test_the_committed_result_model_and_page_agree() -> None:
    """What the page shows and what the program uses come from one run; and the promise is kept on every set."""
    result = json.loads((ROOT / "benchmarks" / "results" / "confidence.json").read_text())
    assert msgspec.convert(result["model"], Model) == fitted_model()
    assert reliability_block(result) in (ROOT / "docs" / "confidence.md").read_text()
    assert reliability_plot(result) == (ROOT / "docs" / "images" / "confidence.svg").read_text()
    assert result["seams"][9]["right"] >= 0.97
    for row in result["sets"]:
        assert row["seams"][9]["right"] >= 0.97 or row["seams"][9]["count"] < 500, row


def test_empty_bins_are_shown_as_such() -> None:
    bins = [{"said": 0.0, "right": 0.0, "count": 0}] * 9 + [{"said": 0.99, "right": 1.0, "count": 3}]
    row = {"set": "s", "type": 2, "preset": "best", "puzzles": 1, "seams": bins, "pieces": bins}
    block = reliability_block({"seams": bins, "pieces": bins, "sets": [row]})
    assert "| 0.0 to 0.1 | 0 | |  | 0 | |  |" in block
    assert "| s | 2 | `best` | 1 | 3 | 100.0 | 100.0 | 100.00 | 100.0 | 100.00 | 0.0 |  |" in block
