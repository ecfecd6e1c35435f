"""Quantization: the steps of a file, the literal twin, what they are worth, and that nothing changes without."""

from __future__ import annotations

import numpy as np
import pytest
from compression import (
    Pictures,
    assert_mirrored,
    assert_threads_do_not_matter,
    changes,
    compressed,
    file_of,
    measured_lists,
    of_true_seams,
    offsets_of,
    puzzle_of,
    scaled,
)
from helpers import SQUARES, small_puzzle

from rectoverso.bench.quality import candidate_quality, true_neighbors
from rectoverso.geometry import NOTHING, mirror
from rectoverso.jpeg import blocks, likelihood, quantization
from rectoverso.jpeg.blocks import block_places, blocks_by_corner, luma, split_blocks
from rectoverso.jpeg.likelihood import HIGHEST, MOST, SHARE, Pairs, background_pairs, positive_pairs
from rectoverso.jpeg.quantization import (
    CAP,
    Coded,
    make_lattice,
    own_energies,
    read_coded,
    read_steps,
    seam_energies_of,
    weighed_by_quantization,
)
from rectoverso.matching.lists import CandidateLists, best_buddies, find_candidates
from rectoverso.matching.look_alikes import GROUP, LookAlikes
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions import quantization as reference


def pairs_of(lists: CandidateLists) -> tuple[Pairs, Pairs]:
    """The positive and the background pairs that likelihood tables are fitted on."""
    return positive_pairs(lists), background_pairs(lists)


def weighed(puzzle: Puzzle, lists: CandidateLists, threads: int = 1) -> CandidateLists:
    """The lists weighed by the blocks of luma."""
    return weighed_by_quantization(lists, coded(puzzle), puzzle.faces, *pairs_of(lists), threads)


def coded(puzzle: Puzzle) -> Coded:
    """The luma of a puzzle, as its file coded it."""
    return read_coded([luma(puzzle)], offsets_of(puzzle)[:2])


def steps_of(puzzle: Puzzle) -> np.ndarray:
    """The steps, read off all faces."""
    corners = offsets_of(puzzle)[0].offset.reshape(-1, 4)[:, [0, 3]]
    return read_steps([found for _, found in blocks_by_corner(luma(puzzle), corners)])


@pytest.mark.parametrize("type", [1, 2, 4])
def test_the_steps_of_a_file_are_found(type: int, pictures: Pictures, files: Pictures) -> None:
    """Those of rows and columns together, as pieces may be turned; where only one of the two occurs, that one."""
    table = np.array(file_of(pictures[0]).quantization[0]).reshape(8, 8)
    steps = steps_of(puzzle_of(files, type))
    known = steps[0] > 0
    assert known.sum() >= 20
    both = np.sort([table, table.T], axis=0)
    right = ((steps == both[0]) | (steps == both[1])).all(axis=0)
    assert right[known].mean() > 0.9
    assert (steps == both)[:, known].mean() > 0.8
    assert not steps_of(puzzle_of(pictures, type)).any()


@pytest.mark.parametrize(("type", "size"), [(1, 28), (2, 28), (2, 27), (4, 20)])
def test_same_energies_as_the_reference(type: int, size: int, files: Pictures) -> None:
    """Of true seams and of others, seen from either side; nothing is joined where the grid breaks."""
    puzzle = puzzle_of(files, type, size)
    assert puzzle.truth is not None
    inward, along = offsets_of(puzzle)[:2]
    planes, places = luma(puzzle), block_places(inward, along, size)
    steps = steps_of(puzzle)
    rng = np.random.default_rng(0)
    edges = rng.integers(0, puzzle.num_edges, (2, 40))
    one, other = np.concatenate([np.array(true_neighbors(puzzle.truth, puzzle.faces))[:, ::10], edges], axis=1)
    split, lattice = split_blocks(planes, places), make_lattice(steps)
    found = seam_energies_of(split, one, other, lattice)
    np.testing.assert_array_equal(seam_energies_of(split, other, one, lattice), found)
    assert (found >= 0).sum() > 5
    keeps = (inward.agree(one, other) & along.agree(one, other)).astype(bool)
    np.testing.assert_array_equal(found >= 0, keeps & (places[one, 2] > 0) & (places[other, 2] > 0))
    for edge, partner, energy in zip(one.tolist(), other.tolist(), found.tolist(), strict=True):
        if energy >= 0:
            seen = [reference.turned(planes[e // 4].tolist(), e % 4) for e in (edge, partner)]
            rows, first = int(inward.offset[edge]), int(along.offset[edge])
            assert energy == pytest.approx(
                reference.seam_energy(seen[0], seen[1], rows, first, steps.tolist(), CAP), abs=0.01
            )


def test_own_energies(files: Pictures) -> None:
    """Of whole blocks: by the reference, about 1 inside of a file, and 0 for what is flat or has no whole block."""
    puzzle = puzzle_of(files, 2)
    planes = luma(puzzle)
    planes[0] = 200
    corners = offsets_of(puzzle)[0].offset.reshape(-1, 4)[:, [0, 3]]
    steps = steps_of(puzzle)
    own = own_energies(planes, corners, make_lattice(steps))
    assert own[0] == 0
    assert 0.7 < np.median(own) < 1.3
    (down, right), tile = corners[1].tolist(), planes[1].tolist()
    whole = [
        reference.misfit([row[x : x + 8] for row in tile[y : y + 8]], steps.tolist(), CAP)
        for y in range(down, 28 - 7, 8)
        for x in range(right, 28 - 7, 8)
    ]
    assert own[1] == pytest.approx(np.mean(whole), abs=0.01)
    assert not own_energies(planes[:, :11, :11], np.full(corners.shape, 4), make_lattice(steps)).any()


def handmade(puzzle: Puzzle) -> tuple[CandidateLists, Pairs, Pairs]:
    """Each edge lists three that are not its neighbor, and then the one that is, all alike; true and wrong pairs."""
    assert puzzle.truth is not None
    rng = np.random.default_rng(0)
    one, other = true_neighbors(puzzle.truth, puzzle.faces)
    wrong = rng.permuted(np.repeat(other[:, None], 3, axis=1), axis=0)
    candidates = np.full((puzzle.num_edges, 4), NOTHING, np.uint32)
    candidates[one] = np.column_stack([wrong, other])
    if puzzle.faces == 2:
        candidates[mirror(one)] = mirror(candidates[one].astype(np.int64))
    values = np.where(candidates == NOTHING, np.inf, 1).astype(np.float32)
    none = LookAlikes.none(puzzle.num_edges)
    lists = CandidateLists(candidates, values, best_buddies(candidates), none, None, puzzle.digest)  # type: ignore[arg-type]
    return lists, (one, other), (np.repeat(one, 3), wrong.ravel())


@pytest.mark.parametrize("type", [2, 4])
def test_quantization_alone_tells_neighbors(type: int, files: Pictures) -> None:
    """True seams that join blocks come first, though listed last; where nothing is joined, nothing moves."""
    puzzle = puzzle_of(files, type)
    lists, positive, background = handmade(puzzle)
    inward, along = offsets_of(puzzle)[:2]
    after = weighed_by_quantization(lists, coded(puzzle), puzzle.faces, positive, background)
    one, other = positive
    moved = (after.weights[one] != 1).any(axis=1)
    np.testing.assert_array_equal(after.candidates[one[~moved]], lists.candidates[one[~moved]])
    places = block_places(inward, along, puzzle.piece_height)
    joined = places[other, 0] == places[one, 1]
    assert joined.sum() > 100
    assert (after.candidates[one[joined], 0] == other[joined]).mean() > 0.9
    np.testing.assert_array_equal(after.buddies, best_buddies(after.candidates))


@pytest.mark.compiled
@pytest.mark.parametrize(("type", "size"), [(1, 28), (2, 28), (2, 14), (3, 14), (2, 16)])
def test_true_neighbors_come_first_more_often(type: int, size: int, files: Pictures) -> None:
    """And are best buddies more often."""
    puzzle = puzzle_of(files[::-1], type, size)
    assert puzzle.truth is not None
    lists = measured_lists(puzzle)
    before, after = (candidate_quality(a, puzzle.truth) for a in (lists, weighed(puzzle, lists)))
    assert after.top1 > before.top1
    assert after.recall > before.recall


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4, 7])
def test_without_compression_nothing_changes(type: int, pictures: Pictures, files: Pictures) -> None:
    """Nor if a file was resized."""
    smaller = scaled(files[0], 400, 267), scaled(files[1], 400, 267)
    for shown in (pictures, smaller):
        puzzle = puzzle_of(shown, type)
        lists = measured_lists(puzzle)
        assert weighed(puzzle, lists) is lists


@pytest.mark.compiled
@pytest.mark.parametrize("size", [11, 16, 24])
def test_pieces_that_split_no_blocks(size: int, files: Pictures) -> None:
    """Or that are so small that hardly any block is whole."""
    puzzle = puzzle_of((files[0][: 10 * size, : 12 * size], files[1]), 2, size)
    lists = measured_lists(puzzle)
    assert weighed(puzzle, lists) is lists


@pytest.mark.compiled
@pytest.mark.parametrize("size", [20, 28])
def test_tiles_that_are_files_of_their_own(size: int, pictures: Pictures) -> None:
    """Their blocks have steps, but no seam joins any."""
    picture = pictures[0][: 12 * size, : 16 * size].copy()
    for row in range(0, len(picture), size):
        for column in range(0, picture.shape[1], size):
            tile = picture[row : row + size, column : column + size]
            tile[:] = compressed(tile)
    puzzle = Puzzle.from_image(picture, type=2, size=size)
    assert steps_of(puzzle).any()
    lists = measured_lists(puzzle)
    assert weighed(puzzle, lists) is lists


@pytest.mark.compiled
def test_background_pairs_that_join_nothing_prove_nothing(files: Pictures) -> None:
    """Without any to compare with, positive pairs say nothing; nor do they if they are like the background."""
    puzzle = puzzle_of(files, 2)
    lists = measured_lists(puzzle)
    positive, background = pairs_of(lists)
    few = background[0][:50], background[1][:50]
    for pairs in ((positive, few), (few, background), (background, background), (positive, positive)):
        assert weighed_by_quantization(lists, coded(puzzle), 1, *pairs) is lists


@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("kind", SQUARES)
def test_tiny_puzzles(kind: str, type: int) -> None:
    """Puzzles of two pieces are puzzles, too."""
    for rows, columns in ((1, 2), (2, 1), (3, 5)):
        puzzle = small_puzzle(kind, type, rows, columns, size=22)
        lists = find_candidates(puzzle)
        assert weighed(puzzle, lists) is lists


@pytest.mark.compiled
@pytest.mark.parametrize("type", [2, 4, 5])
def test_what_is_weighed(type: int, files: Pictures) -> None:
    """Weights change within bounds, and by as much from either edge of a seam; those of most true ones fall."""
    puzzle = puzzle_of(files, type)
    assert puzzle.truth is not None
    lists = measured_lists(puzzle)
    change = changes(lists, weighed(puzzle, lists))
    values = np.array([value for (_, other), value in change.items() if other < GROUP])
    assert all(value == 1 for (_, other), value in change.items() if other >= GROUP)
    assert values.max() < np.exp(SHARE * MOST) * 1.0001
    assert values.min() > np.exp(-SHARE * HIGHEST * puzzle.faces) * 0.9999
    true = of_true_seams(puzzle, change)
    assert (true < 1).sum() > 5 * (true > 1).sum()
    assert (values > 1).sum() > (values < 1).sum()


@pytest.mark.compiled
@pytest.mark.parametrize("type", [4, 5])
def test_an_edge_and_its_mirror_weigh_the_same(type: int, files: Pictures) -> None:
    """To the last bit: they are the same seams, seen from the other face."""
    puzzle = puzzle_of(files, type)
    lists = measured_lists(puzzle)
    after = weighed(puzzle, lists)
    assert after is not lists
    assert_mirrored(after)


@pytest.mark.compiled
def test_threads_do_not_matter(files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does how the work is divided."""
    puzzle = puzzle_of(files, 4)
    lists = measured_lists(puzzle)
    assert weighed(puzzle, lists) is not lists
    assert_threads_do_not_matter(
        lambda threads: weighed(puzzle, lists, threads), monkeypatch, quantization, likelihood, blocks
    )
