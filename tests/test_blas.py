"""The same bits on every BLAS kernel: what is prepared does not depend on the processor's."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from threadpoolctl import threadpool_info

SCRIPT = """
import hashlib, sys
import numpy as np
from threadpoolctl import threadpool_info
from test_golden import puzzle_named
from rectoverso import PRESETS, prepare

digest = hashlib.blake2b(digest_size=8)
for name in ("jpeg", "png"):
    for preset in ("best", "paper"):
        prepared = prepare(puzzle_named(name), PRESETS[preset].objective)
        for lists in (prepared.measured, prepared.lists):
            for array in (lists.candidates, lists.weights, lists.buddies, lists.alignment, lists.slack):
                digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
kernels = {about.get("architecture") for about in threadpool_info() if about["user_api"] == "blas"}
print(digest.hexdigest(), *kernels)
"""


def prepared_on(kernel: str) -> tuple[str, str]:
    """A fingerprint of what is prepared with a kernel, and the name that it goes by."""
    folder = os.path.dirname(__file__)
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel, "PYTHONPATH": os.pathsep.join([folder, *sys.path])}
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    digest, name = done.stdout.split()[-2:]
    return digest, name


@pytest.mark.compiled
def test_every_kernel_prepares_the_same() -> None:
    """Two kernels that add up in another order."""
    if not any(about.get("internal_api") == "openblas" for about in threadpool_info()):
        pytest.skip("only OpenBLAS can be told which kernel to use")
    found = dict(prepared_on(kernel)[::-1] for kernel in ("Haswell", "Prescott"))
    if len(found) < 2:
        pytest.skip("this machine has one kernel")
    assert len(set(found.values())) == 1
