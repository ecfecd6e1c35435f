"""Tones: the mean colors along edges, and how much a seam shows by them.

In a flat sky edges fit a hundred others exactly, and the true neighbor beyond a line of the grid a little less well: by
relative dissimilarities it is as wrong as any other piece, and mostly listed by nobody. But the whole is smooth. A
block of sky in the wrong place shows all around, though each of its seams is only one that nobody lists. So seams count
more, the more their tones differ, and those that nobody lists begin with what the lists end with.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity, Ranking, Tones
from rectoverso.affinity.confidence import first_members, in_order
from rectoverso.affinity.strips import LookAlikes
from rectoverso.geometry import NOTHING, mirror
from rectoverso.threads import over_slices

LEAST = 0.3
"""The difference of tones that begins to show, in units of L*a*b* added up over the channels, on the flattest edges."""

SLICE = 2048


def toned(affinity: Affinity, ranking: Ranking, faces: int, cap: float, reach: float, threads: int = 1) -> Ranking:
    """The ranking with tones: seams count up to 1 + ``reach`` times as much, the more they show."""
    candidates, weights = np.empty_like(ranking.candidates), np.empty_like(ranking.weights)
    look_alikes, colors = ranking.look_alikes or affinity.look_alikes, edge_colors(affinity, faces)
    steps = usual_steps(affinity, ranking.candidates, look_alikes, colors, threads)

    def work(start: int, stop: int) -> None:
        listed = ranking.candidates[start:stop]
        others, away = _away(slice(start, stop), listed, look_alikes, colors)
        share = away / (away + np.minimum(steps[start:stop, None].astype(np.float64), steps[others]))
        weighed = np.minimum(ranking.weights[start:stop], cap) * (1 + reach * share)
        weighed[listed == NOTHING] = np.inf
        candidates[start:stop], weights[start:stop] = in_order(listed, weighed)

    over_slices(work, len(colors), threads, SLICE)
    tones = Tones(colors, steps, list_ends(ranking, cap))
    return replace(ranking, candidates=candidates, weights=weights, tones=tones)


def no_tones(num_edges: int, cap: float) -> Tones:
    """All seams that neither edge lists count the cap."""
    colors = np.zeros((num_edges, 0), np.int32)
    return Tones(colors, np.ones(num_edges, np.float32), np.full(num_edges, cap, np.float32))


def edge_colors(affinity: Affinity, faces: int) -> NDArray[np.int32]:
    """The sum of the colors along each edge, and along its mirror; whole numbers, as the measure has them."""
    strips = affinity.seams.forward
    colors = strips.reshape(len(strips), -1, 3).sum(axis=1, dtype=np.int32)
    return colors if faces == 1 else np.concatenate([colors, colors[mirror(np.arange(len(colors)))]], axis=1)


def usual_steps(
    affinity: Affinity,
    candidates: NDArray[np.uint32],
    look_alikes: LookAlikes,
    colors: NDArray[np.int32],
    threads: int = 1,
) -> NDArray[np.float32]:
    """How far the tone of each edge is from those of its candidates, by the median, and what begins to show."""
    length = affinity.seams.forward.shape[1] // 3
    steps = np.full(len(colors), LEAST * length / affinity.seams.unit, np.float32)

    def work(start: int, stop: int) -> None:
        _, away = _away(slice(start, stop), candidates[start:stop], look_alikes, colors)
        away[candidates[start:stop] == NOTHING] = np.nan
        some = ~np.isnan(away).all(axis=1)
        steps[start:stop][some] += np.nanmedian(away[some], axis=1).astype(np.float32)

    over_slices(work, len(colors), threads, SLICE)
    return steps


def list_ends(ranking: Ranking, cap: float) -> NDArray[np.float32]:
    """What the last candidate of each edge counts, at most the cap; the cap where all that may touch are listed."""
    full = ranking.candidates[:, -1] != NOTHING
    return np.where(full, np.minimum(ranking.weights[:, -1], cap), cap).astype(np.float32)


def _away(
    edges: slice, candidates: NDArray[np.uint32], look_alikes: LookAlikes, colors: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """An edge for each candidate of some edges, and how far their tones are apart."""
    others = first_members(candidates, look_alikes)
    return others, np.abs(colors[edges][:, None] - colors[others]).sum(axis=2).astype(np.float64)
