"""The compression grid: where it runs, what it is worth, and that nothing changes where there is none."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from helpers import FLAT_FIRST, small_puzzle
from PIL import Image

from rectoverso.affinity import grid
from rectoverso.affinity.affinity import Affinity, measure_affinity
from rectoverso.affinity.grid import MOST, SHARE, rulers, weighed_by_grid
from rectoverso.bench.quality import candidate_quality, true_neighbors
from rectoverso.geometry import NOTHING, mirror, shown
from rectoverso.images.files import Pixels
from rectoverso.puzzle.puzzle import Puzzle

Pictures = tuple[Pixels, Pixels]


def compressed(picture: Pixels) -> Pixels:
    """What a JPEG file keeps of a picture: quality 75, colors halved."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=75, subsampling="4:2:0")
    return np.asarray(Image.open(file))


def scaled(picture: Pixels) -> Pixels:
    """A picture of 18 x 12 pieces, without the grid that its file may have had."""
    return np.asarray(Image.fromarray(picture).resize((504, 336), Image.Resampling.LANCZOS))


def blocks(height: int, width: int, down: int, right: int) -> Pixels:
    """Gray blocks of 8 x 8 pixels, of shades that differ little; the first lines are so far from the corner."""
    shades = np.random.default_rng(1).integers(100, 104, (height // 8 + 2, width // 8 + 2), np.uint8)
    gray = np.kron(shades, np.ones((8, 8), np.uint8))[8 - down :, 8 - right :][:height, :width]
    return np.repeat(gray[:, :, None], 3, axis=2)


def affinity_of(puzzle: Puzzle, num_candidates: int = 32) -> Affinity:
    """As for the preset best."""
    return measure_affinity(puzzle, measure="blend", num_candidates=num_candidates, least_group=13)


def true_offsets(puzzle: Puzzle, scale: int, down: int = 0, right: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The offsets inward and along, by edges of the front, of a grid whose first lines are so far from the corner."""
    assert puzzle.truth is not None
    up = puzzle.truth.up_edges(puzzle.faces).astype(np.int64)
    size = puzzle.piece_size // scale
    row, column = np.mgrid[0 : puzzle.rows, 0 : puzzle.columns]
    top, left = down - row * size, right - column * size
    bottom, far = size - top, size - left
    inward, along = np.full((2, puzzle.num_edges), -1)
    for direction, (across, beside) in enumerate(((top, left), (far, top), (bottom, far), (left, bottom))):
        inward[shown(up, direction)], along[shown(up, direction)] = across % 8, beside % 8
    return inward, along


@pytest.fixture(scope="module")
def pictures(photos: Pictures) -> Pictures:
    """Two photographs that were never compressed, as far as one can tell."""
    coffee, rocket = (scaled(photo) for photo in photos)
    return coffee, rocket


@pytest.fixture(scope="module")
def files(pictures: Pictures) -> Pictures:
    """The same, compressed."""
    front, back = (compressed(picture) for picture in pictures)
    return front, back


def puzzle_of(pictures: Pictures, type: int, size: int = 28) -> Puzzle:
    """A puzzle of the first picture, and of the second on its back."""
    return Puzzle.from_image(pictures[0], back=pictures[1] if type > 3 else None, type=type, size=size, crop=True)


def test_offsets_by_hand() -> None:
    """Lines at 3, 11, 19 and 27 from the left and at 5, 13 and 21 from the top; in the next piece at 7, 15 and 23."""
    puzzle = Puzzle.from_image(blocks(6 * 28, 8 * 28, down=5, right=3), type=1)
    assert puzzle.truth is not None
    inward, along = list(rulers(puzzle))[:2]
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
    for ruler, expected in zip(rulers(puzzle), true_offsets(puzzle, 1, down=5, right=3), strict=False):
        front = expected >= 0
        np.testing.assert_array_equal(ruler.offset[front], expected[front])
        assert ruler.agree(one, other).all()


def test_flat_pieces_show_no_grid() -> None:
    """They are at level 0, which is worth nothing; all others are above."""
    picture = blocks(8 * 28, 12 * 28, down=5, right=3)
    picture[:, 6 * 28 :] = 255
    puzzle = Puzzle.from_image(picture, type=1)
    assert puzzle.truth is not None
    column = np.empty(puzzle.num_pieces, int)
    column[puzzle.truth.up_edges(1) // 4] = np.arange(12)
    for ruler in list(rulers(puzzle))[:2]:
        assert ((ruler.level.reshape(-1, 4) == 0).all(axis=1) == (column >= 6)).all()


@pytest.mark.compiled
@pytest.mark.parametrize(("size", "count"), [(8, 0), (10, 0), (11, 2), (21, 2), (22, 4), (27, 2)])
def test_small_pieces_show_no_grid(size: int, count: int, files: Pictures) -> None:
    """A piece must show a line at any offset; colors are halved, which is for even sizes only."""
    puzzle = puzzle_of((files[0][: 8 * size, : 9 * size], files[1]), 2, size)
    assert len(list(rulers(puzzle))) == count
    if not count:
        affinity = affinity_of(puzzle)
        assert weighed_by_grid(puzzle, affinity) is affinity


@pytest.mark.parametrize("type", [1, 2, 4])
def test_the_grid_of_a_file_is_found(type: int, files: Pictures) -> None:
    """In most pieces, and where it is sure, in all of them; edges that do not touch agree half of the time."""
    puzzle = puzzle_of(files, type)
    assert puzzle.truth is not None
    one, other = true_neighbors(puzzle.truth, puzzle.faces)
    expected = [*true_offsets(puzzle, 1), *true_offsets(puzzle, 2)]
    for ruler, offsets in zip(rulers(puzzle), expected, strict=True):
        front = offsets >= 0
        assert (ruler.offset == offsets)[front].mean() > 0.95
        agree = ruler.agree(one, other)
        assert agree.mean() > 0.9
        assert agree[ruler.sureness(one, other) == grid.LEVELS].all()
        assert ruler.agree(one, np.random.default_rng(0).permutation(other)).mean() < 0.65


@pytest.mark.compiled
@pytest.mark.parametrize(("type", "size"), [(1, 28), (2, 28), (3, 28), (5, 28), (2, 27)])
def test_true_neighbors_come_first_more_often(type: int, size: int, files: Pictures) -> None:
    """The grid helps where colors alone are not enough."""
    puzzle = puzzle_of(files[::-1], type, size)
    assert puzzle.truth is not None
    affinity = affinity_of(puzzle)
    before, after = (candidate_quality(a, puzzle.truth) for a in (affinity, weighed_by_grid(puzzle, affinity)))
    assert after.top1 > before.top1
    assert after.recall >= before.recall


@pytest.mark.compiled
def test_lists_that_have_room_left(files: Pictures) -> None:
    """The last candidate is the last that is listed: in small puzzles no list is full."""
    puzzle = puzzle_of((files[0][: 9 * 28, : 10 * 28], files[1]), 1)
    affinity = affinity_of(puzzle, num_candidates=96)
    assert (affinity.candidates[:, -1] == NOTHING).all()
    full = weighed_by_grid(puzzle, affinity_of(puzzle, num_candidates=80))
    weighed = weighed_by_grid(puzzle, affinity)
    assert weighed is not affinity
    np.testing.assert_array_equal(weighed.buddies, full.buddies)


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 3, 4, 7])
def test_without_a_grid_nothing_changes(type: int, pictures: Pictures) -> None:
    """A picture that was never compressed has breaks, too, but they do not run on from piece to piece."""
    puzzle = puzzle_of(pictures, type)
    affinity = affinity_of(puzzle)
    assert weighed_by_grid(puzzle, affinity) is affinity


@pytest.mark.compiled
@pytest.mark.parametrize("type", [1, 2, 6])
def test_tiles_that_are_files_of_their_own(type: int, pictures: Pictures) -> None:
    """Each has a grid that begins at its corner, as it is given, which says nothing about its neighbors."""
    puzzle = puzzle_of(pictures, type)
    tiles = [[compressed(face) for face in piece] for piece in puzzle.pixels]
    puzzle = replace(puzzle, pixels=np.array(tiles))
    inward, along = list(rulers(puzzle))[:2]
    assert (inward.offset.reshape(-1, 4) == [0, 4, 4, 0]).mean() > 0.95
    assert (along.offset.reshape(-1, 4) == [0, 0, 4, 4]).mean() > 0.95
    affinity = affinity_of(puzzle)
    assert weighed_by_grid(puzzle, affinity) is affinity


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
    affinity = affinity_of(puzzle)
    before, after = (candidate_quality(a, puzzle.truth) for a in (affinity, weighed_by_grid(puzzle, affinity)))
    assert after.top1 > before.top1


@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("kind", FLAT_FIRST)
def test_a_few_seams_prove_nothing(kind: str, type: int) -> None:
    """Nor do look-alikes; puzzles of two pieces are puzzles, too."""
    for rows, columns in ((1, 2), (2, 1), (3, 5)):
        puzzle = small_puzzle(kind, type, rows, columns, size=22)
        affinity = measure_affinity(puzzle)
        assert weighed_by_grid(puzzle, affinity) is affinity


@pytest.mark.compiled
@pytest.mark.parametrize("type", [2, 3, 5])
def test_what_breaks_the_grid_is_doubted(type: int, files: Pictures) -> None:
    """Weights rise, within bounds, by as much from either edge of a seam; those of true seams hardly do."""
    puzzle = puzzle_of(files, type)
    assert puzzle.truth is not None
    affinity = affinity_of(puzzle)
    weighed = weighed_by_grid(puzzle, affinity)
    assert (weighed.dissimilarity[:, :-1] <= weighed.dissimilarity[:, 1:]).all()
    edges = np.broadcast_to(np.arange(puzzle.num_edges)[:, None], affinity.candidates.shape)

    def by_seam(a: Affinity) -> dict[tuple[int, int], float]:
        seams = zip(edges.ravel().tolist(), a.candidates.ravel().tolist(), strict=True)
        return dict(zip(seams, a.dissimilarity.ravel().tolist(), strict=True))

    before, after = by_seam(affinity), by_seam(weighed)
    assert before.keys() == after.keys()
    rise = {seam: after[seam] / before[seam] for seam in before if 0 < before[seam] < np.inf}
    values = np.array(list(rise.values()))
    assert values.min() == 1
    assert values.max() < np.exp(SHARE * MOST) * 1.0001
    one, other = true_neighbors(puzzle.truth, puzzle.faces)
    true = [rise[seam] for seam in zip(one.tolist(), other.tolist(), strict=True) if seam in rise]
    assert np.median(true) < 1.2
    assert np.median(values) > 1.5
    both = [(rise[u, v], rise[v, u]) for u, v in rise if (v, u) in rise]
    assert np.allclose(*np.transpose(both), rtol=1e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("type", [4, 5])
def test_an_edge_and_its_mirror_weigh_the_same(type: int, files: Pictures) -> None:
    """To the last bit: they are the same seams, seen from the other face."""
    puzzle = puzzle_of(files, type)
    affinity = affinity_of(puzzle)
    weighed = weighed_by_grid(puzzle, affinity)
    assert weighed is not affinity
    edges = np.arange(puzzle.num_edges)
    np.testing.assert_array_equal(weighed.dissimilarity[mirror(edges)], weighed.dissimilarity)
    single = weighed.candidates < grid.GROUP
    mirrored = np.where(single, mirror(weighed.candidates), weighed.candidates)
    np.testing.assert_array_equal(weighed.candidates[mirror(edges)][single], mirrored[single])


@pytest.mark.compiled
def test_threads_do_not_matter(files: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does how the work is divided."""
    puzzle = puzzle_of(files, 4)
    affinity = affinity_of(puzzle)
    expected = weighed_by_grid(puzzle, affinity)
    monkeypatch.setattr(grid, "SLICE", 100)
    for threads in (1, 2, 3):
        weighed = weighed_by_grid(puzzle, affinity, threads)
        for name in ("candidates", "dissimilarity", "buddies"):
            np.testing.assert_array_equal(getattr(weighed, name), getattr(expected, name))
