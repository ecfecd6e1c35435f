"""What lines of the grid excuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from skimage import data

from rectoverso.affinity import lines
from rectoverso.affinity.affinity import Affinity, measure_affinity
from rectoverso.affinity.confidence import relative_ranking
from rectoverso.affinity.lines import excused
from rectoverso.affinity.witnesses import trusted_seams
from rectoverso.geometry import NOTHING
from rectoverso.puzzle.puzzle import Puzzle

BRIGHTNESS, COLORS, INSIDE, BLURRED, UNKNOWN = (8, 15), (0, 15), (4, 15), (0, 7), (0, 0)


@pytest.fixture(scope="module")
def affinity() -> Affinity:
    """A photo with many certain seams."""
    puzzle = Puzzle.from_image(data.astronaut()[:280, :280], type=2, size=28, seed=0)
    return measure_affinity(puzzle, measure="blend", num_candidates=8)


def bearings_of(affinity: Affinity, *kinds: tuple[int, int]) -> np.ndarray:
    """Bearings that go round these kinds, the same for both edges of a certain seam."""
    bearings = np.array([kinds[edge % len(kinds)] for edge in range(len(affinity.candidates))], np.uint8)
    one, other = trusted_seams(affinity)
    bearings[other] = bearings[np.minimum(one, other)]
    return bearings


def test_each_kind_of_line_excuses_what_its_smoothest_certain_seams_differ_by(affinity: Affinity, monkeypatch) -> None:
    monkeypatch.setattr(lines, "ENOUGH", 3)
    kinds = (BRIGHTNESS, COLORS, INSIDE, UNKNOWN)
    bearings = bearings_of(affinity, *kinds)
    found, (one, _) = excused(affinity, bearings), trusted_seams(affinity)
    for kind in kinds:
        of_kind = (bearings == kind).all(axis=1)
        differences = affinity.dissimilarity[one[of_kind[one]], 0]
        expected = np.quantile(differences, 0.05) if kind in (BRIGHTNESS, COLORS) else 0.0
        assert found[of_kind] == pytest.approx(expected)
    assert 0 < found[(bearings == BRIGHTNESS).all(axis=1)][0] != found[(bearings == COLORS).all(axis=1)][0] > 0


def test_where_only_brightness_is_known_its_lines_count(affinity: Affinity, monkeypatch) -> None:
    monkeypatch.setattr(lines, "ENOUGH", 3)
    assert excused(affinity, bearings_of(affinity, BLURRED)).min() > 0


def test_nothing_is_excused_without_a_grid_or_with_few_certain_seams(affinity: Affinity) -> None:
    assert not excused(affinity, None).any()
    few = replace(affinity, buddies=np.full_like(affinity.buddies, NOTHING))
    assert not excused(few, bearings_of(affinity, COLORS)).any()


def test_what_is_excused_decides_less(affinity: Affinity) -> None:
    """Where more is excused, all candidates of an edge count more alike; nothing excused changes nothing."""
    plain = relative_ranking(affinity, np.zeros(len(affinity.candidates), np.float32))
    assert np.array_equal(plain.weights, relative_ranking(affinity).weights)
    lenient = relative_ranking(affinity, np.full(len(affinity.candidates), 1000, np.float32))
    assert np.abs(np.log(lenient.weights[:, 0])).mean() < 0.5 * np.abs(np.log(plain.weights[:, 0])).mean()
