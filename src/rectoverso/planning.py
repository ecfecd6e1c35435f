"""What a solve will need: its memory, which is known well, and its time, which is not.

Each stage of a solve gives back what it held before the next one begins, so the peak is that of the largest stage.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from rectoverso.engines.limits import free_memory
from rectoverso.engines.threads import available_threads
from rectoverso.errors import TooLargeError
from rectoverso.evolve.breeding import SLICE
from rectoverso.evolve.workspace import board_width
from rectoverso.matching.products import Estimates
from rectoverso.matching.search import ROW_BLOCK
from rectoverso.parameters import Params, Repair
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.types import PuzzleType
from rectoverso.repair.patching import MOST
from rectoverso.repair.regrowth import CHAINS as REGROW_CHAINS
from rectoverso.repair.repairing import WHOLE

BASE = 205_000_000
"""Python, the libraries and the native code, in bytes: measured."""
KEPT_BY_ALLOCATOR = 15_000_000
"""What the allocator does not give back between stages, in bytes: measured."""
SEARCH_THREAD = 12_000_000
"""The blocks of the candidate search and of the matrix product on one thread, in bytes: measured."""
LAB_VALUE = 34
"""Bytes for each value of a strip while colors are converted: four float64, and the pixels."""
REFINED_VALUE = 50
"""Bytes for each candidate of the wider lists while traces of compression weigh them."""
LOOPS_VALUE = 70
"""Bytes for each candidate while loops support them."""
SIGHT_VALUE = 3 * 4
"""Bytes for each value that a worn edge shows to the network: float32 from both sides, and once more while they are put
together."""
SIGHT_CHANNELS = 36 + 48
"""How many values that are for each pixel along an edge: colors and features."""
WORN_THREAD = 40_000_000
"""What the network holds on one thread for a slice of edges, in bytes: measured."""
PICTURE_COPIES = 5
"""How often the pixels of a face are in memory, besides the puzzle, when pictures are read or written: measured."""

PAIR_SECONDS, VALUE_SECONDS, COLOR_SECONDS = 1.5e-9, 2e-11, 1e-7
"""On one thread: for each pair of edges, for each value of their strips, for each value that is converted."""

LOOP_SECONDS = 1e-6
"""On one thread: for each candidate and round of loop support."""

OTHER_MEASURES = 3
"""How many times as long a search by measures takes that are not the paper's: longer products, more survivors."""

PATCH_SECONDS, MOVE_SECONDS, DOUBTFUL = 1.2e-4, 2e-6, 0.1
"""On one thread: for each step of a cycle of patches, and each try to move a segment; the share of pieces that are
doubtful in a usual picture."""

NO_REPAIR = Repair(regrow_steps=0, patch_steps=0, segment_moves=0, exchange_cells=0)

_MEMINFO, _STATM = Path("/proc/meminfo"), Path("/proc/self/statm")


@dataclass(frozen=True)
class Size:
    """The numbers of a puzzle that decide what a solve of it needs."""

    pieces: int
    piece_size: tuple[int, int]
    type: PuzzleType
    long_side: int

    @classmethod
    def of(cls, puzzle: Puzzle) -> Size:
        """The numbers of a puzzle."""
        long_side = max(puzzle.rows, puzzle.columns) or likely_long_side(puzzle.num_pieces)
        return cls(puzzle.num_pieces, (puzzle.piece_height, puzzle.piece_width), puzzle.type, long_side)

    @property
    def edges(self) -> int:
        """The number of edges."""
        return 4 * self.type.faces * self.pieces

    @property
    def values(self) -> int:
        """The number of color values in all strips."""
        return 3 * max(self.piece_size) * self.edges

    @property
    def pixels(self) -> int:
        """The bytes of the pixels."""
        return 3 * math.prod(self.piece_size) * self.type.faces * self.pieces


def likely_long_side(pieces: int) -> int:
    """The longer side of a frame that is not known: a frame of 2 to 1."""
    return min(pieces, math.isqrt(2 * pieces) + 1)


def predict_memory(size: Size, params: Params, threads: int, *, resumed: bool = False, worn: bool = False) -> int:
    """The most memory that a solve will hold at once, in bytes, the interpreter included.

    A resumed solve also keeps the population that it was resumed with, and that of worn pieces what their edges show.

    >>> predict_memory(Size(2000, (28, 28), PuzzleType(2), 50), Params(), 2) // 10**6
    270
    """
    params = params.chosen_for(size.pieces)
    stages = (
        PICTURE_COPIES * size.pixels // size.type.faces,
        LAB_VALUE * size.values,
        _search_bytes(size, params, threads),
        _refine_bytes(size, params),
        _loops_bytes(size, params),
        _breeding_bytes(size, params, threads, populations=3 if resumed else 2),
        _worn_bytes(size, params, threads) if worn else 0,
    )
    return BASE + size.pixels + max(stages)


def _list_width(size: Size, params: Params) -> int:
    """How many candidates each edge has; where cells are known they are the edges of its four neighbors."""
    return params.objective.searched if size.type.location_unknown else 4 * size.type.faces * size.type.rotations


def _descriptor_bytes(size: Size, params: Params) -> int:
    """Two strips of int16; other measures add predicted strips, one of bytes, and what is known of gradients."""
    predicted = 2 if params.objective.measure in ("prediction", "blend") else 0
    gradients = 1 + 72 / (3 * max(size.piece_size)) if params.objective.measure in ("mgc", "blend") else 0
    return int((4 + predicted + gradients) * size.values)


def _factor_bytes(size: Size, params: Params) -> int:
    """The factors of both sides of the matrix product, which all but the paper's measure keep while they are needed."""
    if params.objective.measure in ("lab", "custom") or not size.type.location_unknown:
        return 0
    return 2 * 4 * (2 * 3 * max(size.piece_size) + 14) * size.type.faces * size.edges


def _search_bytes(size: Size, params: Params, threads: int) -> int:
    """The seams, the lists as they are found and as they are kept, and each thread's blocks."""
    strips = _descriptor_bytes(size, params)
    if not size.type.location_unknown:
        # All pairs are measured and sorted at once: int64 and float64 before and after, and a mask.
        return strips + 40 * 16 * size.type.faces * size.edges
    # Found: float64 and int64, for one face; kept: uint32 and float32, for both; and a copy on the way.
    lists = (16 // size.type.faces + 8 + 8) * params.objective.searched * size.edges + _survivor_bytes(size, params)
    return strips + _factor_bytes(size, params) + lists + _search_threads(size, threads) * SEARCH_THREAD


def _survivor_bytes(size: Size, params: Params) -> int:
    """The running lists of all edges, where one matrix product serves both edges of a seam."""
    if params.objective.measure in ("lab", "custom") or size.type.faces == 2 or not size.type.rotation_unknown:
        return 0
    return 16 * (params.objective.searched + Estimates.margin) * size.edges


def _refine_bytes(size: Size, params: Params) -> int:
    """What traces of compression hold: lists that are twice as wide, which are weighed again and again: measured."""
    relative = params.objective.relative
    if relative is None or not relative.traces:
        return 0
    kept = _descriptor_bytes(size, params) + _factor_bytes(size, params)
    return kept + REFINED_VALUE * 2 * _list_width(size, params) * size.edges


def _loops_bytes(size: Size, params: Params) -> int:
    """The seams, and what is held for each candidate while its weight is made relative: measured."""
    if params.objective.relative is None:
        return 0
    kept = _descriptor_bytes(size, params) + _factor_bytes(size, params)
    return kept + LOOPS_VALUE * _list_width(size, params) * size.edges


def _worn_bytes(size: Size, params: Params, threads: int) -> int:
    """The seams, what each edge shows to the network, and what is held for each candidate while it is scored."""
    shown = SIGHT_VALUE * SIGHT_CHANNELS * max(size.piece_size) * size.edges
    scored = LOOPS_VALUE * _list_width(size, params) * size.edges
    return _descriptor_bytes(size, params) + shown + scored + threads * WORN_THREAD


def _search_threads(size: Size, threads: int) -> int:
    """How many threads the search uses; their memory stays with them."""
    return min(threads, -(-size.edges // ROW_BLOCK)) if size.type.location_unknown else 0


def _breeding_bytes(size: Size, params: Params, threads: int, populations: int) -> int:
    """Seams, candidates, a generation and its parents, and each thread's work arrays."""
    lists = _descriptor_bytes(size, params) + (8 * _list_width(size, params) + 12) * size.edges
    busy = min(threads, -(-params.genetic.population // SLICE))
    floating = size.type.location_unknown
    width = board_width(size.long_side, floating)
    piece = 190 + (450 if params.objective.relative else 0)
    work = busy * (4 * width * (width if floating else size.long_side + 2) + piece * size.pieces)
    chromosomes = populations * params.genetic.population * (4 * size.pieces + 50)
    return lists + chromosomes + work + _search_threads(size, threads) * SEARCH_THREAD + KEPT_BY_ALLOCATOR


def predict_seconds(size: Size, params: Params, threads: int) -> float:
    """Roughly how long a solve takes if it runs for all its generations; half or twice as long is no surprise."""
    params, busy = params.chosen_for(size.pieces), min(threads, available_threads())
    relative = params.objective.relative
    pairs = size.edges**2 / (1 if size.type.rotation_unknown else 4) if size.type.location_unknown else 0
    search = pairs * (PAIR_SECONDS + VALUE_SECONDS * 3 * max(size.piece_size)) / busy
    search *= 1 if params.objective.measure == "lab" else OTHER_MEASURES
    placements = size.pieces * (params.genetic.population - params.genetic.elites) * params.genetic.generations
    # Larger puzzles fit the processor's caches less well.
    placing = 2.5e-7 + 5e-8 * math.log2(max(size.pieces, 100) / 100)
    if relative is not None:
        placing *= 2.5
    rounds, repair = relative.loop_rounds if relative else 0, params.repair or NO_REPAIR
    loops = size.edges * _list_width(size, params) * rounds * LOOP_SECONDS / busy
    steps = repair.regrow_steps if size.pieces <= WHOLE else 0
    regrowing = steps * REGROW_CHAINS * size.pieces * placing * 1.2 / min(busy, REGROW_CHAINS)
    patches = min(MOST, repair.patch_steps * DOUBTFUL * size.pieces)
    patching = patches * (PATCH_SECONDS + repair.segment_moves * MOVE_SECONDS) / busy
    bred = placements * placing / busy
    return size.values * COLOR_SECONDS + search + loops + bred + regrowing + patching


def available_memory() -> int | None:
    """How many bytes this process can have, with those it has already; None where the system does not tell."""
    try:
        about = dict(line.split(":", 1) for line in _MEMINFO.read_text().splitlines())
        here = int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        free, allowed = int(about["MemAvailable"].split()[0]) * 1024, free_memory()
        return here + (free if allowed is None else min(free, allowed))
    except (OSError, KeyError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def check_memory(
    size: Size,
    params: Params,
    threads: int,
    available: int | None,
    *,
    resumed: bool = False,
    worn: bool = False,
) -> None:
    """Refuse a solve that would not fit into the available bytes, and say what would."""
    params = params.chosen_for(size.pieces)
    needed = predict_memory(size, params, threads, resumed=resumed, worn=worn)
    if available is None or needed <= available:
        return
    lowest = max(2, params.genetic.elites + 1)

    def with_population(count: int) -> int:
        return predict_memory(size, _with_population(params, count), threads, worn=worn)

    def with_pieces(count: int) -> int:
        fewer = replace(size, pieces=count, long_side=math.ceil(math.sqrt(count)))
        return predict_memory(fewer, _with_population(params, lowest), threads, worn=worn)

    if with_population(lowest) <= available:
        fits = f"a population of {_largest(with_population, lowest, params.genetic.population, available):,} would fit"
    elif with_pieces(2) <= available:
        fits = f"no population would fit, and at most {_largest(with_pieces, 2, size.pieces, available):,} pieces"
    else:
        fits = "no puzzle would fit"
    raise TooLargeError(
        f"This solve needs about {in_units(needed)} of memory and {in_units(available)} are available; {fits}."
    )


def _with_population(params: Params, count: int) -> Params:
    return replace(params, genetic=replace(params.genetic, population=count))


def _largest(needed: Callable[[int], int], low: int, high: int, available: int) -> int:
    """The largest count, from one that fits to one that does not, whose need is met."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if needed(middle) <= available else (low, middle)
    return low


def in_units(count: int) -> str:
    """Bytes in words.

    >>> in_units(240_000_000), in_units(12_345_000_000)
    ('240 MB', '12.3 GB')
    """
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
