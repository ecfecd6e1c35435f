"""adapt(): worn pieces are compared anew, by the measure that knows their wear."""

from __future__ import annotations

from dataclasses import replace

from rectoverso.engines.threads import Tell, part_of, silent
from rectoverso.matching.lists import CandidateLists
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.worn.measure import Sights, find_worn_candidates
from rectoverso.worn.signs import Signs, find_signs

ROUNDS, SHORT, SHARE = 2, 12, 0.15
"""So often at most the signs are read again, off short lists that the network makes: the lists of clean pieces hold few
seams of wide gaps. And the share of the time that each round takes."""


def adapt(puzzle: Puzzle, clean: CandidateLists, signs: Signs, threads: int = 1, tell: Tell = silent) -> CandidateLists:
    """Better lists of worn pieces than those for clean ones, and what was found of the wear."""
    sights = Sights.of(puzzle, clean, signs.conditions, threads)
    for number in range(ROUNDS):
        short = find_worn_candidates(puzzle, sights, SHORT, threads)
        # More seams are certain now, but that does not make the noise a texture.
        again = replace(find_signs(puzzle, short).with_gap(puzzle.gap), certain=signs.certain)
        tell(SHARE * (number + 1))
        if again.like(signs):
            break
        signs, sights = again, Sights.of(puzzle, clean, again.conditions, threads)
    rest = part_of(tell, SHARE * ROUNDS, 1)
    found = find_worn_candidates(puzzle, sights, clean.candidates.shape[1], threads, rest)
    return replace(found, wear=signs.words, gap=signs.gap)
