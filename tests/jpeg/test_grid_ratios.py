"""The log likelihood ratios of seams by the block grid against their literal twin."""

from __future__ import annotations

import numpy as np
import pytest

from rectoverso.jpeg._native_grid import grid_ratios
from rectoverso.jpeg.offsets import LEVELS
from rectoverso.reference.extensions.grid import grid_ratio


@pytest.mark.parametrize("kinds", [1, 6])
def test_same_ratios_as_the_reference(kinds: int) -> None:
    rng = np.random.default_rng(kinds)
    edges, seams = 40, 300
    offsets = rng.integers(0, 8, (kinds, edges), dtype=np.int8)
    levels = rng.integers(0, LEVELS + 1, (kinds, edges), dtype=np.int8)
    totals = rng.integers(0, 8, kinds)
    # Eighths: their sums are exact in any precision.
    tables = (rng.integers(-40, 1, (kinds, LEVELS + 1, 2)) / 8).astype(np.float32)
    one, other = rng.integers(0, edges, (2, seams), dtype=np.uint32)
    found = np.empty(seams, np.float32)
    grid_ratios(one, other, offsets, levels, totals, tables, found)
    rules = [
        (offset.tolist(), level.tolist(), int(total), table.tolist())
        for offset, level, total, table in zip(offsets, levels, totals, tables, strict=True)
    ]
    expected = [grid_ratio(a, b, rules) for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    assert found.tolist() == expected
    assert len(set(expected)) > 5
