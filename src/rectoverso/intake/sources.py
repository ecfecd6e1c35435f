"""Where picture files are: in a folder, in a zip file, or named one by one; their names, and their bytes."""

from __future__ import annotations

import glob
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rectoverso.errors import BadInputError, TooLargeError
from rectoverso.storage import opened_zip, read_entry, read_file

SUFFIXES = (
    ".png",
    ".jpg",
    ".jpeg",
    ".jpe",
    ".jfif",
    ".webp",
    ".tif",
    ".tiff",
    ".bmp",
    ".gif",
    ".avif",
    ".heic",
    ".heif",
)
"""What the names of pictures end with."""

MAX_FILES = 2_000_000
"""The most files that are looked at in a folder or zip file."""

MAX_TILE = 256 << 20
"""The largest file of one picture that is read from a zip file, in bytes."""


def is_picture(name: str) -> bool:
    """Whether a file is a picture by its name; hidden files are not."""
    path = PurePosixPath(name)
    hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return not hidden and path.suffix.lower() in SUFFIXES


@dataclass(frozen=True)
class Pictures:
    """Picture files of one place.

    Attributes
    ----------
    place
        A folder or a zip file; None if the names are paths.
    names
        The names of the pictures inside it.
    others
        How many other files lie there.
    """

    place: Path | None
    names: tuple[str, ...]
    others: int = 0

    @contextmanager
    def opened(self) -> Iterator[_Reader]:
        """Whoever reads the files, one after the other."""
        if self.place is None or self.place.is_dir():
            yield _Reader(self.place, None)
            return
        with opened_zip(self.place) as archive:
            yield _Reader(self.place, archive)


@dataclass(frozen=True)
class _Reader:
    place: Path | None
    archive: zipfile.ZipFile | None

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        if self.archive is None:
            return read_file(Path(name) if self.place is None else self.place / name)
        assert self.place is not None
        return read_entry(self.archive, self.place, name, MAX_TILE)


def pictures_at(path: Path) -> Pictures:
    """The pictures in a folder or zip file, in all of its folders."""
    names = _names_in_folder(path) if path.is_dir() else _names_in_zip(path)
    pictures = tuple(name for name in names if is_picture(name))
    if not pictures:
        raise BadInputError(f"{path} holds no picture files; tiles are PNG, JPEG, TIFF, WebP, BMP, GIF or AVIF files.")
    others = sum(1 for name in names if not PurePosixPath(name).name.startswith("."))
    return Pictures(path, pictures, others - len(pictures))


def pictures_named(paths: Sequence[Path]) -> Pictures:
    """Pictures that are named one by one."""
    for path in paths:
        if path.is_dir():
            raise BadInputError(f"{path} is a folder; give either one folder or the picture files themselves.")
        if not path.exists():
            raise BadInputError(f"{path} does not exist.")
    return Pictures(None, tuple(str(path) for path in paths))


def pictures_like(pattern: str) -> list[Path]:
    """The files that a pattern with wildcards stands for."""
    return [Path(name) for name in glob.glob(pattern, recursive=True) if Path(name).is_file() and is_picture(name)]


def _names_in_folder(path: Path) -> list[str]:
    try:
        names = []
        for number, found in enumerate(path.rglob("*")):
            if number == MAX_FILES:
                raise TooLargeError(f"{path} holds more than {MAX_FILES:,} files; give the folder of the tiles.")
            if found.is_file():
                names.append(found.relative_to(path).as_posix())
        return names
    except OSError as error:
        raise BadInputError(f"{path} cannot be read ({error.strerror or error}).") from error


def _names_in_zip(path: Path) -> list[str]:
    with opened_zip(path) as archive:
        names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    if len(names) > MAX_FILES:
        raise TooLargeError(f"{path} holds {len(names):,} files; {MAX_FILES:,} are the most.")
    return names
