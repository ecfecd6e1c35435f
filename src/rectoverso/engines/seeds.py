"""Seeds: what decides everything that is random."""

from __future__ import annotations

MAX_SEED = 2**64 - 1
"""A random stream is started from 64 bits."""


def checked_seed(seed: int) -> int:
    """A seed that random streams can be started from."""
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"the seed {seed} was given; seeds are from 0 to {MAX_SEED}")
    return seed
