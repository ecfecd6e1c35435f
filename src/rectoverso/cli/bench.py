"""``rectoverso bench``: run an experiment again, and write the pages that its results are shown on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rectoverso.cli.options import PATH

if TYPE_CHECKING:
    from rectoverso.bench.experiment import Experiment
    from rectoverso.bench.runner import Run

RESULTS = Path("experiments/results")


@dataclass(frozen=True)
class Wanted:
    """Which runs of an experiment are wanted, and where its rows go."""

    data: Path | None
    sets: tuple[str, ...]
    variants: tuple[str, ...]
    wear: tuple[str, ...]
    images: str
    runs: int | None
    preset: str | None
    type_: int | None
    threads: int | None
    output: Path


@click.command()
@click.argument("table", required=False)
@click.option(
    "--data", type=PATH, metavar="FOLDER", help="The folder with the sets of pictures.  [default: $RECTOVERSO_DATA]"
)
@click.option("--set", "sets", multiple=True, metavar="NAME", help="Only this set; may be given more than once.")
@click.option(
    "--variant", "variants", multiple=True, metavar="NAME", help="Only this variant; may be given more than once."
)
@click.option(
    "--wear",
    multiple=True,
    metavar="TEXT",
    help='Only this condition of wear, like gap=2, or "" for clean pieces; may be given more than once.',
)
@click.option("--images", metavar="LIST", default="", help="Only these images, like 01,03 (or 09+10 for a pair).")
@click.option("--runs", type=click.IntRange(min=1), metavar="N", help="Runs of each image, with seeds from 0 on.")
@click.option("--preset", metavar="NAME", help="A preset instead of the experiment's.")
@click.option(
    "--type", "type_", type=click.IntRange(1, 7), metavar="N", help="A puzzle type instead of the experiment's."
)
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="How many threads to use.  [default: all processors]"
)
@click.option(
    "-o", "--output", type=PATH, default=RESULTS, show_default=True, metavar="FOLDER", help="Where the CSV files are."
)
@click.option("--report", is_flag=True, help="Run nothing; make the pages anew from the results that are there.")
def command(table: str | None, report: bool, **options: Any) -> None:
    """Run an experiment of the documentation again.

    TABLE is a file in the folder experiments of a clone of the project, such as type2 or ablation. Each run adds a row
    to a CSV file; runs that have their row already are left out, so an interrupted experiment goes on where it was.
    With --report the tables in docs/benchmarks.md, docs/worn.md and README.md are made anew.
    """
    if report == (table is not None):
        raise click.UsageError("Give either TABLE, to run it, or --report.")
    wanted = Wanted(**options)
    if table is None:
        from rectoverso.bench.pages import write_pages

        for page in write_pages(wanted.output):
            click.echo(page)
        return
    from rectoverso.bench.experiment import load_experiment

    _run(only_wanted(load_experiment(table, preset=wanted.preset, type=wanted.type_), wanted), wanted)


def only_wanted(experiment: Experiment, wanted: Wanted) -> Experiment:
    """The experiment with only those of its sets, variants and conditions of wear that were named."""
    import msgspec

    from rectoverso.images.wear import Wear

    sets, variants = ({each.name: each for each in these} for these in (experiment.sets, experiment.variants))
    # A condition may be written in another way than the experiment writes it.
    texts = {Wear.of(text): text for text in experiment.wear}
    wear = tuple(texts.get(Wear.of(text), text) for text in wanted.wear)
    named = {"set": (wanted.sets, sets), "variant": (wanted.variants, variants), "wear": (wear, texts.values())}
    for what, (names, there) in named.items():
        for name in names:
            if name not in there:
                has = "; ".join(each or repr(each) for each in there) or "none"
                raise click.UsageError(f"{experiment.name} has no {what} {name or repr(name)}; it has {has}.")
    return msgspec.structs.replace(
        experiment,
        sets=[each for name, each in sets.items() if name in (wanted.sets or sets)],
        variants=tuple(each for name, each in variants.items() if name in (wanted.variants or variants)),
        wear=tuple(text for text in experiment.wear if text in (wear or experiment.wear)),
    )


def _run(experiment: Experiment, wanted: Wanted) -> None:
    from rectoverso.bench.pictures import Pictures
    from rectoverso.bench.runner import perform_all, read_rows, runs_left
    from rectoverso.engines.threads import available_threads
    from rectoverso.show.bar import Bar
    from rectoverso.storage import make_folder

    only = tuple(name for name in wanted.images.split(",") if name)
    pictures, tasks = Pictures(wanted.data), []
    for chosen in experiment.sets:
        found = pictures.tasks(chosen, only)
        known = len(chosen.pairs) or chosen.published.images
        click.echo(f"{chosen.name}: {len(found)}{f' of {known}' if known else ''} found", err=True)
        tasks += found
    make_folder(wanted.output)
    path = wanted.output / f"{experiment.name}.csv"
    left = runs_left(experiment, tasks, wanted.runs, read_rows(path))
    click.echo(f"{len(left)} runs to do, into {path}", err=True)

    def weight(run: Run) -> float:
        return float(run.task.set.pieces)

    with Bar(sum(weight(run) for run in left)) as bar:
        done = perform_all(
            experiment, left, path, wanted.threads or available_threads(), lambda run: (bar.watch(weight(run)),)
        )
        for run, row in zip(left, done, strict=True):
            name = " ".join(part for part in run.key(experiment)[:2] + run.key(experiment)[4:] if part)
            shown = ["neighbor", "direct"] if experiment.kind == "solve" else ["top1", "precision", "recall"]
            shown += [column for column in ("expected", "sure", "sure_right") if column in row]
            figures = ", ".join(f"{column} {float(row[column]):.2%}" for column in shown)
            bar.finish(weight(run), f"{name}: {figures}, {float(row['seconds']):.1f} s")
