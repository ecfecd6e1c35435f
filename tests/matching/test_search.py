"""The running lists of a search: the lowest of many values, by selection, and the same on every machine."""

from __future__ import annotations

import numpy as np
import pytest
import skimage.data
from hypothesis import given, settings
from hypothesis import strategies as st

from rectoverso.matching import _native_search as native
from rectoverso.matching import products, search
from rectoverso.matching.lists import find_candidates
from rectoverso.matching.survivors import Survivors
from rectoverso.parameters import MeasureName
from rectoverso.puzzle.puzzle import Puzzle

FEW, ROWS = 3, 11


# The first call compiles.
@settings(deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.data())
def test_the_lowest_come_first(values: list[int], data: st.DataObject) -> None:
    """After a selection the first so many keys are the lowest, with repeated ones, and none is lost."""
    count = data.draw(st.integers(1, len(values)))
    keys = np.array(values, np.uint64)
    native.put_lowest_first(keys, len(keys), count)
    assert sorted(keys[:count].tolist()) == sorted(values)[:count]
    assert sorted(keys.tolist()) == sorted(values)


def survivors_of(values: np.ndarray, kept: int, tile: int, own: int, down: bool) -> tuple[np.ndarray, np.ndarray]:
    """The columns that survive a search of some rows, tile by tile, and the limits."""
    rows, columns = values.shape
    sole, pieces = np.arange(columns, dtype=np.uint32), np.full(rows, own, np.uint32)
    survivors = Survivors.none(pieces, sole, kept)
    for first in range(0, columns, tile):
        part = values[:, first : first + tile]
        if down:
            survivors.keep_down(np.ascontiguousarray(part.T), first)
        else:
            survivors.keep(np.ascontiguousarray(part), first)
    limits, found = survivors.columns()
    return found, limits


@pytest.mark.parametrize("kept", [1, 7, 40, 300])
@pytest.mark.parametrize("tile", [5, 64, 100])
@pytest.mark.parametrize("spread", [4, 1_000_000])
@pytest.mark.parametrize("down", [False, True])
def test_the_lowest_of_each_row_survive(kept: int, tile: int, spread: int, down: bool) -> None:
    """Negative values, too; of equal ones the first columns, and never the row's own piece; also of tiles that lie."""
    rng = np.random.default_rng(spread + tile)
    values = rng.integers(-spread, spread, (ROWS, 250)).astype(np.float32)
    found, limits = survivors_of(values, kept, tile, own=17, down=down)
    for row, survivors, limit in zip(values, found, limits, strict=True):
        order = [column for column in np.lexsort((np.arange(250), row)).tolist() if column != 17]
        assert sorted(survivors[survivors >= 0].tolist()) == sorted(order[:kept])
        assert limit == (row[order[kept - 1]] if kept <= len(order) else np.inf)


def test_the_doubtful_survivors_are_estimated_again() -> None:
    """The highest by exact products are dropped, whatever single precision made of them."""
    rng = np.random.default_rng(0)
    left, right = rng.integers(-9, 9, (FEW, 20)).astype(np.float32), rng.integers(-9, 9, (60, 20)).astype(np.float32)
    exact = left @ right.T
    edges = np.arange(60, dtype=np.uint32)
    # Off by less than what separates the lowest 12 from the highest 8 of 20.
    keys, survivors = np.zeros((FEW, 40), np.uint64), np.zeros((FEW, 20), np.int64)
    lowest = np.argsort(exact, axis=1, kind="stable")[:, :20]
    for i in range(FEW):
        shuffled = rng.permutation(lowest[i])
        survivors[i] = shuffled
        for j, column in enumerate(shuffled):
            rank = np.float32(np.flatnonzero(lowest[i] == column)[0] // 4)
            bits = np.uint64(rank.view(np.uint32)) ^ np.uint64(0x80000000)
            keys[i, j] = (bits << np.uint64(32)) | np.uint64(column)
    native.drop_highest(left, right, edges, keys, 4, survivors)
    for i in range(FEW):
        order = np.lexsort((lowest[i], exact[i][lowest[i]]))
        assert sorted(survivors[i][survivors[i] >= 0].tolist()) == sorted(lowest[i][order][:16].tolist())


@pytest.mark.parametrize("measure", ["mgc", "prediction", "blend"])
@pytest.mark.parametrize("kind", ["photo", "repeated"])
@pytest.mark.parametrize("block", [40, 64])
def test_a_tile_serves_its_rows_and_its_columns(
    measure: MeasureName, kind: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where estimates are symmetric, half of them find the same candidates as all, look-alikes included."""
    picture = skimage.data.astronaut()[:120, 100:260]
    if kind == "repeated":
        picture = np.concatenate([picture[:60], picture[:60]])
    puzzle = Puzzle.from_image(picture, type=2, size=10)
    monkeypatch.setattr(search, "COLUMN_BLOCK", block)
    monkeypatch.setattr(products.Estimates, "margin", 40)
    halved = find_candidates(puzzle, measure=measure, num_candidates=20, threads=2)
    monkeypatch.setattr(products.Estimates, "symmetric", False)
    whole = find_candidates(puzzle, measure=measure, num_candidates=20)
    np.testing.assert_array_equal(halved.candidates, whole.candidates)
    np.testing.assert_array_equal(halved.weights, whole.weights)
    assert (whole.look_alikes.group >= 0).any() == (kind == "repeated")
