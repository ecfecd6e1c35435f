"""Bytes to files and back: whole files or none, and errors that say what to do."""

from __future__ import annotations

import errno
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path, PurePosixPath

from rectoverso.errors import BadInputError, TooLargeError

MAX_UNPACKED = 4 << 30
"""The most that is ever unpacked from one zip file, in bytes."""


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInputError(f"{path} cannot be written ({reason}); choose another place for the output.") from error


def write_file(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all, whatever happens in between."""
    with _writing(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_place(path: Path) -> None:
    """Make sure that a file can be written here."""
    with _writing(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.TemporaryFile(dir=path.parent):
            pass


def make_folder(path: Path) -> None:
    """Make sure that a folder is there and can be written to."""
    with _writing(path):
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass


def write_files(path: Path, files: Mapping[str, bytes]) -> None:
    """Write named files as a folder, or as one zip file if the path ends in .zip; the first name is written last."""
    if path.suffix.lower() == ".zip":
        buffer = BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, buffer.getvalue())
        return
    make_folder(path)
    for name, data in reversed(list(files.items())):
        write_file(path / name, data)


def read_file(path: Path, name: str = "") -> bytes:
    """A file's bytes, or those of a file inside a folder or zip file."""
    whole = path / name if name else path
    try:
        if name and path.is_file():
            return _read_zipped(path, name)
        return whole.read_bytes()
    except FileNotFoundError as error:
        raise BadInputError(f"{whole} does not exist.") from error
    except IsADirectoryError as error:
        raise BadInputError(f"{whole} is a folder, not a file.") from error
    except OSError as error:
        raise BadInputError(f"{whole} cannot be read ({error.strerror or error}).") from error


def has_file(path: Path, name: str) -> bool:
    """Whether a folder or zip file holds a file of this name."""
    if path.is_dir():
        return (path / name).is_file()
    try:
        with zipfile.ZipFile(path) as archive:
            return name in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _read_zipped(path: Path, name: str) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.namelist():
                if ".." in PurePosixPath(entry).parts or entry.startswith(("/", "\\")):
                    raise BadInputError(f"{path} holds a file {entry!r}, which points outside it; not opened.")
            total = sum(entry.file_size for entry in archive.infolist())
            if total > MAX_UNPACKED:
                raise TooLargeError(
                    f"{path} would unpack to {total / 2**30:.1f} GiB; the limit is {MAX_UNPACKED / 2**30:.0f} GiB."
                )
            with archive.open(name) as file:
                # A dishonest header must not make us read more than it says.
                data = file.read(archive.getinfo(name).file_size + 1)
            if len(data) != archive.getinfo(name).file_size:
                raise BadInputError(f"{name} in {path} is not as long as the archive says; make the archive again.")
            return data
    except KeyError as error:
        raise BadInputError(f"{path} holds no {name}; it is not a rectoverso puzzle.") from error
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise BadInputError(f"{path} is not a folder or an intact .zip file ({error}).") from error
