"""The animation: how the best arrangement changed from generation to generation, and then while it was repaired."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rectoverso.evolve.observers import Observer, Progress
from rectoverso.images.files import Pixels
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.puzzle.render import render
from rectoverso.show.alignment import aligned
from rectoverso.show.thinning import thinned

LONG_SIDE = 640
"""The most pixels along the longer side of a face."""
MAX_FRAMES = 100
LAST_FRAME_MS, WHOLE_MS = 2000, 6000
GAP = 8
"""White pixels between front and back."""


class Animation(Observer):
    """Collects the best chromosomes until they are saved as an animated WebP."""

    def __init__(self) -> None:
        self.bests: list[NDArray[np.uint32]] = []

    def on_progress(self, progress: Progress) -> None:
        """Keep the best if it is a new one; a long solve keeps only some, but always the last."""
        best = progress.best
        if best is None or (self.bests and np.array_equal(self.bests[-1], best)):
            return
        if len(self.bests) == 2 * MAX_FRAMES:
            del self.bests[1::2]
        self.bests.append(best)

    def encode(self, puzzle: Puzzle, last: Arrangement) -> bytes:
        """The animation as WebP, every frame turned like the last arrangement."""
        bests = [
            Arrangement.from_up_edges(best, puzzle.rows, puzzle.columns, puzzle.faces)
            for best in thinned(self.bests, MAX_FRAMES)
        ]
        frames = [Image.fromarray(frame(puzzle, aligned(best, last, puzzle))) for best in bests]
        between = min(800, WHOLE_MS // len(frames))
        durations = [between] * (len(frames) - 1) + [LAST_FRAME_MS]
        buffer = BytesIO()
        options = {"append_images": frames[1:], "duration": durations, "loop": 0, "quality": 85, "method": 2}
        frames[0].save(buffer, "WEBP", save_all=True, **options)
        return buffer.getvalue()


def frame(puzzle: Puzzle, arrangement: Arrangement) -> Pixels:
    """A small picture of an arrangement: its front, and its back beside it if there is one."""
    faces = [_small(render(puzzle, arrangement, back=bool(face))) for face in range(puzzle.faces)]
    if len(faces) == 1:
        return faces[0]
    gap = np.full((faces[0].shape[0], GAP, 3), 255, np.uint8)
    return np.concatenate([faces[0], gap, faces[1]], axis=1)


def _small(picture: Pixels) -> Pixels:
    image = Image.fromarray(picture)
    image.thumbnail((LONG_SIDE, LONG_SIDE), Image.Resampling.BOX)
    return np.asarray(image)
