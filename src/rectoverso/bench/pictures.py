"""Where the pictures of an experiment lie, and whether they are the ones that were published."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from PIL import Image

from rectoverso.bench.experiment import Experiment, ImageSet, Pair
from rectoverso.errors import BadInputError
from rectoverso.images.files import Pixels, read_picture
from rectoverso.images.wear import Wear
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.storage import MAX_TEXT, kind_of, read_file

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp")


@dataclass(frozen=True)
class Task:
    """One puzzle of an experiment."""

    set: ImageSet
    image: str
    front: Path
    back: Path | None = None
    pair: Pair | None = None

    def puzzle(self, experiment: Experiment, seed: int, wear: str = "") -> Puzzle:
        """Cut the puzzle, shuffled and worn by ``seed``."""
        back = None if self.back is None else self._picture(self.back, experiment.size)
        if back is not None and self.pair is not None and self.pair.turn_back:
            back = np.ascontiguousarray(np.rot90(back))
        return Puzzle.from_image(
            self._picture(self.front, experiment.size),
            back=back,
            type=experiment.type,
            size=experiment.size,
            seed=seed,
            name=f"{self.set.name} {self.image}",
            wear=Wear.of(wear) if wear else None,
        )

    def _picture(self, path: Path, size: int) -> Pixels:
        """A picture of the set, reduced, with its offset and all that fills no whole piece cut off."""
        picture = read_picture(path)
        if self.set.reduce > 1:
            picture = np.asarray(Image.fromarray(picture).reduce(self.set.reduce))
        top, left = self.set.offset
        picture = picture[top:, left:]
        return picture[: picture.shape[0] // size * size, : picture.shape[1] // size * size]


class Pictures:
    """The folder of picture sets, given or named by ``RECTOVERSO_DATA``."""

    def __init__(self, folder: Path | None, sums: Path = Path("experiments/SHA256SUMS")) -> None:
        named = os.environ.get("RECTOVERSO_DATA")
        if folder is None and not named:
            raise BadInputError("Say where the pictures are: --data FOLDER, or set RECTOVERSO_DATA.")
        self.folder, self.sums = folder or Path(str(named)), sums
        if kind_of(self.folder) != "folder":
            raise BadInputError(f"{self.folder} is not a folder of pictures; give another with --data.")

    @cached_property
    def known(self) -> dict[str, str]:
        """The published sha256 of each picture that is known, by its path below the folder."""
        text = read_file(self.sums, limit=MAX_TEXT) if kind_of(self.sums) == "file" else b""
        lines = [line.split(maxsplit=1) for line in text.decode(errors="replace").splitlines()]
        if any(len(line) != 2 for line in lines):
            raise BadInputError(f"{self.sums} is damaged; fetch it again.")
        return {name.strip().removeprefix("./"): digest for digest, name in lines}

    def find(self, name: str) -> Path | None:
        """A picture by its name without suffix, checked against the published one where that is known."""
        for suffix in SUFFIXES:
            path = self.folder / f"{name}{suffix}"
            if path.is_file():
                wanted = self.known.get(f"{name}{suffix}")
                if wanted and hashlib.sha256(read_file(path)).hexdigest() != wanted:
                    raise BadInputError(f"{path} is not the published picture (sha256 differs); fetch it again.")
                return path
        return None

    def tasks(self, chosen: ImageSet, only: tuple[str, ...] = ()) -> list[Task]:
        """The puzzles of a set whose pictures are there, all of them or only some."""
        if chosen.pairs:
            found = [self._pair_task(chosen, pair) for pair in chosen.pairs]
        else:
            folder = chosen.folder or chosen.name
            names = chosen.images or sorted(p.stem for p in self.folder.glob(f"{folder}/*") if p.suffix in SUFFIXES)
            paths = [(name, self.find(f"{folder}/{name}")) for name in names]
            found = [None if path is None else Task(chosen, name, path) for name, path in paths]
        return [task for task in found if task is not None and (not only or task.image in only)]

    def _pair_task(self, chosen: ImageSet, pair: Pair) -> Task | None:
        front, back = self.find(pair.front), self.find(pair.back)
        if front is None or back is None:
            return None
        image = f"{Path(pair.front).name}+{Path(pair.back).name}"
        return Task(chosen, image, front, back, pair)
