"""The tile size of a shuffled picture is found from its cuts; a picture that is whole has none."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from rectoverso.images.files import Pixels
from rectoverso.intake.cuts import combs, sharpness
from rectoverso.intake.grid import Grid, find_grids, is_doubtful, rival
from rectoverso.intake.picture import evidence_in_words


def shuffled(picture: Pixels, width: int, height: int, seed: int = 0, *, turned: bool = False) -> Pixels:
    """The tiles of a picture in any order, and turned; what fills no whole tile is cut off."""
    rng = np.random.default_rng(seed)
    rows, columns = picture.shape[0] // height, picture.shape[1] // width
    part = picture[: rows * height, : columns * width]
    tiles = part.reshape(rows, height, columns, width, 3).swapaxes(1, 2).reshape(-1, height, width, 3)
    tiles = rng.permutation(tiles)
    if turned:
        step = 1 if width == height else 2
        tiles = np.stack([np.rot90(tile, step * rng.integers(4)) for tile in tiles])
    return np.ascontiguousarray(tiles.reshape(rows, columns, height, width, 3).swapaxes(1, 2).reshape(part.shape))


def as_jpeg(picture: Pixels, quality: int) -> Pixels:
    buffer = BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=quality, subsampling="4:2:0")
    return np.asarray(Image.open(buffer).convert("RGB"))


def shape(grid: Grid) -> tuple[int, int, int, int]:
    return grid.width, grid.height, grid.rows, grid.columns


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("quality", [None, 95, 75])
@pytest.mark.parametrize(
    "size", [(8, 8), (12, 12), (16, 16), (28, 28), (35, 11), (28, 42), (24, 48), (64, 64), (128, 128)]
)
def test_the_size_of_tiles_is_found(
    photos: tuple[Pixels, Pixels], size: tuple[int, int], quality: int | None, turned: bool
) -> None:
    for seed, photo in enumerate(photos):
        sheet = shuffled(photo, *size, seed, turned=turned)
        grids = find_grids(sheet if quality is None else as_jpeg(sheet, quality))
        assert shape(grids[0]) == (*size, photo.shape[0] // size[1], photo.shape[1] // size[0])
        assert not is_doubtful(grids)


def test_grids_come_best_first_and_fill_the_picture(photos: tuple[Pixels, Pixels]) -> None:
    grids = find_grids(shuffled(photos[0], 28, 28))
    evidence = [grid.evidence for grid in grids]
    assert evidence == sorted(evidence, reverse=True)
    assert 1 < len(grids) <= 5
    assert all((grid.height * grid.rows, grid.width * grid.columns) == photos[0].shape[:2] for grid in grids)
    assert 0 < rival(grids) < 0.9


def test_a_turned_sheet_has_turned_tiles(photos: tuple[Pixels, Pixels]) -> None:
    sheet = shuffled(photos[0], 42, 28)
    upright, turned = find_grids(sheet)[0], find_grids(np.rot90(sheet))[0]
    assert shape(upright)[:2] == (42, 28)
    assert shape(turned) == (28, 42, upright.columns, upright.rows)


@pytest.mark.parametrize("quality", [None, 90, 75])
def test_a_picture_that_is_whole_has_no_grid(quality: int | None) -> None:
    from skimage import data

    for picture in (
        data.astronaut(),
        data.coffee(),
        data.chelsea(),
        data.page(),
        data.text(),
        data.brick(),
        data.moon(),
    ):
        rgb = picture if picture.ndim == 3 else np.repeat(picture[:, :, None], 3, axis=2)
        cropped = np.ascontiguousarray(rgb[: len(rgb) // 24 * 24, : rgb.shape[1] // 24 * 24])
        assert find_grids(cropped if quality is None else as_jpeg(cropped, quality)) == []


def test_block_lines_are_no_cuts(photos: tuple[Pixels, Pixels]) -> None:
    picture = as_jpeg(photos[0][:384, :576], 40)
    best = max(combs(sharpness(picture)), key=lambda comb: comb.gain)
    assert best.size == 8
    assert best.may_be_blocks
    assert find_grids(picture) == []


def test_ruled_lines_are_no_cuts() -> None:
    sheet = np.full((480, 720, 3), 255, np.uint8)
    sheet[::24], sheet[:, ::40] = 180, 180
    assert find_grids(sheet) == []


def test_enlarged_pictures_have_no_cuts(photos: tuple[Pixels, Pixels]) -> None:
    assert find_grids(photos[0][:240, :360].repeat(2, axis=0).repeat(2, axis=1)) == []


def test_flat_parts_do_not_hide_the_cuts(photos: tuple[Pixels, Pixels]) -> None:
    page = np.full((392, 588, 3), 255, np.uint8)
    page[:140, :196] = photos[0][:140, :196]
    assert shape(find_grids(shuffled(page, 28, 28))[0])[:2] == (28, 28)


def test_strips_are_found_but_doubtful(photos: tuple[Pixels, Pixels]) -> None:
    grids = find_grids(shuffled(photos[0], 28, 392))
    assert shape(grids[0]) == (28, 392, 1, 21)
    assert is_doubtful(grids)


def test_a_side_that_nothing_divides_leaves_strips(photos: tuple[Pixels, Pixels]) -> None:
    sheet = shuffled(photos[0], 28, 389)  # 389 is prime
    assert shape(find_grids(sheet)[0]) == (28, 389, 1, 21)
    assert find_grids(np.ascontiguousarray(photos[0][:389, :587])) == []  # and so is 587


@pytest.mark.parametrize(
    ("height", "width"), [(1, 1), (1, 640), (640, 1), (2, 3), (8, 8), (15, 15), (16, 16), (7, 400)]
)
def test_tiny_pictures_have_no_grid(height: int, width: int) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (height, width, 3)).astype(np.uint8)
    assert find_grids(noise) == []


@pytest.mark.parametrize("value", [0, 128, 255])
def test_one_color_has_no_grid(value: int) -> None:
    assert find_grids(np.full((240, 320, 3), value, np.uint8)) == []


def test_sharpness_stands_out_at_a_cut_alone() -> None:
    picture = np.zeros((4, 32, 3), np.uint8)
    picture[:, 16:] = 200
    lines = sharpness(picture)
    assert lines.argmax() == 15
    assert lines[15] == pytest.approx(np.log(208 / 8))
    assert np.flatnonzero(lines > 0).tolist() == [15]


def test_a_choice_is_doubtful_if_it_is_weak_or_its_rival_close() -> None:
    best = Grid(28, 28, 23, 35, 1.5)
    assert not is_doubtful([best, Grid(28, 56, 23, 18, 1.0)])
    assert is_doubtful([best, Grid(28, 56, 23, 18, 1.4)])
    assert is_doubtful([Grid(28, 28, 23, 35, 0.02)])
    assert is_doubtful([])


def test_a_doubtful_size_is_said_to_be_so() -> None:
    best, next_best = Grid(28, 28, 23, 35, 1.5), Grid(28, 56, 23, 18, 1.4)
    assert "doubtful" in evidence_in_words([best, next_best])
    assert "doubtful" not in evidence_in_words([best])
