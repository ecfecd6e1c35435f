"""adapt(): worn pieces are compared anew, by the measure that knows their wear."""

from __future__ import annotations

from dataclasses import replace

from rectoverso.engines.threads import Tell, part_of, silent
from rectoverso.matching.lists import CandidateLists
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.worn.measure import Sights, find_worn_candidates
from rectoverso.worn.signs import FAR, Signs, find_signs

SHORT, SHARE = 12, 0.1
"""How many candidates the lists have that signs are read from, and the share of the time that each of them takes."""

WIDER = (1.4, 3.35, 5.4)
"""If the sides of certain seams are so many pixels apart, the gap is wider than the 0, 1 or 2 pixels that the network
was told. On 56 worn puzzles they were 1.0 to 1.3 apart without a gap and 1.4 to 4.2 with one; told of 1 pixel, 1.7 to
3.2 where that is so, and with 2 pixels lost 3.3 to 4.7 but for two of 16. The last one was not measured: 5 are expected
without and 7 with another pixel lost."""


def adapt(puzzle: Puzzle, clean: CandidateLists, signs: Signs, threads: int = 1, tell: Tell = silent) -> CandidateLists:
    """Better lists of worn pieces than those for clean ones, and what was found of the wear."""
    signs = _read_again(puzzle, clean, signs, threads, part_of(tell, 0, SHARE * len(WIDER)))
    sights = Sights.of(puzzle, clean, signs.conditions, threads)
    rest = part_of(tell, SHARE * len(WIDER), 1)
    found = find_worn_candidates(puzzle, sights, clean.candidates.shape[1], threads, rest)
    return replace(found, wear=signs.words, gap=signs.gap)


def _read_again(puzzle: Puzzle, clean: CandidateLists, signs: Signs, threads: int, tell: Tell) -> Signs:
    """The signs that short lists of the network show: those of the clean measure hold few seams of wide gaps.

    The network is told of a wider gap as long as what it finds shows one, unless somebody told the gap.
    """
    told = puzzle.gap is not None
    gap = signs.gap if told else int(signs.apart >= FAR)
    while True:
        sights = Sights.of(puzzle, clean, signs.of_gap(gap).conditions, threads)
        again = find_signs(puzzle, find_worn_candidates(puzzle, sights, SHORT, threads))
        # More seams are certain now, but that does not make the noise a texture.
        signs = replace(again.of_gap(gap), certain=signs.certain, told=signs.told)
        tell(min(1.0, (gap + 1) / len(WIDER)))
        if told or gap == len(WIDER) or again.apart < WIDER[gap]:
            return signs
        gap += 1
