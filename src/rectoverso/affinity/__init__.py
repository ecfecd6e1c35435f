"""Which edges fit which: the dissimilarity of seams, each edge's best candidates, and best buddies."""

from __future__ import annotations

from typing import Literal

MeasureName = Literal["lab", "mgc", "prediction", "blend"]
"""The measures of dissimilarity; :mod:`rectoverso.affinity.measures` says what they are."""
