"""Small puzzles and the bridge from native tables to the literal reference."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rectoverso.evolve.workspace import Workspace
from rectoverso.geometry import NOTHING
from rectoverso.images.files import Pixels
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.look_alikes import GROUP
from rectoverso.matching.measures import MEASURES
from rectoverso.objective.pipeline import prepare
from rectoverso.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.types import PuzzleType
from rectoverso.reference.extensions.kernel import ExtendedRules
from rectoverso.reference.extensions.measures import Blend, Mgc, Prediction
from rectoverso.reference.extensions.weights import Capped
from rectoverso.reference.paper.dissimilarity import Dissimilarity

PICTURES = ("distinct", "flat", "duplicated", "oblong")
FLAT_FIRST = ["flat", *(pytest.param(kind, marks=pytest.mark.compiled) for kind in PICTURES if kind != "flat")]
"""All of them, but without the compiler only the flat ones, which have the most to them: twins take minutes there."""

SQUARES = FLAT_FIRST[:-1]
"""The same without oblong pieces."""


def picture(kind: str, height: int, width: int, seed: int = 0, size: int = 1) -> Pixels:
    """A picture whose pieces, of this height, are all distinct, mostly flat, or repeated; oblong ones are flat, too."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:height, 0:width]
    smooth = np.stack([rows * 3 + columns, columns * 2, (rows * columns) // 7], axis=2) + rng.integers(0, 9, 3)
    noisy = (smooth + rng.integers(0, 12, smooth.shape)) % 256
    if kind in ("flat", "oblong"):
        noisy[:, : width * 2 // 3] = 255
    elif kind == "duplicated":
        half = height // 2 // size * size
        noisy[height - half :] = noisy[:half]
    return noisy.astype(np.uint8)


def small_puzzle(kind: str, type: int, rows: int = 3, columns: int = 5, size: int = 4, seed: int = 0) -> Puzzle:
    """A puzzle that even the reference solves in no time; oblong pieces are wider than they are high."""
    width = size + 2 if kind == "oblong" else size
    front = picture(kind, rows * size, columns * width, seed, size)
    back = picture(kind, rows * size, columns * width, seed + 1, size)[::-1] if PuzzleType(type).two_sided else None
    return Puzzle.from_image(front, back=back, type=type, size=(size, width), seed=seed)


def lists_of(puzzle: Puzzle, params: Params) -> CandidateLists:
    """The lists that the parameters ask for."""
    return prepare(puzzle, params.objective, threads=1).lists


def space_of(puzzle: Puzzle, params: Params, lists: CandidateLists | None = None, **options: Any) -> Workspace:
    """A workspace of a puzzle, with the lists that the parameters ask for unless there are others."""
    return Workspace.of(puzzle, lists or lists_of(puzzle, params), params, **options)


def with_alignment(puzzle: Puzzle, lists: CandidateLists, seed: int = 0) -> CandidateLists:
    """The lists with a made-up alignment, known here and there, that forbids some placements."""
    rng = np.random.default_rng(seed)
    known = rng.choice(np.array([0, 7, 15], np.uint8), puzzle.num_edges, p=[0.5, 0.2, 0.3])
    offset = rng.choice(np.array([0, 4, 8], np.uint8), puzzle.num_edges)
    known |= rng.choice(np.array([0, 16, 48], np.uint8), puzzle.num_edges, p=[0.6, 0.2, 0.2])
    offset |= rng.choice(np.array([0, 16, 32, 48], np.uint8), puzzle.num_edges)
    return replace(lists, alignment=np.stack([offset, known], axis=1))


def reference_rules(puzzle: Puzzle, lists: CandidateLists, params: Params) -> ExtendedRules:
    """What the reference needs to know, as plain lists."""
    groups, relative = lists.look_alikes, params.objective.relative
    return ExtendedRules(
        type=puzzle.type,
        rows=puzzle.rows,
        columns=puzzle.columns,
        homes=None if puzzle.homes is None else puzzle.homes.tolist(),
        candidates=plain_lists(lists),
        buddies=lists.buddies.tolist(),
        groups=[groups.members[a:b].tolist() for a, b in pairwise(groups.start.tolist())],
        dissimilarity=reference_dissimilarity(lists),
        mutation=params.genetic.mutation,
        random_ties=params.genetic.ties == "random",
        sample=params.genetic.sample,
        weight=reference_weight(lists) if relative else None,
        skip=relative.skip if relative else 0.0,
        num_candidates=lists.candidates.shape[1],
        alignment=None if lists.alignment is None else [tuple(pair) for pair in lists.alignment.tolist()],
        strides=(puzzle.piece_height % 16, puzzle.piece_width % 16),
        square=puzzle.square,
    )


def plain_lists(lists: CandidateLists) -> list[list[tuple[int, float]]]:
    """The candidates of each edge and their weights."""
    rows = zip(lists.candidates.tolist(), lists.weights.tolist(), strict=True)
    return [[(e, d) for e, d in zip(*row, strict=True) if e != NOTHING] for row in rows]


def reference_weight(lists: CandidateLists) -> Capped:
    """What seams cost by a relative objective, by the reference."""
    assert lists.unlisted is not None
    unlisted = lists.unlisted
    colors, scales, ends = unlisted.colors.tolist(), unlisted.scales.tolist(), unlisted.ends.tolist()

    def cost(one: int, other: int) -> float:
        gap = sum(abs(a - b) for a, b in zip(colors[one], colors[other], strict=True))
        return min(ends[one], ends[other]) * (1 + unlisted.factor * gap / (gap + min(scales[one], scales[other])))

    return Capped(plain_lists(lists), lists.look_alikes.entries.tolist(), unlisted.cap, cost)


def reference_dissimilarity(lists: CandidateLists) -> Dissimilarity:
    """The measure of lists, by the reference."""
    about = lists.descriptors
    faces, lengths = int(about.faces), about.lengths.tolist()
    if about.measure == MEASURES["lab"]:
        return Dissimilarity(about.forward, about.unit, faces, lengths)
    if about.measure == MEASURES["mgc"]:
        return Mgc(about.rgb, about.step, about.inverse, faces, lengths)
    prediction = Prediction(about.forward, about.predicted, about.unit, faces, lengths)
    if about.measure == MEASURES["prediction"]:
        return prediction
    return Blend(Mgc(about.rgb, about.step, about.inverse, faces, lengths), prediction, faces)


def expand(entry: int, lists: CandidateLists) -> list[int]:
    """The edges that a candidate stands for."""
    if entry < GROUP:
        return [entry]
    start = lists.look_alikes.start
    group = entry - GROUP
    return [int(edge) for edge in lists.look_alikes.members[start[group] : start[group + 1]]]
