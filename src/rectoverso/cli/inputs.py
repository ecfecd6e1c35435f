"""What a person points at: the arguments and options of all commands that take pieces, and the puzzle they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rectoverso.cli.options import FRAME, PATH, SIZE
from rectoverso.errors import BadInputError

if TYPE_CHECKING:
    from rectoverso.intake.heap import Heap
    from rectoverso.puzzle.arrangement import Arrangement
    from rectoverso.puzzle.puzzle import Puzzle

OPTIONS = {
    "back": click.option(
        "--back", type=PATH, metavar="INPUT", help="The other faces: a folder, zip or picture like the first."
    ),
    "size": click.option("--size", type=SIZE, metavar="N|WxH", help="Of the tiles of one picture.  [default: found]"),
    "frame": click.option("--frame", type=FRAME, metavar="ROWSxCOLUMNS", help="What pieces fill.  [default: found]"),
    "kind": click.option(
        "--type", "kind", type=click.IntRange(1, 7), metavar="N", help="What is unknown, 1 to 7.  [default: found]"
    ),
    "gap": click.option(
        "--gap",
        type=click.IntRange(0, 100),
        metavar="N",
        help="How many pixels the pieces have lost at each side.  [default: found]",
    ),
    "max_megapixels": click.option(
        "--max-megapixels",
        type=click.FloatRange(min=0, min_open=True),
        metavar="N",
        help="The largest picture that is read.  [default: 400]",
    ),
}


def input_option(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """One of the options that say more about an input."""
    return OPTIONS[name]


def input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All of them; their values make an :class:`Input`."""
    for option in reversed(OPTIONS.values()):
        command = option(command)
    return command


@dataclass(frozen=True)
class Input:
    """What was given on the command line about pieces."""

    paths: tuple[Path, ...]
    back: Path | None = None
    size: tuple[int, int] | None = None
    frame: tuple[int, int] | None = None
    kind: int | None = None
    gap: int | None = None
    max_megapixels: float | None = None

    @property
    def own(self) -> Path | None:
        """The puzzle folder or zip file that rectoverso wrote, if this is one."""
        from rectoverso.storage import has_file, kind_of

        if len(self.paths) != 1 or kind_of(self.paths[0]) == "nothing":
            return None
        return self.paths[0] if has_file(self.paths[0], "puzzle.json") else None

    def read(self) -> tuple[Puzzle, tuple[str, ...]]:
        """The puzzle, and what was understood of an input that is not rectoverso's own."""
        puzzle, notes = self._read()
        return replace(puzzle, gap=self.gap), notes

    def _read(self) -> tuple[Puzzle, tuple[str, ...]]:
        from rectoverso.puzzle.files import load_puzzle
        from rectoverso.puzzle.puzzle import Puzzle

        own = self.own
        if own is None:
            heap = self.heap()
            return Puzzle.from_heap(heap, type=self.kind, frame=self.frame), heap.notes
        for name, value in (("back", self.back), ("size", self.size), ("frame", self.frame), ("type", self.kind)):
            if value is not None:
                raise BadInputError(f"{own} is a puzzle that says its {name} itself; leave out --{name}.")
        return load_puzzle(own), ()

    def check_apart(self, output: Path) -> None:
        """Refuse an output that would be written among what was given."""
        for given in (*self.paths, *([self.back] if self.back else [])):
            if self.own is None and output.resolve() == given.resolve():
                raise BadInputError(f"{output} is the input, which is never written to; choose another folder (-o).")

    def heap(self) -> Heap:
        """The pieces of an input that is not rectoverso's own."""
        from rectoverso.images.opening import MAX_MEGAPIXELS
        from rectoverso.intake.anything import About, read_heap

        return read_heap(self.paths, About(self.back, self.size, self.max_megapixels or MAX_MEGAPIXELS))

    def truth(self, puzzle: Puzzle) -> Arrangement | None:
        """The truth that lies beside a puzzle of rectoverso's own; nothing else has one."""
        from rectoverso.puzzle.files import load_truth

        return None if self.own is None else load_truth(self.own, puzzle)


def input_of(options: dict[str, Any]) -> Input:
    """The input among the options of a command, which are taken out."""
    paths = options.pop("inputs")
    return Input(paths if isinstance(paths, tuple) else (paths,), **{name: options.pop(name) for name in OPTIONS})
