"""Parameters check themselves: what is no number is refused, wherever it comes from."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rectoverso import Genetic, Params, changed_params
from rectoverso.parameters import MOST, Objective, Relative, Repair


@pytest.mark.parametrize(
    ("part", "name"),
    [
        (Genetic, "population"),
        (Genetic, "generations"),
        (Genetic, "patience"),
        (Genetic, "elites"),
        (Genetic, "sample"),
        (Objective, "num_candidates"),
        (Objective, "least_group"),
        (Relative, "loop_rounds"),
        (Relative, "wide_candidates"),
        (Repair, "regrow_steps"),
        (Repair, "patch_steps"),
        (Repair, "segment_moves"),
        (Repair, "exchange_cells"),
    ],
)
@pytest.mark.parametrize("value", [2.5, 50.0, math.nan, math.inf, MOST + 1, 10**400, "9", True])
def test_whole_numbers_are_whole(part: Any, name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be (a whole number|at most)"):
        part(**{name: value})


@pytest.mark.parametrize(
    ("part", "name"), [(Genetic, "mutation"), (Relative, "skip"), (Relative, "color_gap"), (Params, "time_limit")]
)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_are_finite(part: Any, name: str, value: float) -> None:
    with pytest.raises(ValueError, match=r"must be (finite|positive)"):
        part(**{name: value})


def test_changes_are_checked_as_well() -> None:
    for changes in ({"genetic": {"mutation": math.nan}}, {"genetic": {"population": 2.5}}, {"time_limit": math.inf}):
        with pytest.raises(ValueError, match="must be"):
            changed_params(Params(), changes)
