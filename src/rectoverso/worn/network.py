"""The network that compares worn edges, in NumPy; ``training/network.py`` is where its weights come from.

An edge is seen twice: read clockwise around its piece, as the near side of a seam, and reversed, as the far side of the
seam with the edge that it touches. Each sight gives a vector, by whose distances candidates are found, and for each
pixel along the edge the colors that it predicts on the other side, and features. What these say of a seam, together
with the distance and with the measures for clean pieces, is its score: the logarithm of how much likelier the seam is
than others, but for a constant of each edge.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rectoverso.worn import _native_pairs as native

DEPTH, ROWS = 28, 8
"""How many rows of pixels are looked at, the outermost first, and how many of them one by one."""

BANDS = (8, 11, 15, 20, DEPTH)
"""Where the bands begin and end that further rows are taken together in. Noise of a smooth piece averages out."""

SHOWN = ROWS + len(BANDS) - 1
"""How many rows and bands are shown."""

DEEP, WAVES, LEAST_LOW = 2, 4, 1e-3
"""The last so many predictions see the whole piece: of their colors so many waves along the edge are compared as well,
the mean and the first cosines; what keeps the logarithms of these finite."""

UNIT, MIDDLE = 32.0, 128.0
"""Color values are divided by this, and mean colors are seen from the middle."""

USUAL_LENGTH = 28
"""What the pixels along an edge say is added up, and was learned for edges of this many."""

PIXELS = 4
"""How many pixels the windows have in which both sides of a seam are looked at together, two pixels apart."""

NORMAL_ROWS = 3
"""Of so many rows the colors in units of their own contrast are shown beside what the layers make of them all."""

Floats = NDArray[np.float32]
Strips = NDArray[np.uint8]
Numbers = NDArray[np.int64]
Weights = dict[str, Floats]


@dataclass(frozen=True, eq=False)
class Sight:
    """How edges are seen from one side.

    Attributes
    ----------
    vectors
        Edges x numbers: candidates are near each other.
    colors
        Edges x pixels x (predictions, with and without the mean color, RGB): of near sides what they expect, white in
        the sense of how colors change beside the edge; of far sides what they show.
    whitening
        Edges x 3 x 3: what makes the colors of each edge white.
    features
        Edges x pixels x channels.
    contrasts
        Edges x 5: how much the colors change inwards and along the edge, as logarithms.
    scales
        For each edge the logarithm of the scale of its colors.
    lows
        Edges x (deep predictions, waves) x RGB: the waves of the colors; of near sides white, too.
    """

    vectors: Floats
    colors: Floats
    whitening: Floats
    features: Floats
    contrasts: Floats
    scales: Floats
    lows: Floats

    @classmethod
    def joined(cls, parts: list[Sight]) -> Sight:
        """The sights of slices of edges as one."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@cache
def weights() -> Weights:
    """The weights that were learned."""
    with (files("rectoverso.worn") / "weights.npz").open("rb") as file, np.load(file) as arrays:
        return {name: array.astype(np.float32) for name, array in arrays.items()}


def seen(strips: Strips, told: Floats, side: str) -> Sight:
    """How edges are seen from one ``side``, near or far, in pieces that are worn as the conditions tell.

    Strips are edges x rows x pixels x RGB, the outermost row first, clockwise if near and reversed if far.
    """
    net = weights()
    values = banded(strips)
    color = values[:, :2].mean(axis=(1, 2))
    contrasts = _contrasts(values)
    rows = _by_pixel(values - color[:, None, None])
    usual = np.exp((contrasts[:, 1] + contrasts[:, 3]) / 2)
    normal = rows / (2 * usual[:, None, None])
    other = np.concatenate([_layers(normal, contrasts, told, net), normal[:, :, : 3 * NORMAL_ROWS]], axis=2)
    linear = np.concatenate([rows / UNIT, np.broadcast_to(((color - MIDDLE) / UNIT)[:, None], (*rows.shape[:2], 3))], 2)
    spread = np.exp(net["vector_scale.weight"] @ told + net["vector_scale.bias"] + net["temperature"] / 2)
    vectors = _along(np.concatenate([linear, other], axis=2), net, f"{side}_vector", stride=2) * spread
    features = _along(other, net, f"{side}_features")
    whitening, colors = whitening_of(strips, np.expm1(told[0])), _predicted(rows, color, net[f"{side}_predict"])
    if side == "near":
        features = features + (net["features_told.weight"] @ told + net["features_told.bias"])
        colors = np.einsum("ncd,npkd->npkc", whitening, colors, optimize=True)
    known = np.concatenate([contrasts, np.broadcast_to(told, (len(contrasts), len(told)))], axis=1)
    scales = (known @ net["pair_scale.weight"].T + net["pair_scale.bias"])[:, 0]
    lows = _waves_of(colors[:, :, -2 * DEEP :: 2])
    colors = np.ascontiguousarray(colors.reshape(*features.shape[:2], -1), np.float32)
    return Sight(vectors.reshape(len(strips), -1), colors, whitening, features, contrasts, scales, lows)


def scores(near: Sight, far: Sight, named: Floats, told: Floats, one: Numbers, other: Numbers) -> Floats:
    """The scores of seams between edges, each seen from both sides.

    ``named`` is what the named measures say of them, beside what they usually say of their edges (seams x 2).
    """
    net, (_, length, channels) = weights(), near.features.shape
    kernel, hidden, judge = _as_matrix(net["pair.weight"][:, :, 0]), net["pooled.weight"].T, net["judge.weight"][0]
    beside, count = net["beside.weight"][:, :, 0].transpose(2, 1, 0), length // 2
    windows = np.empty((len(one), count, PIXELS * channels), np.float32)
    products = np.empty((len(one), count, channels), np.float32)
    rows = np.zeros((len(one), count + 2, channels), np.float32)
    pooled, total = np.empty((len(one), channels), np.float32), np.zeros(len(one), np.float32)
    scale, mixing = np.exp((near.scales[one] + near.scales[other]) / 2), np.ascontiguousarray(net["mixing.weight"].T)
    lows = (_lows_apart(near, far, one, other) + _lows_apart(near, far, other, one)) / 2
    contrasts, wear = (near.contrasts[one] + near.contrasts[other]) / 4, np.broadcast_to(told, (len(one), len(told)))
    known = np.concatenate([contrasts, named, lows, wear], axis=1)
    by_known = known @ hidden[channels:] + net["pooled.bias"]
    sides = (near.colors, near.whitening, near.features), (far.colors, far.features)
    apart = np.zeros(len(one), np.float32)
    for a, b in ((one, other), (other, one)):
        native.meet(*sides, a, b, scale, mixing, windows)
        np.matmul(windows.reshape(-1, PIXELS * channels), kernel, out=products.reshape(-1, channels))
        native.show(products, net["pair.bias"], rows)
        native.pool(rows, _beside(rows, beside), net["beside.bias"], pooled)
        judged = pooled + np.maximum(pooled @ hidden[:channels] + by_known, 0)
        total += judged @ judge + net["judge.bias"]
        step = near.vectors[a] - far.vectors[b]
        apart += np.einsum("ni,ni->n", step, step)
    by_name = named @ (net["named.weight"] @ told + net["named.bias"])
    return np.asarray(total * np.float32(length / USUAL_LENGTH) + by_name - net["share"] * apart)


def _beside(rows: Floats, kernel: Floats) -> Floats:
    """What a kernel three windows wide makes of all windows, written as if they were one row of windows.

    Each seam has an empty window before its first and after its last one; what comes of the two of them is of no use.
    """
    flat = rows.reshape(-1, rows.shape[2])
    return np.asarray(flat[:-2] @ kernel[0] + flat[1:-1] @ kernel[1] + flat[2:] @ kernel[2])


def whitening_of(strips: Strips, noise: float) -> Floats:
    """Edges x 3 x 3: what makes the changes of color near an edge white."""
    rows = strips[:, :3].astype(np.float32)
    changes = [rows[:, 0] - rows[:, -2], rows[:, -2] - rows[:, -1], np.diff(rows[:, 0], axis=1)]
    steps = np.concatenate(changes, axis=1)
    covariance = np.einsum("npc,npd->ncd", steps, steps) / steps.shape[1] + (1 + 2 * noise**2) * np.eye(3)
    values, axes = np.linalg.eigh(covariance)
    return ((axes / np.sqrt(values)[:, None]) @ axes.swapaxes(1, 2)).astype(np.float32)


def _predicted(rows: Floats, color: Floats, shares: Floats) -> Floats:
    """Edges x pixels x (predictions, with and without the mean color) x RGB; shares of rows add up to 1."""
    shares = shares - (shares.sum(axis=1, keepdims=True) - 1) / SHOWN
    without = np.einsum("kd,epdc->epkc", shares, rows.reshape(*rows.shape[:2], SHOWN, 3), optimize=True)
    both = np.stack([without + color[:, None, None] - MIDDLE, without], axis=3)
    return both.reshape(*rows.shape[:2], -1, 3)


def banded(strips: Strips) -> Floats:
    """Edges x (rows and bands) x pixels x RGB; of pieces that have fewer rows, the innermost ones are repeated."""
    deep = strips.shape[1]
    rows = [strips[:, min(row, deep - 1)].astype(np.float32) for row in range(ROWS)]
    for first, last in pairwise(BANDS):
        rows.append(strips[:, first:last].mean(axis=1, dtype=np.float32) if first < deep else rows[-1])
    return np.stack(rows, axis=1)


def _waves_of(colors: Floats) -> Floats:
    """Edges x (predictions, waves) x RGB of colors (edges x pixels x predictions x RGB)."""
    length = colors.shape[1]
    places = np.pi * (np.arange(length) + 0.5) / length
    waves = np.stack([np.cos(number * places) * (2 if number else 1) / length for number in range(WAVES)])
    found = np.einsum("fp,epkc->ekfc", waves.astype(np.float32), colors, optimize=True)
    return np.ascontiguousarray(found.reshape(len(colors), -1, 3))


def _lows_apart(near: Sight, far: Sight, one: Numbers, other: Numbers) -> Floats:
    """Seams x (predictions, waves): logarithms of the waves by which expected and shown colors differ."""
    apart = near.lows[one] - far.lows[other] @ near.whitening[one].swapaxes(1, 2)
    return np.log(np.square(apart).sum(axis=2) + np.float32(LEAST_LOW))


def _contrasts(values: Floats) -> Floats:
    """Logarithms of how much edges change inwards, over one, two and four pixels, along them, and how they bend."""
    outer = values[:, 0]
    changes = [outer - values[:, row] for row in (1, 2, 4)]
    changes += [np.diff(outer, axis=1), outer - 2 * values[:, 1] + values[:, 2]]
    return np.stack([0.5 * np.log(np.square(each).mean(axis=(1, 2)) + 1) for each in changes], axis=1)


def _layers(normal: Floats, contrasts: Floats, told: Floats, net: Weights) -> Floats:
    """Edges x pixels x channels: what the layers make of colors in units of their contrast."""
    constant = np.broadcast_to(contrasts[:, None] / 4, (*normal.shape[:2], contrasts.shape[1]))
    scale1, shift1, scale2, shift2 = (net["told.weight"] @ told + net["told.bias"]).reshape(4, -1)
    first = np.maximum(_along(np.concatenate([normal, constant], axis=2), net, "first") * (1 + scale1) + shift1, 0)
    second = np.maximum(_along(first, net, "second") * (1 + scale2) + shift2, 0)
    third = np.maximum(second + _along(second, net, "third"), 0)
    return np.maximum(third + _along(third, net, "fourth"), 0)


def _by_pixel(values: Floats) -> Floats:
    """Edges x pixels x (rows and channels)."""
    return values.transpose(0, 2, 1, 3).reshape(len(values), values.shape[2], -1)


def _along(values: Floats, net: Weights, name: str, stride: int = 1) -> Floats:
    """A convolution along edges (edges x pixels x channels)."""
    kernel, bias = net[f"{name}.weight"][:, :, 0], net.get(f"{name}.bias", np.float32(0))
    found, channels, width = kernel.shape
    edges, length = values.shape[:2]
    margin = 1 if stride == 2 else width // 2
    count = (length + 2 * margin - width) // stride + 1
    padded = np.zeros((edges, length + 2 * margin, channels), np.float32)
    padded[:, margin : margin + length] = values
    windows = np.concatenate([padded[:, i : i + stride * (count - 1) + 1 : stride] for i in range(width)], axis=2)
    return (windows.reshape(edges * count, -1) @ _as_matrix(kernel) + bias).reshape(edges, count, found)


def _as_matrix(kernel: Floats) -> Floats:
    """A kernel (found x channels x pixels) as a matrix that windows are multiplied by."""
    return np.ascontiguousarray(kernel.transpose(2, 1, 0).reshape(-1, len(kernel)))
