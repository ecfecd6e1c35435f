"""The cost of a seam by a relative objective."""

from __future__ import annotations

from collections.abc import Callable, Sequence


class Capped:
    """What a seam costs by the candidate lists: the weight it has in either of them, at most the cap.

    ``unlisted`` is what a seam costs that neither edge lists; the cap unless given.
    """

    def __init__(
        self,
        candidates: Sequence[Sequence[tuple[int, float]]],
        entries: Sequence[int],
        cap: float,
        unlisted: Callable[[int, int], float] | None = None,
    ) -> None:
        self.lists = [dict(row) for row in candidates]
        self.entries, self.cap, self.unlisted = entries, cap, unlisted

    def __call__(self, one: int, other: int) -> float:
        """The weight of a seam."""
        pairs = [(a, self.entries[b]) for a, b in ((one, other), (other, one))]
        listed = [self.lists[edge][entry] for edge, entry in pairs if entry in self.lists[edge]]
        if not listed and self.unlisted is not None:
            return self.unlisted(one, other)
        return min(self.cap, *listed) if listed else self.cap
