"""The most memory that a piece of work held at once."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def reset_peak_memory() -> None:
    """Start counting anew, where the system lets us."""
    try:
        _CLEAR.write_text("5")
    except OSError:
        return


def peak_memory() -> int:
    """The peak in bytes since the last reset, or since the process began where it cannot be reset."""
    if _STATUS.is_file():
        lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
