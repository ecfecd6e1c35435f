"""Signs of wear, read off pieces that were worn on purpose."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from rectoverso.images.files import Pixels
from rectoverso.images.wear import Wear
from rectoverso.matching.lists import find_candidates
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.worn.signs import Signs, find_signs

pytestmark = pytest.mark.compiled


def signs(picture: Pixels, wear: str, back: Pixels | None = None) -> Signs:
    puzzle = Puzzle.from_image(picture, back=back, size=28, seed=3, wear=Wear.of(wear))
    return find_signs(puzzle, find_candidates(puzzle, measure="blend", num_candidates=4))


def test_clean_pieces_are_not_worn(pictures: tuple[Pixels, Pixels], files: tuple[Pixels, Pixels]) -> None:
    for picture in (*pictures, *files):
        found = signs(picture, "")
        assert not found.worn
        assert found.gap == 0
    assert not signs(pictures[0], "", back=pictures[1]).worn


@pytest.mark.parametrize("wear", ["noise=3", "gap=1", "gap=2", "brightness=6", "blur=1.2", "gap=1,noise=2"])
def test_worn_pieces_are_worn(pictures: tuple[Pixels, Pixels], wear: str) -> None:
    assert signs(pictures[0], wear).worn
    assert signs(pictures[0], wear, back=pictures[1]).worn


def test_what_is_found(pictures: tuple[Pixels, Pixels]) -> None:
    assert signs(pictures[0], "gap=1").gap == 1
    assert signs(pictures[0], "noise=4").texture.noise == pytest.approx(4, rel=0.2)
    assert signs(pictures[0], "brightness=6").light == pytest.approx(6, rel=0.4)


def test_a_gap_that_was_told_counts(pictures: tuple[Pixels, Pixels]) -> None:
    found = signs(pictures[0], "")
    assert found.with_gap(None) is found
    assert found.with_gap(2).worn
    assert found.with_gap(2).gap == 2
    assert "2 pixels lost at each side" in found.with_gap(2).words


def page_of_text() -> Pixels:
    """Lines of random words on white paper."""
    rng, page = np.random.default_rng(0), Image.new("RGB", (672, 504), "white")
    for top in range(24, 480, 21):
        letters = rng.choice(list("etaoin shrdlu "), int(rng.integers(30, 75)))
        ImageDraw.Draw(page).text((30, top), "".join(letters), font=ImageFont.load_default(15), fill="black")
    return np.asarray(page)


def test_pages_of_text_have_hardly_any_certain_seams() -> None:
    found = signs(page_of_text(), "")
    assert found.sparse
    assert found.worn
    assert found.words == ("hardly any certain seams",)


def test_no_seams_are_no_sign() -> None:
    """Tiny puzzles, and pieces too small to look into, are taken as they are."""
    noise = np.random.default_rng(0).integers(0, 256, (24, 24, 3), dtype=np.uint8)
    for size in (4, 12):
        puzzle = Puzzle.from_image(noise, size=size)
        found = find_signs(puzzle, find_candidates(puzzle, measure="blend", num_candidates=4))
        assert not found.worn


def test_lights_that_may_be_none_are_told_as_none(pictures: tuple[Pixels, Pixels]) -> None:
    found = signs(pictures[0], "brightness=6")
    weak = dataclasses.replace(found, light=1.0)
    assert found.conditions[4] > 1
    assert weak.conditions[4] == 0


def test_a_short_row_of_pieces_is_no_proof(photos: tuple[Pixels, Pixels]) -> None:
    """Of 15 two-sided pieces in a row the best guesses are mostly wrong."""
    puzzle = Puzzle.from_image(photos[0][:32, :480], back=photos[1][:32, :480], size=32, type=4, seed=1)
    assert not find_signs(puzzle, find_candidates(puzzle, measure="blend", num_candidates=4)).worn
