"""Inputs in a process of their own, which may not take long, take much, write elsewhere or start anything."""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS = 5.0
"""How long one input may take."""
MEMORY = 2 << 30
"""How much more memory than before one input may take, in bytes."""
CEILING = 6 << 30
"""The system refuses more than this, so that no input can hurt the machine."""

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_FORBIDDEN = (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "socket.connect",
    "pickle.find_class",
)
_CHANGES = {
    "os.rename": 2,
    "os.remove": 1,
    "os.mkdir": 1,
    "os.rmdir": 1,
    "os.symlink": 2,
    "os.link": 2,
    "os.truncate": 1,
}


@dataclass
class Tally:
    """What came of the inputs of a target."""

    done: int = 0
    read: int = 0
    slowest: tuple[float, int] = (0.0, -1)
    largest: tuple[int, int] = (0, -1)
    failures: list[tuple[int, str]] = field(default_factory=list)


class Guard:
    """Hears of every file that Python opens, and of every process that it starts."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.armed, self.broken = str(folder), False, ""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.armed:
            return
        if event in _FORBIDDEN:
            self.broken = f"{event} {args!r}"[:500]
        elif event == "open" and self._writes(args) and not self._inside(args[0]):
            self.broken = f"{args[0]!r} was opened for writing"
        elif event in _CHANGES and not all(map(self._inside, args[: _CHANGES[event]])):
            self.broken = f"{event} {args!r}"[:500]

    def _inside(self, path: object) -> bool:
        if isinstance(path, int) or path == os.devnull:
            return True
        return os.path.realpath(os.fsdecode(path)).startswith(self.folder)  # type: ignore[arg-type]

    @staticmethod
    def _writes(args: tuple[Any, ...]) -> bool:
        mode, flags = args[1], args[2]
        if isinstance(mode, str):
            return bool(set(mode) & set("wax+"))
        return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))


def peak() -> int:
    """The most memory since the last reset."""
    found = re.search(r"VmHWM:\s+(\d+)", _STATUS.read_text()) if _STATUS.exists() else None
    return int(found[1]) * 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def numbered(name: str, number: int) -> random.Random:
    """The random generator that an input is made from: the same in every run."""
    return random.Random(f"{name} {number}")


def _work(name: str, load: Callable[[str], Any], numbers: range, end: float, at: Any, since: Any, pipe: Any) -> None:
    """Read one input after another, and send what came of each."""
    from targets import attempt

    target = load(name)
    soft = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (CEILING, soft))
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    root = Path(tempfile.mkdtemp(prefix="rectoverso-fuzz-")).resolve()
    guard, before = Guard(root), peak()
    attempt_folder = root / "in"
    for number in numbers:
        if time.monotonic() > end:
            break
        data = target.make(numbered(name, number))
        attempt_folder.mkdir()
        at.value, since.value = number, time.monotonic()
        guard.armed, guard.broken, trouble, outcome = True, "", "", ""
        try:
            outcome = attempt(target, data, attempt_folder)
        except BaseException:
            trouble = traceback.format_exc()
        guard.armed = False
        taken, since.value = time.monotonic() - since.value, 0.0
        grown = peak() - before
        if grown > 1 << 26:
            # The peak is that of this input: start again below it.
            _CLEAR.write_text("5")
            before = max(0, peak() - (1 << 20))
        if grown > MEMORY:
            trouble = trouble or f"it took {grown / 2**30:.1f} GiB of memory"
        pipe.send((number, outcome == "read", taken, grown, trouble or guard.broken))
        shutil.rmtree(attempt_folder)
    at.value = -1
    shutil.rmtree(root)


def run(name: str, load: Callable[[str], Any], numbers: range, seconds: float) -> Tally:
    """All inputs of some numbers, until the time is over; what hangs or crashes is a failure of that input."""
    tally, end = Tally(), time.monotonic() + seconds
    context = multiprocessing.get_context("fork")
    while numbers and time.monotonic() < end:
        at, since = context.Value("q", -2, lock=False), context.Value("d", 0.0, lock=False)
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(name, load, numbers, end, at, since, theirs))
        process.start()
        theirs.close()
        hung = _listen(ours, process, since, tally)
        process.join()
        if at.value == -1 and process.exitcode == 0:
            break
        why = f"it took more than {SECONDS:g} s" if hung else f"the process died (exit code {process.exitcode})"
        tally.failures.append((at.value, why))
        tally.done += 1
        numbers = range(max(at.value, numbers.start) + 1, numbers.stop)
    return tally


def _listen(pipe: Any, process: Any, since: Any, tally: Tally) -> bool:
    """Take in what comes of the inputs; True if one took too long, and its process was ended."""
    while True:
        try:
            while pipe.poll(0.2):
                number, read, taken, grown, trouble = pipe.recv()
                tally.done += 1
                tally.read += read
                tally.slowest = max(tally.slowest, (taken, number))
                tally.largest = max(tally.largest, (grown, number))
                if trouble:
                    tally.failures.append((number, trouble))
        except EOFError:
            return False
        started = since.value
        if started and time.monotonic() - started > SECONDS:
            process.kill()
            return True
