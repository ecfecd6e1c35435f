"""Picture files to arrays and back, under one rule for every format.

A picture is uint8 RGB, rows x columns x 3, upright as its EXIF data says. Pixel values are taken as stored: 16-bit
channels keep their high byte, color profiles are not applied, transparency is laid on white.
"""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from rectoverso.errors import BadInputError, PuzzleWarning, TooLargeError

Pixels = NDArray[np.uint8]

FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "GIF", "AVIF")
"""The formats that are read, whatever a file is named; some of Pillow's others start programs, such as Ghostscript."""

WHITE = 255

MAX_MEGAPIXELS = 400
"""The largest picture that is decoded unless the caller allows more."""


def as_picture(values: ArrayLike, name: str = "the picture") -> Pixels:
    """An array as a picture: whole numbers from 0 to 255, rows x columns x 3, or rows x columns of gray."""
    array = np.asarray(values)
    if array.ndim == 2:
        array = np.repeat(array[:, :, None], 3, axis=2)
    if array.ndim != 3 or array.shape[2] != 3 or not array.size:
        shape = " x ".join(map(str, array.shape)) or "a single value"
        raise BadInputError(f"{name} is an array of {shape}; rows x columns x 3 (RGB) or rows x columns are needed.")
    if not np.issubdtype(array.dtype, np.integer):
        raise BadInputError(
            f"{name} has values of type {array.dtype}; whole numbers from 0 to 255 are needed: "
            "scale them, round them and convert them to uint8."
        )
    if array.min() < 0 or array.max() > WHITE:
        raise BadInputError(f"{name} has values from {array.min()} to {array.max()}; 0 to {WHITE} are needed.")
    return array.astype(np.uint8, copy=False)


def read_picture(
    source: Path | BinaryIO,
    name: str = "",
    max_megapixels: float = MAX_MEGAPIXELS,
    formats: tuple[str, ...] = FORMATS,
) -> Pixels:
    """Decode a picture of one of some formats; ``name`` is what messages call it."""
    name = name or str(source)
    try:
        with warnings.catch_warnings():
            # Our own limit is checked below, before anything is decoded.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(source, formats=formats) as image:
                check_megapixels(image.size, name, max_megapixels)
                return _to_rgb(image, name)
    except Image.DecompressionBombError as error:
        raise TooLargeError(
            f"{name} is too large a picture: at most {max_megapixels:g} megapixels are read."
        ) from error
    except FileNotFoundError as error:
        raise BadInputError(f"{name} does not exist.") from error
    except IsADirectoryError as error:
        raise BadInputError(f"{name} is a folder; a picture file is needed.") from error
    except UnidentifiedImageError as error:
        raise BadInputError(
            f"{name} is not a picture that can be read; give a {', '.join(formats[:-1])} or {formats[-1]} file."
            if len(formats) > 1
            else f"{name} is not a {formats[0]} file."
        ) from error
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise BadInputError(
            f"{name} cannot be decoded ({error}); it may be truncated: save or copy it again."
        ) from error


def check_megapixels(size: tuple[int, int], name: str, limit: float = MAX_MEGAPIXELS) -> None:
    """Refuse a picture that is larger than the limit."""
    megapixels = size[0] * size[1] / 1e6
    if megapixels > limit:
        raise TooLargeError(f"{name} has {megapixels:.0f} megapixels; at most {limit:g} are read: scale it down.")


def _to_rgb(image: Image.Image, name: str) -> Pixels:
    upright = ImageOps.exif_transpose(image)
    if upright.mode.startswith("I;16") or upright.mode == "I":
        gray = (np.asarray(upright).astype(np.int64) >> 8).clip(0, 255).astype(np.uint8)
        return np.repeat(gray[:, :, None], 3, axis=2)
    if upright.has_transparency_data:
        warnings.warn(f"{name} has transparent parts; they are laid on white.", PuzzleWarning, stacklevel=3)
        rgba = upright.convert("RGBA")
        white = Image.new("RGBA", rgba.size, (255, 255, 255, 255))
        upright = Image.alpha_composite(white, rgba)
    return np.array(upright.convert("RGB"))


def encode_png(pixels: Pixels) -> bytes:
    """A lossless PNG, compressed lightly: these files are read far more often than they are sent."""
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def encode_picture(pixels: Pixels, suffix: str) -> bytes:
    """A picture in the format that a file name's suffix asks for."""
    if suffix.lower() == ".png":
        return encode_png(pixels)
    extensions = Image.registered_extensions()
    if extensions.get(suffix.lower()) not in Image.SAVE:
        raise BadInputError(f"{suffix or 'a name without a suffix'} is not a picture format; use .png, .webp or .jpg.")
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, extensions[suffix.lower()], quality=95)
    return buffer.getvalue()
