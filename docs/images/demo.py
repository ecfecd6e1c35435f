"""Makes demo.webp, the animation of the README, anew: ``python docs/images/demo.py``.

It is ``rectoverso demo``: the best of each generation, and between two of them the pieces going to their new places,
from the middle outward.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from rectoverso import PRESETS, Arrangement, score, solve
from rectoverso.cli.demo import PRESET, demo_puzzle
from rectoverso.show.alignment import aligned
from rectoverso.show.animation import Animation, frame
from rectoverso.storage import write_file

WIDTH = 900
AT_ONCE = 16
"""So many pieces go to their places in one frame."""
FIRST_MS, EACH_MS, LAST_MS = 1500, 90, 4000


def between(start: Arrangement, end: Arrangement) -> Iterator[Arrangement]:
    """Arrangements on the way from one to another: each piece changes places with the one that lies where it goes."""
    tables, goals = ([of.piece.copy(), of.rotation.copy(), of.face.copy()] for of in (start, end))
    rows, columns = end.piece.shape
    cells = sorted(np.ndindex(rows, columns), key=lambda cell: np.hypot(cell[0] - rows / 2, cell[1] - columns / 2))
    moved = 0
    for cell in cells:
        if all(table[cell] == goal[cell] for table, goal in zip(tables, goals, strict=True)):
            continue
        there = tuple(np.argwhere(tables[0] == goals[0][cell])[0])
        for table, goal in zip(tables, goals, strict=True):
            table[there], table[cell] = table[cell], goal[cell]
        moved += 1
        if moved % AT_ONCE == 0:
            yield Arrangement.of(*(table.copy() for table in tables))
    yield end


def main() -> None:
    """Solve, and write all frames: the shuffled pieces first, and the solution for a moment longer."""
    puzzle, film = demo_puzzle(0), Animation()
    assert puzzle.truth is not None
    result = solve(puzzle, params=PRESETS[PRESET], seed=0, observers=[film])
    last = aligned(result.arrangement, puzzle.truth, puzzle)
    arranged = (Arrangement.from_up_edges(best, puzzle.rows, puzzle.columns, puzzle.faces) for best in film.bests)
    bests = [aligned(best, last, puzzle) for best in arranged]
    shown = bests[:1]
    for best in bests[1:]:
        shown += between(shown[-1], best)
    frames = [Image.fromarray(frame(puzzle, arrangement)) for arrangement in shown]
    size = (WIDTH, round(WIDTH * frames[0].height / frames[0].width))
    frames = [picture.resize(size, Image.Resampling.LANCZOS) for picture in frames]
    durations = [FIRST_MS, *[EACH_MS] * (len(frames) - 2), LAST_MS]
    buffer = BytesIO()
    options = {"append_images": frames[1:], "duration": durations, "loop": 0, "quality": 60, "method": 6}
    frames[0].save(buffer, "WEBP", save_all=True, **options)
    write_file(Path(__file__).with_suffix(".webp"), buffer.getvalue())
    print(f"{len(frames)} frames, {len(buffer.getvalue()):,} bytes; {score(last, puzzle.truth, puzzle)}")  # noqa: T201


if __name__ == "__main__":
    main()
