"""Lines of the grid, and what they excuse.

Inside of a block the picture runs on, and two pieces of flat sky fit exactly or not at all. Between blocks it does not:
there the true neighbor differs by what the file was rounded to, and a hundred others fit better by chance. By how much
the smoothest of the certain seams on such lines differ is what differences there are compared with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity
from rectoverso.affinity.bearings import OFFSET, Bearings
from rectoverso.affinity.rulers import BLOCK
from rectoverso.affinity.witnesses import trusted_seams
from rectoverso.geometry import mirror

SMOOTHEST = 0.05
"""Which share of the certain seams on a kind of line is the smoothest."""

ENOUGH = 40
"""So many certain seams of a kind must be known."""


def excused(affinity: Affinity, bearings: Bearings | None) -> NDArray[np.float32]:
    """By how much seams of each edge may differ for nothing: 0 but on lines between blocks, of either face."""
    found = np.zeros(len(affinity.candidates), np.float32)
    if bearings is None:
        return found
    one, _ = trusted_seams(affinity)
    differences = affinity.dissimilarity[one, 0]
    kinds = _kinds_of_lines(bearings)
    for kind in (1, 2):
        of_kind = differences[kinds[one] == kind]
        if len(of_kind) >= ENOUGH:
            found[kinds == kind] = np.quantile(of_kind, SMOOTHEST)
    return found if affinity.seams.faces == 1 else np.maximum(found, found[mirror(np.arange(len(found)))])


def _kinds_of_lines(bearings: Bearings) -> NDArray[np.int64]:
    """What each edge lies on: 1 a line between blocks of brightness, 2 one between those of colors, too, 0 neither."""
    offset, known = bearings[:, 0] & OFFSET, bearings[:, 1] & OFFSET
    on_line = (known >= BLOCK - 1) & (offset % BLOCK == 0)
    of_colors = on_line & (known == OFFSET) & (offset == 0)
    return on_line.astype(np.int64) + of_colors
