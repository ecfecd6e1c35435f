"""Options that several commands share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rectoverso.evolve.parameters import Params

PATH = click.Path(path_type=Path)
MAX_SEED = 2**64 - 1
"""A random stream is started from 64 bits."""
PRESET_NAMES = ("best", "paper", "quick")
"""The names in ``rectoverso.PRESETS``, which would be slow to load for help."""
MEASURE_NAMES = ("lab", "mgc", "prediction", "blend")
"""The names in ``rectoverso.affinity.MeasureName``."""


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
preset_option = click.option(
    "--preset",
    type=click.Choice(PRESET_NAMES),
    default="best",
    show_default=True,
    help="The most accurate, the paper's algorithm, or that with a small population until it stalls.",
)
measure_option = click.option(
    "--measure", type=click.Choice(MEASURE_NAMES), help="What makes edges dissimilar, instead of the preset's."
)
population_option = click.option("--population", type=int, metavar="N", help="Instead of the preset's.")
threads_option = click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="How many to use.  [default: all processors]"
)


def params_with(params: Params, **given: int | str | None) -> Params:
    """The parameters with what was given (is not None) instead; nonsense is a usage error."""
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    try:
        return replace(params, **changes)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from error
