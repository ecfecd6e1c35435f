"""The seven puzzle types of the paper's first table."""

from __future__ import annotations

from enum import IntEnum


class PuzzleType(IntEnum):
    """Which of location, rotation and face of the pieces are unknown.

    >>> PuzzleType.TYPE_4.rotation_unknown, PuzzleType.TYPE_4.two_sided
    (True, True)
    >>> [int(t) for t in PuzzleType if t.location_unknown]
    [1, 2, 4, 5]
    """

    TYPE_1 = 1
    TYPE_2 = 2
    TYPE_3 = 3
    TYPE_4 = 4
    TYPE_5 = 5
    TYPE_6 = 6
    TYPE_7 = 7

    @property
    def location_unknown(self) -> bool:
        """Whether a piece may lie in any cell; otherwise each piece's cell is given."""
        return self in (1, 2, 4, 5)

    @property
    def rotation_unknown(self) -> bool:
        """Whether a piece may have been turned by quarter turns."""
        return self in (2, 3, 4, 6)

    @property
    def two_sided(self) -> bool:
        """Whether pieces carry a picture on both faces and may lie either way up."""
        return self >= 4

    @property
    def faces(self) -> int:
        """The number of faces that carry a picture."""
        return 2 if self.two_sided else 1

    @property
    def rotations(self) -> int:
        """The number of rotations a piece may have."""
        return 4 if self.rotation_unknown else 1

    @property
    def unknowns(self) -> str:
        """The unknown things in words.

        >>> PuzzleType(5).unknowns
        'location and face'
        """
        names = [
            name
            for name, unknown in (
                ("location", self.location_unknown),
                ("rotation", self.rotation_unknown),
                ("face", self.two_sided),
            )
            if unknown
        ]
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
