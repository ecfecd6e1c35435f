"""Decoded pictures of every mode to RGB, band by band: never more than one copy of a large picture in memory.

16-bit channels keep their high byte: Pillow's decoders do that for color, and gray follows the same rule. Colors are
converted to sRGB if the picture has a profile, and transparent parts are laid on white.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rectoverso.errors import BadInputError
from rectoverso.images.profiles import Profile, lab_to_srgb

BAND = 1 << 20
"""How many pixels are converted at a time; half or twice as many take as long."""
WHITE = 255

_GRAY = ("1", "L", "LA", "La")
_BITS, _PHOTOMETRIC, _ORIENTATION = 258, 262, 274
_WHITE_IS_ZERO = 0

Note = Callable[[str], None]


def to_rgb(image: Image.Image, name: str, note: Note) -> NDArray[np.uint8]:
    """The pixels of a decoded picture; what a person should know of the way there is noted in sentences."""
    if image.mode in ("I", "F"):
        raise BadInputError(
            f"{name} has pixels of 32 bits (mode {image.mode}), and nothing says which value is white; "
            "save it with 8 or 16 bits for each channel."
        )
    convert, transparent = _converter(image, name, note), False
    pixels = np.empty((image.height, image.width, 3), np.uint8)
    rows = max(1, BAND // image.width)
    for top in range(0, image.height, rows):
        bottom = min(top + rows, image.height)
        color, alpha = _parts(image.crop((0, top, image.width, bottom)), image)
        color = convert(color)
        if alpha is not None and alpha.getextrema() != (WHITE, WHITE):
            transparent = True
            color.putalpha(alpha)
            white = Image.new("RGBA", color.size, (WHITE, WHITE, WHITE, WHITE))
            color = Image.alpha_composite(white, color).convert("RGB")
        pixels[top:bottom] = np.asarray(color)
    if transparent:
        note(f"{name} has transparent parts; they are laid on white.")
    return pixels


def _converter(image: Image.Image, name: str, note: Note) -> Callable[[Image.Image], Image.Image]:
    """What makes RGB of the colors of a picture."""
    mode = _color_mode(image)
    data = image.info.get("icc_profile")
    if isinstance(data, bytes) and data:
        try:
            profile = Profile(data, mode)
            if not profile.is_srgb:
                return profile.apply
        # Whatever is wrong with a profile, the pixels are still there.
        except Exception as error:
            note(f"The color profile of {name} cannot be used ({error}); its pixels are taken as they are stored.")
    return lab_to_srgb if mode == "LAB" else lambda color: color.convert("RGB")


def _color_mode(image: Image.Image) -> str:
    if image.mode in _GRAY or image.mode.startswith("I;16"):
        return "L"
    return image.mode if image.mode in ("CMYK", "LAB") else "RGB"


def _parts(band: Image.Image, whole: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """The colors of a band, as gray, RGB, CMYK or LAB, and how opaque they are."""
    if band.mode.startswith("I;16"):
        return _high_bytes(band, whole)
    if not band.has_transparency_data:
        return band.convert(_color_mode(band)), None
    rgba = (band.convert("LA") if band.mode == "La" else band).convert("RGBA")
    # Gray stays gray for its profile: all three channels are the same.
    color = rgba.getchannel("R") if band.mode in _GRAY else rgba.convert("RGB")
    return color, rgba.getchannel("A")


def _high_bytes(band: Image.Image, whole: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """16-bit gray as 8-bit gray; of 12-bit gray, the high 8."""
    values, tags = np.asarray(band).astype(np.uint16), getattr(whole, "tag_v2", {})
    bits = 12 if tags.get(_BITS) == (12,) else 16
    if tags.get(_PHOTOMETRIC) == _WHITE_IS_ZERO:
        values = (1 << bits) - 1 - values
    color = Image.fromarray((values >> (bits - 8)).astype(np.uint8))
    clear = whole.info.get("transparency")
    return color, Image.fromarray(np.where(values == clear, 0, WHITE).astype(np.uint8)) if type(clear) is int else None


def orientation(image: Image.Image) -> int:
    """How the picture is to be turned, as EXIF counts from 1 to 8; 1, upright, if that cannot be read."""
    try:
        number = image.getexif().get(_ORIENTATION, 1)
    # Damaged EXIF data may make Pillow raise anything, and is no reason to refuse the pixels.
    except Exception:
        return 1
    return number if isinstance(number, int) and 1 <= number <= 8 else 1


def upright(pixels: NDArray[np.uint8], number: int) -> NDArray[np.uint8]:
    """Pixels turned and flipped as their EXIF orientation says."""
    if number >= 5:
        pixels = pixels.transpose(1, 0, 2)
    if number in (3, 4, 7, 8):
        pixels = pixels[::-1]
    if number in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    return np.ascontiguousarray(pixels)
