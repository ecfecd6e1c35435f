"""The confidence drawn over a picture."""

from __future__ import annotations

import numpy as np

from rectoverso.confidence.confidence import Confidence
from rectoverso.show.overlay import draw_confidence

SIZE = 12


def gray(rows: int = 3, columns: int = 4) -> np.ndarray:
    return np.full((rows * SIZE, columns * SIZE, 3), 120, np.uint8)


def changed(confidence: Confidence) -> np.ndarray:
    picture = gray()
    drawn = draw_confidence(picture, confidence)
    assert (picture == 120).all()
    return (drawn != picture).any(axis=2)


def test_what_is_sure_stays_as_it_is() -> None:
    assert not changed(Confidence.of(np.full((3, 3), 0.9), np.ones((2, 4)), np.full((3, 4), 0.95))).any()


def test_a_doubtful_piece_is_veiled_and_no_other() -> None:
    pieces = np.ones((3, 4))
    pieces[1, 2] = 0.2
    veiled = changed(Confidence.of(np.ones((3, 3)), np.ones((2, 4)), pieces))
    assert veiled[SIZE : 2 * SIZE, 2 * SIZE : 3 * SIZE].all()
    assert veiled.sum() == SIZE * SIZE


def test_doubtful_seams_are_lines_where_they_are() -> None:
    right, down = np.ones((3, 3)), np.ones((2, 4))
    right[0, 1] = down[1, 3] = 0.1
    lines = changed(Confidence.of(right, down, np.ones((3, 4))))
    assert lines[:SIZE, 2 * SIZE - 1 : 2 * SIZE + 1].all()
    assert lines[2 * SIZE - 1 : 2 * SIZE + 1, 3 * SIZE :].all()
    assert lines.sum() < SIZE * SIZE


def test_more_doubt_is_more_visible() -> None:
    shades = []
    for chance in (0.85, 0.6, 0.3):
        pieces = np.ones((3, 4))
        pieces[0, 0] = chance
        drawn = draw_confidence(gray(), Confidence.of(np.ones((3, 3)), np.ones((2, 4)), pieces))
        shades.append(np.abs(drawn.astype(int) - 120).sum())
    assert shades == sorted(shades)
    assert shades[0] * 2 < shades[2]
