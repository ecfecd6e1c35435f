"""The log likelihood ratios of seams by the block grid, for all offsets at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from rectoverso.native import native

BLOCK = np.int64(8)


@native
def grid_ratios(one: Any, other: Any, offsets: Any, levels: Any, totals: Any, tables: Any, ratios: Any) -> None:
    """The sum of the log ratios of seams over several kinds of offsets (kinds x edges), each with its table."""
    for i in range(one.shape[0]):
        a, b = np.uint64(one[i]), np.uint64(other[i])
        total = np.float32(0)
        for kind in range(offsets.shape[0]):
            sureness = min(levels[kind, a], levels[kind, b])
            sum_of_offsets = np.int64(offsets[kind, a]) + np.int64(offsets[kind, b])
            agrees = 1 if sum_of_offsets % BLOCK == totals[kind] else 0
            total += tables[kind, np.uint64(sureness), agrees]
        ratios[i] = total
