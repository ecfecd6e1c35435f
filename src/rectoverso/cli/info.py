"""``rectoverso info``: what a puzzle is."""

from __future__ import annotations

import json
from pathlib import Path

import click

import rectoverso
from rectoverso.cli.options import PATH, json_option
from rectoverso.storage import has_file


@click.command()
@click.argument("puzzle", type=PATH)
@json_option
def command(puzzle: Path, as_json: bool) -> None:
    """Say what PUZZLE is."""
    given = rectoverso.load_puzzle(puzzle)
    about = {
        "puzzle": given.name,
        "type": int(given.type),
        "unknown": given.type.unknowns,
        "pieces": given.num_pieces,
        "piece_size": given.piece_size,
        "rows": given.rows,
        "columns": given.columns,
        "faces": given.faces,
        "digest": given.digest,
        "truth": has_file(puzzle, "truth.json"),
    }
    if as_json:
        click.echo(json.dumps(about))
        return
    lines = {
        "puzzle": given.name,
        "type": f"{about['type']} ({given.type.unknowns} unknown)",
        "pieces": f"{given.num_pieces} of {given.piece_size}x{given.piece_size} pixels, "
        f"{'a picture on both faces' if given.type.two_sided else 'a picture on one face'}",
        "frame": f"{given.rows} rows x {given.columns} columns",
        "fingerprint": given.digest[:8],
        "truth": "known: solutions can be scored" if about["truth"] else "unknown",
    }
    click.echo("\n".join(f"{name:>11}  {text}" for name, text in lines.items()))
