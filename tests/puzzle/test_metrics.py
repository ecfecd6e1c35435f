"""Scores against a plain count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from helpers import small_puzzle

from rectoverso.errors import BadInputError
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.metrics import look_alikes, score
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.render import render


def shuffled(arrangement: Arrangement, puzzle: Puzzle, swaps: int, seed: int) -> Arrangement:
    """A truth with some cells exchanged, turned or turned over."""
    rng = np.random.default_rng(seed)
    piece, rotation, face = (np.array(a) for a in (arrangement.piece, arrangement.rotation, arrangement.face))
    for a, b in rng.integers(0, piece.size, (swaps, 2)):
        for table in (piece, rotation, face):
            table.flat[[a, b]] = table.flat[[b, a]]
        rotation.flat[a] = (rotation.flat[a] + rng.integers(0, puzzle.type.rotations)) % 4
        face.flat[b] = rng.integers(0, puzzle.faces)
    return Arrangement.of(piece, rotation, face)


def plain_seams(a: Arrangement) -> set[frozenset[tuple[int, int, int]]]:
    """EdgeDescriptors as sets of (piece, face, side), each named from the face that comes first."""
    found = set()
    for r in range(a.rows):
        for c in range(a.columns):
            for direction, (r2, c2) in ((1, (r, c + 1)), (2, (r + 1, c))):
                if r2 < a.rows and c2 < a.columns:
                    one, other = (
                        (int(a.piece[cell]), int(a.face[cell]), (d - int(a.rotation[cell])) % 4)
                        for cell, d in (((r, c), direction), ((r2, c2), direction + 2))
                    )
                    behind = [(p, 1 - f, -s % 4) for p, f, s in (one, other)]
                    found.add(min(frozenset((one, other)), frozenset(behind), key=sorted))
    return found


def plain_direct(a: Arrangement, truth: Arrangement, puzzle: Puzzle) -> float:
    """The best share of equal cells over all turns and flips."""
    best = 0
    for side in [a, a.flipped()] if puzzle.type.two_sided else [a]:
        for quarters in range(4 if puzzle.type.rotation_unknown else 1):
            view = side.turned(quarters)
            if view.piece.shape == truth.piece.shape:
                same = (view.piece == truth.piece) & (view.rotation == truth.rotation) & (view.face == truth.face)
                best = max(best, int(same.sum()))
    return best / truth.piece.size


@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("swaps", [0, 1, 4, 30])
def test_strict_scores_are_a_plain_count(type: int, swaps: int) -> None:
    """Direct and neighbor agree with counting cells and seams one by one."""
    puzzle = small_puzzle("duplicated", type, rows=4, columns=5)
    truth = puzzle.truth
    assert truth is not None
    tried = shuffled(truth, puzzle, swaps, seed=swaps)
    found = score(tried, truth, puzzle)
    true_seams = plain_seams(truth)
    assert found.neighbor == pytest.approx(len(true_seams & plain_seams(tried)) / len(true_seams))
    assert found.direct == pytest.approx(plain_direct(tried, truth, puzzle))
    assert found.perfect == (found.direct == 1)
    assert found.direct_twins >= found.direct
    assert found.neighbor_twins >= found.neighbor


@pytest.mark.parametrize("type", [2, 4])
def test_turning_and_flipping_the_whole_costs_nothing(type: int) -> None:
    """Which way up the whole lies cannot be known, so it does not count."""
    puzzle = small_puzzle("distinct", type)
    truth = puzzle.truth
    assert truth is not None
    views = [truth.turned(q) for q in range(4)] + ([truth.flipped().turned(q) for q in range(4)] if type == 4 else [])
    assert all(score(view, truth, puzzle).perfect and score(view, truth, puzzle).neighbor == 1 for view in views)


def test_twins_may_be_exchanged() -> None:
    """Two white pieces changed for each other are wrong strictly, and right by their looks."""
    picture = np.random.default_rng(1).integers(0, 255, (12, 12, 3), np.uint8)
    picture[:4, :4] = picture[8:, 8:] = 255
    puzzle = Puzzle.from_image(picture, type=2, size=4)
    truth = puzzle.truth
    assert truth is not None
    piece = np.array(truth.piece)
    piece[[0, 2], [0, 2]] = piece[[2, 0], [2, 0]]
    found = score(Arrangement.of(piece, truth.rotation), truth, puzzle)
    assert (found.direct, found.perfect, found.direct_twins, found.neighbor_twins) == (7 / 9, False, 1.0, 1.0)
    assert found.neighbor == pytest.approx(8 / 12)


def test_a_two_sided_twin_must_match_on_both_faces() -> None:
    """Pieces that are white on one face only are told apart by the other."""
    front = np.full((8, 8, 3), 255, np.uint8)
    back = np.random.default_rng(0).integers(0, 255, (8, 8, 3), np.uint8)
    puzzle = Puzzle.from_image(front, back=back, size=4)
    counts = Counter(look_alikes(puzzle).tolist())
    assert set(counts.values()) == {1}


def test_twin_aware_direct_is_equality_of_pixels() -> None:
    """The cells that are right by looks are those whose rendered pixels are."""
    puzzle = small_puzzle("flat", 1, rows=4, columns=6)
    truth = puzzle.truth
    assert truth is not None
    tried = shuffled(truth, puzzle, 8, seed=3)
    size = puzzle.piece_height
    same = (render(puzzle, tried) == render(puzzle, truth)).reshape(4, size, 6, size, 3).all(axis=(1, 3, 4))
    assert score(tried, truth, puzzle).direct_twins == same.mean()


def test_an_arrangement_of_other_pieces_is_refused() -> None:
    """More pieces than the puzzle has: a clear error."""
    puzzle = small_puzzle("distinct", 1)
    assert puzzle.truth is not None
    with pytest.raises(BadInputError, match="does not have"):
        score(Arrangement.of([[99, 0]]), puzzle.truth, puzzle)
