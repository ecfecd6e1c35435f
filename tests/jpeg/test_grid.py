"""The block grid: where it runs, what it is worth, and that nothing changes where there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compression import (
    Pictures,
    assert_mirrored,
    assert_threads_do_not_matter,
    assert_without_traces,
    blocks,
    changes,
    compressed,
    measured_lists,
    of_true_seams,
    offsets_of,
    puzzle_of,
    true_links,
    true_offsets,
)
from helpers import SQUARES, small_puzzle

from rectoverso.bench.quality import candidate_quality, true_neighbors
from rectoverso.geometry import NOTHING
from rectoverso.jpeg import grid, likelihood, upsampling
from rectoverso.jpeg import offsets as module
from rectoverso.jpeg.likelihood import MOST, SHARE, background_pairs, positive_pairs
from rectoverso.jpeg.offsets import LEVELS, find_offsets, measure_strengths, spread
from rectoverso.jpeg.refinement import refine
from rectoverso.matching.lists import find_candidates
from rectoverso.matching.look_alikes import GROUP
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions.grid import grid_ratio


def test_offsets_by_hand() -> None:
    """Lines at 3, 11, 19 and 27 from the left and at 5, 13 and 21 from the top; in the next piece at 7, 15 and 23."""
    puzzle = Puzzle.from_image(blocks(6 * 28, 8 * 28, down=5, right=3), type=1)
    assert puzzle.truth is not None
    inward, along = offsets_of(puzzle)[:2]
    first, second = puzzle.truth.up_edges(1)[0, :2].astype(int).tolist()
    assert inward.offset[first : first + 4].tolist() == [5, 1, 7, 3]
    assert along.offset[first : first + 4].tolist() == [3, 5, 1, 7]
    assert inward.offset[second : second + 4].tolist() == [5, 5, 7, 7]
    assert along.offset[second : second + 4].tolist() == [7, 5, 5, 7]
    assert (inward.total, along.total) == (0, 4)


@pytest.mark.parametrize("size", [20, 27, 28])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
def test_offsets_on_all_sides_of_turned_pieces(type: int, size: int) -> None:
    """Blocks that nothing blurs give every offset, and every true seam keeps to the grid."""
    shape = 16 * size, 18 * size
    puzzle = puzzle_of((blocks(*shape, down=5, right=3), blocks(*shape, down=5, right=6)), type, size)
    assert puzzle.truth is not None
    one, other = true_neighbors(puzzle.truth, puzzle.faces)
    for offsets, expected in zip(offsets_of(puzzle), true_offsets(puzzle, 1, down=5, right=3), strict=False):
        front = expected >= 0
        np.testing.assert_array_equal(offsets.offset[front], expected[front])
        assert offsets.agree(one, other).all()


def test_flat_pieces_show_no_grid() -> None:
    """They are at level 0, which is worth nothing; all others are above."""
    picture = blocks(8 * 28, 12 * 28, down=5, right=3)
    picture[:, 6 * 28 :] = 255
    puzzle = Puzzle.from_image(picture, type=1)
    assert puzzle.truth is not None
    column = np.empty(puzzle.num_pieces, int)
    column[puzzle.truth.up_edges(1) // 4] = np.arange(12)
    for offsets in offsets_of(puzzle)[:2]:
        assert ((offsets.level.reshape(-1, 4) == 0).all(axis=1) == (column >= 6)).all()


@pytest.mark.parametrize("type", [1, 2, 4])
def test_neighbors_tell_flat_pieces_where_the_grid_runs(type: int) -> None:
    """Each flat piece has neighbors that show the grid, and touches them whichever way all of them are turned."""
    faces = [blocks(8 * 28, 10 * 28, down=5, right=right) for right in (3, 3)]
    for face in faces:
        for row, column in np.ndindex(8, 10):
            if row % 2 == column % 2 == 1:
                face[row * 28 : row * 28 + 28, column * 28 : column * 28 + 28] = 101
    puzzle = puzzle_of((faces[0], faces[1]), type)
    luma = measure_strengths(puzzle)[0]
    assert (find_offsets([luma])[0].level == 0).mean() > 0.2
    told = find_offsets([spread(luma, true_links(puzzle))])
    for offsets, expected in zip(told, true_offsets(puzzle, 1, down=5, right=3), strict=True):
        front = expected >= 0
        np.testing.assert_array_equal(offsets.offset[front], expected[front])
        assert (offsets.level > 0).all()


def test_without_links_nothing_is_spread() -> None:
    """The strengths are compared with each other only: their mean may change."""
    puzzle = Puzzle.from_image(blocks(6 * 28, 8 * 28, down=5, right=3), type=2)
    luma = measure_strengths(puzzle)[0]
    alone = spread(luma, np.full(puzzle.num_edges, NOTHING, np.uint32))
    np.testing.assert_allclose(np.diff(alone.strength), np.diff(luma.strength), atol=1e-6)


def test_chroma_lines_lie_on_luma_lines(files: Pictures) -> None:
    """Where the grid of luma is known, that of chroma takes only offsets that lie on its lines."""
    puzzle = puzzle_of(files, 2)
    luma, _, chroma, _ = offsets_of(puzzle)
    told = luma.level > 0
    assert told.mean() > 0.5
    assert ((2 * chroma.offset - luma.offset)[told] % 8 == 0).all()


@pytest.mark.compiled
@pytest.mark.parametrize(("size", "count"), [(8, 0), (10, 0), (11, 2), (21, 2), (22, 4), (27, 2)])
def test_small_pieces_show_no_grid(size: int, count: int, files: Pictures) -> None:
    """A piece must show a line at any offset; chroma is subsampled, which shows in even sizes only."""
    puzzle = puzzle_of((files[0][: 8 * size, : 9 * size], files[1]), 2, size)
    assert len(offsets_of(puzzle)) == count
    if not count:
        lists = measured_lists(puzzle)
        assert not grid.find_grid(puzzle, lists, positive_pairs(lists), background_pairs(lists)).calibrated


@pytest.mark.parametrize("type", [1, 2, 4])
def test_the_grid_of_a_file_is_found(type: int, files: Pictures) -> None:
    """In most pieces, and where it is sure, in all of them; edges that do not touch agree half of the time."""
    puzzle = puzzle_of(files, type)
    assert puzzle.truth is not None
    one, other = true_neighbors(puzzle.truth, puzzle.faces)
    expected = [*true_offsets(puzzle, 1), *true_offsets(puzzle, 2)]
    for offsets, true in zip(offsets_of(puzzle), expected, strict=True):
        front = true >= 0
        assert (offsets.offset == true)[front].mean() > 0.95
        agree = offsets.agree(one, other)
        assert agree.mean() > 0.9
        assert agree[offsets.sureness(one, other) == LEVELS].all()
        assert offsets.agree(one, np.random.default_rng(0).permutation(other)).mean() < 0.65


@pytest.mark.compiled
@pytest.mark.parametrize(("type", "size"), [(1, 28), (2, 28), (3, 28), (5, 28), (2, 27)])
def test_true_neighbors_come_first_more_often(type: int, size: int, files: Pictures) -> None:
    """The grid helps where the pixels beside a seam are not enough."""
    puzzle = puzzle_of(files[::-1], type, size)
    assert puzzle.truth is not None
    lists = measured_lists(puzzle)
    before, after = (candidate_quality(a, puzzle.truth) for a in (lists, refine(puzzle, lists)))
    assert after.top1 > before.top1
    assert after.recall >= before.recall


@pytest.mark.compiled
def test_lists_that_have_room_left(files: Pictures) -> None:
    """The last candidate is the last that is listed: in small puzzles no list is full."""
    puzzle = puzzle_of((files[0][: 9 * 28, : 10 * 28], files[1]), 1)
    lists = measured_lists(puzzle, num_candidates=96)
    assert (lists.candidates[:, -1] == NOTHING).all()
    full = refine(puzzle, measured_lists(puzzle, num_candidates=80))
    weighed = refine(puzzle, lists)
    assert weighed.weights is not lists.weights
    np.testing.assert_array_equal(weighed.buddies, full.buddies)


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 3, 4, 7])
def test_without_a_grid_nothing_changes(type: int, pictures: Pictures) -> None:
    """A picture that was never compressed has breaks, too, but they do not run on from piece to piece."""
    puzzle = puzzle_of(pictures, type)
    lists = measured_lists(puzzle)
    assert_without_traces(lists, refine(puzzle, lists))


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 6])
def test_tiles_that_are_files_of_their_own(type: int, pictures: Pictures) -> None:
    """Each has a grid that begins at its corner, as it is given, which says nothing about its neighbors."""
    puzzle = puzzle_of(pictures, type)
    tiles = [[compressed(face) for face in piece] for piece in puzzle.pixels]
    puzzle = replace(puzzle, pixels=np.array(tiles))
    inward, along = offsets_of(puzzle)[:2]
    assert (inward.offset.reshape(-1, 4) == [0, 4, 4, 0]).mean() > 0.95
    assert (along.offset.reshape(-1, 4) == [0, 0, 4, 4]).mean() > 0.95
    lists = measured_lists(puzzle)
    assert_without_traces(lists, refine(puzzle, lists))


@pytest.mark.compiled
def test_tiles_that_were_turned_as_files_tell_their_rotation(pictures: Pictures) -> None:
    """Their grids began at the same corner, before: that is worth something, too."""
    picture = pictures[1].copy()
    for row in range(0, len(picture), 28):
        for column in range(0, picture.shape[1], 28):
            tile = picture[row : row + 28, column : column + 28]
            tile[:] = compressed(tile)
    puzzle = Puzzle.from_image(picture, type=3)
    assert puzzle.truth is not None
    lists = measured_lists(puzzle)
    before, after = (candidate_quality(a, puzzle.truth) for a in (lists, refine(puzzle, lists)))
    assert after.top1 > before.top1


@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("kind", SQUARES)
def test_a_few_seams_prove_nothing(kind: str, type: int) -> None:
    """Nor do look-alikes; puzzles of two pieces are puzzles, too."""
    for rows, columns in ((1, 2), (2, 1), (3, 5)):
        puzzle = small_puzzle(kind, type, rows, columns, size=22)
        lists = find_candidates(puzzle)
        assert_without_traces(lists, refine(puzzle, lists))


@pytest.mark.compiled
@pytest.mark.parametrize("type", [2, 3, 5])
def test_what_breaks_the_grid_is_doubted(type: int, files: Pictures) -> None:
    """Weights rise, within bounds, by as much from either edge of a seam; those of true seams hardly do."""
    puzzle = puzzle_of(files, type)
    assert puzzle.truth is not None
    lists = measured_lists(puzzle)
    calibrated = grid.calibrate(offsets_of(puzzle), positive_pairs(lists), background_pairs(lists))
    weighed = grid.weighed_by_grid(puzzle, lists, calibrated, threads=1)
    assert (weighed.weights[:, :-1] <= weighed.weights[:, 1:]).all()
    rise = changes(lists, weighed)
    values = np.array(list(rise.values()))
    assert values.min() == 1
    assert values.max() < np.exp(SHARE * MOST) * 1.0001
    assert np.median(of_true_seams(puzzle, rise)) < 1.2
    assert np.median(values) > 1.5


@pytest.mark.compiled
@pytest.mark.parametrize("type", [4, 5])
def test_an_edge_and_its_mirror_weigh_the_same(type: int, files: Pictures) -> None:
    """To the last bit: they are the same seams, seen from the other face."""
    puzzle = puzzle_of(files, type)
    lists = measured_lists(puzzle)
    weighed = refine(puzzle, lists)
    assert weighed.weights is not lists.weights
    assert_mirrored(weighed)


@pytest.mark.compiled
def test_threads_do_not_matter(files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does how the work is divided."""
    puzzle = puzzle_of(files, 4)
    lists = measured_lists(puzzle)
    assert refine(puzzle, lists).weights is not lists.weights
    assert_threads_do_not_matter(
        lambda threads: refine(puzzle, lists, threads),
        monkeypatch,
        module,
        likelihood,
        upsampling,
    )


@pytest.mark.compiled
@pytest.mark.parametrize("type", [2, 4])
def test_weights_are_those_of_the_reference(type: int, files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a real grid tells of each listed seam is what its offsets and tables say, one by one."""
    puzzle = puzzle_of(files, type)
    lists = measured_lists(puzzle, num_candidates=8)
    calibrated = grid.find_grid(puzzle, lists, positive_pairs(lists), background_pairs(lists)).calibrated
    assert len(calibrated) > 1
    told = []
    monkeypatch.setattr(grid, "weighed", lambda lists, faces, log_ratios, threads: told.append(log_ratios))
    grid.weighed_by_grid(puzzle, lists, calibrated)
    one, rank = np.nonzero(lists.candidates < GROUP)
    one, other = one[::7], lists.candidates[one, rank].astype(np.int64)[::7]
    literal = [(each.offset.tolist(), each.level.tolist(), each.total, table.tolist()) for each, table in calibrated]
    expected = [grid_ratio(*seam, literal) for seam in zip(one.tolist(), other.tolist(), strict=True)]
    (log_ratios,) = told
    np.testing.assert_allclose(log_ratios(one, other), expected, atol=1e-5)
    assert np.ptp(expected) > 1
