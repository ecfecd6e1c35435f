"""Small puzzles and the bridge from native tables to the literal reference."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from rectoverso.affinity.affinity import GROUP, Affinity, Ranking
from rectoverso.affinity.confidence import entries_of_edges
from rectoverso.affinity.measures import MEASURES
from rectoverso.evolve.parameters import Params
from rectoverso.evolve.ranking import prepare, rank
from rectoverso.geometry import NOTHING
from rectoverso.images.files import Pixels
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.types import PuzzleType
from rectoverso.reference.dissimilarity import Blend, Capped, Dissimilarity, Mgc, Prediction
from rectoverso.reference.kernel import Rules
from rectoverso.reference.tones import Tones

PICTURES = ("distinct", "flat", "duplicated")
FLAT_FIRST = ["flat", *(pytest.param(kind, marks=pytest.mark.compiled) for kind in PICTURES if kind != "flat")]
"""All of them, but without the compiler only the flat ones, which have the most to them: twins take minutes there."""


def picture(kind: str, height: int, width: int, seed: int = 0, size: int = 1) -> Pixels:
    """A picture whose pieces, of this size, are all distinct, mostly flat, or repeated."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:height, 0:width]
    smooth = np.stack([rows * 3 + columns, columns * 2, (rows * columns) // 7], axis=2) + rng.integers(0, 9, 3)
    noisy = (smooth + rng.integers(0, 12, smooth.shape)) % 256
    if kind == "flat":
        noisy[:, : width * 2 // 3] = 255
    elif kind == "duplicated":
        half = height // 2 // size * size
        noisy[height - half :] = noisy[:half]
    return noisy.astype(np.uint8)


def small_puzzle(kind: str, type: int, rows: int = 3, columns: int = 5, size: int = 4, seed: int = 0) -> Puzzle:
    """A puzzle that even the reference solves in no time."""
    front = picture(kind, rows * size, columns * size, seed, size)
    back = picture(kind, rows * size, columns * size, seed + 1, size)[::-1] if PuzzleType(type).two_sided else None
    return Puzzle.from_image(front, back=back, type=type, size=size, seed=seed)


def affinity_of(puzzle: Puzzle, params: Params) -> Affinity:
    """The affinity that the parameters ask for."""
    return prepare(puzzle, params, threads=1)


def with_bearings(puzzle: Puzzle, affinity: Affinity, seed: int = 0) -> Affinity:
    """The affinity with made-up bearings, known here and there, that forbid some placements."""
    rng = np.random.default_rng(seed)
    known = rng.choice(np.array([0, 7, 15], np.uint8), puzzle.num_edges, p=[0.5, 0.2, 0.3])
    offset = rng.choice(np.array([0, 4, 8], np.uint8), puzzle.num_edges)
    known |= rng.choice(np.array([0, 16, 48], np.uint8), puzzle.num_edges, p=[0.6, 0.2, 0.2])
    offset |= rng.choice(np.array([0, 16, 32, 48], np.uint8), puzzle.num_edges)
    assert affinity.ranking is not None
    return replace(affinity, ranking=replace(affinity.ranking, bearings=np.stack([offset, known], axis=1)))


def reference_rules(puzzle: Puzzle, affinity: Affinity, params: Params) -> Rules:
    """What the reference needs to know, as plain lists."""
    ranking = affinity.ranking or rank(puzzle, affinity, params)
    groups = ranking.look_alikes
    assert groups is not None
    bounds, candidates = groups.start.tolist(), plain_lists(ranking)
    return Rules(
        type=puzzle.type,
        rows=puzzle.rows,
        columns=puzzle.columns,
        homes=None if puzzle.homes is None else puzzle.homes.tolist(),
        candidates=candidates,
        buddies=ranking.buddies.tolist(),
        groups=[groups.members[a:b].tolist() for a, b in pairwise(bounds)],
        dissimilarity=reference_dissimilarity(affinity),
        mutation=params.mutation,
        random_ties=params.ties == "random",
        sample=params.sample,
        worth=reference_worth(puzzle, affinity, params) if params.growth == "cell" else None,
        blink=params.blink,
        num_candidates=ranking.candidates.shape[1],
        bearings=None if ranking.bearings is None else [tuple(pair) for pair in ranking.bearings.tolist()],
        stride=puzzle.piece_size % 16,
    )


def plain_lists(ranking: Ranking) -> list[list[tuple[int, float]]]:
    """The candidates of each edge and what they count."""
    rows = zip(ranking.candidates.tolist(), ranking.weights.tolist(), strict=True)
    return [[(e, d) for e, d in zip(*row, strict=True) if e != NOTHING] for row in rows]


def reference_worth(puzzle: Puzzle, affinity: Affinity, params: Params) -> Capped:
    """What seams count by a relative objective, by the reference."""
    ranking = affinity.ranking or rank(puzzle, affinity, params)
    assert ranking.look_alikes is not None
    stray = reference_tones(puzzle, affinity, params).stray if params.tones else None
    entries = entries_of_edges(ranking.look_alikes).tolist()
    return Capped(plain_lists(ranking), entries, params.cap * (1 + params.tones), stray)


def reference_tones(puzzle: Puzzle, affinity: Affinity, params: Params) -> Tones:
    """The tones of edges, by the reference; they are of the ranking without any."""
    before = rank(puzzle, replace(affinity, ranking=None), replace(params, tones=0.0))
    lists = [[(expand(entry, affinity)[0], weight) for entry, weight in row] for row in plain_lists(before)]
    seams = affinity.seams
    strips = seams.forward.reshape(len(seams.forward), -1, 3).tolist()
    return Tones(strips, seams.unit, puzzle.faces, lists, before.candidates.shape[1], params.cap, params.tones)


def reference_dissimilarity(affinity: Affinity) -> Dissimilarity:
    """The measure of an affinity, by the reference."""
    seams = affinity.seams
    faces = int(seams.faces)
    if seams.measure == MEASURES["lab"]:
        return Dissimilarity(seams.forward, seams.unit, faces)
    if seams.measure == MEASURES["mgc"]:
        return Mgc(seams.rgb, seams.step, seams.inverse, faces)
    prediction = Prediction(seams.forward, seams.predicted, seams.unit, faces)
    if seams.measure == MEASURES["prediction"]:
        return prediction
    return Blend(Mgc(seams.rgb, seams.step, seams.inverse, faces), prediction, faces)


def expand(entry: int, affinity: Affinity) -> list[int]:
    """The edges that a candidate stands for."""
    if entry < GROUP:
        return [entry]
    start = affinity.look_alikes.start
    group = entry - GROUP
    return [int(edge) for edge in affinity.look_alikes.members[start[group] : start[group + 1]]]
