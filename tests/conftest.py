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
