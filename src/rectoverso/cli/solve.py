"""``rectoverso solve``: put the pieces together."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rectoverso
from rectoverso.cli.exits import INTERRUPTED
from rectoverso.cli.options import PATH, json_option, seed_option

if TYPE_CHECKING:
    from rectoverso.cli.run import Run

PRESET_NAMES = ("paper", "quick")


@click.command()
@click.argument("puzzle", type=PATH)
@click.option("-o", "--output", type=PATH, required=True, metavar="OUT", help="The folder for the result.")
@click.option(
    "--preset",
    type=click.Choice(PRESET_NAMES),
    default="paper",
    show_default=True,
    help="The paper's algorithm to the letter, or a small population until it stalls.",
)
@seed_option
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="How many to use.  [default: all processors]")
@click.option("--population", type=int, metavar="N", help="Instead of the preset's.")
@click.option("--generations", type=int, metavar="N", help="Instead of the preset's.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Stop after the generation that reaches it.")
@click.option("--animation", is_flag=True, help="Show the generations in animation.webp.")
@json_option
def command(
    puzzle: Path,
    output: Path,
    preset: str,
    seed: int,
    threads: int | None,
    population: int | None,
    generations: int | None,
    time_limit: float | None,
    animation: bool,
    as_json: bool,
) -> None:
    """Put the pieces of PUZZLE together.

    The solution, its picture and a log of the generations go into the folder OUT.
    Ctrl-C stops after the current generation and keeps the best so far.
    """
    given = {"population": population, "generations": generations}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    try:
        params = replace(rectoverso.PRESETS[preset], **changes)
        stop = None if time_limit is None else rectoverso.TimeLimit(time_limit)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error

    from rectoverso.cli.run import Job, run

    job = Job(rectoverso.load_puzzle(puzzle), output, preset, params, seed, threads, stop, animation)
    done = run(job)
    pictures = done.save()
    score = _score(done, puzzle)
    click.echo(_as_json(done, score) if as_json else _as_text(done, score, pictures))
    if done.interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _score(done: Run, puzzle: Path) -> rectoverso.Score | None:
    """The score, if the truth is known; it is looked for only now that the solve is over."""
    try:
        truth = rectoverso.load_truth(puzzle, done.job.puzzle)
    except rectoverso.BadInputError as error:
        warnings.warn(f"The solution was saved but not scored: {error}", rectoverso.PuzzleWarning, stacklevel=2)
        return None
    return None if truth is None else rectoverso.score(done.result.arrangement, truth, done.job.puzzle)


def _as_json(done: Run, score: rectoverso.Score | None) -> str:
    result, puzzle = done.result, done.job.puzzle
    about = {
        "puzzle": puzzle.name,
        "type": int(puzzle.type),
        "pieces": puzzle.num_pieces,
        "seed": result.seed,
        "threads": result.threads,
        "preset": done.job.preset,
        "cost": result.cost,
        "generations": result.generations,
        "stopped": result.reason,
        "seconds": result.seconds,
        "placements": result.placements,
        "output": str(done.job.folder),
    }
    return json.dumps(about | (score.as_dict() if score else {}))


def _as_text(done: Run, score: rectoverso.Score | None, pictures: list[Path]) -> str:
    lines = [str(score)] if score else []
    lines.append(f"cost {done.result.cost:,.1f} after {done.result.generations} generations ({done.result.reason})")
    lines.append(f"look at {' and '.join(map(str, pictures))}")
    return "\n".join(lines)
