"""What the network is told of seams by the measures for clean pieces, and of edges by how their colors change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import NOTHING
from rectoverso.matching._native_measures import EdgeDescriptors
from rectoverso.matching.lists import CandidateLists
from rectoverso.worn import _native_pairs as native

RIVALS = slice(1, 4)
"""Which candidates of an edge are its usual rivals: those after the best one."""

Floats = NDArray[np.float32]


def named_measures(descriptors: EdgeDescriptors, one: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
    """Seams x 2: the logarithms of gradient compatibility and of prediction, on one face."""
    found = np.empty((len(one), 2), np.float32)
    native.named_measures(descriptors, one, other, found)
    return found


def usual_levels(lists: CandidateLists) -> Floats:
    """Edges x 2: what the named measures usually are for the candidates of an edge, on its own face."""
    rivals = lists.look_alikes.first_members(lists.candidates[:, RIVALS])
    edges = np.broadcast_to(np.arange(len(rivals))[:, None], rivals.shape)
    measured = named_measures(lists.descriptors, edges.ravel(), rivals.ravel()).reshape(*rivals.shape, 2)
    listed = (lists.candidates[:, RIVALS] != NOTHING)[:, :, None]
    return (np.where(listed, measured, 0).sum(axis=1) / np.maximum(listed.sum(axis=1), 1)).astype(np.float32)
