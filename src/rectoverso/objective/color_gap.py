"""The mean-color gap: how far the mean colors along the two edges of a seam are apart.

In a flat sky edges fit a hundred others exactly, and the true neighbor beyond a block line a little less well: by its
ratio it is as wrong as any other piece, and mostly unlisted. But the picture is smooth. A block of sky in the wrong
place shows all around, though each of its seams is only unlisted. So a seam costs more the wider its gap is, and an
unlisted seam begins with what the lists end with.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import NOTHING, mirror
from rectoverso.matching.lists import CandidateLists, UnlistedSeams
from rectoverso.matching.ratio import sorted_by_weight
from rectoverso.objective import CAP

VISIBLE = 0.3
"""The gap that begins to show on the flattest edges, in units of L*a*b* added up over the channels."""

SLICE = 2048


def with_color_gap(lists: CandidateLists, faces: int, factor: float, threads: int = 1) -> CandidateLists:
    """The lists with seams that cost up to 1 + ``factor`` times as much, the wider their gap is."""
    candidates, weights = np.empty_like(lists.candidates), np.empty_like(lists.weights)
    colors = edge_colors(lists, faces)
    scales = usual_gaps(lists, colors, threads)

    def work(start: int, stop: int) -> None:
        listed = lists.candidates[start:stop]
        others, gap = _gaps(lists, slice(start, stop), colors)
        share = gap / (gap + np.minimum(scales[start:stop, None].astype(np.float64), scales[others]))
        weighed = np.minimum(lists.weights[start:stop], CAP) * (1 + factor * share)
        weighed[listed == NOTHING] = np.inf
        candidates[start:stop], weights[start:stop] = sorted_by_weight(listed, weighed)

    over_slices(work, len(colors), threads, SLICE)
    unlisted = UnlistedSeams(CAP * (1 + factor), list_ends(lists), colors, scales, factor)
    return replace(lists, candidates=candidates, weights=weights, unlisted=unlisted)


def edge_colors(lists: CandidateLists, faces: int) -> NDArray[np.int32]:
    """The sum of the colors along each edge, and along its mirror; whole numbers, as the measure has them."""
    colors = lists.descriptors.colors
    return colors if faces == 1 else np.concatenate([colors, colors[mirror(np.arange(len(colors)))]], axis=1)


def usual_gaps(lists: CandidateLists, colors: NDArray[np.int32], threads: int = 1) -> NDArray[np.float32]:
    """The median gap between each edge and its candidates, and the gap that begins to show, added up."""
    units = VISIBLE * lists.descriptors.color_unit
    gaps = units[np.arange(len(colors)) % len(units)].astype(np.float32)

    def work(start: int, stop: int) -> None:
        _, gap = _gaps(lists, slice(start, stop), colors)
        gap[lists.candidates[start:stop] == NOTHING] = np.nan
        some = ~np.isnan(gap).all(axis=1)
        gaps[start:stop][some] += np.nanmedian(gap[some], axis=1).astype(np.float32)

    over_slices(work, len(colors), threads, SLICE)
    return gaps


def list_ends(lists: CandidateLists) -> NDArray[np.float32]:
    """The weight of the last candidate of each edge, at most the cap; the cap where all that may touch are listed."""
    full = lists.candidates[:, -1] != NOTHING
    return np.where(full, np.minimum(lists.weights[:, -1], CAP), CAP).astype(np.float32)


def _gaps(
    lists: CandidateLists, edges: slice, colors: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """An edge for each candidate of some edges, and how far their colors are apart."""
    others = lists.look_alikes.first_members(lists.candidates[edges])
    return others, np.abs(colors[edges][:, None] - colors[others]).sum(axis=2).astype(np.float64)
