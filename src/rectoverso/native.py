"""The one way to compile: ``@native``, and the random numbers that compiled code draws.

Native functions hold no Python objects: arrays, scalars and named tuples of them in and out. They release the
interpreter lock, so plain Python threads run them side by side on slices of the work. Their machine code is kept in a
directory named by a digest of all native sources, because a compiler cache that looks at one file at a time would
miss a change in a function called from another file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

from rectoverso.machine_code import MachineCode, cache_home

F = TypeVar("F", bound=Callable[..., Any])

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


def cache_directory() -> Path | None:
    """Where the machine code of this very version of the native sources is kept; None if it is not."""
    home = cache_home()
    digest = hashlib.blake2b(digest_size=8)
    for source in [Path(__file__), *sorted(Path(__file__).parent.rglob("_native*.py"))]:
        digest.update(source.read_bytes())
    digest.update(f"{numba.__version__} {numba.config.BOUNDSCHECK}".encode())
    return None if home is None else home / "rectoverso" / f"native-{digest.hexdigest()}"


def is_warm() -> bool:
    """Whether machine code of this version, down to the crossover, was kept by an earlier run."""
    return numba.config.DISABLE_JIT or (_CACHE is not None and any(_CACHE.rglob("*.breed-*.nbi")))


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(directory, os.W_OK)


_CACHE = cache_directory()
if _CACHE is not None and not _writable(_CACHE):
    _CACHE = None


def native(function: F) -> F:
    """Compile a function of arrays and scalars on its first call; its machine code is kept for later runs."""
    return _compiled(function)


def native_part(function: F) -> F:
    """Like :func:`native`, for what only native code calls: no way in from Python, and it becomes part of its callers.

    Both make it compile sooner, and the second twice as fast: a named tuple of arrays is a hundred values to hand over.
    """
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def _compiled(function: F, **options: bool) -> F:
    if numba.config.DISABLE_JIT:
        # Unsigned arithmetic wraps around on purpose; only interpreted numpy scalars complain about it.
        return np.errstate(over="ignore")(function)
    # Without numba's run-time (_nrt) a native function can allocate nothing, and arrays taken out of named tuples are
    # not counted: an atomic operation each, which made the crossover five times slower.
    compiled = numba.njit(nogil=True, error_model="numpy", _nrt=False, **options)(function)
    if _CACHE is not None:
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(_CACHE)
        try:
            compiled._cache = MachineCode(function)
        finally:
            numba.config.CACHE_DIR = before
    return compiled


@native_part
def mix(x: np.uint64) -> np.uint64:
    """SplitMix64's finalizer: a well-stirred function of 64 bits."""
    x = (x ^ (x >> _30)) * MIX_1
    x = (x ^ (x >> _27)) * MIX_2
    return x ^ (x >> _31)


@native
def stream_key(seed: np.uint64, generation: np.uint64, child: np.uint64) -> np.uint64:
    """The start of the random stream of one child: the same for any number of threads and any order of work."""
    return mix(mix(mix(seed + GOLDEN) + generation + GOLDEN) + child + GOLDEN)


@native
def draw(state: Any, below: np.uint64) -> np.uint64:
    """A random number in [0, below) from the stream whose state is ``state[0]``; ``below`` is under 2**32."""
    state[0] += GOLDEN
    return ((mix(state[0]) >> _32) * below) >> _32
