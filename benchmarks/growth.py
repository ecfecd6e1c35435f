"""How time and memory grow: pieces doubled from 432 up to 100,000, time for each piece in search and crossover."""

from __future__ import annotations

import math
import time
from pathlib import Path

from common import mosaic, pictures_from_arguments, write_result

from rectoverso import Genetic, Params, Solver, find_candidates
from rectoverso.bench.memory import peak_memory, reset_peak_memory
from rectoverso.engines.threads import available_threads
from rectoverso.solving import warm_up

SIZES = [(18, 24), (24, 36), (36, 48), (48, 72), (72, 96), (96, 144), (144, 192), (192, 288), (250, 400)]
POPULATION, GENERATIONS = 100, 3
PLOT = Path(__file__).parents[1] / "docs" / "images" / "growth.svg"


def measure(rows: int, columns: int, pictures: object) -> dict[str, float]:
    """One size."""
    puzzle = mosaic(pictures, rows, columns)  # type: ignore[arg-type]
    threads = available_threads()
    reset_peak_memory()
    started = time.perf_counter()
    lists = find_candidates(puzzle, threads=threads)
    search = time.perf_counter() - started
    params = Params(Genetic(population=POPULATION))
    for state in Solver(puzzle, lists, params, threads=threads):
        if state.generation == 0:
            first = state.seconds
        if state.generation == GENERATIONS:
            break
    children = (POPULATION - params.genetic.elites) * GENERATIONS
    return {
        "pieces": puzzle.num_pieces,
        "search_seconds": search,
        "search_microseconds_a_piece": search / puzzle.num_pieces * 1e6,
        "nanoseconds_a_placement_and_core": (state.seconds - first) / children / puzzle.num_pieces * 1e9 * threads,
        "peak_mb": peak_memory() / 1e6,
        "fitted": state.last.shares["fitted"],
    }


def plot(rows: list[dict[str, float]]) -> str:
    """Three curves over the number of pieces, both axes logarithmic, as SVG."""
    curves = {
        "search, microseconds a piece": ("search_microseconds_a_piece", "#b3402a"),
        "crossover, nanoseconds a placement and core": ("nanoseconds_a_placement_and_core", "#2a6db3"),
        "peak memory, MB": ("peak_mb", "#4d8a3d"),
    }
    width, height, left, top, right, bottom = 720, 420, 60, 20, 20, 60
    values = [row[name] for row in rows for name, _ in curves.values()]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(rows[0]["pieces"]), math.log10(rows[-1]["pieces"])

    def x(pieces: float) -> float:
        return left + (math.log10(pieces) - first) / (last - first) * (width - left - right)

    def y(value: float) -> float:
        return top + (high - math.log10(value)) / (high - low) * (height - top - bottom)

    size = f'width="{width}" height="{height}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for power in range(low, high + 1):
        parts.append(
            f'<line x1="{left}" x2="{width - right}" y1="{y(10**power):.1f}" y2="{y(10**power):.1f}" stroke="#ddd"/>'
        )
        parts.append(f'<text x="{left - 6}" y="{y(10**power) + 4:.1f}" text-anchor="end">{10**power:,}</text>')
    for row in rows:
        parts.append(
            f'<text x="{x(row["pieces"]):.1f}" y="{height - bottom + 18}" text-anchor="middle">{row["pieces"]:,}</text>'
        )
    for number, (label, (name, color)) in enumerate(curves.items()):
        points = " ".join(f"{x(row['pieces']):.1f},{y(row[name]):.1f}" for row in rows)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<text x="{left + 12}" y="{top + 16 + 18 * number}" fill="{color}">{label}</text>')
    parts.append(f'<text x="{width / 2}" y="{height - 12}" text-anchor="middle">pieces</text></svg>')
    return "\n".join(parts) + "\n"


def main() -> None:
    """Measure every size, write the result and the plot."""
    pictures = pictures_from_arguments(str(__doc__))
    warm_up()
    rows = []
    for rows_, columns in SIZES:
        rows.append(measure(rows_, columns, pictures))
        print(rows[-1], flush=True)
    write_result("growth", {"population": POPULATION, "generations": GENERATIONS, "rows": rows})
    PLOT.write_text(plot(rows))


if __name__ == "__main__":
    main()
