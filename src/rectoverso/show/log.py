"""The log: a line of JSON for each generation."""

from __future__ import annotations

import json
from pathlib import Path

from rectoverso.evolve.observers import Observer
from rectoverso.evolve.solver import Progress
from rectoverso.storage import write_file


class Log(Observer):
    """Remembers the numbers of each generation until they are saved."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def on_generation(self, progress: Progress, fraction: float) -> None:
        """Add a line."""
        record = {
            "generation": progress.generation,
            "best_cost": progress.best_cost,
            "mean_cost": progress.mean_cost,
            "placements": progress.phases,
            "seconds": round(progress.seconds, 6),
        }
        self.lines.append(json.dumps(record))

    def save(self, path: Path) -> None:
        """Write all lines."""
        write_file(path, "".join(f"{line}\n" for line in self.lines).encode())
