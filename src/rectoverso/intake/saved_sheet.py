"""Shuffled sheets that were saved as JPEG: what saving did to the tiles, and what can still be compared.

Where tiles are shuffled first and the whole is saved afterwards, the blocks of the file lie across the borders of tiles
that have nothing to do with each other, and halved chroma bleeds from each tile into the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rectoverso.images.files import Pixels
from rectoverso.intake.coding import (
    BLOCK,
    Coding,
    Plane,
    dct,
    rgb_from_ycbcr,
    standard_coding,
    subsampled,
    upsampled,
    ycbcr_from_rgb,
)
from rectoverso.intake.heap import Examples
from rectoverso.intake.restoring import restored, unbled

SAMPLINGS = {(2, 2): "4:2:0", (1, 2): "4:2:2", (1, 1): "4:4:4"}
"""Rows and columns of pixels that share a sample of chroma, and what that is called; the first that fits is taken."""

LEAST_TILE = 6
"""Tiles with a smaller side have no inside that would be safe from the tiles beside them."""

CHROMA = 0.25
"""How much chroma counts in what is compared: its errors are larger than luma's, and measures of color steps are made
for pixels without any. Top-1 of six photographs at quality 95 and 75 with 1, 0.5, 0.25 and 0: 65, 69, 74, 69 and 42,
50, 57, 56."""

ROLLS = (0.3, 0.7)
"""The lines inside tiles that examples are taken from, as shares of a side."""

DEPTH = 3
"""How many rows of pixels an example has on either side of its line."""

NONZERO, NOISE, OUTLIERS = 1.5, 0.5, 0.05
"""Coefficients below the first may be zeros that rounding changed. Others lie this near (a standard deviation) to the
multiples of their steps, but for the last share, as where pixels were clipped."""

LEAST_EVIDENCE = 0.25
"""The least mean log likelihood ratio of coefficients, for steps against none. It is 0.9 to 2 for sheets saved at
quality 95 to 50, and below 0.1 for sheets that were never saved or whose tiles were."""

BLOCKS, LEAST_VALUES = 4000, 100
"""Steps are read off at most about so many blocks, and at least so many coefficients that are not 0."""

LENIENT, STRICT = (1.75, 3.5), (1.25, 12.0)
"""Rounding changes chroma by less than the first, and across borders of shuffled tiles it changes by more than the
second. The strict bounds hold where luma does not show that the sheet was saved: pictures with hardly any color, such
as bgu-805/01, look as if their chroma was subsampled."""


@dataclass(frozen=True, eq=False)
class SavedSheet:
    """What was recognized of a sheet that was saved after its tiles were shuffled.

    Attributes
    ----------
    coding
        The steps and the sampling of the file.
    quality
        The quality that it was saved with, if its steps are those of the standard.
    evidence
        The mean log likelihood ratio of coefficients for these steps against none; infinite if a file says so.
    """

    coding: Coding
    quality: int | None
    evidence: float

    @property
    def note(self) -> str:
        """What to tell a person."""
        chroma = SAMPLINGS.get(self.coding.sampling, "subsampled")
        quality = "" if self.quality is None else f" with quality {self.quality}"
        return (
            f"The sheet was saved as JPEG{quality} ({chroma}) after its tiles were shuffled, which blurs their edges: "
            "tiles are compared by what is left."
        )


def recognize(picture: Pixels, tile: tuple[int, int], said: Coding | None = None) -> SavedSheet | None:
    """What the saving of a shuffled sheet left in it; None if tiles (height, width) can be compared as they are.

    ``said`` is what the file's own header says (:func:`rectoverso.intake.coding.coding_of`). Without it the pixels
    tell: the sheet may have been decoded and saved without loss.
    """
    if min(tile) < LEAST_TILE or any(length < 2 * side for length, side in zip(picture.shape, tile, strict=False)):
        return None
    if said is not None:
        between = said.sampling == (1, 1) and not any(side % BLOCK for side in tile)
        return None if between else SavedSheet(said, _quality_of(said), np.inf)
    quality, evidence = _read_quality(picture, tile)
    sampling = _read_sampling(picture, tile, *(LENIENT if evidence >= LEAST_EVIDENCE else STRICT))
    if evidence < LEAST_EVIDENCE:
        if sampling == (1, 1):
            return None
        # Chroma has proved that the sheet was saved, so that blocks inside tiles are its own, too.
        quality, evidence = _read_quality(picture, (1, 1))
    known = quality if evidence >= LEAST_EVIDENCE else None
    return SavedSheet(standard_coding(known or 100, sampling), known, evidence)


def restored_pixels(picture: Pixels, tile: tuple[int, int], sheet: SavedSheet) -> Pixels:
    """Tiles in all their colors, as far as they can be restored: tiles x height x width x 3, in reading order."""
    return cut_sheet(rgb_from_ycbcr(*restored(picture, tile, sheet.coding)), tile)


def muted(pixels: Pixels) -> Pixels:
    """Restored tiles with less chroma, for measures that do not know how large its errors are."""
    luma, blue, red = ycbcr_from_rgb(pixels)
    return rgb_from_ycbcr(luma, blue * np.float32(CHROMA), red * np.float32(CHROMA))


def examples(picture: Pixels, tile: tuple[int, int], sheet: SavedSheet) -> Examples:
    """Lines inside tiles, worn as the edges are.

    All tiles are cut in two and the halves change places, so that what was a line inside is the rim on both sides. The
    sheet is then saved and restored like the given one.
    """
    source = cut_sheet(rgb_from_ycbcr(*unbled(picture, tile, sheet.coding)), tile)
    shape = picture.shape[0] // tile[0], picture.shape[1] // tile[1]
    by_length: dict[int, list[tuple[Pixels, Pixels]]] = {}
    for axis, side in enumerate(tile):
        for share in ROLLS:
            # An even number of pixels: samples of chroma stay what they are.
            rolled = np.roll(source, 2 * round(share * side / 2), axis=1 + axis)
            again = restored_pixels(_saved(lay_sheet(rolled, *shape), sheet.coding), tile, sheet)
            one, other = (
                (again[:, ::-1], again) if axis == 0 else (again[:, :, ::-1].swapaxes(1, 2), again.swapaxes(1, 2))
            )
            by_length.setdefault(tile[1 - axis], []).append((one[:, :DEPTH, ::-1], other[:, :DEPTH]))
    return Examples(
        tuple(
            (np.concatenate([one for one, _ in pairs]), np.concatenate([other for _, other in pairs]))
            for pairs in by_length.values()
        )
    )


def cut_sheet(picture: Pixels, tile: tuple[int, int]) -> Pixels:
    """The tiles of a sheet in reading order; a rest that fills no tile is left out."""
    (height, width), rows, columns = tile, picture.shape[0] // tile[0], picture.shape[1] // tile[1]
    whole = picture[: rows * height, : columns * width]
    tiles = whole.reshape(rows, height, columns, width, 3).swapaxes(1, 2)
    return np.ascontiguousarray(tiles.reshape(rows * columns, height, width, 3))


def lay_sheet(tiles: Pixels, rows: int, columns: int) -> Pixels:
    """The inverse of :func:`cut_sheet`."""
    height, width = tiles.shape[1:3]
    return tiles.reshape(rows, columns, height, width, 3).swapaxes(1, 2).reshape(rows * height, columns * width, 3)


def _saved(picture: Pixels, coding: Coding) -> Pixels:
    """The picture, saved and opened again."""
    file = BytesIO()
    tables = [coding.luma.ravel().tolist(), coding.chroma.ravel().tolist()]
    name = SAMPLINGS.get(coding.sampling, "4:2:0")
    Image.fromarray(picture).save(file, "JPEG", qtables=tables, subsampling=name)
    return np.asarray(Image.open(file))


def _quality_of(coding: Coding) -> int | None:
    """The quality with which the standard's steps are these; None if there is none."""
    for quality in range(100, 0, -1):
        if np.array_equal(standard_coding(quality, coding.sampling).luma, coding.luma):
            return quality
    return None


def _read_quality(picture: Pixels, tile: tuple[int, int]) -> tuple[int, float]:
    """The quality whose steps explain best the blocks that lie across borders of tiles, and how well.

    Blocks inside a tile are no evidence: the tile may have been cut from a JPEG file. Clipped pixels spoil a block.
    """
    rows, columns = (length // BLOCK for length in picture.shape[:2])
    whole = picture[: rows * BLOCK, : columns * BLOCK]
    across = [_blocks_across(count, side) for count, side in zip((rows, columns), tile, strict=True)]
    exact = _unclipped(whole).reshape(rows, BLOCK, columns, BLOCK).all(axis=(1, 3))
    blocks = dct(ycbcr_from_rgb(whole)[0])[exact & (across[0][:, None] | across[1])].reshape(-1, BLOCK * BLOCK)
    blocks = blocks[:: -(-len(blocks) // BLOCKS) or 1]
    large = np.abs(blocks) > NONZERO
    large[:, 0] = False  # The mean of a block is no evidence: flat ones all have the same.
    if np.count_nonzero(large) < LEAST_VALUES:
        return 100, 0.0
    place, values = np.nonzero(large)[1], blocks[large]
    best, most = 100, 0.0
    for quality in range(100, 0, -1):
        step = standard_coding(quality, (1, 1)).luma.ravel()[place]
        evidence = float(_log_ratios(values, step).mean())
        if evidence > most:
            best, most = quality, evidence
    return best, most


def _unclipped(picture: Pixels) -> NDArray[np.bool_]:
    return np.asarray((picture.min(axis=2) > 0) & (picture.max(axis=2) < 255))


def _blocks_across(count: int, side: int) -> NDArray[np.bool_]:
    first = np.arange(count) * BLOCK
    return np.asarray(first // side != (first + BLOCK - 1) // side)


def _log_ratios(values: Plane, step: NDArray[np.int64]) -> NDArray[np.floating]:
    """How much likelier coefficients are if they are rounded to multiples of their steps than if they are not."""
    away = np.abs(values - np.rint(values / step) * step)
    density = step * np.exp(-0.5 * np.square(away / NOISE)) / (NOISE * np.sqrt(2 * np.pi))
    # What is not zero cannot have been rounded to it.
    density = np.where(np.abs(values) < step / 2, 0, density)
    return np.log(OUTLIERS + (1 - OUTLIERS) * density)


def _read_sampling(picture: Pixels, tile: tuple[int, int], explained: float, jump: float) -> tuple[int, int]:
    """The sampling that explains the chroma of pixels beside borders of tiles by samples on both sides of them.

    There is nothing to explain where chroma does not jump at borders.
    """
    exact = _unclipped(picture)
    for axis in (0, 1):  # A clipped pixel changes the samples around it.
        exact = exact & np.roll(exact, 1, axis) & np.roll(exact, -1, axis)
        exact = exact & np.roll(exact, 2, axis) & np.roll(exact, -2, axis)
    planes = ycbcr_from_rgb(picture)[1:]
    if max(_at_borders(_jumps(plane, axis), exact, axis, tile) for plane in planes for axis in (0, 1)) < jump:
        return (1, 1)
    for sampling in SAMPLINGS:
        away = [np.abs(_again(plane, sampling) - plane) for plane in planes]
        if max(_at_borders(values, exact, axis, tile) for values in away for axis in (0, 1)) < explained:
            return sampling
    return (1, 1)


def _again(plane: Plane, sampling: tuple[int, int]) -> Plane:
    """What a decoder makes of the samples that explain a plane best."""
    return upsampled(subsampled(plane, sampling), sampling)[: plane.shape[0], : plane.shape[1]]


def _jumps(plane: Plane, axis: int) -> Plane:
    """By how much chroma changes from the pixel before each one to the second after it: upsampling leaves that."""
    before, after = (np.roll(plane, shift, axis) for shift in (1, -2))
    return np.abs(after - before)


def _at_borders(values: Plane, exact: NDArray[np.bool_], axis: int, tile: tuple[int, int]) -> float:
    """What most values of exact pixels beside the borders across an axis are below."""
    border = np.arange(tile[axis] - 1, values.shape[axis] - 1, tile[axis])
    found = np.take(values, border, axis)[np.take(exact, border, axis)]
    return float(np.quantile(found, 0.9)) if found.size else 0.0
