"""Pictures read under one rule."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rectoverso.errors import BadInputError, PuzzleWarning, TooLargeError
from rectoverso.images.files import as_picture, encode_picture, encode_png, read_picture


def saved(image: Image.Image, path: Path, **options: object) -> Path:
    image.save(path, **options)
    return path


def test_png_round_trip(tmp_path: Path) -> None:
    """What is encoded is decoded, bit for bit."""
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    np.testing.assert_array_equal(read_picture(BytesIO(encode_png(pixels))), pixels)


def test_gray_16_bit_keeps_the_high_byte(tmp_path: Path) -> None:
    """A scanner's 16-bit gray is scaled, not clipped."""
    values = np.array([[0, 255, 256, 65535]], np.uint16)
    path = saved(Image.fromarray(values), tmp_path / "gray.png")
    assert read_picture(path)[0].tolist() == [[0] * 3, [0] * 3, [1] * 3, [255] * 3]


def test_transparency_is_laid_on_white_with_a_warning(tmp_path: Path) -> None:
    """The color hidden under full transparency is not seen."""
    path = saved(Image.fromarray(np.array([[[9, 9, 9, 0], [9, 9, 9, 255]]], np.uint8)), tmp_path / "a.png")
    with pytest.warns(PuzzleWarning, match=r"a\.png has transparent parts"):
        assert read_picture(path).tolist() == [[[255] * 3, [9] * 3]]


def test_exif_orientation_is_applied(tmp_path: Path) -> None:
    """A phone's picture stands upright."""
    exif = Image.Exif()
    exif[0x0112] = 6  # turned a quarter clockwise when shown
    path = saved(Image.new("RGB", (30, 20)), tmp_path / "phone.jpg", exif=exif)
    assert read_picture(path).shape == (30, 20, 3)


@pytest.mark.parametrize("mode", ["L", "P", "1", "CMYK"])
def test_other_modes_become_rgb(tmp_path: Path, mode: str) -> None:
    """Gray, palette, bilevel and print pictures are read as RGB."""
    path = saved(Image.new(mode, (4, 3)), tmp_path / ("picture.tif" if mode == "CMYK" else "picture.png"))
    assert read_picture(path).shape == (3, 4, 3)


@pytest.mark.parametrize("format", ["EPS", "PPM", "TGA", "ICO", "DDS"])
def test_only_promised_formats_are_decoded(tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the file is named; an EPS file would start Ghostscript."""
    monkeypatch.setattr("PIL.EpsImagePlugin.Ghostscript", None)
    path = tmp_path / "front.png"
    Image.new("RGB", (4, 4)).save(path, format)
    with pytest.raises(BadInputError, match=r"front\.png is not a picture that can be read; give a PNG, JPEG"):
        read_picture(path)


def test_too_many_pixels_are_refused_before_decoding(tmp_path: Path) -> None:
    """The limit is named."""
    path = saved(Image.new("RGB", (2000, 1000)), tmp_path / "large.png")
    with pytest.raises(TooLargeError, match="2 megapixels; at most 1 "):
        read_picture(path, max_megapixels=1)


def test_bad_pictures_are_named(tmp_path: Path) -> None:
    """Text, truncated data, folders and missing files each get a sentence with their name."""
    (tmp_path / "text.png").write_text("hello")
    whole = encode_png(np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8))
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    for name, says in [
        ("text.png", "not a picture"),
        ("cut.png", "truncated"),
        ("none.png", "does not exist"),
        (".", "folder"),
    ]:
        with pytest.raises(BadInputError, match=says) as caught:
            read_picture(tmp_path / name)
        assert str(tmp_path) in str(caught.value)


def test_encode_picture_follows_the_suffix() -> None:
    """The file's name decides the format; an unknown one is refused."""
    pixels = np.zeros((4, 4, 3), np.uint8)
    for suffix, form in [(".png", "PNG"), (".WEBP", "WEBP"), (".jpg", "JPEG")]:
        assert Image.open(BytesIO(encode_picture(pixels, suffix))).format == form
    for suffix in (".xyz", ""):
        with pytest.raises(BadInputError, match="not a picture format"):
            encode_picture(pixels, suffix)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (np.zeros((4, 4, 3)), "type float64; whole numbers"),
        (np.full((4, 4, 3), np.nan), "type float64; whole numbers"),
        (np.full((4, 4, 3), 256), "from 256 to 256; 0 to 255"),
        (np.full((4, 4, 3), -1), "from -1 to -1; 0 to 255"),
        (np.zeros((4, 4, 4), np.uint8), "4 x 4 x 4; rows x columns x 3"),
        (np.zeros((0, 4, 3), np.uint8), "0 x 4 x 3; rows x columns x 3"),
        (np.uint8(3), "a single value; rows x columns"),
        ([["a", "b"]], "whole numbers"),
    ],
)
def test_arrays_that_are_no_pictures_are_explained(values: object, says: str) -> None:
    """Nothing is scaled, cut off or wrapped around in silence."""
    with pytest.raises(BadInputError, match=says):
        as_picture(values)


def test_arrays_of_whole_numbers_are_pictures() -> None:
    """Of any width in bits; gray becomes RGB."""
    gray = np.arange(12).reshape(3, 4)
    picture = as_picture(gray)
    assert (picture.dtype, picture.shape) == (np.uint8, (3, 4, 3))
    assert (picture == gray[:, :, None]).all()
