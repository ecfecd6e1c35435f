"""Small, whole files of every kind that is read, made anew in every run: where damage begins."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image, ImageCms

SIDE = (24, 16)


def noise(seed: int = 0) -> Image.Image:
    """A small picture that compresses badly."""
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (*SIDE[::-1], 3), np.uint8))


def saved(image: Image.Image, format: str, **options: Any) -> bytes:
    """A picture as a file."""
    buffer = BytesIO()
    # Pillow leaves marks of one format in a picture that the next one stumbles over.
    options["append_images"] = [each.copy() for each in options.get("append_images", [])]
    image.copy().save(buffer, format, **options)
    return buffer.getvalue()


def pictures() -> list[bytes]:
    """Pictures of all formats that are promised, in most of what they can hold, and some of others."""
    rgb, more = noise(), [noise(1), noise(2)]
    exif = Image.Exif()
    exif[274], exif[271] = 6, "camera"
    icc = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    alpha = rgb.copy()
    alpha.putalpha(noise(3).convert("L"))
    about: dict[str, Any] = {"exif": exif, "icc_profile": icc}
    files = [saved(rgb.convert(mode), "PNG", **about) for mode in ("1", "L", "P", "LA", "RGB", "RGBA")]
    files += [saved(alpha, "PNG"), saved(rgb, "PNG", save_all=True, append_images=more), *_deep_pngs()]
    files += [saved(rgb, "PNG", icc_profile=lab), saved(rgb.convert("P"), "PNG", transparency=3, bits=4)]
    files += [saved(rgb.convert(mode), "JPEG", **about) for mode in ("L", "RGB", "CMYK")]
    files += [saved(rgb, "JPEG", progressive=True), saved(rgb, "JPEG", subsampling=0, restart_marker_blocks=1)]
    files += [saved(rgb, "MPO", save_all=True, append_images=more)]
    files += [saved(alpha, "WEBP", lossless=True, **about), saved(rgb, "WEBP", **about), saved(alpha, "WEBP")]
    files += [saved(rgb, "WEBP", save_all=True, append_images=more)]
    files += [saved(rgb, "BMP"), saved(rgb.convert("P"), "BMP"), saved(rgb.convert("1"), "BMP"), saved(alpha, "BMP")]
    files += [saved(rgb, "GIF"), saved(rgb, "GIF", save_all=True, append_images=more), saved(alpha, "GIF")]
    files += [saved(rgb, "AVIF", speed=10, **about), saved(alpha, "AVIF", speed=10)]
    files += [saved(rgb, "AVIF", speed=10, save_all=True, append_images=more)]
    files += [*_tiffs(rgb, alpha, more, about), *_heics(rgb, alpha)]
    return files + [saved(rgb, format) for format in ("EPS", "PPM", "TGA", "ICO", "DDS", "PCX", "SGI", "JPEG2000")]


def _tiffs(rgb: Image.Image, alpha: Image.Image, more: list[Image.Image], about: dict[str, Any]) -> Iterator[bytes]:
    for packing in (None, "tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg"):
        yield saved(rgb, "TIFF", compression=packing, **about)
    yield saved(rgb.convert("1"), "TIFF", compression="group4")
    yield saved(rgb.convert("1"), "TIFF", compression="group3")
    for mode in ("L", "P", "LA", "CMYK", "LAB", "YCbCr", "F", "I"):
        image = rgb.convert("L" if mode in ("F", "I") else "RGB")
        yield saved(Image.merge("LAB", rgb.split()) if mode == "LAB" else image.convert(mode), "TIFF")
    yield saved(Image.fromarray(np.arange(384, dtype=np.uint16).reshape(16, 24) * 170), "TIFF")
    yield saved(alpha, "TIFF", compression="tiff_lzw")
    yield saved(rgb, "TIFF", save_all=True, append_images=more)
    yield saved(rgb, "TIFF", big_tiff=True)
    try:
        import tifffile
    except ImportError:
        return
    values = np.asarray(rgb)
    for options in ({"tile": (16, 16), "compression": "zlib"}, {"tile": (16, 16)}, {"byteorder": ">"}):
        buffer = BytesIO()
        tifffile.imwrite(buffer, values, metadata=None, **options)
        yield buffer.getvalue()
    buffer = BytesIO()
    tifffile.imwrite(buffer, values.astype(np.uint16) * 256, photometric="rgb", planarconfig="contig", metadata=None)
    yield buffer.getvalue()


def _heics(rgb: Image.Image, alpha: Image.Image) -> Iterator[bytes]:
    try:
        import pillow_heif
    except ImportError:
        return
    for image in (rgb.resize((64, 64)), alpha.resize((64, 64))):
        buffer = BytesIO()
        pillow_heif.from_pillow(image).save(buffer, quality=50)
        yield buffer.getvalue()


def _deep_pngs() -> Iterator[bytes]:
    """PNG files of 16 bits in all colors, and an interlaced one, which Pillow cannot write."""
    for color, channels in ((0, 1), (2, 3), (4, 2), (6, 4)):
        values = np.random.default_rng(color).integers(0, 65536, (5, 7, channels)).astype(">u2")
        yield _png(7, 5, 16, color, 0, b"".join(b"\0" + row.tobytes() for row in values))
    # Adam7: of 8 x 8 pixels, seven passes of 1, 1, 2, 4, 8, 16 and 32.
    passes = ((1, 1), (1, 1), (1, 2), (2, 2), (2, 4), (4, 4), (4, 8))
    yield _png(8, 8, 8, 2, 1, b"".join((b"\0" + bytes(range(3 * wide))) * high for high, wide in passes))


def _png(width: int, height: int, bits: int, color: int, interlaced: int, rows: bytes) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, interlaced)
    clear = chunk(b"tRNS", bytes(2 if color == 0 else 6)) if color in (0, 2) else b""
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + clear + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """Files as an archive, the same bytes in every run."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            about = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            about.compress_type = method
            archive.writestr(about, data)
    return buffer.getvalue()
