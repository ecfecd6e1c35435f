"""Slack on block lines: by how much seams there may differ without meaning anything.

Inside a block the picture is continuous, and two pieces of flat sky fit exactly or not at all. Between blocks it is
not: the true neighbor differs by the rounding of the file, and a hundred others fit better by chance. The slack is what
the smoothest of the positive pairs on such lines differ by.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rectoverso.geometry import mirror
from rectoverso.jpeg.likelihood import positive_pairs
from rectoverso.jpeg.offsets import BLOCK
from rectoverso.matching.alignment import PHASE, Alignment
from rectoverso.matching.lists import CandidateLists

SMOOTHEST = 0.05
"""The quantile of the differences on a kind of line that is taken for its slack."""

ENOUGH = 40
"""A kind of line needs so many positive pairs."""


def find_slack(lists: CandidateLists, alignment: Alignment) -> NDArray[np.float32]:
    """The slack of each edge: 0 but on lines between blocks, of either face."""
    found = np.zeros(len(lists.candidates), np.float32)
    one, _ = positive_pairs(lists)
    differences = lists.weights[one, 0]
    kinds = _kinds_of_lines(alignment)
    for kind in (1, 2):
        of_kind = differences[kinds[one] == kind]
        if len(of_kind) >= ENOUGH:
            found[kinds == kind] = np.quantile(of_kind, SMOOTHEST)
    return found if lists.descriptors.faces == 1 else np.maximum(found, found[mirror(np.arange(len(found)))])


def _kinds_of_lines(alignment: Alignment) -> NDArray[np.int64]:
    """What each edge lies on: 1 a line between luma blocks, 2 one between chroma blocks as well, 0 neither."""
    offset, known = alignment[:, 0] & PHASE, alignment[:, 1] & PHASE
    on_line = (known >= BLOCK - 1) & (offset % BLOCK == 0)
    of_chroma = on_line & (known == PHASE) & (offset == 0)
    return on_line.astype(np.int64) + of_chroma
