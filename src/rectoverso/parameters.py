"""What can be chosen about a solve, nested by part; what the papers leave open is a field here, with its default."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from rectoverso.images.color import Normalization

MeasureName = Literal["lab", "mgc", "prediction", "blend", "custom"]
"""The measures of dissimilarity; :mod:`rectoverso.matching.measures` says what they are. A ``custom`` one is given as a
function; see :mod:`rectoverso.matching.custom`."""

Fitness = Literal["reciprocal", "worst", "rank"]
Ties = Literal["random", "first"]


MOST = 2**31 - 1
"""The largest whole number that a parameter can be: native code counts in 32 bits."""


def _at_least(params: object, **least: float) -> None:
    for name, bound in least.items():
        _number(params, name)
        if getattr(params, name) < bound:
            raise ValueError(f"{name} must be at least {bound}, not {getattr(params, name)}")


def _number(params: object, name: str) -> None:
    """Refuse what is no number: fractions where whole numbers are needed, infinities, text."""
    value, whole = getattr(params, name), params.__dataclass_fields__[name].type == "int"  # type: ignore[attr-defined]
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise ValueError(f"{name} must be a {'whole ' if whole else ''}number, not {value!r}")
    if not (abs(value) <= MOST if whole else math.isfinite(value)):
        raise ValueError(f"{name} must be {f'at most {MOST}' if whole else 'finite'}, not {value}")


def _probability(params: object, name: str) -> None:
    _number(params, name)
    if not 0 <= getattr(params, name) <= 1:
        raise ValueError(f"{name} is a probability from 0 to 1, not {getattr(params, name)}")


def _one_of(params: object, **choices: object) -> None:
    for name, choice in choices.items():
        if getattr(params, name) not in get_args(choice):
            raise ValueError(f"{name} must be one of {', '.join(get_args(choice))}, not {getattr(params, name)!r}")


@dataclass(frozen=True)
class Genetic:
    """The loop and the crossover; the defaults are the paper's.

    Attributes
    ----------
    population, generations
        Chromosomes in a generation, and how many generations are bred (the paper: 1,000 and 30). A population of 0 is
        chosen for the puzzle, see :meth:`Params.chosen_for`.
    patience
        Stop when the best cost has not fallen for this many generations; 0 means never.
    elites
        How many of the best chromosomes are copied into the next generation unchanged (the paper's predecessor: 4).
    fitness
        How a cost becomes what the roulette wheel sees: ``rank`` counts how many are no better, ``worst`` is the
        distance to the worst cost of the generation, ``reciprocal`` is 1 / cost.
    mutation
        The probability that phase 1 or 3 places a random piece instead of the one it found (predecessor: 0.05).
    ties
        Among open edges of equal weight: ``random`` or the ``first`` by number.
    sample
        When the candidates of all open edges are used up: how many of the free pieces are tried for a cell.
    """

    population: int = 1000
    generations: int = 30
    patience: int = 0
    elites: int = 4
    fitness: Fitness = "rank"
    mutation: float = 0.0
    ties: Ties = "random"
    sample: int = 64

    def __post_init__(self) -> None:
        _at_least(self, population=0 if self.population == 0 else 2, generations=1, patience=0, elites=0, sample=1)
        if self.population and self.elites >= self.population:
            raise ValueError(f"elites must be fewer than the population of {self.population}, not {self.elites}")
        _probability(self, "mutation")
        _one_of(self, fitness=Fitness, ties=Ties)


@dataclass(frozen=True)
class Relative:
    """The relative objective: a seam is weighed by the best that either of its edges could have instead.

    A wrong seam is wrong, however bad it looks: no seam counts more than a cap. Phase 3 of the crossover then judges a
    placement by all placed neighbors of its cell.

    Attributes
    ----------
    traces
        Whether traces of JPEG compression are looked for and used; see :mod:`rectoverso.jpeg`.
    wear
        Whether worn pieces are compared by the measure that knows their wear; see :mod:`rectoverso.worn`. It takes the
        place of ``blend`` only.
    color_gap
        How many times as much a seam costs in addition, at most, by how far the mean colors of its edges are apart. It
        applies to pictures with a known block grid only; see :mod:`rectoverso.objective.color_gap`.
    superpieces
        Whether 2x2 superpieces, which the block grid shows to belong together, are compared, too; see
        :mod:`rectoverso.objective.superpieces`.
    loop_rounds
        How many rounds of loop support weights get: a seam is believed more if it is part of cheap loops of four
        seams; see :mod:`rectoverso.objective.loops`.
    wide_candidates
        How many candidates loop support looks at, before the best ``num_candidates`` are kept.
    skip
        The probability that growth skips a placement: without it all children of a smooth sky are alike.
    """

    traces: bool = True
    wear: bool = True
    color_gap: float = 2.0
    superpieces: bool = True
    loop_rounds: int = 3
    wide_candidates: int = 96
    skip: float = 0.1

    def __post_init__(self) -> None:
        _at_least(self, color_gap=0, loop_rounds=0, wide_candidates=1)
        _probability(self, "skip")


@dataclass(frozen=True)
class Objective:
    """What a seam counts; the defaults are the paper's.

    Attributes
    ----------
    measure
        What makes edges dissimilar; see :mod:`rectoverso.matching.measures`.
    normalization
        What "normalized L*a*b*" means; see :func:`rectoverso.images.color.normalized_lab`.
    num_candidates
        How many best candidates are kept for each edge.
    least_group
        From how many look-alikes on edges are one candidate, of which any unused one will do.
    relative
        Without it a seam counts its dissimilarity.
    """

    measure: MeasureName = "lab"
    normalization: Normalization = "chroma"
    num_candidates: int = 32
    least_group: int = 2
    relative: Relative | None = None

    def __post_init__(self) -> None:
        _at_least(self, num_candidates=1, least_group=2)
        _one_of(self, measure=MeasureName, normalization=Normalization)
        if self.relative and self.relative.loop_rounds and self.relative.wide_candidates < self.num_candidates:
            raise ValueError(
                f"wide_candidates must be at least num_candidates ({self.num_candidates}), "
                f"not {self.relative.wide_candidates}"
            )

    @property
    def searched(self) -> int:
        """How many candidates are searched for each edge."""
        wide = self.relative is not None and self.relative.loop_rounds > 0
        return self.relative.wide_candidates if wide and self.relative else self.num_candidates


@dataclass(frozen=True)
class Repair:
    """The stages after evolution; 0 leaves one out.

    Attributes
    ----------
    regrow_steps
        How many steps of ruin and regrow of the whole; none for puzzles of more than 2,000 pieces.
    patch_steps
        How many steps of ruin and regrow by patches follow, for each doubtful piece.
    segment_moves
        How often, for each of these, a segment of pieces is tried elsewhere as a whole; a try takes microseconds.
    exchange_cells
        How many doubtful cells, at most, exchange their pieces at a time in the end.
    """

    regrow_steps: int = 5000
    patch_steps: int = 200
    segment_moves: int = 60
    exchange_cells: int = 600

    def __post_init__(self) -> None:
        _at_least(self, regrow_steps=0, patch_steps=0, segment_moves=0, exchange_cells=0)
        if self.segment_moves and not self.patch_steps:
            raise ValueError("segment_moves needs patch_steps, between which they are made")


@dataclass(frozen=True)
class Params:
    """The parameters of a solve; the defaults are the preset ``paper``.

    Attributes
    ----------
    genetic, objective
        The loop and the crossover, and what a seam counts.
    repair
        The stages after evolution. They need the relative objective, which tells doubtful seams from others.
    time_limit
        So many seconds for all of the work, preparation included; 0 for no limit. They are used: if the solve would end
        before, it goes on with repair, and then with other seeds, as long as that gains anything. One generation is
        always bred.
    """

    genetic: Genetic = field(default_factory=Genetic)
    objective: Objective = field(default_factory=Objective)
    repair: Repair | None = None
    time_limit: float = 0.0

    def __post_init__(self) -> None:
        if not self.time_limit >= 0:
            raise ValueError(f"a time limit must be positive, not {self.time_limit} seconds")
        _number(self, "time_limit")
        if self.repair is not None and self.objective.relative is None:
            raise ValueError("repair needs the relative objective, which tells doubtful seams from others")

    def chosen_for(self, pieces: int) -> Params:
        """These parameters with a population that suits so many pieces, if it was left open: larger puzzles need fewer.

        >>> PRESETS["best"].chosen_for(432).genetic.population, PRESETS["best"].chosen_for(22755).genetic.population
        (200, 100)
        """
        if self.genetic.population:
            return self
        return replace(self, genetic=replace(self.genetic, population=200 if pieces <= 10_000 else 100))


PRESETS = {
    "paper": Params(),
    "quick": Params(Genetic(population=200, patience=3)),
    "best": Params(
        Genetic(population=0, patience=4, sample=16),
        Objective(measure="blend", least_group=13, relative=Relative()),
        Repair(),
    ),
}
"""``paper`` is the paper's algorithm; ``quick`` is the same with a fifth of the population, until it stalls; ``best``
has a better measure and objective, and repairs what evolution found."""
