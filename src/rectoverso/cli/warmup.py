"""``rectoverso warmup``: compile now, so that the first solve need not."""

from __future__ import annotations

import time

import click


@click.command()
def command() -> None:
    """Compile now what the first solve would compile.

    It takes about half a minute, once for each version; later solves start at once.
    """
    from rectoverso.native import cache_directory, is_warm
    from rectoverso.show.console import COMPILING
    from rectoverso.solving import warm_up

    if not is_warm():
        click.echo(COMPILING, err=True)
    started = time.perf_counter()
    warm_up()
    seconds = time.perf_counter() - started
    kept = cache_directory()
    where = "nothing can be kept: set RECTOVERSO_CACHE_DIR" if kept is None else f"it is kept in {kept}"
    click.echo(f"native code is ready, after {seconds:.1f} s; {where}")
