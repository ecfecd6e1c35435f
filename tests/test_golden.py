"""Golden digests: what a solve finds, to the last bit. Moving or renaming code may not change any of them.

A change that is meant to change results runs this file as a script and commits the new digests with the reason.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from compression import compressed, scaled
from helpers import small_puzzle
from skimage import data

from rectoverso import PRESETS, Params, Puzzle, save_solution, score, solve
from rectoverso.images.files import Pixels
from rectoverso.objective.pipeline import prepare

DIGESTS = Path(__file__).with_name("golden.json")
PRESET_NAMES = ("paper", "quick", "best")
SMALL = [f"type-{type}" for type in range(1, 8)]
PHOTOS = ["png", "jpeg"]


@cache
def photo() -> Pixels:
    """A photograph that shows no traces of compression."""
    return scaled(np.ascontiguousarray(data.coffee()[:392, :588]))


@cache
def puzzle_named(name: str) -> Puzzle:
    """One of the puzzles that are solved: small ones of every type, a photograph, and the same as a JPEG file."""
    if name in SMALL:
        return small_puzzle("flat", int(name[-1]), rows=5, columns=7, size=8, seed=2)
    return Puzzle.from_image(compressed(photo()) if name == "jpeg" else photo(), type=2, size=28, seed=1)


def chosen(preset: str) -> Params:
    """The preset, with fewer chromosomes where it has a thousand."""
    genetic = PRESETS[preset].genetic
    fewer = replace(genetic, population=min(genetic.population, 200), generations=min(genetic.generations, 10))
    return replace(PRESETS[preset], genetic=fewer)


def digest(name: str, preset: str, threads: int) -> str:
    """A fingerprint of the ``solution.json`` that a solve ends with, and of how each generation was bred."""
    puzzle = puzzle_named(name)
    result = solve(puzzle, params=chosen(preset), seed=3, threads=threads)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "solution.json"
        made = {"cost": result.cost, "bred": [[record.mean_cost, record.phases] for record in result.history]}
        save_solution(result.arrangement, puzzle, path, made, result.confidence)
        return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()


CASES = [f"{preset} {name}" for preset in PRESET_NAMES for name in (*SMALL, *PHOTOS)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES)
def test_the_solution_is_what_it_was(case: str, threads: int) -> None:
    preset, name = case.split()
    assert digest(name, preset, threads) == json.loads(DIGESTS.read_text())[case]


def test_one_photograph_has_traces_and_the_other_has_none() -> None:
    """So that the digests cover both ways through the preset best."""
    jpeg, png = (prepare(puzzle_named(name), chosen("best").objective).lists for name in ("jpeg", "png"))
    assert jpeg.alignment is not None
    assert jpeg.findings == ("block grid", "quantization", "4:2:0 chroma", "orientation")
    assert png.alignment is None
    assert png.findings == ()


@pytest.mark.parametrize("name", PHOTOS)
def test_the_default_solves_a_real_photograph(name: str) -> None:
    """End to end: nearly all of a photograph is right, compressed or not."""
    puzzle = puzzle_named(name)
    assert puzzle.truth is not None
    assert score(solve(puzzle).arrangement, puzzle.truth, puzzle).neighbor > 0.97


if __name__ == "__main__":
    found = {case: digest(*case.split()[::-1], 2) for case in CASES}
    DIGESTS.write_text(json.dumps(found, indent=1) + "\n")
