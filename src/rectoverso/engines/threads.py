"""Python threads over slices of the work: native functions release the interpreter lock, so they run side by side."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from rectoverso.engines.limits import allowed_processors


def available_threads() -> int:
    """How many processors this process may use; a container's share of time counts as so many, rounded up."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = allowed_processors()
    return processors if allowed is None else max(1, min(processors, math.ceil(allowed)))


def checked_threads(threads: int) -> int:
    """A number of threads that work can be done by."""
    if threads < 1:
        raise ValueError(f"{threads} threads were asked for; 1 is the least")
    return threads


Tell = Callable[[float], None]
"""Who is told how far done a piece of work is, from 0 to 1."""


def silent(fraction: float) -> None:
    """Tell nobody."""


def over_slices(work: Callable[[int, int], object], count: int, threads: int, size: int, tell: Tell = silent) -> None:
    """Call ``work(start, stop)`` on slices of at most ``size`` of ``range(count)``, on several threads.

    The work of a slice must not depend on which thread does it, nor on when. ``tell`` is called by this thread alone.
    """
    slices = [(start, min(start + size, count)) for start in range(0, count, size)]
    if threads == 1 or len(slices) == 1:
        for start, stop in slices:
            work(start, stop)
            tell(stop / count)
        return
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, start, stop) for start, stop in slices]
        for future, (_, stop) in zip(futures, slices, strict=True):
            future.result()
            tell(stop / count)


def part_of(tell: Tell, first: float, last: float) -> Tell:
    """Who is told about a part of the work that goes from one fraction of the whole to another."""
    return lambda fraction: tell(first + (last - first) * fraction)
