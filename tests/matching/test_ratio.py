"""Ratios against a plain count."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import PICTURES, expand, small_puzzle

from rectoverso.geometry import NOTHING
from rectoverso.matching.lists import find_candidates
from rectoverso.matching.ratio import ratios_of_seams, relative_lists


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("type", [1, 2, 4, 6])
def test_a_ratio_is_by_the_best_other_of_both_edges(kind: str, type: int) -> None:
    """Each weight is D over the smaller of the best others of its two edges, up to a slack, in order."""
    lists = find_candidates(small_puzzle(kind, type), num_candidates=7)
    measured = [
        {int(e): float(d) for e, d in zip(*row, strict=True) if e != NOTHING}
        for row in zip(lists.candidates, lists.weights, strict=True)
    ]
    entries = lists.look_alikes.entries
    seconds = [sorted(row.values())[1] for row in measured if len(row) > 1]
    slack = 0.005 * float(np.median(seconds))
    relative = relative_lists(lists)
    for edge, (row, found) in enumerate(zip(relative.candidates, relative.weights, strict=True)):
        assert (np.diff(found[row != NOTHING]) >= 0).all()
        for entry, weight in zip(row[row != NOTHING].tolist(), found.tolist(), strict=False):
            other = expand(entry, lists)[0]
            rest = [d for e, d in measured[edge].items() if e != entry] + [np.inf]
            rest_of_other = [d for e, d in measured[other].items() if e != entries[edge]] + [np.inf]
            # A list holds the best; what is not in it is no better than its first.
            expected = (measured[edge][entry] + slack) / (min(*rest, *rest_of_other) + slack)
            assert weight == pytest.approx(expected, rel=1e-3, abs=1e-6)


def test_only_mutual_best_pairs_are_below_one() -> None:
    """Below 1 means that each edge is the other's best candidate."""
    lists = find_candidates(small_puzzle("distinct", 2))
    relative = relative_lists(lists)
    for edge, row in enumerate(zip(relative.candidates.tolist(), relative.weights.tolist(), strict=True)):
        for entry, weight in zip(*row, strict=True):
            if weight < 1:
                assert lists.buddies[edge] == entry


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("type", [1, 2, 4, 6])
def test_the_ratio_of_a_seam_is_that_of_the_lists(kind: str, type: int) -> None:
    """From either side; inf where neither edge lists the other."""
    puzzle = small_puzzle(kind, type)
    lists = find_candidates(puzzle, num_candidates=7)
    entries, relative = lists.look_alikes.entries, relative_lists(lists)
    rows = zip(relative.candidates.tolist(), relative.weights.tolist(), strict=True)
    ratios = [dict(zip(*row, strict=True)) for row in rows]
    one, other = np.divmod(np.arange(puzzle.num_edges**2), puzzle.num_edges)
    found = ratios_of_seams(lists, one, other)
    expected = [
        min(ratios[u].get(int(entries[v]), np.inf), ratios[v].get(int(entries[u]), np.inf))
        for u, v in zip(one.tolist(), other.tolist(), strict=True)
    ]
    assert np.isinf(expected).any()
    assert np.array_equal(np.isinf(found), np.isinf(expected))
    # In the lists the first member of a group stands for all, though each has a list of its own.
    single = lists.look_alikes.group < 0
    sole = single[one] & single[other]
    assert np.allclose(found[sole], np.array(expected)[sole], rtol=1e-4)
