"""From evidence to probability: fourteen numbers, measured on solved puzzles and kept in model.json.

Worn pieces have numbers of their own, in model-worn.json, and two more kinds of them: a seam is judged by what it
counted in the solve, and beside the whole arrangement. Where hardly any seam is good, those that look good are mostly
the best of many wrong ones.

A seam is first judged by itself, and then twice more beside its surroundings: where the three other seams of a loop of
four pieces are right, the fourth must be right as well, whatever it looks like.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec
import numpy as np
from numpy.typing import NDArray

from rectoverso.confidence.evidence import Evidence

Table = NDArray[np.float64]
WORST_RATIO = 5.0
"""All ratios from here on are equally bad, and so are seams that no candidate list holds."""
BEST_RATIO = 0.3
"""All ratios up to here are equally good."""
MOST_SUPPORT = 0.999
"""No loop is surer than this."""
MOST_WEIGHT = 2.5
"""No seam counts more in a solve: the cap of the objective, a room to the right of this one."""


class Alone(msgspec.Struct, frozen=True):
    """Log odds of a seam by itself; the weights are not negative."""

    constant: float
    below_one: float
    above_one: float
    alike: float
    weight: float = 0.0


class Amid(msgspec.Struct, frozen=True):
    """Log odds of a seam beside the loops it closes; the weights are not negative."""

    constant: float
    alone: float
    better_loop: float
    other_loop: float
    whole: float = 0.0


class Placed(msgspec.Struct, frozen=True):
    """Log odds of a piece; the weight is not negative."""

    constant: float
    reach: float


class Model(msgspec.Struct, frozen=True):
    """The numbers of the model, and the commit whose solves they were measured on."""

    alone: Alone
    amid: tuple[Amid, ...]
    placed: Placed = Placed(0.0, 1.0)
    commit: str = ""


@cache
def fitted_model(worn: bool = False) -> Model:
    """The model that ``benchmarks/confidence.py`` fitted, or for worn pieces ``benchmarks/confidence_worn.py``."""
    name = "model-worn.json" if worn else "model.json"
    return msgspec.json.decode((files("rectoverso.confidence") / name).read_bytes(), type=Model)


def seam_probabilities(right: Evidence, down: Evidence, model: Model) -> tuple[Table, Table]:
    """The chances that the seams are right."""
    alone = [_alone(evidence, model.alone) for evidence in (right, down)]
    chances, whole = alone, level_of(alone, right, down)
    for step in model.amid:
        told = [amid_columns(first, loops, whole) for first, loops in zip(alone, support(*chances), strict=True)]
        odds = [log_odds(columns, step) for columns in told]
        chances = [limited(chance, evidence) for chance, evidence in zip(odds, (right, down), strict=True)]
    return chances[0], chances[1]


def _alone(evidence: Evidence, model: Alone) -> Table:
    return limited(log_odds(alone_columns(evidence), model), evidence)


def alone_columns(evidence: Evidence) -> Table:
    """What speaks for a seam by itself, in the order of the weights of :class:`Alone`; more is better."""
    logs = np.log(np.clip(evidence.ratio, BEST_RATIO, WORST_RATIO))
    columns = [-np.minimum(logs, 0), -np.maximum(logs, 0), -np.log(evidence.alike)]
    if evidence.weight is not None:
        columns.append(-np.minimum(evidence.weight, MOST_WEIGHT))
    return np.stack(columns, axis=-1)


def level_of(alone: Sequence[Table], *evidence: Evidence) -> float | None:
    """Of worn pieces the log odds of the mean chance of all seams; None for clean ones, which are judged one by one."""
    if any(each.weight is None for each in evidence):
        return None
    there = np.concatenate([table[each.there] for table, each in zip(alone, evidence, strict=True)])
    return float(odds_of(there.mean())) if there.size else 0.0


def amid_columns(alone: Table, loops: Table, whole: float | None = None) -> Table:
    """What speaks for a seam beside its surroundings, in the order of the weights of :class:`Amid`; more is better."""
    closed = np.sort(-np.log1p(-np.minimum(loops, MOST_SUPPORT)), axis=-1)
    columns = [odds_of(alone), closed[..., 1], closed[..., 0]]
    if whole is not None:
        columns.append(np.full(alone.shape, whole))
    return np.stack(columns, axis=-1)


def log_odds(columns: Table, weights: Alone | Amid | Placed) -> Table:
    """The weighted sum of columns of evidence."""
    constant, *slopes = msgspec.structs.astuple(weights)
    return constant + columns @ np.array(slopes[: columns.shape[-1]])


def limited(odds: Table, evidence: Evidence) -> Table:
    """Log odds as chances; among twins the right one is drawn by lot, and no seam joins an empty cell."""
    return np.where(evidence.there, chances_of(odds) / evidence.twins, 0.0)


def chances_of(odds: Table) -> Table:
    """The chances that have these log odds."""
    return 1 / (1 + np.exp(-odds))


def odds_of(chances: Table) -> Table:
    """The log odds of chances, none of which is taken for certain."""
    held = np.clip(chances, 1 - MOST_SUPPORT, MOST_SUPPORT)
    return np.log(held / (1 - held))


def support(right: Table, down: Table) -> tuple[Table, Table]:
    """For each seam the chances that the other three seams of each of its two loops are right; 0 at the frame."""
    above, below, left, beside = right[:-1], right[1:], down[:, :-1], down[:, 1:]
    of_right, of_down = np.zeros((*right.shape, 2)), np.zeros((*down.shape, 2))
    of_right[:-1, :, 0] = below * left * beside
    of_right[1:, :, 1] = above * left * beside
    of_down[:, :-1, 0] = above * below * beside
    of_down[:, 1:, 1] = above * below * left
    return of_right, of_down
