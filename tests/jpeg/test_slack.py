"""What lines of the grid excuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from skimage import data

from rectoverso.geometry import NOTHING
from rectoverso.jpeg import slack as lines
from rectoverso.jpeg.likelihood import positive_pairs
from rectoverso.jpeg.slack import slack
from rectoverso.matching.lists import CandidateLists, find_candidates
from rectoverso.matching.ratio import relative_lists
from rectoverso.puzzle.puzzle import Puzzle

BRIGHTNESS, COLORS, INSIDE, BLURRED, UNKNOWN = (8, 15), (0, 15), (4, 15), (0, 7), (0, 0)


@pytest.fixture(scope="module")
def lists() -> CandidateLists:
    """A photo with many certain seams."""
    puzzle = Puzzle.from_image(data.astronaut()[:280, :280], type=2, size=28, seed=0)
    return find_candidates(puzzle, measure="blend", num_candidates=8)


def bearings_of(lists: CandidateLists, *kinds: tuple[int, int]) -> np.ndarray:
    """Alignment that go round these kinds, the same for both edges of a certain seam."""
    alignment = np.array([kinds[edge % len(kinds)] for edge in range(len(lists.candidates))], np.uint8)
    one, other = positive_pairs(lists)
    alignment[other] = alignment[np.minimum(one, other)]
    return alignment


def test_each_kind_of_line_excuses_what_its_smoothest_certain_seams_differ_by(
    lists: CandidateLists, monkeypatch
) -> None:
    monkeypatch.setattr(lines, "ENOUGH", 3)
    kinds = (BRIGHTNESS, COLORS, INSIDE, UNKNOWN)
    alignment = bearings_of(lists, *kinds)
    found, (one, _) = slack(lists, alignment), positive_pairs(lists)
    for kind in kinds:
        of_kind = (alignment == kind).all(axis=1)
        differences = lists.weights[one[of_kind[one]], 0]
        expected = np.quantile(differences, 0.05) if kind in (BRIGHTNESS, COLORS) else 0.0
        assert found[of_kind] == pytest.approx(expected)
    assert 0 < found[(alignment == BRIGHTNESS).all(axis=1)][0] != found[(alignment == COLORS).all(axis=1)][0] > 0


def test_where_only_brightness_is_known_its_lines_count(lists: CandidateLists, monkeypatch) -> None:
    monkeypatch.setattr(lines, "ENOUGH", 3)
    assert slack(lists, bearings_of(lists, BLURRED)).min() > 0


def test_nothing_is_excused_without_a_grid_or_with_few_certain_seams(lists: CandidateLists) -> None:
    assert not slack(lists, None).any()
    few = replace(lists, buddies=np.full_like(lists.buddies, NOTHING))
    assert not slack(few, bearings_of(lists, COLORS)).any()


def test_what_is_excused_decides_less(lists: CandidateLists) -> None:
    """Where more is slack, all candidates of an edge count more alike; nothing slack changes nothing."""
    plain = relative_lists(lists, np.zeros(len(lists.candidates), np.float32))
    assert np.array_equal(plain.weights, relative_lists(lists).weights)
    lenient = relative_lists(lists, np.full(len(lists.candidates), 1000, np.float32))
    assert np.abs(np.log(lenient.weights[:, 0])).mean() < 0.5 * np.abs(np.log(plain.weights[:, 0])).mean()
