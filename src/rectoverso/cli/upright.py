"""Which way up the answer is: as a piece that a person knows, as compression tells, or any way."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from rectoverso.errors import BadInputError, PuzzleWarning

if TYPE_CHECKING:
    from rectoverso.cli.run import Run
    from rectoverso.puzzle.puzzle import Puzzle


def upright(done: Run, up: str | None) -> tuple[Run, str]:
    """A solve with the whole the right way up, as far as that is known, and a sentence about that."""
    _suspect(done)
    puzzle, arrangement = done.puzzle, done.result.arrangement
    turnable, flippable = len(puzzle.turns) > 1, puzzle.type.two_sided
    if not puzzle.type.location_unknown or not (turnable or flippable):
        return done, ""
    if up is not None:
        (row,), (column,) = (arrangement.piece == piece_of(puzzle, up)).nonzero()
        view = arrangement.flipped() if arrangement.face[row, column] else arrangement
        column = view.columns - 1 - column if view is not arrangement else column
        turn = int(-view.rotation[row, column].astype(int) % 4)
        return done.seen_as(view.turned(turn)), f"turned so that piece {up} lies as it was given"
    if done.result.turn is not None:
        told = "which way up is known from the traces of compression"
        side = "; which side is the front is arbitrary (render --flip, solve --up PIECE)" if flippable else ""
        return done.seen_as(arrangement.turned(done.result.turn)), told + side
    unknown = " and ".join(["which way up"] * turnable + ["which side is the front"] * flippable)
    options = "/".join(["--turn"] * turnable + ["--flip"] * flippable)
    return done, f"{unknown} cannot be known: it is arbitrary (render {options}, or solve --up PIECE)"


def _suspect(done: Run) -> None:
    """Warn of an answer that equals what was given: the tiles may be of another size, or not shuffled."""
    import numpy as np

    from rectoverso.puzzle.arrangement import Arrangement

    puzzle = done.puzzle
    if puzzle.laid is None:
        return

    given = Arrangement.of(np.arange(puzzle.num_pieces).reshape(puzzle.laid))
    if any(done.result.arrangement.turned(quarters) == given for quarters in puzzle.turns):
        warnings.warn(
            f"The answer is {puzzle.name} just as it was given, which is suspicious: if it is shuffled, then its tiles "
            f"are not {puzzle.piece_width}x{puzzle.piece_height} pixels; give their size (--size).",
            PuzzleWarning,
            stacklevel=2,
        )


def piece_of(puzzle: Puzzle, said: str) -> int:
    """The piece that a person names: by its number, or by the name of its file."""
    if said in puzzle.names:
        return puzzle.names.index(said)
    if said.isascii() and said.isdigit() and len(said) < 10 and int(said) < puzzle.num_pieces:
        return int(said)
    ending = [number for number, name in enumerate(puzzle.names) if name.endswith(f"/{said}")]
    if len(ending) == 1:
        return ending[0]
    raise BadInputError(
        f"There is no piece {said}: give a number from 0 to {puzzle.num_pieces - 1}"
        f"{' or the name of a file, like ' + puzzle.names[0] if puzzle.names else ''}."
    )


def plain_name(name: str) -> str:
    """The name of a puzzle as a part of a file name.

    >>> plain_name("my tiles/../x"), plain_name("..")
    ('my tiles-x', 'puzzle')
    """
    return re.sub(r"[^\w .+-]+|\.{2,}", "-", name).strip("-. ")[:80].replace("---", "-") or "puzzle"
