"""Where machine code is kept between runs, in files that may be damaged or lost: what cannot be used is compiled anew.

Numba keeps machine code itself, but trusts its files: a damaged one made every later solve fail until it was deleted.
Here each file of code begins with a digest of the rest, an index that cannot be read counts as empty, and a disk that
is full only means that nothing is kept.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

from rectoverso.errors import PuzzleWarning

DIGEST = 16
"""Bytes of a digest."""


def cache_home() -> Path | None:
    """The folder of all that is kept between runs; None if this user has none."""
    if given := os.environ.get("RECTOVERSO_CACHE_DIR"):
        return Path(given).absolute()
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    # A relative path is to be ignored, says the standard: it would be another folder in every place.
    if base and Path(base).is_absolute():
        return Path(base)
    try:
        return Path.home() / ".cache"
    except RuntimeError:
        return None


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """The files of one function: an index, and the code for each kind of arguments."""

    def _load_index(self) -> dict[Any, str]:
        try:
            overloads: dict[Any, str] = super()._load_index()
        # Damaged bytes may make unpickling raise anything.
        except Exception as error:
            _tell(f"{self._index_path} was damaged ({type(error).__name__})")
            return {}
        return overloads

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        data = path.read_bytes()
        if _digest(data[DIGEST:]) != data[:DIGEST]:
            _tell(f"{path} was damaged")
            # To numba this means that the file is not there.
            raise FileNotFoundError(path)
        return pickle.loads(data[DIGEST:])

    def _save_data(self, name: str, data: Any) -> None:
        dumped = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(_digest(dumped) + dumped)


class MachineCode(FunctionCache):  # type: ignore[misc]
    """What was compiled of one function, in this run and in earlier ones."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp())

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if the disk allows."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _tell(f"Nothing can be kept in {self._cache_path} ({error.strerror or error})")


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=DIGEST).digest()


def _tell(what: str) -> None:
    """One warning in each run is enough."""
    if not _told:
        _told.append(what)
        warnings.warn(f"{what}: native code is compiled again, which takes half a minute.", PuzzleWarning, stacklevel=2)


_told: list[str] = []
