"""Picture files opened: only the formats that are promised, and nothing decoded that is larger than allowed."""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO

from PIL import Image, UnidentifiedImageError

from rectoverso.engines.limits import memory_left
from rectoverso.errors import BadInputError, TooLargeError

_PLUGINS = {
    "PNG": "PIL.PngImagePlugin",
    "JPEG": "PIL.JpegImagePlugin",
    "WEBP": "PIL.WebPImagePlugin",
    "TIFF": "PIL.TiffImagePlugin",
    "BMP": "PIL.BmpImagePlugin",
    "GIF": "PIL.GifImagePlugin",
    "HEIC": "pillow_heif.as_plugin",
    "AVIF": "PIL.AvifImagePlugin",
}
FORMATS = tuple(_PLUGINS)
"""The formats that are read, whatever a file is named; some of Pillow's others start programs, such as Ghostscript."""

MAX_MEGAPIXELS = 400
"""The largest picture that is decoded unless the caller allows more."""

DECODED_BYTES = {"WEBP": 17, "JPEG": 11, "AVIF": 10}
"""The most memory that decoding holds for each pixel, by format, measured with 100 megapixels: Pillow keeps 4 bytes,
and 3 are the result. Some libraries keep further copies, and a progressive JPEG its coefficients."""
USUAL_BYTES = 8

_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"}
_TILE_WIDTH, _TILE_LENGTH = 322, 323
_LOCK = threading.RLock()


def open_picture(file: BinaryIO, formats: tuple[str, ...], name: str) -> Image.Image:
    """A picture that is not decoded yet.

    Not by Image.open: it refuses pictures over a limit of its own, which is global and half of ours.
    """
    file.seek(0)
    prefix = file.read(64)
    for format in formats:
        opener = _opener(format, prefix, name)
        if opener is not None:
            file.seek(0)
            try:
                return opener(file, "")
            except (SyntaxError, IndexError, TypeError, struct.error):
                continue
    raise UnidentifiedImageError


def _opener(format: str, prefix: bytes, name: str) -> Callable[..., Image.Image] | None:
    """What opens a file that begins like this as a format; None if it is of another format."""
    if format == "HEIC" and not _is_heic(prefix):
        return None
    try:
        plugin: Any = import_module(_PLUGINS[format])
    except ImportError as error:
        raise BadInputError(
            f"{name} is a HEIC picture, which needs pillow-heif: pip install 'rectoverso[heic]', or save it as JPEG."
        ) from error
    if format == "HEIC":
        return plugin.HeifImageFile
    factory, accept = Image.OPEN[format]
    return factory if accept is None or accept(prefix[:16]) is True else None


def _is_heic(prefix: bytes) -> bool:
    """Whether one of the brands in the first box of the file is HEIC's: the first may be that of the container."""
    brands = (prefix[start : start + 4] for start in range(8, min(len(prefix), prefix[3]), 4))
    return prefix[4:8] == b"ftyp" and not _HEIC_BRANDS.isdisjoint(brands)


def check_size(image: Image.Image, name: str, limit: float) -> None:
    """Refuse a picture that is larger than the limit, in itself or in its tiles, or than the memory that is left."""
    check_megapixels(image.size, name, limit)
    tags = getattr(image, "tag_v2", {})
    tile = (tags.get(_TILE_WIDTH, 1), tags.get(_TILE_LENGTH, 1))
    if all(isinstance(side, int) for side in tile):
        check_megapixels(tile, f"A tile of {name}", limit)
    needed = image.width * image.height * DECODED_BYTES.get(image.format or "", USUAL_BYTES)
    # Small pictures fit, and looking takes longer than decoding them.
    left = memory_left() if needed > 1 << 28 else None
    if left is not None and needed > left:
        raise TooLargeError(
            f"{name} has {image.width * image.height / 1e6:.0f} megapixels, which take {needed / 1e9:.1f} GB of memory "
            f"to decode, and {left / 1e9:.1f} GB are available: scale it down."
        )


def check_megapixels(size: tuple[int, int], name: str, limit: float = MAX_MEGAPIXELS) -> None:
    """Refuse a picture that is larger than the limit."""
    megapixels = size[0] * size[1] / 1e6
    if megapixels > limit:
        raise TooLargeError(f"{name} has {megapixels:.0f} megapixels; at most {limit:g} are read: scale it down.")


@contextmanager
def quiet(image: Image.Image) -> Iterator[None]:
    """Keep what libtiff says of damaged files from the terminal: it writes to stderr past Python."""
    if image.format != "TIFF":
        yield
        return
    with _LOCK:
        try:
            kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        except OSError:  # there is no stderr
            yield
            return
        os.dup2(nowhere, 2)
        os.close(nowhere)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


@contextmanager
def pillow_limit(size: tuple[int, int]) -> Iterator[None]:
    """Let Pillow decode a picture whose size has been checked.

    Its own limit is global, so it is touched only for pictures beyond it, by one thread at a time, and put back.
    """
    limit, pixels = Image.MAX_IMAGE_PIXELS, size[0] * size[1]
    if limit is None or pixels <= limit:
        yield
        return
    with _LOCK:
        limit = Image.MAX_IMAGE_PIXELS
        Image.MAX_IMAGE_PIXELS = pixels
        try:
            yield
        finally:
            Image.MAX_IMAGE_PIXELS = limit
