"""How long it takes, and how much memory, to read a folder of 22,755 tile files; they are written first."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from common import pictures_from_arguments, read, write_result
from exports import folder_of_tiles

IMAGE = "sholomon-22755/05"
READ = """
import resource, sys, time
started = time.perf_counter()
from rectoverso import Puzzle
pieces = Puzzle.from_folder(sys.argv[1]).num_pieces
print(pieces, time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def main() -> None:
    """Write the tiles, and read them in a process of their own."""
    picture = read(pictures_from_arguments(__doc__ or ""), IMAGE)
    with tempfile.TemporaryDirectory() as folder:
        export = folder_of_tiles(picture, None, (28, 28), 4, 1, Path(folder) / "tiles")
        done = subprocess.run(
            [sys.executable, "-c", READ, str(export.path)], capture_output=True, text=True, check=True
        )
    pieces, seconds, kilobytes = done.stdout.split()
    result = {"pieces": int(pieces), "seconds": round(float(seconds), 1), "megabytes": int(kilobytes) // 1024}
    print(result)
    write_result("reading", result)


if __name__ == "__main__":
    main()
