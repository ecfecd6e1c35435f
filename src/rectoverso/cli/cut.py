"""``rectoverso cut``: a picture becomes a puzzle."""

from __future__ import annotations

from pathlib import Path

import click

import rectoverso
from rectoverso.cli.inputs import input_option
from rectoverso.cli.options import PATH, SIZE, seed_option


@click.command()
@click.argument("image", type=PATH)
@click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    metavar="PUZZLE",
    help="Where the puzzle goes: a folder, or a file named *.zip.",
)
@click.option("--back", type=PATH, metavar="IMAGE", help="A second picture, for the back of the pieces.")
@click.option(
    "--type",
    "kind",
    type=click.IntRange(1, 7),
    metavar="N",
    help="What the solver will not know. One-sided: 1 place, 2 place and rotation, 3 rotation. Two-sided: "
    "4 place, rotation and face, 5 place and face, 6 rotation and face, 7 face.  [default: 2, or 4 with --back]",
)
@click.option(
    "--size",
    type=SIZE,
    default="28",
    show_default=True,
    metavar="N|WxH",
    help="Pixels along a side of a piece, or its width and height.",
)
@seed_option
@click.option(
    "--crop",
    is_flag=True,
    help="If the picture is no whole number of pieces wide or high, cut the rest away, evenly from both sides.",
)
@click.option(
    "--wear",
    metavar="TEXT",
    default="",
    help="Wear the pieces, like noise=2,gap=1,brightness=2,blur=0.5,jpeg=90: noise and light of 255, pixels lost at "
    "each side and blurred, the quality each piece is saved with.",
)
@input_option("max_megapixels")
def command(
    image: Path,
    output: Path,
    back: Path | None,
    kind: int | None,
    size: tuple[int, int],
    seed: int,
    crop: bool,
    wear: str,
    max_megapixels: float | None,
) -> None:
    """Cut a picture into a shuffled puzzle.

    The pieces of IMAGE are shuffled and, if the type says so, turned and turned over. How they belong together goes
    into a file of its own, truth.json, which a solve does not read; it is there to score the solution with.
    """
    from rectoverso.images.opening import MAX_MEGAPIXELS
    from rectoverso.images.wear import Wear

    limit = max_megapixels or MAX_MEGAPIXELS
    puzzle = rectoverso.Puzzle.from_image(
        image,
        back=back,
        type=kind,
        size=size,
        seed=seed,
        crop=crop,
        max_megapixels=limit,
        wear=Wear.of(wear) if wear else None,
    )
    rectoverso.save_puzzle(puzzle, output)
    click.echo(
        f"{output}: {puzzle.num_pieces} pieces of {puzzle.piece_width}x{puzzle.piece_height} pixels for a frame of "
        f"{puzzle.rows}x{puzzle.columns}, Type {int(puzzle.type)} ({puzzle.type.unknowns} unknown)"
    )
