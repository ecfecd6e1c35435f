"""The log: a line of JSON for each generation."""

from __future__ import annotations

import json
from pathlib import Path

from rectoverso.evolve.observers import Observer
from rectoverso.evolve.state import Progress, Record
from rectoverso.storage import write_file


class Log(Observer):
    """Remembers the numbers of each generation, also of those before a resume, until they are saved."""

    def __init__(self) -> None:
        self.history: tuple[Record, ...] = ()

    def on_generation(self, progress: Progress, fraction: float) -> None:
        """There is one more."""
        self.history = progress.state.history

    def save(self, path: Path) -> None:
        """Write all lines."""
        write_file(path, "".join(f"{_line(record)}\n" for record in self.history).encode())


def _line(record: Record) -> str:
    return json.dumps(
        {
            "generation": record.generation,
            "best_cost": record.best_cost,
            "mean_cost": record.mean_cost,
            "placements": record.phases,
            "seconds": round(record.seconds, 6),
        }
    )
