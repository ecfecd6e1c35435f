"""What the lists say for each seam of an arrangement by itself: how it compares, and what cannot be told apart.

All of it is free of scale: ratios of dissimilarities, and numbers of edges and pieces that look alike. So one model
serves every measure. Of worn pieces the lists that they were solved by tell chances, which are evidence as they are;
these lists see the loops of a seam, and what many growths agree on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import DOWN, NOTHING, RIGHT, opposite, shown
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.look_alikes import edge_looks
from rectoverso.matching.ratio import ratios_of_seams, weights_of_seams
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle

SIDES = 4


@dataclass(frozen=True, eq=False)
class Evidence:
    """Tables of seams, all to the right or all down.

    Attributes
    ----------
    ratio
        The relative dissimilarity: below 1 only for mutual best candidates, inf for no candidates at all.
    alike
        How many edges look like one of the two: each would make as good a seam.
    twins
        In how many ways pieces can lie that look, at all their edges, like one of the two: nothing tells them apart.
    there
        Whether there is a piece on both sides of the seam.
    weight
        Of worn pieces what the seam counted in the solve; inf for no candidates.
    """

    ratio: NDArray[np.float64]
    alike: NDArray[np.int64]
    twins: NDArray[np.int64]
    there: NDArray[np.bool_]
    weight: NDArray[np.float64] | None = None


def collect(
    arrangement: Arrangement, puzzle: Puzzle, lists: CandidateLists, solved: CandidateLists | None = None
) -> tuple[Evidence, Evidence]:
    """The evidence for the seams to the right and for those down.

    Of worn pieces the lists that they were ``solved`` by are evidence, too; without these all seams count the same.
    """
    lists.check_is_of(puzzle)
    up = arrangement.up_edges(puzzle.faces).astype(np.int64)
    filled = up != NOTHING
    up = np.where(filled, up, 0)
    looks = edge_numbers(lists, puzzle)
    alike, twins = edges_alike(looks), ways_alike(looks)[up]

    def seams(direction: int, here: tuple[slice, slice], next: tuple[slice, slice]) -> Evidence:
        one, other = shown(up[here], direction), shown(up[next], opposite(direction))
        ratio = ratios_of_seams(lists, one.ravel(), other.ravel()).reshape(one.shape)
        numbers = (np.maximum(alike[one], alike[other]), np.maximum(twins[here], twins[next]))
        there = filled[here] & filled[next]
        if not lists.wear:
            return Evidence(ratio, *numbers, there)
        weight = np.zeros(one.shape)
        if solved is not None:
            weight = weights_of_seams(solved, one.ravel(), other.ravel()).reshape(one.shape)
        return Evidence(ratio, *numbers, there, weight)

    every, first, last = slice(None), slice(None, -1), slice(1, None)
    return seams(RIGHT, (every, first), (every, last)), seams(DOWN, (first, every), (last, every))


def edge_numbers(lists: CandidateLists, puzzle: Puzzle) -> NDArray[np.int64]:
    """A number for what each edge looks like to the measure; where cells are known no two pieces can be mistaken."""
    looks = edge_looks(puzzle, depth=int(lists.descriptors.depth))
    if puzzle.type.location_unknown:
        return looks
    return looks + np.arange(len(looks)) // (SIDES * puzzle.faces) * len(looks)


def edges_alike(looks: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each edge how many edges that could lie there look like it, itself included."""
    _, number, counts = np.unique(looks, return_inverse=True, return_counts=True)
    return counts[number]


def ways_alike(looks: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each up edge in how many ways a piece could lie there and show four edges that look the same."""
    around = looks.reshape(-1, SIDES)
    ways = np.stack([np.roll(around, -side, axis=1) for side in range(SIDES)], axis=1).reshape(-1, SIDES)
    found = np.ones(len(ways), np.int64)
    # Only where every edge is there twice can the four of them be.
    often = (edges_alike(looks)[:, None] > 1).reshape(-1, SIDES).all(axis=1).repeat(SIDES)
    if often.any():
        _, number, counts = np.unique(ways[often], axis=0, return_inverse=True, return_counts=True)
        found[often] = counts[number.ravel()]
    return found
