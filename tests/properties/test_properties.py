"""Properties that hold for every puzzle."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import PICTURES, small_puzzle, space_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rectoverso.evolve import _native_breeding
from rectoverso.evolve.breeding import breed, scatter
from rectoverso.evolve.workspace import make_rules, make_tables
from rectoverso.geometry import NOTHING, mirror, opposite, showing, shown, split, up_edge
from rectoverso.matching.lists import find_candidates
from rectoverso.parameters import Genetic, Objective, Params, Relative
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.render import render

puzzles = st.builds(
    small_puzzle,
    st.sampled_from(PICTURES),
    st.integers(1, 7),
    rows=st.integers(1, 5),
    columns=st.integers(2, 6),
    size=st.integers(2, 5),
    seed=st.integers(0, 99),
)


objectives = st.sampled_from([None, *(Relative(traces=False, loop_rounds=rounds, skip=0.0) for rounds in (0, 1))])


@pytest.mark.compiled
@given(puzzles, st.integers(0, 2**32), objectives, st.floats(0, 0.3), st.integers(1, 40))
@settings(max_examples=90, deadline=None)
def test_every_child_is_a_valid_arrangement(
    puzzle: Puzzle, seed: int, relative: Relative | None, mutation: float, k: int
) -> None:
    """Each piece lies just once, in an orientation that the type allows, and at home where that is known."""
    params = Params(Genetic(mutation=mutation, sample=4), Objective(num_candidates=k, relative=relative))
    space = space_of(puzzle, params, seed=seed)
    population = scatter(space, 6).chromosomes
    for generation in (1, 2):
        brood = breed(space, generation, population, np.array([[0, 1], [2, 3], [4, 5], [1, 4], [0, 5], [3, 3]]))
        population = brood.chromosomes
        for chromosome in population:
            piece, _, rotation = split(chromosome.astype(np.int64), puzzle.faces)
            assert sorted(piece) == list(range(puzzle.num_pieces))
            assert puzzle.type.rotation_unknown or not rotation.any()
            if puzzle.homes is not None:
                np.testing.assert_array_equal(puzzle.homes[piece], np.arange(puzzle.num_pieces))


@given(puzzles, st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_turning_or_flipping_the_whole_changes_no_cost(puzzle: Puzzle, seed: int) -> None:
    """The cost is the same to the last bit from wherever the whole is seen."""
    lists = find_candidates(puzzle, num_candidates=4)
    brood = scatter(space_of(puzzle, Params(), lists, seed=seed), 1)
    lying = Arrangement.from_up_edges(brood.chromosomes[0], puzzle.rows, puzzle.columns, puzzle.faces)
    for side in [lying, lying.flipped()][: puzzle.faces]:
        for quarters in range(4):
            view = side.turned(quarters)
            rules = make_rules(puzzle, Params())._replace(rows=np.uint64(view.rows), columns=np.uint64(view.columns))
            up = view.up_edges(puzzle.faces).ravel()
            assert _native_breeding.cost(up, make_tables(puzzle, lists, rules), rules) == brood.costs[0]


@given(puzzles)
@settings(max_examples=30, deadline=None)
def test_flipping_twice_or_turning_four_times_is_nothing(puzzle: Puzzle) -> None:
    """Arrangements and their pictures come back to where they were."""
    truth = puzzle.truth
    assert truth is not None
    assert truth.turned(4) == truth
    assert truth.turned().turned().turned().turned() == truth
    if puzzle.faces == 2:
        assert truth.flipped().flipped() == truth
        np.testing.assert_array_equal(render(puzzle, truth.flipped()), render(puzzle, truth, back=True))
    np.testing.assert_array_equal(render(puzzle, truth.turned()), np.rot90(render(puzzle, truth), -1))


@given(st.integers(0, 10**6), st.integers(0, 3), st.integers(0, 1), st.integers(0, 3))
def test_edges_are_an_algebra(piece: int, rotation: int, face: int, direction: int) -> None:
    """Up edges hold what they were made of; mirrors and turns undo themselves."""
    up = up_edge(piece, face, rotation, 2)
    assert split(up, 2) == (piece, face, rotation)
    edge = shown(up, direction)
    assert edge % 4 == (direction - rotation) % 4
    assert showing(edge, direction) == up
    assert mirror(mirror(edge)) == edge
    assert mirror(edge) // 8 == piece
    # Turned over, what looked right looks left.
    assert mirror(shown(up, direction)) == shown(mirror(up), -direction % 4)
    assert opposite(opposite(direction)) == direction
    assert up < NOTHING
