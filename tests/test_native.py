"""The random numbers, the one decorator, and the threads."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rectoverso import native
from rectoverso.engines import threads
from rectoverso.reference.paper import random as reference

DECORATED = re.compile(r"^\s*@(native(_part)?\b|(numba\.)?(n?jit|vectorize|guvectorize)\b)", re.MULTILINE)


@pytest.mark.parametrize("numbers", [(0, 0, 0), (7, 30, 999), (2**64 - 1, 2**32, 5)])
def test_random_numbers_are_the_references(numbers: tuple[int, int, int]) -> None:
    """Keys and draws agree with plain integers."""
    key = native.stream_key(*(np.uint64(n) for n in numbers))
    stream = reference.Stream(reference.stream_key(*numbers))
    assert int(key) == stream.state
    state = np.array([key], np.uint64)
    for below in (1, 2, 10, 1000, 2**32 - 1):
        assert int(native.draw(state, np.uint64(below))) == stream.draw(below) < below


def test_draws_are_even() -> None:
    """Every number comes up about as often as any other."""
    stream = reference.Stream(1)
    counts = np.bincount([stream.draw(7) for _ in range(7000)])
    assert counts.min() > 900


def test_cache_directory_follows_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of any native source, of numba or of bounds checking leads to another directory."""
    package = tmp_path / "rectoverso"
    (package / "room").mkdir(parents=True)
    own, other = package / "native.py", package / "room" / "_native_part.py"
    own.write_text("one")
    other.write_text("two")
    (package / "room" / "plain.py").write_text("three")
    monkeypatch.setattr(native, "__file__", str(own))
    seen = [native.cache_directory()]
    own.write_text("one, changed")
    seen.append(native.cache_directory())
    other.write_text("two, changed")
    seen.append(native.cache_directory())
    monkeypatch.setattr(native.numba.config, "BOUNDSCHECK", 1 - (native.numba.config.BOUNDSCHECK or 0))
    seen.append(native.cache_directory())
    monkeypatch.setattr(native.numba, "__version__", "0.0")
    seen.append(native.cache_directory())
    assert len(set(seen)) == len(seen)
    (package / "room" / "plain.py").write_text("three, changed")
    assert native.cache_directory() == seen[-1]


def test_native_code_lives_in_native_files_alone() -> None:
    """The digest of the compiler cache looks at ``_native*.py`` only: native code elsewhere would go stale unseen."""
    package = Path(native.__file__).parent
    sources = [path for path in package.rglob("*.py") if not path.name.startswith("_native")]
    assert [path for path in sources if path != Path(native.__file__) and DECORATED.search(path.read_text())] == []
    assert any(DECORATED.search(path.read_text()) for path in package.rglob("_native*.py"))


def test_over_slices_covers_everything_once() -> None:
    """Slices neither overlap nor leave gaps, and a failure in one is not lost."""
    for count, size in [(10, 3), (1, 5), (6, 6)]:
        seen = np.zeros(count, int)

        def work(start: int, stop: int, seen: np.ndarray = seen) -> None:
            seen[start:stop] += 1

        threads.over_slices(work, count, 2, size)
        assert (seen == 1).all()

    def fail(start: int, stop: int) -> None:
        raise ValueError("broken slice")

    with pytest.raises(ValueError, match="broken slice"):
        threads.over_slices(fail, 10, 2, 3)


def test_importing_rectoverso_loads_nothing_heavy() -> None:
    """The package is there at once: no numba, no numpy."""
    code = "import rectoverso, sys; print([m for m in ('numba', 'numpy', 'PIL', 'rich') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_public_names_are_all_there() -> None:
    """Everything in __all__ can be had, and nothing else."""
    import rectoverso

    assert all(getattr(rectoverso, name) is not None for name in rectoverso.__all__)
    with pytest.raises(AttributeError, match="no attribute 'solver'"):
        rectoverso.solver  # noqa: B018
