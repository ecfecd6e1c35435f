"""How the numbers of the confidence model are found: logistic regression on the seams of solved puzzles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.confidence.evidence import Evidence, collect
from rectoverso.confidence.model import (
    Alone,
    Amid,
    Model,
    Placed,
    Table,
    alone_columns,
    amid_columns,
    level_of,
    seam_probabilities,
    support,
)
from rectoverso.confidence.pieces import piece_columns, piece_probabilities, seams_around
from rectoverso.matching.lists import CandidateLists
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.metrics import right_places, right_seams
from rectoverso.puzzle.puzzle import Puzzle

ROUNDS = 2
"""How often a seam is judged anew beside its surroundings."""
RIDGE = 1.0
"""Pulls the weights towards 0, as hard as a single seam would: they stay finite where nothing at all is wrong."""
BINS = 10


@dataclass(frozen=True, eq=False)
class Judged:
    """A solved puzzle whose truth is known: the evidence for its seams to the right and down, and what is right."""

    evidence: tuple[Evidence, Evidence]
    right: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    placed: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        arrangement: Arrangement,
        truth: Arrangement,
        puzzle: Puzzle,
        lists: CandidateLists,
        solved: CandidateLists | None = None,
    ) -> Judged:
        """What a solution shows, beside what is true."""
        return cls(
            collect(arrangement, puzzle, lists, solved),
            right_seams(arrangement, truth, puzzle),
            right_places(arrangement, truth, puzzle),
        )


@dataclass(frozen=True)
class Bin:
    """Those that were said to be right with about the same chance: the mean of what was said, and the right share."""

    said: float
    right: float
    count: int


def fit_model(puzzles: Sequence[Judged], commit: str = "") -> Model:
    """The numbers that fit these puzzles; twins are left out, since their chances are known without."""
    alone = Alone(*_fit(puzzles, lambda puzzle: tuple(alone_columns(evidence) for evidence in puzzle.evidence)))
    model = Model(alone, ())
    for _ in range(ROUNDS):

        def columns(puzzle: Judged, so_far: Model = model) -> tuple[Table, ...]:
            first = seam_probabilities(*puzzle.evidence, Model(so_far.alone, ()))
            whole, loops = level_of(first, *puzzle.evidence), support(*seam_probabilities(*puzzle.evidence, so_far))
            return tuple(amid_columns(*tables, whole) for tables in zip(first, loops, strict=True))

        model = Model(alone, (*model.amid, Amid(*_fit(puzzles, columns))))
    return Model(alone, model.amid, _fit_pieces(puzzles, model), commit)


def _fit_pieces(puzzles: Sequence[Judged], model: Model) -> Placed:
    """The weights of what speaks for a piece."""
    boards = [seams_around(*seam_probabilities(*puzzle.evidence, model)) for puzzle in puzzles]
    told = np.concatenate([piece_columns(around).reshape(-1, 1) for around in boards])
    return Placed(*fit_weights(told, np.concatenate([puzzle.placed.ravel() for puzzle in puzzles])).tolist())


def _fit(puzzles: Sequence[Judged], columns: Callable[[Judged], tuple[Table, ...]]) -> list[float]:
    """The weights of columns of evidence, over all seams."""
    told, right = [], []
    for puzzle in puzzles:
        for table, evidence, truth in zip(columns(puzzle), puzzle.evidence, puzzle.right, strict=True):
            use = evidence.there & (evidence.twins == 1)
            told.append(table[use])
            right.append(truth[use])
    return fit_weights(np.concatenate(told), np.concatenate(right)).tolist()


def fit_weights(columns: Table, right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Logistic regression by Newton's method: a constant, and a weight for each column that is not negative.

    A column that would get a negative weight is left out: more evidence must never mean less confidence.
    """
    given = np.concatenate([np.ones((len(columns), 1)), columns], axis=1)
    used = np.ones(given.shape[1], bool)
    while True:
        weights = np.zeros(given.shape[1])
        weights[used] = _newton(given[:, used], right.astype(np.float64))
        negative = weights < 0
        negative[0] = False
        if not negative.any():
            return weights
        used &= ~negative


def _newton(given: Table, right: NDArray[np.float64]) -> NDArray[np.float64]:
    weights, ridge = np.zeros(given.shape[1]), RIDGE * np.eye(given.shape[1])
    for _ in range(100):
        chance = 1 / (1 + np.exp(-(given @ weights)))
        slope = given.T @ (right - chance) - ridge @ weights
        step = np.linalg.solve((given * (chance * (1 - chance))[:, None]).T @ given + ridge, slope)
        size = float(np.abs(step).max())
        weights += step / max(1.0, size / 3)  # far from the end a full step can overshoot without bound
        if size < 1e-8:
            break
    return weights


def seam_reliability(puzzles: Sequence[Judged], model: Model) -> list[Bin]:
    """What the model says of seams, in tenths, beside what is true."""
    said, right = [], []
    for puzzle in puzzles:
        said += [table.ravel() for table in seam_probabilities(*puzzle.evidence, model)]
        right += [table.ravel() for table in puzzle.right]
    return reliability(np.concatenate(said), np.concatenate(right))


def piece_reliability(puzzles: Sequence[Judged], model: Model) -> list[Bin]:
    """What the model says of pieces, in tenths, beside what is true."""
    chances = [piece_probabilities(*seam_probabilities(*puzzle.evidence, model), model) for puzzle in puzzles]
    said = np.concatenate([table.ravel() for table in chances])
    return reliability(said, np.concatenate([puzzle.placed.ravel() for puzzle in puzzles]))


def reliability(said: Table, right: NDArray[np.bool_]) -> list[Bin]:
    """One bin for each tenth of what was said.

    >>> reliability(np.array([0.95, 0.97, 0.5]), np.array([True, True, False]))[9]
    Bin(said=0.96, right=1.0, count=2)
    """
    number = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    bins = []
    for these in (number == one for one in range(BINS)):
        count = int(np.count_nonzero(these))
        shares = (float(said[these].mean()), float(right[these].mean())) if count else (0.0, 0.0)
        bins.append(Bin(round(shares[0], 4), round(shares[1], 4), count))
    return bins
