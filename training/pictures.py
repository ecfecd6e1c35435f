"""Pictures to learn from: photographs at many sizes, and pages of text.

None of them has an even number, and none is one that the tables of worn pieces are measured on.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

SETS = {
    "mcgill-540": 0.6,
    "bgu-2360": 0.35,
    "bgu-3300": 0.35,
    "sholomon-5015": 0.3,
    "sholomon-10375": 0.2,
    "sholomon-22755": 0.15,
}
"""The sets that are learned from, and the smallest scale each is shown at."""

FROM_SKIMAGE = ("astronaut", "chelsea", "coffee", "rocket", "motorcycle_left", "hubble_deep_field")
PAGES_FROM_SKIMAGE = ("page", "text")

Picture = NDArray[np.uint8]


def photographs(data: Path) -> list[tuple[Image.Image, float]]:
    """All photographs, with the smallest scale that they are shown at."""
    import skimage

    found = []
    for name, scale in SETS.items():
        for path in sorted((data / name).iterdir()):
            if path.stem.isdigit() and int(path.stem) % 2:
                picture = Image.open(path).convert("RGB")
                if max(picture.size) > 3600:
                    picture = picture.resize((picture.width // 2, picture.height // 2), Image.Resampling.BOX)
                    found.append((picture, 2 * scale))
                else:
                    found.append((picture, scale))
    folder = Path(skimage.__file__).parent / "data"
    for name in FROM_SKIMAGE:
        path = next(folder.glob(f"{name}.*"))
        found.append((Image.open(path).convert("RGB"), 0.7))
    return found


def pages(data: Path, fonts: Path, count: int = 24) -> list[tuple[Image.Image, float]]:
    """A scanned page, and pages that are set here."""
    import skimage

    folder = Path(skimage.__file__).parent / "data"
    found = [(Image.open(data / "docs" / "doc-5015-patent.png").convert("RGB"), 0.3)]
    found += [(Image.open(folder / f"{name}.png").convert("RGB"), 1.0) for name in PAGES_FROM_SKIMAGE]
    names = sorted(fonts.glob("**/*.ttf"))
    return found + [(_set_page(names, random.Random(seed)), 0.35) for seed in range(count)]


def _set_page(fonts: list[Path], draw: random.Random) -> Image.Image:
    """A page of words in a few sizes, with headings and rules, on paper that is not quite white."""
    paper = tuple(draw.randint(225, 255) for _ in range(3))
    ink = tuple(draw.randint(0, 70) for _ in range(3))
    page = Image.new("RGB", (1400, 1900), paper)
    pen, top, margin = ImageDraw.Draw(page), draw.randint(30, 120), draw.randint(40, 140)
    size = draw.randint(18, 40)
    name = draw.choice(fonts)
    letters = "eeeeetttaaooiinnssrrhhllddccuummffppggwwyybbvkxjqz"
    while top < page.height - 60:
        heading = draw.random() < 0.06
        font = ImageFont.truetype(str(name), size * 2 if heading else size)
        left = margin + (draw.randint(0, 60) if draw.random() < 0.1 else 0)
        while left < page.width - margin:
            word = "".join(draw.choice(letters) for _ in range(draw.choice((1, 2, 3, 3, 4, 5, 6, 7, 8, 10))))
            word = word.capitalize() if draw.random() < 0.12 else word
            if draw.random() < 0.05:
                word = str(draw.randint(0, 9999))
            word += draw.choice(("", "", "", "", "", ",", ".", ";"))
            pen.text((left, top), word, font=font, fill=ink)
            left += int(pen.textlength(word + " ", font=font))
            if draw.random() < 0.03 or (heading and draw.random() < 0.3):
                break
        top += int(size * (2.8 if heading else 1.45))
        if draw.random() < 0.03:
            pen.line([(margin, top - 6), (page.width - margin, top - 6)], fill=ink, width=draw.randint(1, 4))
        if draw.random() < 0.02:
            name, size = draw.choice(fonts), draw.randint(16, 44)
    grain = np.random.default_rng(draw.randrange(1 << 30)).normal(0, draw.uniform(0, 4), (page.height, page.width, 1))
    noisy = Image.fromarray((np.asarray(page) + grain).clip(0, 255).astype(np.uint8))
    return noisy.filter(ImageFilter.GaussianBlur(draw.uniform(0.4, 1.2)))


def cut_out(picture: Image.Image, least: float, height: int, width: int, rng: np.random.Generator) -> Picture:
    """A part of a picture of this size, at some scale, turned and mirrored by chance."""
    smallest = max(least, (max(height, width) + 4) / min(picture.size))
    scale = float(np.exp(rng.uniform(np.log(min(smallest, 1)), 0))) if smallest < 1 else smallest
    tall, wide = int(np.ceil(height / scale)), int(np.ceil(width / scale))
    top, left = rng.integers(0, picture.height - tall + 1), rng.integers(0, picture.width - wide + 1)
    box = (int(left), int(top), int(left) + wide, int(top) + tall)
    kind = (Image.Resampling.BOX, Image.Resampling.LANCZOS, Image.Resampling.BICUBIC)[rng.integers(3)]
    sized = picture.resize((width, height), kind, box=box) if scale < 1 else picture.crop(box).resize((width, height))
    part = np.asarray(sized)
    part = np.rot90(part, int(rng.integers(4))) if height == width else part
    return np.ascontiguousarray(part[:, ::-1] if rng.random() < 0.5 else part)
