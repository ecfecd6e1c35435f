"""Tiles as files of their own: a folder, a zip file, or files named one by one."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from io import BytesIO

import numpy as np

from rectoverso.errors import BadInputError, PuzzleWarning
from rectoverso.images.files import Pixels, as_picture, read_picture
from rectoverso.images.opening import MAX_MEGAPIXELS
from rectoverso.intake.heap import Heap
from rectoverso.intake.names import match_backs, natural_key, pair_faces
from rectoverso.intake.sources import Pictures

NAMED = 3
"""How many files a message names."""


def read_tiles(fronts: Pictures, backs: Pictures | None, name: str, max_megapixels: float = MAX_MEGAPIXELS) -> Heap:
    """The tiles of picture files, in the natural order of their names.

    Backs are files of their own, or the names say which two files are the faces of one piece.
    """
    if backs is None:
        pieces = pair_faces(fronts.names)
    else:
        ordered = sorted(fronts.names, key=natural_key)
        pieces = list(zip(ordered, match_backs(ordered, backs.names), strict=True))
    places = [fronts, *([backs or fronts] if len(pieces[0]) == 2 else [])]
    faces = [_read_all(place, [piece[face] for piece in pieces], max_megapixels) for face, place in enumerate(places)]
    if faces[0].shape != faces[-1].shape:
        front, back = (f"{each.shape[2]}x{each.shape[1]}" for each in faces)
        raise BadInputError(f"The fronts are {front} pixels and the backs {back}; both faces need the same size.")
    height, width = faces[0].shape[1:3]
    if min(height, width) < 2:
        raise BadInputError(f"The tiles are {width}x{height} pixels; 2x2 is the least.")
    return Heap(np.stack(faces, axis=1), tuple(piece[0] for piece in pieces), name, notes=_notes(fronts, backs, pieces))


def _notes(fronts: Pictures, backs: Pictures | None, pieces: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    notes = [f"{len(pieces)} tile files, numbered in the natural order of their names"]
    if len(pieces[0]) == 2:
        how = "by name" if backs is None else "of the back"
        notes.append(f"each has two faces: {pieces[0][0]} and {pieces[0][1]} are the first pair, {how}")
    if others := fronts.others + (backs.others if backs else 0):
        notes.append(f"{others} other file{' was' if others == 1 else 's were'} left out")
    return tuple(notes)


def _read_all(place: Pictures, names: Sequence[str], max_megapixels: float) -> Pixels:
    """Tiles x height x width x 3; refused if they differ in size."""
    tiles: Pixels | None = None
    sizes: dict[str, tuple[int, int]] = {}
    said: dict[str, list[str]] = {}
    with place.opened() as files, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number, name in enumerate(names):
            tile = read_picture(BytesIO(files.read(name)), name, max_megapixels)
            sizes[name] = (tile.shape[0], tile.shape[1])
            if tiles is None:
                tiles = np.empty((len(names), *tile.shape), np.uint8)
            if tile.shape == tiles.shape[1:]:
                tiles[number] = tile
            for warning in caught:
                said.setdefault(str(warning.message).removeprefix(name), []).append(name)
            caught.clear()
    assert tiles is not None
    _warn_once(said)
    _check_sizes(sizes)
    return tiles


def _warn_once(said: dict[str, list[str]]) -> None:
    """Thousands of tiles may have one and the same peculiarity: it is told once."""
    for words, names in said.items():
        more = f" (and so it is with {len(names) - 1:,} more files)" if len(names) > 1 else ""
        warnings.warn(f"{names[0]}{words}{more}", PuzzleWarning, stacklevel=4)


def _check_sizes(sizes: dict[str, tuple[int, int]]) -> None:
    (usual, count), *others = Counter(sizes.values()).most_common()
    if not others:
        return
    odd = [(name, size) for name, size in sizes.items() if size != usual]
    shown = ", ".join(f"{name} ({width}x{height})" for name, (height, width) in odd[:NAMED])
    more = f" and {len(odd) - NAMED} more" if len(odd) > NAMED else ""
    lying = all(size == usual[::-1] for _, size in odd)
    turn = " Turn the ones that lie on their side." if lying else ""
    raise BadInputError(
        f"All tiles must have one size: {count} are {usual[1]}x{usual[0]} pixels, but not {shown}{more}.{turn}"
    )


def heap_of_arrays(tiles: Sequence[Pixels] | Pixels, backs: Sequence[Pixels] | Pixels | None, name: str) -> Heap:
    """Tiles that are arrays already, and their backs."""
    faces = []
    for face, given in (("front", tiles), ("back", backs)):
        if given is None:
            continue
        pictures = [as_picture(tile, f"the {face} of piece {number}") for number, tile in enumerate(given)]
        if not pictures:
            raise BadInputError("No tiles were given; a puzzle needs at least 2 pieces.")
        _check_sizes({f"piece {number}": (tile.shape[0], tile.shape[1]) for number, tile in enumerate(pictures)})
        faces.append(np.stack(pictures))
    if faces[0].shape != faces[-1].shape:
        raise BadInputError(f"There are {len(faces[0])} fronts and {len(faces[-1])} backs, or they differ in size.")
    return Heap(np.stack(faces, axis=1), tuple(f"piece {number}" for number in range(len(faces[0]))), name)
