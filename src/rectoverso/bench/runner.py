"""Runs of an experiment, one CSV row each; a row that is there already is not run again."""

from __future__ import annotations

import csv
import json
import math
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from io import StringIO
from pathlib import Path

from rectoverso import __version__
from rectoverso.bench.experiment import Experiment, Variant
from rectoverso.bench.memory import peak_memory, reset_peak_memory
from rectoverso.bench.pictures import Task
from rectoverso.bench.quality import candidate_quality, promise_of
from rectoverso.errors import BadInputError
from rectoverso.evolve.observers import Observer
from rectoverso.objective.pipeline import prepare
from rectoverso.parameters import Params
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.metrics import right_seams, score
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.solving import solve, warm_up
from rectoverso.storage import MAX_TEXT, kind_of, read_file, write_file

KEY = ("set", "image", "type", "preset", "variant", "seed")
COLUMNS = (
    *KEY,
    "pieces",
    "direct",
    "neighbor",
    "perfect",
    "direct_twins",
    "neighbor_twins",
    "cost",
    "generations",
    "fitted",
    "seconds_preparation",
    "seconds_breeding",
    "seconds",
    "peak_mb",
    "threads",
    "version",
    "commit",
)
TEXTS = ("set", "image", "preset", "variant", "version", "commit", "wear", "measure")
"""The columns that are no numbers."""
QUALITY_COLUMNS = (*KEY, "pieces", "top1", "precision", "recall", "seconds", "threads", "version", "commit")
WORN_COLUMNS = {"solve": ("wear", "measure", "expected", "sure", "sure_right"), "measure": ("wear", "measure")}
"""What the rows of an experiment with worn pieces have besides, by its kind."""
Row = dict[str, str]


@dataclass(frozen=True)
class Run:
    """One solve that an experiment asks for."""

    task: Task
    variant: Variant
    seed: int
    wear: str = ""

    def key(self, experiment: Experiment) -> tuple[str, ...]:
        """What tells its row from all others."""
        values = (self.task.set.name, self.task.image, experiment.type, experiment.preset, self.variant.name, self.seed)
        return (*(str(value) for value in values), self.wear)

    def params(self, experiment: Experiment) -> Params:
        """The parameters that it is made with."""
        params = experiment.params(self.variant)
        return replace(params, time_limit=self.variant.time_limits.get(self.task.set.name, params.time_limit))


def key_of(row: Row) -> tuple[str, ...]:
    """What tells a row from all others."""
    return (*(row[name] for name in KEY), row.get("wear", ""))


def read_rows(path: Path) -> list[Row]:
    """The rows of a result file; none if there is no file yet."""
    if kind_of(path) == "nothing":
        return []
    try:
        rows = list(csv.DictReader(StringIO(read_file(path, limit=MAX_TEXT).decode(), newline=""), strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} is no result file of an experiment: {error}.") from error
    for number, row in enumerate(rows, 2):
        if not _is_whole(row):
            raise BadInputError(f"Line {number} of {path} is damaged; delete it, and its run is made again.")
    return rows


def _is_whole(row: Row) -> bool:
    """Whether a row has all that tells its run, all its columns, and numbers where they belong."""
    try:
        numbers = [float(value) for name, value in row.items() if name not in TEXTS]
    # A row that is too long or too short has a column without a name, or a value that is none.
    except (TypeError, ValueError):
        return False
    known = [{*columns, *more} for kind, (columns, _) in KINDS.items() for more in ((), WORN_COLUMNS[kind])]
    return set(row) in known and None not in row.values() and all(map(math.isfinite, numbers))


def runs_left(experiment: Experiment, tasks: list[Task], runs: int | None, done: list[Row]) -> list[Run]:
    """The runs that have no row yet."""
    there = {key_of(row) for row in done}
    wanted = [
        Run(task, variant, seed, wear)
        for variant in experiment.variants
        for wear in experiment.wear or ("",)
        for task in tasks
        for seed in range(runs or task.set.runs or experiment.runs)
    ]
    return [run for run in wanted if run.key(experiment) not in there]


def perform(experiment: Experiment, run: Run, threads: int, observers: tuple[Observer, ...] = ()) -> Row:
    """Solve once and write down everything about it."""
    puzzle = run.task.puzzle(experiment, run.seed, run.wear)
    reset_peak_memory()
    result = solve(puzzle, params=run.params(experiment), seed=run.seed, threads=threads, observers=observers)
    peak = peak_memory()
    scores = score(result.arrangement, _truth(puzzle), puzzle)
    promise = promise_of(result.confidence, *right_seams(result.arrangement, _truth(puzzle), puzzle))
    found = {
        "pieces": puzzle.num_pieces,
        **{name: f"{float(value):.6f}" for name, value in scores.as_dict().items()},
        "perfect": int(scores.perfect),
        "cost": f"{result.cost:.3f}",
        "generations": result.generations,
        "fitted": f"{result.placements['fitted'] / max(1, sum(result.placements.values())):.6f}",
        "seconds_preparation": f"{result.seconds['preparation']:.3f}",
        "seconds_breeding": f"{result.seconds['evolution']:.3f}",
        "seconds": f"{sum(result.seconds.values()):.3f}",
        "peak_mb": round(peak / 1e6),
        **{name: f"{share:.6f}" for name, share in asdict(promise).items()},
    }
    return _row(experiment, run, threads, found)


def judge(experiment: Experiment, run: Run, threads: int, observers: tuple[Observer, ...] = ()) -> Row:
    """Find the candidates of one puzzle and see how good they are."""
    puzzle = run.task.puzzle(experiment, run.seed, run.wear)
    started = time.perf_counter()
    lists = prepare(puzzle, run.params(experiment).objective, threads).measured
    seconds = time.perf_counter() - started
    quality = candidate_quality(lists, _truth(puzzle))
    shares = {name: f"{share:.6f}" for name, share in asdict(quality).items()}
    return _row(experiment, run, threads, {"pieces": puzzle.num_pieces, **shares, "seconds": f"{seconds:.3f}"})


def _row(experiment: Experiment, run: Run, threads: int, found: dict[str, object]) -> Row:
    """What was found in a run, in the columns of the experiment."""
    known = {
        **dict(zip((*KEY, "wear"), run.key(experiment), strict=True)),
        "measure": run.params(experiment).objective.measure,
        "threads": threads,
        "version": __version__,
        "commit": commit(),
        **found,
    }
    return {name: str(known[name]) for name in columns_of(experiment)}


KINDS: dict[str, tuple[tuple[str, ...], Callable[..., Row]]] = {
    "solve": (COLUMNS, perform),
    "measure": (QUALITY_COLUMNS, judge),
}


def columns_of(experiment: Experiment) -> tuple[str, ...]:
    """The columns of its rows."""
    columns, _ = KINDS[experiment.kind]
    return (*columns, *WORN_COLUMNS[experiment.kind]) if experiment.wear else columns


def perform_all(
    experiment: Experiment, runs: list[Run], path: Path, threads: int, observers: Callable[[Run], tuple[Observer, ...]]
) -> Iterator[Row]:
    """Run after run, each row safe on disk before the next begins; the machine is described beside them."""
    warm_up()  # so that no row counts the compiler's time
    write_file(path.with_suffix(".machine.json"), json.dumps(describe_machine(), indent=1).encode() + b"\n")
    columns, (_, work) = columns_of(experiment), KINDS[experiment.kind]
    before = read_file(path).decode() if kind_of(path) == "file" else ""
    if before and before.splitlines()[0].split(",") != list(columns):
        raise BadInputError(f"{path} has other columns than the rows of {experiment.name}; choose another folder.")
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        if not before:
            writer.writeheader()
        elif not before.endswith("\n"):
            file.write("\n")
        for run in runs:
            row = work(experiment, run, threads, observers(run))
            writer.writerow(row)
            file.flush()
            yield row


def _truth(puzzle: Puzzle) -> Arrangement:
    if puzzle.truth is None:
        raise ValueError(f"{puzzle.name} was not cut here, so its truth is not known")
    return puzzle.truth


def describe_machine() -> dict[str, object]:
    """What the runs were made on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        models = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = models[0] if models else cpu
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    return {
        "cpu": cpu,
        "processors": os.cpu_count(),
        "memory_gb": round(memory / 2**30, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "pillow")},
    }


def commit() -> str:
    """The commit that is checked out, with a mark if something was changed since."""
    try:
        command = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
