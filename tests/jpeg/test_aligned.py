"""Aligned candidates: lists hold only edges that keep to the block grid, and reach further for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compression import Pictures, assert_mirrored, measured_lists, puzzle_of, true_offsets
from helpers import small_puzzle

from rectoverso.bench.quality import true_neighbors
from rectoverso.geometry import NOTHING, mirror
from rectoverso.jpeg.aligned import aligned
from rectoverso.jpeg.offsets import LEVELS, GridOffsets
from rectoverso.matching.lists import find_candidates
from rectoverso.matching.look_alikes import GROUP
from rectoverso.puzzle.puzzle import Puzzle


def known_offsets(puzzle: Puzzle) -> list[GridOffsets]:
    """The true grid offsets, inward and along, known for sure; nothing is known of backs."""
    inward, along = true_offsets(puzzle, 1)
    levels = np.where(inward >= 0, LEVELS, 0).astype(np.int8)
    return [
        GridOffsets(inward.astype(np.int8), levels, 0),
        GridOffsets(along.astype(np.int8), levels, puzzle.piece_height % 8),
    ]


def listed(puzzle: Puzzle, candidates: np.ndarray) -> float:
    """The share of true neighbors that are in the lists."""
    assert puzzle.truth is not None
    one, other = true_neighbors(puzzle.truth, puzzle.faces)
    return float((candidates[one] == other[:, None]).any(axis=1).mean())


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4])
def test_all_candidates_are_aligned(type: int, files: Pictures) -> None:
    """As far as it is known where the grid runs; and true neighbors are listed more often."""
    puzzle = puzzle_of(files, type)
    lists, known = measured_lists(puzzle, num_candidates=2), known_offsets(puzzle)
    found = aligned(puzzle, lists, known, 1)
    assert found.candidates.shape == (puzzle.num_edges, 1)
    edges = np.broadcast_to(np.arange(puzzle.num_edges)[:, None], found.candidates.shape)
    single = found.candidates < GROUP
    one, other = edges[single], found.candidates[single]
    if puzzle.faces == 2:
        one, other = one[one // 4 % 2 == 0], other[one // 4 % 2 == 0]
    for offsets in known:
        assert (offsets.agree(one, other) | (offsets.sureness(one, other) == 0)).all()
    before, after = listed(puzzle, lists.candidates[:, :1]), listed(puzzle, found.candidates)
    assert after > before


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4, 5])
def test_where_nothing_is_known_nothing_changes(type: int, files: Pictures) -> None:
    """One class of all edges, or one for each side: the search that was, for half as many."""
    puzzle = puzzle_of(files, type)
    lists = find_candidates(puzzle, num_candidates=6)
    unknown = [replace(offsets, level=np.zeros_like(offsets.level)) for offsets in known_offsets(puzzle)]
    same = aligned(puzzle, lists, unknown, 3)
    np.testing.assert_array_equal(same.buddies, lists.buddies)
    for name in ("candidates", "weights"):
        np.testing.assert_array_equal(getattr(same, name), getattr(lists, name)[:, :3])


@pytest.mark.compiled
def test_mirrored_edges_have_mirrored_candidates(files: Pictures) -> None:
    """They are the same seams, seen from the other face."""
    puzzle = puzzle_of(files, 4)
    assert_mirrored(aligned(puzzle, measured_lists(puzzle, num_candidates=6), known_offsets(puzzle), 3))


def test_look_alikes_are_alike_only_if_they_are_aligned_alike() -> None:
    """Those of other offsets are other groups, which touch what they fit; of whom nothing is known fits everything."""
    puzzle = small_puzzle("flat", 2, 3, 4, size=12)
    lists = find_candidates(puzzle, num_candidates=8)
    edges = np.arange(puzzle.num_edges)
    piece = edges // 4
    offsets = GridOffsets((2 * (piece % 2)).astype(np.int8), np.where(piece < 8, LEVELS, 0).astype(np.int8), 4)
    found = aligned(puzzle, lists, [offsets], 8)
    kind = np.where(piece < 8, piece % 2, 2)
    group = found.look_alikes.group
    assert lists.look_alikes.group.max() >= 0
    for one in np.flatnonzero(group >= 0):
        members = np.flatnonzero(group == group[one])
        np.testing.assert_array_equal(
            members, edges[(lists.look_alikes.group == lists.look_alikes.group[one]) & (kind == kind[one])]
        )
    for edge in edges[kind < 2]:
        listed = found.candidates[edge]
        groups = listed[(listed >= GROUP) & (listed != NOTHING)] & ~np.uint32(GROUP)
        kinds = {int(kind[found.look_alikes.members[found.look_alikes.start[g]]]) for g in groups}
        assert kinds == {1, 2} if kind[edge] else not kinds - {2}


def test_two_sided_look_alikes_are_split_on_both_faces() -> None:
    """An edge and its mirror are in groups of the same pieces."""
    puzzle = small_puzzle("flat", 4, 3, 4, size=12)
    lists = find_candidates(puzzle, num_candidates=8)
    edges = np.arange(puzzle.num_edges)
    split = lists.look_alikes.split((edges // 4 % 3 == 0)[:, None].astype(np.int8), 2)
    assert len(split.start) > len(lists.look_alikes.start)
    for number in range(len(split.start) - 1):
        members = split.members[split.start[number] : split.start[number + 1]]
        assert len(members) >= split.least
        assert len(set(split.group[mirror(members)].tolist())) == 1


def test_known_cells_need_no_search(files: Pictures) -> None:
    """Where each piece belongs is known; its lists hold all that can touch it."""
    puzzle = puzzle_of((files[0][: 5 * 28, : 6 * 28], files[1]), 3)
    lists = find_candidates(puzzle)
    assert lists.search is None
    assert aligned(puzzle, lists, known_offsets(puzzle), 4) is lists
    assert aligned(puzzle_of((files[0][: 5 * 28, : 6 * 28], files[1]), 2), lists, [], 4) is lists


@pytest.mark.parametrize("type", [1, 2, 4])
def test_lists_that_cannot_be_searched_again_stay_as_they_are(type: int, files: Pictures) -> None:
    """What a search has computed is let go after the preparation; as long as it is there, it is searched again."""
    puzzle = puzzle_of((files[0][: 5 * 28, : 6 * 28], files[1][: 5 * 28, : 6 * 28]), type)
    lists = find_candidates(puzzle, num_candidates=6)
    assert lists.search is not None
    over = replace(lists, search=None)
    assert aligned(puzzle, over, known_offsets(puzzle), 4) is over
    told: list[float] = []
    found = aligned(puzzle, lists, known_offsets(puzzle), 4, told.append)
    assert found.candidates.shape == (puzzle.num_edges, 4)
    assert told == sorted(told)
    assert told[-1] == 1.0
