"""How often the tile size, the type and the frame of a shuffled picture are found, with nothing told and no solve.

The pictures are those of ``shuffled.py`` with tiles of 12 pixels and more, and at most some thousand of them.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import islice
from pathlib import Path

from common import write_result
from shuffled import Sheet, sheets

from rectoverso import PRESETS, PuzzleError
from rectoverso.cli.check import check
from rectoverso.cli.inputs import Input

FIRST_SEED = 50_000
"""Not those that the finder of sizes was made with."""
LEAST_TILE, MOST_PIECES = 12, 2500


def measured(sheet: Sheet, folder: Path) -> dict[str, object] | None:
    """What was right about one picture; None if it is not one of those wanted."""
    if min(sheet.width, sheet.height) < LEAST_TILE:
        return None
    data, rows, columns = sheet.make()
    if rows * columns > MOST_PIECES:
        return None
    path = folder / f"s{'.png' if sheet.encoding == 'png' else '.jpg'}"
    path.write_bytes(data)
    row: dict[str, object] = {"sheet": sheet.name, "pieces": rows * columns, "size": False, "type": 0, "frame": False}
    try:
        found = check(Input((path,)), PRESETS["best"], 2).puzzle
    except PuzzleError as error:
        return row | {"refused": str(error)}
    frames = {(rows, columns)} | ({(columns, rows)} if len(found.turns) == 4 else set())
    size = (found.piece_width, found.piece_height) == (sheet.width, sheet.height)
    return row | {"size": size, "type": int(found.type), "frame": size and (found.rows, found.columns) in frames}


def main() -> None:
    """Measure so many pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        every = (measured(sheet, Path(folder)) for sheet in sheets(options.data, 10**6, FIRST_SEED))
        rows = []
        for row in islice((row for row in every if row is not None), options.count):
            rows.append(row)
            if not row["frame"]:
                print(row, flush=True)
    sizes, frames = (sum(bool(row[name]) for row in rows) for name in ("size", "frame"))
    print(f"{len(rows)} pictures: size {sizes}, frame {frames}")
    write_result("frames", {"rows": rows})


if __name__ == "__main__":
    main()
