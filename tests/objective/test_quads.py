"""Quads: which pieces they are made of, what they look like, and what their sides tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compression import Pictures, compressed, puzzle_of, scaled, true_links, true_offsets
from helpers import affinity_of

from rectoverso.geometry import DOWN, LEFT, NOTHING, RIGHT, mirror, shown
from rectoverso.matching.lists import Ranking, best_buddies
from rectoverso.objective.pooling import pooled
from rectoverso.objective.quads import DOUBTFUL, UNLISTED, Quads, find_quads, puzzle_of_quads, sides_of_quads
from rectoverso.parameters import PRESETS
from rectoverso.puzzle.puzzle import Puzzle

ALONE = replace(PRESETS["best"], pooling=False, num_candidates=16)


def ranking_of(puzzle: Puzzle) -> Ranking:
    """What is known without quads."""
    ranking = affinity_of(puzzle, ALONE).ranking
    assert ranking is not None
    return ranking


def seams_of(quad: np.ndarray) -> list[tuple[int, int]]:
    """The four seams inside of a quad."""
    (a, b), (c, d) = quad.tolist()
    across = [(shown(one, RIGHT), shown(other, LEFT)) for one, other in ((a, b), (c, d))]
    return across + [(shown(one, DOWN), other) for one, other in ((a, c), (b, d))]


def right_quads(puzzle: Puzzle, quads: Quads) -> np.ndarray:
    """Which quads are parts of the picture."""
    links = true_links(puzzle)
    return np.array([all(links[one] == other for one, other in seams_of(quad)) for quad in quads])


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4, 5])
def test_quads_of_a_file(type: int, files: Pictures) -> None:
    """Most pieces are in one and none in two, nearly all are right, and lines between blocks run around them."""
    puzzle = puzzle_of(files, type)
    quads = find_quads(puzzle, ranking_of(puzzle), threads=2)
    pieces = quads // (4 * puzzle.faces)
    assert len(np.unique(pieces)) == pieces.size > 0.6 * puzzle.num_pieces
    right = right_quads(puzzle, quads)
    assert right.mean() > 0.9
    offsets = true_offsets(puzzle, 1)[0]
    inside = np.array([edge for quad in quads[right] for seam in seams_of(quad) for edge in seam])
    inside = np.where(offsets[inside] < 0, mirror(inside), inside) if puzzle.faces == 2 else inside
    assert (offsets[inside] == 4).mean() > 0.85
    if type in (1, 5):
        assert not (quads % 4).any()


@pytest.mark.compiled
def test_quads_are_found_alike_on_any_number_of_threads(files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices come in any order, and what is found does not depend on it."""
    monkeypatch.setattr("rectoverso.objective.quads.SLICE", 16)
    puzzle = puzzle_of(files, 2)
    ranking = ranking_of(puzzle)
    np.testing.assert_array_equal(find_quads(puzzle, ranking, 1), find_quads(puzzle, ranking, 3))


@pytest.mark.compiled
@pytest.mark.parametrize("size", [16, 32])
def test_no_quads_where_every_line_lies_between_blocks(size: int, files: Pictures) -> None:
    """Nor without a grid."""
    puzzle = puzzle_of(files, 2, size)
    assert not len(find_quads(puzzle, ranking_of(puzzle)))
    without = puzzle_of((scaled(files[0], 700, 500), files[1]), 2)
    assert not len(find_quads(without, ranking_of(without)))


def hand_made(unlisted: int = 0) -> tuple[Puzzle, Ranking]:
    """Six pieces of 28 pixels whose sides 1 and 2 are good, four of them in a loop; some of its seams are unlisted."""
    puzzle = Puzzle.from_image(np.zeros((56, 84, 3), np.uint8), type=2)
    offset = np.tile(np.array([0, 4, 4, 0], np.uint8), 6)
    candidates, weights = np.full((24, 3), NOTHING, np.uint32), np.full((24, 3), np.inf, np.float32)
    loop = [0, 3, 5, 2]
    for number, (one, other) in enumerate(zip(loop, loop[1:] + loop[:1], strict=True)):
        if number >= unlisted:
            candidates[4 * one + 1, 1], weights[4 * one + 1, 1] = 4 * other + 2, 0.5
        # One that is part of no loop; it is better, unless it could take the place of what is unlisted.
        candidates[4 * one + 1, 0], weights[4 * one + 1, 0] = 4 * 1 + 2, 2.2 if unlisted else 0.2
    alignment = np.stack([offset, np.full(24, 15, np.uint8)], axis=1)
    return puzzle, Ranking(candidates, weights, best_buddies(candidates), alignment=alignment)


@pytest.mark.parametrize("unlisted", [0, 1, 2])
def test_a_loop_by_hand(unlisted: int) -> None:
    """One seam may be missing, but not two; each piece shows its good sides to the inside."""
    puzzle, ranking = hand_made(unlisted)
    quads = find_quads(puzzle, ranking)
    if unlisted == 2:
        assert not len(quads)
        return
    assert 4 * 0.5 <= 3 * 0.5 + UNLISTED <= DOUBTFUL
    assert len(quads) == 1
    assert set((quads // 4).ravel().tolist()) == {0, 2, 3, 5}
    assert {edge % 4 for seam in seams_of(quads[0]) for edge in seam} == {1, 2}
    expected = {(4 * one + 1, 4 * other + 2) for one, other in ((0, 3), (3, 5), (5, 2), (2, 0))}
    assert {(a, b) if a % 4 == 1 else (b, a) for a, b in seams_of(quads[0])} == expected


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4, 5])
def test_quads_look_like_the_picture(type: int, files: Pictures) -> None:
    """On both faces, turned and turned over as they may be; and their sides are those of their pieces."""
    puzzle = puzzle_of(files, type)
    quads = find_quads(puzzle, ranking_of(puzzle))
    quads = quads[right_quads(puzzle, quads)]
    large = puzzle_of_quads(puzzle, quads)
    pictures = [*files[: puzzle.faces]]
    windows = set()
    for picture in pictures:
        for row in range(0, picture.shape[0] - 55, 28):
            for column in range(0, picture.shape[1] - 55, 28):
                window = picture[row : row + 56, column : column + 56]
                windows |= {np.rot90(window, turn).tobytes() for turn in range(4)}
    assert all(face.tobytes() in windows for piece in large.pixels for face in piece)
    strips = {side: (np.s_[0], np.s_[:, -1], np.s_[-1, ::-1], np.s_[::-1, 0])[side] for side in range(4)}
    sides = sides_of_quads(quads, puzzle.faces)
    for edge in range(0, large.num_edges, 7):
        whole = large.pixels.reshape(-1, 56, 56, 3)[edge // 4][strips[edge % 4]]
        faces = puzzle.pixels.reshape(-1, 28, 28, 3)
        halves = [faces[part // 4][strips[part % 4]] for part in sides[edge].tolist()]
        np.testing.assert_array_equal(whole, np.concatenate(halves))


def test_pooling_by_hand() -> None:
    """Means of both, the cap where one does not list a seam, and what is in no quad stays as it was."""
    ups = 4 * np.arange(8).reshape(2, 2, 2)
    sides = sides_of_quads(ups, 1)
    assert sides[[1, 7]].tolist() == [[5, 13], [27, 19]]
    candidates, weights = np.full((40, 3), NOTHING, np.uint32), np.full((40, 3), np.inf, np.float32)
    # The right side of piece 1 lists the left one of piece 6, which the quads do not, of piece 4, and of piece 9.
    candidates[5], weights[5] = [6 * 4 + 3, 4 * 4 + 3, 9 * 4 + 3], [0.4, 0.9, 1.3]
    of_quads = Ranking(np.full((8, 2), NOTHING, np.uint32), np.full((8, 2), np.inf, np.float32), np.zeros(8, np.uint32))
    of_quads.candidates[1], of_quads.weights[1] = [7, 6], [0.1, 3.0]
    found = pooled(Ranking(candidates, weights, best_buddies(candidates)), of_quads, ups, 1, cap=2.5)
    # The right side of the first quad on the left one of the second: piece 1 on 4; and on its bottom: piece 1 on 6.
    assert found.candidates[5].tolist() == [4 * 4 + 3, 6 * 4 + 3, 9 * 4 + 3]
    np.testing.assert_allclose(found.weights[5], np.sqrt([0.9 * 0.1, 0.4 * 2.5, 1.3**2]), rtol=1e-6)
    assert found.candidates[13].tolist() == [sides[7, 0], sides[6, 0], NOTHING]
    np.testing.assert_allclose(found.weights[13], [np.sqrt(0.1 * 2.5), 2.5, np.inf], rtol=1e-6)
    assert (np.delete(found.candidates, sides.ravel(), axis=0) == NOTHING).all()


@pytest.mark.compiled
def test_pooling_ranks_more_neighbors_first(photos: Pictures) -> None:
    """Of the seams that it was made for, those on lines between blocks; in a smooth picture, where some are missed."""
    smooth = compressed(scaled(scaled(photos[0], 126, 84), 1008, 672))
    puzzle = puzzle_of((smooth, smooth), 2)
    links = true_links(puzzle)
    on_lines = (true_offsets(puzzle, 1)[0] == 0) & (links != NOTHING)
    shares = []
    for params in (ALONE, replace(ALONE, pooling=True)):
        ranking = affinity_of(puzzle, params).ranking
        assert ranking is not None
        shares.append((ranking.candidates[:, 0] == links)[on_lines].mean())
    assert shares[1] > shares[0]


@pytest.mark.compiled
def test_both_faces_tell_the_same(files: Pictures) -> None:
    """What a seam counts does not depend on the face that it is seen from."""
    puzzle = puzzle_of(files, 4)
    ranking = affinity_of(puzzle, replace(ALONE, pooling=True)).ranking
    assert ranking is not None
    fronts = np.arange(puzzle.num_edges)[np.arange(puzzle.num_edges) // 4 % 2 == 0]
    np.testing.assert_array_equal(ranking.weights[fronts], ranking.weights[mirror(fronts)])
