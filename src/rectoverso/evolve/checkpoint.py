"""Checkpoints: where a solve is, as a file that is written while it runs and that a later solve goes on from.

The file is an uncompressed .npz: ``about`` is JSON in bytes, the arrays are those of the :class:`State`.
"""

from __future__ import annotations

import warnings
import zipfile
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from rectoverso.changes import changed_params
from rectoverso.errors import BadInputError, PuzzleError, PuzzleWarning
from rectoverso.evolve.observers import Observer, Progress
from rectoverso.evolve.state import PHASES, Record, State
from rectoverso.parameters import Params
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.storage import check_place, has_file, kind_of, read_file, write_file

if TYPE_CHECKING:
    from rectoverso.evolve.result import Result

FORMAT, VERSION = "rectoverso/checkpoint", 2
EVERY = 5
"""How many generations lie between two checkpoints."""


class _Head(msgspec.Struct, kw_only=True):
    """What every version of the file begins with."""

    format: str = ""
    version: int = 0


class _About(msgspec.Struct, kw_only=True):
    """The small things."""

    format: str = FORMAT
    version: int = VERSION
    puzzle: str
    params: dict[str, Any]
    seed: int
    stale: int
    history: list[Record]
    settled: tuple[int, int, int] | None = None


def save_checkpoint(state: State, path: Path | str) -> None:
    """Write where a solve is; an older file of that name stays until the new one is complete."""
    about = _About(
        puzzle=state.puzzle,
        params=asdict(state.params),
        seed=state.seed,
        stale=state.stale,
        history=list(state.history),
        settled=state.settled,
    )
    buffer = BytesIO()
    np.savez(
        buffer,
        about=np.frombuffer(msgspec.json.encode(about), np.uint8),
        population=state.population,
        costs=state.costs,
        best=state.best,
    )
    write_file(Path(path), buffer.getvalue())


def load_checkpoint(path: Path | str, puzzle: Puzzle) -> State:
    """Read where a solve of this puzzle was."""
    path = Path(path)
    arrays = _read_arrays(path)
    about = _read_about(arrays["about"].tobytes(), path)
    if not puzzle.is_settled and about.settled is not None:
        puzzle = puzzle.settled(*about.settled)
    if about.puzzle != puzzle.digest:
        raise BadInputError(f"{path} is a checkpoint of another puzzle than {puzzle.name}.")
    params = _read_params(about.params, path)
    history = tuple(about.history)
    state = State(
        about.puzzle,
        params,
        about.seed,
        arrays["population"],
        arrays["costs"],
        arrays["best"],
        about.stale,
        history,
        about.settled,
    )
    if not (_is_history(state) and _are_chromosomes(state, puzzle)):
        raise BadInputError(f"{path} is damaged: what it holds is no generation of {puzzle.name}.")
    return state


def check_checkpoint_place(path: Path) -> None:
    """Make sure that a checkpoint can be written here, and that it overwrites nothing but a checkpoint."""
    check_place(path)
    if kind_of(path) != "nothing" and not has_file(path, "about.npy"):
        raise BadInputError(f"{path} is there already and is no checkpoint; choose another name.")


class Checkpoint(Observer):
    """Writes a checkpoint every few generations, and when the solve is over, whatever ended it.

    One that cannot be written is a warning, and the next one is tried again: disks fill and are emptied.
    """

    def __init__(self, path: Path | str, every: int = EVERY) -> None:
        if every < 1:
            raise ValueError(f"a checkpoint is written every 1 or more generations, not every {every}")
        self.path, self.every = Path(path), every
        self.written = False
        self._unsaved: State | None = None
        self._failing = False

    def on_progress(self, progress: Progress) -> None:
        """Write the file if it is time to."""
        if progress.state is not None:
            self._unsaved = progress.state
            if progress.state.generation % self.every == 0:
                self._save()

    def on_end(self, result: Result) -> None:
        """Write what has not been written yet."""
        self._save()

    def _save(self) -> None:
        if self._unsaved is None:
            return
        try:
            save_checkpoint(self._unsaved, self.path)
        except (PuzzleError, OSError, MemoryError) as error:
            if not self._failing:
                said = f"No checkpoint was written, and the next one will be tried: {str(error) or repr(error)}"
                warnings.warn(said, PuzzleWarning, stacklevel=5)
            self._failing = True
        else:
            self._unsaved, self._failing, self.written = None, False, True


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    data = read_file(path)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return {name: _read_array(archive, f"{name}.npy") for name in ("about", "population", "costs", "best")}
    # Damaged bytes may make zipfile and numpy raise anything.
    except Exception as error:
        raise BadInputError(f"{path} is not a checkpoint of rectoverso, or not a whole one.") from error


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """An array as it is stored: nothing is unpacked, so nothing is larger than the file is."""
    if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{name} is compressed")
    data = archive.read(name)
    file = BytesIO(data)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError(f"{name} is of another version")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
    if by_columns or dtype.hasobject or not dtype.isnative:
        raise ValueError(f"{name} is no plain array")
    return np.frombuffer(data, dtype, offset=file.tell()).reshape(shape)


def _read_about(data: bytes, path: Path) -> _About:
    try:
        head = msgspec.json.decode(data, type=_Head)
        if head.version > VERSION:
            raise BadInputError(
                f"{path} has version {head.version}; this rectoverso reads checkpoints up to {VERSION}: update it."
            )
        if head.format != FORMAT:
            raise BadInputError(f"{path} is a {head.format!r} file; {FORMAT!r} is needed.")
        return msgspec.json.decode(data, type=_About)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise BadInputError(f"{path} is not a checkpoint of rectoverso: {error}.") from error


def _read_params(values: dict[str, Any], path: Path) -> Params:
    try:
        params = changed_params(Params(), values)
    except ValueError as error:
        said = f"{path} is damaged, or was written by a rectoverso with other parameters: {error}."
        raise BadInputError(said) from error
    # A parameter that only this version knows would change the result without a word.
    if asdict(params) != values:
        raise BadInputError(f"{path} was written by a rectoverso with other parameters; use that one to go on.")
    return params


def _is_history(state: State) -> bool:
    return (
        0 <= state.seed < 2**64
        and 0 <= state.stale < len(state.history)
        and [record.generation for record in state.history] == list(range(len(state.history)))
        and all(_is_record(record) for record in state.history)
    )


def _is_record(record: Record) -> bool:
    numbers = (record.best_cost, record.mean_cost, record.seconds)
    counts = record.phases.values()
    return tuple(record.phases) == PHASES and bool(np.isfinite(numbers).all()) and all(0 <= n < 2**63 for n in counts)


def _are_chromosomes(state: State, puzzle: Puzzle) -> bool:
    """Whether the arrays are a population of this puzzle; the native code trusts them without looking."""
    size, pieces = state.params.genetic.population, puzzle.num_pieces
    found = [(array.dtype.name, array.shape) for array in (state.population, state.costs, state.best)]
    if found != [("uint32", (size, pieces)), ("float64", (size,)), ("uint32", (pieces,))]:
        return False
    return bool(np.isfinite(state.costs).all()) and all(
        _is_chromosome(chromosome, puzzle) for chromosome in (state.best, *state.population)
    )


def _is_chromosome(chromosome: NDArray[np.uint32], puzzle: Puzzle) -> bool:
    """Whether each piece is there once, in a cell and a rotation that it may have."""
    piece, rotation = chromosome // (4 * puzzle.faces), chromosome % 4
    if puzzle.homes is not None:
        in_place = np.array_equal(piece[puzzle.homes], np.arange(puzzle.num_pieces))
    else:
        in_place = np.array_equal(np.sort(piece), np.arange(puzzle.num_pieces))
    return in_place and bool(np.isin(rotation, puzzle.turns).all())
