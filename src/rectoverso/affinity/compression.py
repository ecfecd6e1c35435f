"""What JPEG compression leaves in a picture, and what that tells of its pieces.

Most pictures were JPEG files once. They are made of blocks, which end where the :mod:`~rectoverso.affinity.grid` runs;
rows and columns were not treated alike, which tells :mod:`~rectoverso.affinity.headings`; blocks that a seam splits
have coefficients on a lattice (:mod:`~rectoverso.affinity.quantization`); and the colors beside a seam have a share of
what lies beyond (:mod:`~rectoverso.affinity.enlarging`). A picture without such traces stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rectoverso.affinity.affinity import Affinity, shortened
from rectoverso.affinity.bearings import Bearings, find_bearings
from rectoverso.affinity.blocks import brightness, clipped
from rectoverso.affinity.enlarging import COLORS, HalvedColors, find_halved_colors, run_on, weighed_by_enlarging
from rectoverso.affinity.grid import (
    LINKED,
    Grid,
    Judged,
    certain_links,
    find_grid,
    judge,
    telling,
    weighed_by_rulers,
)
from rectoverso.affinity.headings import by_rounding, by_steps, find_headings
from rectoverso.affinity.quantization import Coded, read_coded, weighed_by_quantization
from rectoverso.affinity.rulers import Ruler
from rectoverso.affinity.stepping import in_step
from rectoverso.affinity.witnesses import Pairs, chance_seams, trusted_seams
from rectoverso.puzzle.puzzle import Puzzle

WIDER = 4
"""How many times as many candidates are found as are kept: colors know more than the measure that they are found by."""


@dataclass(frozen=True)
class _File:
    """What pieces tell of the file that their picture was.

    Attributes
    ----------
    brightness
        How it was coded, if there is a grid.
    halved
        The colors before they were enlarged, if they were.
    grid, headings
        The rulers of both; ``judged`` are those that tell true seams from others.
    """

    brightness: Coded | None
    halved: HalvedColors | None
    grid: Grid
    headings: list[Ruler]
    judged: Judged


def weighed_by_compression(puzzle: Puzzle, affinity: Affinity, threads: int = 1) -> Affinity:
    """The affinity with larger dissimilarities where seams contradict what was in the file; itself without traces.

    With a grid or headings, candidates are searched anew among edges that keep to them. Lists half as long then reach
    further still.
    """
    trusted, chance = trusted_seams(affinity), chance_seams(affinity)
    file = _read_file(puzzle, affinity, trusted, chance, threads)
    bearings, kept = _find_bearings(puzzle, affinity, file), (affinity.candidates.shape[1] + 1) // 2
    if file.judged:
        wide = kept if file.halved is None else WIDER * kept
        affinity = in_step(puzzle, affinity, [ruler for ruler, _ in file.judged], wide, threads)
        affinity = weighed_by_rulers(puzzle, affinity, file.judged, threads)
    if file.brightness is not None:
        affinity = weighed_by_quantization(affinity, file.brightness, puzzle.faces, trusted, chance, threads)
    if file.halved is not None:
        affinity = _weighed_by_colors(puzzle, affinity, file.halved, file.grid, trusted, chance, threads)
    if file.judged and puzzle.type.location_unknown:
        affinity = shortened(affinity, kept)
    return affinity if bearings is None else replace(affinity, bearings=bearings)


def _read_file(puzzle: Puzzle, affinity: Affinity, trusted: Pairs, chance: Pairs, threads: int) -> _File:
    """What is known before any seam is weighed."""
    halved = find_halved_colors(puzzle, threads)
    if halved is not None and not run_on(halved, trusted):
        halved = None
    grid = find_grid(puzzle, affinity, trusted, chance, threads)
    coded = read_coded([brightness(puzzle, threads)], grid.rulers[:2], threads) if grid.judged else None
    headings: list[Ruler] = []
    if puzzle.type.rotation_unknown:
        links = certain_links(weighed_by_rulers(puzzle, affinity, grid.judged, threads) if grid.judged else affinity)
        steps = None if coded is None else by_steps(coded, clipped(puzzle, threads), threads)
        headings = find_headings(steps, None if halved is None else by_rounding(halved.leaning), links)
    return _File(coded, halved, grid, headings, grid.judged + judge(headings, trusted, chance))


def _find_bearings(puzzle: Puzzle, affinity: Affinity, file: _File) -> Bearings | None:
    inward, headings = (telling(rulers, file.judged) for rulers in (file.grid.rulers[::2], file.headings))
    return find_bearings(inward, headings, trusted_seams(affinity, LINKED), puzzle.piece_size)


def _weighed_by_colors(
    puzzle: Puzzle, affinity: Affinity, halved: HalvedColors, grid: Grid, trusted: Pairs, chance: Pairs, threads: int
) -> Affinity:
    """By the colors beside seams, and then by the blocks of colors, if it is known where they lie.

    For the former, the seams that lists end with now are the ones to be told from true ones.
    """
    rulers = grid.rulers[2:] if grid.judged else []
    last = chance_seams(affinity)
    inward = rulers[0] if rulers else None
    affinity = weighed_by_enlarging(affinity, halved, inward, puzzle.faces, trusted, last, threads)
    if not rulers:
        return affinity
    coded = read_coded([np.ascontiguousarray(halved.planes[:, color]) for color in range(COLORS)], rulers, threads)
    return weighed_by_quantization(affinity, coded, puzzle.faces, trusted, chance, threads)
