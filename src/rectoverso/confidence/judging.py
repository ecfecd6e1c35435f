"""judge(): how sure an arrangement can be of itself."""

from __future__ import annotations

from rectoverso.confidence.confidence import Confidence
from rectoverso.confidence.evidence import collect
from rectoverso.confidence.model import Model, fitted_model, seam_probabilities
from rectoverso.confidence.pieces import piece_probabilities
from rectoverso.matching.lists import CandidateLists
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle


def judge(
    arrangement: Arrangement,
    puzzle: Puzzle,
    lists: CandidateLists,
    model: Model | None = None,
    solved: CandidateLists | None = None,
) -> Confidence:
    """The confidence of each seam and each piece of an arrangement, by the lists of its edges as they were measured.

    Of worn pieces the lists that they were ``solved`` by tell more.

    >>> import numpy as np
    >>> from rectoverso import Puzzle, find_candidates
    >>> rows, columns = np.mgrid[0:48, 0:64]
    >>> picture = np.stack([rows * 5, columns * 3, rows + columns], axis=2).astype(np.uint8)
    >>> puzzle = Puzzle.from_image(picture, size=8, seed=1)
    >>> confidence = judge(puzzle.truth, puzzle, find_candidates(puzzle))
    >>> confidence.right.shape, bool(confidence.seams.min() > 0.9)
    ((6, 7), True)
    """
    model = model or fitted_model(worn=bool(lists.wear))
    right, down = seam_probabilities(*collect(arrangement, puzzle, lists, solved), model)
    return Confidence.of(right, down, piece_probabilities(right, down, model))
