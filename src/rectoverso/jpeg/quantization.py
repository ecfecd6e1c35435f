"""Quantization: in a picture that was a JPEG file, the DCT coefficients of blocks are multiples of quantization steps.

JPEG transforms each block of 8 x 8 pixels into 64 DCT coefficients and rounds each to a multiple of its quantization
step. Where a seam runs through blocks, each piece has a part of them. The right seam joins the parts to blocks of the
file, whose coefficients lie on the lattice of multiples. A wrong seam joins them to blocks whose
coefficients do not.

The steps are read off the whole blocks inside pieces. How much a distance from the lattice counts is fitted on positive
and background pairs; see :mod:`rectoverso.jpeg.likelihood`.
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
"""Steps are read off at most about so many faces: more faces do not make them surer."""

NONZERO = 4.0
"""Smaller coefficients may be zeros that rounding changed."""

LEAST_VALUES, MOST_VALUES = 200, 3000
"""A step is read off at least so many nonzero coefficients; of more than so many, a sample is used."""

STEPS = np.arange(128, 2, -1)
"""The possible steps, largest first. Multiples of 2 or 1 cannot be told from any other numbers."""

NEAR = 3.0
"""Coefficients nearer than this to a multiple may be that multiple, changed by rounding."""

EXPLAINED = 0.4
"""The share of coefficients that steps must explain, of those that are not near a multiple by chance anyway."""

SIMPLE = 0.03
"""The advantage of a single step over two, as a log likelihood: a second step always explains a little more."""

FLOOR = 1e-3
"""Shares are kept this far from 0 and 1, so that the logarithms stay finite."""

CAP = 16.0
"""The most that a squared distance from the lattice counts: beyond it, the size of the distance has no meaning."""

BINS = np.array([0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.05, 1.2, 1.4, 1.7, 2.2, 3, 4.5], np.float32)
"""The bounds of the bins of energies: true seams are at about 1, or below where blocks are flat."""

LEVELS = 4
"""The number of levels of flatness, with as many faces in each: flat blocks fit almost anything."""

CONFIRMED = -0.8
"""The mean log likelihood ratio of background pairs must be below this; otherwise there is no lattice."""

SLICE = 2048


@dataclass(frozen=True)
class Coded:
    """Channels that a file codes with the same grid and the same quantization steps.

    Attributes
    ----------
    channels
        The samples of each channel by face.
    offsets
        The inward and the along offsets of the grid.
    steps
        2 x 8 x 8, by :func:`read_steps`.
    """

    channels: Sequence[Planes]
    offsets: Sequence[GridOffsets]
    steps: NDArray[np.float32]


def read_coded(channels: Sequence[Planes], offsets: Sequence[GridOffsets], threads: int = 1) -> Coded:
    """Channels with their quantization steps, by :func:`read_steps`."""
    corners, known = grid_corners(offsets[0])
    sample = np.flatnonzero(known)[:: max(1, known.sum() // FACES)]
    with threadpool_limits(1, user_api="blas"):
        blocks = [found for planes in channels for _, found in blocks_by_corner(planes[sample], corners[sample])]
        return Coded(channels, offsets, read_steps(blocks, threads))


def weighed_by_quantization(
    lists: CandidateLists, coded: Coded, faces: int, positive: Pairs, background: Pairs, threads: int = 1
) -> CandidateLists:
    """The lists, weighed by whether seams join parts of blocks to blocks of a file; the same lists without a lattice.

    ``background`` is chosen without regard to the grid; only the pairs that happen to continue it can be measured.
    """
    if not coded.steps.any():
        return lists
    with threadpool_limits(1, user_api="blas"):
        table = _fit_table(coded, positive, background, threads)
    return lists if table is None else weighed(lists, faces, table.log_ratios, threads)


def _fit_table(coded: Coded, positive: Pairs, background: Pairs, threads: int) -> LikelihoodTable | None:
    """The likelihood table of seam energies, by flatness; None if it is not informative."""
    channels, (inward, along) = coded.channels, coded.offsets
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
    """2 x 8 x 8: the quantization steps of each coefficient, read off arrays of blocks; 0 where none can be found.

    In a piece that is turned by a quarter, coefficients are transposed. So each coefficient is read together with the
    transposed one, and both may have two steps, of which the smaller comes first.
    """
    matrices = np.concatenate([np.empty((0, BLOCK, BLOCK), np.float32), *(b.reshape(-1, BLOCK, BLOCK) for b in blocks)])
    steps = np.zeros((2, BLOCK, BLOCK), np.float32)
    rows, columns = np.triu_indices(BLOCK)

    def read(start: int, stop: int) -> None:
        for row, column in zip(rows[start:stop], columns[start:stop], strict=True):
            found = _two_steps(np.concatenate([matrices[:, row, column], matrices[:, column, row]]))
            steps[:, row, column] = steps[:, column, row] = found

    over_slices(read, len(rows), threads, 4)
    return steps


def _two_steps(values: NDArray[np.float32]) -> tuple[float, float]:
    """The two steps, often the same, that coefficients are multiples of, smaller one first; 0 and 0 if there are none.

    The result is the pair of steps that is least likely to have so many coefficients near its multiples by chance.
    """
    values = np.abs(values)
    values = values[values > NONZERO]
    if len(values) < LEAST_VALUES:
        return 0, 0
    values = values[:: -(-len(values) // MOST_VALUES)]
    steps = (STEPS[:, None] / NOISE).astype(np.float32)
    large = values > steps / 2
    near = (large & (np.abs(values - steps * np.rint(values / steps)) < NEAR)).astype(np.float32)
    shares = _of_either(near.mean(axis=1), near @ near.T / len(values))
    by_chance, possible = 2 * NEAR / steps[:, 0], large.mean(axis=1)
    expected = _of_either(by_chance * possible, np.outer(by_chance, by_chance) * np.minimum.outer(possible, possible))
    shares, expected = shares.clip(FLOOR, 1 - FLOOR), expected.clip(FLOOR, 1 - FLOOR)
    surprise = shares * np.log(shares / expected) + (1 - shares) * np.log((1 - shares) / (1 - expected))
    surprise[np.diag_indices_from(surprise)] += SIMPLE
    surprise[shares - expected < EXPLAINED * (1 - expected)] = 0
    if not surprise.any():
        return 0, 0
    one, other = np.unravel_index(surprise.argmax(), surprise.shape)
    return float(STEPS[max(one, other)]), float(STEPS[min(one, other)])


def _of_either(share: NDArray[np.floating], of_both: NDArray[np.floating]) -> NDArray[np.floating]:
    """For all pairs of properties: the share of values that have either, from the shares that have each and both."""
    either = np.add.outer(share, share) - of_both
    np.fill_diagonal(either, share)
    return either


def make_lattice(steps: NDArray[np.float32]) -> Coefficients:
    """6 x 64, for native code: the signs of a half turn, two steps, each with its inverse after it, and zeros.

    Without a step its inverse is 0 as well, so that 0 is the nearest multiple of any coefficient.
    """
    lattice = np.zeros((6, BLOCK * BLOCK), np.float32)
    lattice[0] = SIGNS
    for row, step in zip((1, 3), steps.reshape(2, -1) / NOISE, strict=True):
        lattice[row] = step
        np.divide(1, step, out=lattice[row + 1], where=step > 0, casting="same_kind")
    return lattice


def seam_energies_of(split: SplitBlocks, one: Edges, other: Edges, lattice: Coefficients) -> NDArray[np.float32]:
    """The mean squared distance from the lattice of the blocks that seams join; -1 where a seam joins no blocks.

    It is about 1 for true seams.
    """
    one, other = np.ascontiguousarray(one, np.uint32), np.ascontiguousarray(other, np.uint32)
    found = np.empty(len(one), np.float32)
    seam_energies(one, other, split.parts, split.places, lattice, np.float32(CAP), found)
    return found


def own_energies(
    planes: Planes, corners: NDArray[np.integer], lattice: Coefficients, threads: int = 1
) -> NDArray[np.float32]:
    """The mean squared distance from the lattice of the whole blocks of each face, as is expected of true seams there.

    It is below 1 for flat faces, where rounding changes little, and 0 for faces without a whole block.
    """
    energies = np.zeros(len(planes), np.float32)

    def work(start: int, stop: int) -> None:
        for faces, blocks in blocks_by_corner(planes[start:stop], corners[start:stop]):
            found = np.empty(len(faces), np.float32)
            block_energies(blocks, lattice, np.float32(CAP), found)
            energies[start + faces] = found

    over_slices(work, len(planes), threads, SLICE)
    return energies
