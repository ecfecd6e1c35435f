"""What insides of pieces show of noise and blur."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageFilter

from rectoverso.images.files import Pixels
from rectoverso.images.tiles import cut_tiles
from rectoverso.worn.texture import texture_of


def tiles(picture: Pixels) -> Pixels:
    return cut_tiles(picture, (28, 28))[0]


@pytest.mark.parametrize("strength", [2, 5, 12])
def test_noise_is_estimated(pictures: tuple[Pixels, Pixels], strength: float) -> None:
    clean = tiles(pictures[0]).astype(float)
    noisy = clean + np.random.default_rng(0).normal(0, strength, clean.shape)
    assert texture_of(np.rint(noisy).clip(0, 255).astype(np.uint8)).noise == pytest.approx(strength, rel=0.15)


def test_flat_pieces_have_no_noise() -> None:
    texture = texture_of(np.full((4, 9, 9, 3), 200, np.uint8))
    assert texture.noise == texture.usual == 0
    assert np.isfinite(texture.sharpness)


def test_more_blur_is_seen_as_more(pictures: tuple[Pixels, Pixels]) -> None:
    picture = Image.fromarray(pictures[0])
    found = [texture_of(tiles(np.asarray(picture.filter(ImageFilter.GaussianBlur(s))))).blur for s in (0, 1, 2)]
    assert found[0] < 0.5 < found[1] < found[2]
