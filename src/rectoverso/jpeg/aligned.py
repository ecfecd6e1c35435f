"""Aligned candidates: where the block grid is known, candidates are searched only among edges that continue it.

In smooth skies thousands of edges fit about as well, so a list of the best of all edges lacks many true neighbors. Of
28-pixel pieces one pair of edges in sixteen is aligned, so lists of aligned edges reach sixteen times as far. Edges
that look alike but have different grid offsets are no longer look-alikes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import Tell, silent
from rectoverso.jpeg.offsets import BLOCK, GridOffsets
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.search import Class
from rectoverso.puzzle.puzzle import Puzzle

UNKNOWN = BLOCK
"""Stands for an offset that is not known and agrees with all others."""

SURE = 2
"""The level of sureness from which an offset counts as known: nearly all misread offsets are at level 1."""


def aligned(
    puzzle: Puzzle, lists: CandidateLists, offsets: Sequence[GridOffsets], k: int, tell: Tell = silent
) -> CandidateLists:
    """The k best candidates of each edge among the edges that are aligned with it by all these offsets."""
    if lists.search is None or not offsets:
        return lists
    own, wanted = _kinds(puzzle, offsets)
    look_alikes = lists.look_alikes.split(own, puzzle.faces)
    candidates, values = lists.search.find(look_alikes, _classes(own, wanted), k, tell)
    return replace(lists.with_candidates(candidates, values), look_alikes=look_alikes)


def _kinds(puzzle: Puzzle, offsets: Sequence[GridOffsets]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Edges x offsets: the offsets of each edge, and those that its neighbor must have.

    Where rotations are known, the side of the edge is treated like one more offset.
    """
    edges = np.arange(puzzle.num_edges)
    own = [np.where(each.level >= SURE, each.offset, UNKNOWN) for each in offsets]
    wanted = [np.where(each.level >= SURE, (each.total - each.offset) % BLOCK, UNKNOWN) for each in offsets]
    if not puzzle.type.rotation_unknown:
        own.append(edges % 4)
        wanted.append((edges + 2) % 4)
    return np.stack(own, axis=1), np.stack(wanted, axis=1)


def _classes(own: NDArray[np.int64], wanted: NDArray[np.int64]) -> Iterator[Class]:
    """Classes of edges whose neighbors must have the same offsets, each with a mask of the edges that may have them."""
    edges = np.arange(len(own), dtype=np.uint32)
    kinds, kind_of = np.unique(wanted, axis=0, return_inverse=True)
    starts = np.cumsum(np.bincount(kind_of.ravel()))[:-1]
    members = np.split(edges[np.argsort(kind_of.ravel(), kind="stable")], starts)
    small = own.astype(np.int8)
    for need, these in zip(kinds, members, strict=True):
        yield these, partial(_fitting, small, need)


def _fitting(own: NDArray[np.int8], need: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which edges have the offsets that a class needs, or may have them."""
    told = need != UNKNOWN
    return ((own[:, told] == need[told]) | (own[:, told] == UNKNOWN)).all(axis=1)
