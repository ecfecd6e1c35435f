"""Ctrl-C while a solve runs; SIGTERM, with which systems end processes, is the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType

from rectoverso.cli.exits import INTERRUPTED
from rectoverso.evolve.observers import Observer, Progress

REASON = "interrupted"
"""The reason that a solve stopped by Ctrl-C gives."""


class Interrupts(Observer):
    """The first Ctrl-C lets the generation or round finish, so that the best is kept; the second gives up at once.

    While there is no generation yet there is nothing to keep, and the first gives up.
    """

    def __init__(self, stopping: Callable[[], None], give_up: Callable[[], None]) -> None:
        self.stopping, self.give_up = stopping, give_up
        self.asked = self.has_best = False

    def __enter__(self) -> Interrupts:
        self._before = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def on_progress(self, progress: Progress) -> None:
        """From the first generation on there is something to keep."""
        self.has_best = progress.best is not None

    def reason(self) -> str:
        """Why to stop; "" to go on."""
        return REASON if self.asked else ""

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.has_best and not self.asked:
            self.asked = True
            self.stopping()
            return
        self.give_up()
        # An exception would wait until threads have done all the work that is queued for them.
        os.write(2, b"interrupted: no solution was saved.\n")
        os._exit(INTERRUPTED)
