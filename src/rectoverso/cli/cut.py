"""``rectoverso cut``: a picture becomes a puzzle."""

from __future__ import annotations

from pathlib import Path

import click

import rectoverso
from rectoverso.cli.options import PATH, SIZE, seed_option


@click.command()
@click.argument("image", type=PATH)
@click.option("-o", "--output", type=PATH, required=True, metavar="PUZZLE", help="A folder, or a file named *.zip.")
@click.option("--back", type=PATH, metavar="IMAGE", help="The picture on the back of the pieces.")
@click.option(
    "--type",
    "kind",
    type=click.IntRange(1, 7),
    metavar="N",
    help="The puzzle type, 1 to 7: what is unknown.  [default: 2, or 4 with --back]",
)
@click.option(
    "--size",
    type=SIZE,
    default="28",
    show_default=True,
    metavar="N|WxH",
    help="Pixels along a piece, or its width and height.",
)
@seed_option
@click.option("--crop", is_flag=True, help="Cut away what fills no whole piece, evenly from both sides.")
def command(
    image: Path, output: Path, back: Path | None, kind: int | None, size: tuple[int, int], seed: int, crop: bool
) -> None:
    """Cut IMAGE into a shuffled puzzle.

    How it belongs together goes into a file of its own, truth.json.
    """
    puzzle = rectoverso.Puzzle.from_image(image, back=back, type=kind, size=size, seed=seed, crop=crop)
    rectoverso.save_puzzle(puzzle, output)
    click.echo(
        f"{output}: {puzzle.num_pieces} pieces of {puzzle.piece_width}x{puzzle.piece_height} pixels for a frame of "
        f"{puzzle.rows}x{puzzle.columns}, Type {int(puzzle.type)} ({puzzle.type.unknowns} unknown)"
    )
