"""What JPEG compression leaves in a picture, and what that tells of its pieces.

Most pictures were JPEG files once. They are made of blocks, which end where the :mod:`~rectoverso.affinity.grid` runs;
blocks that a seam splits have coefficients on a lattice (:mod:`~rectoverso.affinity.quantization`); and the colors
beside a seam have a share of what lies beyond (:mod:`~rectoverso.affinity.enlarging`). A picture without such traces
stays as it is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.affinity.affinity import Affinity, shortened
from rectoverso.affinity.bearings import find_bearings
from rectoverso.affinity.blocks import Planes, brightness
from rectoverso.affinity.enlarging import COLORS, HalvedColors, find_halved_colors, run_on, weighed_by_enlarging
from rectoverso.affinity.grid import LINKED, Grid, certain_links, find_grid, judge, telling, weighed_by_rulers
from rectoverso.affinity.headings import find_headings
from rectoverso.affinity.quantization import find_steps, weighed_by_quantization
from rectoverso.affinity.rulers import Ruler
from rectoverso.affinity.stepping import in_step
from rectoverso.affinity.witnesses import Pairs, chance_seams, trusted_seams
from rectoverso.puzzle.puzzle import Puzzle

WIDER = 4
"""How many times as many candidates are found as are kept: colors know more than the measure that they are found by."""


def weighed_by_compression(puzzle: Puzzle, affinity: Affinity, threads: int = 1) -> Affinity:
    """The affinity with larger dissimilarities where seams contradict what was in the file; itself without traces.

    With a grid, candidates are searched anew among edges that keep to it. Lists half as long then reach further still.
    """
    trusted, chance = trusted_seams(affinity), chance_seams(affinity)
    halved = find_halved_colors(puzzle, threads)
    if halved is not None and not run_on(halved, trusted):
        halved = None
    grid = find_grid(puzzle, affinity, trusted, chance, threads)
    if not grid.judged:
        return affinity if halved is None else _weighed_by_colors(puzzle, affinity, halved, None, trusted, threads)
    planes = brightness(puzzle, threads)
    steps = find_steps([planes], grid.rulers[0], threads)
    headings = _find_headings(puzzle, affinity, grid, planes, steps, halved, threads)
    turns = judge(headings, trusted, chance)
    kept = (affinity.candidates.shape[1] + 1) // 2
    wide = kept if halved is None else WIDER * kept
    links = trusted_seams(affinity, LINKED)
    judged = grid.judged + turns
    inward = telling(grid.rulers[::2], judged)
    bearings = find_bearings(inward, telling(headings, judged), links, puzzle.piece_size)
    affinity = in_step(puzzle, affinity, [ruler for ruler, _ in judged], wide, threads)
    affinity = weighed_by_rulers(puzzle, affinity, judged, threads)
    affinity = weighed_by_quantization(
        affinity, [planes], steps, grid.rulers[:2], puzzle.faces, trusted, chance, threads
    )
    if halved is not None:
        affinity = _weighed_by_colors(puzzle, affinity, halved, grid, trusted, threads)
        if len(grid.rulers) > 2:
            colors = [np.ascontiguousarray(halved.planes[:, color]) for color in range(COLORS)]
            steps = find_steps(colors, grid.rulers[2], threads)
            affinity = weighed_by_quantization(
                affinity, colors, steps, grid.rulers[2:], puzzle.faces, trusted, chance, threads
            )
    if puzzle.type.location_unknown:
        affinity = shortened(affinity, kept)
    return replace(affinity, bearings=bearings)


def _find_headings(
    puzzle: Puzzle,
    affinity: Affinity,
    grid: Grid,
    planes: Planes,
    steps: NDArray[np.float32],
    halved: HalvedColors | None,
    threads: int,
) -> list[Ruler]:
    if not puzzle.type.rotation_unknown:
        return []
    links = certain_links(weighed_by_rulers(puzzle, affinity, grid.judged, threads))
    leaning = None if halved is None else halved.leaning
    return find_headings(planes, grid.rulers[0], steps, leaning, links, threads)


def _weighed_by_colors(
    puzzle: Puzzle, affinity: Affinity, halved: HalvedColors, grid: Grid | None, trusted: Pairs, threads: int
) -> Affinity:
    """By the colors beside seams; those that lists end with now are the ones to be told from true ones."""
    inward = grid.rulers[2] if grid is not None and len(grid.rulers) > 2 else None
    chance = chance_seams(affinity)
    return weighed_by_enlarging(affinity, halved, inward, puzzle.faces, trusted, chance, threads)
