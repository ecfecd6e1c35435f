"""The native crossover against its literal twins: that of the paper, and the one with the extensions."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from helpers import FLAT_FIRST, lists_of, reference_rules, small_puzzle, space_of, with_alignment

from rectoverso.changes import changed_params
from rectoverso.evolve import _native_crossover
from rectoverso.evolve._native_kernel import BOTTOM, LEFT, NUM_PHASES, TOP, load_parent
from rectoverso.evolve.breeding import breed, scatter
from rectoverso.evolve.state import PHASES
from rectoverso.evolve.workspace import Workspace, make_rules
from rectoverso.matching.lists import CandidateLists
from rectoverso.objective.color_gap import with_color_gap
from rectoverso.parameters import Genetic, Objective, Params, Relative
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.extensions import cells
from rectoverso.reference.extensions.kernel import ExtendedRules
from rectoverso.reference.paper import crossover, dissimilarity
from rectoverso.reference.paper.kernel import Rules
from rectoverso.reference.paper.random import stream_key

PLAIN = Relative(traces=False, color_gap=0.0, loop_rounds=0, skip=0.0)
"""The ratios and nothing else."""

CHOICES = {
    "paper": Params(),
    "mutating": Params(Genetic(mutation=0.2)),
    "exhausted": Params(Genetic(sample=3, ties="first"), Objective(num_candidates=2)),
    "on a grid": Params(objective=Objective(num_candidates=8)),
    "relative": Params(objective=Objective(relative=PLAIN)),
    "relative, blended": Params(objective=Objective(measure="blend", num_candidates=6, relative=PLAIN)),
    "relative, skipping": Params(
        objective=Objective(num_candidates=8, relative=replace(PLAIN, loop_rounds=1, wide_candidates=8, skip=0.3))
    ),
    "relative, mutating": Params(Genetic(mutation=0.2), Objective(least_group=5, relative=PLAIN)),
    "relative, exhausted": Params(Genetic(sample=3, ties="first"), Objective(num_candidates=2, relative=PLAIN)),
    "relative, color gap": Params(objective=Objective(num_candidates=4, relative=replace(PLAIN, color_gap=2.0))),
    "relative, color gap, skipping": Params(
        objective=Objective(num_candidates=4, relative=replace(PLAIN, color_gap=2.0, skip=0.1))
    ),
    "relative, on a grid": Params(Genetic(mutation=0.05), Objective(num_candidates=8, relative=PLAIN)),
    "relative, color gap, on a grid": Params(
        objective=Objective(num_candidates=8, relative=replace(PLAIN, color_gap=2.0))
    ),
}
ON_A_GRID = [choice for choice in CHOICES if choice.endswith("on a grid")]
OF_THE_PAPER = [choice for choice in CHOICES if not CHOICES[choice].objective.relative and choice not in ON_A_GRID]


def lists_for(choice: str, puzzle: Puzzle) -> CandidateLists:
    """The lists that a choice asks for: with a made-up alignment on a grid, with the color gap even without one."""
    lists, relative = lists_of(puzzle, CHOICES[choice]), CHOICES[choice].objective.relative
    if choice in ON_A_GRID:
        lists = with_alignment(puzzle, lists)
    if relative and relative.color_gap:
        lists = with_color_gap(lists, puzzle.faces, relative.color_gap)
    return lists


def generations(choice: str, puzzle: Puzzle, count: int, size: int) -> tuple[Workspace, list[np.ndarray]]:
    """A workspace, a random generation and some that follow from it."""
    space = space_of(puzzle, CHOICES[choice], lists_for(choice, puzzle), seed=7)
    populations = [scatter(space, size).chromosomes]
    for generation in range(1, count):
        pairs = np.random.default_rng(generation).integers(0, size, (size, 2))
        populations.append(breed(space, generation, populations[-1], pairs).chromosomes)
    return space, populations


def of_the_paper(rules: ExtendedRules) -> Rules:
    """The rules without all that the paper does not know."""
    return Rules(**{field.name: getattr(rules, field.name) for field in fields(Rules)})


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("choice", CHOICES)
def test_same_child_as_the_reference(kind: str, type: int, choice: str) -> None:
    """Fed with the same random numbers, both make the same child, cell by cell, from random or related parents."""
    puzzle = small_puzzle(kind, type)
    space, populations = generations(choice, puzzle, count=3, size=4)
    rules = reference_rules(puzzle, lists_for(choice, puzzle), CHOICES[choice])
    pairs = np.array([[0, 1], [2, 3], [1, 1]])
    for generation, population in enumerate(populations, start=1):
        brood = breed(space, generation, population, pairs)
        for number, pair in enumerate(pairs):
            mother, father = (space.board(population[i]).tolist() for i in pair)
            key = stream_key(7, generation, number)
            child, phases = cells.cross(rules, mother, father, key)
            if choice in OF_THE_PAPER:
                assert crossover.cross(of_the_paper(rules), mother, father, key) == (child, phases)
            assert brood.chromosomes[number].tolist() == [up for row in child for up in row]
            assert dict(zip(PHASES, brood.phases[number].tolist(), strict=True)) == {
                n: phases.get(n, 0) for n in PHASES
            }
            assert brood.costs[number] == dissimilarity.cost(child, rules.weight or rules.dissimilarity)


def test_the_paper_was_compared() -> None:
    """The twin test above knows which choices are the paper's; all others grow by what the paper does not know."""
    assert OF_THE_PAPER == ["paper", "mutating", "exhausted"]
    puzzle = small_puzzle("flat", 4)
    for choice, params in CHOICES.items():
        rules = reference_rules(puzzle, lists_for(choice, puzzle), params)
        assert (rules.weight is None and rules.alignment is None) == (choice in OF_THE_PAPER)


@pytest.mark.parametrize("type", range(1, 8))
def test_same_random_chromosomes_as_the_reference(type: int) -> None:
    """The random first generation is the reference's."""
    puzzle = small_puzzle("distinct", type)
    brood = scatter(space_of(puzzle, Params(), seed=3), 5)
    homes = None if puzzle.homes is None else puzzle.homes.tolist()
    for number, chromosome in enumerate(brood.chromosomes):
        key = stream_key(3, 0, number)
        assert chromosome.tolist() == crossover.scatter(
            puzzle.type, puzzle.rows, puzzle.columns, homes, puzzle.turns, key
        )


def test_every_phase_was_compared() -> None:
    """The twin test above would prove little if a phase never happened."""
    seen = np.zeros(NUM_PHASES, np.int64)
    for choice in CHOICES:
        puzzle = small_puzzle("flat", 4)
        space, populations = generations(choice, puzzle, count=3, size=4)
        seen += sum(
            breed(space, 9, population, np.array([[0, 1], [2, 3]])).phases.sum(axis=0) for population in populations
        )
    assert (seen > 0).all()


def test_skipping_grows_otherwise() -> None:
    """The twin test above would prove little if nothing was ever skipped."""
    puzzle = small_puzzle("distinct", 2)
    space, populations = generations("relative, skipping", puzzle, count=1, size=4)
    skipping = breed(space, 1, populations[0], np.array([[0, 1]] * 8)).chromosomes
    steady = changed_params(space.params, {"objective": {"relative": {"skip": 0.0}}})
    space = replace(space, rules=make_rules(puzzle, steady))
    assert not np.array_equal(breed(space, 1, populations[0], np.array([[0, 1]] * 8)).chromosomes, skipping)


@pytest.mark.parametrize("choice", ON_A_GRID)
def test_a_grid_forbids_placements(choice: str) -> None:
    """The twin test above would prove little if an alignment changed nothing."""
    puzzle = small_puzzle("distinct", 2)
    space, populations = generations(choice, puzzle, count=1, size=4)
    on_grid = breed(space, 1, populations[0], np.array([[0, 1]] * 8)).chromosomes
    tables = space.tables._replace(alignment=np.zeros_like(space.tables.alignment))
    space = replace(space, tables=tables)
    assert not np.array_equal(breed(space, 1, populations[0], np.array([[0, 1]] * 8)).chromosomes, on_grid)


def test_kernel_ends_at_every_offset_of_the_frame() -> None:
    """The kernel slides: over many children its first piece ends in every cell of the frame, lying or standing."""
    puzzle = small_puzzle("distinct", 2, rows=2, columns=3)
    space = space_of(puzzle, Params(), seed=1)
    population, rules = scatter(space, 60).chromosomes, space.rules
    kernel, mother, father = space.make_kernel(), space.make_parent(), space.make_parent()
    half = 1 << (int(rules.row_shift) - 1)
    offsets = set()
    for number in range(60):
        for parent, chromosome in ((mother, population[number]), (father, population[number - 1])):
            load_parent(chromosome, rules.rows, rules.columns, rules.piece_shift, parent)
        child, phases = np.empty(6, np.uint32), np.empty(NUM_PHASES, np.int64)
        _native_crossover.cross(np.uint64(number), mother, father, kernel, space.tables, rules, child, phases)
        top, bottom, left = (int(kernel.limits[i]) for i in (TOP, BOTTOM, LEFT))
        offsets.add((bottom - top + 1, half - top, half - left))
    assert offsets == {(2, r, c) for r in range(2) for c in range(3)} | {(3, r, c) for r in range(3) for c in range(2)}


def test_shared_edges_move_as_one() -> None:
    """A child of two parents that hold the same picture, one of them turned, is that picture again."""
    puzzle = small_puzzle("distinct", 2, rows=4, columns=4)
    assert puzzle.truth is not None
    parents = np.stack([puzzle.truth.up_edges(1).ravel(), puzzle.truth.turned().up_edges(1).ravel()])
    brood = breed(space_of(puzzle, Params()), 1, parents, np.array([[0, 1]] * 8))
    assert brood.phases[:, 0].tolist() == [15] * 8
    turns = {puzzle.truth.turned(q).up_edges(1).tobytes() for q in range(4)}
    assert {child.tobytes() for child in brood.chromosomes} <= turns
