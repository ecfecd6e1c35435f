"""Slack: the dissimilarity that seams on lines of the block grid have without meaning anything.

Inside a block the picture is continuous, and two pieces of flat sky fit exactly or not at all. Between blocks it is not
continuous: the true neighbor differs by the quantization error of the file, and a hundred others fit better by chance.
The slack is the dissimilarity of the smoothest positive pairs on such lines. The median dissimilarity of the true seams
between flat pieces of 10375/17 is 0 inside blocks, 10 on lines of luma blocks, and 72 on lines of chroma blocks.
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
"""The slack of a kind of line is this quantile of the dissimilarities of its positive pairs. On 5015/01 and 11, fixed
slacks of 15 and 75 are as good (97.6 %), but bgu-805/09 loses 0.8 points; without slack it is 97.3 %."""

ENOUGH = 40
"""A kind of line with fewer positive pairs has no slack."""


def find_slack(lists: CandidateLists, alignment: Alignment) -> NDArray[np.float32]:
    """The slack of each edge; 0 unless the edge lies on a line of the block grid, on either face."""
    found = np.zeros(len(lists.candidates), np.float32)
    one, _ = positive_pairs(lists)
    dissimilarities = lists.weights[one, 0]
    kinds = _kinds_of_lines(alignment)
    for kind in (1, 2):
        of_kind = dissimilarities[kinds[one] == kind]
        if len(of_kind) >= ENOUGH:
            found[kinds == kind] = np.quantile(of_kind, SMOOTHEST)
    return found if lists.descriptors.faces == 1 else np.maximum(found, found[mirror(np.arange(len(found)))])


def _kinds_of_lines(alignment: Alignment) -> NDArray[np.int64]:
    """By edge: 1 on a line between luma blocks, 2 on a line between chroma blocks as well, 0 elsewhere."""
    phase, known = alignment[:, 0] & PHASE, alignment[:, 1] & PHASE
    on_line = (known >= BLOCK - 1) & (phase % BLOCK == 0)
    of_chroma = on_line & (known == PHASE) & (phase == 0)
    return on_line.astype(np.int64) + of_chroma
