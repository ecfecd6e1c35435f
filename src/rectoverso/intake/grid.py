"""The tile size of a shuffled picture, from the cuts that show in it."""

from __future__ import annotations

from dataclasses import dataclass

from rectoverso.images.files import Pixels
from rectoverso.intake.cuts import BLOCK, Comb, combs, sharpness

HANDFUL = 5
"""How many grids are named at most."""

LEAST_SHARPNESS = 0.03
"""Of cuts: tiles of a night sky have 0.04, and pictures that are whole have 0.01 in one of their directions."""

PRICE = 5.0
"""What cuts in a direction must explain at least, in nats: about what the best of ten sizes explains by chance."""

SQUARE = 3.0
"""How much more a square is expected than one oblong size, in nats: 20 to 1."""

LEAST = 3.0
"""What a grid must explain at least beyond its price, in nats: whole pictures stay below 2, or below 22 as JPEG
files of a quality of 40."""

STRIP_SHARE, STRIP_CUTS = 0.3, 3
"""What cuts in one direction alone must explain of its lines, and how many they must be: one line in the middle of a
photograph explains up to 0.2."""

SURE, CLOSE = 40.0, 0.9
"""Below so many nats, or with a rival as good as this, a choice is doubtful: see :func:`is_doubtful`. Of 1,300 shuffled
pictures that these were chosen on, 54 were right and doubtful, and none was wrong without being so."""


@dataclass(frozen=True)
class Grid:
    """Tiles of one size that fill a picture, and how much of the picture they explain.

    ``evidence`` tells how much better the sharpness of the picture's lines is predicted with cuts at the lines of this
    grid than without: the logarithm of the likelihood ratio, in nats for each line of the picture, less a small price
    for each direction that is cut and for tiles that are not square. It is 0 if cuts explain nothing, and 1 to 2 in
    most shuffled photographs. Grids of one picture compare by it.
    """

    height: int
    width: int
    rows: int
    columns: int
    evidence: float

    @property
    def size(self) -> str:
        """Width x height of a tile, as it is written for people."""
        return f"{self.width}x{self.height}"

    @property
    def lines(self) -> int:
        """How many lines between columns or rows of pixels the picture has."""
        return self.height * self.rows + self.width * self.columns - 2


def find_grids(picture: Pixels) -> list[Grid]:
    """The grids that a picture's cuts may have, the best first; none if it does not look shuffled.

    Sides of tiles are at least 8 pixels and at most half of the picture. Strips, which are as high or as wide as the
    picture, are found too where their cuts are plain.
    """
    height, width = picture.shape[:2]
    across = [*combs(sharpness(picture)), Comb(width)]
    down = [*combs(sharpness(picture.swapaxes(0, 1))), Comb(height)]
    found = [
        Grid(high.size, wide.size, high.cuts + 1, wide.cuts + 1, _nats(wide, high) / (height + width - 2))
        for wide in across
        for high in down
        if _is_possible(wide, high) and _nats(wide, high) >= LEAST
    ]
    found.sort(key=lambda grid: (-grid.evidence, -grid.height * grid.width))
    return found[:HANDFUL]


def rival(grids: list[Grid]) -> float:
    """How much the second of some grids explains of what the first does: 0 if there is none, 1 if they are equal."""
    return grids[1].evidence / grids[0].evidence if len(grids) > 1 else 0.0


def is_doubtful(grids: list[Grid]) -> bool:
    """Whether the first of some grids may well be wrong.

    It explains little, or the second one explains nearly as much, or it is one of strips, for which striped tables pass
    too.
    """
    if not grids or min(grids[0].rows, grids[0].columns) == 1:
        return True
    return grids[0].evidence * grids[0].lines < SURE or rival(grids) >= CLOSE


def _nats(wide: Comb, high: Comb) -> float:
    """What cuts in two directions explain, less the price of each."""
    paid = sum(comb.gain - PRICE for comb in (wide, high) if comb.cuts)
    return paid + (SQUARE if wide.size == high.size else 0.0)


def _is_possible(wide: Comb, high: Comb) -> bool:
    """Whether cuts in two directions may be those of tiles."""
    directions = [comb for comb in (wide, high) if comb.cuts]
    if any(comb.may_be_ruled or comb.sharpness < LEAST_SHARPNESS for comb in directions):
        return False
    # Tiles of 8 pixels whose cuts are plain in one direction are not doubted in the other.
    eights = [comb for comb in directions if comb.size == BLOCK]
    if eights and all(comb.may_be_blocks for comb in eights):
        return False
    if len(directions) == 1:
        return directions[0].share >= STRIP_SHARE and directions[0].cuts >= STRIP_CUTS
    return len(directions) == 2
