"""Who becomes a parent: cost to fitness, and the roulette wheel (section "Puzzle Solving")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.parameters import Fitness


def fitness_from_cost(costs: NDArray[np.float64], fitness: Fitness) -> NDArray[np.float64]:
    """What the roulette wheel sees: higher for lower costs, never negative, not all zero.

    >>> fitness_from_cost(np.array([1.0, 4.0, 2.0]), "worst").tolist()
    [3.0, 0.0, 2.0]
    """
    if fitness == "reciprocal":
        values = 1 / np.maximum(costs, np.finfo(float).tiny)
    elif fitness == "rank":
        values = len(costs) - np.argsort(np.argsort(costs, kind="stable")).astype(float)
    else:
        values = costs.max() - costs
    return values if values.any() and np.isfinite(values.sum()) else np.ones(len(costs))


def select_parents(
    costs: NDArray[np.float64], count: int, fitness: Fitness, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Pairs of parents, each drawn with a probability proportional to its fitness."""
    wheel = np.cumsum(fitness_from_cost(costs, fitness))
    spins = rng.random((count, 2)) * wheel[-1]
    return np.searchsorted(wheel, spins, side="right").clip(max=len(costs) - 1)
