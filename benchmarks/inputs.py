"""How well `rectoverso solve INPUT`, with no option, does on what strangers hand over, against exact puzzles.

Each export is written by ``exports.py``, which shares no code with rectoverso, and solved by the command itself. Scores
are strict neighbor percentages.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import read, write_result
from exports import Export, folder_of_tiles, shuffled_picture, zip_of_tiles
from PIL import Image

from rectoverso import Arrangement, Puzzle, score, solve
from rectoverso.bench.pictures import Pictures

IMAGES = ("bgu-805/05", "bgu-805/09", "bgu-805/13", "kodak-486/01", "kodak-486/07", "kodak-486/15", "kodak-486/23")
IMAGES += ("mit-432/03", "mit-432/07", "mit-432/19")
"""Ten development images."""


def as_png(picture: Image.Image, path: Path) -> None:
    """Without loss."""
    picture.save(path)


def as_jpeg(quality: int) -> Callable[[Image.Image, Path], None]:
    """With halved chroma, after the tiles were shuffled."""
    return lambda picture, path: picture.save(path, quality=quality, subsampling="4:2:0")


EXPORTS: dict[str, Any] = {
    "folder, turned": lambda a, b, at: (folder_of_tiles(a, None, (28, 28), 4, 1, at / "tiles"), 2, (28, 28)),
    "zip": lambda a, b, at: (zip_of_tiles(a, (28, 28), 1, 2, at / "tiles"), 1, (28, 28)),
    "picture": lambda a, b, at: (shuffled_picture(a, (28, 28), 1, 3, at / "s.png", as_png), 1, (28, 28)),
    "picture, turned": lambda a, b, at: (shuffled_picture(a, (28, 28), 4, 4, at / "s.png", as_png), 2, (28, 28)),
    "35x11": lambda a, b, at: (shuffled_picture(a, (11, 35), 1, 5, at / "s.png", as_png), 1, (11, 35)),
    "35x11, half turns": lambda a, b, at: (folder_of_tiles(a, None, (11, 35), 2, 6, at / "tiles"), 2, (11, 35)),
    "28x42": lambda a, b, at: (folder_of_tiles(a, None, (42, 28), 1, 7, at / "tiles"), 1, (42, 28)),
    "28x42, half turns": lambda a, b, at: (shuffled_picture(a, (42, 28), 2, 8, at / "s.png", as_png), 2, (42, 28)),
    "JPEG 95": lambda a, b, at: (shuffled_picture(a, (28, 28), 1, 10, at / "s.jpg", as_jpeg(95)), 1, (28, 28)),
    "JPEG 75": lambda a, b, at: (shuffled_picture(a, (28, 28), 1, 11, at / "s.jpg", as_jpeg(75)), 1, (28, 28)),
    "two faces": lambda a, b, at: (folder_of_tiles(a, b, (28, 28), 4, 9, at / "tiles"), 4, (28, 28)),
}


def main() -> None:
    """Measure every kind of export of every image."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", nargs="*", default=list(EXPORTS))
    options = parser.parse_args()
    pictures, rows = Pictures(options.data), []
    shown = {name: read(pictures, name) for name in IMAGES}
    for kind in options.only:
        for place, name in enumerate(IMAGES):
            front, back = shown[name], shown[IMAGES[(place + 1) % len(IMAGES)]]
            height, width = (min(front.shape[axis], back.shape[axis]) for axis in range(2))
            if "faces" in kind:
                # The back must not be shifted against the front by what is cut off.
                front, back = (each[: height // 28 * 28, : width // 28 * 28] for each in (front, back))
            with tempfile.TemporaryDirectory() as folder:
                export, type_, size = EXPORTS[kind](front, back, Path(folder))
                started = time.monotonic()
                found = solved(export, Path(folder))
                seconds = time.monotonic() - started
            exact = Puzzle.from_image(
                front[: export.rows * size[0], : export.columns * size[1]],
                back=back if type_ == 4 else None,
                type=type_,
                size=size,
            )
            assert exact.truth is not None
            usual = score(solve(exact, seed=0).arrangement, exact.truth, exact).neighbor
            right = neighbor(export, found["boards"][0]) if found else 0.0
            told = found["made"]["type"] if found else None
            rows.append(
                {
                    "kind": kind,
                    "image": name,
                    "cut": round(100 * usual, 2),
                    "given": round(100 * right, 2),
                    "type": told,
                }
            )
            print(
                f"{kind:>18} {name:>13}: {100 * right:6.2f}, cut {100 * usual:6.2f}, Type {told}, {seconds:.1f} s",
                flush=True,
            )
        these = [row for row in rows if row["kind"] == kind]
        print(f"{kind:>18}: {np.mean([r['given'] for r in these]):.2f}, cut {np.mean([r['cut'] for r in these]):.2f}")
    write_result("inputs" if options.only == list(EXPORTS) else "inputs-some", {"rows": rows})


def solved(export: Export, folder: Path) -> dict[str, Any]:
    """The solution that the command finds with no option; nothing if it refuses."""
    command = [sys.executable, "-m", "rectoverso", "solve", str(export.path)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr)
        return {}
    return json.loads(next(folder.glob("*-solved/solution.json")).read_text())


def neighbor(export: Export, board: dict[str, Any]) -> float:
    """The share of the true seams that a board has."""
    shape = (export.rows, export.columns)
    piece, rotation, face = (np.empty(len(export.cells), np.int64) for _ in range(3))
    piece[export.cells], face[export.cells] = np.arange(len(export.cells)), export.faces
    rotation[export.cells] = export.rotations
    truth = Arrangement.of(*(values.reshape(shape) for values in (piece, rotation, face)))
    frame = (board["rows"], board["columns"])
    found = Arrangement.of(*(np.reshape(board[name], frame) for name in ("piece", "rotation", "face")))
    faces = 1 + int(export.faces.any())
    return len(seams(found, faces) & seams(truth, faces)) / len(seams(truth, faces))


def seams(arrangement: Arrangement, faces: int) -> set[tuple[int, int]]:
    """Seams as pairs of edges, the same from either side and either face."""

    def edge(row: int, column: int, direction: int) -> tuple[int, int]:
        side = (direction - int(arrangement.rotation[row, column])) % 4
        front = (int(arrangement.piece[row, column]) * 2 + int(arrangement.face[row, column])) * 4 + side
        return front, front - front % 8 + (4 - front // 4 % 2 * 4) + (4 - side) % 4

    found = set()
    for row, column in np.ndindex(arrangement.rows, arrangement.columns):
        for direction, there in ((1, (row, column + 1)), (2, (row + 1, column))):
            if there[0] < arrangement.rows and there[1] < arrangement.columns:
                one, other = edge(row, column, direction), edge(*there, (direction + 2) % 4)
                pairs = [(one[0], other[0]), (other[0], one[0]), (one[1], other[1]), (other[1], one[1])]
                found.add(min(pairs[: 4 if faces == 2 else 2]))
    return found


if __name__ == "__main__":
    main()
