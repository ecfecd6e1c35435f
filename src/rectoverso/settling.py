"""What nobody told about a puzzle is settled here: whether its pieces are turned, and the frame that they fill.

Both are read off seams that are certain by themselves: two edges each of which fits the other far better than any
other edge does.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rectoverso.errors import BadInputError, PuzzleWarning
from rectoverso.evolve.solver import Solver
from rectoverso.geometry import NOTHING, mirror
from rectoverso.matching.alignment import DIRECTION, common_alignment
from rectoverso.matching.likely import certain_pairs
from rectoverso.matching.lists import CandidateLists
from rectoverso.matching.ratio import ratios_of_seams
from rectoverso.objective import CAP
from rectoverso.parameters import Params
from rectoverso.puzzle.arrangement import Arrangement, seams_of
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.types import PuzzleType

EVIDENCE = math.log(1000)
"""Pieces count as never turned if that many certain seams would all lie straight by chance once in so many times."""

STRAIGHT = 0.96
"""The share of certain seams that lie straight if no piece is turned. Some certain seams are wrong: the least share of
59 pictures is 0.981. Of the same pictures with turned pieces the largest is 0.33, or 0.57 with seven seams."""

CERTAIN = 0.6
"""A seam of a smaller ratio is certain when frames are weighed; set by hand."""

POPULATION, GENERATIONS, FINALISTS = 24, 3, 3
"""What a frame is weighed by: the best of a small generation, and for the most likely frames of some generations."""

PLACEMENTS = 100_000
"""In large puzzles the population is so small that a generation places no more than so many pieces."""

LONGEST = 2046
"""Longer frames are not weighed, but for the squarest one: boards of more than 4,096 x 4,096 cells take too long."""

NEUTRAL = 1.4
"""The ratio of a seam that speaks neither for nor against it, as in growth by cells. Frames have different numbers of
seams: seams below this are a reason for a frame, and seams above it are a reason against it."""

BROKEN = 0.05
"""A frame that breaks a larger share of the certain seams is suspicious. The true frame breaks at most 0.03 of them in
24 puzzles of 12 pictures, and 0.036 in a scan of 117 pieces. If pieces are missing, the best one breaks 0.04 to 0.6."""

FEW = 5
"""So few broken seams prove nothing: a small puzzle has some wrong ones among its certain seams."""

MANY = 1.0
"""With so many certain seams for each piece a suspicious frame is wrong; with fewer the pieces may be worn. Of pieces
that were found to be worn some certain seams are wrong, however many there are."""

CLEAN, PLAINLY = 0.02, 0.01
"""Pieces that lay in a shuffled picture are put into another frame than its grid only if that breaks at most this share
of the certain seams, and the grid breaks more than twice as many and so many more. Of pieces as small or as worn as
they come, many frames are cheaper than the true one after a short evolution."""


@dataclass(frozen=True)
class WeighedFrame:
    """A frame, judged by the best arrangement that was found for it.

    Attributes
    ----------
    rows, columns
        The frame.
    doubt
        The ratios of its seams beyond that of a neutral one, summed up and by piece: about -2 where all fits.
    broken
        The share of the certain seams that it breaks.
    """

    rows: int
    columns: int
    doubt: float
    broken: float


def settle_type(puzzle: Puzzle, threads: int = 1) -> tuple[Puzzle, str]:
    """The puzzle with known rotations if certain seams show that no piece is turned, and a sentence about that.

    Where that is not clear, the type stays the freer one.
    """
    one, other = certain_pairs(puzzle, threads)
    straight = int(np.count_nonzero((one + 2) % 4 == other % 4))
    share = straight / max(1, len(one))
    clear = len(one) * math.log(len(puzzle.turns)) >= EVIDENCE
    seen = f"{straight} of {len(one)} certain seams lie straight"
    flipped = _flipped_words(puzzle, one, other)
    if clear and share >= STRAIGHT:
        kind = PuzzleType.TYPE_5 if puzzle.faces == 2 else PuzzleType.TYPE_1
        said = f"no piece is turned ({seen}){flipped}"
    else:
        kind = puzzle.type
        said = (
            f"pieces are turned ({seen}){flipped}" if clear else f"pieces may be turned (only {len(one)} certain seams)"
        )
    return replace(puzzle, type=kind, type_told=True), f"Type {int(kind)}: {said}"


def _flipped_words(puzzle: Puzzle, one: NDArray[np.int64], other: NDArray[np.int64]) -> str:
    """Whether pieces of two faces are turned over, in words."""
    if puzzle.faces == 1:
        return ""
    over = int(np.count_nonzero((one ^ other) & 4))
    return f", and {over} join a front with a back"


def frames_of(puzzle: Puzzle) -> list[tuple[int, int]]:
    """All frames of as many cells as there are pieces, the squarest first.

    Where pieces may lie on their side, a frame that stands is one that lies.
    """
    count = puzzle.num_pieces
    frames = [(rows, count // rows) for rows in range(1, count + 1) if count % rows == 0]
    if len(puzzle.turns) == 4:
        frames = [(rows, columns) for rows, columns in frames if rows <= columns]
    return sorted(frames, key=lambda frame: (abs(math.log(frame[0] / frame[1])), frame))


def weigh_frames(
    puzzle: Puzzle, lists: CandidateLists, params: Params, seed: int = 0, threads: int = 1
) -> list[WeighedFrame]:
    """Frames, the most likely first: all by one small generation, the first few by some more.

    Of thousands of pieces, frames that are very much longer than wide are left out.
    """
    params = _small(params, puzzle.num_pieces)
    squarest, *others = [puzzle.in_frame(rows, columns) for rows, columns in frames_of(puzzle)]
    # Growth begins with an empty board, which is as wide as it is high.
    frames = [squarest, *(each for each in others if max(each.rows, each.columns) <= LONGEST)]
    certain = _certain_seams(puzzle, lists)

    def weigh(framed: Puzzle, generations: int) -> WeighedFrame:
        solver = Solver(framed, replace(lists, puzzle=framed.digest), params, seed=seed, threads=threads)
        state = next(state for state in solver if state.generation == generations)
        return _weighed(framed, solver.space.board(state.best).astype(np.int64), lists, certain)

    first = sorted((weigh(framed, 1) for framed in frames), key=lambda frame: frame.doubt)
    best = [weigh(puzzle.in_frame(frame.rows, frame.columns), GENERATIONS) for frame in first[:FINALISTS]]
    return sorted(best, key=lambda frame: frame.doubt) + first[FINALISTS:]


def _small(params: Params, pieces: int) -> Params:
    """The parameters with a population that is weighed in no time."""
    population = max(params.genetic.elites + 4, min(POPULATION, PLACEMENTS // pieces))
    return replace(params, genetic=replace(params.genetic, population=population), time_limit=0.0)


def _weighed(
    framed: Puzzle, board: NDArray[np.int64], lists: CandidateLists, certain: NDArray[np.int64]
) -> WeighedFrame:
    one, other = seams_of(board)
    weights = np.minimum(ratios_of_seams(lists, one, other), CAP)
    found = _numbered(one, other, framed.faces)
    broken = 1 - float(np.isin(certain, found).mean()) if len(certain) else 0.0
    doubt = float((weights - NEUTRAL).sum()) / framed.num_pieces
    return WeighedFrame(framed.rows, framed.columns, doubt, broken)


def settle_frame(
    puzzle: Puzzle,
    lists: CandidateLists,
    params: Params,
    seed: int = 0,
    threads: int = 1,
) -> tuple[Puzzle, str]:
    """The puzzle in its most likely frame, and a sentence about it and the next best one.

    Pieces that fill no frame without breaking many certain seams are refused. The grid in which the pieces lay in a
    shuffled picture mostly is the frame.
    """
    weighed = weigh_frames(puzzle, lists, params, seed, threads)
    best = likeliest(puzzle, weighed)
    _check_broken(puzzle, lists, best)
    others = [each for each in weighed if each is not best]
    said = f"frame of {best.rows}x{best.columns}, which breaks {best.broken:.1%} of the certain seams"
    if others:
        said += f"; the next best, {others[0].rows}x{others[0].columns}, breaks {others[0].broken:.1%}"
    return puzzle.in_frame(best.rows, best.columns), said


def likeliest(puzzle: Puzzle, weighed: list[WeighedFrame]) -> WeighedFrame:
    """The frame of the least doubt, or the grid of a shuffled picture unless another frame is plainly better."""
    best = weighed[0]
    laid = {puzzle.laid, puzzle.laid[::-1] if puzzle.laid and len(puzzle.turns) == 4 else puzzle.laid}
    as_given = next((each for each in weighed if (each.rows, each.columns) in laid), best)
    plain = best.broken <= CLEAN and as_given.broken > 2 * best.broken + PLAINLY
    return best if plain else as_given


def _check_broken(puzzle: Puzzle, lists: CandidateLists, best: WeighedFrame) -> None:
    """Refuse, or warn of, a frame that breaks too much of what is certain."""
    certain = len(_certain_seams(puzzle, lists))
    if best.broken <= BROKEN or best.broken * certain < FEW or puzzle.laid is not None:
        return
    said = (
        f"the best frame of {puzzle.num_pieces} pieces, {best.rows}x{best.columns}, breaks {best.broken:.0%} of the "
        "seams that are certain; look for missing or foreign pieces, or give the frame (--frame ROWSxCOLUMNS)."
    )
    # A short evolution by plain dissimilarities breaks some seams of the right frame, too.
    if certain >= MANY * puzzle.num_pieces and lists.unlisted is not None and not lists.wear:
        raise BadInputError(f"The pieces make no rectangle: {said}")
    warnings.warn(f"The pieces may make no rectangle: {said}", PuzzleWarning, stacklevel=2)


def upright_turn(puzzle: Puzzle, arrangement: Arrangement, lists: CandidateLists) -> int | None:
    """By how many quarter turns the whole must be turned to lie as the pattern in it runs; None if nothing tells."""
    if lists.alignment is None or len(puzzle.turns) == 1:
        return None
    sizes = (puzzle.piece_height, puzzle.piece_width)
    for quarters in puzzle.turns:
        top, known, _, _ = common_alignment(
            lists.alignment, arrangement.turned(quarters).up_edges(puzzle.faces), sizes
        ).tolist()
        if known & DIRECTION == DIRECTION and top & DIRECTION == 0:
            return quarters
    return None


def _certain_seams(puzzle: Puzzle, lists: CandidateLists) -> NDArray[np.int64]:
    """The seams between best buddies of a low ratio, each as one number."""
    one = np.flatnonzero(lists.buddies != NOTHING)
    other = lists.buddies[one].astype(np.int64)
    certain = ratios_of_seams(lists, one, other) < CERTAIN
    return np.unique(_numbered(one[certain], other[certain], puzzle.faces))


def _numbered(one: NDArray[np.int64], other: NDArray[np.int64], faces: int) -> NDArray[np.int64]:
    """One number for each seam, the same from either of its edges and from either face."""
    numbers = np.minimum(one, other) << 32 | np.maximum(one, other)
    return numbers if faces == 1 else np.minimum(numbers, _numbered(mirror(one), mirror(other), 1))
