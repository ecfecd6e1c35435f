"""What a seam costs: its dissimilarity (the paper) or, with a relative objective, its weight in the lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.matching._native_measures import seam_dissimilarity
from rectoverso.native import native, native_part

COST_SCALE = 2.0**20
"""Costs are added up as whole multiples of 1 / this: the sum does not depend on the order."""


@native_part
def listed_weight(tables: Any, one: np.uint64, other: np.uint64) -> float:
    """The weight of an edge in the candidate list of another one; infinite if it is not listed."""
    entry = tables.entries[other]
    for rank in range(tables.candidates.shape[1]):
        if tables.candidates[one, rank] == entry:
            return np.float64(tables.weights[one, rank])
    return np.inf


@native_part
def unlisted_weight(tables: Any, one: np.uint64, other: np.uint64) -> float:
    """The weight of an unlisted seam: the end of the shorter-reaching list, scaled up with the mean-color gap."""
    gap = np.int64(0)
    for channel in range(tables.colors.shape[1]):
        gap += abs(np.int64(tables.colors[one, channel]) - np.int64(tables.colors[other, channel]))
    share = gap / (gap + np.float64(min(tables.gap_scales[one], tables.gap_scales[other])))
    return np.float64(min(tables.ends[one], tables.ends[other])) * (1.0 + tables.gap_factor * share)


@native
def seam_weight(tables: Any, one: np.uint64, other: np.uint64) -> float:
    """What a seam costs: its dissimilarity or, with a cap, the smaller of its weights in both lists."""
    if tables.cap == 0.0:
        return seam_dissimilarity(tables.descriptors, one, other)
    listed = min(listed_weight(tables, one, other), listed_weight(tables, other, one))
    return min(listed, tables.cap) if listed < np.inf else unlisted_weight(tables, one, other)


@native_part
def seam_cost(tables: Any, one: np.uint64, other: np.uint64) -> np.int64:
    """What a seam adds to the cost, in whole multiples of 1 / ``COST_SCALE``."""
    return np.int64(seam_weight(tables, one, other) * COST_SCALE + 0.5)
