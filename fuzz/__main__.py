"""Damaged inputs for every reader: each is read, or refused in a sentence, soon, in little memory, and nothing else.

    python fuzz --seconds 60            # a minute for all targets together
    python fuzz --count 100000          # so many inputs for each target
    python fuzz --target zips --only 7  # one input again, with its traceback

An input is decided by the name of its target and its number, so a failure can be repeated anywhere.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import cache
from pathlib import Path

from targets import TARGETS, Target, attempt
from watching import numbered, run

FAILURES = Path(__file__).parent / "failures"
MEGABYTE = 2**20


@cache
def load(name: str) -> Target:
    """A target by its name."""
    return TARGETS[name]()


def fuzz(name: str, start: int, count: int, seconds: float) -> int:
    """Fuzz one target and say what came of it; the number of failures, whose inputs are kept."""
    load(name)
    tally = run(name, load, range(start, start + count), seconds)
    shares = f"{tally.read} read, {tally.done - tally.read - len(tally.failures)} refused, {len(tally.failures)} failed"
    slowest, largest = tally.slowest, tally.largest
    print(
        f"{name:>17}: {tally.done} inputs from {start}, {shares}; slowest {slowest[0]:.2f} s (number {slowest[1]}), "
        f"largest {largest[0] / MEGABYTE:.0f} MiB (number {largest[1]})",
        flush=True,
    )
    for number, trouble in tally.failures[:20]:
        FAILURES.mkdir(exist_ok=True)
        (FAILURES / f"{name}-{number}").write_bytes(load(name).make(numbered(name, number)))
        print(f"    {name} {number}: {trouble.strip().splitlines()[-1][:300]}", flush=True)
        (FAILURES / f"{name}-{number}.txt").write_text(trouble)
    return len(tally.failures)


def main() -> int:
    """Read the arguments and fuzz what they say; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, help="for all targets together; 60 unless a count is given")
    parser.add_argument("--count", type=int, default=10**9, help="inputs of each target")
    parser.add_argument("--start", type=int, default=0, help="the number of the first input")
    parser.add_argument("--target", action="append", choices=[*TARGETS], help="only this one; may be repeated")
    parser.add_argument("--only", type=int, help="one input, here, with its traceback")
    given = parser.parse_args()
    names = given.target or [*TARGETS]
    if given.only is not None:
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                print(name, attempt(load(name), load(name).make(numbered(name, given.only)), Path(folder)))
        return 0
    seconds = given.seconds or (60.0 if given.count == 10**9 else 10**6)
    # Half of the time for pictures, whose decoders have the most to get wrong.
    shares = {name: len(names) - 1 or 1 if name == "pictures" else 1 for name in names}
    failed = [fuzz(name, given.start, given.count, seconds * shares[name] / sum(shares.values())) for name in names]
    return 1 if any(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
