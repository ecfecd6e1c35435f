"""What can be chosen about a solve; what the papers leave open is a field here, with its default and the reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from rectoverso.affinity import MeasureName
from rectoverso.images.color import Normalization

Fitness = Literal["reciprocal", "worst", "rank"]
Ties = Literal["random", "first"]
Objective = Literal["dissimilarity", "relative"]
Growth = Literal["edge", "cell"]


@dataclass(frozen=True)
class Params:
    """The parameters of the genetic algorithm; the defaults are the preset ``paper``.

    Attributes
    ----------
    population, generations
        Chromosomes in a generation, and how many generations are bred (the paper: 1,000 and 30). A population of 0 is
        chosen for the puzzle, see :meth:`chosen_for`.
    elites
        How many of the best chromosomes are copied into the next generation unchanged (the paper's predecessor: 4).
    fitness
        How a cost becomes what the roulette wheel sees: ``rank`` counts how many are no better, ``worst`` is the
        distance to the worst cost of the generation, ``reciprocal`` is 1 / cost.
    mutation
        The chance that phase 1 or 3 places a random piece instead of the one it found (predecessor: 0.05).
    ties
        Among open edges of equal dissimilarity: ``random`` or the ``first`` by number.
    measure
        What makes edges dissimilar; see :mod:`rectoverso.affinity.measures`.
    normalization
        What "normalized L*a*b*" means; see :func:`rectoverso.images.color.normalized_lab`.
    objective
        What a seam counts, in the growth of phase 3 and in the cost: its ``dissimilarity``, or that ``relative`` to the
        best that either edge could have instead, at most ``cap``: a wrong seam is wrong, however bad it looks.
    tones
        How many times as much a seam counts in addition, at most, the more it shows: that is, the further the mean
        colors along its edges are apart. With 0 all seams that neither edge lists count the cap, and so they do with
        ``grid`` if there is none; see :mod:`rectoverso.affinity.tones`. Needs the relative objective.
    grid
        Whether the relative objective doubts seams that break the picture's compression grid, where it has one; see
        :mod:`rectoverso.affinity.compression`.
    pooling
        Whether quads of pieces, which the grid shows to belong together, are compared as one, too; see
        :mod:`rectoverso.affinity.quads`.
    squares
        How many rounds of support by squares the relative objective gets: a seam is believed more if it is part of
        cheap squares of four seams; see :mod:`rectoverso.affinity.squares`.
    growth
        What phase 3 judges a placement by: the one open ``edge`` it is found by, or all placed neighbors of its
        ``cell``; that needs the relative objective.
    blink
        The chance that growth by cells overlooks a placement: without it all children of a smooth sky are alike, and
        have nothing to learn from each other.
    num_candidates
        How many best candidates are kept for each edge.
    wide_candidates
        How many the squares look at, before the best ``num_candidates`` are kept.
    least_group
        From how many look-alikes on edges are one candidate, of which any unused one will do.
    sample
        When all candidates of the open edges are used up: how many of the free pieces are tried for a cell.
    regrow_steps
        After evolution, how many steps of ruin and regrow of the whole improve the best chromosome; none for puzzles of
        more than 2,000 pieces. Needs the relative objective.
    patch_steps
        How many steps of ruin and regrow by patches follow, for each doubtful piece; needs the relative objective.
    segment_moves
        How often, for each step of these, a segment of pieces is tried elsewhere as a whole; a try takes microseconds.
    exchange_cells
        After all that, how many doubtful cells, at most, exchange their pieces at a time. Needs the relative objective.
    regrow_heat
        The first and the last temperature of their annealing, in costs.
    regrow_doubtful, regrow_any
        The chances that a step breaks a seam that is not the best of both its edges, and any other seam.
    patience
        Stop when the best cost has not fallen for this many generations; 0 means never.
    """

    population: int = 1000
    generations: int = 30
    elites: int = 4
    fitness: Fitness = "rank"
    mutation: float = 0.0
    ties: Ties = "random"
    measure: MeasureName = "lab"
    normalization: Normalization = "chroma"
    objective: Objective = "dissimilarity"
    cap: float = 2.5
    tones: float = 0.0
    grid: bool = False
    pooling: bool = False
    squares: int = 0
    growth: Growth = "edge"
    blink: float = 0.0
    num_candidates: int = 32
    wide_candidates: int = 96
    least_group: int = 2
    sample: int = 64
    regrow_steps: int = 0
    patch_steps: int = 0
    segment_moves: int = 0
    exchange_cells: int = 0
    regrow_heat: tuple[float, float] = (5.0, 0.4)
    regrow_doubtful: float = 0.9
    regrow_any: float = 0.05
    patience: int = 0

    def __post_init__(self) -> None:
        for name, least in (
            ("population", 2 if self.population else 0),
            ("generations", 1),
            ("elites", 0),
            ("tones", 0),
            ("squares", 0),
            ("num_candidates", 1),
            ("wide_candidates", self.num_candidates if self.squares else 1),
            ("least_group", 2),
            ("sample", 1),
            ("regrow_steps", 0),
            ("patch_steps", 0),
            ("segment_moves", 0),
            ("exchange_cells", 0),
            ("patience", 0),
        ):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be at least {least}, not {getattr(self, name)}")
        if self.population and self.elites >= self.population:
            raise ValueError(f"elites must be fewer than the population of {self.population}, not {self.elites}")
        if not self.cap > 1:
            raise ValueError(f"cap must be above 1, where doubt begins, not {self.cap}")
        if not self.regrow_heat[0] >= self.regrow_heat[1] > 0:
            raise ValueError(f"regrow_heat must fall and stay positive, not {self.regrow_heat}")
        for name, wanted in (
            ("regrow_steps", self.regrow_steps),
            ("patch_steps", self.patch_steps),
            ("exchange_cells", self.exchange_cells),
            ("tones", self.tones),
            ("grid", self.grid),
            ("squares", self.squares),
            ("growth", self.growth == "cell"),
        ):
            if wanted and self.objective != "relative":
                raise ValueError(f"{name} needs the relative objective, which tells doubtful seams from others")
        if self.pooling and not self.grid:
            raise ValueError("pooling needs the grid, which shows what belongs together")
        if self.segment_moves and not self.patch_steps:
            raise ValueError("segment_moves needs patch_steps, between which they are made")
        if self.blink and self.growth != "cell":
            raise ValueError("blink needs growth by cell, which alone can overlook a placement")
        for name in ("mutation", "blink", "regrow_doubtful", "regrow_any"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a chance from 0 to 1, not {getattr(self, name)}")
        self._check_choices()

    def _check_choices(self) -> None:
        for name, choices in (
            ("fitness", Fitness),
            ("ties", Ties),
            ("measure", MeasureName),
            ("objective", Objective),
            ("growth", Growth),
            ("normalization", Normalization),
        ):
            if getattr(self, name) not in get_args(choices):
                raise ValueError(f"{name} must be one of {', '.join(get_args(choices))}, not {getattr(self, name)!r}")

    def chosen_for(self, pieces: int) -> Params:
        """These parameters with a population that suits so many pieces, if it was left open: larger puzzles need fewer.

        >>> PRESETS["best"].chosen_for(432).population, PRESETS["best"].chosen_for(22755).population
        (200, 100)
        """
        return self if self.population else replace(self, population=200 if pieces <= 10_000 else 100)


PRESETS = {
    "paper": Params(),
    "quick": Params(population=200, patience=3),
    "best": Params(
        population=0,
        patience=4,
        measure="blend",
        objective="relative",
        tones=2.0,
        grid=True,
        pooling=True,
        squares=3,
        growth="cell",
        blink=0.1,
        least_group=13,
        sample=16,
        regrow_steps=5000,
        patch_steps=200,
        segment_moves=60,
        exchange_cells=600,
    ),
}
"""``paper`` is the paper's algorithm; ``quick`` is the same with a fifth of the population, until it stalls; ``best``
has a better measure and objective, and improves what evolution found by ruin and regrow."""
