"""Pictures that were JPEG files, and what is known of their block grids."""

from __future__ import annotations

import io
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from rectoverso.bench.quality import true_neighbors
from rectoverso.geometry import NOTHING, mirror, shown
from rectoverso.images.files import Pixels
from rectoverso.jpeg.offsets import GridOffsets, find_offsets, measure_strengths
from rectoverso.matching.lists import CandidateLists, find_candidates
from rectoverso.matching.look_alikes import GROUP
from rectoverso.puzzle.puzzle import Puzzle

Pictures = tuple[Pixels, Pixels]


def file_of(picture: Pixels) -> JpegImageFile:
    """A picture as a JPEG file: quality 75, subsampled chroma."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=75, subsampling="4:2:0")
    file.seek(0)
    return JpegImageFile(file)


def compressed(picture: Pixels) -> Pixels:
    """What a JPEG file keeps of a picture."""
    return np.asarray(file_of(picture))


def scaled(picture: Pixels, width: int = 504, height: int = 336) -> Pixels:
    """A picture, of 18 x 12 pieces unless told, without the block grid that its file may have had."""
    return np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.LANCZOS))


def blocks(height: int, width: int, down: int, right: int) -> Pixels:
    """Gray blocks of 8 x 8 pixels, of shades that differ little; the first lines are so far from the corner."""
    shades = np.random.default_rng(1).integers(100, 104, (height // 8 + 2, width // 8 + 2), np.uint8)
    gray = np.kron(shades, np.ones((8, 8), np.uint8))[8 - down :, 8 - right :][:height, :width]
    return np.repeat(gray[:, :, None], 3, axis=2)


def puzzle_of(pictures: Pictures, type: int, size: int = 28) -> Puzzle:
    """A puzzle of the first picture, and of the second on its back."""
    return Puzzle.from_image(pictures[0], back=pictures[1] if type > 3 else None, type=type, size=size, crop=True)


def measured_lists(puzzle: Puzzle, num_candidates: int = 32) -> CandidateLists:
    """The lists of a puzzle as they are measured for the preset best."""
    return find_candidates(puzzle, measure="blend", num_candidates=num_candidates, least_group=13)


def offsets_of(puzzle: Puzzle) -> list[GridOffsets]:
    """The grid offsets that each face shows by itself: of luma, inward and along, and of chroma."""
    return find_offsets(measure_strengths(puzzle))


def true_offsets(
    puzzle: Puzzle, scale: int, down: int = 0, right: int = 0
) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """The offsets inward and along, by edges of the front, of a grid whose first lines are so far from the corner."""
    assert puzzle.truth is not None
    up = puzzle.truth.up_edges(puzzle.faces).astype(np.int64)
    size = puzzle.piece_height // scale
    row, column = np.mgrid[0 : puzzle.rows, 0 : puzzle.columns]
    top, left = down - row * size, right - column * size
    bottom, far = size - top, size - left
    inward, along = np.full((2, puzzle.num_edges), -1)
    for direction, (across, beside) in enumerate(((top, left), (far, top), (bottom, far), (left, bottom))):
        inward[shown(up, direction)], along[shown(up, direction)] = across % 8, beside % 8
    return inward, along


def true_links(puzzle: Puzzle) -> NDArray[np.integer]:
    """The edge that each edge truly touches."""
    assert puzzle.truth is not None
    links = np.full(puzzle.num_edges, NOTHING, np.uint32)
    one, other = true_neighbors(puzzle.truth, puzzle.faces)
    links[one] = other
    if puzzle.faces == 2:
        links[mirror(one)] = mirror(other)
    return links


def changes(before: CandidateLists, after: CandidateLists) -> dict[tuple[int, int], float]:
    """By how much the weight of each listed seam has changed; from both of its edges by as much."""

    def by_seam(lists: CandidateLists) -> dict[tuple[int, int], float]:
        edges = np.broadcast_to(np.arange(len(lists.candidates))[:, None], lists.candidates.shape)
        seams = zip(edges.ravel().tolist(), lists.candidates.ravel().tolist(), strict=True)
        return dict(zip(seams, lists.weights.ravel().tolist(), strict=True))

    first, second = by_seam(before), by_seam(after)
    assert first.keys() == second.keys()
    found = {seam: second[seam] / first[seam] for seam in first if 0 < first[seam] < np.inf}
    both = [(found[u, v], found[v, u]) for u, v in found if (v, u) in found]
    assert np.allclose(*np.transpose(both), rtol=1e-6)
    return found


def of_true_seams(puzzle: Puzzle, found: dict[tuple[int, int], float]) -> NDArray[np.floating]:
    """What was found of those seams that are true."""
    assert puzzle.truth is not None
    one, other = true_neighbors(puzzle.truth, puzzle.faces)
    return np.array([found[seam] for seam in zip(one.tolist(), other.tolist(), strict=True) if seam in found])


def assert_mirrored(lists: CandidateLists) -> None:
    """An edge and its mirror have the same seams, seen from the other face, of the same weights to the last bit."""
    edges = np.arange(len(lists.candidates))
    np.testing.assert_array_equal(lists.weights[mirror(edges)], lists.weights)
    single = lists.candidates < GROUP
    mirrored = np.where(single, mirror(lists.candidates), lists.candidates)
    np.testing.assert_array_equal(lists.candidates[mirror(edges)][single], mirrored[single])


def assert_without_traces(before: CandidateLists, refined: CandidateLists) -> None:
    """Nothing was found, so that lists are the very ones that they were."""
    for name in ("candidates", "weights", "buddies", "look_alikes", "descriptors"):
        assert getattr(refined, name) is getattr(before, name)
    assert refined.findings == ()
    assert refined.alignment is refined.slack is refined.unlisted is None


def assert_threads_do_not_matter(
    weigh: Callable[[int], CandidateLists], monkeypatch: pytest.MonkeyPatch, *modules: ModuleType
) -> None:
    """Nor does how the work is divided: by any number of threads, in slices as they are and in small ones."""
    expected = weigh(1)
    for module in modules:
        monkeypatch.setattr(module, "SLICE", 100)
    for threads in (1, 2, 3):
        again = weigh(threads)
        for name in ("candidates", "weights", "buddies", "alignment"):
            np.testing.assert_array_equal(getattr(again, name), getattr(expected, name))
