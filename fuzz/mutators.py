"""Damage to bytes and to JSON values, decided by a random generator alone."""

from __future__ import annotations

import json
import random
import struct
import zlib
from collections.abc import Callable
from typing import Any

NUMBERS = (0, 1, 2, 3, 7, 8, 15, 16, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2**24, 2**31 - 1, 2**31, 2**32 - 1)
"""Values at which lengths, offsets and counts turn over."""


def damaged(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Bytes after one to eight changes; lengths, offsets and flags are hit more often than chance would."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        if changed:
            rng.choice(_CHANGES)(changed, rng, others)
    return bytes(changed)


def _place(data: bytearray, rng: random.Random) -> int:
    """Somewhere, rather at the beginning, where heads are."""
    return rng.randrange(len(data) if rng.random() < 0.5 else min(len(data), 200))


def _flip(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    data[_place(data, rng)] ^= 1 << rng.randrange(8)


def _set(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    data[_place(data, rng)] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))


def _number(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    code = rng.choice(("<H", ">H", "<I", ">I", "<Q", ">Q"))
    size = struct.calcsize(code)
    place, value = _place(data, rng), rng.choice(NUMBERS) + rng.choice((0, 0, -1, 1))
    data[place : place + size] = struct.pack(code, value % 256**size)[: max(0, len(data) - place)]


def _cut(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    place = _place(data, rng)
    del data[place : place + rng.choice((1, 2, 4, 16, 64, 1024))]


def _truncate(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    del data[rng.randrange(len(data)) :]


def _repeat(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    place = _place(data, rng)
    piece = bytes(data[place : place + rng.choice((1, 4, 16, 256))])
    data[place:place] = piece * rng.choice((1, 2, 8, 100))


def _fill(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    place, length = _place(data, rng), rng.choice((2, 8, 32, 256))
    length = min(length, len(data) - place)
    data[place : place + length] = bytes([rng.choice((0, 0xFF, 0x20))]) * length


def _splice(data: bytearray, rng: random.Random, others: list[bytes]) -> None:
    other = rng.choice(others)
    if other:
        start = rng.randrange(len(other))
        piece = other[start : start + rng.choice((4, 32, 256, 4096))]
        place = _place(data, rng)
        data[place : place + rng.choice((0, len(piece)))] = piece


_CHANGES: tuple[Callable[[bytearray, random.Random, list[bytes]], None], ...] = (
    _flip,
    _set,
    _set,
    _number,
    _number,
    _number,
    _cut,
    _truncate,
    _repeat,
    _fill,
    _splice,
)


def with_png_sums(data: bytes) -> bytes:
    """A PNG file whose chunks have the checksums that they should have: otherwise damage ends there."""
    made, place = bytearray(data[:8]), 8
    while place + 12 <= len(data):
        length = struct.unpack_from(">I", data, place)[0]
        body = data[place + 4 : place + 8 + length]
        made += data[place : place + 4] + body + struct.pack(">I", zlib.crc32(body))
        place += 12 + length
    return bytes(made) + data[place:]


VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 3, 255, 2**31, -(2**31), 2**32, 2**63, 2**64, 10**30, 10**300),
    *(0.5, -0.0, 1e300, 5e-324, "", "x", "../../x", "/etc/passwd", "\x1b[2J", "\u202e", "\ud800", "x" * 5000),
    *("front.png", "rectoverso/puzzle", [], {}, [[]], [0], [None], {"a": {}}, list(range(20)), [0] * 1000),
)
LITERALS = (
    *(b"NaN", b"Infinity", b"-Infinity", b"1e999", b"9" * 5000, b"1" + b"0" * 400, b"-" + b"9" * 25, b"0" * 30),
    *(b"[" * 20_000, b"[" * 600 + b"]" * 600, b'{"a":' * 600, b"1.0", b"1.5", b"\xff\xfe", b"//", b"\0"),
)


def damaged_json(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """JSON with other values, keys or literals in it, or damaged like any bytes."""
    kind = rng.random()
    if kind < 0.25:
        return damaged(data, rng, others)
    value = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        value = _changed(value, rng)
    text = json.dumps(value).encode()
    if kind < 0.45:
        places = [place for place, byte in enumerate(text) if byte in b'0123456789"[]{}:,n']
        place = rng.choice(places) if places else 0
        text = text[:place] + rng.choice(LITERALS) + text[place + rng.choice((0, 1)) :]
    return text


def _changed(value: Any, rng: random.Random) -> Any:
    """A value with something in it that is different; deep ones are reached step by step."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key, kind = rng.choice(sorted(value)), rng.random()
        if kind < 0.08:
            return {name: each for name, each in value.items() if name != key}
        if kind < 0.12:
            return value | {rng.choice(("x", "", key + "x", "\x1b")): rng.choice(VALUES)}
        return value | {key: _changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        place, kind = rng.randrange(len(value)), rng.random()
        if kind < 0.1:
            return value[:place] + value[place + 1 :]
        if kind < 0.2:
            return [*value[:place], value[place], *value[place:]]
        return [*value[:place], _changed(value[place], rng), *value[place + 1 :]]
    if isinstance(value, int) and rng.random() < 0.4:
        return value + rng.choice((-1, 1, 2, 100))
    return rng.choice(VALUES)
