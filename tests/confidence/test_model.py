"""The model by hand: loops, reach, and that better evidence never means less confidence."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rectoverso.confidence.evidence import Evidence
from rectoverso.confidence.model import MOST_WEIGHT, Alone, Amid, Model, fitted_model, seam_probabilities, support
from rectoverso.confidence.pieces import connected, piece_probabilities, reach, seams_around
from rectoverso.objective import CAP

ROWS, COLUMNS = 3, 4


def evidence(ratio: object, alike: int = 1, twins: int = 1) -> Evidence:
    ratios = np.array(ratio, float)
    whole = np.ones(ratios.shape, np.int64)
    return Evidence(ratios, whole * alike, whole * twins, whole > 0)


def test_a_seam_alone_by_hand() -> None:
    """Log odds of 1 - 2 ln 2 for a ratio of 2, and half of the chance for one of two twins."""
    model = Model(Alone(1.0, 0.0, 2.0, 0.0), ())
    down = evidence(np.ones((0, 2)))
    chance = 1 / (1 + np.exp(-(1 - 2 * np.log(2))))
    assert np.allclose(seam_probabilities(evidence([[2.0]]), down, model)[0], chance)
    assert np.allclose(seam_probabilities(evidence([[2.0]], twins=2), down, model)[0], chance / 2)


def test_what_a_seam_of_worn_pieces_counted_by_hand() -> None:
    """A seam that counted 1.2 has 0.6 less log odds; nothing counts more than the cap of 2.5."""
    model, ratio, one = Model(Alone(1.0, 0.0, 2.0, 0.0, weight=0.5), ()), np.array([[2.0]]), np.ones((1, 1), np.int64)
    none = evidence(np.ones((0, 2)))
    for weight, counted in ((1.2, 1.2), (np.inf, 2.5)):
        worn = Evidence(ratio, one, one, one > 0, np.array([[weight]]))
        chance = 1 / (1 + np.exp(-(1 - 2 * np.log(2) - 0.5 * counted)))
        assert np.allclose(seam_probabilities(worn, none, model)[0], chance)


def test_no_seam_counts_more_than_the_cap() -> None:
    assert MOST_WEIGHT == CAP


def test_the_same_seam_is_doubted_in_a_worse_whole() -> None:
    """Only of worn pieces: clean ones are judged seam by seam."""
    model = Model(Alone(0.0, 3.0, 3.0, 0.0), (Amid(0.0, 1.0, 0.0, 0.0, whole=1.0),))
    down = np.ones((0, 4))
    told = []
    for worn in (True, False):
        for others in (0.5, 3.0):
            ratio = np.array([[0.5, others, others]])
            right, below = (
                Evidence(each, *[np.ones(each.shape, np.int64)] * 2, each > 0, each if worn else None)
                for each in (ratio, down)
            )
            told.append(seam_probabilities(right, below, model)[0][0, 0])
    assert told[0] > told[1] + 0.1
    assert told[2] == told[3]


def test_loops_by_hand() -> None:
    """In a square of four pieces a seam is supported by the three others."""
    right, down = support(np.array([[0.9], [0.8]]), np.array([[0.7, 0.6]]))
    assert np.allclose(right[:, 0], [[0.8 * 0.7 * 0.6, 0], [0, 0.9 * 0.7 * 0.6]])
    assert np.allclose(down[0], [[0.9 * 0.8 * 0.6, 0], [0, 0.9 * 0.8 * 0.7]])


def test_a_closed_loop_lifts_its_worst_seam() -> None:
    model = Model(Alone(3.0, 0.0, 3.0, 0.0), (Amid(0.0, 1.0, 1.0, 1.0),))
    good = evidence([[0.5], [0.5]]), evidence([[0.5, 0.5]])
    one_bad = evidence([[3.0], [0.5]]), evidence([[0.5, 0.5]])
    all_bad = evidence([[3.0], [3.0]]), evidence([[3.0, 3.0]])
    chances = [seam_probabilities(*told, model)[0][0, 0] for told in (all_bad, one_bad, good)]
    assert chances[0] + 0.2 < chances[1] < chances[2]


@given(st.data())
def test_a_better_ratio_never_lowers_a_seam(data: st.DataObject) -> None:
    ratios = st.floats(0.01, 8) | st.just(np.inf)
    count = ROWS * (COLUMNS - 1) + (ROWS - 1) * COLUMNS
    before = np.array(data.draw(st.lists(ratios, min_size=count, max_size=count)))
    after = before.copy()
    at = data.draw(st.integers(0, count - 1))
    after[at] = min(before[at], data.draw(ratios))
    first, second = (np.concatenate([t.ravel() for t in _judged(told)]) for told in (before, after))
    assert (second >= first - 1e-12).all()


def _judged(ratios: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    cut = ROWS * (COLUMNS - 1)
    right, down = ratios[:cut].reshape(ROWS, -1), ratios[cut:].reshape(-1, COLUMNS)
    return seam_probabilities(evidence(right), evidence(down), fitted_model())


def test_look_alikes_lower_a_seam() -> None:
    down = evidence(np.ones((0, 2)))
    chances = [seam_probabilities(evidence([[0.5]], alike=n), down, fitted_model())[0][0, 0] for n in (1, 2, 10, 100)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 2 * chances[2]


def test_the_fitted_weights_are_not_negative() -> None:
    model = fitted_model()
    weights = [model.alone.below_one, model.alone.above_one, model.alone.alike]
    weights += [w for step in model.amid for w in (step.alone, step.better_loop, step.other_loop)]
    assert min(*weights, model.placed.reach) >= 0


def test_reach_is_the_weakest_seam_of_the_best_way() -> None:
    """Three sure pieces, one joined by 0.4, and a pair that is sure of itself but hangs on by 0.3."""
    around = seams_around(np.array([[0.95, 0.99, 0.4, 0.3, 0.98]]), np.zeros((0, 6)))
    assert reach(around).tolist() == [[0.95, 0.99, 0.99, 0.4, 0.3, 0.3]]


def test_no_piece_is_surer_than_its_best_seam() -> None:
    right, down = np.full((2, 2), 0.3), np.full((1, 3), 0.2)
    assert piece_probabilities(right, down, fitted_model()).max() <= 0.3


def test_connected_parts() -> None:
    around = seams_around(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 0.0, 0.0]]))
    assert sorted(len(part) for part in connected(around > 0.5)) == [1, 1, 4]
