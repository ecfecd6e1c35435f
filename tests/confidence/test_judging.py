"""judge(): what it says of right, wrong and undecidable seams, for every type."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import picture, small_puzzle

from rectoverso import Arrangement, Genetic, Params, Puzzle, find_candidates, judge, solve
from rectoverso.confidence.confidence import Confidence
from rectoverso.confidence.evidence import edge_numbers, edges_alike, ways_alike
from rectoverso.images.files import Pixels


def equal(one: Confidence, other: Confidence) -> bool:
    tables = ((one.right, other.right), (one.down, other.down), (one.pieces, other.pieces))
    return all(np.allclose(a, b, atol=1e-6) for a, b in tables)


def truth_of(puzzle: Puzzle) -> Arrangement:
    assert puzzle.truth is not None
    return puzzle.truth


@pytest.mark.parametrize("type", range(1, 8))
def test_shapes_and_ranges_of_every_type(type: int) -> None:
    puzzle = small_puzzle("distinct", type)
    confidence = solve(puzzle, params=Params(Genetic(population=10, generations=2)), threads=1).confidence
    assert (confidence.right.shape, confidence.down.shape, confidence.pieces.shape) == ((3, 4), (2, 5), (3, 5))
    assert all(table.dtype == np.float32 for table in (confidence.right, confidence.down, confidence.pieces))
    assert confidence.seams.size == 22
    assert 0 <= confidence.seams.min() <= confidence.seams.max() <= 1


@pytest.mark.parametrize("measure", ["lab", "blend"])
def test_the_truth_of_a_photo_is_sure_and_a_heap_is_not(photos: tuple[Pixels, Pixels], measure: str) -> None:
    puzzle = Puzzle.from_image(photos[0], seed=1)
    lists = find_candidates(puzzle, measure=measure)  # type: ignore[arg-type]
    right = judge(truth_of(puzzle), puzzle, lists)
    heap = judge(Arrangement.of(np.arange(puzzle.num_pieces).reshape(puzzle.rows, -1)), puzzle, lists)
    assert right.seams.mean() > 0.95
    assert right.pieces.mean() > 0.9
    assert heap.seams.mean() < 0.2
    assert heap.pieces.mean() < 0.2


def test_one_wrong_piece_is_found(photos: tuple[Pixels, Pixels]) -> None:
    """Two pieces change places: they and their seams are doubted, and nothing far from them."""
    puzzle = Puzzle.from_image(photos[0], seed=1)
    truth = truth_of(puzzle)
    tables = [table.copy() for table in (truth.piece, truth.rotation, truth.face)]
    for table in tables:
        table[5, 5], table[9, 15] = table[9, 15], table[5, 5]
    before, after = (judge(a, puzzle, find_candidates(puzzle)) for a in (truth, Arrangement.of(*tables)))
    for row, column in ((5, 5), (9, 15)):
        assert before.pieces[row, column] > 0.9
        assert after.pieces[row, column] < 0.2
        assert after.right[row, column - 1 : column + 1].max() < 0.2
        assert after.down[row - 1 : row + 1, column].max() < 0.2
    assert np.abs(after.pieces - before.pieces)[:4].max() < 0.05


@pytest.mark.parametrize("type", [2, 4])
def test_turning_and_flipping_the_whole_changes_nothing(type: int) -> None:
    puzzle = small_puzzle("duplicated", type)
    lists, truth = find_candidates(puzzle), truth_of(puzzle)
    confidence = judge(truth, puzzle, lists)
    for quarters in range(4):
        assert equal(judge(truth.turned(quarters), puzzle, lists), confidence.turned(quarters))
    if type == 4:
        assert equal(judge(truth.flipped(), puzzle, lists), confidence.flipped())


def test_twins_are_a_lottery() -> None:
    """Two halves with the same pixels: whichever of two twins lies here, the chance is at most one half."""
    half = picture("distinct", 12, 12)
    puzzle = Puzzle.from_image(np.concatenate([half, half], axis=1), size=4, type=1)
    lists = find_candidates(puzzle)
    assert set(ways_alike(edge_numbers(lists, puzzle)).reshape(-1, 4)[:, 0].tolist()) == {2}
    confidence = judge(truth_of(puzzle), puzzle, lists)
    assert confidence.seams.max() <= 0.5
    assert confidence.pieces.max() <= 0.5


def test_flat_pieces_are_doubted_and_their_neighbors_are_not() -> None:
    """A white half: each of its pieces could lie in any of its cells, in four ways."""
    rng = np.random.default_rng(0)
    smooth = np.cumsum(np.cumsum(rng.normal(0, 2, (40, 64, 3)), axis=0), axis=1)
    pixels = np.clip(smooth + 128, 0, 254).astype(np.uint8)
    pixels[:, 32:] = 255
    puzzle = Puzzle.from_image(pixels, size=8)
    lists = find_candidates(puzzle)
    white = 5 * 4
    assert edges_alike(edge_numbers(lists, puzzle)).max() >= 4 * white
    assert ways_alike(edge_numbers(lists, puzzle)).max() == 4 * white
    confidence = judge(truth_of(puzzle), puzzle, lists)
    assert confidence.pieces[:, 4:].max() <= 1 / (4 * white) + 1e-6
    assert confidence.pieces[:, :3].mean() > 0.9


@pytest.mark.parametrize("type", [3, 6])
def test_a_flat_piece_at_home_may_lie_any_way_up(type: int) -> None:
    puzzle = small_puzzle("flat", type)
    lists = find_candidates(puzzle)
    white = (puzzle.pixels == 255).all(axis=(1, 2, 3, 4))
    assert white.any()
    confidence = judge(truth_of(puzzle), puzzle, lists)
    assert confidence.pieces[white[truth_of(puzzle).piece]].max() <= 0.25


def test_empty_cells_have_no_confidence() -> None:
    puzzle = small_puzzle("distinct", 2)
    piece = truth_of(puzzle).piece.copy()
    piece[1, 2] = -1
    confidence = judge(Arrangement.of(piece, truth_of(puzzle).rotation), puzzle, find_candidates(puzzle))
    assert confidence.pieces[1, 2] == 0
    assert confidence.right[1, 1:3].tolist() == [0, 0]
    assert confidence.down[:, 2].tolist() == [0, 0]


def test_a_frame_of_one_row() -> None:
    puzzle = small_puzzle("distinct", 2, rows=1, columns=4)
    confidence = judge(truth_of(puzzle), puzzle, find_candidates(puzzle))
    assert (confidence.right.shape, confidence.down.shape) == ((1, 3), (0, 4))


@pytest.mark.parametrize(
    ("right", "down", "pieces"),
    [([[0.5], [0.5]], [[0.5, 0.5]], [[1.5, 0], [0, 0]]), ([[0.5], [0.5]], [[np.nan, 0.5]], [[0, 0], [0, 0]])],
)
def test_a_confidence_is_from_0_to_1(right: object, down: object, pieces: object) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        Confidence.of(right, down, pieces)


def test_the_tables_of_a_confidence_belong_together() -> None:
    with pytest.raises(ValueError, match="2x2 pieces have 2x1 seams"):
        Confidence(*(np.zeros((2, 2), np.float32) for _ in range(3)))
