"""Random numbers: SplitMix64 on plain integers, the stream that the native code draws from."""

from __future__ import annotations

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x: int) -> int:
    """A well-stirred function of 64 bits."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def stream_key(seed: int, generation: int, child: int) -> int:
    """The start of the stream of one child."""
    key = mix(seed + GOLDEN & MASK)
    key = mix(key + generation + GOLDEN & MASK)
    return mix(key + child + GOLDEN & MASK)


class Stream:
    """A stream of random numbers, and a constant of its own for hashing."""

    def __init__(self, key: int) -> None:
        self.state = key
        self.salt = mix(key)

    def draw(self, below: int) -> int:
        """A random number in [0, below)."""
        self.state = self.state + GOLDEN & MASK
        return (mix(self.state) >> 32) * below >> 32

    def hashed(self, number: int) -> int:
        """A random number that belongs to ``number``: the same whenever it is asked for."""
        return mix(self.salt ^ (number * GOLDEN & MASK))
