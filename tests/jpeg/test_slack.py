"""Slack on block lines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from skimage import data

from rectoverso.geometry import NOTHING
from rectoverso.jpeg import slack as module
from rectoverso.jpeg.likelihood import positive_pairs
from rectoverso.jpeg.slack import find_slack
from rectoverso.matching.alignment import Alignment, unknown_alignment
from rectoverso.matching.lists import CandidateLists, find_candidates
from rectoverso.matching.ratio import relative_lists
from rectoverso.puzzle.puzzle import Puzzle

LUMA, CHROMA, INSIDE, CHROMA_UNKNOWN, UNKNOWN = (8, 15), (0, 15), (4, 15), (0, 7), (0, 0)
"""Edges on a line between luma blocks, on one between chroma blocks as well, on none, and where less is known."""


@pytest.fixture(scope="module")
def lists() -> CandidateLists:
    """A photo with many certain seams."""
    puzzle = Puzzle.from_image(data.astronaut()[:280, :280], type=2, size=28, seed=0)
    return find_candidates(puzzle, measure="blend", num_candidates=8)


def alignment_of(lists: CandidateLists, *kinds: tuple[int, int]) -> Alignment:
    """An alignment that goes round these kinds, the same for both edges of a positive pair."""
    alignment = np.array([kinds[edge % len(kinds)] for edge in range(len(lists.candidates))], np.uint8)
    one, other = positive_pairs(lists)
    alignment[other] = alignment[np.minimum(one, other)]
    return alignment


def test_each_kind_of_line_has_the_slack_that_its_smoothest_positive_pairs_differ_by(
    lists: CandidateLists, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ENOUGH", 3)
    kinds = (LUMA, CHROMA, INSIDE, UNKNOWN)
    alignment = alignment_of(lists, *kinds)
    found, (one, _) = find_slack(lists, alignment), positive_pairs(lists)
    for kind in kinds:
        of_kind = (alignment == kind).all(axis=1)
        differences = lists.weights[one[of_kind[one]], 0]
        expected = np.quantile(differences, 0.05) if kind in (LUMA, CHROMA) else 0.0
        assert found[of_kind] == pytest.approx(expected)
    assert 0 < found[(alignment == LUMA).all(axis=1)][0] != found[(alignment == CHROMA).all(axis=1)][0] > 0


def test_where_only_luma_is_known_its_lines_count(lists: CandidateLists, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ENOUGH", 3)
    assert find_slack(lists, alignment_of(lists, CHROMA_UNKNOWN)).min() > 0


def test_no_slack_without_a_grid_or_with_few_positive_pairs(lists: CandidateLists) -> None:
    assert not find_slack(lists, unknown_alignment(len(lists.candidates))).any()
    few = replace(lists, buddies=np.full_like(lists.buddies, NOTHING))
    assert not find_slack(few, alignment_of(lists, CHROMA)).any()


def test_differences_within_the_slack_decide_less(lists: CandidateLists) -> None:
    """With more slack, all candidates of an edge count more alike; a slack of 0 changes nothing."""
    assert lists.slack is None
    plain, lenient = (
        relative_lists(replace(lists, slack=np.full(len(lists.candidates), slack, np.float32))) for slack in (0, 1000)
    )
    assert np.array_equal(plain.weights, relative_lists(lists).weights)
    assert np.abs(np.log(lenient.weights[:, 0])).mean() < 0.5 * np.abs(np.log(plain.weights[:, 0])).mean()
