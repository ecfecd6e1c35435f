"""What a container allows: the limits of the control groups (Linux, versions 1 and 2) that this process is in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

GROUPS, MOUNT = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
MEMORY = Path("/proc/meminfo")


def allowed_processors() -> float | None:
    """How many processors' worth of time this process may use; None without a limit."""
    quotas = []
    for folder in _folders("cpu"):
        quota, _, period = _text(folder / "cpu.max").partition(" ")
        quota = quota or _text(folder / "cpu.cfs_quota_us")
        period = period or _text(folder / "cpu.cfs_period_us")
        if _is_number(quota) and _is_number(period) and int(period):
            quotas.append(int(quota) / int(period))
    return min(quotas, default=None)


def free_memory() -> int | None:
    """How many bytes more this process may have; None without a limit. Cached files count as free."""
    free = []
    for folder in _folders("memory"):
        limit = _text(folder / "memory.max") or _text(folder / "memory.limit_in_bytes")
        used = _text(folder / "memory.current") or _text(folder / "memory.usage_in_bytes")
        if _is_number(limit) and _is_number(used):
            free.append(max(0, int(limit) - int(used) + _cached(folder)))
    return min(free, default=None)


def memory_left() -> int | None:
    """How many bytes more this process can have, by its container and by the machine; None where nobody tells."""
    told = [free_memory()]
    for line in _text(MEMORY).splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable" and _is_number(value.removesuffix("kB").strip()):
            told.append(int(value.removesuffix("kB")) * 1024)
    return min((each for each in told if each is not None), default=None)


def _folders(controller: str) -> Iterator[Path]:
    """The folders of the groups that a controller has for this process, up to the root of all groups."""
    for line in _text(GROUPS).splitlines():
        _, names, path = [*line.split(":", 2), "", ""][:3]
        if names and controller not in names.split(","):
            continue
        root = MOUNT / controller if names else MOUNT
        folder = root / path.lstrip("/")
        # Inside a container the groups above it may be hidden, and its own is the root.
        yield from (each for each in (folder, *folder.parents) if each.is_relative_to(root))


def _cached(folder: Path) -> int:
    """The bytes of cached files, which the system gives back when memory is short."""
    for line in _text(folder / "memory.stat").splitlines():
        name, _, value = line.partition(" ")
        if name in ("inactive_file", "total_inactive_file") and _is_number(value):
            return int(value)
    return 0


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _is_number(text: str) -> bool:
    """Whether this is a limit: "max" and -1 are none."""
    return text.isascii() and text.isdigit()
