"""The names of tile files: their natural order, and which two are the faces of one piece."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from rectoverso.errors import BadInputError

FRONTS, BACKS = ("front", "recto", "a"), ("back", "verso", "b")
"""What the names of fronts and backs end with, or what their folders are called."""

_MARKED = re.compile(rf"(?i)^(.*?)[-_. ]?({'|'.join(FRONTS + BACKS)})$")
_DIGITS = re.compile(r"(\d+)")


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """What names are sorted by: numbers in them by value, the rest without regard to case.

    >>> sorted(["tile10.png", "Tile9.png", "tile1.png"], key=natural_key)
    ['tile1.png', 'Tile9.png', 'tile10.png']
    """
    parts = [
        (0, int(part), "") if part.isdecimal() else (1, 0, part.casefold()) for part in _DIGITS.split(name) if part
    ]
    return [*parts, (2, 0, name)]


def face_of(name: str) -> tuple[str, int] | None:
    """What both faces of a piece have in common in their names, and which face this is: 0 or 1.

    >>> face_of("tiles/07_verso.png"), face_of("front/07.png"), face_of("07.png")
    (('tiles/07', 1), ('07', 0), None)
    """
    path = PurePosixPath(name)
    folders, stem = path.parts[:-1], path.stem
    if match := _MARKED.match(stem):
        common, word = match.groups()
        if common:
            return "/".join((*folders, common)), int(word.lower() in BACKS)
    for at, folder in enumerate(folders):
        if folder.lower() in FRONTS + BACKS:
            common = "/".join((*folders[:at], *folders[at + 1 :], stem))
            return common, int(folder.lower() in BACKS)
    return None


def pair_faces(names: Sequence[str]) -> list[tuple[str, ...]]:
    """The names of each piece's faces: both if all names say which face they are of, otherwise one.

    Pieces are in the natural order of their names.
    """
    ordered = sorted(names, key=natural_key)
    faces = [face_of(name) for name in ordered]
    pairs: dict[str, list[str | None]] = {}
    for name, face in zip(ordered, faces, strict=True):
        if face is None:
            return [(name,) for name in ordered]
        pair = pairs.setdefault(face[0], [None, None])
        if pair[face[1]] is not None:
            return [(name,) for name in ordered]
        pair[face[1]] = name
    alone = [name for pair in pairs.values() for name in pair if name is not None and None in pair]
    if not alone:
        return [tuple(name for name in pair if name is not None) for pair in pairs.values()]
    if len(alone) < len(ordered) / 2:
        face = face_of(alone[0])
        missing = "front" if face and face[1] else "back"
        raise BadInputError(f"{alone[0]} has no {missing}: the names say that the other pieces have both faces.")
    return [(name,) for name in ordered]


def match_backs(fronts: Sequence[str], backs: Sequence[str]) -> list[str]:
    """The back of each front: the file of the same name, or the one at the same place in natural order."""
    if len(fronts) != len(backs):
        raise BadInputError(
            f"There are {len(fronts)} fronts and {len(backs)} backs; each piece needs one file for each face."
        )

    def plain(name: str) -> str:
        face = face_of(name)
        return (face[0] if face else str(PurePosixPath(name).with_suffix(""))).casefold()

    by_name = {plain(name): name for name in backs}
    if len(by_name) == len(backs) and all(plain(name) in by_name for name in fronts):
        return [by_name[plain(name)] for name in fronts]
    return sorted(backs, key=natural_key)
