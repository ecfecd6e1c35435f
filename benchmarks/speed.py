"""How fast the parts are: start-up, candidate search against the bare matrix product, crossover."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from common import pictures_from_arguments, read, write_result

from rectoverso import PRESETS, Params, Puzzle, Solver, find_candidates, solve
from rectoverso.bench.memory import peak_memory, reset_peak_memory
from rectoverso.engines.threads import available_threads
from rectoverso.matching.measures import describe_edges
from rectoverso.solving import warm_up


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """The best of some tries."""
    best = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def python(code: str, *, cold: bool = False) -> float:
    """How long a fresh interpreter takes for some code; cold with nothing compiled yet."""
    with tempfile.TemporaryDirectory() as empty:
        environment = {"RECTOVERSO_CACHE_DIR": empty} if cold else {}
        command = [sys.executable, "-c", code]
        return seconds(lambda: subprocess.run(command, check=True, env={**os.environ, **environment}), 1 if cold else 3)


HELP = """
import os, sys
from rectoverso.cli import main
sys.argv = ["rectoverso", "--help"]
sys.stdout = open(os.devnull, "w")
try:
    main()
except SystemExit:
    pass
"""

FIRST = """
import numpy as np, rectoverso
picture = np.random.default_rng(0).integers(0, 256, (504, 672, 3), dtype=np.uint8)
puzzle = rectoverso.Puzzle.from_image(picture)
lists = rectoverso.find_candidates(puzzle)
for state in rectoverso.Solver(puzzle, lists, rectoverso.PRESETS["paper"], threads=2):
    if state.generation == 1:
        break
"""


def start_up() -> dict[str, float]:
    """Import, help, first compilation, and a later start up to the first generation of 432 pieces."""
    warm_up()
    return {
        "import_seconds": python("import rectoverso"),
        "help_seconds": python(HELP),
        "first_compile_seconds": python("from rectoverso.solving import warm_up; warm_up()", cold=True),
        "to_first_generation_seconds": python(FIRST),
    }


def bare_product(puzzle: Puzzle) -> float:
    """Seconds of the bare float32 product of all edges with all edges."""
    factors = describe_edges(puzzle, "lab", "chroma").forward.astype(np.float32)
    block = np.empty((1024, len(factors)), np.float32)

    def product() -> None:
        for start in range(0, len(factors) - 1023, 1024):
            np.matmul(factors[start : start + 1024], factors.T, out=block)

    return seconds(product)


def best(puzzle: Puzzle) -> dict[str, float]:
    """The preset "best" against the bare product: its preparation and a whole solve of an easy picture."""
    warm_up()
    bare = bare_product(puzzle)
    reset_peak_memory()
    result = solve(puzzle, params=PRESETS["best"], threads=available_threads())
    whole = sum(result.seconds.values())
    return {
        "pieces": puzzle.num_pieces,
        "sgemm_seconds": bare,
        **{f"{stage}_seconds": part for stage, part in result.seconds.items()},
        "preparation_ratio": result.seconds["preparation"] / bare,
        "solve_ratio": whole / bare,
        "peak_mb": peak_memory() / 1e6,
    }


def search(puzzle: Puzzle) -> dict[str, float]:
    """The candidate search against the bare float32 product of the same size."""
    reset_peak_memory()
    found = seconds(lambda: find_candidates(puzzle, threads=available_threads()))
    peak = peak_memory()
    bare = bare_product(puzzle)
    return {
        "pieces": puzzle.num_pieces,
        "search_seconds": found,
        "sgemm_seconds": bare,
        "ratio": found / bare,
        "peak_mb": peak / 1e6,
    }


def crossover(puzzle: Puzzle) -> dict[str, float]:
    """Placements a second on one core: random parents, and all 30 generations."""
    lists = find_candidates(puzzle)
    speeds = []
    last = 0.0
    for state in Solver(puzzle, lists, Params(), threads=1):
        if state.generation:
            speeds.append(sum(state.last.phases.values()) / (state.seconds - last))
        last = state.seconds
        if state.generation == 30:
            break
    whole = seconds(lambda: solve(puzzle, params=Params(), threads=available_threads()))
    return {
        "pieces": puzzle.num_pieces,
        "first_generation_per_second_and_core": speeds[0],
        "slowest_generation_per_second_and_core": min(speeds),
        "all_generations_per_second_and_core": 30 * len(speeds) / sum(30 / speed for speed in speeds),
        "paper_preset_seconds": whole,
    }


def main() -> None:
    """Measure everything."""
    pictures = pictures_from_arguments(str(__doc__))
    result: dict[str, object] = {"start_up": start_up()}
    small = Puzzle.from_image(read(pictures, "mit-432/03"), type=2)
    result["crossover"] = crossover(small)
    large = Puzzle.from_image(read(pictures, "sholomon-22755/01"), type=2)
    result["search"] = search(large)
    result["best"] = best(Puzzle.from_image(read(pictures, "sholomon-22755/05"), type=2))
    write_result("speed", result)
    for part, figures in result.items():
        print(part, figures)


if __name__ == "__main__":
    main()
