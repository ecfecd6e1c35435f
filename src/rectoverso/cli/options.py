"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

PATH = click.Path(path_type=Path)
MAX_SEED = 2**64 - 1
"""A random stream is started from 64 bits."""


def _checked_seed(ctx: click.Context, param: click.Parameter, value: int) -> int:
    if not 0 <= value <= MAX_SEED:
        raise click.BadParameter(f"{value} is not in the range from 0 to {MAX_SEED}.")
    return value


seed_option = click.option(
    "--seed",
    type=int,
    callback=_checked_seed,
    default=0,
    show_default=True,
    metavar="S",
    help="Decides everything that is random.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
