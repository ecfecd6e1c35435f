"""Candidate lists, look-alikes and best buddies against brute force."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers import PICTURES, expand, reference_dissimilarity, small_puzzle

from rectoverso.bench.quality import candidate_quality
from rectoverso.geometry import NOTHING, STEPS, mirror, shown
from rectoverso.images.color import lab_from_rgb
from rectoverso.images.files import Pixels
from rectoverso.matching import _native_search, products, search
from rectoverso.matching.lists import CandidateLists, find_candidates
from rectoverso.matching.look_alikes import GROUP, LookAlikes
from rectoverso.matching.measures import MEASURES
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.paper.dissimilarity import rank_candidates


def allowed_edges(puzzle: Puzzle, edge: int) -> list[int]:
    """The edges that may touch an edge by the puzzle's type, found the slow way."""
    per_piece = 4 * puzzle.faces
    others = [other for other in range(puzzle.num_edges) if other // per_piece != edge // per_piece]
    if not puzzle.type.rotation_unknown:
        others = [other for other in others if (other - edge) % 4 == 2]
    if not puzzle.square:
        others = [other for other in others if (other - edge) % 2 == 0]
    if puzzle.homes is not None:
        row, column = divmod(int(puzzle.homes[edge // per_piece]), puzzle.columns)
        directions = [d for d in range(4) if (d - edge) % 4 in puzzle.turns]
        cells = [(row + STEPS[d][0], column + STEPS[d][1]) for d in directions]
        inside = [r * puzzle.columns + c for r, c in cells if 0 <= r < puzzle.rows and 0 <= c < puzzle.columns]
        others = [other for other in others if puzzle.homes[other // per_piece] in inside]
    return others


def brute_force(puzzle: Puzzle, lists: CandidateLists, edge: int) -> list[tuple[int, float]]:
    """All candidates of an edge by the reference."""
    groups = {e: int(g) for e, g in enumerate(lists.look_alikes.group) if g >= 0}
    return rank_candidates(edge, allowed_edges(puzzle, edge), reference_dissimilarity(lists), groups)


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize(("k", "block"), [(3, 11), (500, 11), (3, 45), (20, 1024)])
def test_candidates_are_the_k_best(kind: str, type: int, k: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every list holds the k least dissimilar edges in order, ties included, whatever the blocks.

    Blocks of 11 columns are too narrow to be glanced at; in larger ones several columns are looked at together.
    """
    monkeypatch.setattr(search, "ROW_BLOCK", 7)
    monkeypatch.setattr(search, "COLUMN_BLOCK", block)
    monkeypatch.setattr(products.LowerBounds, "margin", 2)
    puzzle = small_puzzle(kind, type)
    lists = find_candidates(puzzle, num_candidates=k)
    for edge in range(puzzle.num_edges):
        listed = lists.candidates[edge] != NOTHING
        expected = brute_force(puzzle, lists, edge)[: lists.candidates.shape[1]]
        weights = lists.weights[edge][listed]
        np.testing.assert_array_equal(weights, np.array([d for _, d in expected], np.float32))
        if puzzle.faces == 1 or edge // 4 % 2 == 0:
            assert lists.candidates[edge][listed].tolist() == [entry for entry, _ in expected]


def test_mirrored_edges_have_mirrored_candidates() -> None:
    """Turning everything over changes nothing: the lists of the backs are those of the fronts, mirrored."""
    puzzle = small_puzzle("duplicated", 4)
    lists = find_candidates(puzzle, num_candidates=8)
    for edge in range(puzzle.num_edges):
        for entry, other in zip(lists.candidates[edge], lists.candidates[mirror(edge)], strict=True):
            assert {mirror(e) for e in expand(int(entry), lists)} == set(expand(int(other), lists))


def test_doubtful_rows_are_searched_in_full() -> None:
    """Where rounding could hide a candidate the row is searched exactly: nearly equal strips around a large offset."""
    rng = np.random.default_rng(0)
    picture = (250 + rng.integers(0, 2, (60, 60, 3))).astype(np.uint8)
    picture[:2, :2] = 0
    puzzle = Puzzle.from_image(picture, type=1, size=3)
    lists = find_candidates(puzzle, num_candidates=5)
    for edge in range(0, puzzle.num_edges, 37):
        expected = [entry for entry, _ in brute_force(puzzle, lists, edge)[:5]]
        assert lists.candidates[edge].tolist() == expected


@pytest.mark.parametrize("kind", ["flat", "duplicated"])
@pytest.mark.parametrize("type", [1, 2, 4])
def test_only_large_groups_of_look_alikes_are_groups(kind: str, type: int) -> None:
    """With a least size the groups are those of that size or more; edges of smaller ones stand for themselves."""
    puzzle = small_puzzle(kind, type)

    def groups(least: int) -> set[tuple[int, ...]]:
        found = LookAlikes.of(puzzle, least=least)
        groups = [tuple(found.members[a:b].tolist()) for a, b in pairwise(found.start.tolist())]
        for number, group in enumerate(groups):
            assert (found.group[list(group)] == number).all()
        assert (found.group >= 0).sum() == sum(map(len, groups))
        return set(groups)

    every = groups(2)
    sizes = sorted({len(group) for group in every})
    for least in (*sizes, sizes[-1] + 1):
        assert groups(least) == {group for group in every if len(group) >= least}


def test_look_alikes_are_listed_once() -> None:
    """Edges with the same pixels form one candidate, of more than one piece, and every member is found in it."""
    puzzle = small_puzzle("flat", 2)
    lists = find_candidates(puzzle)
    groups = lists.look_alikes
    white = [e for e in range(puzzle.num_edges) if groups.group[e] >= 0]
    assert len(groups.start) > 1
    assert set(groups.members.tolist()) == set(white)
    for row in lists.candidates:
        listed = row[row != NOTHING]
        assert len(np.unique(listed)) == len(listed)
        assert not set(listed[listed < GROUP].tolist()) & set(white)


def test_best_buddies_are_mutual_and_distinct() -> None:
    """Each of two buddies is the other's best candidate; edges with look-alikes have none."""
    lists = find_candidates(small_puzzle("flat", 2))
    assert (lists.buddies != NOTHING).any()
    for edge, buddy in enumerate(lists.buddies.tolist()):
        if buddy != NOTHING:
            assert lists.candidates[edge, 0] == buddy
            assert lists.candidates[buddy, 0] == edge
            assert lists.look_alikes.group[edge] < 0


@pytest.mark.parametrize("type", [2, 4])
def test_dissimilarity_is_equation_1(type: int) -> None:
    """The strips give what eq. 1 says of the pieces turned into place, up to the rounding of colors."""
    puzzle = small_puzzle("distinct", type, size=6)
    lists = find_candidates(puzzle, normalization="units")

    def right_of(left_up: int, right_up: int) -> float:
        total = 0.0
        for seen in range(puzzle.faces):
            pair = []
            for up in (left_up, right_up) if seen == 0 else (mirror(shown(right_up, 0)), mirror(shown(left_up, 0))):
                piece, face, rotation = up // (4 * puzzle.faces), up // 4 % puzzle.faces, -up % 4
                pair.append(lab_from_rgb(np.rot90(puzzle.pixels[piece, face], -rotation)))
            total += np.sqrt(((pair[0][:, -1] - pair[1][:, 0]) ** 2).sum())
        return float(total)

    rng = np.random.default_rng(0)
    for left_up, right_up in rng.integers(0, puzzle.num_edges, (50, 2)).tolist():
        found = lists.dissimilarity(shown(left_up, 1), shown(right_up, 3))
        assert found == pytest.approx(right_of(left_up, right_up), abs=0.15 * puzzle.faces)


@pytest.mark.compiled
def test_threads_do_not_matter() -> None:
    """Any number of threads gives the same lists."""
    puzzle = small_puzzle("distinct", 4, rows=12, columns=14)
    one, three = (find_candidates(puzzle, threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(one.candidates, three.candidates)
    np.testing.assert_array_equal(one.weights, three.weights)


@pytest.mark.parametrize("measure", ["mgc", "prediction", "blend"])
@pytest.mark.parametrize("type", [1, 2, 4, 7])
@pytest.mark.parametrize("kind", ["flat", "oblong"])
def test_every_measure_ranks_as_the_reference_does(measure: Any, type: int, kind: str) -> None:
    """Lists by any measure are those of the reference, to the last bit of each dissimilarity."""
    puzzle = small_puzzle(kind, type)
    lists = find_candidates(puzzle, measure=measure, num_candidates=8)
    for edge in range(0, puzzle.num_edges, 3):
        listed = lists.candidates[edge] != NOTHING
        expected = brute_force(puzzle, lists, edge)[: lists.candidates.shape[1]]
        weights = lists.weights[edge][listed]
        np.testing.assert_array_equal(weights, np.array([d for _, d in expected], np.float32))


def test_gradients_are_gallaghers() -> None:
    """Mean steps without dummies, covariances with all nine of them."""
    puzzle = small_puzzle("distinct", 2, size=6)
    descriptors = find_candidates(puzzle, measure="mgc").descriptors
    top = puzzle.pixels[3, 0, 0].astype(float) - puzzle.pixels[3, 0, 1]
    np.testing.assert_allclose(descriptors.step[12], top.mean(axis=0))
    dummies = [[0, 0, 0]] + [[s * x for x in d] for s in (1, -1) for d in ([1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1])]
    inverse = np.linalg.inv(np.cov(np.concatenate([top, dummies]).T))
    np.testing.assert_allclose(descriptors.inverse[12], inverse[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])


@pytest.mark.compiled
@pytest.mark.parametrize("measure", ["mgc", "prediction", "blend"])
def test_estimates_lose_hardly_any_candidate(photos: tuple[Pixels, Pixels], measure: Any) -> None:
    """On a photograph the lists found through the matrix product are those of a search in full."""
    puzzle = Puzzle.from_image(photos[0], type=2)
    found = find_candidates(puzzle, measure=measure, num_candidates=10)
    edges = np.arange(0, puzzle.num_edges, 13)
    values = np.full((puzzle.num_edges, puzzle.num_edges), np.inf)
    allowed = np.zeros(values.shape, bool)
    allowed[edges] = np.arange(puzzle.num_edges) // 4 != edges[:, None] // 4
    pairs = np.broadcast_to(np.arange(puzzle.num_edges), values.shape).copy()
    _native_search.measure_pairs(found.descriptors, pairs, allowed, values)
    best = np.sort(values[edges], axis=1)[:, :10].astype(np.float32)
    assert (best[:, 0] == found.weights[edges, 0]).mean() > 0.99
    kept = [np.isin(row, listed).mean() for row, listed in zip(best, found.weights[edges], strict=True)]
    assert np.mean(kept) > 0.9


@pytest.mark.compiled
def test_a_better_measure_finds_more_neighbors(photos: tuple[Pixels, Pixels]) -> None:
    """On a photograph the blend has more true best candidates than its parts, and than the paper's measure."""
    puzzle = Puzzle.from_image(photos[0], type=2)
    assert puzzle.truth is not None
    top1 = {name: candidate_quality(find_candidates(puzzle, measure=name), puzzle.truth).top1 for name in MEASURES}  # type: ignore[arg-type]
    assert top1["blend"] >= max(top1["mgc"], top1["prediction"], top1["lab"])
