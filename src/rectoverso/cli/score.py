"""``rectoverso score``: how right a solution is."""

from __future__ import annotations

import json
from pathlib import Path

import click

import rectoverso
from rectoverso.cli.options import PATH, json_option


@click.command()
@click.argument("puzzle", type=PATH)
@click.argument("solution", type=PATH)
@json_option
def command(puzzle: Path, solution: Path, as_json: bool) -> None:
    """Say how right a solution is, where the truth is known.

    PUZZLE was made by "rectoverso cut", so it has a truth.json. SOLUTION is a solution.json, or the folder that a solve
    wrote. "direct" is the share of pieces that lie right, "neighbor" the share of true neighbors side by side.
    """
    given = rectoverso.load_puzzle(puzzle)
    arrangement = rectoverso.load_solution(solution, given)
    truth = rectoverso.load_truth(puzzle, given)
    if truth is None:
        raise rectoverso.BadInputError(
            f"{puzzle} has no truth.json, so nothing can be scored; puzzles made by 'rectoverso cut' have one."
        )
    score = rectoverso.score(arrangement, truth, given)
    click.echo(json.dumps(score.as_dict()) if as_json else str(score))
