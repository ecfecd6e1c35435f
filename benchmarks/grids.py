"""How often the tile size of a shuffled picture is found, and how often one is found in a picture that is whole."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

from common import pictures_from_arguments, write_result
from shuffled import Sheet, encoded, odd_pictures, reduced, sheets

from rectoverso.images.files import Pixels, read_picture
from rectoverso.intake.grid import find_grids, is_doubtful

SHEETS, FIRST_SEED = 1000, 50_000
"""Seeds below 50,000 were used to choose the constants of the method, and so were the whole pictures."""

WHOLE = ("png", "jpeg 75", "jpeg 40")


def decoded(file: bytes) -> Pixels:
    """A picture as rectoverso reads it."""
    return read_picture(BytesIO(file), "a sheet")


def judged(sheet: Sheet) -> dict[str, Any]:
    """What is found in one shuffled picture."""
    file, rows, columns = sheet.make()
    picture = decoded(file)
    start = time.perf_counter()
    grids = find_grids(picture)
    seconds = time.perf_counter() - start
    truth = sheet.height, sheet.width, rows, columns
    found = (grids[0].height, grids[0].width, grids[0].rows, grids[0].columns) if grids else None
    outcome = "right" if found == truth else "wrong" if found else "nothing found"
    size = grids[0].size if grids else ""
    blank = picture.std(axis=(0, 1)).max() < 2
    return {
        "sheet": sheet, "outcome": outcome, "found": size, "doubtful": is_doubtful(grids), "blank": bool(blank),
        "tiles": rows * columns, "megapixels": picture.size / 3e6, "seconds": seconds,
    }  # fmt: skip


def whole(paths: Iterable[Path]) -> tuple[int, list[str]]:
    """How many pictures that are no puzzles were looked at, and those in which a grid was found."""
    count, found = 0, []
    for path in paths:
        for factor in (1, 2, 3):
            for multiple in (48, 60):
                picture = reduced(path, factor)
                height, width = (side // multiple * multiple for side in picture.shape[:2])
                for encoding in WHOLE:
                    count += 1
                    grids = find_grids(decoded(encoded(picture[:height, :width], encoding)))
                    if grids:
                        name = f"{path.parent.name}/{path.stem} reduced {factor}, {encoding}"
                        found.append(f"{name}: {grids[0].size}{', doubtful' if is_doubtful(grids) else ''}")
    return count, found


def table(rows: list[dict[str, Any]], key: Callable[[dict[str, Any]], str]) -> dict[str, dict[str, int]]:
    """The outcomes by some property."""
    groups: dict[str, Counter[str]] = {}
    for row in rows:
        groups.setdefault(key(row), Counter())[row["outcome"]] += 1
    return {name: dict(sorted(groups[name].items())) for name in sorted(groups, key=lambda text: (len(text), text))}


def everything(row: dict[str, Any]) -> str:
    """One group for all."""
    return "all"


def main() -> None:
    """Judge shuffled pictures and whole ones, and keep the figures."""
    folder = pictures_from_arguments(__doc__ or "").folder
    rows = [judged(sheet) for sheet in sheets(folder, SHEETS, FIRST_SEED)]
    asked = [row for row in rows if min(row["sheet"].width, row["sheet"].height) >= 12]
    count, found = whole(odd_pictures(folder))
    slowest = max(rows, key=lambda row: row["seconds"])
    result = {
        "sheets": table(rows, everything),
        "tiles of 12 pixels and more": table(asked, everything),
        "these, photographs": table([row for row in asked if row["sheet"].path.parent.name != "docs"], everything),
        "these, 100 tiles and more": table([row for row in asked if row["tiles"] >= 100], everything),
        "by size": table(rows, lambda row: f"{row['sheet'].width}x{row['sheet'].height}"),
        "by encoding": table(rows, lambda row: row["sheet"].encoding),
        "by turns": table(rows, lambda row: "turned" if row["sheet"].turned else "upright"),
        "by set": table(rows, lambda row: row["sheet"].path.parent.name),
        "by doubt": table(rows, lambda row: "doubtful" if row["doubtful"] else "sure"),
        "not right": [
            f"{row['sheet'].name}, {row['tiles']} tiles: {row['found'] or 'nothing'}"
            f"{', doubtful' if row['doubtful'] else ''}{', nearly one color' if row['blank'] else ''}"
            for row in rows
            if row["outcome"] != "right"
        ],
        "whole pictures": {"looked at": count, "grids found": found},
        "slowest": {key: round(slowest[key], 3) for key in ("megapixels", "seconds")},
    }  # fmt: skip
    for name in ("sheets", "tiles of 12 pixels and more", "by encoding", "by doubt", "not right", "whole pictures"):
        print(name, result[name])
    write_result("grids", result)


if __name__ == "__main__":
    main()
