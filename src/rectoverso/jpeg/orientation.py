"""Headings: which side of a piece was up in the file that it comes from.

A JPEG file does not treat rows and columns alike. Its quantization steps are others for waves that run down than for
waves that run across, which tells the one from the other wherever a block has a wave whose two steps differ. And the
decoder, where an enlarged color lies just between two whole ones, rounds it up in every second column and down in the
others: that tells columns from rows, and left from right. A picture whose orientation are known has no rotations left to
guess; where flat pieces show none, those that they certainly touch tell them.

As in :mod:`rectoverso.jpeg.grid`, nothing is taken for granted: seams that are certain anyway say what it is worth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rectoverso.engines.threads import over_slices
from rectoverso.geometry import NOTHING
from rectoverso.jpeg.blocks import NOISE, Coefficients, Planes, blocks_by_corner, cut_by_corner, grid_corners
from rectoverso.jpeg.offsets import BLOCK, GridOffsets, multiples
from rectoverso.jpeg.quantization import Coded

Evidence = NDArray[np.float32]
"""Faces x 4: how much speaks for each side to have been up, as the logarithm of a likelihood."""

NONZERO = 4.0
"""A coefficient beyond this is no zero that rounding moved: zeros are multiples of any step."""

CAP = 16.0
"""The square of a distance counts at most so much: how far a coefficient is from a multiple says nothing more."""

WORTH = 0.125
"""What such squares count: in flat blocks rounding moves coefficients together."""

MOST = 4.0
"""A face counts at most so much for the agreement of waves."""

ROUNDS = 10
"""How often waves and faces tell each other which of two steps runs down."""

TOLD, TOLD_ROUNDS, TOLD_MOST = 0.5, 2, 12.0
"""What the evidence of a certain neighbor counts, how far it reaches, and how much that of any piece counts at most, so
that neighbors can outvote it."""

LEADS = (3.0, 6.0, 12.0, 24.0)
"""The leads from which on a heading is at each level of sureness."""

SLICE = 2048


def find_orientation(steps: Evidence | None, rounding: Evidence | None, links: NDArray[np.uint32]) -> list[GridOffsets]:
    """The all_offsets of orientation, by quantization steps and by rounding; none if neither tells any.

    ``links`` has the edge that each edge touches, as far as that is certain.
    """
    if steps is not None and rounding is not None:
        evidence: Evidence | None = united(rounding, steps)
    else:
        evidence = steps if rounding is None else rounding
    return [] if evidence is None else orientation_offsets(told_by_neighbors(evidence, links))


def by_rounding(leaning: NDArray[np.int64]) -> Evidence:
    """What the rounding of enlarged colors tells: ``leaning`` as of :class:`~rectoverso.jpeg.upsampling`."""
    columns, rows, count = leaning.T
    trust = _trust(np.maximum(np.abs(columns), np.abs(rows)), count)
    return (trust[:, None] * np.stack([columns, rows, -columns, -rows], axis=1)).astype(np.float32)


def _trust(lead: NDArray[np.number], of: NDArray[np.number]) -> NDArray[np.floating]:
    """What a lead counts: where much of the evidence gainsays the rest, something was misread."""
    return np.abs(lead) / np.where(of > 0, of, 1)


def by_steps(coded: Coded, clipped: Planes, threads: int = 1) -> Evidence:
    """What quantization steps tell, which is no more than whether up and down or left and right were up and down.

    The two steps of a wave and of the same one turned are known smaller one first: which of them runs down is found by
    what most faces say. Blocks with pixels that were ``clipped`` have lost their waves.
    """
    (planes,), steps = coded.channels, coded.steps
    corners, known = grid_corners(coded.all_offsets[0])
    rows, columns = np.triu_indices(BLOCK, 1)
    told = (steps[0] > 0) & (steps[0] < steps[1])
    rows, columns = rows[told[rows, columns]], columns[told[rows, columns]]
    small, large = steps[:, rows, columns] / np.float32(NOISE)
    leads = np.zeros((len(planes), len(rows)))

    def work(start: int, stop: int) -> None:
        chosen = start + np.flatnonzero(known[start:stop])
        whole = blocks_by_corner(planes[chosen], corners[chosen])
        gaps = cut_by_corner(clipped[chosen], corners[chosen])
        for (faces, blocks), (_, lost) in zip(whole, gaps, strict=True):
            broken = lost.any(axis=(2, 4)).reshape(len(faces), -1, 1)
            waves = np.abs(np.where(broken, 0, blocks)).reshape(len(faces), -1, BLOCK, BLOCK)
            across, down = waves[:, :, rows, columns], waves[:, :, columns, rows]
            nearer = (_nearer(across, small, large) + _nearer(down, large, small)).sum(axis=1)
            leads[chosen[faces]] = multiples(nearer, bits=8)

    with threadpool_limits(1, user_api="blas"):
        over_slices(work, len(planes), threads, SLICE)
        lead = WORTH * leads @ _senses(leads)
    lead *= _trust(lead, WORTH * np.abs(leads).sum(axis=1))
    return np.stack([lead, -lead, lead, -lead], axis=1).astype(np.float32)


def _nearer(values: Coefficients, one: Coefficients, other: Coefficients) -> Coefficients:
    """By how much coefficients are nearer to multiples of one step than of another; 0 where they are zero."""

    def distance(step: Coefficients) -> Coefficients:
        return np.minimum((values - step * np.rint(values / step)) ** 2, np.float32(CAP))

    return np.where(values > NONZERO, distance(other) - distance(one), np.float32(0))


def _senses(leads: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each wave 1 if its smaller step runs across, or -1; all may be the other way round.

    That begins with the wave that tells most, and ends when waves and faces agree.
    """
    senses = np.zeros(leads.shape[1])
    if leads.shape[1]:
        senses[np.abs(leads).sum(axis=0).argmax()] = 1
    for _ in range(ROUNDS):
        senses = np.sign((WORTH * leads @ senses).clip(-MOST, MOST) @ leads)
    return senses


def united(rounding: Evidence, steps: Evidence) -> Evidence:
    """Both together: what is down for the steps is what is for the rounding, or all of it is the other way round."""
    axis = np.maximum(rounding[:, 0], rounding[:, 2]) - np.maximum(rounding[:, 1], rounding[:, 3])
    return rounding + np.where((axis * steps[:, 0]).sum() < 0, -steps, steps)


def told_by_neighbors(evidence: Evidence, links: NDArray[np.uint32]) -> Evidence:
    """The evidence with that of certain neighbors: ``links`` has the edge that each edge touches, if any."""
    edges = np.flatnonzero(links != NOTHING)
    others = links[edges].astype(np.int64)
    # If side k was up here, this side was up there.
    sides = (np.arange(4) + (others - edges + 2)[:, None]) % 4
    found = own = _capped(evidence)
    for _ in range(TOLD_ROUNDS):
        told = np.zeros_like(evidence)
        np.add.at(told, edges // 4, _capped(found)[(others // 4)[:, None], sides])
        found = own + np.float32(TOLD) * told
    return found


def _capped(evidence: Evidence) -> Evidence:
    """By how much less speaks for each side than for the likeliest, and no side is out of the question."""
    return np.maximum(evidence - evidence.max(axis=1, keepdims=True), np.float32(-TOLD_MOST))


def orientation_offsets(evidence: Evidence) -> list[GridOffsets]:
    """Two all_offsets: of edges that touch, both look up or down or neither does; and they look in opposite directions.

    They count up and left as 1 and down and right as 3, which is opposite only together with the first.
    """
    up = evidence.argmax(axis=1)
    rows = np.arange(len(evidence))
    beside = np.maximum(evidence[rows, (up + 1) % 4], evidence[rows, (up + 3) % 4])
    axis = np.searchsorted(LEADS, evidence[rows, up] - beside, side="right")
    sense = np.searchsorted(LEADS, evidence[rows, up] - evidence[rows, (up + 2) % 4], side="right")
    directions = ((np.arange(4) - up[:, None]) % 4).ravel()
    return [
        GridOffsets((4 * (directions % 2)).astype(np.int8), np.repeat(axis, 4).astype(np.int8), 0),
        GridOffsets(
            np.array([1, 3, 3, 1], np.int8)[directions], np.repeat(np.minimum(axis, sense), 4).astype(np.int8), 4
        ),
    ]
