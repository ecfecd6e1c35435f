"""Shuffled sheets that were saved as JPEG: how much of them is solved, compared in four ways.

Sheets are made by Pillow alone: cut, shuffled (and turned, Type 2), saved, opened again. Rows are added to
`results/saved_sheets.csv`, and what is there already is not measured again.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

import rectoverso as rv
from rectoverso.intake import saved_sheet
from rectoverso.intake.coding import ycbcr_from_rgb
from rectoverso.matching.learned import learned_measure

RESULTS = Path(__file__).parent / "results" / "saved_sheets.csv"
FIELDS = ("image", "tile", "type", "quality", "chroma", "compared", "neighbor", "seconds")
WAYS = ("learned", "luma", "restored")
IMAGES = [f"bgu-805/{i:02d}" for i in (1, 5, 9, 13, 17)] + [f"mit-432/{i:02d}" for i in (3, 7, 11, 15, 19)]
FEW = ["bgu-805/05", "mit-432/03", "mit-432/07"]


@dataclass(frozen=True)
class Condition:
    """How sheets are cut and saved, and which images and ways of comparing are measured."""

    tile: int = 28
    type: int = 1
    quality: int = 95
    chroma: str = "4:2:0"


def conditions() -> list[tuple[Condition, list[str], tuple[str, ...]]]:
    """The main table first, then what differs from it in one respect."""
    main = [(Condition(quality=quality), IMAGES, WAYS) for quality in (95, 75)]
    main += [(Condition(quality=quality), FEW, ("as is",)) for quality in (95, 75)]
    others = [Condition(quality=85), Condition(chroma="4:2:2"), Condition(chroma="4:4:4")]
    others += [Condition(chroma="4:4:4", quality=75), Condition(type=2), Condition(type=2, quality=75)]
    others += [Condition(tile=31), Condition(tile=31, quality=75)]
    return main + [(condition, FEW, ("luma", "learned")) for condition in others]


def make_sheet(path: Path, condition: Condition) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The saved sheet, the cell that each tile came from, and how often it must be turned clockwise to be right.

    Pictures of mit-432 are scaled by 0.8, so that they are of one scale with the others.
    """
    picture, size = Image.open(path).convert("RGB"), condition.tile
    if "mit" in str(path):
        picture = picture.resize((round(0.8 * picture.width), round(0.8 * picture.height)), Image.Resampling.LANCZOS)
    rows, columns = picture.height // size, picture.width // size
    pixels = np.asarray(picture)[: rows * size, : columns * size]
    tiles = pixels.reshape(rows, size, columns, size, 3).swapaxes(1, 2).reshape(-1, size, size, 3)
    random = np.random.default_rng(1)
    cells = random.permutation(len(tiles))
    turns = random.integers(0, 4, len(tiles)) if condition.type == 2 else np.zeros(len(tiles), np.int64)
    shuffled = np.stack([np.rot90(tiles[cell], turn) for cell, turn in zip(cells, turns, strict=True)])
    sheet = shuffled.reshape(rows, columns, size, size, 3).swapaxes(1, 2).reshape(rows * size, columns * size, 3)
    file = io.BytesIO()
    Image.fromarray(sheet).save(file, "JPEG", quality=condition.quality, subsampling=condition.chroma)
    return np.asarray(Image.open(file)), cells, turns


def solved(sheet: np.ndarray, cells: np.ndarray, turns: np.ndarray, condition: Condition, way: str) -> float:
    """The share of neighbors that are found, in percent."""
    size, measure = condition.tile, None
    tile, pixels = (size, size), saved_sheet.cut_sheet(sheet, (size, size))
    found, compared = saved_sheet.recognize(sheet, tile), None
    if way == "luma":
        gray = np.rint(ycbcr_from_rgb(pixels)[0]).astype(np.uint8)
        compared = np.repeat(gray[..., None], 3, axis=-1)
    elif way != "as is" and found is not None:
        if way == "restored":
            compared = saved_sheet.muted(saved_sheet.restored_pixels(sheet, tile, found))
        else:
            compared = saved_sheet.restored_pixels(sheet, tile, found)
            measure = learned_measure(saved_sheet.examples(sheet, tile, found))
    rows, columns = sheet.shape[0] // size, sheet.shape[1] // size
    puzzle = rv.Puzzle(
        pixels[:, None],
        rv.PuzzleType(condition.type),
        rows,
        columns,
        compared=None if compared is None else compared[:, None],
    )
    result = rv.solve(puzzle, seed=0, measure=measure, threads=1)
    places = np.argsort(cells).reshape(rows, columns)
    truth = rv.Arrangement.of(places, turns[places], np.zeros_like(places))
    return round(100 * rv.score(result.arrangement, truth, puzzle).neighbor, 1)


def main() -> None:
    """Measure what is not measured yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("RECTOVERSO_DATA"))
    parser.add_argument("--part", default="0/1", help="measure each n-th image only, as 0/2 and 1/2")
    arguments = parser.parse_args()
    part, parts = map(int, arguments.part.split("/"))
    for condition, images, ways in conditions():
        for name in images[part::parts]:
            sheet, cells, turns = make_sheet(next(Path(arguments.data).glob(f"{name}.*")), condition)
            for way in ways:
                given = (condition.tile, condition.type, condition.quality, condition.chroma)
                key = [str(value) for value in (name, *given, way)]
                known = list(csv.reader(RESULTS.open())) if RESULTS.exists() else []
                if any(row[: len(key)] == key for row in known):
                    continue
                started = time.perf_counter()
                neighbor = solved(sheet, cells, turns, condition, way)
                with RESULTS.open("a", newline="") as file:
                    writer = csv.writer(file)
                    if not known:
                        writer.writerow(FIELDS)
                    writer.writerow([*key, neighbor, round(time.perf_counter() - started, 1)])
                print(*key, neighbor, flush=True)


if __name__ == "__main__":
    main()
