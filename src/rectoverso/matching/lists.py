"""Candidate lists: for each edge the edges that fit it best, in order, and its best buddy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.engines.threads import Tell, silent
from rectoverso.geometry import NOTHING
from rectoverso.images.color import Normalization
from rectoverso.matching._native_measures import EdgeDescriptors, seam_dissimilarity
from rectoverso.matching.alignment import Alignment
from rectoverso.matching.custom import Measure, VectorMeasure, best_by_rerank
from rectoverso.matching.look_alikes import GROUP, LookAlikes
from rectoverso.matching.measures import describe_edges
from rectoverso.matching.search import Search, classes_by_side, search_at_home
from rectoverso.parameters import MeasureName
from rectoverso.puzzle.puzzle import Puzzle


@dataclass(frozen=True)
class UnlistedSeams:
    """What a seam costs that neither of its edges lists.

    That is the smaller of the ends of both lists, scaled up with the mean-color gap of the two edges; see
    :mod:`rectoverso.objective.color_gap`.

    Attributes
    ----------
    cap
        The most that any seam costs.
    ends
        What the list of each edge ends with.
    colors
        Edges x channels: the sum of the colors along each edge; no channels where the gap does not count.
    scales
        The usual gap of each edge: gaps far below it hardly count.
    factor
        How many times as much a seam costs in addition, at most.
    """

    cap: float
    ends: NDArray[np.float32]
    colors: NDArray[np.int32]
    scales: NDArray[np.float32]
    factor: float

    @classmethod
    def at_cap(cls, num_edges: int, cap: float) -> UnlistedSeams:
        """All unlisted seams cost the cap."""
        ends, scales = np.full(num_edges, cap, np.float32), np.ones(num_edges, np.float32)
        return cls(cap, ends, np.zeros((num_edges, 0), np.int32), scales, 0.0)


@dataclass(frozen=True)
class CandidateLists:
    """The candidates of every edge of a puzzle, in order, and what a solve needs to know beside them.

    Attributes
    ----------
    candidates
        Edges x k: the edges that fit best, or groups of look-alikes (``GROUP`` + number), best first; a row ends with
        ``geometry.NOTHING``. Only edges that may touch by the puzzle's type are listed.
    weights
        Edges x k: what the seam with each candidate counts, on both faces for two-sided pieces. Lists that were just
        measured have dissimilarities.
    buddies
        The edge that is an edge's best candidate and whose best candidate it is; ``geometry.NOTHING`` if there is none,
        or if it is one of several that look alike.
    look_alikes, descriptors
        The groups, and what the dissimilarity of any seam is computed from.
    puzzle
        The fingerprint (``Puzzle.digest``) of the puzzle whose edges these are.
    alignment
        How edges lie in a pattern that runs through the whole picture; None if that is not known.
    slack
        By how much the dissimilarities of each edge may differ without meaning anything; None means nowhere.
    unlisted
        What seams cost that are not listed. Without it a seam costs its dissimilarity, listed or not.
    findings
        What refinements found in the picture, in a few words each.
    wear, gap
        What wear was found to have done to the pieces, in a few words each, and how many pixels they lost at each side.
    search
        What found them, and can search again, as long as they are being prepared.
    """

    candidates: NDArray[np.uint32]
    weights: NDArray[np.float32]
    buddies: NDArray[np.uint32]
    look_alikes: LookAlikes
    descriptors: EdgeDescriptors
    puzzle: str
    alignment: Alignment | None = None
    slack: NDArray[np.float32] | None = None
    unlisted: UnlistedSeams | None = None
    findings: tuple[str, ...] = ()
    wear: tuple[str, ...] = ()
    gap: int = 0
    search: Search | None = None

    def __post_init__(self) -> None:
        for array in (self.candidates, self.weights, self.buddies):
            array.flags.writeable = False

    def check_is_of(self, puzzle: Puzzle) -> None:
        """Refuse the lists of another puzzle: native code trusts their numbers without looking."""
        if self.puzzle != puzzle.digest:
            raise ValueError(f"these candidates were found for another puzzle than {puzzle.name}")

    def dissimilarity(self, one: int, other: int) -> float:
        """The dissimilarity of any two edges."""
        return float(seam_dissimilarity(self.descriptors, np.uint64(one), np.uint64(other)))

    def with_candidates(self, candidates: NDArray[np.uint32], weights: NDArray[np.float32]) -> CandidateLists:
        """The same with other candidates, in the order of their weights, and their best buddies."""
        return replace(self, candidates=candidates, weights=weights, buddies=best_buddies(candidates))

    def shortened(self, k: int) -> CandidateLists:
        """The first k candidates of each edge."""
        return self.with_candidates(self.candidates[:, :k].copy(), self.weights[:, :k].copy())


def find_candidates(
    puzzle: Puzzle,
    *,
    measure: MeasureName = "lab",
    normalization: Normalization = "chroma",
    num_candidates: int = 32,
    least_group: int = 2,
    custom: Measure | None = None,
    threads: int = 1,
    tell: Tell = silent,
) -> CandidateLists:
    """Find the best candidates of every edge of a puzzle; look-alikes form a group from ``least_group`` of them on.

    A ``custom`` measure (see :mod:`rectoverso.matching.custom`) takes the place of the named one.
    """
    descriptors = describe_edges(puzzle, measure, normalization, custom, threads)
    rerank = custom if isinstance(custom, VectorMeasure) and custom.rerank is not None else None
    if not puzzle.type.location_unknown:
        candidates, values = search_at_home(puzzle, descriptors)
        look_alikes = LookAlikes.none(puzzle.num_edges)
        if rerank is not None:
            candidates, values = best_by_rerank(rerank, puzzle, candidates, look_alikes, candidates.shape[1], threads)
        return CandidateLists(candidates, values, best_buddies(candidates), look_alikes, descriptors, puzzle.digest)
    look_alikes = LookAlikes.of(puzzle, depth=int(descriptors.depth), least=least_group)
    search = Search(puzzle, descriptors, threads, rerank)
    candidates, values = search.find(look_alikes, classes_by_side(puzzle), num_candidates, tell)
    buddies = best_buddies(candidates)
    return CandidateLists(candidates, values, buddies, look_alikes, descriptors, puzzle.digest, search=search)


def best_buddies(candidates: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Mutual best candidates among edges that have no look-alike."""
    edges = np.arange(len(candidates), dtype=np.uint32)
    best = candidates[:, 0]
    is_edge = best < GROUP
    mutual = np.zeros(len(edges), bool)
    mutual[is_edge] = best[best[is_edge]] == edges[is_edge]
    return np.where(mutual, best, NOTHING).astype(np.uint32)
