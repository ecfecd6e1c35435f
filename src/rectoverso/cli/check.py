"""``rectoverso check``: what was understood of an input, before anything is solved."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rectoverso.cli.inputs import Input, input_of, input_options
from rectoverso.cli.options import PATH, Choices, json_option, params_option, preset_option, threads_option
from rectoverso.cli.upright import plain_name

if TYPE_CHECKING:
    from rectoverso.inspecting import Inspection
    from rectoverso.parameters import Params
    from rectoverso.puzzle.puzzle import Puzzle
    from rectoverso.settling import WeighedFrame

NAMED = 5
"""How many pieces of a kind are named."""
FRAMES = 3
"""How many frames are named."""


@click.command()
@click.argument("inputs", type=PATH, nargs=-1, required=True, metavar="INPUT...")
@click.option("-o", "--output", type=PATH, metavar="PICTURE", help="For the contact sheet.  [default: NAME-check.png]")
@input_options
@preset_option
@params_option
@threads_option
@json_option
def command(output: Path | None, threads: int | None, as_json: bool, **options: Any) -> None:
    """Say what was understood of INPUT, before anything is solved.

    INPUT is what "rectoverso solve" takes. A contact sheet of the pieces is written as a picture.
    """
    from rectoverso.engines.threads import available_threads
    from rectoverso.images.files import encode_picture
    from rectoverso.show.contact import contact_sheet
    from rectoverso.show.lines import for_terminal
    from rectoverso.storage import write_file

    given = input_of(options)
    checked = check(given, Choices(**options).params(), threads or available_threads())
    place = output or Path(f"{plain_name(checked.puzzle.name)}-check.png")
    marked = {int(piece) for kind in checked.kinds.values() for piece in kind}
    write_file(place, encode_picture(contact_sheet(checked.puzzle, marked), place.suffix))
    if as_json:
        click.echo(json.dumps(checked.as_dict() | {"contact_sheet": str(place)}))
        return
    lines = [*checked.lines(), ("look at", f"{place}, the pieces with their numbers")]
    click.echo(for_terminal("\n".join(f"{name:>11}  {text}" for name, text in lines), sys.stdout))


@dataclass(frozen=True)
class Checked:
    """All that is known of an input without a solve."""

    puzzle: Puzzle
    notes: tuple[str, ...]
    settled: tuple[str, ...]
    frames: list[WeighedFrame]
    inspection: Inspection
    wear: tuple[str, ...]
    traces: tuple[str, ...]
    memory: int
    seconds: float

    @property
    def kinds(self) -> dict[str, Any]:
        """The pieces with peculiarities, by kind."""
        found = self.inspection
        return {"twins": found.twins, "flat": found.flat, "blurred": found.blurred, "odd": found.odd}

    def lines(self) -> list[tuple[str, str]]:
        """Labels and texts for a person."""
        from rectoverso.cli.info import in_time
        from rectoverso.planning import in_units

        puzzle = self.puzzle
        sides = "two faces" if puzzle.faces == 2 else "one face"
        lines = [("input", note) for note in self.notes]
        lines.append(
            ("pieces", f"{puzzle.num_pieces:,} of {puzzle.piece_width}x{puzzle.piece_height} pixels, with {sides}")
        )
        lines += [("found", said) for said in self.settled]
        lines += [("frame", _frame_words(frame)) for frame in self.frames[:FRAMES]]
        lines += [(name, self._named(pieces)) for name, pieces in self.kinds.items()]
        lines.append(("wear", ", ".join(self.wear) or "none"))
        if not self.wear:
            lines.append(("JPEG traces", ", ".join(self.traces) or "none"))
        lines.append(("a solve", f"needs about {in_units(self.memory)} and, very roughly, {in_time(self.seconds)}"))
        return lines

    def _named(self, pieces: Any) -> str:
        if not len(pieces):
            return "none"
        names = self.puzzle.names
        shown = ", ".join(f"{piece} ({names[piece]})" if names else str(piece) for piece in pieces[:NAMED].tolist())
        more = f" and {len(pieces) - NAMED:,} more" if len(pieces) > NAMED else ""
        return f"{len(pieces):,}: {shown}{more}"

    def as_dict(self) -> dict[str, Any]:
        """The same for programs."""
        puzzle = self.puzzle
        return {
            "puzzle": puzzle.name,
            "type": int(puzzle.type),
            "pieces": puzzle.num_pieces,
            "faces": puzzle.faces,
            "piece_width": puzzle.piece_width,
            "piece_height": puzzle.piece_height,
            "rows": puzzle.rows,
            "columns": puzzle.columns,
            "frames": [
                {"rows": each.rows, "columns": each.columns, "broken": round(each.broken, 4)} for each in self.frames
            ],
            "notes": [*self.notes, *self.settled],
            **{name: pieces.tolist() for name, pieces in self.kinds.items()},
            "wear": list(self.wear),
            "gap": self.puzzle.gap or 0,
            "traces": list(self.traces),
            "needs_memory_mb": round(self.memory / 1e6),
            "needs_seconds": round(self.seconds, 1),
        }


def check(given: Input, params: Params, threads: int) -> Checked:
    """Read an input and find out what can be found out without a solve."""
    from dataclasses import replace

    from rectoverso.inspecting import inspect
    from rectoverso.objective.pipeline import prepare
    from rectoverso.planning import Size, available_memory, check_memory, predict_memory, predict_seconds
    from rectoverso.settling import likeliest, settle_type, weigh_frames

    puzzle, notes = given.read()
    settled: list[str] = []
    if not puzzle.type_told:
        puzzle, said = settle_type(puzzle, threads)
        settled.append(said)
    params = params.chosen_for(puzzle.num_pieces)
    check_memory(Size.of(puzzle), params, threads, available_memory())
    prepared = prepare(puzzle, params.objective, threads)
    frames: list[WeighedFrame] = []
    if prepared.lists.wear:
        puzzle = replace(puzzle, gap=prepared.lists.gap)
    if not puzzle.frame_known:
        frames = weigh_frames(puzzle, replace(prepared.lists, search=None), params, threads=threads)
        best = likeliest(puzzle, frames)
        frames.insert(0, frames.pop(frames.index(best)))
        puzzle = puzzle.in_frame(best.rows, best.columns)
    size = Size.of(puzzle)
    return Checked(
        puzzle,
        notes,
        tuple(settled),
        frames,
        inspect(puzzle, prepared.measured),
        prepared.lists.wear,
        prepared.lists.findings,
        predict_memory(size, params, threads),
        predict_seconds(size, params, threads),
    )


def _frame_words(frame: WeighedFrame) -> str:
    return f"{frame.rows}x{frame.columns} breaks {frame.broken:.1%} of the seams that are certain"
