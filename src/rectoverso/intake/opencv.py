"""OpenCV, which only the reader of scanned sheets needs."""

from __future__ import annotations

from typing import Any

from rectoverso.errors import BadInputError


def load_opencv() -> Any:
    """The module ``cv2``, or a sentence that says how to get it."""
    try:
        import cv2
    except ImportError as error:
        raise BadInputError(
            'Pieces on a scanned sheet are found with OpenCV, which is missing; run pip install "rectoverso[scan]".'
        ) from error
    return cv2
