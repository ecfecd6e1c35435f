"""A solve as the commands run it: watched on the console, ended by Ctrl-C, saved in a folder."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rectoverso import __version__
from rectoverso.cli.interrupts import REASON, Interrupts
from rectoverso.errors import BadInputError, PuzzleWarning
from rectoverso.evolve.checkpoint import Checkpoint, check_checkpoint_place
from rectoverso.evolve.observers import Observer
from rectoverso.evolve.result import Result
from rectoverso.evolve.state import State
from rectoverso.evolve.stop import Signal
from rectoverso.images.files import Pixels, encode_png
from rectoverso.parameters import Params
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.files import encode_solution, is_solution
from rectoverso.puzzle.order import encode_order
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.show.alignment import as_seen
from rectoverso.show.animation import Animation
from rectoverso.show.console import Console
from rectoverso.show.log import Log
from rectoverso.show.report.bests import Bests
from rectoverso.show.report.report import make_report
from rectoverso.show.report.story import Story, render_faces
from rectoverso.solving import solve
from rectoverso.storage import kind_of, make_folder, write_file
from rectoverso.swapping import RESULT, settle, swap_files


@dataclass(frozen=True)
class Saving:
    """Where checkpoints go, and how many generations lie between two."""

    path: Path
    every: int


@dataclass(frozen=True)
class Job:
    """What is to be solved, how, and where the result goes."""

    puzzle: Puzzle
    folder: Path
    preset: str
    params: Params
    seed: int = 0
    threads: int | None = None
    animation: bool = False
    report: bool = False
    saving: Saving | None = None
    resume: State | None = None
    verbose: bool = False
    notes: tuple[str, ...] = ()
    """What was understood of the input."""


@dataclass(frozen=True)
class Run:
    """A solve that is over, with what was collected on the way."""

    job: Job
    result: Result
    log: Log
    animation: Animation | None
    bests: Bests
    checkpoint: Checkpoint | None = None

    @property
    def resumable(self) -> Path | None:
        """The checkpoint that this solve can be resumed from; None if none was written."""
        return self.checkpoint.path if self.checkpoint is not None and self.checkpoint.written else None

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.result.reason == REASON

    @property
    def puzzle(self) -> Puzzle:
        """What was solved, with all that was found out about it."""
        return self.result.puzzle

    def seen_as(self, view: Arrangement) -> Run:
        """The same with the whole turned or turned over, as a view of the result's arrangement is."""
        confidence = as_seen(self.result.confidence, self.result.arrangement, view, self.puzzle)
        return replace(self, result=replace(self.result, arrangement=view, confidence=confidence))

    def save(self) -> list[Path]:
        """Write all files and return the pictures."""
        result, folder = self.result, self.job.folder
        pictures = {f"{name}.png": encode_png(picture) for name, picture in self.faces.items()}
        pictures |= self._animated()
        files = {
            "solution.json": encode_solution(result.arrangement, self.puzzle, self._made(), result.confidence),
            "order.csv": encode_order(result.arrangement, self.puzzle),
            "log.jsonl": self.log.encode(),
        }
        # All at once: what an earlier solve left here would pass for a part of this one.
        swap_files(folder, files | pictures, RESULT)
        self.log.discard()
        return [folder / name for name in pictures]

    def _animated(self) -> dict[str, bytes]:
        """The animation, if there is one; one that fails is no reason to lose the solution."""
        if self.animation is None:
            return {}
        try:
            return {"animation.webp": self.animation.encode(self.puzzle, self.result.arrangement)}
        except Exception as error:
            warnings.warn(f"There is no animation: {str(error) or repr(error)}", PuzzleWarning, stacklevel=3)
            return {}

    @cached_property
    def faces(self) -> dict[str, Pixels]:
        """The picture on each face."""
        return render_faces(self.puzzle, self.result.arrangement)

    def story(self, truth: Arrangement | None) -> Story:
        """What a report tells, with the accuracy if the truth is given."""
        job, log = self.job, self.log
        return Story(self.puzzle, job.preset, self.result, self.faces, log.rounds, self.bests.kept, truth)

    def report(self, story: Story) -> Path:
        """Write the report, and say where it is."""
        path = self.job.folder / "report.html"
        write_file(path, make_report(story).encode())
        return path

    def _made(self) -> dict[str, Any]:
        """How the solution was made."""
        result = self.result
        return {
            "rectoverso": __version__,
            "preset": self.job.preset,
            "params": asdict(result.params),
            "seed": result.seed,
            "cost": result.cost,
            "generations": result.generations,
            "stopped": result.reason,
            "seconds": result.seconds,
            "type": int(self.puzzle.type),
            "found": [*self.job.notes, *result.notes],
        }


def run(job: Job) -> Run:
    """Solve, watched on the console, until it is done or stopped by Ctrl-C."""
    animation, bests = Animation() if job.animation else None, Bests()
    log = Log(job.folder / "log.part.jsonl")
    with (
        output_folder(job.folder) as drop_folder,
        Console(job.preset, verbose=job.verbose, notes=job.notes) as console,
        log,
    ):
        checkpoint = _checkpoint(job.saving)

        def give_up() -> None:
            console.screen.close()
            log.discard()
            drop_folder()

        with Interrupts(console.screen.stopping, give_up) as interrupts:
            # Interrupts and checkpoints first: what the console has shown can be kept.
            watching: list[Observer] = [interrupts, *([checkpoint] if checkpoint else []), console, log]
            watching += [*([animation] if animation else []), *([bests] if job.report else [])]
            result = solve(
                job.puzzle,
                params=job.params,
                stop=Signal(interrupts.reason),
                seed=job.seed,
                threads=job.threads,
                observers=watching,
                resume=job.resume,
            )
    return Run(job, result, log, animation, bests, checkpoint)


def _checkpoint(saving: Saving | None) -> Checkpoint | None:
    """Who writes the checkpoints; refused before the solve if there is no place for them."""
    if saving is None:
        return None
    check_checkpoint_place(saving.path)
    return Checkpoint(saving.path, saving.every)


def check_output(folder: Path) -> None:
    """Refuse a folder in which a result would overwrite the pieces of a puzzle, or files that no solve wrote."""
    if kind_of(folder) != "folder":
        return
    settle(folder)
    if kind_of(folder / "puzzle.json") != "nothing":
        raise BadInputError(f"{folder} holds a puzzle, which the solution would overwrite; choose another folder.")
    there = [name for name in RESULT if os.path.lexists(folder / name)]
    if there and not is_solution(folder / "solution.json"):
        raise BadInputError(
            f"{folder} holds {' and '.join(there)}, but no solution.json of a solve: the result would overwrite what "
            "something else wrote; choose another folder."
        )


@contextmanager
def output_folder(folder: Path) -> Iterator[Any]:
    """Make sure that the folder can be written to; gives the function that takes it away again if nothing is in it."""
    check_output(folder)
    made_here = kind_of(folder) == "nothing"

    def drop() -> None:
        if made_here:
            with suppress(OSError):
                folder.rmdir()

    make_folder(folder)
    try:
        yield drop
    except BaseException:
        drop()
        raise
