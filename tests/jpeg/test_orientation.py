"""Orientation: which side was up in the file."""

from __future__ import annotations

import io

import numpy as np
import pytest
from compression import (
    Pictures,
    assert_threads_do_not_matter,
    compressed,
    measured_lists,
    offsets_of,
    puzzle_of,
    scaled,
    true_links,
)
from numpy.typing import NDArray
from PIL import Image

from rectoverso.bench.quality import candidate_quality, true_neighbors
from rectoverso.geometry import NOTHING, shown
from rectoverso.images.files import Pixels
from rectoverso.jpeg import orientation as module
from rectoverso.jpeg import refinement
from rectoverso.jpeg.aligned import SURE
from rectoverso.jpeg.alignment import find_alignment
from rectoverso.jpeg.blocks import clipped, luma
from rectoverso.jpeg.grid import Grid
from rectoverso.jpeg.offsets import LEVELS
from rectoverso.jpeg.orientation import (
    LEADS,
    NEIGHBOR_CAP,
    Evidence,
    by_rounding,
    by_steps,
    combined,
    find_orientation,
    orientation_offsets,
    with_neighbors,
)
from rectoverso.jpeg.quantization import Coded, read_coded
from rectoverso.jpeg.refinement import refine
from rectoverso.jpeg.upsampling import find_subsampled_chroma
from rectoverso.matching.alignment import AXIS, DIRECTION, PHASE, common_alignment
from rectoverso.puzzle.puzzle import Puzzle


def true_sides(puzzle: Puzzle) -> NDArray[np.int64]:
    """The side of each front that was up; that of backs is not told."""
    assert puzzle.truth is not None
    ups = puzzle.truth.up_edges(puzzle.faces).astype(np.int64).ravel()
    sides = np.full(puzzle.num_edges // 4, -1)
    sides[ups // 4] = ups % 4
    return sides


def coded(puzzle: Puzzle) -> Coded:
    """The luma of a puzzle, as its file coded it."""
    return read_coded([luma(puzzle)], offsets_of(puzzle)[:2])


def rounding_of(puzzle: Puzzle) -> Evidence:
    """What rounding tells of a puzzle whose chroma was upsampled."""
    chroma = find_subsampled_chroma(puzzle)
    assert chroma is not None
    return by_rounding(chroma.rounding_lead)


def with_tables(picture: Pixels, table: NDArray[np.int64]) -> Pixels:
    """What a file with these quantization steps keeps of a picture."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", qtables=[table.ravel().tolist()] * 2, subsampling="4:2:0")
    return np.asarray(Image.open(file))


@pytest.mark.compiled
@pytest.mark.parametrize("type", [2, 4])
def test_rounding_tells_which_side_was_up(type: int, files: Pictures) -> None:
    """Of most pieces, and nearly always rightly."""
    puzzle = puzzle_of(files, type)
    evidence, sides = rounding_of(puzzle), true_sides(puzzle)
    sure = (np.sort(evidence, axis=1) @ [0, 0, -1, 1] >= LEADS[1]) & (sides >= 0)
    assert sure.sum() > 0.6 * (sides >= 0).sum()
    assert (evidence.argmax(axis=1) == sides)[sure].mean() > 0.98


@pytest.mark.compiled
def test_steps_tell_rows_from_columns(files: Pictures) -> None:
    """Up and down count alike; all of it may be the other way round."""
    puzzle = puzzle_of(files, 2)
    evidence = by_steps(coded(puzzle), clipped(puzzle))
    np.testing.assert_array_equal(evidence[:, :2], evidence[:, 2:])
    np.testing.assert_array_equal(evidence[:, 0], -evidence[:, 1])
    sure = np.abs(evidence[:, 0] - evidence[:, 1]) >= LEADS[1]
    assert sure.mean() > 0.4, "blocks with clipped pixels tell nothing"
    right = ((evidence[:, 0] > 0) == (true_sides(puzzle) % 2 == 0))[sure].mean()
    assert max(right, 1 - right) > 0.98


@pytest.mark.compiled
def test_steps_that_are_the_same_both_ways_tell_nothing(pictures: Pictures) -> None:
    """A table that is its own mirror image; with one wave that is not, that wave tells."""
    table = 6 + 2 * np.add.outer(np.arange(8), np.arange(8))
    alike = puzzle_of((with_tables(pictures[0], table), pictures[1]), 2)
    assert coded(alike).steps.any()
    assert (np.abs(by_steps(coded(alike), clipped(alike))).max(axis=1) >= LEADS[1]).mean() < 0.1
    table[0, 2] += 3
    puzzle = puzzle_of((with_tables(pictures[0], table), pictures[1]), 2)
    evidence, sides = by_steps(coded(puzzle), clipped(puzzle)), true_sides(puzzle)
    sure = np.abs(evidence[:, 0] - evidence[:, 1]) >= LEADS[0]
    right = ((evidence[:, 0] > 0) == (sides % 2 == 0))[sure].mean()
    assert sure.mean() > 0.1
    assert max(right, 1 - right) > 0.95


@pytest.mark.compiled
def test_clipped_blocks_tell_nothing(files: Pictures) -> None:
    """Neither those that are clipped as a whole nor those of which a single pixel is."""
    puzzle = puzzle_of(files, 2)
    none, every = (np.full((puzzle.num_pieces, 28, 28), value, np.uint8) for value in (0, 1))
    some = none.copy()
    some[:, ::8, ::8] = 1
    assert by_steps(coded(puzzle), none).any()
    for planes in (every, some):
        assert not by_steps(coded(puzzle), planes).any()


def test_pixels_that_gainsay_each_other_count_less() -> None:
    """The same lead of many more pixels is a lead of a few."""
    agreeing, gainsaying, nothing = by_rounding(np.array([[10, 0, 10], [-10, 4, 100], [0, 0, 0]]))
    assert agreeing.tolist() == [10, 0, -10, 0]
    assert gainsaying == pytest.approx([-1, 0.4, 1, -0.4])
    assert not nothing.any()


def test_rounding_says_which_way_steps_run() -> None:
    """Steps alone do not know; what they agree with most is taken."""
    rounding = np.array([[9, 0, -9, 0], [0, 7, 0, -7], [0, 0, 0, 0]], np.float32)
    steps = np.array([[-1, 1, -1, 1], [1, -1, 1, -1], [1, -1, 1, -1]], np.float32)
    expected = np.array([[10, -1, -8, -1], [-1, 8, -1, -6], [-1, 1, -1, 1]], np.float32)
    for sign in (1, -1):
        np.testing.assert_array_equal(combined(rounding, sign * steps), expected)


def test_neighbors_tell_what_they_know() -> None:
    """Three pieces in a row, turned anyhow, of which the first one knows: they have the same side up."""
    ups = np.array([0 + 1, 4 + 3, 8 + 2])
    links = np.full(12, NOTHING, np.uint32)
    for one, other in ((shown(ups[0], 1), shown(ups[1], 3)), (shown(ups[1], 1), shown(ups[2], 3))):
        links[one], links[other] = other, one
    evidence = np.zeros((3, 4), np.float32)
    evidence[0, 1] = 50
    told = with_neighbors(evidence, links)
    np.testing.assert_array_equal(told.argmax(axis=1), ups % 4)
    lead = np.sort(told, axis=1) @ [0, 0, -1, 1]
    assert 0 < lead[2] < lead[1] < lead[0]
    alone = with_neighbors(evidence, np.full(12, NOTHING, np.uint32))
    assert alone[0, 1] - alone[0, 0] == NEIGHBOR_CAP
    assert not alone[1:].any()


@pytest.mark.parametrize(("sure", "expected"), [(0, 2), (2, 2), (4, 0)])
def test_neighbors_outvote_a_piece_that_was_misread(sure: int, expected: int) -> None:
    """However sure it is of itself, four that lie around it and are as sure know better."""
    links = np.full(20, NOTHING, np.uint32)
    for direction in range(4):
        other = shown(4 * (direction + 1), (direction + 2) % 4)
        links[direction], links[other] = other, direction
    evidence = np.zeros((5, 4), np.float32)
    evidence[0, 2], evidence[1 : sure + 1, 0] = 999, 50
    assert with_neighbors(evidence, links)[0].argmax() == expected


@pytest.mark.parametrize("type", [2, 4])
def test_offsets_of_orientation_keep_true_neighbors_and_no_others(type: int, files: Pictures) -> None:
    """Together they allow what is opposite; the first alone also what is turned by half."""
    puzzle = puzzle_of((files[0][: 4 * 28, : 5 * 28], files[1][: 4 * 28, : 5 * 28]), type)
    assert puzzle.truth is not None
    sides = true_sides(puzzle)
    evidence = np.where(np.arange(4) == sides[:, None], 100, 0).astype(np.float32)
    axis, sense = orientation_offsets(evidence)
    assert (axis.level.reshape(-1, 4) == np.where(sides >= 0, LEVELS, 0)[:, None]).all()
    one, other = true_neighbors(puzzle.truth, puzzle.faces)
    assert (axis.agree(one, other) & sense.agree(one, other)).all()
    for turn, by_axis in ((1, 0), (2, 1), (3, 0)):
        wrong = shown(other, turn)
        assert (axis.agree(one, wrong) == by_axis).all()
        assert not (axis.agree(one, wrong) & sense.agree(one, wrong)).any()


def test_what_tells_only_an_axis_tells_no_sense() -> None:
    """Up and down are as likely; and levels begin where leads do."""
    leads = np.array([0, *LEADS], np.float32)
    axis, sense = orientation_offsets(np.stack([leads, 0 * leads, leads, 0 * leads], axis=1))
    assert axis.level[::4].tolist() == list(range(LEVELS + 1))
    assert not sense.level.any()


@pytest.mark.compiled
@pytest.mark.parametrize("type", [2, 4])
def test_the_orientation_of_a_file(type: int, files: Pictures) -> None:
    """With all that tells, and with neighbors: nearly all pieces, and nearly all of them rightly."""
    puzzle = puzzle_of(files, type)
    sides = true_sides(puzzle)
    axis, sense = find_orientation(by_steps(coded(puzzle), clipped(puzzle)), rounding_of(puzzle), true_links(puzzle))
    sure = (sense.level[::4] >= SURE) & (sides >= 0)
    assert sure.sum() > 0.9 * (sides >= 0).sum()
    up = ((axis.offset == 0) & (sense.offset == 1)).reshape(-1, 4).argmax(axis=1)
    assert (up == sides)[sure].mean() > 0.99
    assert find_orientation(None, None, true_links(puzzle)) == []


@pytest.mark.compiled
def test_a_file_without_visible_grid_still_has_an_orientation(files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounding tells it without any block."""
    monkeypatch.setattr(refinement, "find_grid", lambda *_: Grid([], []))
    puzzle = puzzle_of(files[::-1], 2)
    assert puzzle.truth is not None
    lists = measured_lists(puzzle)
    weighed = refine(puzzle, lists)
    assert weighed.alignment is not None
    assert not (weighed.alignment[:, 1] & PHASE).any()
    assert (weighed.alignment[:, 1] & DIRECTION == DIRECTION).mean() > 0.5
    before, after = (candidate_quality(a, puzzle.truth) for a in (lists, weighed))
    assert after.top1 > before.top1


@pytest.mark.compiled
def test_the_alignment_has_the_orientation(files: Pictures) -> None:
    """That of the truth is the file's, in the two bits above those of the grid."""
    puzzle = puzzle_of(files, 2)
    assert puzzle.truth is not None
    evidence = np.where(np.arange(4) == true_sides(puzzle)[:, None], 100, 0).astype(np.float32)
    found = find_alignment([None, None], orientation_offsets(evidence), true_neighbors(puzzle.truth, 1), 28)
    assert found is not None
    ups = puzzle.truth.up_edges(1)
    assert common_alignment(found, ups, (28, 28)).tolist() == [0, DIRECTION, AXIS, DIRECTION]
    axis = find_alignment([None, None], [orientation_offsets(evidence)[0], None], true_neighbors(puzzle.truth, 1), 28)
    assert axis is not None
    assert common_alignment(axis, ups, (28, 28)).tolist() == [0, AXIS, AXIS, AXIS]


@pytest.mark.compiled
def test_a_collage_of_turned_files_has_no_orientation(photos: Pictures) -> None:
    """Parts that were turned before they were put together may touch."""
    large = scaled(photos[0], 1008, 672)
    half = 504
    right = np.rot90(compressed(np.ascontiguousarray(np.rot90(large[:, half:], -1))))
    for part, expected in ((compressed(large)[:, half:], True), (right, False)):
        puzzle = puzzle_of(
            (np.ascontiguousarray(np.concatenate([compressed(large)[:, :half], part], axis=1)), large), 2
        )
        found = refine(puzzle, measured_lists(puzzle)).alignment
        assert bool(found is not None and (found[:, 1] & DIRECTION).any()) == expected


@pytest.mark.compiled
def test_threads_do_not_matter(files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """The orientation is the same, and so are lists that keep to it."""
    puzzle = puzzle_of(files, 2)
    lists = measured_lists(puzzle)
    assert_threads_do_not_matter(lambda threads: refine(puzzle, lists, threads), monkeypatch, module)
