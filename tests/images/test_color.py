"""Our L*a*b* against scikit-image's."""

from __future__ import annotations

import numpy as np
import pytest
from skimage.color import rgb2lab

from rectoverso.images.color import lab_from_rgb, normalized_lab
from rectoverso.images.files import Pixels


def test_lab_is_the_standard_one(photos: tuple[Pixels, Pixels]) -> None:
    """Every pixel of a photograph agrees."""
    np.testing.assert_allclose(lab_from_rgb(photos[0]), rgb2lab(photos[0]), atol=1e-3)


def test_normalizations(photos: tuple[Pixels, Pixels]) -> None:
    """Each reading of "normalized" is what it says."""
    lab = lab_from_rgb(photos[0])
    np.testing.assert_allclose(normalized_lab(photos[0], "units"), lab)
    np.testing.assert_allclose(normalized_lab(photos[0], "chroma"), lab * [1, 2, 2])
    assert normalized_lab(photos[0], "variance").reshape(-1, 3).std(axis=0) == pytest.approx([10, 10, 10])
    np.testing.assert_allclose(normalized_lab(photos[0], "range"), lab * [1, 100 / 255, 100 / 255])
