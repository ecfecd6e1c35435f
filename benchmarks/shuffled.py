"""Shuffled pictures whose tile size is known, made with Pillow and NumPy alone."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

SQUARES = (8, 10, 12, 14, 16, 20, 24, 25, 28, 32, 35, 40, 48, 50, 56, 64, 80, 96, 100, 128)
OBLONGS = ((35, 11), (28, 42), (11, 35), (12, 20), (16, 48), (64, 32), (100, 50), (96, 128), (42, 28), (24, 16))
"""Width and height."""

ENCODINGS = ("png", "jpeg 95", "jpeg 90", "jpeg 85", "jpeg 75")
SUFFIXES = (".png", ".jpg")


@dataclass(frozen=True)
class Sheet:
    """How one shuffled picture is made: of what, at which scale, in tiles of which size, turned or not."""

    path: Path
    reduce: int
    width: int
    height: int
    turned: bool
    encoding: str
    seed: int

    @property
    def name(self) -> str:
        """A name for a file, which tells all of it."""
        kind = "turned" if self.turned else "upright"
        origin = f"{self.path.parent.name}-{self.path.stem}-reduced{self.reduce}"
        return f"{self.seed:04d}-{origin}-{self.width}x{self.height}-{kind}-{self.encoding.replace(' ', '')}"

    def make(self) -> tuple[bytes, int, int]:
        """The file, and the rows and columns of tiles that it has."""
        random = np.random.default_rng(self.seed)
        picture = reduced(self.path, self.reduce)
        fitting = picture.shape[0] // self.height, picture.shape[1] // self.width
        # A third of the pictures is a small part of theirs, so that there are few tiles of each size.
        few = random.random() < 1 / 3
        rows, columns = (min(int(random.integers(3, 13)), fit) if few else fit for fit in fitting)
        spare = picture.shape[0] - rows * self.height, picture.shape[1] - columns * self.width
        top, left = (int(random.integers(rest + 1)) for rest in spare)
        part = picture[top : top + rows * self.height, left : left + columns * self.width]
        return encoded(self._shuffled(part, rows, columns, random), self.encoding), rows, columns

    def _shuffled(self, picture: np.ndarray, rows: int, columns: int, random: np.random.Generator) -> np.ndarray:
        cells = picture.reshape(rows, self.height, columns, self.width, 3).swapaxes(1, 2)
        tiles = random.permutation(cells.reshape(-1, self.height, self.width, 3))
        if self.turned:
            step = 1 if self.width == self.height else 2
            turns = random.integers(0, 4 // step, len(tiles)) * step
            tiles = np.stack([np.rot90(tile, turn) for tile, turn in zip(tiles, turns, strict=True)])
        table = tiles.reshape(rows, columns, self.height, self.width, 3).swapaxes(1, 2)
        return np.ascontiguousarray(table.reshape(picture.shape))


def reduced(path: Path, factor: int) -> np.ndarray:
    """A picture at a fraction of its size."""
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB").reduce(factor))


def encoded(picture: np.ndarray, encoding: str) -> bytes:
    """A picture as a file: "png", or "jpeg" and its quality, with chroma subsampled in both directions."""
    buffer = BytesIO()
    if encoding == "png":
        Image.fromarray(picture).save(buffer, "PNG", compress_level=1)
    else:
        Image.fromarray(picture).save(buffer, "JPEG", quality=int(encoding.split()[1]), subsampling="4:2:0")
    return buffer.getvalue()


def odd_pictures(folder: Path) -> list[Path]:
    """The pictures of odd numbers of all sets, and those without a number."""
    found = (path for path in sorted(folder.glob("*/*")) if path.suffix in SUFFIXES)
    return [path for path in found if not path.stem.isdigit() or int(path.stem) % 2]


def sheets(folder: Path, count: int, first_seed: int = 0) -> Iterator[Sheet]:
    """Shuffled pictures of all kinds, drawn at random: a third in oblong tiles, half turned, most of them JPEG."""
    sets: dict[str, list[Path]] = {}
    for path in odd_pictures(folder):
        sets.setdefault(path.parent.name, []).append(path)
    for seed in range(first_seed, first_seed + count):
        random = np.random.default_rng((seed, 1))
        paths = sets[sorted(sets)[random.integers(len(sets))]]
        path, reduce = paths[random.integers(len(paths))], int(random.choice([1, 1, 2, 3]))
        square = int(random.choice(SQUARES))
        width, height = (square, square) if random.random() < 2 / 3 else random.choice(OBLONGS).tolist()
        with Image.open(path) as image:
            if min(image.width // reduce // width, image.height // reduce // height) < 2:
                reduce = 1
        yield Sheet(path, reduce, width, height, bool(random.integers(2)), str(random.choice(ENCODINGS)), seed)


def main() -> None:
    """Write shuffled pictures to a folder; the size of their tiles is in their names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--data", type=Path, default=os.environ.get("RECTOVERSO_DATA"), required=False)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("say where the pictures are: --data FOLDER, or set RECTOVERSO_DATA")
    arguments.output.mkdir(parents=True, exist_ok=True)
    for sheet in sheets(arguments.data, arguments.count, arguments.seed):
        suffix = ".png" if sheet.encoding == "png" else ".jpg"
        (arguments.output / (sheet.name + suffix)).write_bytes(sheet.make()[0])


if __name__ == "__main__":
    main()
