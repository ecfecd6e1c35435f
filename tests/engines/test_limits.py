"""The limits of containers, as both versions of control groups write them down."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rectoverso import planning
from rectoverso.engines import limits
from rectoverso.engines.threads import available_threads

V2 = "0::/box/inner\n"
V1 = "4:memory:/box\n2:cpu,cpuacct:/box\n0::/\n"


@pytest.fixture(autouse=True)
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty tree of groups."""
    monkeypatch.setattr(limits, "GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(limits, "MOUNT", tmp_path / "fs")
    return tmp_path


def write(root: Path, files: dict[str, str]) -> None:
    """Write files of a tree."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")


def test_no_groups_mean_no_limits(groups: Path) -> None:
    """Nor do groups that say "max" or -1, or nothing that can be read."""
    assert (limits.allowed_processors(), limits.free_memory()) == (None, None)
    write(groups, {"cgroup": V2, "fs/box/memory.max": "max", "fs/box/memory.current": "7", "fs/cpu.max": "max 100000"})
    assert (limits.allowed_processors(), limits.free_memory()) == (None, None)
    write(groups, {"cgroup": V1, "fs/cpu/box/cpu.cfs_quota_us": "-1", "fs/cpu/box/cpu.cfs_period_us": "100000"})
    assert limits.allowed_processors() is None
    write(groups, {"cgroup": "nonsense\n::\n"})
    assert (limits.allowed_processors(), limits.free_memory()) == (None, None)


def test_the_tightest_group_counts(groups: Path) -> None:
    """A group has the limits of all groups above it; cached files can be given back."""
    write(groups, {"cgroup": V2, "fs/box/cpu.max": "150000 100000", "fs/box/inner/cpu.max": "400000 100000"})
    write(groups, {"fs/box/memory.max": "1000", "fs/box/memory.current": "700"})
    write(groups, {"fs/box/inner/memory.max": "900", "fs/box/inner/memory.current": "700"})
    write(groups, {"fs/box/inner/memory.stat": "anon 5\ninactive_file 150\nfile 200"})
    assert (limits.allowed_processors(), limits.free_memory()) == (1.5, 300)


def test_groups_of_the_first_version(groups: Path) -> None:
    """There each controller has a tree of its own."""
    write(groups, {"cgroup": V1, "fs/cpu/box/cpu.cfs_quota_us": "50000", "fs/cpu/box/cpu.cfs_period_us": "100000"})
    write(groups, {"fs/memory/box/memory.limit_in_bytes": "5000", "fs/memory/box/memory.usage_in_bytes": "6000"})
    assert (limits.allowed_processors(), limits.free_memory()) == (0.5, 0)


def test_a_hidden_group_is_the_root(groups: Path) -> None:
    """In a container the path may name what lies outside of it."""
    write(groups, {"cgroup": "0::/outside/box\n", "fs/memory.max": "50", "fs/memory.current": "10"})
    assert limits.free_memory() == 40


def test_threads_and_memory_keep_to_the_limits(groups: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At least one thread; never more memory than the group has left, beside what this process has."""
    free = planning.available_memory()
    write(groups, {"cgroup": V2, "fs/box/cpu.max": "20000 100000"})
    write(groups, {"fs/box/memory.max": "5000000", "fs/box/memory.current": "1000000"})
    assert available_threads() == 1
    allowed = planning.available_memory()
    if Path("/proc/meminfo").exists():
        assert free is not None
        assert allowed is not None
        here = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        assert allowed == pytest.approx(4_000_000 + here, rel=0.05)
        assert allowed < free


def test_memory_left_is_the_least_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the machine or by the container; None where nobody tells."""
    (tmp_path / "meminfo").write_text("MemTotal: 900 kB\nMemAvailable:    700 kB\n")
    monkeypatch.setattr(limits, "MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(limits, "free_memory", lambda: None)
    assert limits.memory_left() == 700 * 1024
    monkeypatch.setattr(limits, "free_memory", lambda: 5000)
    assert limits.memory_left() == 5000
    monkeypatch.setattr(limits, "MEMORY", tmp_path / "nothing")
    monkeypatch.setattr(limits, "free_memory", lambda: None)
    assert limits.memory_left() is None
