"""``rectoverso params``: print the parameters of a preset, as ``solve --params`` takes them."""

from __future__ import annotations

from typing import Any

import click

from rectoverso.cli.options import (
    Choices,
    measure_option,
    params_option,
    population_option,
    preset_option,
    traces_option,
)


@click.command()
@preset_option
@params_option
@measure_option
@traces_option
@population_option
def command(**chosen: Any) -> None:
    """Print parameters as a TOML file: those of a preset, with what else is given.

    A file for --params needs only what is to change; unknown names are refused.
    """
    from rectoverso import as_toml

    click.echo(as_toml(Choices(**chosen).params()), nl=False)
