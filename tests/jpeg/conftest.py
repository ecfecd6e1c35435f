"""Photographs with and without a block grid."""

from __future__ import annotations

import pytest
from compression import Pictures, compressed, scaled


@pytest.fixture(scope="module")
def pictures(photos: Pictures) -> Pictures:
    """Two photographs that were never compressed, as far as one can tell."""
    coffee, rocket = (scaled(photo) for photo in photos)
    return coffee, rocket


@pytest.fixture(scope="module")
def files(pictures: Pictures) -> Pictures:
    """The same, compressed."""
    front, back = (compressed(picture) for picture in pictures)
    return front, back
