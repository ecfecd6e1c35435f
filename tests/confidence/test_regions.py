"""What is said about uncertain regions."""

from __future__ import annotations

import numpy as np

from rectoverso.confidence.confidence import Confidence
from rectoverso.confidence.regions import figures, in_words, uncertain_regions


def board(pieces: np.ndarray, seams: float = 1.0) -> Confidence:
    rows, columns = pieces.shape
    return Confidence.of(np.full((rows, columns - 1), seams), np.full((rows - 1, columns), seams), pieces)


def test_regions_are_connected_by_sides_and_the_largest_comes_first() -> None:
    pieces = np.ones((5, 6))
    pieces[0, 0] = pieces[2, 3] = pieces[2, 4] = pieces[3, 4] = 0.2
    pieces[1, 1] = 0.89  # touches the first by a corner only
    found = uncertain_regions(board(pieces))
    assert [(r.rows, r.columns, r.pieces) for r in found] == [
        ((3, 4), (4, 5), 3),
        ((1, 1), (1, 1), 1),
        ((2, 2), (2, 2), 1),
    ]


def test_in_words() -> None:
    assert in_words(board(np.ones((2, 2)))) == "sure of 100% of the seams; no piece is uncertain"
    pieces = np.ones((3, 9))
    pieces[:2, 1:3] = pieces[0, 4] = pieces[0, 6] = pieces[0, 8] = pieces[2, 8] = 0.5
    said = in_words(board(pieces, 0.5))
    assert said.startswith(
        "sure of 0% of the seams; uncertain: rows 1-2, columns 2-3 (4 pieces); row 1, column 5 (1 piece);"
    )
    assert said.endswith("and 2 more, scattered")


def test_all_but_one_seam_is_not_all() -> None:
    right = np.ones((40, 39))
    right[0, 0] = 0.5
    assert "sure of 99.9% of" in in_words(Confidence.of(right, np.ones((39, 40)), np.ones((40, 40))))


def test_figures() -> None:
    pieces = np.array([[1.0, 0.5], [1.0, 1.0]])
    said = figures(Confidence.of([[0.5], [1.0]], [[1.0, 0.7]], pieces))
    assert said["expected_neighbor"] == 0.8
    assert said["sure_seams"] == 0.5
    assert said["uncertain_pieces"] == 1
    assert said["uncertain_regions"] == [{"rows": (1, 1), "columns": (2, 2), "pieces": 1}]
