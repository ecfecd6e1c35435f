"""Files that are there whole or not at all, and sets of files likewise, whatever happens in between.

A file is written aside, under a name that begins with ``.rectoverso-part-``, and renamed when it is on the disk. Of a
set of files all are written aside; then a plan of the renames is written, which decides that the set is there. Whoever
finds a plan in a folder carries it out, so that a process may be killed at any moment.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from rectoverso.errors import BadInputError

try:
    import fcntl
except ImportError:  # not on this system: nothing is locked, and nothing that was left is taken away
    fcntl = None  # type: ignore[assignment]

PART, PLAN = ".rectoverso-part-", ".rectoverso-plan"
PUZZLE = ("puzzle.json", "truth.json", "front.png", "back.png")
"""The files of a puzzle."""
RESULT = ("solution.json", "order.csv", "front.png", "back.png", "log.jsonl", "animation.webp", "report.html")
"""The files that a solve leaves."""
PATIENCE = 10.0
"""How many seconds another process that writes into the same folder is waited for."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What the system says when something cannot be written, as a sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInputError(f"{path} cannot be written ({reason}); choose another place for the output.") from error


def swap_files(folder: Path, files: Mapping[str, bytes], known: Collection[str]) -> None:
    """Put files into a folder all at once; those of the known names that are not among them are taken away."""
    with writing(folder), held(folder, alone=True):
        _carry_out_plan(folder)
        for name in known:
            if (folder / name).is_dir() and not (folder / name).is_symlink():
                raise IsADirectoryError(errno.EISDIR, f"{name} is a folder")
        plan: dict[str, str | None] = {name: None for name in known if name not in files}
        parts = []
        try:
            for name, data in files.items():
                parts.append(write_part(folder, data))
                plan[name] = parts[-1].name
            parts.append(write_part(folder, json.dumps(plan).encode()))
            sync(folder)
            os.replace(parts[-1], folder / PLAN)
        except BaseException:
            # An interrupt may come when it is decided already.
            if not os.path.lexists(folder / PLAN):
                for part in parts:
                    part.unlink(missing_ok=True)
                raise
            _carry_out_plan(folder)
            raise
        _carry_out_plan(folder)


def settle(folder: Path) -> None:
    """Finish what a process that was killed had decided to put into a folder, if it may be written to."""
    with suppress(OSError):
        if os.path.lexists(folder / PLAN):
            with held(folder, alone=True):
                _carry_out_plan(folder)


def _carry_out_plan(folder: Path) -> None:
    """Rename what was written aside, if there is a plan; a plan that was begun is gone through again."""
    if not os.path.lexists(folder / PLAN):
        return
    sync(folder)
    for name, part in _read_plan(folder / PLAN).items():
        if part is None:
            (folder / name).unlink(missing_ok=True)
        else:
            with suppress(FileNotFoundError):
                os.replace(folder / part, folder / name)
    sync(folder)
    (folder / PLAN).unlink(missing_ok=True)


def _read_plan(path: Path) -> dict[str, str | None]:
    """What each of our files is called yet, None for those that are to go; nothing if the plan is none of ours."""
    try:
        regular = stat.S_ISREG(path.lstat().st_mode) and path.stat().st_size < 1 << 16
        plan = json.loads(path.read_bytes()) if regular else {}
    except (ValueError, RecursionError, FileNotFoundError):
        return {}
    items = plan.items() if isinstance(plan, dict) else ()
    return {name: part for name, part in items if name in (*PUZZLE, *RESULT) and _is_part(part)}


def _is_part(name: object) -> bool:
    return name is None or (isinstance(name, str) and name.startswith(PART) and PurePosixPath(name).name == name)


def write_part(folder: Path, data: bytes) -> Path:
    """A file under a name that nobody uses, with its bytes on the disk."""
    part = folder / f"{PART}{secrets.token_hex(8)}"
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return part


def sync(folder: Path) -> None:
    """Have the names in a folder on the disk, too, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def held(folder: Path, *, alone: bool) -> Iterator[None]:
    """Hold a folder while there are parts in it, with others or alone.

    Parts of a process that was killed are taken away: they are dead if nobody holds the folder.
    """
    try:
        handle = os.open(folder, os.O_RDONLY) if fcntl is not None else -1
    except OSError:
        handle = -1
    if handle < 0:
        yield
        return
    try:
        if _lock(handle, alone=True, seconds=PATIENCE if alone else 0):
            _clean(folder)
        if not alone:
            _lock(handle, alone=False, seconds=PATIENCE)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, *, alone: bool, seconds: float) -> bool:
    kind, end = fcntl.LOCK_EX if alone else fcntl.LOCK_SH, time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.01)
        except OSError:
            return False
        else:
            return True


def _clean(folder: Path) -> None:
    with suppress(OSError):
        if not os.path.lexists(folder / PLAN):
            for entry in os.scandir(folder):
                if entry.name.startswith(PART):
                    os.unlink(entry.path)
