"""What the micro-benchmarks share: pictures, results and the machine they were made on."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from rectoverso.bench.pictures import Pictures
from rectoverso.bench.runner import describe_machine
from rectoverso.images.files import Pixels, read_picture
from rectoverso.puzzle.puzzle import Puzzle

RESULTS = Path(__file__).parent / "results"


def pictures_from_arguments(description: str) -> Pictures:
    """The folder of picture sets that the command line or the environment names."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path)
    return Pictures(parser.parse_args().data)


def read(pictures: Pictures, name: str) -> Pixels:
    """A picture by its name, lying."""
    path = pictures.find(name)
    if path is None:
        sys.exit(f"{pictures.folder} holds no {name}")
    picture = read_picture(path)
    return picture if picture.shape[0] <= picture.shape[1] else np.ascontiguousarray(np.rot90(picture))


def mosaic(pictures: Pictures, rows: int, columns: int, size: int = 28) -> Puzzle:
    """A Type 2 puzzle of any size, cut from the large pictures laid side by side."""
    names = [f"sholomon-22755/{number:02d}" for number in (3, 5, 9, 11, 13, 15)]
    band = max(1, -(-rows * size // 3444))
    lines = []
    for line in range(band):
        width, parts = 0, []
        while width < columns * size:
            parts.append(read(pictures, names[(line * 3 + len(parts)) % len(names)]))
            width += parts[-1].shape[1]
        lines.append(np.concatenate(parts, axis=1)[:, : columns * size])
    canvas = np.concatenate(lines)[: rows * size]
    return Puzzle.from_image(np.ascontiguousarray(canvas), type=2, size=size, name=f"{rows}x{columns}")


def write_result(name: str, result: dict[str, Any]) -> None:
    """Keep what was measured."""
    RESULTS.mkdir(exist_ok=True)
    data = {"machine": describe_machine(), **result}
    (RESULTS / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")
