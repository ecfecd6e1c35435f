"""Grid alignment: where the block grid runs, and that a search keeps to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compression import Pictures, compressed, puzzle_of, scaled, true_offsets
from helpers import lists_of, space_of

from rectoverso.changes import changed_params
from rectoverso.evolve.breeding import breed, scatter
from rectoverso.geometry import DOWN, LEFT, RIGHT, shown
from rectoverso.images.files import Pixels
from rectoverso.jpeg import alignment as module
from rectoverso.jpeg.alignment import find_alignment, is_collage
from rectoverso.jpeg.offsets import GridOffsets
from rectoverso.matching.alignment import AXIS, PHASE, Alignment, common_alignment, moved
from rectoverso.parameters import PRESETS, Params
from rectoverso.puzzle.puzzle import Puzzle

BEST = changed_params(PRESETS["best"], {"genetic": {"population": 10}, "objective": {"relative": {"loop_rounds": 1}}})


def alignment_of(puzzle: Puzzle, params: Params = BEST) -> Alignment | None:
    """What a solve knows of the block grid."""
    return lists_of(puzzle, params).alignment


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4])
def test_the_alignment_of_a_file(type: int, files: Pictures) -> None:
    """Most edges know where its grid runs, by chroma modulo 16, and nearly all of them are right."""
    puzzle = puzzle_of(files, type)
    alignment = alignment_of(puzzle)
    assert alignment is not None
    offset, known = alignment.T
    front = true_offsets(puzzle, 1)[0] >= 0
    # A dark part of the back misleads chroma as a whole, as if it were a collage: then luma alone counts.
    offset, known = offset & PHASE, known & PHASE
    assert set(known.tolist()) == ({0, 7} if type == 4 else {0, 7, 15})
    assert (known[front] > 0).mean() > 0.7
    luma, chroma = true_offsets(puzzle, 1)[0], 2 * true_offsets(puzzle, 2)[0]
    assert (offset % 8 == luma % 8)[front & (known > 0)].mean() > 0.98
    assert (offset == chroma)[front & (known == 15)].sum() >= 0.98 * (front & (known == 15)).sum()


@pytest.mark.compiled
def test_no_alignment_without_a_grid(files: Pictures) -> None:
    """Neither in a picture that was scaled, nor where traces are not asked for."""
    assert alignment_of(puzzle_of((scaled(files[0], 700, 500), files[1]), 2)) is None
    without = changed_params(BEST, {"objective": {"relative": {"traces": False}}})
    assert alignment_of(puzzle_of(files, 2), without) is None


def collage(picture: Pixels, shift: int) -> Pixels:
    """A picture whose right half comes from another file, with a grid that is shifted."""
    right = compressed(np.roll(picture, (-shift, -shift), axis=(0, 1)))
    half = picture.shape[1] // 56 * 28
    back = np.roll(right, (shift, shift), axis=(0, 1))
    return np.concatenate([compressed(picture)[:, :half], back[:, half:]], axis=1)


@pytest.mark.compiled
def test_a_picture_made_of_two_files_has_no_alignment(photos: Pictures) -> None:
    """Its parts hang together, but not by one grid; both halves from one file are a picture as any other."""
    large = scaled(photos[0], 1008, 672)
    assert alignment_of(puzzle_of((collage(large, 0), large), 2)) is not None
    alone = alignment_of(puzzle_of((collage(large, 4), large), 2))
    assert alone is not None
    assert not (alone[:, 1] & PHASE).any(), "both have the same side up, but that is all"


def strip(shifted: int) -> tuple[Alignment, tuple[np.ndarray, np.ndarray]]:
    """The alignment and links of 2 x 12 pieces of 10 pixels, the last one turned; some columns have another grid."""
    row, column = np.indices((2, 12))
    ups = 4 * np.arange(24).reshape(2, 12)
    ups[1, -1] += LEFT
    alignment = np.full((96, 2), 15, np.uint8)
    alignment[ups, 0] = (3 - 10 * row) % 16
    alignment[shown(ups, LEFT), 0] = (5 - 10 * column) % 16
    alignment[ups[:, 12 - shifted :], 0] = (5 - 10 * row[:, 12 - shifted :]) % 16
    for up in (ups, shown(ups, LEFT)):
        alignment[shown(up, DOWN), 0] = (10 - alignment[up, 0]) % 16
    across = shown(ups[:, :-1], RIGHT).ravel(), shown(ups[:, 1:], LEFT).ravel()
    down = shown(ups[:-1], DOWN).ravel(), ups[1:].ravel()
    one, other = np.concatenate([across[0], down[0]]), np.concatenate([across[1], down[1]])
    return alignment, (np.concatenate([one, other]), np.concatenate([other, one]))


@pytest.mark.parametrize(("shifted", "expected"), [(0, False), (4, False), (5, True), (7, True), (8, False)])
def test_a_collage_by_hand(monkeypatch: pytest.MonkeyPatch, shifted: int, expected: bool) -> None:
    """Two parts of ten or more pieces, each with one grid, that touch in two certain seams."""
    alignment, links = strip(shifted)
    monkeypatch.setattr(module, "COLLAGE_SEAMS", 2)
    assert is_collage(alignment, links, 10) == expected
    assert not is_collage(alignment, (links[0][:0], links[1][:0]), 10)
    monkeypatch.setattr(module, "COLLAGE_SEAMS", 3)
    assert not is_collage(alignment, links, 10)


def test_a_misread_piece_knows_nothing() -> None:
    """Its neighbors know better, and keep what they know."""
    alignment, links = strip(0)
    level = np.full(96, 4, np.int8)
    luma = GridOffsets((alignment[:, 0] % 8).astype(np.int8), level, 0)
    luma.offset[[20, 22]] += 1
    found = find_alignment([luma, None], [], links, 10)
    assert found is not None
    assert set(found[20:24, 1].tolist()) == {0}
    assert (np.delete(found[:, 1], range(20, 24)) == 7).all()


@pytest.mark.compiled
def test_the_truth_has_one_alignment(files: Pictures) -> None:
    """The file's own: its grid begins with the first piece, and lines are numbered from 1 on."""
    puzzle = puzzle_of(files, 2)
    alignment = alignment_of(puzzle)
    assert alignment is not None
    assert puzzle.truth is not None
    assert common_alignment(alignment, puzzle.truth.up_edges(1), (28, 28)).tolist() == [28 % 16, 63, 28 % 16 + AXIS, 63]
    scattered = np.random.default_rng(0).permutation(puzzle.num_pieces).astype(np.uint32) * 4
    assert common_alignment(alignment, scattered.reshape(puzzle.rows, puzzle.columns), (28, 28)).tolist() == [
        0,
        0,
        0,
        0,
    ]


def misaligned(chromosome: np.ndarray, puzzle: Puzzle, alignment: Alignment) -> int:
    """How many pieces of an arrangement do not keep to the grid of the most."""
    up = chromosome.reshape(puzzle.rows, puzzle.columns).astype(np.int64)
    row, column = np.indices(up.shape) + 1
    top, known_top, left, known_left = common_alignment(
        alignment, up, (puzzle.piece_height, puzzle.piece_width)
    ).astype(np.int64)
    wrong = np.zeros(up.shape, bool)
    for runs, told, edges, lines in ((top, known_top, up, row), (left, known_left, shown(up, LEFT), column)):
        offset, known = np.moveaxis(alignment[edges].astype(np.int64), 2, 0)
        wrong |= ((runs ^ moved(offset, lines * puzzle.piece_height)) & known & told) != 0
    return int(wrong.sum())


@pytest.mark.compiled
def test_children_keep_to_one_grid(files: Pictures) -> None:
    """But for a piece here and there that is left over, where without alignment many do not."""
    puzzle = puzzle_of(files, 2)
    space = space_of(puzzle, changed_params(BEST, {"objective": {"relative": {"skip": 0.3}}}), seed=1)
    first, pairs = scatter(space, 8).chromosomes, np.array([[0, 1], [2, 3], [4, 5], [6, 7]])
    alignment = space.tables.alignment
    keeping = [misaligned(child, puzzle, alignment) for child in breed(space, 1, first, pairs).chromosomes]
    unaligned = replace(space, tables=space.tables._replace(alignment=np.zeros_like(alignment)))
    free = [misaligned(child, puzzle, alignment) for child in breed(unaligned, 1, first, pairs).chromosomes]
    assert sum(keeping) < 0.5 * sum(free)
