"""Kept machine code: damage and full disks cost time, never a solve."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rectoverso import machine_code
from rectoverso.machine_code import cache_home

pytestmark = pytest.mark.compiled

CALL = """
import numpy as np
from rectoverso.native import draw
print(int(draw(np.zeros(1, np.uint64), np.uint64(1000))))
"""
FULL = """
import errno, os
from rectoverso import machine_code
def refuse(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
machine_code._Files._open_for_write = refuse
"""


def run(folder: Path, before: str = "") -> tuple[str, str]:
    """Draw a number in a fresh interpreter that keeps its machine code in a folder; stdout and stderr."""
    environment = {"RECTOVERSO_CACHE_DIR": str(folder), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", before + CALL]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: b"\0" * len(data),
        lambda data: data[:-40] + bytes(255 - byte for byte in data[-40:]),
    ],
    ids=["empty", "cut short", "zeros", "changed"],
)
def test_damaged_files_are_compiled_again(tmp_path: Path, suffix: str, damage: Callable[[bytes], bytes]) -> None:
    """The same number comes out, a warning says why it took longer, and the next run is warm again."""
    number, silence = run(tmp_path)
    assert silence == ""
    kept = sorted(tmp_path.rglob(f"*.draw-*.{suffix}"))
    assert kept
    for file in kept:
        file.write_bytes(damage(file.read_bytes()))
    again, told = run(tmp_path)
    assert again == number
    # An index may be damaged so that it can still be read, and then only lacks the function.
    assert told.count("PuzzleWarning") == (0 if told == "" and suffix == "nbi" else 1)
    assert run(tmp_path) == (number, "")


def test_a_full_disk_keeps_nothing(tmp_path: Path) -> None:
    """The work is done, and one warning says what is wrong."""
    number, told = run(tmp_path, FULL)
    assert number == run(tmp_path)[0]
    assert told.count("PuzzleWarning: Nothing can be kept in") == 1
    assert "No space left on device" in told


def test_the_cache_is_never_in_the_current_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty and relative settings count as none; without a home nothing is kept."""
    monkeypatch.setattr(machine_code.sys, "platform", "linux")
    monkeypatch.setenv("RECTOVERSO_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", "/somebody")
    assert cache_home() == Path("/somebody/.cache")
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert cache_home() == Path("/elsewhere")
    monkeypatch.setenv("RECTOVERSO_CACHE_DIR", "own")
    assert cache_home() == Path.cwd() / "own"

    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("RECTOVERSO_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(machine_code.Path, "home", homeless)
    assert cache_home() is None
