"""Pieces that lost their borders: how a picture shows what is between them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rectoverso import BadInputError, Puzzle, render, save_solution
from rectoverso.images.tiles import cut_tiles, lay_apart
from rectoverso.images.wear import Wear
from rectoverso.puzzle.files import gap_of_solution
from rectoverso.puzzle.render import EMPTY_COLOR


def slope(height: int, width: int) -> np.ndarray:
    """A picture that changes evenly in both directions: interpolation gives back what was lost."""
    rows, columns = np.mgrid[0:height, 0:width]
    return np.stack([3 * rows, 2 * columns, rows + columns], axis=2).astype(np.uint8)


@pytest.mark.parametrize("size", [(9, 9), (7, 9)])
@pytest.mark.parametrize("gap", [1, 2])
def test_filling_a_slope_restores_it(size: tuple[int, int], gap: int) -> None:
    """Only the outermost border is gone, which no piece is left to tell of."""
    picture = slope(4 * size[0], 5 * size[1])
    puzzle = replace(Puzzle.from_image(picture, size=size, seed=2, wear=Wear(gap=gap)), gap=gap)
    assert puzzle.truth is not None
    inner = picture[gap:-gap, gap:-gap]
    np.testing.assert_array_equal(render(puzzle, puzzle.truth, gaps="fill"), inner)
    turned = render(puzzle, puzzle.truth.turned(2), gaps="fill")
    np.testing.assert_array_equal(turned, np.rot90(inner, 2))


def test_an_open_gap_is_empty_and_a_closed_one_is_none() -> None:
    puzzle = replace(Puzzle.from_image(slope(18, 27), size=9, seed=2, wear=Wear(gap=1)), gap=1)
    assert puzzle.truth is not None
    shown = render(puzzle, puzzle.truth, gaps="open")
    assert shown.shape == (16, 25, 3)
    assert (shown[7:9] == EMPTY_COLOR).all()
    assert (shown[:, 7:9] == EMPTY_COLOR).all()
    assert render(puzzle, puzzle.truth).shape == (14, 21, 3)
    assert render(replace(puzzle, gap=None), puzzle.truth, gaps="open").shape == (14, 21, 3)


def test_tiles_lie_apart_by_hand() -> None:
    """Two tiles of one pixel, 10 and 40, with two pixels between."""
    tiles = np.array([10, 40], np.uint8).reshape(2, 1, 1, 1).repeat(3, axis=3)
    assert lay_apart(tiles, 1, 2, 2)[0, :, 0].tolist() == [10, 20, 30, 40]
    assert lay_apart(tiles, 2, 1, 2)[:, 0, 0].tolist() == [10, 20, 30, 40]
    assert lay_apart(tiles, 1, 2, 2, (7, 7, 7))[0, :, 0].tolist() == [10, 7, 7, 40]
    picture = slope(6, 6)
    np.testing.assert_array_equal(lay_apart(cut_tiles(picture, (3, 3))[0], 2, 2, 0), picture)


def test_a_solution_tells_its_gap(tmp_path: Path) -> None:
    puzzle = Puzzle.from_image(slope(18, 27), size=9, wear=Wear(gap=2))
    assert puzzle.truth is not None
    for gap, told in ((None, 0), (0, 0), (2, 2)):
        save_solution(puzzle.truth, replace(puzzle, gap=gap), tmp_path / "solution.json")
        assert gap_of_solution(tmp_path) == gap_of_solution(tmp_path / "solution.json") == told
    text = (tmp_path / "solution.json").read_text()
    (tmp_path / "solution.json").write_text(text.replace('"gap":2', '"gap":-2'))
    with pytest.raises(BadInputError, match="-2 pixels"):
        gap_of_solution(tmp_path)
