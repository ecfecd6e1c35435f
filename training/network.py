"""The network in PyTorch; ``rectoverso.worn.network`` runs the same without it.

An edge is seen twice: read clockwise around its piece, as the near side of a seam, and reversed, as the far side of the
seam with the edge that it touches.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from rectoverso.worn.network import BANDS, DEEP, DEPTH, LEAST_LOW, SHOWN, UNIT, WAVES

CONDITIONS, CONTRASTS, NAMED = 5, 5, 2
"""How many numbers are told of the wear, of edges and of seams."""
TRUNK, VECTOR, PAIR = 64, 8, 48
ROWS, NORMAL = 3 * SHOWN, 9
PREDICTIONS = 6
COLORS, LOWS = 6 * PREDICTIONS, DEEP * WAVES
SPANS = [(row, row + 1) for row in range(BANDS[0])] + list(pairwise(BANDS))
"""Where each row or band begins and ends, in pixels from the edge."""


class Sight(NamedTuple):
    """How edges are seen from one side: vectors, predicted colors, features, contrasts, scales, waves."""

    vectors: Tensor
    colors: Tensor
    features: Tensor
    contrasts: Tensor
    scales: Tensor
    lows: Tensor


def quickly() -> torch.autocast:
    """Compute with 8 bits of precision what stands it, in half the time."""
    return torch.autocast("cpu", torch.bfloat16)


def _along(channels: int, found: int, width: int, stride: int = 1, padding: int = 0, bias: bool = True) -> nn.Conv2d:
    """A convolution along edges; in two dimensions, because that is the faster one in PyTorch."""
    return nn.Conv2d(channels, found, (1, width), stride=(1, stride), padding=(0, padding), bias=bias)


def contrasts_of(strips: Tensor) -> Tensor:
    """Logarithms of how much edges change inwards, over one, two and four pixels, along them, and how they bend."""
    rows = strips.reshape(len(strips), SHOWN, 3, -1)
    outer = rows[:, 0]
    changes = [outer - rows[:, row] for row in (1, 2, 4)]
    changes += [outer[:, :, 1:] - outer[:, :, :-1], outer - 2 * rows[:, 1] + rows[:, 2]]
    return torch.stack([0.5 * torch.log(each.square().mean(dim=(1, 2)) + 1) for each in changes], dim=1)


class Edges(nn.Module):
    """From strips and conditions to what seams are judged by."""

    def __init__(self) -> None:
        super().__init__()
        self.first = _along(ROWS + CONTRASTS, TRUNK, 5, padding=2)
        self.second = _along(TRUNK, TRUNK, 5, padding=2)
        self.third = _along(TRUNK, TRUNK, 3, padding=1)
        self.fourth = _along(TRUNK, TRUNK, 3, padding=1)
        self.told = nn.Linear(CONDITIONS, 4 * TRUNK)
        linear, other = ROWS + 3, TRUNK + NORMAL
        self.near_vector = _along(linear + other, VECTOR, 4, stride=2, padding=1)
        self.far_vector = _along(linear + other, VECTOR, 4, stride=2, padding=1)
        self.vector_scale = nn.Linear(CONDITIONS, VECTOR)
        self.near_predict = nn.Parameter(torch.zeros(PREDICTIONS, SHOWN))
        self.far_predict = nn.Parameter(torch.zeros(PREDICTIONS, SHOWN))
        self.mixing = nn.Linear(COLORS, PAIR, bias=False)
        self.near_features = _along(other, PAIR, 1)
        self.far_features = _along(other, PAIR, 1)
        self.features_told = nn.Linear(CONDITIONS, PAIR)
        self.pair_scale = nn.Linear(CONTRASTS + CONDITIONS, 1)
        self.pair = _along(PAIR, PAIR, 4, stride=2, padding=1)
        self.beside = _along(PAIR, PAIR, 3, padding=1)
        self.pooled = nn.Linear(PAIR + CONTRASTS + NAMED + LOWS + CONDITIONS, PAIR)
        self.judge = nn.Linear(PAIR, 1)
        self.named = nn.Linear(CONDITIONS, NAMED)
        self.share = nn.Parameter(torch.tensor(1.0))
        self.temperature = nn.Parameter(torch.tensor(-5.0))
        self._begin_with_colors()

    @torch.no_grad()
    def _begin_with_colors(self) -> None:
        """Begin as measures that extrapolate colors; layers that add to others begin as nothing."""
        for added in (self.fourth, self.beside):
            added.weight.zero_()
            added.bias.zero_()
        self.pair_scale.weight.zero_()
        self.pair_scale.bias.fill_(-0.5)
        self.named.weight.zero_()
        self.named.bias.fill_(-4)
        shares = ((2, -1), (1, 0)), ((1, 0), (1, 0)), ((1.5, -0.5), (1.5, -0.5)), ((3, -2), (1, 0))
        for number, (near, far) in enumerate(shares):
            self.near_predict[number, :2], self.far_predict[number, :2] = torch.tensor(near), torch.tensor(far)
        for number, degree in enumerate(range(1, DEEP + 1), PREDICTIONS - DEEP):
            self.near_predict[number] = self.far_predict[number] = _extrapolation(degree)
        colors = 0.5 * torch.randn(VECTOR, 3, 1, 4)
        for layer in (self.near_vector, self.far_vector):
            layer.weight[:, : ROWS + 3] = 0
            layer.weight[:, ROWS + 3 :] *= 0.3
            layer.weight[:, :3], layer.weight[:, 3:6] = 1.5 * colors, -0.5 * colors
            layer.weight[:, ROWS : ROWS + 3] = colors

    def seen(self, strips: Tensor, told: Tensor, near: bool) -> Sight:
        """Strips (edges x rows * 3 x pixels) as they are seen from one side."""
        color = strips.reshape(len(strips), SHOWN, 3, -1)[:, :2].mean(dim=(1, 3))
        rows, contrasts = strips - color.repeat(1, SHOWN)[:, :, None], contrasts_of(strips)
        usual = torch.exp((contrasts[:, 1] + contrasts[:, 3]) / 2)
        normal = rows / (2 * usual[:, None, None])
        constant = contrasts[:, :, None].expand(-1, -1, rows.shape[2])
        scale1, shift1, scale2, shift2 = (each[:, None, None] for each in self.told(told).chunk(4))
        x = _flat(torch.cat([normal, constant / 4], dim=1))
        with quickly():
            x = functional.relu(self.first(x) * (1 + scale1) + shift1)
            x = functional.relu(self.second(x) * (1 + scale2) + shift2)
            x = functional.relu(x + self.third(x))
            x = functional.relu(x + self.fourth(x))
        x = x.float()
        mean = ((color - 128) / UNIT)[:, :, None].expand(-1, -1, rows.shape[2])
        linear, other = _flat(torch.cat([rows / UNIT, mean], dim=1)), torch.cat([x, _flat(normal[:, :NORMAL])], dim=1)
        vector, features = (self.near_vector, self.near_features) if near else (self.far_vector, self.far_features)
        vectors = vector(torch.cat([linear, other], dim=1)) * torch.exp(self.vector_scale(told))[:, None, None]
        shown = features(other)
        if near:
            shown = shown + self.features_told(told)[:, None, None]
        scales = self.pair_scale(torch.cat([contrasts, told.expand(len(strips), -1)], dim=1))[:, 0]
        colors = self.predicted(rows, color, self.near_predict if near else self.far_predict)
        lows = torch.einsum("fp,epkc->ekfc", waves(colors.shape[1]), colors[:, :, PREDICTIONS - DEEP :, 0])
        return Sight(vectors.flatten(1), colors, _by_pixel(shown), contrasts, scales, lows)

    @staticmethod
    def predicted(rows: Tensor, color: Tensor, shares: Tensor) -> Tensor:
        """Edges x pixels x predictions x (with and without the mean color) x colors; shares add up to 1."""
        shares = shares - (shares.sum(dim=1, keepdim=True) - 1) / SHOWN
        without = torch.einsum("kd,edcp->epkc", shares, rows.reshape(len(rows), SHOWN, 3, -1))
        return torch.stack([without + color[:, None, None] - 128, without], dim=3)

    def distances(self, near: Sight, far: Sight) -> Tensor:
        """Minus squared distances of the vectors of all pairs of edges."""
        one, other = near.vectors, far.vectors
        apart = one.square().sum(1)[:, None] + other.square().sum(1)[None] - 2 * one @ other.T
        return -torch.exp(self.temperature) * (apart + apart.T)

    def judged(
        self, near: Sight, far: Sight, whitening: Tensor, named: Tensor, told: Tensor, one: Tensor, other: Tensor
    ) -> Tensor:
        """What the features of both sides say of seams, and the named measures (seams x 2)."""
        length = near.colors.shape[1]
        scale = torch.exp((near.scales[one] + far.scales[other]) / 2)[:, None, None]
        lows = (lows_of(near, far, whitening, one, other) + lows_of(near, far, whitening, other, one)) / 2
        constant = [(near.contrasts[one] + far.contrasts[other]) / 4, named, lows, told.expand(len(one), -1)]
        constant = torch.cat(constant, dim=1)
        total = torch.zeros(len(one))
        for a, b in ((one, other), (other, one)):
            apart = near.colors.index_select(0, a) - far.colors.index_select(0, b)
            white = whitening.index_select(0, a)
            apart = (apart.reshape(len(a), -1, 3) @ white.transpose(1, 2)).reshape(len(a), length, COLORS)
            shown = near.features.index_select(0, a) + far.features.index_select(0, b)
            with quickly():
                met = functional.relu(shown.view(len(a), length, PAIR).bfloat16() + self.mixing(scale * apart))
                x = functional.relu(self.pair(met[:, None].permute(0, 3, 1, 2)))
                x = functional.relu(x + self.beside(x))
            x = x.float().mean((2, 3))
            total = total + self.judge(functional.relu(self.pooled(torch.cat([x, constant], dim=1))) + x)[:, 0]
        return length / 28 * total + named @ self.named(told)


def lows_of(near: Sight, far: Sight, whitening: Tensor, one: Tensor, other: Tensor) -> Tensor:
    """Seams x LOWS: how large the waves are by which near sides expect other colors than far sides show."""
    apart = near.lows.index_select(0, one) - far.lows.index_select(0, other)
    white = torch.einsum("scd,skfd->skfc", whitening.index_select(0, one), apart)
    return torch.log(white.square().sum(3) + LEAST_LOW).flatten(1)


def waves(length: int) -> Tensor:
    """Waves x pixels: the mean, and the amplitudes of the first cosines along an edge."""
    number, place = torch.arange(WAVES)[:, None], (torch.arange(length) + 0.5) / length
    scale = torch.where(number == 0, 1.0, 2.0) / length
    return torch.cos(math.pi * number * place) * scale


def _extrapolation(degree: int) -> Tensor:
    """What each row counts if a polynomial is laid through all of them and read where the piece ends."""
    places = torch.tensor([(first + last) / 2 / DEPTH for first, last in SPANS])
    powers = torch.stack([places**power for power in range(degree + 1)], dim=1)
    weighted = powers.T * torch.tensor([last - first for first, last in SPANS])
    return torch.linalg.solve(weighted @ powers, weighted)[0]


def _flat(values: Tensor) -> Tensor:
    return values[:, :, None].contiguous(memory_format=torch.channels_last)


def _by_pixel(values: Tensor) -> Tensor:
    """Edges x (pixels, channels)."""
    return values.permute(0, 3, 2, 1).reshape(len(values), -1)
