"""Pieces on sheets, and pictures that are no sheets."""

import builtins
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from skimage import data

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels
from rectoverso.intake.scan import cut_scan, looks_like_scan

GRAY = (128, 128, 128)


def tiles_of(picture: Pixels, count: int, size: tuple[int, int]) -> list[Pixels]:
    height, width = size
    cells = [(y, x) for y in range(0, 400, height) for x in range(0, 400, width)]
    return [picture[y : y + height, x : x + width] for y, x in cells[:: len(cells) // count][:count]]


def laid(
    tiles: list[Pixels], angles: list[float], color: tuple[int, int, int] = GRAY, noise: float = 2.0, pitch: int = 60
) -> Pixels:
    """Tiles turned counterclockwise by degrees and laid in rows of four, whole pixels only."""
    rows = -(-len(tiles) // 4)
    sheet = np.random.default_rng(1).normal(color, noise, (rows * pitch, 4 * pitch, 3))
    for number, (tile, angle) in enumerate(zip(tiles, angles, strict=True)):
        turned = Image.fromarray(tile).convert("RGBA").rotate(angle, Image.Resampling.BICUBIC, expand=True)
        values = np.asarray(turned)
        x, y = (number % 4 + 0.5) * pitch, (number // 4 + 0.5) * pitch
        top, left = round(y - values.shape[0] / 2), round(x - values.shape[1] / 2)
        part = sheet[top : top + values.shape[0], left : left + values.shape[1]]
        part[values[:, :, 3] > 0] = values[values[:, :, 3] > 0][:, :3]
    return np.rint(sheet).clip(0, 255).astype(np.uint8)


def off(one: Pixels, other: Pixels) -> float:
    """The mean difference of pixels, rims included."""
    return float(np.abs(one.astype(float) - other).mean()) if one.shape == other.shape else np.inf


def best_turn(piece: Pixels, tile: Pixels) -> tuple[float, int]:
    """The least difference to a tile over all quarter turns clockwise, and that turn."""
    return min((off(np.rot90(piece, -turns), tile), turns) for turns in range(4))


FRONTS = tiles_of(data.astronaut(), 8, (30, 30))
BACKS = tiles_of(data.coffee(), 8, (30, 30))
SPREAD = [0.0, 10.0, 44.0, 45.0, 90.0, 133.0, 200.0, 359.0]


@settings(max_examples=8, deadline=None)
@given(st.lists(st.floats(0, 360), min_size=8, max_size=8), st.sampled_from([GRAY, (40, 160, 60), (225, 120, 200)]))
def test_pieces_at_any_angle_on_any_color_come_out_as_they_were(angles, color):
    scan = cut_scan(laid(FRONTS, angles, color))
    assert scan.pixels.shape == (8, 1, 30, 30, 3)
    for piece, tile in zip(scan.pixels[:, 0], FRONTS, strict=True):
        # A whole-pixel rim of 30 pixels tells no angle below a degree or so, which shows in fine patterns.
        assert best_turn(piece, tile)[0] < 9


def test_centers_and_angles_say_where_pieces_lay():
    scan = cut_scan(laid(FRONTS, SPREAD))
    places = [((n % 4 + 0.5) * 60, (n // 4 + 0.5) * 60) for n in range(8)]
    np.testing.assert_allclose(scan.centers, places, atol=0.6)
    # What was turned counterclockwise is straightened by as many degrees clockwise, up to quarter turns.
    np.testing.assert_allclose((scan.angles - SPREAD + 45) % 90, 45, atol=1.2)
    assert scan.notes == ("8 pieces of 30x30 pixels lie apart on a plain background.",)


def test_the_background_does_not_bleed_into_rims():
    tiles = [np.full((30, 30, 3), 20 * n + 5, np.uint8) for n in range(8)]
    scan = cut_scan(laid(tiles, SPREAD, (255, 0, 255)))
    for piece, tile in zip(scan.pixels[:, 0], tiles, strict=True):
        assert np.abs(piece.astype(int) - tile).max() <= 6


def test_rectangles_all_lie_unless_they_are_said_to_stand():
    tiles = tiles_of(data.astronaut(), 8, (20, 36))
    sheet = laid(tiles, SPREAD)
    lying, standing = cut_scan(sheet), cut_scan(sheet, size=(36, 20))
    assert lying.pixels.shape[2:4] == (20, 36)
    assert standing.pixels.shape[2:4] == (36, 20)
    for scan in (lying, standing):
        for piece, tile in zip(scan.pixels[:, 0], tiles, strict=True):
            assert best_turn(piece, tile)[0] < 8


@pytest.mark.parametrize("size", [None, (30, 30)])
def test_the_back_is_what_one_sees_after_turning_the_straightened_piece_over(size):
    front, back = laid(FRONTS, SPREAD), laid(BACKS, SPREAD)
    # Turned over like a page: columns in reverse order, each piece turned the other way.
    mirrored = [BACKS[row * 4 + 3 - column] for row in range(2) for column in range(4)]
    angles = [-SPREAD[row * 4 + 3 - column] for row in range(2) for column in range(4)]
    back = laid(mirrored, angles, (90, 140, 150))
    scan = cut_scan(front, back, size)
    assert scan.pixels.shape == (8, 2, 30, 30, 3)
    for piece, tile, behind in zip(scan.pixels, FRONTS, BACKS, strict=True):
        difference, turns = best_turn(piece[0], tile)
        assert difference < 6
        assert off(np.rot90(piece[1], turns), behind) < 6


def test_a_back_sheet_may_be_shifted_and_turned_a_little():
    mirrored = [BACKS[row * 4 + 3 - column] for row in range(2) for column in range(4)]
    back = laid(mirrored, [0.0] * 8)
    moved = Image.fromarray(back).rotate(2, Image.Resampling.BICUBIC, translate=(4, -3), fillcolor=GRAY)
    scan = cut_scan(laid(FRONTS, [0.0] * 8), np.asarray(moved))
    for piece, behind in zip(scan.pixels, BACKS, strict=True):
        assert off(piece[1], behind) < 9


def test_dust_is_left_out_and_counted():
    sheet = laid(FRONTS, SPREAD)
    sheet[58:65, 118:125] = 0
    scan = cut_scan(sheet)
    assert len(scan.pixels) == 8
    assert scan.notes[-1] == "1 speck was left out."


def test_a_background_may_be_uneven():
    sheet = laid(FRONTS, SPREAD).astype(float)
    light = sheet + np.linspace(0, 25, sheet.shape[1])[:, None]
    scan = cut_scan(light.clip(0, 255).astype(np.uint8))
    assert len(scan.pixels) == 8


@pytest.mark.parametrize("hidden", [np.s_[:15, :9], np.s_[12:18], np.s_[8:20, 22:]])
def test_a_piece_that_has_partly_the_color_of_the_background_keeps_its_size(hidden):
    tiles = [tile.copy() for tile in FRONTS]
    tiles[5][hidden] = 128
    scan = cut_scan(laid(tiles, SPREAD))
    assert scan.pixels.shape[:4] == (8, 1, 30, 30)
    assert best_turn(scan.pixels[5, 0], tiles[5])[0] < 10


def test_pieces_are_in_reading_order_and_the_same_each_time():
    sheet = laid(FRONTS, SPREAD)
    one, other = cut_scan(sheet), cut_scan(sheet)
    assert np.array_equal(one.pixels, other.pixels)
    assert all(a[1] + 20 < b[1] or a[0] < b[0] for a, b in pairwise(one.centers.tolist()))


def page_of_text() -> Pixels:
    page = np.full((600, 500, 3), 255, np.uint8)
    text = np.repeat(data.page()[20:170, 20:370, None], 3, axis=2)
    page[100:250, 60:410] = np.where(text < 120, text, 255)
    page[300:450, 60:410] = np.where(text < 120, text, 255)
    return page


def shuffled(picture: Pixels) -> Pixels:
    tiles = picture[:480, :480].reshape(16, 30, 16, 30, 3).swapaxes(1, 2).reshape(-1, 30, 30, 3)
    order = np.random.default_rng(0).permutation(len(tiles))
    return tiles[order].reshape(16, 16, 30, 30, 3).swapaxes(1, 2).reshape(480, 480, 3)


@pytest.mark.parametrize(
    "picture",
    [
        data.astronaut(),
        data.coffee(),
        data.rocket(),
        np.repeat(data.coins()[:, :, None], 3, axis=2),
        page_of_text(),
        shuffled(data.astronaut()),
        shuffled(page_of_text()),
        np.full((200, 200, 3), 255, np.uint8),
        np.zeros((5, 5, 3), np.uint8),
    ],
)
def test_other_pictures_do_not_look_like_sheets(picture):
    assert not looks_like_scan(picture)


@pytest.mark.parametrize("color", [(0, 0, 0), GRAY, (255, 255, 255), (40, 160, 60)])
def test_sheets_look_like_sheets_without_opencv(color, monkeypatch):
    without_opencv(monkeypatch)
    assert looks_like_scan(laid(FRONTS, SPREAD, color))


def without_opencv(monkeypatch):
    true_import = builtins.__import__

    def refuse(name, *rest):
        if name == "cv2":
            raise ImportError(name)
        return true_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)


def test_without_opencv_the_error_says_how_to_get_it(monkeypatch):
    without_opencv(monkeypatch)
    with pytest.raises(BadInputError, match=r'pip install "rectoverso\[scan\]"'):
        cut_scan(laid(FRONTS, SPREAD))


def touching() -> Pixels:
    sheet = laid(FRONTS, [0.0] * 8)
    sheet[20:40, 40:80] = 10
    return sheet


def two_sizes() -> Pixels:
    small = [tile[:22, :22] for tile in FRONTS]
    return laid(FRONTS[:4] + small[4:], SPREAD)


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        (np.full((100, 100, 3), 128, np.uint8), "shows no pieces"),
        (np.full((10, 10, 3), 128, np.uint8), "only 10x10 pixels"),
        (data.astronaut(), "no plain background"),
        (touching(), r"1 blob larger than a piece.* at x 6\d, y 3\d: these pieces touch each other"),
        (two_sizes(), "of another size"),
    ],
)
def test_bad_sheets_are_refused_in_one_sentence(sheet, message):
    with pytest.raises(BadInputError, match=message):
        cut_scan(sheet)


def test_a_size_that_the_pieces_do_not_have_is_refused():
    with pytest.raises(BadInputError, match="about 30x30 pixels on the sheet, and 20x40 pixels was given"):
        cut_scan(laid(FRONTS, SPREAD), size=(40, 20))


def test_sheets_with_different_counts_are_refused():
    with pytest.raises(BadInputError, match="shows 8 pieces and the back sheet 7"):
        cut_scan(laid(FRONTS, SPREAD), laid(BACKS[:7], SPREAD[:7]))


def test_a_back_sheet_that_was_not_turned_like_a_page_names_the_piece_without_partner():
    with pytest.raises(BadInputError, match="The piece at x 30, y 30 of the front sheet has no partner"):
        cut_scan(laid(FRONTS, SPREAD), laid(BACKS, [30.0] * 8))
