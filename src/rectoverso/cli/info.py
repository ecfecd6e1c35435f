"""``rectoverso info``: what a puzzle is, and what a solve of it will need."""

from __future__ import annotations

import json
from typing import Any

import click

import rectoverso
from rectoverso.cli.inputs import input_of, input_options
from rectoverso.cli.options import (
    PATH,
    Choices,
    json_option,
    measure_option,
    params_option,
    population_option,
    preset_option,
    threads_option,
)
from rectoverso.storage import has_file


@click.command()
@click.argument("inputs", type=PATH, nargs=-1, required=True, metavar="INPUT...")
@input_options
@preset_option
@params_option
@measure_option
@population_option
@threads_option
@json_option
def command(threads: int | None, as_json: bool, **options: Any) -> None:
    """Say what a puzzle is, and what a solve would need.

    INPUT is what "rectoverso solve" takes; "rectoverso check" looks closer. The memory is predicted well, the time very
    roughly; both for a solve with these options.
    """
    from rectoverso.engines.threads import available_threads
    from rectoverso.planning import Size, in_units, predict_memory, predict_seconds

    pointed_at = input_of(options)
    params = Choices(**options).params()
    threads = threads or available_threads()
    given, _ = pointed_at.read()
    size = Size.of(given)
    params = params.chosen_for(size.pieces)
    memory, seconds = predict_memory(size, params, threads), predict_seconds(size, params, threads)
    about = _about(given, pointed_at.own is not None and has_file(pointed_at.own, "truth.json"))
    if as_json:
        needs = {"needs_memory_mb": round(memory / 1e6), "needs_seconds": round(seconds, 1)}
        click.echo(json.dumps(about | needs))
        return
    lines = {
        "puzzle": given.name,
        "type": f"{about['type']} ({given.type.unknowns} unknown)"
        f"{'' if given.type_told else ', unless a solve finds that no piece is turned'}",
        "pieces": f"{given.num_pieces} of {given.piece_width}x{given.piece_height} pixels, "
        f"{'a picture on both faces' if given.type.two_sided else 'a picture on one face'}",
        "frame": f"{given.rows} rows x {given.columns} columns"
        if given.frame_known
        else "not told, so a solve finds it",
        "fingerprint": given.digest[:8],
        "truth": "known: solutions can be scored" if about["truth"] else "unknown",
        "a solve": f"needs about {in_units(memory)} of memory and, very roughly, {in_time(seconds)} "
        f"(population {params.genetic.population}, {params.genetic.generations} generations, threads {threads})",
    }
    click.echo("\n".join(f"{name:>11}  {text}" for name, text in lines.items()))


def _about(puzzle: rectoverso.Puzzle, truth: bool) -> dict[str, Any]:
    return {
        "puzzle": puzzle.name,
        "type": int(puzzle.type),
        "unknown": puzzle.type.unknowns,
        "pieces": puzzle.num_pieces,
        "piece_width": puzzle.piece_width,
        "piece_height": puzzle.piece_height,
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        "faces": puzzle.faces,
        "digest": puzzle.digest,
        "truth": truth,
    }


def in_time(seconds: float) -> str:
    """A rough time in words.

    >>> in_time(0.4), in_time(42.4), in_time(200), in_time(9000)
    ('1 s', '42 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
