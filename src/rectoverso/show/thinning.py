"""Few of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")


def thinned(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many of the items, evenly spread, with the first and the last.

    >>> thinned(range(9), 3)
    [0, 4, 8]
    """
    if len(items) <= most:
        return list(items)
    return [items[index] for index in np.linspace(0, len(items) - 1, most).round().astype(int)]
