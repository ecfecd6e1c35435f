"""refine(): candidate lists weighed by the traces of JPEG compression.

Most pictures were JPEG files once. Such a picture is made of blocks, and edges that break the
:mod:`~rectoverso.jpeg.grid` cannot touch. JPEG does not treat rows and columns alike, which tells the
:mod:`~rectoverso.jpeg.orientation` of pieces. The coefficients of blocks that a seam splits are multiples of
quantization steps (:mod:`~rectoverso.jpeg.quantization`). Chroma beside a seam also depends on the chroma beyond it
(:mod:`~rectoverso.jpeg.upsampling`). A picture without such traces keeps its lists.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rectoverso.engines.threads import Tell, part_of, silent
from rectoverso.jpeg.aligned import aligned
from rectoverso.jpeg.alignment import find_alignment
from rectoverso.jpeg.blocks import clipped, luma
from rectoverso.jpeg.grid import (
    LINKED,
    Calibrated,
    Grid,
    calibrate,
    certain_links,
    find_grid,
    informative,
    weighed_by_grid,
)
from rectoverso.jpeg.likelihood import Pairs, background_pairs, positive_pairs
from rectoverso.jpeg.offsets import GridOffsets
from rectoverso.jpeg.orientation import by_rounding, by_steps, find_orientation
from rectoverso.jpeg.quantization import Coded, read_coded, weighed_by_quantization
from rectoverso.jpeg.slack import find_slack
from rectoverso.jpeg.upsampling import (
    CHANNELS,
    SubsampledChroma,
    find_subsampled_chroma,
    reaches_across,
    weighed_by_upsampling,
)
from rectoverso.matching.alignment import Alignment
from rectoverso.matching.lists import CandidateLists
from rectoverso.puzzle.puzzle import Puzzle

READING, SEARCHED = 0.3, 0.7
"""The share of the refinement that is done once the traces are read, and once candidates are searched again; measured
on puzzles of 22,755 pieces."""

WIDER = 4
"""Where subsampled chroma is known, so many times as many candidates are searched as are kept, because chroma ranks
them better than the measure that finds them."""


@dataclass(frozen=True)
class _File:
    """The traces of the file in the pieces of a picture.

    Attributes
    ----------
    positive, background
        The pairs of edges that likelihood ratios are fitted on.
    luma
        The coding of luma; None without a block grid.
    chroma
        The subsampled chroma; None if chroma was not upsampled.
    grid, orientation
        The block grid, and the axis and the sense of edges if they are known.
    calibrated
        The informative offsets of both.
    """

    positive: Pairs
    background: Pairs
    luma: Coded | None
    chroma: SubsampledChroma | None
    grid: Grid
    orientation: list[GridOffsets]
    calibrated: Calibrated

    @property
    def findings(self) -> tuple[str, ...]:
        """The traces that were found, in a few words each."""
        known = (
            ("block grid", bool(self.grid.calibrated)),
            ("quantization", self.luma is not None and bool(self.luma.steps.any())),
            ("4:2:0 chroma", self.chroma is not None),
            ("orientation", len(self.calibrated) > len(self.grid.calibrated)),
        )
        return tuple(name for name, found in known if found)


def refine(puzzle: Puzzle, lists: CandidateLists, threads: int = 1, tell: Tell = silent) -> CandidateLists:
    """The lists, weighed by the traces of the file, and with its alignment and slack; the same lists without traces.

    With a block grid or an orientation, candidates are searched again among aligned edges. Half as many are kept then,
    and these still reach further.
    """
    file = _read_file(puzzle, lists, threads, part_of(tell, 0, READING))
    alignment, kept = _find_alignment(puzzle, lists, file), (lists.candidates.shape[1] + 1) // 2
    slack = None if alignment is None else find_slack(lists, alignment)
    if file.calibrated:
        wide = kept if file.chroma is None else WIDER * kept
        offsets = [offsets for offsets, _ in file.calibrated]
        lists = aligned(puzzle, lists, offsets, wide, part_of(tell, READING, SEARCHED))
        lists = weighed_by_grid(puzzle, lists, file.calibrated, threads)
    if file.luma is not None:
        pairs = (file.positive, file.background)
        lists = weighed_by_quantization(lists, file.luma, puzzle.faces, *pairs, threads)
    if file.chroma is not None:
        lists = _weighed_by_chroma(puzzle, lists, file, file.chroma, threads)
    if file.calibrated and puzzle.type.location_unknown:
        lists = lists.shortened(kept)
    return replace(lists, alignment=alignment, slack=slack, findings=file.findings)


def _read_file(puzzle: Puzzle, lists: CandidateLists, threads: int, tell: Tell) -> _File:
    """All traces that can be read before any seam is weighed."""
    positive, background = positive_pairs(lists), background_pairs(lists)
    chroma = find_subsampled_chroma(puzzle, threads)
    if chroma is not None and not reaches_across(chroma, positive):
        chroma = None
    tell(0.6)
    grid = find_grid(puzzle, lists, positive, background, threads)
    tell(0.8)
    coded = read_coded([luma(puzzle, threads)], grid.offsets[:2], threads) if grid.calibrated else None
    orientation: list[GridOffsets] = []
    if puzzle.type.rotation_unknown:
        links = certain_links(weighed_by_grid(puzzle, lists, grid.calibrated, threads) if grid.calibrated else lists)
        steps = None if coded is None else by_steps(coded, clipped(puzzle, threads), threads)
        orientation = find_orientation(steps, None if chroma is None else by_rounding(chroma.rounding_lead), links)
    calibrated = grid.calibrated + calibrate(orientation, positive, background)
    return _File(positive, background, coded, chroma, grid, orientation, calibrated)


def _find_alignment(puzzle: Puzzle, lists: CandidateLists, file: _File) -> Alignment | None:
    """The alignment by the informative offsets of the grid and of the orientation."""
    inward, orientation = (informative(each, file.calibrated) for each in (file.grid.offsets[::2], file.orientation))
    return find_alignment(inward, orientation, positive_pairs(lists, LINKED), puzzle.piece_height)


def _weighed_by_chroma(
    puzzle: Puzzle, lists: CandidateLists, file: _File, chroma: SubsampledChroma, threads: int
) -> CandidateLists:
    """The lists, weighed by the chroma beside seams, and then by the chroma blocks if their grid is known.

    The first of both takes its background pairs from the lists as they are now.
    """
    offsets = file.grid.offsets[2:] if file.grid.calibrated else []
    inward, background = offsets[0] if offsets else None, background_pairs(lists)
    lists = weighed_by_upsampling(lists, chroma, inward, puzzle.faces, file.positive, background, threads)
    if not offsets:
        return lists
    planes = [np.ascontiguousarray(chroma.planes[:, channel]) for channel in range(CHANNELS)]
    coded = read_coded(planes, offsets, threads)
    return weighed_by_quantization(lists, coded, puzzle.faces, file.positive, file.background, threads)
