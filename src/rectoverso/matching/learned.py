"""A measure learned from examples: seams of the same wear whose truth is known.

The rows of pixels on both sides of a seam, in luma and chroma and by frequency along it, are taken as jointly Gaussian.
Their covariance is that of the examples, so whatever noise the edges have is in it: a frequency of chroma that saving
destroyed counts nothing. What a seam tells is the log likelihood ratio of both sides together against each by itself.

In coordinates in which each side is white and only like coordinates of both sides are correlated (canonical
correlations), that is a sum of squared differences and of squares: vectors and their lengths.

The model has one covariance for flat and for rough edges. So it is combined with the usual measure on luma, which
looks at the steps inside each edge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rectoverso.intake.coding import ycbcr_from_rgb
from rectoverso.intake.heap import Examples
from rectoverso.intake.saved_sheet import DEPTH
from rectoverso.matching.custom import Strips, VectorMeasure

SHARE = 0.04
"""The weight of the log likelihood ratio beside the logarithm of the dissimilarity of luma. Top-1 of five photographs,
saved at quality 95, with 0, 0.04, 0.1 and the ratio alone: 70, 82, 82 and 76; at quality 75 55, 64, 62 and 60."""

RIDGE = 0.05
"""Added to all variances: what rounding pixels does."""

LEAST_CORRELATION = 0.05
"""Coordinates that are less correlated tell nothing."""

SLOW = 3
"""Frequencies from this on share the covariances of those beside them."""

RATIO_LIMIT = 500.0
"""Log likelihood ratios are kept within this: further out nothing is decided."""

PAIRS = 1 << 16
"""How many seams are ranked at a time."""

Vectors = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SeamModel:
    """What examples tell of seams of one length.

    Attributes
    ----------
    waves
        Frequencies x pixels: the cosines that strips are taken apart by.
    transform
        Frequencies x values x coordinates.
    mean
        The mean of the values, frequencies x values.
    correlation
        That of the coordinates of the two sides, frequencies x coordinates; 0 where they are not used.
    """

    waves: Vectors
    transform: Vectors
    mean: Vectors
    correlation: Vectors

    @classmethod
    def of(cls, one: Strips, other: Strips) -> SeamModel:
        """The model of examples: strips of the two sides of seams, each clockwise around its own piece."""
        waves = _cosines(one.shape[2])
        near = np.concatenate([_values(one, waves), _values(other, waves)])
        far = np.concatenate([_values(other[:, :, ::-1], waves), _values(one[:, :, ::-1], waves)])
        mean = np.zeros(near.shape[1:])
        mean[0] = near[:, 0].mean(axis=0)
        near, far = near - mean, far - mean
        own = _shared(np.einsum("nfi,nfj->fij", near, near) / len(near)) + RIDGE * np.eye(near.shape[2])
        both = _shared(np.einsum("nfi,nfj->fij", near, far) / len(near))
        scales, axes = np.linalg.eigh(own)
        white = axes / np.sqrt(np.maximum(scales, RIDGE))[:, None]
        correlation, turn = np.linalg.eigh(white.swapaxes(1, 2) @ (both + both.swapaxes(1, 2)) @ white / 2)
        used = np.where(correlation > LEAST_CORRELATION, np.minimum(correlation, 1 - 1e-6), 0)
        return cls(waves, white @ turn, mean, used)

    def coordinates(self, strips: Strips) -> Vectors:
        """Edges x coordinates, white for the examples."""
        return np.einsum("nfi,fij->nfj", _values(strips, self.waves) - self.mean, self.transform).reshape(
            len(strips), -1
        )

    def vectors(self, strips: Strips) -> Vectors:
        """Coordinates scaled so that the squared distance is that part of the ratio (times -2) that compares edges."""
        used = self.correlation.ravel()
        scale = np.sqrt(used / (1 - np.square(used)))
        return self.coordinates(strips)[:, used > 0] * scale[used > 0]

    def gains(self, strips: Strips) -> Vectors:
        """What each edge adds to the ratio of any seam by being unusual."""
        used = self.correlation.ravel()
        return np.asarray(np.square(self.coordinates(strips)) @ (used / (2 * (1 + used))))

    @property
    def offset(self) -> float:
        """What all ratios have in common."""
        return float(-0.5 * np.log1p(-np.square(self.correlation)).sum())


def learned_measure(examples: Examples) -> VectorMeasure:
    """The measure for pieces that are worn as the examples are."""
    models = {one.shape[2]: SeamModel.of(one, other) for one, other in examples.pairs}

    def model_of(strips: Strips) -> SeamModel:
        if strips.shape[2] not in models or strips.shape[1] != DEPTH:
            raise ValueError(f"the examples are of edges of {sorted(models)} pixels, not {strips.shape[2]}")
        return models[strips.shape[2]]

    def rerank(strips: Strips, one: NDArray[np.int64], other: NDArray[np.int64]) -> Vectors:
        model = model_of(strips)
        near, far, gains = model.vectors(strips), model.vectors(strips[:, :, ::-1]), model.gains(strips)
        luma = ycbcr_from_rgb(strips[:, :2])[0].astype(np.float64)
        found = np.empty(len(one))
        for start in range(0, len(one), PAIRS):
            a, b = one[start : start + PAIRS], other[start : start + PAIRS]
            apart = np.square(near[a] - far[b]).sum(axis=1) + np.square(far[a] - near[b]).sum(axis=1)
            ratio = (gains[a] + gains[b] + model.offset - apart / 4).clip(-RATIO_LIMIT, RATIO_LIMIT)
            found[start : start + PAIRS] = luma_dissimilarity(luma[a], luma[b, :, ::-1]) * np.exp(-SHARE * ratio)
        return found

    return VectorMeasure(lambda strips: model_of(strips).vectors(strips), rerank, depth=DEPTH)


def luma_dissimilarity(one: Vectors, other: Vectors) -> Vectors:
    """The blend of gradient compatibility and prediction, on one channel: seams x the two outer rows x pixels."""
    gradient = prediction = np.zeros(len(one))
    for here, there in ((one, other), (other, one)):
        step = here[:, 0] - here[:, 1]
        mean, deviation = step.mean(axis=1, keepdims=True), np.sqrt(step.var(axis=1, keepdims=True) + 1)
        jump = there[:, 0] - here[:, 0]
        gradient = gradient + np.abs((jump - mean) / deviation).sum(axis=1)
        prediction = prediction + np.abs(jump - step).sum(axis=1)
    return np.sqrt(gradient * prediction)


def _values(strips: Strips, waves: Vectors) -> Vectors:
    """Edges x frequencies x values: rows and channels, by frequency along the edge."""
    channels = np.stack(ycbcr_from_rgb(strips), axis=-1).astype(np.float64)
    found = np.einsum("fp,ndpc->nfdc", waves, channels, optimize=True)
    return found.reshape(len(strips), len(waves), -1)


def _cosines(length: int) -> Vectors:
    frequency = np.arange(length)[:, None]
    waves = np.cos((2 * np.arange(length) + 1) * frequency * np.pi / (2 * length)) * np.sqrt(2 / length)
    waves[0] /= np.sqrt(2)
    return waves


def _shared(covariances: Vectors) -> Vectors:
    """Covariances of all frequencies but the slowest averaged with those beside them: there are few examples."""
    fast = covariances[SLOW:]
    if not len(fast):
        return covariances
    padded = np.concatenate([fast[:1], fast, fast[-1:]])
    return np.concatenate([covariances[:SLOW], (padded[:-2] + fast + padded[2:]) / 3])
