"""``rectoverso render``: the picture that a solution shows."""

from __future__ import annotations

from pathlib import Path

import click

import rectoverso
from rectoverso.cli.options import PATH


@click.command()
@click.argument("puzzle", type=PATH)
@click.argument("solution", type=PATH)
@click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    metavar="PICTURE",
    help="Where the picture goes; .png, .webp or .jpg says its format.",
)
@click.option(
    "--back", is_flag=True, help="Show the back of a two-sided puzzle, as if the whole were turned over like a page."
)
@click.option("--confidence", is_flag=True, help="Show what is uncertain: pieces are veiled, and seams drawn as lines.")
def command(puzzle: Path, solution: Path, output: Path, back: bool, confidence: bool) -> None:
    """Write the picture that a solution makes of the pieces.

    SOLUTION is a solution.json or the folder that a solve wrote.
    """
    from rectoverso.images.files import encode_picture
    from rectoverso.storage import write_file

    given = rectoverso.load_puzzle(puzzle)
    arrangement = rectoverso.load_solution(solution, given)
    if back and not given.type.two_sided:
        raise rectoverso.BadInputError(f"The pieces of {puzzle} have nothing on their back; leave out --back.")
    picture = rectoverso.render(given, arrangement, back=back)
    if confidence:
        from rectoverso.show.overlay import draw_confidence

        said = rectoverso.load_confidence(solution, given)
        if said is None:
            raise rectoverso.BadInputError(
                f"{solution} does not say how sure it is; solve the puzzle again, or leave out --confidence."
            )
        picture = draw_confidence(picture, said.flipped() if back else said)
    write_file(output, encode_picture(picture, output.suffix))
    click.echo(f"{output}: {picture.shape[1]}x{picture.shape[0]} pixels")
