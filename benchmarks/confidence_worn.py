"""Calibrate the confidence of worn puzzles: solve them worn in many ways, fit the model, check it on other sets.

Writes src/rectoverso/confidence/model-worn.json, benchmarks/results/confidence-worn.json, and a table of
docs/confidence.md. Each set is judged by a model that was fitted on the other sets.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import msgspec
import numpy as np
from common import pictures_from_arguments, write_result
from confidence import MODEL, PAGE

from rectoverso import solve
from rectoverso.agreeing import with_agreement
from rectoverso.bench.calibration import Judged, fit_model
from rectoverso.bench.experiment import Experiment, load_experiment
from rectoverso.bench.pictures import Pictures, Task
from rectoverso.bench.report import insert_block
from rectoverso.bench.runner import commit
from rectoverso.confidence.confidence import SURE
from rectoverso.confidence.model import Model, fitted_model, seam_probabilities
from rectoverso.engines.threads import available_threads
from rectoverso.objective.pipeline import prepare
from rectoverso.solving import warm_up

BEGIN = "<!-- {}: made from benchmarks/results/confidence-worn.json by benchmarks/confidence_worn.py -->"

EXPERIMENTS = ("worn", "worn4", "pages", "pages1", "pages4")
"""The experiments whose puzzles are solved, each by its first variant."""


@dataclass(frozen=True, eq=False)
class Solved:
    """A worn puzzle that was solved, and what the solve had to go by."""

    set: str
    type: int
    wear: str
    judged: Judged
    adapted: bool

    @property
    def is_page(self) -> bool:
        """Whether there is text on it."""
        return self.set.startswith("text")

    @property
    def group(self) -> str:
        """Puzzles that share pictures: all pages, or those of one set of photographs."""
        return "text" if self.is_page else self.set


def solved(experiment: Experiment, task: Task, wear: str) -> Solved:
    """Solve a worn puzzle and compare what can be said of its seams with the truth."""
    threads, params = available_threads(), experiment.params(experiment.variants[0])
    puzzle, started = task.puzzle(experiment, seed=0, wear=wear), time.perf_counter()
    result = solve(puzzle, params=params, seed=0, threads=threads)
    assert puzzle.truth is not None
    prepared = with_agreement(puzzle, prepare(puzzle, params.objective, threads), params, 0, threads)
    judged = Judged.of(result.arrangement, puzzle.truth, puzzle, prepared.measured, prepared.lists)
    said = f"expected {result.confidence.expected:.1%}, right {_right(judged).mean():.1%}"
    print(f"{puzzle.name}, type {experiment.type}, {wear}: {said}, {time.perf_counter() - started:.1f} s", flush=True)
    return Solved(task.set.name, experiment.type, wear, judged, bool(prepared.lists.wear))


def solve_all(pictures: Pictures) -> list[Solved]:
    """Every set whose pictures are there, worn in every way."""
    return [
        solved(experiment, task, wear)
        for experiment in map(load_experiment, EXPERIMENTS)
        for wear in experiment.wear
        for chosen in experiment.sets
        for task in pictures.tasks(chosen)
    ]


def check(all_solved: list[Solved]) -> list[dict[str, object]]:
    """By condition: what is expected and what is right, each set judged by a fit on the other sets."""
    rows, models = [], {}
    adapted = [each for each in all_solved if each.adapted]
    for group in dict.fromkeys(each.group for each in adapted):
        models[group] = fit_model([each.judged for each in adapted if each.group != group])
    for kind in dict.fromkeys((each.type, each.is_page, each.wear) for each in all_solved):
        these = [each for each in all_solved if (each.type, each.is_page, each.wear) == kind]
        # What is not recognized as worn is judged as clean pieces are.
        chances = [_said(each.judged, models[each.group] if each.adapted else fitted_model()) for each in these]
        sure = np.concatenate(chances) >= SURE
        right = np.concatenate([_right(each.judged) for each in these])
        rows.append(
            {
                "type": kind[0],
                "pages": kind[1],
                "wear": kind[2],
                "puzzles": len(these),
                "recognized": sum(each.adapted for each in these),
                "expected": round(float(np.mean([each.mean() for each in chances])), 4),
                "right": round(float(np.mean([_right(each.judged).mean() for each in these])), 4),
                "sure": round(float(sure.mean()), 4),
                "sure_right": round(float(right[sure].mean()), 4) if sure.any() else None,
            }
        )
    return rows


def _said(judged: Judged, model: Model) -> np.ndarray:
    return np.concatenate([table.ravel() for table in seam_probabilities(*judged.evidence, model)])


def _right(judged: Judged) -> np.ndarray:
    return np.concatenate([table.ravel() for table in judged.right])


def block(rows: list[dict[str, object]]) -> str:
    """A line for each condition."""
    lines = [
        "| wear | type | of | puzzles | recognized | expected % | right % | said 0.9 to 1.0: seams % | right % |",
        "|---|---|---|" + "---:|" * 6,
    ]
    for row in rows:
        figures = [f"{100 * row[key]:.1f}" if row[key] is not None else "" for key in ("expected", "right", "sure")]  # type: ignore[operator]
        last = "" if row["sure_right"] is None else f"{100 * row['sure_right']:.1f}"  # type: ignore[operator]
        of = "pages" if row["pages"] else "photographs"
        about = " | ".join(str(row[key]) for key in ("puzzles", "recognized"))
        lines.append(f"| {row['wear'] or 'none'} | {row['type']} | {of} | {about} | {' | '.join([*figures, last])} |")
    return "\n".join(lines)


def main() -> None:
    """Solve, fit, check and write."""
    pictures = pictures_from_arguments(str(__doc__))
    warm_up()
    all_solved = solve_all(pictures)
    model = fit_model([each.judged for each in all_solved if each.adapted], commit())
    rows = check(all_solved)
    MODEL.with_name("model-worn.json").write_bytes(msgspec.json.format(msgspec.json.encode(model), indent=1) + b"\n")
    write_result("confidence-worn", {"model": msgspec.to_builtins(model), "conditions": rows})
    PAGE.write_text(insert_block(PAGE.read_text(), "confidence-worn", block(rows), BEGIN))
    print(block(rows))


if __name__ == "__main__":
    main()
