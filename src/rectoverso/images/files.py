"""Picture files to arrays and back, under one rule for every format.

A picture is uint8 RGB, rows x columns x 3, upright as its EXIF data says. 16-bit channels keep their high byte, colors
with a profile become sRGB, transparency is laid on white; all other pixel values are taken as stored.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, UnidentifiedImageError

from rectoverso.errors import BadInputError, PuzzleError, PuzzleWarning, TooLargeError
from rectoverso.images.opening import FORMATS, MAX_MEGAPIXELS, check_size, open_picture, pillow_limit, quiet
from rectoverso.images.rgb import WHITE, Note, orientation, to_rgb, upright

Pixels = NDArray[np.uint8]


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
    name, notes = name or str(source), list[str]()
    with _explained(name, formats), _open_file(source, name) as file, warnings.catch_warnings():
        # What Pillow warns of is either noted in our words or no matter.
        warnings.simplefilter("ignore")
        pixels, number = _decode(file, name, max_megapixels, formats, notes.append)
        pixels = upright(pixels, number)
    for note in notes:
        warnings.warn(note, PuzzleWarning, stacklevel=2)
    return pixels


@contextmanager
def _explained(name: str, formats: tuple[str, ...]) -> Iterator[None]:
    try:
        yield
    except PuzzleError:
        raise
    except UnidentifiedImageError as error:
        raise BadInputError(
            f"{name} is not a picture that can be read; give a {', '.join(formats[:-1])} or {formats[-1]} file."
            if len(formats) > 1
            else f"{name} is not a {formats[0]} file."
        ) from error
    except (Image.DecompressionBombError, MemoryError) as error:
        raise TooLargeError(
            f"{name} is too large for the decoder of its format ({str(error) or 'out of memory'}); "
            "save it as PNG, JPEG or TIFF, or scale it down."
        ) from error
    # Damaged bytes may make decoders raise anything.
    except Exception as error:
        raise BadInputError(
            f"{name} cannot be decoded ({error}); it may be truncated: save or copy it again."
        ) from error


def _open_file(source: Path | BinaryIO, name: str) -> AbstractContextManager[BinaryIO]:
    if not isinstance(source, Path):
        return nullcontext(source)
    try:
        return source.open("rb")
    except FileNotFoundError as error:
        raise BadInputError(f"{name} does not exist.") from error
    except IsADirectoryError as error:
        raise BadInputError(f"{name} is a folder; a picture file is needed.") from error
    except OSError as error:
        raise BadInputError(f"{name} cannot be read ({error.strerror or error}).") from error


def _decode(file: BinaryIO, name: str, limit: float, formats: tuple[str, ...], note: Note) -> tuple[Pixels, int]:
    """The pixels as they are stored, and their EXIF orientation."""
    with open_picture(file, formats, name) as image:
        check_size(image, name, limit)
        # In a phone's JPEG file (MPO) the others are depth maps and previews.
        if getattr(image, "is_animated", False) and image.format != "MPO":
            note(f"{name} has several frames or pages; only the first one is read.")
        with pillow_limit(image.size), quiet(image):
            image.load()
        check_size(image, name, limit)
        return to_rgb(image, name, note), orientation(image)


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
