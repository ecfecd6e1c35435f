"""What lies on a sheet, roughly: blobs that are not background, one for each piece."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels
from rectoverso.intake.background import FAINTEST, Background, Colors
from rectoverso.intake.opencv import load_opencv

BLURS = (1, 3, 5)
"""Windows over which deviations are averaged, so that pieces that are hardly seen in single pixels are seen too."""

SMOOTHED = 2
"""By how many pixels blobs are larger than what lies there: the half of the largest window."""

SPECK = 0.12
"""The share of a piece's area below which a blob is dust."""

TOUCHING = 1.35
"""The multiple of a piece's area from which a blob is pieces that touch each other."""

LEAST_SHEET = 24
LEAST_BLOB = 30
"""The least side of a sheet and the least area of a blob, in pixels: below that there is nothing to straighten."""


@dataclass(frozen=True, eq=False)
class Blob:
    """The outline of what may be a piece, and the smallest rectangle around it."""

    outline: NDArray[np.float32]
    center: NDArray[np.float64]
    angle: float
    sides: tuple[float, float]
    area: float

    @property
    def box(self) -> float:
        """The area of the rectangle."""
        return self.sides[0] * self.sides[1]


def blob_of(outline: NDArray[np.float32], area: float) -> Blob:
    """A blob from its outline; its angle is that of the rectangle's longer side, in radians."""
    corners = load_opencv().boxPoints(load_opencv().minAreaRect(outline)).astype(float)
    one, other = corners[1] - corners[0], corners[2] - corners[1]
    if np.hypot(*one) < np.hypot(*other):
        one, other = other, one
    sides = (float(np.hypot(*one)), float(np.hypot(*other)))
    return Blob(outline, corners.mean(axis=0), float(np.arctan2(one[1], one[0])), sides, area)


def find_blobs(sheet: Pixels, background: Background, name: str) -> tuple[list[Blob], int]:
    """The blobs that may be pieces, all of about one area, and how many specks were left out."""
    if min(sheet.shape[:2]) < LEAST_SHEET:
        raise BadInputError(f"{name} is only {sheet.shape[1]}x{sheet.shape[0]} pixels; scan it at a higher resolution.")
    cv = load_opencv()
    mask = _foreground(background.deviations(sheet))
    outlines, _ = cv.findContours(mask, cv.RETR_EXTERNAL, cv.CHAIN_APPROX_NONE)
    blobs = []
    for outline in outlines:
        # The area within an outline through the centers of pixels lacks half a pixel all around.
        area = cv.contourArea(outline) + len(outline) / 2 + 1
        if area >= LEAST_BLOB:
            blobs.append(blob_of(outline.reshape(-1, 2).astype(np.float32) + 0.5, area))
    if not blobs:
        raise BadInputError(f"{name} shows no pieces; lay them on a background that differs from their rims.")
    if mask.mean() > 0.97:
        raise BadInputError(f"{name} shows no background between the pieces; lay them apart.")
    typical = _typical(blobs)
    blobs = _merge(blobs, typical)
    large = [blob for blob in blobs if blob.box > TOUCHING * typical.box]
    if large:
        x, y = large[0].center
        raise BadInputError(
            f"{name} has {len(large)} {'blob' if len(large) == 1 else 'blobs'} larger than a piece of about "
            f"{typical.sides[0]:.0f}x{typical.sides[1]:.0f} pixels, the first at x {x:.0f}, y {y:.0f}: these pieces "
            "touch each other; lay them apart."
        )
    pieces = [blob for blob in blobs if blob.area >= SPECK * typical.area]
    return pieces, len(blobs) - len(pieces)


def _foreground(deviations: Colors) -> NDArray[np.uint8]:
    """1 where a pixel, or the mean of the pixels around it, cannot be background."""
    cv = load_opencv()
    step = max(1, round((deviations.shape[0] * deviations.shape[1] / 200_000) ** 0.5))
    mask = np.zeros(deviations.shape[:2], bool)
    for size in BLURS:
        mean = cv.blur(deviations, (size, size)) if size > 1 else deviations
        sample = mean[::step, ::step].reshape(-1, 3)
        used = np.ones(len(sample), bool)
        for _ in range(8):
            if used.any():
                noise = np.maximum(0.7 / size, 1.4826 * np.median(np.abs(sample[used]), axis=0))
                used = np.all(np.abs(sample) < 4 * noise, axis=1)
        mask |= ((mean / noise) ** 2).sum(axis=2) > FAINTEST
    return mask.astype(np.uint8)


def _typical(blobs: list[Blob]) -> Blob:
    """The blob in the middle if each counts by its area, so that dust counts for nothing."""
    ordered = sorted(blobs, key=lambda blob: blob.area)
    total = np.cumsum([blob.area for blob in ordered])
    return ordered[int(np.searchsorted(total, total[-1] / 2))]


def _merge(blobs: list[Blob], typical: Blob) -> list[Blob]:
    """Join the parts of pieces whose middle has the color of the background: parts that fit into one piece together."""
    whole = [blob for blob in blobs if blob.area >= 0.75 * typical.area]
    parts = sorted((blob for blob in blobs if blob.area < 0.75 * typical.area), key=lambda blob: -blob.area)
    merged: list[Blob] = []
    for part in parts:
        for number, other in enumerate(merged):
            if np.hypot(*(part.center - other.center)) > sum(typical.sides):
                continue
            both = blob_of(np.concatenate([other.outline, part.outline]), part.area + other.area)
            if both.sides[0] < 1.05 * typical.sides[0] and both.sides[1] < 1.05 * typical.sides[1]:
                merged[number] = both
                break
        else:
            merged.append(part)
    return whole + merged
