"""``rectoverso render``: the picture that a solution shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rectoverso
from rectoverso.cli.inputs import input_of, input_option
from rectoverso.cli.options import PATH

if TYPE_CHECKING:
    from rectoverso.images.files import Pixels
    from rectoverso.puzzle.render import Gaps


@click.command()
@click.argument("inputs", type=PATH, metavar="INPUT")
@click.argument("solution", type=PATH)
@click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    metavar="PICTURE",
    help="Where the picture goes; .png, .webp or .jpg says its format.",
)
@click.option("--back", is_flag=True, help="The back, as seen after turning the whole over like a page.")
@click.option("--turn", type=click.Choice(["0", "90", "180", "270"]), default="0", help="Degrees clockwise.")
@click.option("--flip", is_flag=True, help="Turn the whole over: show the back, or a mirror image of one-sided pieces.")
@click.option("--confidence", is_flag=True, help="Show what is uncertain: pieces are veiled, and seams drawn as lines.")
@click.option(
    "--gap",
    "gaps",
    type=click.Choice(["closed", "open", "fill"]),
    default="closed",
    show_default=True,
    help="Of pieces that lost their borders: side by side, with what is lost left open, or with it interpolated, which "
    "the name of the picture then says.",
)
@click.option("--backs", type=PATH, metavar="INPUT", help="What --back was when it was solved.")
@input_option("size")
@input_option("max_megapixels")
def command(
    solution: Path,
    output: Path,
    back: bool,
    turn: str,
    flip: bool,
    confidence: bool,
    gaps: Gaps,
    backs: Path | None,
    **options: Any,
) -> None:
    """Write the picture that SOLUTION makes of the pieces of INPUT.

    SOLUTION is a solution.json or the folder that a solve wrote. INPUT and the options that say more about it are those
    of the solve.
    """
    import numpy as np

    from rectoverso.images.files import encode_picture
    from rectoverso.storage import write_file

    given, _ = input_of(options | {"back": backs, "kind": None, "frame": None, "gap": None}).read()
    arrangement = rectoverso.load_solution(solution, given)
    if back and not given.type.two_sided:
        raise rectoverso.BadInputError(f"The pieces of {given.name} have nothing on their back; leave out --back.")
    behind = given.type.two_sided and back != flip
    if gaps != "closed":
        given, output = _with_gaps(given, solution, gaps, output)
    picture = rectoverso.render(given, arrangement, back=behind, gaps=gaps)
    if confidence:
        if gaps != "closed":
            raise click.UsageError("--confidence is drawn on pieces side by side; leave out --gap.")
        picture = _with_confidence(picture, solution, given, behind)
    if flip and not given.type.two_sided:
        picture = picture[:, ::-1]
    picture = np.ascontiguousarray(np.rot90(picture, -int(turn) // 90))
    write_file(output, encode_picture(picture, output.suffix))
    click.echo(f"{output}: {picture.shape[1]}x{picture.shape[0]} pixels")


def _with_gaps(puzzle: rectoverso.Puzzle, solution: Path, gaps: str, output: Path) -> tuple[rectoverso.Puzzle, Path]:
    """The puzzle with the gap that its solution tells, and a name for the picture that says what was filled."""
    from rectoverso.puzzle.files import gap_of_solution

    gap = gap_of_solution(solution)
    if not gap:
        raise rectoverso.BadInputError(
            f"{solution} knows of no lost borders; solve the puzzle with --gap N, or leave out --gap {gaps}."
        )
    named = output if gaps == "open" else output.with_stem(f"{output.stem}-filled")
    return replace(puzzle, gap=gap), named


def _with_confidence(picture: Pixels, solution: Path, puzzle: rectoverso.Puzzle, behind: bool) -> Pixels:
    from rectoverso.show.overlay import draw_confidence

    said = rectoverso.load_confidence(solution, puzzle)
    if said is None:
        raise rectoverso.BadInputError(
            f"{solution} does not say how sure it is; solve the puzzle again, or leave out --confidence."
        )
    return draw_confidence(picture, said.flipped() if behind else said)
