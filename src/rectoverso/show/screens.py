"""Where the console's lines go: above a bar that moves on a terminal, and as plain lines anywhere else."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Protocol

from rectoverso.show.lines import clock, shortened, terminal_width, wrapped

if TYPE_CHECKING:
    from rich.progress import Task, TaskID
    from rich.text import Text

STOPPING = "stopping after this generation or round; press Ctrl-C again to give up at once"
STOPPING_SHORT = "stopping; Ctrl-C again gives up"
LEAST_BAR, MOST_BAR = 8, 40
"""How many columns the bar has; where there is no room for the least, there is none."""


BESIDE = 12
"""The columns of the spinner, the clock and the gaps beside what is being done."""
ROOMY = 60
"""From so many columns on the bar also says how much is left."""


class Screen(Protocol):
    """Where lines go, and what stands below them."""

    @property
    def has_bar(self) -> bool:
        """Whether a status is seen."""
        ...

    @property
    def width(self) -> int:
        """How many columns a line may have."""
        ...

    def line(self, text: str, style: str = "") -> None:
        """Print a line, or several that are one text."""

    def status(self, text: str, fraction: float | None, left: str = "") -> None:
        """Say what is being done, how far done it is, and how much is left of it."""

    def stopping(self) -> None:
        """Say that the solve was told to stop; called from a signal handler."""

    def close(self) -> None:
        """Leave the terminal as it was."""


def open_screen(live: bool | None) -> Screen:
    """A screen with a bar if ``live``; unless said, if stderr is a terminal that can show one."""
    if live is None:
        live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return _LiveScreen() if live else _PlainScreen()


class _PlainScreen:
    """Lines and nothing else."""

    has_bar = False

    def __init__(self) -> None:
        self.width = terminal_width()

    def line(self, text: str, style: str = "") -> None:
        # Somebody who reads a log sees each line when it is written.
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def status(self, text: str, fraction: float | None, left: str = "") -> None:
        pass

    def stopping(self) -> None:
        # A signal may come while stderr is being written to, and its buffer cannot be entered twice.
        os.write(2, f"{wrapped(STOPPING, self.width)}\n".encode())

    def close(self) -> None:
        pass


class _LiveScreen:
    """Lines above a bar that moves, with a clock that runs from the first status on."""

    has_bar = True

    def __init__(self) -> None:
        from rich import console, progress, text

        class Clock(progress.ProgressColumn):
            """The time since the start, through all stages."""

            def render(self, task: Task) -> Text:
                return text.Text(f"{clock(task.elapsed or 0):>5}", "dim")

        self.console = console.Console(stderr=True, highlight=False, markup=False)
        self.bar = progress.BarColumn()
        columns = (
            progress.SpinnerColumn(),
            Clock(),
            progress.TextColumn("{task.description}", markup=False),
            self.bar,
            progress.TextColumn("{task.fields[left]}", markup=False),
        )
        self.progress = progress.Progress(*columns, console=self.console, transient=True, refresh_per_second=8)
        self.styled = text.Text
        self.task: TaskID | None = None
        self.told = False

    @property
    def width(self) -> int:
        return self.console.width

    def line(self, text: str, style: str = "") -> None:
        # Given as an argument the style would color the bar, too.
        self.console.print(self.styled(text, style), soft_wrap=True)

    def status(self, text: str, fraction: float | None, left: str = "") -> None:
        if self.task is None:
            self.progress.start()
            self.task = self.progress.add_task("", total=None, left="")
        left = left if self.width >= ROOMY else ""
        room = self.width - BESIDE - len(left)
        text = shortened(STOPPING_SHORT if self.told else text, room)
        bar = room - len(text)
        self.bar.bar_width = 0 if bar < LEAST_BAR else min(bar, MOST_BAR)
        total = None if fraction is None else 1.0
        self.progress.update(self.task, description=text, total=total, completed=fraction, left=left)

    def stopping(self) -> None:
        self.told = True
        if self.task is not None:
            self.bar.bar_width = 0
            text = shortened(STOPPING_SHORT, self.width - BESIDE)
            self.progress.update(self.task, description=text, left="")

    def close(self) -> None:
        self.progress.stop()
