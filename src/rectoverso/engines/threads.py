"""Python threads over slices of the work: native functions release the interpreter lock, so they run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


def available_threads() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def over_slices(work: Callable[[int, int], object], count: int, threads: int, size: int) -> None:
    """Call ``work(start, stop)`` on slices of at most ``size`` of ``range(count)``, on several threads.

    The work of a slice must not depend on which thread does it, nor on when.
    """
    slices = [(start, min(start + size, count)) for start in range(0, count, size)]
    if threads == 1 or len(slices) == 1:
        for start, stop in slices:
            work(start, stop)
        return
    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(work, start, stop) for start, stop in slices]:
            future.result()
