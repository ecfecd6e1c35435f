"""Candidate lists of worn pieces: found by the vectors of the network and by the clean measure, ranked by its scores.

A score is a log likelihood ratio but for a constant of each edge, so it becomes a chance beside the other candidates of
the same edge. What a seam is dissimilar by comes from the chances that it has among the candidates of both its edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rectoverso.engines.threads import Tell, over_slices, part_of, silent
from rectoverso.geometry import NOTHING, mirror
from rectoverso.matching.custom import Strips, border_strips, in_whole_numbers
from rectoverso.matching.lists import CandidateLists, best_buddies
from rectoverso.matching.look_alikes import GROUP, LookAlikes
from rectoverso.matching.measures import describe_edges
from rectoverso.matching.ratio import sorted_by_weight
from rectoverso.matching.search import Search, classes_by_side, search_at_home
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.worn.named import named_measures, usual_levels
from rectoverso.worn.network import DEPTH, Floats, Numbers, Sight, scores, seen

SHARPNESS = 0.25
"""The power of chances that dissimilarities are; set by hand, and not varied yet."""

TINY = 1e-300
"""Keeps the logarithm of no chance at all finite."""

SLICE = 512
"""Of so many edges features are made at a time, and so many seams are scored at a time."""

Entries = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Sights:
    """How all edges of a puzzle are seen, by their lengths, and what the clean measure says of them.

    Attributes
    ----------
    near, far
        How edges of each length are seen.
    told
        The conditions that they are seen under.
    clean
        The lists that the measure for clean pieces found.
    levels
        Edges x 2: what the named measures usually say.
    """

    near: list[Sight]
    far: list[Sight]
    told: Floats
    clean: CandidateLists
    levels: Floats

    @classmethod
    def of(cls, puzzle: Puzzle, clean: CandidateLists, told: Floats, threads: int = 1) -> Sights:
        """The sights of the edges of a puzzle that is worn as the conditions tell."""
        strips = border_strips(puzzle, DEPTH)
        near, far = ([_seen(each, told, side, threads) for each in strips] for side in ("near", "far"))
        return cls(near, far, told, clean, usual_levels(clean))

    def scores(self, one: Numbers, other: Numbers) -> Floats:
        """The scores of seams on one face."""
        count = len(self.near)
        named = named_measures(self.clean.descriptors, one, other) - (self.levels[one] + self.levels[other]) / 2
        found = np.empty(len(one), np.float32)
        for number, (near, far) in enumerate(zip(self.near, self.far, strict=True)):
            these = one % count == number
            a, b = one[these] // count, other[these] // count
            found[these] = scores(near, far, named[these], self.told, a, b)
        return found


def _seen(strips: Strips, told: Floats, side: str, threads: int) -> Sight:
    view, parts = strips if side == "near" else strips[:, :, ::-1], {}

    def work(start: int, stop: int) -> None:
        parts[start] = seen(view[start:stop], told, side)

    with threadpool_limits(1, user_api="blas"):
        over_slices(work, len(view), threads, SLICE)
    return Sight.joined([parts[start] for start in sorted(parts)])


def find_worn_candidates(
    puzzle: Puzzle, sights: Sights, num_candidates: int, threads: int = 1, tell: Tell = silent
) -> CandidateLists:
    """Find the best candidates of every edge of a puzzle whose edges are seen like this."""
    usual = describe_edges(puzzle, "lab", "chroma")
    pairs = [
        (near.vectors.astype(np.float64), far.vectors.astype(np.float64))
        for near, far in zip(sights.near, sights.far, strict=True)
    ]
    forward, backward, unit = in_whole_numbers(pairs)
    depth = min(DEPTH, puzzle.piece_height, puzzle.piece_width)
    descriptors = usual._replace(forward=forward, backward=backward, unit=unit, depth=np.uint64(depth))
    if puzzle.type.location_unknown:
        look_alikes, half = LookAlikes.of(puzzle, depth, sights.clean.look_alikes.least), (num_candidates + 1) // 2
        search = Search(puzzle, descriptors, threads)
        by_vectors, _ = search.find(look_alikes, classes_by_side(puzzle), half, part_of(tell, 0, 0.4))
        candidates = _joined(by_vectors, sights.clean.candidates[:, : num_candidates - half], look_alikes)
    else:
        look_alikes = LookAlikes.none(puzzle.num_edges)
        candidates, _ = search_at_home(puzzle, descriptors)
    scored = score_candidates(puzzle, sights, candidates, look_alikes, threads, part_of(tell, 0.4, 1))
    ordered, values = sorted_by_weight(candidates, dissimilarities(scored, candidates, look_alikes))
    return CandidateLists(
        ordered, values.astype(np.float32), best_buddies(ordered), look_alikes, descriptors, puzzle.digest
    )


def _joined(one: Entries, clean: Entries, look_alikes: LookAlikes) -> Entries:
    """Candidates of two lists, each once. Groups of the second are left out: they look alike in fewer rows."""
    alone = clean < GROUP
    other = np.where(alone, look_alikes.entries[np.where(alone, clean, 0)], NOTHING).astype(np.uint32)
    both = np.sort(np.concatenate([one, other], axis=1), axis=1)
    both[:, 1:][both[:, 1:] == both[:, :-1]] = NOTHING
    return both


def score_candidates(
    puzzle: Puzzle,
    sights: Sights,
    candidates: Entries,
    look_alikes: LookAlikes,
    threads: int = 1,
    tell: Tell = silent,
) -> Floats:
    """The scores of all candidates, of both faces for two-sided pieces; minus infinity where a list has ended."""
    edges = np.broadcast_to(np.arange(len(candidates))[:, None], candidates.shape)
    others, listed = look_alikes.first_members(candidates), candidates != NOTHING
    # A seam has the same score from both of its edges.
    keys = np.minimum(edges, others)[listed] * np.int64(len(candidates)) + np.maximum(edges, others)[listed]
    seams, number = np.unique(keys, return_inverse=True)
    one, other = np.divmod(seams, len(candidates))
    found = np.empty(len(seams), np.float32)

    def work(start: int, stop: int) -> None:
        a, b = one[start:stop], other[start:stop]
        found[start:stop] = sights.scores(a, b)
        if puzzle.faces == 2:
            found[start:stop] += sights.scores(mirror(a), mirror(b))

    with threadpool_limits(1, user_api="blas"):
        over_slices(work, len(seams), threads, SLICE, tell)
    scored = np.full(candidates.shape, -np.inf, np.float32)
    scored[listed] = found[number]
    return scored


def dissimilarities(scored: Floats, candidates: Entries, look_alikes: LookAlikes) -> NDArray[np.float64]:
    """What seams are dissimilar by: a power of the chances that they have among the candidates of both edges."""
    values = scored.astype(np.float64)
    # An edge at the frame of pieces whose cells are known has no candidates.
    top = np.where(np.isfinite(values).any(axis=1, keepdims=True), values.max(axis=1, keepdims=True), 0)
    level = (top + np.log(np.maximum(np.exp(values - top).sum(axis=1, keepdims=True), TINY)))[:, 0]
    others = look_alikes.first_members(candidates)
    return np.where(np.isfinite(values), np.exp(SHARPNESS * ((level[:, None] + level[others]) / 2 - values)), np.inf)
