"""``rectoverso warmup``: compile now, so that the first solve need not."""

from __future__ import annotations

import time

import click

import rectoverso


@click.command()
def command() -> None:
    """Compile all native code now instead of in the first solve."""
    import numpy as np

    from rectoverso.native import cache_directory, is_warm
    from rectoverso.show.console import COMPILING

    if not is_warm():
        click.echo(COMPILING, err=True)
    started = time.perf_counter()
    rng = np.random.default_rng(0)
    front, back = rng.integers(0, 256, (2, 12, 16, 3), dtype=np.uint8)
    params = rectoverso.Params(population=10, generations=2, mutation=0.05)
    for kind in rectoverso.PuzzleType:
        two_sided = {"back": back} if kind.two_sided else {}
        rectoverso.solve(rectoverso.Puzzle.from_image(front, **two_sided, type=kind, size=4), params=params)
    seconds = time.perf_counter() - started
    click.echo(f"native code is ready, after {seconds:.1f} s; it is kept in {cache_directory()}")
