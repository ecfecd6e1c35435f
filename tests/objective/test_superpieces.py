"""Superpieces: which pieces they are made of, what their long sides are, and what these tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compression import (
    Pictures,
    assert_mirrored,
    assert_threads_do_not_matter,
    compressed,
    measured_lists,
    puzzle_of,
    scaled,
    true_links,
    true_offsets,
)
from helpers import lists_of, small_puzzle

from rectoverso.changes import changed_params
from rectoverso.geometry import DOWN, LEFT, NOTHING, RIGHT, UP, mirror, shown, split
from rectoverso.images.files import Pixels
from rectoverso.jpeg.refinement import refine
from rectoverso.matching.alignment import PHASE, SHORT_PHASE
from rectoverso.matching.lists import CandidateLists, best_buddies
from rectoverso.matching.look_alikes import GROUP, LookAlikes
from rectoverso.matching.ratio import relative_lists
from rectoverso.objective import CAP, loops, pipeline, superpieces
from rectoverso.objective.loops import support_by_loops
from rectoverso.objective.superpieces import (
    DOUBTFUL,
    FEWEST,
    Level,
    Superpieces,
    find_superpieces,
    long_lists,
    long_sides,
    pooled,
    with_superpieces,
)
from rectoverso.parameters import PRESETS
from rectoverso.puzzle.puzzle import Puzzle

ALONE = changed_params(PRESETS["best"], {"objective": {"num_candidates": 16, "relative": {"superpieces": False}}})
TOGETHER = changed_params(ALONE, {"objective": {"relative": {"superpieces": True}}})
ROUNDS = 3


def level_of(puzzle: Puzzle) -> Level:
    """What is known of the pieces of a puzzle without superpieces."""
    measured = refine(puzzle, measured_lists(puzzle, num_candidates=96))
    lists = support_by_loops(relative_lists(measured), ROUNDS, 16)
    return Level(measured, lists, puzzle.piece_height, puzzle.faces, puzzle.type.rotation_unknown)


def seams_of(superpiece: np.ndarray) -> list[tuple[int, int]]:
    """The four seams inside of a superpiece."""
    (a, b), (c, d) = superpiece.tolist()
    across = [(shown(one, RIGHT), shown(other, LEFT)) for one, other in ((a, b), (c, d))]
    return across + [(shown(one, DOWN), other) for one, other in ((a, c), (b, d))]


def right_ones(found: Superpieces, links: np.ndarray) -> np.ndarray:
    """Which superpieces are parts of the picture, by what edges truly touch."""
    return np.array([all(links[one] == other for one, other in seams_of(each)) for each in found])


def edges_inside(found: Superpieces) -> np.ndarray:
    """All edges that lie inside of superpieces."""
    return np.array([edge for each in found for seam in seams_of(each) for edge in seam])


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4, 5])
def test_superpieces_of_a_file(type: int, files: Pictures) -> None:
    """Nearly all pieces are in one and none in two, nearly all are right, and lines between blocks run around them."""
    puzzle = puzzle_of(files, type)
    level = level_of(puzzle)
    found = find_superpieces(level, threads=2)
    pieces = found // (4 * puzzle.faces)
    assert len(np.unique(pieces)) == pieces.size > 0.9 * puzzle.num_pieces
    right = right_ones(found, true_links(puzzle))
    assert right.mean() > 0.95
    offsets, inside = true_offsets(puzzle, 1)[0], edges_inside(found[right])
    inside = np.where(offsets[inside] < 0, mirror(inside), inside) if puzzle.faces == 2 else inside
    assert (offsets[inside] == 4).mean() > 0.95
    # With known rotations they begin at the upper left.
    assert bool((found % 4).any()) == (type in (2, 4))


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4, 5])
def test_no_superpiece_lies_across_a_known_block_line(type: int, files: Pictures) -> None:
    """Right or wrong: as far as it is known where blocks end, none of them ends inside."""
    level = level_of(puzzle_of(files, type))
    assert level.lists.alignment is not None
    value, known = level.lists.alignment[edges_inside(find_superpieces(level))].astype(int).T & PHASE
    assert (known > 0).mean() > 0.7
    assert set((value & SHORT_PHASE)[known > 0].tolist()) == {4}


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2])
def test_superpieces_have_superpieces(type: int, files: Pictures) -> None:
    """Long sides have an alignment, and lists that close loops: squares of 4 x 4 pieces, and right ones."""
    puzzle = puzzle_of(files, type)
    level = level_of(puzzle)
    found = find_superpieces(level)
    sides, links = long_sides(found, level.faces), true_links(puzzle)
    measured = long_lists(level.measured, sides, level.faces)
    lists = support_by_loops(relative_lists(measured), ROUNDS, 16)
    larger = find_superpieces(replace(level, measured=measured, lists=lists, piece_size=56))
    assert len(larger) >= FEWEST
    assert len(np.unique(larger // 4)) == larger.size
    for one, other in np.concatenate([seams_of(each) for each in larger]):
        assert links[sides[one]].tolist() == sides[other][::-1].tolist()


@pytest.mark.compiled
def test_superpieces_are_found_alike_on_any_number_of_threads(files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices come in any order, and what is found does not depend on it."""
    level = level_of(puzzle_of(files, 2))
    expected = find_superpieces(level, 1)
    monkeypatch.setattr(superpieces, "SLICE", 16)
    assert len(expected) >= FEWEST
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(find_superpieces(level, threads), expected)


@pytest.mark.compiled
@pytest.mark.parametrize("size", [16, 32])
def test_no_superpieces_where_every_line_lies_between_blocks(size: int, files: Pictures) -> None:
    """All sides are alike then."""
    level = level_of(puzzle_of(files, 2, size))
    assert level.lists.alignment is not None
    assert find_superpieces(level).shape == (0, 2, 2)
    assert with_superpieces(level, ROUNDS) is level.lists


@pytest.mark.compiled
def test_no_superpieces_without_an_alignment(files: Pictures) -> None:
    """Neither in a picture that was scaled nor where the alignment is not asked for."""
    scaled_down = level_of(puzzle_of((scaled(files[0], 700, 500), files[1]), 2))
    assert scaled_down.lists.alignment is None
    level = level_of(puzzle_of(files, 2))
    unaligned = replace(level, lists=replace(level.lists, alignment=None))
    for each in (scaled_down, unaligned):
        assert find_superpieces(each).shape == (0, 2, 2)
        assert with_superpieces(each, ROUNDS) is each.lists


@pytest.mark.compiled
def test_a_few_superpieces_are_no_puzzle(files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing changes unless there are enough of them."""
    level = level_of(puzzle_of(files, 2))
    number = len(find_superpieces(level))
    for fewest, same in ((number + 1, True), (number, False)):
        monkeypatch.setattr(superpieces, "FEWEST", fewest)
        assert (with_superpieces(level, ROUNDS) is level.lists) == same


def lists_by_hand(candidates: np.ndarray, weights: np.ndarray, **known: np.ndarray) -> CandidateLists:
    """Lists without look-alikes; what they are of does not matter."""
    none = LookAlikes.none(len(candidates))
    return CandidateLists(candidates, weights, best_buddies(candidates), none, None, "", **known)  # type: ignore[arg-type]


def empty_lists(edges: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Lists that hold nothing."""
    return np.full((edges, width), NOTHING, np.uint32), np.full((edges, width), np.inf, np.float32)


def hand_made(unlisted: int = 0) -> Level:
    """Six pieces of 28 pixels whose sides 1 and 2 are good, four of them in a loop; some of its seams are unlisted."""
    offset = np.tile(np.array([0, 4, 4, 0], np.uint8), 6)
    candidates, weights = empty_lists(24, 3)
    loop = [0, 3, 5, 2]
    for number, (one, other) in enumerate(zip(loop, loop[1:] + loop[:1], strict=True)):
        if number >= unlisted:
            candidates[4 * one + 1, 1], weights[4 * one + 1, 1] = 4 * other + 2, 0.5
        # One that is part of no loop; it is better, unless it could take the place of what is unlisted.
        candidates[4 * one + 1, 0], weights[4 * one + 1, 0] = 4 * 1 + 2, 2.2 if unlisted else 0.2
    alignment = np.stack([offset, np.full(24, 15, np.uint8)], axis=1)
    lists = lists_by_hand(candidates, weights, alignment=alignment)
    return Level(lists, lists, 28, 1, rotation_unknown=True)


@pytest.mark.parametrize("unlisted", [0, 1, 2])
def test_a_loop_by_hand(unlisted: int) -> None:
    """One seam may be missing, but not two; each piece shows its good sides to the inside."""
    found = find_superpieces(hand_made(unlisted))
    if unlisted == 2:
        assert not len(found)
        return
    assert 4 * 0.5 <= 3 * 0.5 + CAP <= DOUBTFUL
    assert len(found) == 1
    assert set((found // 4).ravel().tolist()) == {0, 2, 3, 5}
    assert {edge % 4 for seam in seams_of(found[0]) for edge in seam} == {1, 2}
    expected = {(4 * one + 1, 4 * other + 2) for one, other in ((0, 3), (3, 5), (5, 2), (2, 0))}
    assert {(a, b) if a % 4 == 1 else (b, a) for a, b in seams_of(found[0])} == expected


def test_a_loop_over_bad_sides_is_none() -> None:
    """The same loop, of pieces whose good sides are others, or as doubtful as two caps and more."""
    level = hand_made()
    assert level.lists.alignment is not None
    turned = replace(level.lists, alignment=np.roll(level.lists.alignment, 1, axis=0))
    assert not len(find_superpieces(replace(level, lists=turned)))
    for weight, number in ((DOUBTFUL / 4, 1), (DOUBTFUL / 4 + 0.01, 0)):
        weights = np.where(level.lists.weights == 0.5, np.float32(weight), np.float32(np.inf))
        doubtful = level.lists.with_candidates(level.lists.candidates, weights)
        assert len(find_superpieces(replace(level, lists=doubtful))) == number


@pytest.mark.parametrize(("phase", "number"), [(0, 1), (4, 0)])
def test_what_is_known_of_the_outer_sides_counts(phase: int, number: int) -> None:
    """Of the good sides nothing is known: they may be good, unless the others are, which lie opposite."""
    level = hand_made()
    outer = np.tile([True, False, False, True], 6)
    alignment = np.stack([np.where(outer, phase, 0), np.where(outer, 15, 0)], axis=1).astype(np.uint8)
    assert len(find_superpieces(replace(level, lists=replace(level.lists, alignment=alignment)))) == number


@pytest.mark.parametrize(("third", "number"), [(1, 0), (3, 1)])
def test_no_piece_is_twice_in_a_loop(third: int, number: int) -> None:
    """A loop that comes back to its second piece, through another of its edges, is none; through a fourth piece it is.

    Hardly anything is known of the grid, so that all edges may be inside.
    """
    candidates, weights = empty_lists(20, 1)
    last = 4 * third + (3 if third == 1 else 1)
    for edge, other in ((1, 4 + 1), (4 + 1, 8 + 1), (8 + 1, last), (last, 1)):
        candidates[edge], weights[edge] = shown(other, RIGHT), 0.1
    known = np.zeros(20, np.uint8)
    known[16:] = 7
    lists = lists_by_hand(candidates, weights, alignment=np.stack([np.zeros(20, np.uint8), known], axis=1))
    assert len(find_superpieces(Level(lists, lists, 28, 1, rotation_unknown=True))) == number


def test_with_known_rotations_a_loop_begins_at_the_upper_left() -> None:
    """Four pieces that lie as they are, and share no piece with a worse loop."""
    candidates, weights = empty_lists(24, 1)
    # A and B above C and D, clockwise: the right of A, the bottom of B, the left of D, the top of C.
    for edge, other in ((0 + RIGHT, 4 + LEFT), (4 + DOWN, 12 + UP), (12 + LEFT, 8 + RIGHT), (8 + UP, 0 + DOWN)):
        candidates[edge], weights[edge] = other, 0.5
    offset = np.zeros(24, np.uint8)
    offset[[0 + RIGHT, 0 + DOWN, 4 + LEFT, 4 + DOWN, 8 + UP, 8 + RIGHT, 12 + UP, 12 + LEFT]] = 4
    lists = lists_by_hand(candidates, weights, alignment=np.stack([offset, np.full(24, 7, np.uint8)], axis=1))
    found = find_superpieces(Level(lists, lists, 28, 1, rotation_unknown=False))
    assert found.tolist() == [[[0, 4], [8, 12]]]
    # Otherwise it may begin at any of its corners, but it is found once.
    turned = find_superpieces(Level(lists, lists, 28, 1, rotation_unknown=True))
    assert len(turned) == 1
    assert {frozenset(seam) for seam in seams_of(turned[0])} == {frozenset(seam) for seam in seams_of(found[0])}


def test_long_sides_by_hand() -> None:
    """Of two superpieces: by side, from the top clockwise, the outer edges of two pieces, clockwise."""
    ups = 4 * np.arange(8).reshape(2, 2, 2)
    assert long_sides(ups, 1).tolist() == [
        [0 + UP, 4 + UP],
        [4 + RIGHT, 12 + RIGHT],
        [12 + DOWN, 8 + DOWN],
        [8 + LEFT, 0 + LEFT],
        [16 + UP, 20 + UP],
        [20 + RIGHT, 28 + RIGHT],
        [28 + DOWN, 24 + DOWN],
        [24 + LEFT, 16 + LEFT],
    ]
    # The upper right piece is turned: its right side looks up.
    ups[0, 0, 1] += RIGHT
    assert long_sides(ups, 1)[:2].tolist() == [[0 + UP, 4 + RIGHT], [4 + DOWN, 12 + RIGHT]]


def test_long_sides_of_two_faces_by_hand() -> None:
    """From behind, left and right are exchanged, and a side begins with the other half; the top stays the top."""
    fronts = 8 * np.arange(4).reshape(1, 2, 2)
    sides = long_sides(fronts, 2)
    assert sides[:4].tolist() == [[0, 8], [8 + RIGHT, 24 + RIGHT], [24 + DOWN, 16 + DOWN], [16 + LEFT, 0 + LEFT]]
    assert sides[4:].tolist() == [
        [8 + 4 + UP, 0 + 4 + UP],
        [0 + 4 + RIGHT, 16 + 4 + RIGHT],
        [16 + 4 + DOWN, 24 + 4 + DOWN],
        [24 + 4 + LEFT, 8 + 4 + LEFT],
    ]
    edges = np.arange(8)
    np.testing.assert_array_equal(sides[mirror(edges)], mirror(sides[edges])[:, ::-1])


def face_of(puzzle: Puzzle, up: int) -> Pixels:
    """What a piece looks like that lies with this edge up."""
    piece, face, rotation = split(up, puzzle.faces)
    return np.rot90(puzzle.pixels[piece, face], -rotation)


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4, 5])
def test_superpieces_look_like_the_picture(type: int, files: Pictures) -> None:
    """On both faces, turned and turned over as they may be; and their long sides are the borders of what one sees."""
    puzzle = puzzle_of(files, type)
    found = find_superpieces(level_of(puzzle))
    found = found[right_ones(found, true_links(puzzle))]
    windows = set()
    for picture in files[: puzzle.faces]:
        for row in range(0, picture.shape[0] - 55, 28):
            for column in range(0, picture.shape[1] - 55, 28):
                window = picture[row : row + 56, column : column + 56]
                windows |= {np.rot90(window, turn).tobytes() for turn in range(4)}
    strips = (np.s_[0], np.s_[:, -1], np.s_[-1, ::-1], np.s_[::-1, 0])
    sides = long_sides(found, puzzle.faces).reshape(len(found), puzzle.faces, 4, 2)
    for front, by_face in zip(found, sides.tolist(), strict=True):
        seen = (front, mirror(front)[:, ::-1])[: puzzle.faces]
        for ups, by_side in zip(seen, by_face, strict=True):
            large = np.block([[[face_of(puzzle, up)] for up in row] for row in ups.tolist()])
            assert large.tobytes() in windows
            for side, halves in enumerate(by_side):
                borders = [puzzle.pixels.reshape(-1, 28, 28, 3)[half // 4][strips[half % 4]] for half in halves]
                np.testing.assert_array_equal(large[strips[side]], np.concatenate(borders))


Rows = list[list[tuple[int, np.float32]]]


def rows_of(lists: CandidateLists) -> Rows:
    """The candidates of each edge and their weights, as plain lists."""
    rows = zip(lists.candidates.tolist(), lists.weights, strict=True)
    return [[(entry, weight) for entry, weight in zip(*row, strict=True) if entry != NOTHING] for row in rows]


def halves_of(sides: np.ndarray) -> dict[int, tuple[int, int]]:
    """The long side that each outer edge is a part of, and which half of it."""
    return {int(edge): (side, half) for side, halves in enumerate(sides) for half, edge in enumerate(halves)}


def plain_long_lists(lists: CandidateLists, sides: np.ndarray, faces: int) -> Rows:
    """The lists of long sides, literally, with all that both halves list."""
    rows, place, found = rows_of(lists), halves_of(sides), []
    for number, halves in enumerate(sides.tolist()):
        told: list[dict[int, np.float32]] = []
        for half, edge in enumerate(halves):
            # The first half of a side lies on the second half of another.
            touched = [(place[entry], weight) for entry, weight in rows[edge] if entry in place]
            other_pieces = [(side, at, w) for (side, at), w in touched if side // (4 * faces) != number // (4 * faces)]
            told.append({side: weight for side, at, weight in other_pieces if at == 1 - half})
        ends = [max((weight for _, weight in rows[edge]), default=np.float32(0)) for edge in halves]
        names = [*told[0], *(side for side in told[1] if side not in told[0])]
        sums = [(side, told[0].get(side, ends[0]) + told[1].get(side, ends[1])) for side in names]
        found.append(sorted(sums, key=lambda each: each[1]))
    return found


def plain_pooled(lists: CandidateLists, long: CandidateLists, sides: np.ndarray) -> Rows:
    """The lists of edges with those of long sides, literally."""

    def mean(one: np.float32, other: np.float32) -> np.float32:
        return np.sqrt(min(one, np.float32(CAP)) * min(other, np.float32(CAP)))

    rows, long_rows, place, found = rows_of(lists), rows_of(long), halves_of(sides), []
    for edge, row in enumerate(rows):
        if edge not in place:
            found.append(row)
            continue
        side, half = place[edge]
        own = dict(row)
        theirs = {int(sides[other, 1 - half]): weight for other, weight in long_rows[side]}
        both = [(other, mean(weight, own.get(other, np.float32(CAP)))) for other, weight in theirs.items()]
        alone = [(e, mean(w, np.float32(CAP)) if e in place else w) for e, w in row if e not in theirs]
        found.append(sorted(both + alone, key=lambda each: each[1])[: lists.candidates.shape[1]])
    return found


def made_up(faces: int, seed: int, width: int = 9) -> tuple[CandidateLists, np.ndarray]:
    """Lists of seven superpieces and five pieces in none, with equal weights and groups; and the long sides.

    Those of backs are those of fronts, mirrored.
    """
    rng = np.random.default_rng(seed)
    pieces, per_piece = 33, 4 * faces
    chosen = rng.permutation(pieces)[:28].reshape(7, 2, 2)
    ups = chosen * per_piece + rng.integers(0, per_piece, chosen.shape)
    edges = pieces * per_piece
    candidates, weights = empty_lists(edges, width)
    outer = long_sides(ups, faces).ravel()
    for edge in range(edges):
        # Most entries are outer edges, so that many of them are halves of the same side.
        among = np.unique([*rng.choice(outer, 2 * width), *rng.integers(0, edges, width)])
        entries = rng.permutation(among[among // per_piece != edge // per_piece])[: rng.integers(0, width + 1)]
        entries = entries.astype(np.uint32)
        if len(entries) and rng.random() < 0.3:
            entries[rng.integers(len(entries))] = GROUP + rng.integers(3)
        candidates[edge, : len(entries)] = entries
        weights[edge, : len(entries)] = np.sort(rng.integers(1, 30, len(entries)) / 10)
    if faces == 2:
        fronts = np.arange(edges)[np.arange(edges) // 4 % 2 == 0]
        listed = candidates[fronts]
        candidates[mirror(fronts)] = np.where(listed < GROUP, mirror(listed), listed)
        weights[mirror(fronts)] = weights[fronts]
    alignment = rng.integers(0, 64, (edges, 2)).astype(np.uint8)
    slack = rng.random(edges).astype(np.float32)
    return lists_by_hand(candidates, weights, alignment=alignment, slack=slack), long_sides(ups, faces)


def assert_rows(lists: CandidateLists, expected: Rows) -> None:
    """The lists are as much of these as they have room for, to the last bit, and nothing else."""
    assert rows_of(lists) == [row[: lists.candidates.shape[1]] for row in expected]
    assert_in_order(lists)


def assert_rows_of_faces(lists: CandidateLists, expected: Rows, faces: int) -> None:
    """The same, but that equal weights of backs are in any order."""
    width = lists.candidates.shape[1]
    assert len(expected) == len(lists.candidates)
    for edge, (row, wanted) in enumerate(zip(rows_of(lists), expected, strict=True)):
        if edge // 4 % faces == 0:
            assert row == wanted[:width]
        assert [weight for _, weight in row] == [weight for _, weight in wanted[:width]]
        assert len(dict(row)) == len(row)
        assert set(row) <= set(wanted)
    assert_in_order(lists)


def assert_in_order(lists: CandidateLists) -> None:
    """Lists end where their weights do, and their buddies are their own."""
    assert (np.isinf(lists.weights) == (lists.candidates == NOTHING)).all()
    assert (lists.candidates.dtype, lists.weights.dtype) == (np.uint32, np.float32)
    np.testing.assert_array_equal(lists.buddies, best_buddies(lists.candidates))


@pytest.mark.parametrize("faces", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_same_long_lists_as_the_twin(faces: int, seed: int) -> None:
    """Sums of both halves, and the end of a list for a half that is not in it; equal ones in the order of the lists."""
    lists, sides = made_up(faces, seed)
    found = long_lists(lists, sides, faces)
    assert_rows_of_faces(found, plain_long_lists(lists, sides, faces), faces)
    assert found.candidates.shape == (len(sides), lists.candidates.shape[1])
    assert lists.alignment is not None
    assert lists.slack is not None
    np.testing.assert_array_equal(found.alignment, lists.alignment[sides[:, 0]])
    np.testing.assert_array_equal(found.slack, lists.slack[sides[:, 0]] + lists.slack[sides[:, 1]])
    assert found.search is None
    assert (found.look_alikes.group == -1).all()
    unknown = long_lists(replace(lists, alignment=None, slack=None), sides, faces)
    assert unknown.alignment is unknown.slack is None
    assert rows_of(unknown) == rows_of(found)


@pytest.mark.parametrize("faces", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_same_pooled_lists_as_the_twin(faces: int, seed: int) -> None:
    """Geometric means of both weights, none of which counts more than the cap; all others stay."""
    lists, sides = made_up(faces, seed)
    long = long_lists(lists, sides, faces)
    assert (long.weights[np.isfinite(long.weights)] > CAP).any()
    assert (lists.weights[np.isfinite(lists.weights)] > CAP).any()
    found = pooled(lists, long, sides)
    assert_rows(found, plain_pooled(lists, long, sides))
    for name in ("alignment", "slack", "look_alikes"):
        assert getattr(found, name) is getattr(lists, name)


@pytest.mark.compiled
@pytest.mark.parametrize("type", [2, 4])
def test_lists_of_a_file_are_those_of_the_twins(type: int, files: Pictures) -> None:
    """Real ones: two halves of most true long seams are listed, and cheap."""
    puzzle = puzzle_of(files, type)
    level = level_of(puzzle)
    found = find_superpieces(level)
    sides = long_sides(found, puzzle.faces)
    long = long_lists(level.measured, sides, puzzle.faces)
    assert_rows_of_faces(long, plain_long_lists(level.measured, sides, puzzle.faces), puzzle.faces)
    assert_rows(pooled(level.lists, long, sides), plain_pooled(level.lists, long, sides))
    links, place = true_links(puzzle), halves_of(sides)
    true = [(side, place[int(links[first])]) for side, (first, _) in enumerate(sides) if int(links[first]) in place]
    whole = [(side, other) for side, (other, half) in true if half == 1 and links[sides[side, 1]] == sides[other, 0]]
    assert len(whole) > len(sides) / 2
    assert np.mean([long.candidates[side, 0] == other for side, other in whole]) > 0.9


def test_long_lists_by_hand() -> None:
    """Two superpieces side by side: the right of the first and the left of the second, as each half tells."""
    ups = 4 * np.arange(12).reshape(3, 2, 2)
    sides = long_sides(ups, 1)
    candidates, weights = empty_lists(48, 3)
    # The right of piece 1 lists the left of piece 4, of piece 8, and of piece 0, which is in the same superpiece.
    candidates[5], weights[5] = [16 + LEFT, 32 + LEFT, 0 + LEFT], [1.0, 2.0, 7.0]
    # The right of piece 3 lists the left of piece 6, and that of piece 4, which is no second half for it.
    candidates[13, :2], weights[13, :2] = [24 + LEFT, 16 + LEFT], [0.5, 4.0]
    found = long_lists(lists_by_hand(candidates, weights), sides, 1)
    assert sides[RIGHT].tolist() == [5, 13]
    assert sides[[4 + LEFT, 8 + LEFT]].tolist() == [[24 + LEFT, 16 + LEFT], [40 + LEFT, 32 + LEFT]]
    assert found.candidates[RIGHT].tolist() == [4 + LEFT, 8 + LEFT, NOTHING]
    assert found.weights[RIGHT].tolist() == [1.0 + 0.5, 2.0 + 4.0, np.inf]
    assert (np.delete(found.candidates, RIGHT, axis=0) == NOTHING).all()


def test_pooling_by_hand() -> None:
    """Means of both, the cap where one does not list a seam, and what is in no superpiece stays as it was."""
    ups = 4 * np.arange(8).reshape(2, 2, 2)
    sides = long_sides(ups, 1)
    assert sides[[1, 7]].tolist() == [[5, 13], [27, 19]]
    candidates, weights = empty_lists(40, 3)
    # The right side of piece 1 lists the left one of piece 6, which the superpieces do not, of piece 4, and of piece 9.
    candidates[5], weights[5] = [6 * 4 + 3, 4 * 4 + 3, 9 * 4 + 3], [0.4, 0.9, 1.3]
    candidates[36], weights[36] = [5, NOTHING, NOTHING], [3.5, np.inf, np.inf]
    long_candidates, long_weights = empty_lists(8, 2)
    long_candidates[1], long_weights[1] = [7, 6], [0.1, 3.0]
    found = pooled(lists_by_hand(candidates, weights), lists_by_hand(long_candidates, long_weights), sides)
    # The right side of the first one on the left one of the second: piece 1 on 4; and on its bottom: piece 1 on 6.
    assert found.candidates[5].tolist() == [4 * 4 + 3, 6 * 4 + 3, 9 * 4 + 3]
    np.testing.assert_allclose(found.weights[5], np.sqrt([0.9 * 0.1, 0.4 * 2.5, 1.3**2]), rtol=1e-6)
    assert found.candidates[13].tolist() == [sides[7, 0], sides[6, 0], NOTHING]
    np.testing.assert_allclose(found.weights[13], [np.sqrt(0.1 * 2.5), 2.5, np.inf], rtol=1e-6)
    assert (found.candidates[36].tolist(), found.weights[36, 0]) == ([5, NOTHING, NOTHING], 3.5)
    assert (np.delete(found.candidates, [*sides.ravel(), 36], axis=0) == NOTHING).all()


@pytest.mark.compiled
@pytest.mark.parametrize("type", [2, 4])
def test_threads_do_not_matter(type: int, files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does how the work is divided."""
    level = level_of(puzzle_of(files, type))
    assert not np.array_equal(with_superpieces(level, ROUNDS).weights, level.lists.weights)
    assert_threads_do_not_matter(
        lambda threads: with_superpieces(level, ROUNDS, threads), monkeypatch, superpieces, loops
    )


@pytest.mark.compiled
def test_pooling_ranks_more_neighbors_first(photos: Pictures) -> None:
    """Of the seams that it was made for, those on lines between blocks; in a smooth picture, where some are missed."""
    smooth = compressed(scaled(scaled(photos[0], 126, 84), 1008, 672))
    puzzle = puzzle_of((smooth, smooth), 2)
    links = true_links(puzzle)
    on_lines = (true_offsets(puzzle, 1)[0] == 0) & (links != NOTHING)
    alone, together = (lists_of(puzzle, params).candidates[:, 0] == links for params in (ALONE, TOGETHER))
    assert together[on_lines].mean() > alone[on_lines].mean()
    assert together[links != NOTHING].mean() > alone[links != NOTHING].mean()


@pytest.mark.compiled
@pytest.mark.parametrize("type", [4, 5])
def test_both_faces_tell_the_same(type: int, files: Pictures) -> None:
    """What a seam counts does not depend on the face that it is seen from, nor does the order of equal seams."""
    puzzle = puzzle_of(files, type)
    level = level_of(puzzle)
    found = with_superpieces(level, ROUNDS)
    assert not np.array_equal(found.weights, level.lists.weights)
    for lists in (level.lists, found, lists_of(puzzle, TOGETHER)):
        assert_mirrored(lists)


@pytest.mark.parametrize(("type", "wanted", "asked"), [(1, True, 1), (2, True, 1), (3, True, 0), (2, False, 0)])
def test_superpieces_are_for_pieces_of_unknown_cells(
    type: int, wanted: bool, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And for who wants them: then the pieces are looked at as they are, and what is found is what counts."""
    levels: list[Level] = []

    def noted(level: Level, rounds: int, threads: int) -> CandidateLists:
        assert rounds == ROUNDS
        levels.append(level)
        return level.lists

    monkeypatch.setattr(pipeline, "with_superpieces", noted)
    puzzle = small_puzzle("distinct", type)
    lists_of(puzzle, TOGETHER if wanted else ALONE)
    assert len(levels) == asked
    for level in levels:
        assert (level.piece_size, level.faces, level.rotation_unknown) == (4, 1, type == 2)
        assert level.measured.candidates.shape == (puzzle.num_edges, 96)
        assert level.lists.candidates.shape == (puzzle.num_edges, 16)
