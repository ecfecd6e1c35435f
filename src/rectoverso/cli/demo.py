"""``rectoverso demo``: a two-sided puzzle, cut and solved while you watch."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

import rectoverso
from rectoverso.cli.exits import INTERRUPTED
from rectoverso.cli.options import PATH, seed_option, verbose_option
from rectoverso.show.lines import for_terminal

PIECES = ("pieces-front.png", "pieces-back.png")
FRONT, BACK, SIZE = "coffee.webp", "chelsea.webp", 24
PRESET = "quick"
"""It is right here, too, and there is something to watch: the default has it in the first generation."""


@click.command()
@click.option(
    "-o",
    "--output",
    type=PATH,
    default=Path("demo"),
    metavar="FOLDER",
    show_default=True,
    help="Where everything goes.",
)
@seed_option
@verbose_option
def command(output: Path, seed: int, verbose: bool) -> None:
    """Cut and solve a two-sided puzzle of two photos.

    The photos come with rectoverso. Nothing is known of the 384 pieces but the frame that they fill.
    """
    from rectoverso.cli.run import Job, check_output, run
    from rectoverso.images.files import encode_png
    from rectoverso.puzzle.render import render_heap
    from rectoverso.show.alignment import aligned
    from rectoverso.storage import write_file

    puzzle = demo_puzzle(seed)
    check_output(output)
    check_pieces(output)
    rectoverso.save_puzzle(puzzle, output / "puzzle")
    for name in PIECES:
        write_file(output / name, encode_png(render_heap(puzzle, back=name == PIECES[1])))
    done = run(Job(puzzle, output, PRESET, rectoverso.PRESETS[PRESET], seed, animation=True, verbose=verbose))
    assert puzzle.truth is not None
    # Only who knows the truth can tell which way up the whole belongs.
    done = done.seen_as(aligned(done.result.arrangement, puzzle.truth, puzzle))
    done.save()
    score = rectoverso.score(done.result.arrangement, puzzle.truth, puzzle)
    names = ("pieces-front.png", "front.png", "back.png", "animation.webp")
    said = f"{score}: open {', '.join(str(output / name) for name in names)}"
    click.echo(for_terminal(said, sys.stdout))
    if done.interrupted:
        click.get_current_context().exit(INTERRUPTED)


def check_pieces(folder: Path) -> None:
    """Refuse a folder whose pictures of pieces are not those of a demo: it has its puzzle beside them."""
    names = [name for name in PIECES if os.path.lexists(folder / name)]
    if names and not (folder / "puzzle" / "puzzle.json").exists():
        raise rectoverso.BadInputError(f"{folder} holds {names[0]}, which no demo wrote; choose another folder.")


def demo_puzzle(seed: int) -> rectoverso.Puzzle:
    """The two bundled photos as one puzzle: nothing is known of its pieces but the frame they fill."""
    from importlib.resources import files
    from io import BytesIO

    from rectoverso.images.files import read_picture

    data = files("rectoverso") / "data"
    front, back = (read_picture(BytesIO((data / name).read_bytes()), name) for name in (FRONT, BACK))
    return rectoverso.Puzzle.from_image(front, back=back, type=4, size=SIZE, seed=seed, name="demo")
