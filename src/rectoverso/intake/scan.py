"""A scanned sheet to pieces: found, straightened, cut to one size, and joined with their other faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels
from rectoverso.intake.background import Background
from rectoverso.intake.blobs import find_blobs
from rectoverso.intake.recognition import looks_like_scan
from rectoverso.intake.rectangles import Rectangle, fit_rectangles
from rectoverso.intake.straightening import straighten

__all__ = ["Scan", "cut_scan", "looks_like_scan"]

WHOLE = 0.15
"""A side this near to a whole number of pixels is taken for it: sides are measured to about a twentieth of a pixel."""

TOLD = 0.1
"""By which share pieces may differ from the size that they are said to have."""

TURNED = np.radians(15)
"""By how much a piece may be turned against its place on the other sheet."""

LEAST_PIECE = 4


@dataclass(frozen=True, eq=False)
class Scan:
    """What was found on a sheet, or on the two sheets that show both faces.

    Attributes
    ----------
    pixels
        uint8, pieces x faces x height x width x 3, in reading order of the front sheet. The back (face 1) is what one
        sees after turning the piece over about its vertical axis. Which side is up cannot be known: squares are right
        up to quarter turns, other rectangles, whose longer side is the width unless a size is told, up to half turns.
    centers
        pieces x 2: where each piece lay (x, y) in pixels of the front sheet.
    angles
        The degrees, clockwise, by which each piece was turned to be straight.
    notes
        What was understood, one sentence each.
    """

    pixels: Pixels
    centers: NDArray[np.float64]
    angles: NDArray[np.float64]
    notes: tuple[str, ...]


def cut_scan(front: Pixels, back: Pixels | None = None, size: tuple[int, int] | None = None) -> Scan:
    """Find the pieces that lie apart on a plain background, at any angle, and cut them out straight.

    ``back`` is the sheet turned over about its vertical axis, like a page: a piece at (x, y) of a sheet of width W is
    near (W - x, y) there. ``size`` is the height and width of a piece in pixels, if it is known.
    """
    name = "The sheet" if back is None else "The front sheet"
    background, fronts, specks = _found(front, name)
    fronts = _in_reading_order(fronts)
    sheets = [(front, background, fronts)]
    if back is not None:
        back_background, backs, more = _found(back, "The back sheet")
        specks += more
        sheets.append((back, back_background, _partners(fronts, backs, front.shape[1])))
    cut, spans = _sizes([sheet[2][0] for sheet in sheets], size)
    faces = []
    for face, (sheet, plain, rectangles) in enumerate(sheets):
        exact = _spanned(rectangles, spans, standing=cut[0] > cut[1], face=face)
        fronts = fronts if face else exact
        faces.append(straighten(sheet, plain, exact, cut))
    return Scan(
        np.stack(faces, axis=1),
        np.array([(found.x, found.y) for found in fronts]),
        -np.degrees([found.angle for found in fronts]),
        _notes(len(fronts), cut, specks, len(faces)),
    )


def _found(sheet: Pixels, name: str) -> tuple[Background, list[Rectangle], int]:
    """The background, the rectangles of the pieces, and how many specks there were."""
    background = Background.of(sheet, name)
    blobs, specks = find_blobs(sheet, background, name)
    rectangles = fit_rectangles(sheet, background, blobs, name)
    square = rectangles[0].width == rectangles[0].height
    period = np.pi / 2 if square else np.pi
    return background, [replace(found, angle=_nearest(found.angle, 0.0, period)) for found in rectangles], specks


def _spanned(rectangles: list[Rectangle], spans: tuple[float, float], *, standing: bool, face: int) -> list[Rectangle]:
    """The rectangles with exactly these sides, set upright if pieces stand; the back then turns the other way."""
    width, height = spans
    if not standing:
        return [replace(found, width=width, height=height) for found in rectangles]
    turn = -np.pi / 2 if face else np.pi / 2
    return [replace(found, width=height, height=width, angle=found.angle + turn) for found in rectangles]


def _nearest(angle: float, to: float, period: float) -> float:
    """The angle that differs by whole periods and is nearest to another one."""
    return angle + period * round((to - angle) / period)


def _in_reading_order(rectangles: list[Rectangle]) -> list[Rectangle]:
    """Row by row: a row ends where the next center is more than half a piece below its first one."""
    rows: list[list[Rectangle]] = []
    for found in sorted(rectangles, key=lambda found: (found.y, found.x)):
        if not rows or found.y - rows[-1][0].y > found.height / 2:
            rows.append([])
        rows[-1].append(found)
    return [found for row in rows for found in sorted(row, key=lambda found: (found.x, found.y))]


def _partners(fronts: list[Rectangle], backs: list[Rectangle], width: int) -> list[Rectangle]:
    """The other face of each piece: where it lies on the back sheet, at the angle that fits its front."""
    if len(fronts) != len(backs):
        raise BadInputError(
            f"The front sheet shows {len(fronts)} pieces and the back sheet {len(backs)}; "
            "both must show the same pieces."
        )
    ratio = np.array([backs[0].width / fronts[0].width, backs[0].height / fronts[0].height])
    if np.abs(ratio - 1).max() > 0.05:
        raise BadInputError(
            f"The pieces are {fronts[0].width:.0f}x{fronts[0].height:.0f} pixels on the front sheet and "
            f"{backs[0].width:.0f}x{backs[0].height:.0f} on the back sheet; scan both at the same resolution."
        )
    mirrored = np.array([(width - found.x, found.y) for found in fronts])
    there = np.array([(found.x, found.y) for found in backs])
    expected, turn = _laid_over(mirrored, there)
    apart = np.hypot(*(expected[:, None] - there).transpose(2, 0, 1))
    nearest = apart.argmin(axis=1)
    limit = max(fronts[0].width, fronts[0].height) / 2
    period = np.pi / 2 if fronts[0].width == fronts[0].height else np.pi
    partners = []
    for number, found in enumerate(fronts):
        other, angle = backs[nearest[number]], turn - found.angle
        fitting = _nearest(other.angle, angle, period)
        taken = (nearest[:number] == nearest[number]).any()
        if taken or apart[number, nearest[number]] > limit or abs(fitting - angle) > TURNED:
            raise BadInputError(
                f"The piece at x {found.x:.0f}, y {found.y:.0f} of the front sheet has no partner near "
                f"x {expected[number, 0]:.0f}, y {expected[number, 1]:.0f} of the back sheet; turn the sheet over "
                "like a page, without moving the pieces."
            )
        partners.append(replace(other, angle=fitting))
    return partners


def _laid_over(mirrored: NDArray[np.float64], there: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Places of the front sheet, moved and turned as a whole so that they fit the back sheet; and the turn."""
    best = (np.inf, mirrored, 0.0)
    for start in (np.zeros(2), np.median(there, axis=0) - np.median(mirrored, axis=0)):
        moved, turn = mirrored + start, 0.0
        for _ in range(10):
            pairs = there[np.hypot(*(moved[:, None] - there).transpose(2, 0, 1)).argmin(axis=1)]
            here, goal = moved - moved.mean(axis=0), pairs - pairs.mean(axis=0)
            cross = (here[:, 0] * goal[:, 1] - here[:, 1] * goal[:, 0]).sum()
            angle = float(np.arctan2(cross, (here * goal).sum()))
            cosine, sine = np.cos(angle), np.sin(angle)
            moved = here @ np.array([[cosine, sine], [-sine, cosine]]) + pairs.mean(axis=0)
            turn += angle
        off = float(np.median(np.hypot(*(moved - pairs).T)))
        best = min(best, (off, moved, turn), key=lambda way: way[0])
    return best[1], best[2]


def _sizes(examples: Sequence[Rectangle], size: tuple[int, int] | None) -> tuple[tuple[int, int], tuple[float, float]]:
    """The height and width of the cut pieces, and the width and height that they have on the sheets."""
    width = float(np.mean([found.width for found in examples]))
    height = float(np.mean([found.height for found in examples]))
    if size is not None:
        longer, shorter = max(size), min(size)
        if abs(longer / width - 1) > TOLD or abs(shorter / height - 1) > TOLD:
            raise BadInputError(
                f"The pieces are about {width:.0f}x{height:.0f} pixels on the sheet, and {size[1]}x{size[0]} pixels "
                "was given; give the size that they have on the sheet, or none."
            )
        return size, (width, height)
    cut = (round(height), round(width))
    if min(cut) < LEAST_PIECE:
        raise BadInputError(f"The pieces are only {cut[1]}x{cut[0]} pixels; scan them at a higher resolution.")
    spans = [float(round(side)) if abs(side - round(side)) < WHOLE else side for side in (width, height)]
    return cut, (spans[0], spans[1])


def _notes(count: int, size: tuple[int, int], specks: int, faces: int) -> tuple[str, ...]:
    notes = [f"{count} pieces of {size[1]}x{size[0]} pixels lie apart on a plain background."]
    if faces == 2:
        notes.append("The second sheet shows their other faces, mirrored left to right.")
    if specks:
        notes.append(f"{specks} {'speck was' if specks == 1 else 'specks were'} left out.")
    return tuple(notes)
