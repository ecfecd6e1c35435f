"""read_heap(): the pieces of anything that a person points at."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rectoverso.errors import BadInputError
from rectoverso.images.opening import MAX_MEGAPIXELS
from rectoverso.images.tiles import TileSize
from rectoverso.intake.heap import Heap
from rectoverso.intake.picture import read_picture_or_scan
from rectoverso.intake.sources import Pictures, is_picture, pictures_at, pictures_like, pictures_named
from rectoverso.intake.tiles import read_tiles


@dataclass(frozen=True)
class About:
    """What a person says about an input, besides where it is.

    Attributes
    ----------
    back
        Where the other faces are: a folder or zip file of tiles, or a picture.
    size
        The height and the width of the tiles of a picture; they are found if nothing is said.
    max_megapixels
        The largest picture that is read.
    """

    back: Path | None = None
    size: TileSize | None = None
    max_megapixels: float = MAX_MEGAPIXELS


def read_heap(inputs: Sequence[Path], about: About | None = None) -> Heap:
    """The pieces of a folder or zip file of tiles, of tile files named one by one, of a pattern, or of one picture."""
    about, paths = about or About(), _expanded(inputs)
    if len(paths) == 1 and _is_one_picture(paths[0]):
        if about.back is not None and not _is_one_picture(about.back):
            raise BadInputError(f"The back of the picture {paths[0]} is a picture, too, not {about.back}.")
        return read_picture_or_scan(paths[0], about.back, about.size, about.max_megapixels)
    if about.size is not None:
        raise BadInputError("The size of tiles is that of their files; --size is for one picture that holds them all.")
    backs = None if about.back is None else _pictures(_expanded([about.back]))
    return read_tiles(_pictures(paths), backs, _name_of(paths), about.max_megapixels)


def _expanded(inputs: Sequence[Path]) -> list[Path]:
    """The paths that are meant: a pattern with wildcards, in quotes, stands for the files that it fits."""
    paths: list[Path] = []
    for each in inputs:
        if each.exists():
            paths.append(each)
        elif any(sign in str(each) for sign in "*?["):
            found = pictures_like(str(each))
            if not found:
                raise BadInputError(f"No picture file is named like {each}.")
            paths += found
        else:
            raise BadInputError(f"{each} does not exist; give a folder or zip file of tiles, or a picture of them.")
    return paths


def _is_one_picture(path: Path) -> bool:
    # A damaged zip file is told by its name only.
    return path.is_file() and path.suffix.lower() != ".zip" and not zipfile.is_zipfile(path)


def _pictures(paths: Sequence[Path]) -> Pictures:
    if len(paths) == 1 and not (paths[0].is_file() and is_picture(paths[0].name)):
        return pictures_at(paths[0])
    return pictures_named(paths)


def _name_of(paths: Sequence[Path]) -> str:
    """What the whole is called: the folder or the file without its suffix."""
    one = paths[0] if len(paths) == 1 else paths[0].parent
    return (one.resolve().name if one.is_dir() else one.stem) or "tiles"
