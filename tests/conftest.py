"""Shared fixtures."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from rectoverso.images.files import Pixels

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def photos() -> tuple[Pixels, Pixels]:
    """Two real photographs of the same size."""
    from skimage import data

    return np.ascontiguousarray(data.coffee()[:392, :588]), np.ascontiguousarray(data.rocket()[:392, :588])


@pytest.fixture(scope="session")
def pictures(photos: tuple[Pixels, Pixels]) -> tuple[Pixels, Pixels]:
    """Two photographs that were never compressed, as far as one can tell: without a block grid."""
    from compression import scaled

    coffee, rocket = (scaled(photo) for photo in photos)
    return coffee, rocket


@pytest.fixture(scope="session")
def files(pictures: tuple[Pixels, Pixels]) -> tuple[Pixels, Pixels]:
    """The same, compressed: with a block grid."""
    from compression import compressed

    front, back = (compressed(picture) for picture in pictures)
    return front, back
