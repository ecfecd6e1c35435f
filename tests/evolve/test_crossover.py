"""The native crossover against its literal twin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import FLAT_FIRST, affinity_of, reference_rules, reference_worth, small_puzzle, with_bearings

from rectoverso.evolve import _native
from rectoverso.evolve._native_kernel import BOTTOM, LEFT, NUM_PHASES, TOP, load_parent
from rectoverso.evolve.breeding import Breeder, make_kernel, make_parent, make_rules
from rectoverso.evolve.state import PHASES
from rectoverso.matching.lists import CandidateLists, find_candidates
from rectoverso.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.reference.paper import crossover, dissimilarity
from rectoverso.reference.paper.random import stream_key

CHOICES = {
    "paper": Params(),
    "mutating": Params(mutation=0.2),
    "exhausted": Params(num_candidates=2, sample=3, ties="first"),
    "relative": Params(measure="blend", objective="relative", num_candidates=6),
    "cell": Params(objective="relative", growth="cell"),
    "cell, blinking": Params(
        objective="relative", growth="cell", blink=0.3, squares=1, num_candidates=8, wide_candidates=8
    ),
    "cell, mutating": Params(objective="relative", growth="cell", least_group=5, mutation=0.2),
    "cell, exhausted": Params(objective="relative", growth="cell", num_candidates=2, sample=3, ties="first"),
    "edge, toned": Params(objective="relative", num_candidates=4, tones=2.0),
    "cell, toned": Params(objective="relative", growth="cell", num_candidates=4, tones=2.0, blink=0.1),
    "edge, on a grid": Params(objective="relative", num_candidates=8),
    "cell, on a grid": Params(objective="relative", growth="cell", num_candidates=8, mutation=0.05),
}


def affinity_for(choice: str, puzzle: Puzzle) -> CandidateLists:
    """The lists that a choice asks for, with made-up alignment if it is on a grid."""
    lists = affinity_of(puzzle, CHOICES[choice])
    return with_bearings(puzzle, lists) if choice.endswith("grid") else lists


def generations(choice: str, puzzle: Puzzle, count: int, size: int) -> tuple[Breeder, list[np.ndarray]]:
    """A breeder, a random generation and some that follow from it."""
    params = CHOICES[choice]
    breeder = Breeder(puzzle, affinity_for(choice, puzzle), params, 7, 1)
    populations = [breeder.scatter(size).chromosomes]
    for generation in range(1, count):
        pairs = np.random.default_rng(generation).integers(0, size, (size, 2))
        populations.append(breeder.breed(generation, populations[-1], pairs).chromosomes)
    return breeder, populations


@pytest.mark.parametrize("kind", FLAT_FIRST)
@pytest.mark.parametrize("type", range(1, 8))
@pytest.mark.parametrize("choice", CHOICES)
def test_same_child_as_the_reference(kind: str, type: int, choice: str) -> None:
    """Fed with the same random numbers, both make the same child, cell by cell, from random or related parents."""
    params = CHOICES[choice]
    puzzle = small_puzzle(kind, type)
    breeder, populations = generations(choice, puzzle, count=3, size=4)
    lists = affinity_for(choice, puzzle)
    rules = reference_rules(puzzle, lists, params)
    relative = params.objective == "relative"
    counts = reference_worth(puzzle, lists, params) if relative else rules.dissimilarity
    pairs = np.array([[0, 1], [2, 3], [1, 1]])
    for generation, population in enumerate(populations, start=1):
        brood = breeder.breed(generation, population, pairs)
        for number, pair in enumerate(pairs):
            mother, father = (population[i].reshape(puzzle.rows, puzzle.columns).tolist() for i in pair)
            child, phases = crossover.cross(rules, mother, father, stream_key(7, generation, number))
            assert brood.chromosomes[number].tolist() == [up for row in child for up in row]
            assert dict(zip(PHASES, brood.phases[number].tolist(), strict=True)) == {
                n: phases.get(n, 0) for n in PHASES
            }
            assert brood.costs[number] == dissimilarity.cost(child, counts)


@pytest.mark.parametrize("type", range(1, 8))
def test_same_random_chromosomes_as_the_reference(type: int) -> None:
    """The random first generation is the reference's."""
    puzzle = small_puzzle("distinct", type)
    brood = Breeder(puzzle, find_candidates(puzzle), Params(), 3, 1).scatter(5)
    homes = None if puzzle.homes is None else puzzle.homes.tolist()
    for number, chromosome in enumerate(brood.chromosomes):
        key = stream_key(3, 0, number)
        assert chromosome.tolist() == crossover.scatter(puzzle.type, puzzle.rows, puzzle.columns, homes, key)


def test_every_phase_was_compared() -> None:
    """The twin test above would prove little if a phase never happened."""
    seen = np.zeros(NUM_PHASES, np.int64)
    for choice in CHOICES:
        puzzle = small_puzzle("flat", 4)
        breeder, populations = generations(choice, puzzle, count=3, size=4)
        seen += sum(
            breeder.breed(9, population, np.array([[0, 1], [2, 3]])).phases.sum(axis=0) for population in populations
        )
    assert (seen > 0).all()


def test_blinking_grows_otherwise() -> None:
    """The twin test above would prove little if nothing was ever overlooked."""
    puzzle = small_puzzle("distinct", 2)
    breeder, populations = generations("cell, blinking", puzzle, count=1, size=4)
    blinking = breeder.breed(1, populations[0], np.array([[0, 1]] * 8)).chromosomes
    breeder.rules = make_rules(puzzle, replace(CHOICES["cell, blinking"], blink=0.0))
    assert not np.array_equal(breeder.breed(1, populations[0], np.array([[0, 1]] * 8)).chromosomes, blinking)


@pytest.mark.parametrize("growth", ["edge", "cell"])
def test_a_grid_forbids_placements(growth: str) -> None:
    """The twin test above would prove little if alignment changed nothing."""
    puzzle = small_puzzle("distinct", 2)
    breeder, populations = generations(f"{growth}, on a grid", puzzle, count=1, size=4)
    on_grid = breeder.breed(1, populations[0], np.array([[0, 1]] * 8)).chromosomes
    breeder.tables = breeder.tables._replace(alignment=np.zeros_like(breeder.tables.alignment))
    assert not np.array_equal(breeder.breed(1, populations[0], np.array([[0, 1]] * 8)).chromosomes, on_grid)


def test_kernel_ends_at_every_offset_of_the_frame() -> None:
    """The kernel slides: over many children its first piece ends in every cell of the frame, lying or standing."""
    puzzle = small_puzzle("distinct", 2, rows=2, columns=3)
    lists = find_candidates(puzzle)
    breeder = Breeder(puzzle, lists, Params(), 1, 1)
    population = breeder.scatter(60).chromosomes
    kernel = make_kernel(puzzle, breeder.rules, len(lists.look_alikes.start) - 1)
    mother, father = make_parent(puzzle), make_parent(puzzle)
    half = 1 << (int(breeder.rules.row_shift) - 1)
    offsets = set()
    for number in range(60):
        for parent, chromosome in ((mother, population[number]), (father, population[number - 1])):
            rules = breeder.rules
            load_parent(chromosome, rules.rows, rules.columns, rules.piece_shift, parent)
        child, phases = np.empty(6, np.uint32), np.empty(NUM_PHASES, np.int64)
        _native.cross(np.uint64(number), mother, father, kernel, breeder.tables, breeder.rules, child, phases)
        top, bottom, left = (int(kernel.limits[i]) for i in (TOP, BOTTOM, LEFT))
        offsets.add((bottom - top + 1, half - top, half - left))
    assert offsets == {(2, r, c) for r in range(2) for c in range(3)} | {(3, r, c) for r in range(3) for c in range(2)}


def test_shared_edges_move_as_one() -> None:
    """A child of two parents that hold the same picture, one of them turned, is that picture again."""
    puzzle = small_puzzle("distinct", 2, rows=4, columns=4)
    assert puzzle.truth is not None
    parents = np.stack([puzzle.truth.up_edges(1).ravel(), puzzle.truth.turned().up_edges(1).ravel()])
    brood = Breeder(puzzle, find_candidates(puzzle), Params(), 0, 1).breed(1, parents, np.array([[0, 1]] * 8))
    assert brood.phases[:, 0].tolist() == [15] * 8
    turns = {puzzle.truth.turned(q).up_edges(1).tobytes() for q in range(4)}
    assert {child.tobytes() for child in brood.chromosomes} <= turns
