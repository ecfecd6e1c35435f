"""The command ``rectoverso``: one file per command, and the one place where errors become exit codes.

A command's file imports nothing slow at its top, so that help comes at once; ``rectoverso.name`` loads when first used.
"""

from __future__ import annotations

import logging
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import Any, TextIO

import click

from rectoverso import __version__
from rectoverso.cli.exits import BAD_INPUT, INTERRUPTED, TOO_LARGE
from rectoverso.errors import BadInputError, PuzzleError, PuzzleWarning, one_line
from rectoverso.show.lines import for_terminal, terminal_width

COMMANDS = ("solve", "check", "render", "cut", "score", "info", "params", "demo", "bench", "warmup")

MOST_HELP = 100
"""The most columns of help: longer lines are hard to read."""


# Otherwise Python writes what libraries log to the terminal; ours do not log.
logging.getLogger("PIL").addHandler(logging.NullHandler())


class Commands(click.Group):
    """The commands, loaded when they are called for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands, in the order in which a newcomer needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"rectoverso.cli.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what a person can mend becomes one line and an exit code."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", PuzzleWarning)
            warnings.showwarning = _show_warning
            try:
                with _ended_by_sigterm():
                    return super().invoke(ctx)
            except PuzzleError as error:
                _say("error", str(error))
                ctx.exit(BAD_INPUT if isinstance(error, BadInputError) else TOO_LARGE)
            except MemoryError:
                _say("error", "This needs more memory than there is; try a smaller --population or a smaller puzzle.")
                ctx.exit(TOO_LARGE)
            except KeyboardInterrupt:
                _say("interrupted", "what was not finished was not saved.")
                ctx.exit(INTERRUPTED)


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """To be told to end is the same as Ctrl-C."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # only the main thread hears signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, PuzzleWarning):
        _say("warning", str(message))
    else:
        (file or sys.stderr).write(warnings.formatwarning(message, category, filename, lineno, line))


def _say(kind: str, message: str) -> None:
    """One line on stderr, whatever the message quotes."""
    # Not click.echo: it would write past the bar that rich keeps below the lines.
    sys.stderr.write(for_terminal(f"{kind}: {one_line(message)}", sys.stderr) + "\n")


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "terminal_width": min(terminal_width(), MOST_HELP)},
)
@click.version_option(__version__, prog_name="rectoverso", message="%(prog)s %(version)s")
def commands() -> None:
    """Put pictures back together: tiles whose place, rotation and face are unknown.

    \b
    To see it work:
      rectoverso demo
    With tiles of yours, in a folder, a zip file or one shuffled picture:
      rectoverso solve tiles/
      rectoverso solve shuffled.png
    With a picture of yours:
      rectoverso cut photo.jpg -o puzzle --crop
      rectoverso solve puzzle -o solved

    "rectoverso COMMAND --help" explains a command.
    """  # noqa: D301


def main() -> None:
    """The console script."""
    commands(prog_name="rectoverso")
