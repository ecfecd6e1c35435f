"""The exact rectangle of each piece on a sheet, to a few hundredths of a pixel."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels
from rectoverso.intake.background import Background, Colors
from rectoverso.intake.blobs import SMOOTHED, Blob
from rectoverso.intake.opencv import load_opencv

INSIDE = 1.0
"""How far inside a side, in pixels, the color is taken that a piece has there."""

STEP = 0.25
"""The distance of the places, in pixels, at which colors are read across a side."""

REACHES = (2.0 * SMOOTHED + 1.0, 3.0, 2.0, 2.0, 2.0)
"""How far outside it a side is looked for, in each round: blobs are larger than pieces, so the search begins inside."""

FAINT = 50.0
"""The squared contrast, over the noise, at which a place counts half."""

UNEQUAL = 0.08
"""By which share, or two pixels, pieces may differ in size."""

SQUARE = 0.025
"""By which share, or three quarters of a pixel, the sides of a square may differ."""


@dataclass(frozen=True)
class Rectangle:
    """Where a piece lies: its center (pixel centers are at halves), the angle of its width in radians, its sides."""

    x: float
    y: float
    angle: float
    width: float
    height: float

    @property
    def axes(self) -> NDArray[np.float64]:
        """The unit vectors along the width and along the height, as rows."""
        cosine, sine = np.cos(self.angle), np.sin(self.angle)
        return np.array([[cosine, sine], [-sine, cosine]])

    def window(self, shape: tuple[int, ...], margin: float) -> tuple[int, int, int, int]:
        """Left, top, right and bottom of the pixels around it, as far as the sheet goes."""
        reach = np.abs(self.axes * [[self.width], [self.height]]).sum(axis=0) / 2 + margin
        left, top = int(self.x - reach[0]), int(self.y - reach[1])
        right, bottom = int(self.x + reach[0]) + 1, int(self.y + reach[1]) + 1
        return max(0, left), max(0, top), min(shape[1], right), min(shape[0], bottom)


def fit_rectangles(sheet: Pixels, background: Background, blobs: list[Blob], name: str) -> list[Rectangle]:
    """The rectangles of blobs, all of one size; the width is the longer side."""
    rectangles = [_free_fit(sheet, background, blob) for blob in blobs]
    width, height = _common_size(rectangles, blobs, name)
    return [
        _fixed_fit(sheet, background, found, blob, (width, height))
        for found, blob in zip(rectangles, blobs, strict=True)
    ]


def _free_fit(sheet: Pixels, background: Background, blob: Blob) -> Rectangle:
    less = 2 * SMOOTHED + 1
    width, height = (max(side - less, 0.6 * side) for side in blob.sides)
    start = Rectangle(blob.center[0], blob.center[1], blob.angle, width, height)
    return _refined(sheet, background, start, None)[0]


def _common_size(rectangles: list[Rectangle], blobs: list[Blob], name: str) -> tuple[float, float]:
    """The size of most pieces; an error if there are several sizes."""
    sides = np.array([(found.width, found.height) for found in rectangles])
    sides = np.sort(sides, axis=1)[:, ::-1]
    longer, shorter = np.median(sides, axis=0)
    if longer - shorter < max(0.75, SQUARE * longer):
        longer = shorter = np.median(sides)
    limit = np.maximum(2.0, UNEQUAL * np.array([longer, shorter]))
    strange = (np.abs(sides - [longer, shorter]) > limit).any(axis=1)
    # A few may be misjudged because parts of their rims have the color of the background.
    if strange.sum() > max(1, 0.1 * len(blobs)):
        first = int(np.flatnonzero(strange)[0])
        raise BadInputError(
            f"{name} has {strange.sum()} of {len(blobs)} pieces of another size than {longer:.0f}x{shorter:.0f} "
            f"pixels, the first ({sides[first, 0]:.0f}x{sides[first, 1]:.0f}) at x {blobs[first].center[0]:.0f}, "
            f"y {blobs[first].center[1]:.0f}; all pieces must have one size, and a background that differs from them."
        )
    return float(longer), float(shorter)


def _fixed_fit(
    sheet: Pixels, background: Background, found: Rectangle, blob: Blob, size: tuple[float, float]
) -> Rectangle:
    """The rectangle of the given size; where a blob is only a part of a piece, the one whose sides are seen best."""
    width, height = size
    if found.width < found.height and width - height > 0:
        found = Rectangle(found.x, found.y, found.angle + np.pi / 2, found.height, found.width)
    if abs(found.width - width) < max(1.0, 0.04 * width) and abs(found.height - height) < max(1.0, 0.04 * height):
        return _refined(sheet, background, found, size)[0]
    starts = []
    for angle in (found.angle, blob.angle, blob.angle + np.pi / 2):
        turned = Rectangle(blob.center[0], blob.center[1], angle, width, height)
        along = (blob.outline - blob.center) @ turned.axes.T
        low, high = along.min(axis=0) + SMOOTHED + 0.5, along.max(axis=0) - SMOOTHED - 0.5
        for x in (low[0] + width / 2, high[0] - width / 2):
            for y in (low[1] + height / 2, high[1] - height / 2):
                center = blob.center + np.array([x, y]) @ turned.axes
                starts.append(replace(turned, x=float(center[0]), y=float(center[1])))
    fits = [_refined(sheet, background, start, size) for start in starts]
    return max(fits, key=lambda fit: fit[1])[0]


def _refined(
    sheet: Pixels, background: Background, start: Rectangle, size: tuple[float, float] | None
) -> tuple[Rectangle, float]:
    """Move each side to where the color changes, a few times; and how well the sides are seen, from 0 to 1.

    With a size only the place and the angle are fitted.
    """
    if size:
        start = replace(start, width=size[0], height=size[1])
    left, top, right, bottom = start.window(sheet.shape, REACHES[0] + 4)
    deviations = background.deviations(sheet[top:bottom, left:right], left, top)
    deviations /= background.noise.astype(np.float32)
    now = replace(start, x=start.x - left, y=start.y - top)
    seen = 0.0
    for reach in REACHES[2 if size else 0 :]:
        places, shifts, weights = _shifts(deviations, now, reach)
        now = _moved(now, places, shifts, weights, fixed=size is not None)
        seen = float(weights.mean() - np.average(np.minimum(np.abs(shifts), 1), weights=weights + 1e-6))
    return replace(now, x=now.x + left, y=now.y + top), seen


def _shifts(
    deviations: Colors, now: Rectangle, reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """At places along each side (top, right, bottom, left): how far outside the side is, and how well it is seen.

    Colors are read on a line across the side. The sum of how much of the piece's own color they have, which falls
    from 1 to 0, is where the side is, whether its pixels are whole ones or mixtures.
    """
    count = int(np.clip(max(now.width, now.height), 8, 64))
    share = np.linspace(-0.5, 0.5, count)
    across = np.arange(-INSIDE, reach + STEP / 2, STEP)
    along, down = now.axes
    points, places = [], []
    for outward, forward, half, length in (
        (-down, along, now.height / 2, now.width),
        (along, down, now.width / 2, now.height),
        (down, -along, now.height / 2, now.width),
        (-along, -down, now.width / 2, now.height),
    ):
        place = share * max(length - 3, 0.5 * length)
        points.append(forward * place[:, None, None] + outward * (half + across)[:, None])
        places.append(place)
    where = (np.array(points) + np.array([now.x - 0.5, now.y - 0.5])).reshape(4 * count, -1, 2).astype(np.float32)
    cv = load_opencv()
    colors = cv.remap(deviations, where[..., 0], where[..., 1], cv.INTER_LINEAR, borderMode=cv.BORDER_REPLICATE)
    own = colors[:, 0]
    contrast = (own**2).sum(axis=1)
    part = np.clip((colors * own[:, None]).sum(axis=2) / np.maximum(contrast, 1e-6)[:, None], -0.5, 1.0)
    shift = -INSIDE + (part[:, 1:] + part[:, :-1]).sum(axis=1) * STEP / 2
    weight = contrast / (contrast + FAINT)
    return np.array(places), shift.reshape(4, count).astype(float), weight.reshape(4, count).astype(float)


def _moved(
    now: Rectangle,
    places: NDArray[np.float64],
    shifts: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    fixed: bool,
) -> Rectangle:
    """The rectangle that fits the measured shifts best; places that disagree with the others count less and less."""
    sides = np.repeat(np.eye(4), places.shape[1], axis=0)
    # Columns: how much each side moves outward with x, y, (width, height) and the angle.
    moves = sides @ np.array([[0, -1, 0, 0.5], [1, 0, 0.5, 0], [0, 1, 0, 0.5], [-1, 0, 0.5, 0]])
    moves = np.column_stack([moves[:, :2] if fixed else moves, -places.ravel()])
    target, base = shifts.ravel(), weights.ravel() + 1e-6
    weight = base
    for _ in range(5):
        normal = (moves * weight[:, None]).T @ moves + 1e-6 * np.eye(moves.shape[1])
        solution = np.linalg.solve(normal, (moves * weight[:, None]).T @ target)
        off = np.abs(target - moves @ solution)
        weight = base / np.maximum(1, off / (1.5 * max(0.1, 1.4826 * float(np.median(off))))) ** 2
    center = np.array([now.x, now.y]) + solution[:2] @ now.axes
    width, height = (0.0, 0.0) if fixed else solution[2:4]
    return Rectangle(
        float(center[0]),
        float(center[1]),
        now.angle + float(np.clip(solution[-1], -0.1, 0.1)),
        max(3.0, now.width + float(width)),
        max(3.0, now.height + float(height)),
    )
