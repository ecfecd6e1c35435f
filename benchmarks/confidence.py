"""Calibrate the confidence: solve the development pictures, fit the model, check it on sets it was not fitted on.

Writes src/rectoverso/confidence/model.json, benchmarks/results/confidence.json, and the tables and the plot of
docs/confidence.md.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
from common import pictures_from_arguments, write_result

from rectoverso import PRESETS, solve
from rectoverso.bench.calibration import Bin, Judged, fit_model, piece_reliability, seam_reliability
from rectoverso.bench.experiment import Experiment, ImageSet, Pair
from rectoverso.bench.pictures import Pictures, Task
from rectoverso.bench.reliability import reliability_block, reliability_plot
from rectoverso.bench.report import insert_block
from rectoverso.bench.runner import commit
from rectoverso.engines.threads import available_threads
from rectoverso.objective.pipeline import prepare
from rectoverso.solving import warm_up

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "src" / "rectoverso" / "confidence" / "model.json"
PAGE = ROOT / "docs" / "confidence.md"
BEGIN = "<!-- {}: made from benchmarks/results/confidence.json by benchmarks/confidence.py -->"
PLOT = ROOT / "docs" / "images" / "confidence.svg"

SMALL = [ImageSet("mit-432", 432), ImageSet("mcgill-540", 540), ImageSet("bgu-805", 805)]
LARGE = [ImageSet("bgu-2360", 2360), ImageSet("sholomon-5015", 5015, images=["03", "05", "09"])]
DOCUMENTS = ImageSet("docs", 432, images=["doc-432-linn", "doc-432-herold", "doc-805-linn"])
PAIRS = ImageSet(
    "pairs",
    432,
    pairs=[
        Pair("mit-432/03", "docs/doc-432-linn"),
        Pair("mit-432/05", "docs/doc-432-herold"),
        Pair("mit-432/07", "mit-432/09"),
        Pair("bgu-805/03", "docs/doc-805-linn"),
        Pair("bgu-805/05", "bgu-805/07"),
    ],
)
SERIES = [
    *((chosen, 2, "best") for chosen in (*SMALL, *LARGE, DOCUMENTS)),
    *((chosen, 2, "quick") for chosen in (*SMALL, *LARGE, DOCUMENTS)),
    (SMALL[0], 1, "quick"),
    (SMALL[0], 3, "quick"),
    (PAIRS, 4, "best"),
    (PAIRS, 4, "quick"),
    (PAIRS, 5, "quick"),
    (PAIRS, 6, "quick"),
    (PAIRS, 7, "quick"),
]


@dataclass(frozen=True, eq=False)
class Series:
    """A set solved as one type with one preset."""

    set: str
    type: int
    preset: str
    puzzles: list[Judged]


def solved(task: Task, experiment: Experiment) -> Judged:
    """Solve a puzzle and compare what can be said of its seams with the truth."""
    puzzle, threads, params = task.puzzle(experiment, seed=0), available_threads(), PRESETS[experiment.preset]
    started = time.perf_counter()
    result = solve(puzzle, params=params, seed=0, threads=threads)
    assert puzzle.truth is not None
    measured = prepare(puzzle, params.objective, threads).measured
    judged = Judged.of(result.arrangement, puzzle.truth, puzzle, measured)
    right = sum(table.sum() for table in judged.right) / sum(table.size for table in judged.right)
    name = f"{puzzle.name}, type {experiment.type}, {experiment.preset}"
    print(f"{name}: {right:.2%} of the seams right, {time.perf_counter() - started:.1f} s", flush=True)
    return judged


def solve_all(pictures: Pictures) -> list[Series]:
    """Every set whose pictures are there."""
    series = []
    for chosen, type, preset in SERIES:
        experiment = Experiment("confidence", "", type, [chosen], preset=preset)
        puzzles = [solved(task, experiment) for task in pictures.tasks(chosen)]
        series += [Series(chosen.name, type, preset, puzzles)] if puzzles else []
    return series


def check(series: list[Series]) -> dict[str, object]:
    """The reliability of each set under a fit on the other sets, and of all of them together."""
    rows = []
    for name in dict.fromkeys(one.set for one in series):
        others = [puzzle for one in series if one.set != name for puzzle in one.puzzles]
        model = fit_model(others)
        for one in series:
            if one.set == name:
                bins = {"seams": seam_reliability(one.puzzles, model), "pieces": piece_reliability(one.puzzles, model)}
                about = {"set": name, "type": one.type, "preset": one.preset, "puzzles": len(one.puzzles)}
                rows.append({**about, **{key: [asdict(bin) for bin in found] for key, found in bins.items()}})
    return {**{key: joined([row[key] for row in rows]) for key in ("seams", "pieces")}, "sets": rows}


def joined(tables: list[list[dict[str, float]]]) -> list[dict[str, float]]:
    """The bins of several sets as those of one."""
    bins = []
    for rows in zip(*tables, strict=True):
        count = sum(row["count"] for row in rows)
        said, right = (sum(row[key] * row["count"] for row in rows) / max(1, count) for key in ("said", "right"))
        bins.append(asdict(Bin(round(said, 4), round(right, 4), int(count))))
    return bins


def main() -> None:
    """Solve, fit, check and write."""
    pictures = pictures_from_arguments(str(__doc__))
    warm_up()
    series = solve_all(pictures)
    model = fit_model([puzzle for one in series for puzzle in one.puzzles], commit())
    result = {"model": msgspec.to_builtins(model), **check(series)}
    MODEL.write_bytes(msgspec.json.format(msgspec.json.encode(model), indent=1) + b"\n")
    write_result("confidence", result)
    PLOT.write_text(reliability_plot(result))
    PAGE.write_text(insert_block(PAGE.read_text(), "confidence", reliability_block(result), BEGIN))
    print(reliability_block(result))


if __name__ == "__main__":
    main()
