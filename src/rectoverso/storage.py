"""Bytes to files and back, folders and zip files alike, with limits, and with errors that say what to do."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal

from rectoverso.errors import BadInputError, PuzzleError, TooLargeError
from rectoverso.swapping import PART, held, swap_files, sync, write_part, writing

MAX_UNPACKED = 4 << 30
"""The most that is ever unpacked from one zip file, or read from one file, in bytes."""
MAX_TEXT = 64 << 20
"""The largest JSON or TOML file that is read; the solution of a million pieces has 40 MB."""

Kind = Literal["folder", "file", "nothing"]


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise BadInputError(f"{path} does not exist.") from error
    except IsADirectoryError as error:
        raise BadInputError(f"{path} is a folder, not a file.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInputError(f"{path} cannot be read ({reason}).") from error


def kind_of(path: Path) -> Kind:
    """What is at a path; a BadInputError if nobody may look."""
    with _reading(path):
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return "nothing"
    return "folder" if stat.S_ISDIR(mode) else "file"


def write_file(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all, whatever happens in between."""
    with writing(path), held(path.parent, alone=False):
        part = write_part(path.parent, data)
        try:
            os.replace(part, path)
        except BaseException:
            # An interrupt may come after the file got its name.
            part.unlink(missing_ok=True)
            raise
        sync(path.parent)


def is_empty(folder: Path) -> bool:
    """Whether there is nothing in a folder but what a process that was killed left."""
    with _reading(folder):
        return all(path.name.startswith(PART) for path in folder.iterdir())


def check_place(path: Path) -> None:
    """Make sure that a file can be written here."""
    with writing(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.TemporaryFile(dir=path.parent):
            pass


def make_folder(path: Path) -> None:
    """Make sure that a folder is there and can be written to."""
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass


def write_files(path: Path, files: Mapping[str, bytes], known: Collection[str]) -> None:
    """Write named files as a folder, or as one zip file if the path ends in .zip.

    Of a folder that was there, files of the known names are replaced or taken away, and all others stay.
    """
    if path.suffix.lower() == ".zip":
        buffer = BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, buffer.getvalue())
        return
    made_here = kind_of(path) == "nothing"
    try:
        make_folder(path)
        swap_files(path, files, known)
    except BaseException:
        if made_here:
            with suppress(OSError):
                path.rmdir()
        raise


def read_file(path: Path, name: str = "", limit: int = MAX_UNPACKED) -> bytes:
    """A file's bytes, or those of a file inside a folder or zip file; a TooLargeError if they are over the limit."""
    whole = path / name if name else path
    if name and kind_of(path) == "file":
        return _read_zipped(path, name, limit)
    with _reading(whole), whole.open("rb") as file:
        about = os.fstat(file.fileno())
        # What is no plain file has no size.
        data = file.read() if stat.S_ISREG(about.st_mode) and about.st_size <= limit else _read_some(file, limit + 1)
    if len(data) > limit:
        raise TooLargeError(f"{whole} is longer than {limit / 1e6:,.0f} MB, the most that is read of such a file.")
    return data


def _read_some(file: BinaryIO, length: int) -> bytes:
    """At most so many bytes, without room made for all of them at once."""
    chunks: list[bytes] = []
    while length > 0 and (chunk := file.read(min(length, 1 << 20))):
        chunks.append(chunk)
        length -= len(chunk)
    return b"".join(chunks)


def has_file(path: Path, name: str) -> bool:
    """Whether a folder or zip file holds a file of this name."""
    if kind_of(path) == "folder":
        return kind_of(path / name) == "file"
    try:
        with zipfile.ZipFile(path) as archive:
            return name in archive.namelist()
    # Damaged bytes may make zipfile raise anything.
    except Exception:
        return False


def _read_zipped(path: Path, name: str, limit: int) -> bytes:
    with opened_zip(path) as archive:
        return read_entry(archive, path, name, limit)


@contextmanager
def opened_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip file to read entries of, with what can go wrong in one sentence; it is never unpacked to disk."""
    try:
        with _reading(path), zipfile.ZipFile(path) as archive:
            for entry in archive.namelist():
                if ".." in PurePosixPath(entry).parts or entry.startswith(("/", "\\")):
                    raise BadInputError(f"{path} holds a file {entry!r}, which points outside it; not opened.")
            _check_unpacked(path, sum(entry.file_size for entry in archive.infolist()), MAX_UNPACKED)
            yield archive
    except PuzzleError:
        raise
    # Damaged bytes may make zipfile and its decompressors raise anything.
    except Exception as error:
        raise BadInputError(f"{path} is not a folder or an intact .zip file ({error}).") from error


def read_entry(archive: zipfile.ZipFile, path: Path, name: str, limit: int) -> bytes:
    """The bytes of an entry of the zip file at a path; a TooLargeError if they are over the limit."""
    try:
        about = archive.getinfo(name)
    except KeyError as error:
        raise BadInputError(f"{path} holds no {name}; it is not a rectoverso puzzle.") from error
    _check_unpacked(path / name, about.file_size, limit)
    if about.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadInputError(f"{name} in {path} is compressed by another method than deflate; zip it again.")
    with archive.open(about) as file:
        # A dishonest header must not make us read more than it says.
        data = file.read(about.file_size + 1)
    if len(data) != about.file_size:
        raise BadInputError(f"{name} in {path} is not as long as the archive says; make the archive again.")
    return data


def _check_unpacked(path: Path, size: int, limit: int) -> None:
    if size > limit:
        raise TooLargeError(
            f"{path} would unpack to {size / 2**20:,.0f} MiB; the limit is {limit / 2**20:,.0f} MiB: it is no puzzle."
        )
