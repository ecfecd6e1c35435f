"""How well puzzles on scanned sheets are solved with nothing told, against the same pictures cut exactly."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from common import read, write_result
from PIL import Image
from sheets import RIMS, Sheet, make_sheet

from rectoverso import Arrangement, Puzzle, PuzzleError, PuzzleType, score, solve
from rectoverso.bench.pictures import Pictures
from rectoverso.intake.scan import Scan, cut_scan, looks_like_scan

IMAGES = {
    "kodak-486": ("01", "05", "11", "15"),
    "bgu-805": ("03", "05", "09"),
    "mit-432": ("03", "07", "11"),
}
"""Ten development images; each one's back is the next image of its set."""


def puzzle_of(scan: Scan, sheet: Sheet) -> Puzzle:
    """The puzzle on a sheet, with the truth that follows from where the tiles were laid and what they show."""
    apart = np.hypot(*(scan.centers[:, None] - sheet.centers).transpose(2, 0, 1))
    tile_of = apart.argmin(axis=1)
    faces = scan.pixels.shape[1]
    piece, rotation, face = (np.full(len(sheet.tiles), -1) for _ in range(3))
    for number, tile in enumerate(tile_of):
        up = int(sheet.flipped[tile])
        shown = [np.rot90(scan.pixels[number, up], -turns).astype(float) for turns in range(4)]
        piece[tile], face[tile] = number, up
        rotation[tile] = np.argmin([((view - sheet.tiles[tile]) ** 2).mean() for view in shown])
    frame = (sheet.rows, sheet.columns)
    truth = Arrangement.of(*(values.reshape(frame) for values in (piece, rotation, face)))
    return Puzzle(scan.pixels, PuzzleType(2 if faces == 1 else 4), *frame, truth=truth)


def neighbor(puzzle: Puzzle) -> float:
    """The share of neighbors that a solve finds, in per cent; 0 if it refuses."""
    assert puzzle.truth is not None
    try:
        return 100 * score(solve(puzzle, seed=0).arrangement, puzzle.truth, puzzle).neighbor
    except PuzzleError as error:
        print(error)
        return 0.0


def main() -> None:
    """Measure by condition, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rims", choices=RIMS, default="hard")
    parser.add_argument("--noise", type=float, default=3.0)
    parser.add_argument("--scale", type=int, default=1, help="how many times larger than 28 pixels the tiles are")
    parser.add_argument("--two-sided", action="store_true")
    options = parser.parse_args()
    pictures, size, rows = Pictures(options.data), 28 * options.scale, []
    for group, numbers in IMAGES.items():
        shown = [read(pictures, f"{group}/{number}") for number in numbers]
        if options.scale > 1:
            shown = [
                np.asarray(Image.fromarray(one).resize((one.shape[1] * options.scale, one.shape[0] * options.scale)))
                for one in shown
            ]
        for place, number in enumerate(numbers):
            front, back = shown[place], shown[(place + 1) % len(shown)] if options.two_sided else None
            sheet = make_sheet(front, size, back, rims=options.rims, noise=options.noise)
            exact = neighbor(
                Puzzle.from_image(front, back=back, type=4 if options.two_sided else 2, size=size, crop=True)
            )
            start = time.monotonic()
            scan = cut_scan(sheet.front, sheet.back)
            seconds = time.monotonic() - start
            whole = len(scan.pixels) == len(sheet.tiles) and scan.pixels.shape[2:4] == (size, size)
            told = puzzle_of(scan, sheet)
            found = neighbor(replace(told, rows=0, columns=0, type_told=False)) if whole else 0.0
            rows.append({"image": f"{group}/{number}", "exact": round(exact, 2), "scanned": round(found, 2)})
            print(
                f"{group}/{number}: {exact:.2f} exact, {found:.2f} scanned, {seconds:.1f} s, {scan.notes[0]}",
                flush=True,
            )
            if not looks_like_scan(sheet.front):
                print("  not recognized as a sheet")
    exact, found = (float(np.mean([row[key] for row in rows])) for key in ("exact", "scanned"))
    print(f"mean: {exact:.2f} exact, {found:.2f} scanned")
    faces = "two-sided" if options.two_sided else "one-sided"
    write_result(f"scans-{faces}-{size}-{options.rims}-{options.noise:g}", {"rows": rows})


if __name__ == "__main__":
    main()
