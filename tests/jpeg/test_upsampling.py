"""Chroma upsampling: a real decoder, the literal twin, what it is worth, and that nothing changes without."""

from __future__ import annotations

import io

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
from numpy.typing import NDArray
from PIL import Image

from rectoverso.bench.quality import candidate_quality, true_neighbors
from rectoverso.images.files import Pixels
from rectoverso.jpeg import likelihood, upsampling
from rectoverso.jpeg._native_upsampling import ESTIMATE_SCALE, MISFIT_CAP, fit_subsampled, recover_chroma
from rectoverso.jpeg.grid import find_grid
from rectoverso.jpeg.likelihood import background_pairs, positive_pairs
from rectoverso.jpeg.refinement import refine
from rectoverso.jpeg.upsampling import (
    CHANNELS,
    UNKNOWN,
    SubsampledChroma,
    find_subsampled_chroma,
    reaches_across,
    seam_misfits_of,
    weighed_by_upsampling,
)
from rectoverso.matching.lists import CandidateLists, find_candidates
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions import upsampling as reference
from rectoverso.reference.extensions.quantization import turned


def recovered(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The chroma of each pixel, and whether it is known for sure."""
    chroma, exact = np.empty((len(pixels), CHANNELS), np.int32), np.empty(len(pixels), bool)
    recover_chroma(pixels, chroma, exact)
    return chroma, exact


def weighed(puzzle: Puzzle, lists: CandidateLists, threads: int = 1) -> CandidateLists:
    """The lists weighed by chroma upsampling alone; themselves if there was none."""
    chroma, offsets = find_subsampled_chroma(puzzle, threads), offsets_of(puzzle)
    positive, background = positive_pairs(lists), background_pairs(lists)
    if chroma is None or not reaches_across(chroma, positive):
        return lists
    inward = offsets[2] if len(offsets) > 2 else None
    return weighed_by_upsampling(lists, chroma, inward, puzzle.faces, positive, background, threads)


def small_file(size: int) -> Pixels:
    """A square of soft colors that was a JPEG file."""
    y, x = np.mgrid[0:size, 0:size] / 9
    soft = np.stack([120 + 60 * np.sin(x), 120 + 60 * np.cos(y + x / 2), 120 + 60 * np.sin(y - x / 3)], axis=2)
    return np.array(file_of(soft.astype(np.uint8)))


def test_chroma_of_whole_numbers_is_found() -> None:
    """All that are not clipped; and most RGB values are made of none."""
    rng = np.random.default_rng(0)
    whole = np.column_stack([rng.integers(0, 256, 3000), rng.integers(-128, 128, (3000, 2))])
    decoded = np.array([reference.decoded(*row) for row in whole.tolist()])
    clipped = ((decoded <= 0) | (decoded >= 255)).any(axis=1)
    assert 500 < clipped.sum() < 2500
    chroma, exact = recovered(np.clip(decoded, 0, 255).astype(np.uint8))
    np.testing.assert_array_equal(exact, ~clipped)
    np.testing.assert_array_equal(chroma[exact], whole[exact, 1:])
    assert recovered(rng.integers(1, 255, (3000, 3)).astype(np.uint8))[1].mean() < 0.3


def test_chroma_of_a_real_decoder(files: Pictures, pictures: Pictures) -> None:
    """What it had before it made red, green and blue of it, but for pixels that were clipped."""
    file = file_of(pictures[0])
    file.draft("YCbCr", file.size)
    before = np.asarray(file)[:60, :60, 1:].reshape(-1, 2).astype(int) - 128
    pixels = files[0][:60, :60].reshape(-1, 3)
    chroma, exact = recovered(np.ascontiguousarray(pixels))
    np.testing.assert_array_equal(chroma[exact], before[exact])
    assert (exact | (pixels == 0).any(axis=1) | (pixels == 255).any(axis=1)).all()
    assert exact.mean() > 0.5


def fitted(
    upsampled: NDArray[np.int32], exact: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32], int, list[int]]:
    """The estimates and the subsampled chroma of a plane, how many pixels it does not explain, and the lead of ties."""
    half = len(upsampled) // 2
    estimator = upsampling._estimator(half)
    estimates = np.rint(ESTIMATE_SCALE * (estimator @ upsampled @ estimator.T)).astype(np.int32)
    chroma, unexplained = np.rint(estimates / ESTIMATE_SCALE).astype(np.int32), np.zeros(1, np.int64)
    room, lead = np.empty(upsampled.shape, np.int32), np.zeros((1, 3), np.int64)
    fit_subsampled(
        upsampled[None, None], exact[None], estimates[None, None], chroma[None, None], room, unexplained, lead
    )
    return estimates, chroma, int(unexplained[0]), lead[0].tolist()


@pytest.mark.parametrize("seed", range(6))
def test_subsampled_chroma_is_found_again(seed: int) -> None:
    """As the reference finds it, and all pixels are explained, unless they are noise."""
    rng = np.random.default_rng(seed)
    true = rng.integers(-4, 5, (5, 5)) + 3 * np.arange(5)
    sixteenths = np.array([[reference.upsampled(true.tolist(), y, x) for x in range(10)] for y in range(10)], np.int32)
    upsampled = sixteenths + 8 - np.arange(10, dtype=np.int32) % 2 >> 4
    exact = rng.random((10, 10)) < 0.95
    estimates, chroma, unexplained, lead = fitted(upsampled, exact)
    start = np.rint(estimates / ESTIMATE_SCALE).astype(int).tolist()
    assert chroma.tolist() == reference.fit_subsampled(upsampled.tolist(), exact.tolist(), estimates.tolist(), start)
    assert tuple(lead) == reference.rounding_lead(upsampled.tolist(), exact.tolist(), chroma.tolist())
    assert unexplained <= 2
    assert (chroma == true).mean() > 0.7
    assert (chroma == true)[1:-1, 1:-1].mean() > 0.75
    assert fitted(rng.integers(-40, 40, (10, 10)).astype(np.int32), exact)[2] > 20


def chroma_of(puzzle: Puzzle) -> SubsampledChroma:
    """The subsampled chroma of a puzzle that has it."""
    chroma = find_subsampled_chroma(puzzle)
    assert chroma is not None
    return chroma


@pytest.mark.parametrize(("type", "size"), [(1, 14), (2, 14), (4, 20)])
def test_same_misfits_as_the_reference(type: int, size: int) -> None:
    """Of true seams, which fit nearly always, and of others, which do not; seen from either side."""
    front, back = small_file(60), small_file(60)[::-1].copy()
    front[:20, :8] = 255
    puzzle = Puzzle.from_image(front, back=back if type > 3 else None, type=type, size=size, crop=True)
    assert puzzle.truth is not None
    chroma = chroma_of(puzzle)
    rng = np.random.default_rng(0)
    one, other = np.array(true_neighbors(puzzle.truth, puzzle.faces))
    true = len(one)
    random = rng.integers(0, puzzle.num_edges, (2, 40))
    one, other = np.concatenate([one, random[0]]), np.concatenate([other, random[1]])
    found = seam_misfits_of(chroma, one, other)
    np.testing.assert_array_equal(seam_misfits_of(chroma, other, one), found)
    assert (found == -1).any()
    for edge, partner, value in zip(one.tolist(), other.tolist(), found.tolist(), strict=True):
        planes = [[turned(p.tolist(), e % 4) for p in chroma.planes[e // 4]] for e in (edge, partner)]
        rows = [
            [[None if c == UNKNOWN else c for c in row] for row in chroma.seen[e].tolist()] for e in (edge, partner)
        ]
        seen = [(above[::-1], below) for below, above in zip(*rows, strict=True)]
        expected = reference.seam_misfit(planes[0], planes[1], seen, MISFIT_CAP)
        assert value == pytest.approx(-1 if expected is None else expected, abs=1e-5)
    known = found >= 0
    assert np.median(found[:true][known[:true]]) < 0.5
    assert np.median(found[true:][known[true:]]) > 2


@pytest.mark.compiled
@pytest.mark.parametrize("size", [14, 20, 28])
def test_seams_of_a_file_fit(size: int, files: Pictures) -> None:
    """Nearly all true ones, and hardly any other."""
    puzzle = puzzle_of(files, 2, size)
    assert puzzle.truth is not None
    chroma = chroma_of(puzzle)
    one, other = true_neighbors(puzzle.truth, puzzle.faces)
    true, wrong = (
        seam_misfits_of(chroma, one, edges) for edges in (other, np.random.default_rng(0).permutation(other))
    )
    true, wrong = true[true >= 0], wrong[wrong >= 0]
    assert len(true) > 0.5 * len(one)
    assert (true < 2).mean() > 0.85
    assert (wrong > 2).mean() > 0.9


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 4, 7])
def test_without_subsampled_chroma_there_is_none(type: int, files: Pictures, pictures: Pictures) -> None:
    """Pictures never compressed, resized ones, files whose chroma is as large as the picture; and odd sizes."""
    large = io.BytesIO()
    Image.fromarray(pictures[0]).save(large, "JPEG", quality=90, subsampling="4:4:4")
    smaller = scaled(files[0], 400, 267), scaled(files[1], 400, 267)
    for shown in (pictures, smaller, (np.asarray(Image.open(large)), files[1])):
        assert find_subsampled_chroma(puzzle_of((shown[0], shown[0]), type)) is None
    assert find_subsampled_chroma(puzzle_of(files, type, 27)) is None
    assert find_subsampled_chroma(puzzle_of(files, type, 28)) is not None


@pytest.mark.compiled
@pytest.mark.parametrize("cut", [np.s_[:, 1:477], np.s_[1:309], np.s_[1:309, 1:477]])
def test_pieces_cut_through_subsampled_chroma_have_none(cut: tuple[slice, ...], files: Pictures) -> None:
    """An odd row or column before the first piece."""
    assert find_subsampled_chroma(puzzle_of((np.ascontiguousarray(files[1][cut]), files[1]), 2)) is None


@pytest.mark.compiled
def test_tiles_that_are_files_of_their_own(pictures: Pictures) -> None:
    """Their chroma was upsampled, but not with that of a neighbor."""
    picture = pictures[0].copy()
    for row in range(0, len(picture), 28):
        for column in range(0, picture.shape[1], 28):
            tile = picture[row : row + 28, column : column + 28]
            tile[:] = compressed(tile)
    puzzle = Puzzle.from_image(picture, type=2)
    assert find_subsampled_chroma(puzzle) is not None
    lists = measured_lists(puzzle)
    assert weighed(puzzle, lists) is lists


@pytest.mark.compiled
@pytest.mark.parametrize(("type", "size"), [(1, 28), (2, 28), (2, 20), (3, 28), (4, 28)])
def test_true_neighbors_come_first_more_often(type: int, size: int, files: Pictures) -> None:
    """And are best buddies more often."""
    puzzle = puzzle_of(files[::-1], type, size)
    assert puzzle.truth is not None
    lists = measured_lists(puzzle)
    before, after = (candidate_quality(a, puzzle.truth) for a in (lists, weighed(puzzle, lists)))
    assert after.top1 > before.top1
    assert after.recall > before.recall


@pytest.mark.compiled
@pytest.mark.parametrize("size", [16, 32])
def test_pieces_cut_between_blocks(size: int, files: Pictures) -> None:
    """The grid tells nothing then, as all lines lie alike; chroma does."""
    puzzle = puzzle_of((files[1][:320, :480], files[0]), 2, size)
    assert puzzle.truth is not None
    lists = measured_lists(puzzle)
    assert not find_grid(puzzle, lists, positive_pairs(lists), background_pairs(lists)).calibrated
    before, after = (candidate_quality(a, puzzle.truth) for a in (lists, refine(puzzle, lists)))
    assert after.top1 > before.top1


@pytest.mark.compiled
@pytest.mark.parametrize("type", [2, 4, 5])
def test_what_is_weighed(type: int, files: Pictures) -> None:
    """By as much from either edge of a seam, and from either face; the weights of most true ones fall."""
    puzzle = puzzle_of(files, type)
    lists = measured_lists(puzzle)
    after = weighed(puzzle, lists)
    true = of_true_seams(puzzle, changes(lists, after))
    assert (true < 1).sum() > 5 * (true > 1).sum()
    if puzzle.faces == 2:
        assert_mirrored(after)


@pytest.mark.compiled
def test_threads_do_not_matter(files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does how the work is divided."""
    puzzle = puzzle_of(files, 4)
    lists = measured_lists(puzzle)
    assert weighed(puzzle, lists) is not lists
    assert_threads_do_not_matter(lambda threads: weighed(puzzle, lists, threads), monkeypatch, upsampling, likelihood)


@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("kind", SQUARES)
def test_tiny_puzzles(kind: str, type: int) -> None:
    """Puzzles of two pieces are puzzles, too; and pieces may be flat, or as white as they come."""
    for rows, columns in ((1, 2), (3, 5)):
        puzzle = small_puzzle(kind, type, rows, columns, size=22)
        lists = find_candidates(puzzle)
        assert weighed(puzzle, lists) is lists
    white = Puzzle.from_image(np.full((44, 66, 3), 255, np.uint8), type=2, size=22)
    assert find_subsampled_chroma(white) is None
