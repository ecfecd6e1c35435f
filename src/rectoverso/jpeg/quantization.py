"""Quantization: the blocks of a picture that was a JPEG file have coefficients that are multiples of a few steps.

JPEG writes each block of 8 x 8 pixels as a sum of 64 waves and rounds the strength of each to a multiple of a step.
Where a seam runs through the middle of blocks, each piece has one part of them. Put together by the right seam they
are blocks of the file again, with all coefficients on the lattice of multiples; by any other seam they are not.

The steps are read off the whole blocks inside of the pieces. As in :mod:`rectoverso.jpeg.grid`, nothing is taken
for granted: seams that are certain anyway say what coefficients on the lattice are worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rectoverso.engines.threads import over_slices
from rectoverso.jpeg._native_quantization import block_energies, seam_energies
from rectoverso.jpeg.blocks import (
    NOISE,
    SIGNS,
    Coefficients,
    Planes,
    SplitBlocks,
    block_places,
    blocks_by_corner,
    grid_corners,
    split_blocks,
)
from rectoverso.jpeg.likelihood import Edges, LikelihoodTable, Pairs, levels_of, weighed
from rectoverso.jpeg.offsets import BLOCK, GridOffsets
from rectoverso.matching.lists import CandidateLists

FACES = 4000
"""The steps are read off so many faces at most: more would not make them surer."""

NONZERO = 4.0
"""A coefficient beyond this is no zero that rounding moved."""

LEAST, MANY = 200, 3000
"""A step is read off at least so many coefficients that are not zero; of more than so many, some will do."""

STEPS = np.arange(128, 2, -1)
"""The steps that are looked for, largest first: multiples of 2 or 1 cannot be told from any other numbers."""

NEAR = 3.0
"""A coefficient not further from a multiple is one that rounding moved."""

EXPLAINED = 0.4
"""The share of coefficients that steps must explain, beyond those that are near their multiples by background."""

SIMPLE = 0.03
"""What one step counts more than two, in the logarithm of a likelihood: a second one always explains some more."""

FLOOR = 1e-3
"""No share counts as nearer to 0 or 1: the logarithms stay finite."""

CAP = 16.0
"""A square counts at most so much: how far a coefficient is from the lattice says nothing, once it is off it."""

BINS = np.array([0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.05, 1.2, 1.4, 1.7, 2.2, 3, 4.5], np.float32)
"""The bounds of energies that are told apart: true seams are about 1, or less where rounding had little to move."""

LEVELS = 4
"""How many levels of flatness are told apart, with as many faces in each: almost anything fits what is flat."""

CONFIRMED = -0.8
"""What background seams must count less than, on average, or there is no lattice."""

SLICE = 2048


@dataclass(frozen=True)
class Coded:
    """Channels that a file codes alike: where their grid runs, inward and along, and in which steps; 0 for none."""

    channels: Sequence[Planes]
    all_offsets: Sequence[GridOffsets]
    steps: NDArray[np.float32]


def read_coded(channels: Sequence[Planes], all_offsets: Sequence[GridOffsets], threads: int = 1) -> Coded:
    """Channels with their quantization steps, by :func:`read_steps`."""
    corners, known = grid_corners(all_offsets[0])
    sample = np.flatnonzero(known)[:: max(1, known.sum() // FACES)]
    with threadpool_limits(1, user_api="blas"):
        blocks = [found for planes in channels for _, found in blocks_by_corner(planes[sample], corners[sample])]
        return Coded(channels, all_offsets, read_steps(blocks, threads))


def weighed_by_quantization(
    lists: CandidateLists, coded: Coded, faces: int, positive: Pairs, background: Pairs, threads: int = 1
) -> CandidateLists:
    """The lists with dissimilarities that tell whether seams join blocks of a file; itself without a lattice.

    ``positive`` are seams that are certain anyway, and ``background`` some that hardly are true, chosen without regard to
    the grid: only those that happen to keep to it teach anything.
    """
    if not coded.steps.any():
        return lists
    with threadpool_limits(1, user_api="blas"):
        table = _fit_table(coded, positive, background, threads)
    return lists if table is None else weighed(lists, faces, table.log_ratios, threads)


def _fit_table(coded: Coded, positive: Pairs, background: Pairs, threads: int) -> LikelihoodTable | None:
    """What positive and background seams teach; None if that is nothing."""
    channels, (inward, along) = coded.channels, coded.all_offsets
    places = block_places(inward, along, channels[0].shape[1])
    usable = np.any((places[:, 2] > 0).reshape(-1, 4), axis=1)
    if not usable.any():
        return None
    corners, lattice = grid_corners(inward)[0], make_lattice(coded.steps)
    own = np.mean([own_energies(planes, corners, lattice, threads) for planes in channels], axis=0)
    level = levels_of(own, usable, LEVELS)
    parts = [split_blocks(planes, places, threads) for planes in channels]

    def measure(one: Edges, other: Edges) -> NDArray[np.float32]:
        return np.mean([seam_energies_of(split, one, other, lattice) for split in parts], axis=0, dtype=np.float32)

    def kind(one: Edges, other: Edges) -> NDArray[np.int64]:
        return np.minimum(level[one // 4], level[other // 4])

    return LikelihoodTable(measure, kind, BINS).fit(LEVELS, positive, background, CONFIRMED)


def read_steps(blocks: list[Coefficients], threads: int = 1) -> NDArray[np.float32]:
    """2 x 8 x 8: the steps of each coefficient, read off arrays of blocks; 0 where none can be found.

    A piece that was turned shows the coefficients of its columns as those of its rows. These are read together and may
    have two steps, the smaller one first.
    """
    square = np.concatenate([np.empty((0, BLOCK, BLOCK), np.float32), *(b.reshape(-1, BLOCK, BLOCK) for b in blocks)])
    steps = np.zeros((2, BLOCK, BLOCK), np.float32)
    rows, columns = np.triu_indices(BLOCK)

    def read(start: int, stop: int) -> None:
        for row, column in zip(rows[start:stop], columns[start:stop], strict=True):
            found = _two_steps(np.concatenate([square[:, row, column], square[:, column, row]]))
            steps[:, row, column] = steps[:, column, row] = found

    over_slices(read, len(rows), threads, 4)
    return steps


def _two_steps(values: NDArray[np.float32]) -> tuple[float, float]:
    """The steps, often one and the same, whose multiples coefficients are; 0 and 0 if there are none.

    Of all pairs, the one that is least likely to have so many coefficients near its multiples by background.
    """
    values = np.abs(values)
    values = values[values > NONZERO]
    if len(values) < LEAST:
        return 0, 0
    values = values[:: -(-len(values) // MANY)]
    steps = (STEPS[:, None] / NOISE).astype(np.float32)
    large = values > steps / 2
    near = (large & (np.abs(values - steps * np.rint(values / steps)) < NEAR)).astype(np.float32)
    found = _of_either(near.mean(axis=1), near @ near.T / len(values))
    by_chance, share = 2 * NEAR / steps[:, 0], large.mean(axis=1)
    usual = _of_either(by_chance * share, np.outer(by_chance, by_chance) * np.minimum.outer(share, share))
    found, usual = found.clip(FLOOR, 1 - FLOOR), usual.clip(FLOOR, 1 - FLOOR)
    surprise = found * np.log(found / usual) + (1 - found) * np.log((1 - found) / (1 - usual))
    surprise[np.diag_indices_from(surprise)] += SIMPLE
    surprise[found - usual < EXPLAINED * (1 - usual)] = 0
    if not surprise.any():
        return 0, 0
    one, other = np.unravel_index(surprise.argmax(), surprise.shape)
    return float(STEPS[max(one, other)]), float(STEPS[min(one, other)])


def _of_either(share: NDArray[np.floating], of_both: NDArray[np.floating]) -> NDArray[np.floating]:
    """The share that has one of two properties, or both; for all pairs of them."""
    either = np.add.outer(share, share) - of_both
    np.fill_diagonal(either, share)
    return either


def make_lattice(steps: NDArray[np.float32]) -> Coefficients:
    """6 x 64, as native code reads it: the signs of turned blocks, two steps with their inverses, and nothing.

    Without a step, and 0 for its inverse, the nearest multiple of any coefficient is 0.
    """
    lattice = np.zeros((6, BLOCK * BLOCK), np.float32)
    lattice[0] = SIGNS
    for row, step in zip((1, 3), steps.reshape(2, -1) / NOISE, strict=True):
        lattice[row] = step
        np.divide(1, step, out=lattice[row + 1], where=step > 0, casting="same_kind")
    return lattice


def seam_energies_of(split: SplitBlocks, one: Edges, other: Edges, lattice: Coefficients) -> NDArray[np.float32]:
    """How far the blocks that seams join are from the lattice: true ones about 1; -1 where nothing is joined."""
    one, other = np.ascontiguousarray(one, np.uint32), np.ascontiguousarray(other, np.uint32)
    found = np.empty(len(one), np.float32)
    seam_energies(one, other, split.parts, split.places, lattice, np.float32(CAP), found)
    return found


def own_energies(
    planes: Planes, corners: NDArray[np.integer], lattice: Coefficients, threads: int = 1
) -> NDArray[np.float32]:
    """How far the whole blocks of each face are from the lattice, as true seams there may be expected to be.

    The rounding of a flat block has nothing to move: such faces are below 1, as are those without a whole block.
    """
    energies = np.zeros(len(planes), np.float32)

    def work(start: int, stop: int) -> None:
        for faces, blocks in blocks_by_corner(planes[start:stop], corners[start:stop]):
            found = np.empty(len(faces), np.float32)
            block_energies(blocks, lattice, np.float32(CAP), found)
            energies[start + faces] = found

    over_slices(work, len(planes), threads, SLICE)
    return energies
