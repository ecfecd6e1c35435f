"""What twins allow: the strict score of an answer that is right, but deals pieces with identical pixels at random."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
from common import pictures_from_arguments, write_result

from rectoverso import Arrangement, Puzzle, score
from rectoverso.puzzle.metrics import look_alikes

SETS = ("mit-432", "mcgill-540", "bgu-805", "sholomon-5015", "sholomon-10375", "sholomon-22755")
DRAWS = 3


def dealt(puzzle: Puzzle, looks: np.ndarray, seed: int) -> Arrangement:
    """The truth with every piece in the place, and in the turn, of some piece that looks the same there."""
    random, up = np.random.default_rng(seed), puzzle.truth.up_edges(puzzle.faces).astype(np.int64)
    cells: dict[int, list[int]] = defaultdict(list)
    for cell, look in enumerate(looks[up.ravel()].tolist()):
        cells[look].append(cell)
    found = up.ravel().copy()
    for look, alike in cells.items():
        for cell, edge in zip(alike, random.permutation(up.ravel()[alike]).tolist(), strict=True):
            turns = [edge - edge % 4 + side for side in range(puzzle.type.rotations)]
            found[cell] = random.choice([turned for turned in turns if looks[turned] == look])
    return Arrangement.from_up_edges(found.astype(np.uint32), puzzle.rows, puzzle.columns, puzzle.faces)


def ceiling(path: Path) -> tuple[int, float]:
    """How many pieces of a picture have twins, and the mean strict neighbor percentage, Type 2."""
    puzzle = Puzzle.from_image(path, type=2, size=28, seed=0)
    looks = look_alikes(puzzle)
    _, counts = np.unique(looks[puzzle.truth.up_edges(puzzle.faces)], return_counts=True)
    scores = [score(dealt(puzzle, looks, seed), puzzle.truth, puzzle) for seed in range(DRAWS)]
    return int(counts[counts > 1].sum()), round(100 * float(np.mean([found.neighbor for found in scores])), 2)


def main() -> None:
    """All pictures of odd numbers; those without twins are left out of the list."""
    pictures, rows = pictures_from_arguments(__doc__ or ""), []
    for name in SETS:
        for path in sorted((pictures.folder / name).iterdir()):
            if int(path.stem) % 2:
                twins, neighbor = ceiling(path)
                rows.append({"set": name, "image": path.stem, "twins": twins, "neighbor": neighbor})
                print(*rows[-1].values())
    means = {name: np.mean([row["neighbor"] for row in rows if row["set"] == name]) for name in SETS}
    imperfect = [row for row in rows if row["neighbor"] < 100]
    write_result("twins", {"means": {name: round(float(mean), 2) for name, mean in means.items()}, "images": imperfect})


if __name__ == "__main__":
    main()
