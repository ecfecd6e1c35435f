"""``rectoverso solve``: put the pieces together."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import rectoverso
from rectoverso.cli.exits import INTERRUPTED
from rectoverso.cli.inputs import Input, input_of, input_options
from rectoverso.cli.options import (
    PATH,
    Choices,
    json_option,
    measure_option,
    params_option,
    population_option,
    preset_option,
    seed_option,
    threads_option,
    traces_option,
    verbose_option,
)
from rectoverso.cli.upright import piece_of, plain_name, upright
from rectoverso.show.lines import for_terminal

if TYPE_CHECKING:
    from rectoverso.cli.run import Job, Run
    from rectoverso.show.report.story import Story


@dataclass(frozen=True)
class Given:
    """What was given on the command line."""

    input: Input
    output: Path | None
    up: str | None
    seed: int
    threads: int | None
    animation: bool
    report: bool
    checkpoint: Path | None
    checkpoint_every: int
    resume: Path | None
    verbose: bool
    as_json: bool
    choices: Choices


@click.command()
@click.argument("inputs", type=PATH, nargs=-1, required=True, metavar="INPUT...")
@click.option("-o", "--output", type=PATH, metavar="OUT", help="The folder for the result.  [default: NAME-solved]")
@input_options
@click.option("--up", metavar="PIECE", help="Turn the whole so that this piece, a number or a file, lies as given.")
@preset_option
@params_option
@measure_option
@traces_option
@seed_option
@threads_option
@population_option
@click.option(
    "--generations", type=int, metavar="N", help="How many generations to breed at most, instead of the preset's."
)
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Stop after so many seconds, with the best so far; use all of them while that pays.",
)
@click.option("--animation", is_flag=True, help="Also write animation.webp, which shows how the picture came together.")
@click.option("--report", is_flag=True, help="Also write report.html: all about the solve, on one page.")
@click.option(
    "--checkpoint", type=PATH, metavar="FILE", help="While solving, save in FILE what --resume needs to go on."
)
@click.option(
    "--checkpoint-every",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    metavar="N",
    help="Save a checkpoint after so many generations.",
)
@click.option(
    "--resume", type=PATH, metavar="FILE", help="Go on from the checkpoint in FILE, as if the solve had never stopped."
)
@verbose_option
@json_option
def command(**options: Any) -> None:
    """Put the pieces of INPUT together.

    INPUT is a folder or zip file of tiles, the tile files themselves, one picture of shuffled tiles, a scan of pieces
    that lie apart, or a puzzle that rectoverso wrote. What is not said about it is found out: the size of the tiles,
    whether they are turned, the frame.

    The solution, its picture and a log of the solve go into the folder OUT.
    Ctrl-C stops after the current generation or round and keeps the best so far.
    With --resume the parameters and the seed are the checkpoint's; only --generations and --time-limit may change.
    """
    names = {field.name for field in fields(Choices)}
    choices = Choices(**{name: value for name, value in options.items() if name in names})
    options = {name: value for name, value in options.items() if name not in names}
    given = Given(input_of(options), choices=choices, **options)
    job = _job(given)

    from rectoverso.cli.run import run

    done, way_up = upright(run(job), given.up)
    pictures = done.save()
    truth = _truth(done, given.input)
    story = done.story(truth)
    shown = [*pictures, *(_report(done, story) if given.report else [])]
    if given.as_json:
        click.echo(_as_json(done, story.score))
    else:
        click.echo(for_terminal(_as_text(done, story.score, shown, way_up), sys.stdout))
    if done.interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _job(given: Given) -> Job:
    """What is to be solved and how: as it is given, or as the checkpoint says."""
    if given.resume is not None:
        _refuse("--resume has its own", "preset", "params_file", "measure", "no_traces", "seed", "population")
    if given.checkpoint is None:
        _refuse("without --checkpoint there is no", "checkpoint_every")
    params = given.choices.params()

    from rectoverso.cli.run import Job, Saving

    saving = None if given.checkpoint is None else Saving(given.checkpoint, given.checkpoint_every)
    puzzle, notes = given.input.read()
    if given.up is not None:
        piece_of(puzzle, given.up)
    output = given.output or Path(f"{plain_name(puzzle.name)}-solved")
    given.input.check_apart(output)
    job = Job(
        puzzle,
        output,
        given.choices.preset,
        params,
        given.seed,
        given.threads,
        given.animation,
        given.report,
        saving,
        verbose=given.verbose,
        notes=notes,
    )
    return job if given.resume is None else _resumed(job, given.resume, given.choices)


def _resumed(job: Job, checkpoint: Path, choices: Choices) -> Job:
    """The job that a checkpoint was made in, with another limit if one is given."""
    from rectoverso.show.console import nearest_preset

    state = rectoverso.load_checkpoint(checkpoint, job.puzzle)
    if choices.generations is not None and choices.generations < state.generation:
        raise click.UsageError(f"{checkpoint} is at generation {state.generation} already, beyond --generations.")
    params = choices.params(state.params)
    return replace(job, params=params, seed=state.seed, preset=nearest_preset(params), resume=state)


def _refuse(why: str, *names: str) -> None:
    """A usage error if one of these options was given."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = {"params_file": "params"}.get(name, name).replace("_", "-")
            raise click.UsageError(f"--{option} cannot be given here: {why} {option}.")


def _truth(done: Run, given: Input) -> rectoverso.Arrangement | None:
    """The truth, if it is known; it is looked for only now that the solve is over."""
    try:
        return given.truth(done.job.puzzle)
    except rectoverso.BadInputError as error:
        warnings.warn(f"The solution was saved but not scored: {error}", rectoverso.PuzzleWarning, stacklevel=2)
        return None


def _report(done: Run, story: Story) -> list[Path]:
    """Where the report is; nowhere, with a warning, if it could not be made: the solution is saved already."""
    try:
        return [done.report(story)]
    except Exception as error:
        said = f"The solution was saved, but not its report: {str(error) or repr(error)}"
        warnings.warn(said, rectoverso.PuzzleWarning, stacklevel=2)
        return []


def _as_json(done: Run, score: rectoverso.Score | None) -> str:
    from rectoverso.confidence.regions import figures

    result, puzzle = done.result, done.puzzle
    about = {
        "puzzle": puzzle.name,
        "type": int(puzzle.type),
        "rows": result.arrangement.rows,
        "columns": result.arrangement.columns,
        "found": [*done.job.notes, *result.notes],
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
        "confidence": figures(result.confidence),
    }
    return json.dumps(about | (score.as_dict() if score else {}))


def _as_text(done: Run, score: rectoverso.Score | None, shown: list[Path], way_up: str) -> str:
    from rectoverso.confidence.regions import in_words

    lines = [str(score)] if score else []
    lines.append(in_words(done.result.confidence))
    lines.append(f"cost {done.result.cost:,.1f} after {done.result.generations} generations ({done.result.reason})")
    if way_up:
        lines.append(way_up)
    lines.append(f"look at {' and '.join(map(str, shown))}; {done.job.folder / 'order.csv'} says where each piece lies")
    if done.resumable is not None:
        lines.append(f"go on with --resume {done.resumable}")
    return "\n".join(lines)
