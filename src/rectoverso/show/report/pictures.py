"""Pictures inside a page: small enough to be sent, large when clicked."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rectoverso.confidence.confidence import SURE, Confidence
from rectoverso.images.files import Pixels
from rectoverso.show.report.markup import Html, element

LONG_SIDE = 2000
"""The most pixels along the longer side of a picture."""
MOST_BYTES = 500_000
"""The most that one picture takes; one that is all noise is scaled down further."""
LEAST_QUALITY, BEST_QUALITY = 60, 85
HEAT = np.array([(120, 10, 60), (235, 60, 40), (255, 200, 60)], np.float64)
"""The colors of no confidence, of half of what is sure, and of almost sure."""
DARKEST, BRIGHTEST = 40, 231
"""The grays that black and white become under the colors."""


def shrunk(picture: Pixels, long_side: int = LONG_SIDE) -> Pixels:
    """The picture, scaled down if it is longer than that."""
    height, width = picture.shape[:2]
    factor = long_side / max(height, width)
    if factor >= 1:
        return picture
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BOX))


def heat_map(picture: Pixels, confidence: Confidence) -> Pixels:
    """The picture in gray, under colors that are the stronger the less sure a piece is; sure ones stay gray."""
    height, width = picture.shape[:2]
    rows, columns = confidence.pieces.shape
    cells = np.ix_(np.arange(height) * rows // height, np.arange(width) * columns // width)
    gray = DARKEST + (BRIGHTEST - DARKEST) * (picture @ np.array([0.299, 0.587, 0.114])) / 255
    return heated(gray, confidence.pieces[cells]).round().astype(np.uint8)


def heated(gray: NDArray[np.float64], sure: NDArray[np.floating]) -> NDArray[np.float64]:
    """Grays (0 to 255) under the colors of some confidences of the same shape."""
    colors = np.stack([np.interp(sure, (0, SURE / 2, SURE), HEAT[:, channel]) for channel in range(3)], axis=-1)
    strength = (0.75 * np.sqrt((1 - sure / SURE).clip(0, 1)))[..., None]
    return gray[..., None] * (1 - strength) + colors * strength


def photo(picture: Pixels, alt: str) -> Html:
    """A picture that fills the screen when it is clicked; it may lose detail."""
    picture = shrunk(picture)
    data = _encoded(picture, quality=BEST_QUALITY)
    if len(data) > MOST_BYTES:
        data = _encoded(picture, quality=LEAST_QUALITY)
    while len(data) > MOST_BYTES:
        picture = shrunk(picture, max(picture.shape) * 3 // 4)
        data = _encoded(picture, quality=LEAST_QUALITY)
    height, width = picture.shape[:2]
    return _enlargeable(data, alt, width, height, "photo")


def pixels_shown(picture: Pixels, alt: str, scale: int) -> Html:
    """A small picture in which every pixel is kept and shown ``scale`` times as large; it can be clicked, too."""
    height, width = picture.shape[:2]
    return _enlargeable(_encoded(picture, lossless=True), alt, width * scale, height * scale, "pixels")


def _encoded(picture: Pixels, **options: float) -> bytes:
    buffer = BytesIO()
    Image.fromarray(picture).save(buffer, "WEBP", method=4, **options)
    return buffer.getvalue()


def _enlargeable(data: bytes, alt: str, width: int, height: int, kind: str) -> Html:
    """A picture that a click makes as large as the window and another one small again: a checkbox, so no script."""
    source = f"data:image/webp;base64,{b64encode(data).decode()}"
    image = element("img", src=source, alt=alt, width=width, height=height, class_=kind)
    box = element("input", type="checkbox", aria_label=f"enlarge {alt}")
    return element("label", box, image, class_="enlarge", title="click to enlarge")
