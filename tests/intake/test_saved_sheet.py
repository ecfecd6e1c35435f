"""Shuffled sheets that were saved as JPEG are recognized, and their tiles can be compared again."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
import skimage.data
from PIL import Image

from rectoverso import Puzzle, PuzzleType, find_candidates
from rectoverso.images.files import Pixels
from rectoverso.intake.coding import (
    coding_of,
    rgb_from_ycbcr,
    standard_coding,
    subsampled,
    upsampled,
    ycbcr_from_rgb,
)
from rectoverso.intake.restoring import restored, unbled
from rectoverso.intake.saved_sheet import (
    cut_sheet,
    examples,
    lay_sheet,
    muted,
    recognize,
    restored_pixels,
)
from rectoverso.matching.learned import SeamModel, learned_measure

TILE = (28, 28)


def photo(height: int = 280, width: int = 448) -> Pixels:
    return np.ascontiguousarray(skimage.data.coffee()[:height, :width])


def shuffled(picture: Pixels, tile: tuple[int, int] = TILE) -> tuple[Pixels, np.ndarray]:
    tiles = cut_sheet(picture, tile)
    cells = np.random.default_rng(3).permutation(len(tiles))
    return lay_sheet(tiles[cells], picture.shape[0] // tile[0], picture.shape[1] // tile[1]), cells


def saved(picture: Pixels, quality: int, chroma: str) -> Pixels:
    file = BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=quality, subsampling=chroma)
    return np.asarray(Image.open(file))


def ranked_first(tiles: Pixels, cells: np.ndarray, rows: int, columns: int, custom=None) -> float:  # type: ignore[no-untyped-def]
    puzzle = Puzzle(tiles[:, None], PuzzleType.TYPE_1, rows, columns)
    best = find_candidates(puzzle, measure="blend", least_group=1000, num_candidates=8, custom=custom).candidates[:, 0]
    place = np.argsort(cells).reshape(rows, columns)
    right = best[place[:, :-1] * 4 + 1] == place[:, 1:] * 4 + 3
    down = best[place[:-1] * 4 + 2] == place[1:] * 4
    return float(np.concatenate([right.ravel(), down.ravel()]).mean())


@pytest.mark.parametrize(("quality", "chroma"), [(95, "4:2:0"), (75, "4:2:0"), (90, "4:2:2"), (75, "4:4:4")])
def test_a_sheet_that_was_saved_after_shuffling_is_recognized_by_its_pixels(quality: int, chroma: str) -> None:
    found = recognize(saved(shuffled(photo())[0], quality, chroma), TILE)
    assert found is not None
    assert found.quality == quality
    assert found.coding.sampling == {"4:2:0": (2, 2), "4:2:2": (1, 2), "4:4:4": (1, 1)}[chroma]
    assert f"quality {quality} ({chroma})" in found.note


@pytest.mark.parametrize("tile", [(31, 27), (24, 40)])
def test_odd_tiles_and_tiles_of_whole_blocks_are_recognized(tile: tuple[int, int]) -> None:
    found = recognize(saved(shuffled(photo(), tile)[0], 75, "4:2:0"), tile)
    assert found is not None
    assert found.quality == 75
    assert found.coding.sampling == (2, 2)


def test_a_sheet_that_was_never_saved_is_compared_as_it_is() -> None:
    assert recognize(shuffled(photo())[0], TILE) is None


@pytest.mark.parametrize(("quality", "chroma"), [(75, "4:2:0"), (95, "4:4:4")])
@pytest.mark.parametrize("tile", [TILE, (32, 32)])
def test_tiles_that_were_cut_from_a_jpeg_file_are_compared_as_they_are(
    quality: int, chroma: str, tile: tuple[int, int]
) -> None:
    assert recognize(shuffled(saved(photo(), quality, chroma), tile)[0], tile) is None


def test_whole_blocks_without_subsampling_have_nothing_of_other_tiles() -> None:
    sheet = saved(shuffled(photo(), (24, 40))[0], 75, "4:4:4")
    assert recognize(sheet, (24, 40)) is None
    assert recognize(sheet, (24, 40), standard_coding(75, (1, 1))) is None


@pytest.mark.parametrize("tile", [(5, 28), (28, 600)])
def test_tiles_too_small_and_sheets_of_one_tile_are_left_alone(tile: tuple[int, int]) -> None:
    assert recognize(saved(photo(), 75, "4:2:0"), tile) is None


@pytest.mark.parametrize("value", [0, 128, 255])
def test_a_sheet_of_one_color_is_no_evidence(value: int) -> None:
    assert recognize(np.full((112, 112, 3), value, np.uint8), TILE) is None


def test_what_a_file_says_is_believed() -> None:
    file = BytesIO()
    Image.fromarray(shuffled(photo())[0]).save(file, "JPEG", qtables=[[7] * 64, [9] * 64], subsampling="4:2:2")
    said = coding_of(Image.open(file))
    assert said is not None
    assert (said.luma == 7).all()
    assert (said.chroma == 9).all()
    found = recognize(np.asarray(Image.open(file)), TILE, said)
    assert found is not None
    assert found.coding is said
    assert found.quality is None
    assert "(4:2:2)" in found.note


def test_a_header_that_does_not_belong_to_the_upright_picture_is_not_read() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    turned, png = BytesIO(), BytesIO()
    Image.fromarray(photo()).save(turned, "JPEG", exif=exif)
    Image.fromarray(photo()).save(png, "PNG")
    assert coding_of(Image.open(turned)) is None
    assert coding_of(Image.open(png)) is None


def test_the_header_of_a_gray_file_has_one_table() -> None:
    file = BytesIO()
    Image.fromarray(photo()[..., 0]).save(file, "JPEG", quality=60)
    said = coding_of(Image.open(file))
    assert said is not None
    assert said.sampling == (1, 1)
    assert np.array_equal(said.luma, standard_coding(60, (1, 1)).luma)


def test_standard_steps_are_those_of_the_encoder() -> None:
    file = BytesIO()
    Image.fromarray(photo()).save(file, "JPEG", quality=37)
    said = coding_of(Image.open(file))
    assert said is not None
    ours = standard_coding(37, said.sampling)
    assert np.array_equal(said.luma, ours.luma)
    assert np.array_equal(said.chroma, ours.chroma)


@pytest.mark.parametrize("sampling", [(2, 2), (1, 2), (2, 1), (1, 1)])
@pytest.mark.parametrize("shape", [(14, 9), (1, 1), (2, 1)])
def test_upsampling_is_inverted_exactly(sampling: tuple[int, int], shape: tuple[int, int]) -> None:
    samples = np.random.default_rng(0).integers(-100, 100, shape).astype(np.float32)
    assert np.allclose(subsampled(upsampled(samples, sampling), sampling), samples, atol=1e-3)


def test_upsampling_is_what_the_decoder_does() -> None:
    picture = np.zeros((16, 32, 3), np.uint8) + 120
    picture[:, 16:, 2] = 160
    chroma = ycbcr_from_rgb(saved(picture, 100, "4:2:0"))[1]
    samples = subsampled(chroma, (2, 2))
    assert np.abs(upsampled(samples, (2, 2)) - chroma).max() < 1
    assert np.ptp(samples[:, :8]) < 1.5
    assert np.ptp(chroma[:, :16]) > 2


def test_chroma_of_another_tile_is_gone() -> None:
    left, right = np.full((28, 28, 3), (90, 120, 150), np.uint8), np.full((28, 28, 3), (150, 120, 90), np.uint8)
    sheet = saved(np.concatenate([left, right], axis=1), 100, "4:2:0")
    for planes in (
        unbled(sheet, TILE, standard_coding(100, (2, 2))),
        restored(sheet, TILE, standard_coding(100, (2, 2))),
    ):
        tiles = cut_sheet(rgb_from_ycbcr(*planes), TILE).astype(int)
        assert np.abs(tiles - np.stack([left, right])).max() <= 3
    assert np.abs(sheet[:, :28].astype(int) - left).max() > 10


def test_restoring_brings_rims_nearer_to_what_they_were() -> None:
    sheet, _ = shuffled(photo())
    worn = saved(sheet, 75, "4:2:0")
    found = recognize(worn, TILE)
    assert found is not None
    true, as_is, back = (cut_sheet(each, TILE).astype(float) for each in (sheet, worn, worn))
    back = restored_pixels(worn, TILE, found).astype(float)
    for channel in range(3):
        before, after = (np.square(tiles - true)[:, 0, :, channel].mean() for tiles in (as_is, back))
        assert after < 0.8 * before


def test_examples_are_the_two_sides_of_lines_inside_tiles() -> None:
    sheet, _ = shuffled(photo(168, 240), (28, 40))
    worn = saved(sheet, 95, "4:4:4")
    found = recognize(worn, (28, 40))
    assert found is not None
    pairs = examples(worn, (28, 40), found).pairs
    assert [one.shape[1:] for one, _ in pairs] == [(3, 40, 3), (3, 28, 3)]
    for one, other in pairs:
        apart = np.abs(one[:, 0].astype(float) - other[:, 0, ::-1]).mean()
        by_chance = np.abs(one[:, 0].astype(float) - other[::-1, 0, ::-1]).mean()
        inward = np.abs(one[:, 0].astype(float) - one[:, 2]).mean()
        assert apart < 0.3 * by_chance
        assert apart < 2 * inward


def test_more_neighbors_are_ranked_first_by_what_is_compared_and_most_by_the_learned_measure() -> None:
    sheet, cells = shuffled(photo())
    worn = saved(sheet, 75, "4:2:0")
    found = recognize(worn, TILE)
    assert found is not None
    shown = ranked_first(cut_sheet(worn, TILE), cells, 10, 16)
    compared = ranked_first(muted(restored_pixels(worn, TILE, found)), cells, 10, 16)
    measure = learned_measure(examples(worn, TILE, found))
    learned = ranked_first(restored_pixels(worn, TILE, found), cells, 10, 16, measure)
    assert shown + 0.2 < compared < learned


def test_the_ratio_of_a_model_is_that_of_gaussians() -> None:
    random = np.random.default_rng(1)
    base = random.integers(60, 190, (400, 1, 4, 3))
    one = (base + random.integers(-6, 7, (400, 3, 4, 3))).astype(np.uint8)
    other = (base + random.integers(-6, 7, (400, 3, 4, 3))).astype(np.uint8)[:, :, ::-1]
    model = SeamModel.of(one, other)
    apart = np.square(model.vectors(one) - model.vectors(other[:, :, ::-1])).sum(axis=1)
    ratios = model.gains(one) + model.gains(other[:, :, ::-1]) + model.offset - apart / 2
    coordinates = [model.coordinates(strips) for strips in (one, other[:, :, ::-1])]
    rho = model.correlation.ravel()
    square = (coordinates[0] ** 2 + coordinates[1] ** 2 - 2 * rho * coordinates[0] * coordinates[1]) / (1 - rho**2)
    alone = coordinates[0] ** 2 + coordinates[1] ** 2
    expected = (-0.5 * np.log(1 - rho**2) - square / 2 + alone / 2)[:, rho > 0].sum(axis=1)
    assert np.allclose(ratios, expected)
    assert ratios.mean() > 5


def test_a_learned_measure_refuses_edges_of_another_length() -> None:
    sheet = saved(shuffled(photo(168, 224))[0], 75, "4:2:0")
    found = recognize(sheet, TILE)
    assert found is not None
    measure = learned_measure(examples(sheet, TILE, found))
    with pytest.raises(ValueError, match="edges of \\[28\\] pixels, not 20"):
        find_candidates(Puzzle.from_image(photo(), type=1, size=20, crop=True), custom=measure)
