"""What the promised formats can hold: frames, profiles, depths, transparency, metadata, and sizes."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import subprocess
import sys
import threading
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageOps

from rectoverso.errors import BadInputError, PuzzleWarning, TooLargeError
from rectoverso.images.files import read_picture
from rectoverso.images.opening import FORMATS
from rectoverso.images.rgb import BAND, upright

RNG = np.random.default_rng(0)
NOISE = RNG.integers(0, 256, (6, 8, 3), np.uint8)
SMOOTH = np.add.outer(np.arange(48) * 2, np.arange(64) * 2)[:, :, None].repeat(3, 2).astype(np.uint8)


def read(image: Image.Image, format: str, **options: object) -> np.ndarray:
    """A picture through a file of a format and back."""
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return read_picture(io.BytesIO(buffer.getvalue()), "it")


def heic(pixels: np.ndarray) -> bytes:
    """A HEIC file, without telling Pillow about that format."""
    pillow_heif = pytest.importorskip("pillow_heif")
    buffer = io.BytesIO()
    pillow_heif.from_pillow(Image.fromarray(pixels)).save(buffer, quality=95)
    return buffer.getvalue()


@pytest.mark.parametrize("format", [each for each in FORMATS if each != "HEIC"])
def test_every_promised_format_is_read(format: str) -> None:
    options = {"WEBP": {"lossless": True}, "AVIF": {"quality": 100, "subsampling": "4:4:4"}}.get(format, {})
    got = read(Image.fromarray(SMOOTH), format, **options).astype(int)
    assert np.abs(got - SMOOTH).max() <= (0 if format in ("PNG", "WEBP", "TIFF", "BMP") else 8)


def test_heic_is_read_and_pillow_not_changed() -> None:
    data, before = heic(SMOOTH), "HEIF" in Image.OPEN
    got = read_picture(io.BytesIO(data), "it").astype(int)
    assert np.abs(got - SMOOTH).mean() < 4
    assert ("HEIF" in Image.OPEN) == before


def test_heic_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic" + bytes(40)
    monkeypatch.setitem(sys.modules, "pillow_heif.as_plugin", None)
    with pytest.raises(BadInputError, match=r"it is a HEIC picture, which needs pillow-heif: pip install"):
        read_picture(io.BytesIO(data), "it")


@pytest.mark.parametrize("format", ["GIF", "WEBP", "TIFF", "PNG"])
def test_only_the_first_of_several_frames_is_read(format: str) -> None:
    first, second = Image.new("RGB", (8, 6), "white"), Image.new("RGB", (8, 6), "black")
    with pytest.warns(PuzzleWarning, match="it has several frames or pages; only the first"):
        got = read(first, format, save_all=True, append_images=[second])
    assert (got == 255).all()


def profile_of(primaries: tuple[float, ...], gamma: float | None = None) -> bytes:
    """A color profile of its own: the one of sRGB with other curves, and with colorants that are scaled."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    count = struct.unpack_from(">I", data, 128)[0]
    tags = {bytes(data[o : o + 4]): struct.unpack_from(">II", data, o + 4) for o in range(132, 132 + 12 * count, 12)}
    curve = b"curv" + bytes(4) + struct.pack(">IH", 1, round((gamma or 1) * 256))
    for name in (b"rTRC", b"gTRC", b"bTRC") if gamma else ():
        start, length = tags[name]
        data[start : start + length] = curve.ljust(length, b"\0")
    for name, scale in zip((b"rXYZ", b"gXYZ", b"bXYZ"), primaries, strict=True):
        start, _ = tags[name]
        values = struct.unpack_from(">3i", data, start + 8)
        struct.pack_into(">3i", data, start + 8, *(round(value * scale) for value in values))
    return bytes(data)


GAMMA_1_8 = profile_of((1, 1, 1), 1.8)


def test_a_profile_becomes_srgb() -> None:
    """As littleCMS says; a gamma of 1.8 makes mid gray darker."""
    got = read(Image.fromarray(NOISE), "PNG", icc_profile=GAMMA_1_8)
    given, srgb = ImageCms.ImageCmsProfile(io.BytesIO(GAMMA_1_8)), ImageCms.createProfile("sRGB")
    wanted = ImageCms.profileToProfile(Image.fromarray(NOISE), given, srgb)
    assert wanted is not None
    assert np.array_equal(got, np.asarray(wanted))
    assert np.abs(got.astype(int) - NOISE).max() > 5


@pytest.mark.parametrize("format", ["PNG", "TIFF", "WEBP"])
def test_a_profile_that_is_srgb_changes_no_pixel(format: str) -> None:
    """Not by rounding, either: with colors of another program's sRGB littleCMS changes some by one."""
    options = {"lossless": True} if format == "WEBP" else {}
    given, srgb = profile_of((1.008, 0.994, 1)), ImageCms.createProfile("sRGB")
    converted = ImageCms.profileToProfile(Image.fromarray(NOISE), ImageCms.ImageCmsProfile(io.BytesIO(given)), srgb)
    assert not np.array_equal(np.asarray(converted), NOISE)
    for profile in (given, ImageCms.ImageCmsProfile(srgb).tobytes()):
        assert np.array_equal(read(Image.fromarray(NOISE), format, icc_profile=profile, **options), NOISE)


@pytest.mark.parametrize("profile", [b"no profile", GAMMA_1_8[:200], GAMMA_1_8[:-300]])
def test_a_broken_profile_is_a_warning(profile: bytes) -> None:
    with pytest.warns(PuzzleWarning, match=r"The color profile of it cannot be used .*as they are stored"):
        assert np.array_equal(read(Image.fromarray(NOISE), "PNG", icc_profile=profile), NOISE)


def test_a_profile_of_other_colors_is_a_warning() -> None:
    with pytest.warns(PuzzleWarning, match="it is for RGB colors, not for CMYK"):
        read(Image.new("CMYK", (4, 4)), "JPEG", icc_profile=GAMMA_1_8)


def test_a_gray_picture_may_have_a_profile_for_color() -> None:
    gray = Image.fromarray(NOISE[:, :, 0])
    color = read(gray.convert("RGB"), "PNG", icc_profile=GAMMA_1_8)
    assert np.array_equal(read(gray, "PNG", icc_profile=GAMMA_1_8), color)


def test_profiles_apply_to_colors_under_transparency() -> None:
    """First the profile, then white: full transparency is pure white, and opaque pixels are as without alpha."""
    opaque = read(Image.fromarray(NOISE), "PNG", icc_profile=GAMMA_1_8)
    alpha = np.full((6, 8, 1), 255, np.uint8)
    alpha[0] = 0
    with pytest.warns(PuzzleWarning, match="transparent parts"):
        got = read(Image.fromarray(np.concatenate([NOISE, alpha], axis=2)), "PNG", icc_profile=GAMMA_1_8)
    assert (got[0] == 255).all()
    assert np.array_equal(got[1:], opaque[1:])


def test_opaque_alpha_is_not_worth_a_warning() -> None:
    rgba = Image.fromarray(NOISE)
    rgba.putalpha(255)
    assert np.array_equal(read(rgba, "PNG"), NOISE)


def png(bits: int, color: int, rows: np.ndarray, **chunks: bytes) -> bytes:
    """A PNG file as its specification says, whatever Pillow can write."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], bits, color, 0, 0, 0)
    data = b"".join(b"\0" + row.astype(">u2" if bits == 16 else ">u1").tobytes() for row in rows)
    more = b"".join(chunk(name.encode(), value) for name, value in chunks.items())
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + more + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(("color", "channels"), [(0, 1), (2, 3), (4, 2), (6, 4)])
def test_16_bits_keep_the_high_byte_in_every_kind_of_png(color: int, channels: int) -> None:
    values = RNG.integers(0, 65536, (5, 7, channels))
    if channels in (2, 4):
        values[:, :, -1] = 65535
    got = read_picture(io.BytesIO(png(16, color, values)), "it")
    assert np.array_equal(
        got, np.broadcast_to(values[:, :, :3] >> 8 if channels > 2 else values[:, :, :1] >> 8, got.shape)
    )


def test_a_transparent_gray_of_16_bits_is_white() -> None:
    values = np.array([[[0x1234], [0x1235]]])
    with pytest.warns(PuzzleWarning, match="transparent"):
        got = read_picture(io.BytesIO(png(16, 0, values, tRNS=b"\x12\x34")), "it")
    assert got.tolist() == [[[255] * 3, [0x12] * 3]]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("white_is_zero", [False, True])
def test_16_bit_tiff(order: str, white_is_zero: bool) -> None:
    """Of either byte order, and with white as 0, which Pillow leaves to us."""
    import tifffile

    values = RNG.integers(0, 65536, (5, 7)).astype(np.uint16)
    buffer = io.BytesIO()
    kind = "miniswhite" if white_is_zero else "minisblack"
    tifffile.imwrite(buffer, values, byteorder=order, photometric=kind, metadata=None)
    if white_is_zero and order == ">":
        with pytest.raises(BadInputError, match="not a picture that can be read"):  # Pillow does not know it
            read_picture(io.BytesIO(buffer.getvalue()), "it")
        return
    wanted = (65535 - values if white_is_zero else values) >> 8
    assert np.array_equal(read_picture(io.BytesIO(buffer.getvalue()), "it")[:, :, 0], wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int16])
def test_values_without_a_white_are_refused(dtype: type) -> None:
    import tifffile

    buffer = io.BytesIO()
    tifffile.imwrite(buffer, np.ones((5, 7), dtype), metadata=None)
    with pytest.raises(BadInputError, match="nothing says which value is white; save it with 8 or 16 bits"):
        read_picture(io.BytesIO(buffer.getvalue()), "it")


def test_lab_is_converted() -> None:
    """L*a*b* of a TIFF file: neutral gray of half lightness is about 119 in sRGB."""
    lab = Image.merge("LAB", [Image.new("L", (4, 4), value) for value in (128, 128, 128)])
    assert np.abs(read(lab, "TIFF").astype(int) - 119).max() <= 2


def test_cmyk_without_a_profile_is_as_pillow_says() -> None:
    cmyk = Image.fromarray(NOISE).convert("CMYK")
    assert np.array_equal(read(cmyk, "TIFF"), np.asarray(cmyk.convert("RGB")))


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "YCbCr"])
def test_bands_are_seamless(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture of many bands is what it is in one piece."""
    image = Image.fromarray(RNG.integers(0, 256, (40, 33, 3), np.uint8)).convert(mode)
    if mode.endswith("A"):
        image.putalpha(Image.fromarray(RNG.integers(0, 256, (40, 33), np.uint8)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PuzzleWarning)
        whole = read(image, "TIFF" if mode in ("CMYK", "YCbCr") else "PNG")
        monkeypatch.setattr("rectoverso.images.rgb.BAND", 100)
        assert image.width * image.height < BAND
        assert np.array_equal(read(image, "TIFF" if mode in ("CMYK", "YCbCr") else "PNG"), whole)


@pytest.mark.parametrize("number", range(1, 9))
def test_all_orientations(number: int) -> None:
    """As Pillow turns them."""
    exif = Image.Exif()
    exif[274] = number
    buffer = io.BytesIO()
    Image.fromarray(NOISE).save(buffer, "PNG", exif=exif)
    with Image.open(buffer) as image:
        wanted = np.asarray(ImageOps.exif_transpose(image))
    assert np.array_equal(read_picture(buffer, "it"), wanted)
    assert np.array_equal(upright(NOISE, number), wanted)


NO_NUMBER = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x02\0\x09\0\0\0\x1a\0\0\0"


@pytest.mark.parametrize("exif", [b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0MM", b"garbage" * 9, NO_NUMBER])
def test_bad_exif_does_not_break_reading(exif: bytes) -> None:
    for format in ("JPEG", "WEBP", "PNG"):
        assert read(Image.fromarray(SMOOTH), format, exif=exif).shape == SMOOTH.shape


def test_pillow_warns_nobody(recwarn: pytest.WarningsRecorder) -> None:
    """A damaged TIFF of which Pillow warns is read, or refused, without its words."""
    buffer = io.BytesIO()
    Image.fromarray(NOISE).save(buffer, "TIFF")
    data = bytearray(buffer.getvalue())
    for place in range(8, len(data), 3):
        changed = bytes(data[:place]) + bytes([data[place] ^ 0x55]) + bytes(data[place + 1 :])
        with contextlib.suppress(BadInputError, TooLargeError):
            read_picture(io.BytesIO(changed), "it")
    assert [warning for warning in recwarn if warning.category is not PuzzleWarning] == []


def hollow_png(width: int, height: int) -> bytes:
    """The head of a PNG file of any size, with nothing in it."""
    data = png(8, 2, np.zeros((1, 1, 3), np.uint8))
    head = data[12:16] + struct.pack(">II", width, height) + data[24:29]
    return data[:12] + head + struct.pack(">I", zlib.crc32(head)) + data[33:]


def test_our_limit_is_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow's own, which is half of ours, is set aside for pictures within ours, and put back."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    for format in ("PNG", "JPEG", "TIFF", "BMP", "GIF"):
        assert read(Image.fromarray(SMOOTH), format).shape == SMOOTH.shape
        assert Image.MAX_IMAGE_PIXELS == 10
    with pytest.raises(TooLargeError, match="too large for the decoder of its format"):
        read(Image.fromarray(SMOOTH), "WEBP")
    with pytest.raises(TooLargeError, match="it has 401 megapixels; at most 400 are read"):
        read_picture(io.BytesIO(hollow_png(20_050, 20_000)), "it")
    with pytest.raises(BadInputError, match="cannot be decoded"):
        read_picture(io.BytesIO(hollow_png(15_000, 14_000)), "it")


def test_pillow_keeps_its_limit_while_small_pictures_are_read() -> None:
    """Nobody else's pictures are let through meanwhile."""
    seen, limit = set(), Image.MAX_IMAGE_PIXELS
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            seen.add(Image.MAX_IMAGE_PIXELS)

    thread = threading.Thread(target=watch)
    thread.start()
    for _ in range(20):
        read(Image.fromarray(SMOOTH), "PNG")
    done.set()
    thread.join()
    assert seen == {limit}


def test_a_tile_over_the_limit_is_refused() -> None:
    """A small TIFF picture may say that its tiles are huge, and they would be decoded."""
    import tifffile

    buffer = io.BytesIO()
    tifffile.imwrite(buffer, np.zeros((16, 16, 3), np.uint8), tile=(4096, 4096), compression="zlib", metadata=None)
    with pytest.raises(TooLargeError, match="A tile of it has 17 megapixels; at most 1 are"):
        read_picture(io.BytesIO(buffer.getvalue()), "it", max_megapixels=1)


def test_what_does_not_fit_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rectoverso.images.opening.memory_left", lambda: 10**9)
    with pytest.raises(TooLargeError, match=r"it has 200 megapixels, which take 1.6 GB .* and 1.0 GB are available"):
        read_picture(io.BytesIO(hollow_png(20_000, 10_000)), "it")


@pytest.mark.skipif(sys.platform != "linux", reason="measured by /proc")
@pytest.mark.parametrize("mode", ["LA", "RGBA", "P", "1"])
def test_decoding_holds_few_copies(mode: str, tmp_path: Path) -> None:
    """A small file of 36 megapixels takes 8 bytes a pixel, in every mode; it was 25 for gray with transparency."""
    path = tmp_path / "large.png"
    Image.new(mode, (6000, 6000)).save(path)
    code = (
        "import sys, re, warnings; from pathlib import Path; from rectoverso.images.files import read_picture\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])\n"
        "warnings.simplefilter('ignore'); before = peak(); read_picture(Path(sys.argv[1])); print(peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 / 36e6 < 8


def test_libtiff_is_not_heard(capfd: pytest.CaptureFixture[str]) -> None:
    """It writes past Python, and would have the first word before ours."""
    buffer = io.BytesIO()
    Image.fromarray(SMOOTH).save(buffer, "TIFF", compression="tiff_adobe_deflate")
    data = bytearray(buffer.getvalue())
    data[30:60] = bytes(30)
    with pytest.raises(BadInputError, match="cannot be decoded"):
        read_picture(io.BytesIO(bytes(data)), "it")
    assert capfd.readouterr() == ("", "")
    os.write(2, b"heard\n")
    assert capfd.readouterr().err == "heard\n"
