"""Where a solution is uncertain: connected regions of pieces, and a sentence about them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rectoverso.confidence.confidence import SURE, Confidence
from rectoverso.confidence.pieces import Cells, connected
from rectoverso.geometry import STEPS

NAMED = 3
"""How many regions a sentence names."""


@dataclass(frozen=True)
class Region:
    """Uncertain pieces side by side: the rows and columns they reach over, counted from 1, and how many they are."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    pieces: int

    def __str__(self) -> str:
        pieces = f"{self.pieces:,} piece{'' if self.pieces == 1 else 's'}"
        return f"{_reach('row', self.rows)}, {_reach('column', self.columns)} ({pieces})"


def uncertain_regions(confidence: Confidence) -> list[Region]:
    """The regions of pieces that are not sure, the largest first.

    >>> [str(region) for region in uncertain_regions(Confidence.of([[0.3]], [], [[0.95, 0.3]]))]
    ['row 1, column 2 (1 piece)']
    """
    doubted = confidence.pieces < SURE
    rim = np.pad(doubted, 1)
    beside = np.stack([rim[1 + y : rim.shape[0] - 1 + y, 1 + x : rim.shape[1] - 1 + x] for y, x in STEPS])
    parts = [part for part in connected(beside & doubted) if doubted[part[0]]]
    return sorted(map(_region, parts), key=lambda region: (-region.pieces, region.rows, region.columns))


def _region(cells: Cells) -> Region:
    ys, xs = zip(*cells, strict=True)
    return Region((min(ys) + 1, max(ys) + 1), (min(xs) + 1, max(xs) + 1), len(cells))


def figures(confidence: Confidence) -> dict[str, Any]:
    """The confidence of a whole solution as numbers: what to expect of its neighbor score, and what is uncertain."""
    regions = uncertain_regions(confidence)
    return {
        "expected_neighbor": round(confidence.expected, 6),
        "sure_seams": round(_share(confidence.seams >= SURE), 6),
        "uncertain_pieces": sum(region.pieces for region in regions),
        "uncertain_regions": [
            {"rows": region.rows, "columns": region.columns, "pieces": region.pieces} for region in regions[:NAMED]
        ],
    }


def in_words(confidence: Confidence) -> str:
    """A sentence: how many seams are sure, and where the largest uncertain regions lie."""
    # Rounded down: "100%" must mean all.
    sure = math.floor(1000 * _share(confidence.seams >= SURE)) / 10
    regions = uncertain_regions(confidence)
    parts = [str(region) for region in regions[:NAMED]]
    if rest := regions[NAMED:]:
        parts.append(f"and {sum(region.pieces for region in rest):,} more, scattered")
    where = f"uncertain: {'; '.join(parts)}" if parts else "no piece is uncertain"
    return f"sure of {sure:g}% of the seams; {where}"


def _share(of: NDArray[Any]) -> float:
    return float(of.mean(dtype=np.float64)) if of.size else 1.0


def _reach(name: str, ends: tuple[int, int]) -> str:
    first, last = ends
    return f"{name} {first}" if first == last else f"{name}s {first}-{last}"
