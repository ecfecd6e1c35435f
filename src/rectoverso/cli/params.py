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
    """Print the parameters of a preset, as a TOML file.

    Save it, change what you want, and give it to "rectoverso solve --params FILE". A file needs only what is to
    change; unknown names are refused. Other options of this command change what is printed.
    """
    from rectoverso import as_toml

    click.echo(as_toml(Choices(**chosen).params()), nl=False)
