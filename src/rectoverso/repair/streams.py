"""The registry of random streams: each stage draws from numbers of its own, beyond those of all generations.

A stream is named by (seed, number, step). Generations have the numbers from 0 on; a stage adds its offset.
"""

from __future__ import annotations

REGROWTH = 1 << 40
PATCHES = 1 << 41
MOVES = 1 << 42
EXCHANGES = 1 << 43
GROWTHS = 1 << 44
