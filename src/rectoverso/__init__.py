"""rectoverso puts pictures back together: tiles whose place, rotation and face are unknown.

>>> import rectoverso
>>> rectoverso.PuzzleType(4).unknowns
'location, rotation and face'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rectoverso.changes import as_toml as as_toml
    from rectoverso.changes import changed_params as changed_params
    from rectoverso.confidence.confidence import Confidence as Confidence
    from rectoverso.confidence.files import load_confidence as load_confidence
    from rectoverso.confidence.judging import judge as judge
    from rectoverso.errors import BadInputError as BadInputError
    from rectoverso.errors import PuzzleError as PuzzleError
    from rectoverso.errors import PuzzleWarning as PuzzleWarning
    from rectoverso.errors import TooLargeError as TooLargeError
    from rectoverso.evolve.checkpoint import Checkpoint as Checkpoint
    from rectoverso.evolve.checkpoint import load_checkpoint as load_checkpoint
    from rectoverso.evolve.checkpoint import save_checkpoint as save_checkpoint
    from rectoverso.evolve.observers import Observer as Observer
    from rectoverso.evolve.observers import Progress as Progress
    from rectoverso.evolve.result import Result as Result
    from rectoverso.evolve.solver import Solver as Solver
    from rectoverso.evolve.state import State as State
    from rectoverso.evolve.stop import MaxGenerations as MaxGenerations
    from rectoverso.evolve.stop import Stalled as Stalled
    from rectoverso.matching.custom import MatrixMeasure as MatrixMeasure
    from rectoverso.matching.custom import VectorMeasure as VectorMeasure
    from rectoverso.matching.lists import CandidateLists as CandidateLists
    from rectoverso.matching.lists import find_candidates as find_candidates
    from rectoverso.objective.pipeline import Prepared as Prepared
    from rectoverso.objective.pipeline import prepare as prepare
    from rectoverso.parameters import PRESETS as PRESETS
    from rectoverso.parameters import Genetic as Genetic
    from rectoverso.parameters import Objective as Objective
    from rectoverso.parameters import Params as Params
    from rectoverso.parameters import Relative as Relative
    from rectoverso.parameters import Repair as Repair
    from rectoverso.puzzle.arrangement import Arrangement as Arrangement
    from rectoverso.puzzle.files import load_puzzle as load_puzzle
    from rectoverso.puzzle.files import load_solution as load_solution
    from rectoverso.puzzle.files import load_truth as load_truth
    from rectoverso.puzzle.files import save_puzzle as save_puzzle
    from rectoverso.puzzle.files import save_solution as save_solution
    from rectoverso.puzzle.metrics import Score as Score
    from rectoverso.puzzle.metrics import score as score
    from rectoverso.puzzle.puzzle import Puzzle as Puzzle
    from rectoverso.puzzle.render import render as render
    from rectoverso.puzzle.types import PuzzleType as PuzzleType
    from rectoverso.solving import solve as solve

__version__ = "0.1.0"

_HOMES = {
    "matching.custom": ("MatrixMeasure", "VectorMeasure"),
    "matching.lists": ("CandidateLists", "find_candidates"),
    "objective.pipeline": ("Prepared", "prepare"),
    "confidence.confidence": ("Confidence",),
    "confidence.files": ("load_confidence",),
    "confidence.judging": ("judge",),
    "errors": ("BadInputError", "PuzzleError", "PuzzleWarning", "TooLargeError"),
    "evolve.checkpoint": ("Checkpoint", "load_checkpoint", "save_checkpoint"),
    "evolve.observers": ("Observer", "Progress"),
    "changes": ("as_toml", "changed_params"),
    "parameters": ("PRESETS", "Genetic", "Objective", "Params", "Relative", "Repair"),
    "evolve.result": ("Result",),
    "evolve.solver": ("Solver",),
    "evolve.state": ("State",),
    "evolve.stop": ("MaxGenerations", "Stalled"),
    "puzzle.arrangement": ("Arrangement",),
    "puzzle.files": ("load_puzzle", "load_solution", "load_truth", "save_puzzle", "save_solution"),
    "puzzle.metrics": ("Score", "score"),
    "puzzle.puzzle": ("Puzzle",),
    "puzzle.render": ("render",),
    "puzzle.types": ("PuzzleType",),
    "solving": ("solve",),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["__version__", *sorted(_MODULE_OF)]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    """Public names are loaded when first used: importing rectoverso takes no time and compiles nothing."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'rectoverso' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"rectoverso.{_MODULE_OF[name]}"), name)
    return value
