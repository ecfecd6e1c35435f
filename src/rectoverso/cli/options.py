"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

PATH = click.Path(path_type=Path)
SEED = click.IntRange(0, 2**64 - 1)
"""What a random stream can be started from."""

seed_option = click.option("--seed", type=SEED, default=0, show_default=True, help="Decides everything random.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
