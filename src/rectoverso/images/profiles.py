"""Color profiles: the pixels of a picture that has one become sRGB.

A profile that is sRGB already changes nothing, not even by rounding, so pictures that were saved by different programs
stay the same.
"""

from __future__ import annotations

from functools import cached_property
from io import BytesIO

import numpy as np
from PIL import Image, ImageCms

SAME = 2
"""By how much of 255 a profile may change a color and still count as sRGB. The many profiles of that name, as cameras,
browsers and GIMP write them, differ by 1; the next one, of an uncalibrated screen, by 9 or more."""

_MODES = {"RGB": "RGB", "GRAY": "L", "CMYK": "CMYK", "LAB": "LAB"}
"""The modes of pictures whose values a profile of a color space is about."""


class Profile:
    """What the profile of a picture does to pixels of one mode."""

    def __init__(self, data: bytes, mode: str) -> None:
        """A ValueError or an ImageCms.PyCMSError if the profile is damaged, or is about other pixels than these."""
        given = ImageCms.ImageCmsProfile(BytesIO(data))
        space = given.profile.xcolor_space.strip()
        # A gray picture often has the profile of a color picture: it applies to gray as a color.
        wanted = "RGB" if mode == "L" and space == "RGB" else mode
        if _MODES.get(space) != wanted:
            raise ValueError(f"it is for {space or 'no'} colors, not for {mode}")
        self.mode = wanted
        srgb = ImageCms.createProfile("sRGB")
        self._transform = ImageCms.buildTransform(given, srgb, wanted, "RGB")

    def apply(self, image: Image.Image) -> Image.Image:
        """The picture in sRGB."""
        image = image if image.mode == self.mode else image.convert(self.mode)
        return self._transform.apply(image)

    @cached_property
    def is_srgb(self) -> bool:
        """Whether nothing changes."""
        if self.mode not in ("RGB", "L"):
            return False
        samples = _samples(self.mode)
        before, after = (np.asarray(each.convert("RGB")).astype(int) for each in (samples, self.apply(samples)))
        return bool(np.abs(after - before).max() <= SAME)


def _samples(mode: str) -> Image.Image:
    """Colors from all over."""
    if mode == "L":
        return Image.fromarray(np.arange(256, dtype=np.uint8)[None])
    steps = np.arange(0, 256, 17, dtype=np.uint8)
    return Image.fromarray(np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(64, 64, 3))


def lab_to_srgb(image: Image.Image) -> Image.Image:
    """A picture in L*a*b*, which needs no profile to be understood, in sRGB."""
    transform = ImageCms.buildTransform(ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB"), "LAB", "RGB")
    return transform.apply(image)
