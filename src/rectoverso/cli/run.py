"""A solve as the commands run it: watched on the console, ended by Ctrl-C, saved in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rectoverso import __version__
from rectoverso.cli.interrupts import REASON, Interrupts
from rectoverso.errors import BadInputError
from rectoverso.evolve.checkpoint import Checkpoint, check_checkpoint_place
from rectoverso.evolve.observers import Observer
from rectoverso.evolve.result import Result
from rectoverso.evolve.state import State
from rectoverso.evolve.stop import Signal
from rectoverso.images.files import Pixels, encode_png
from rectoverso.parameters import Params
from rectoverso.puzzle.arrangement import Arrangement
from rectoverso.puzzle.files import save_solution
from rectoverso.puzzle.puzzle import Puzzle
from rectoverso.show.alignment import as_seen
from rectoverso.show.animation import Animation
from rectoverso.show.console import Console
from rectoverso.show.log import Log
from rectoverso.show.report.bests import Bests
from rectoverso.show.report.report import make_report
from rectoverso.show.report.story import Story, render_faces
from rectoverso.solving import solve
from rectoverso.storage import make_folder, write_file


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


@dataclass(frozen=True)
class Run:
    """A solve that is over, with what was collected on the way."""

    job: Job
    result: Result
    log: Log
    animation: Animation | None
    bests: Bests

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.result.reason == REASON

    def save(self, arrangement: Arrangement | None = None) -> list[Path]:
        """Write all files and return the pictures; the arrangement is the result's, or a view of it."""
        job, seen = self.job, arrangement or self.result.arrangement
        faces = self.faces if arrangement is None else render_faces(job.puzzle, arrangement)
        stale = {"back.png", "animation.webp", "report.html"} if (job.folder / "solution.json").exists() else set()
        confidence = as_seen(self.result.confidence, self.result.arrangement, seen, job.puzzle)
        save_solution(seen, job.puzzle, job.folder / "solution.json", self._made(), confidence)
        for name, picture in faces.items():
            write_file(job.folder / f"{name}.png", encode_png(picture))
        self.log.save(job.folder / "log.jsonl")
        written = [f"{name}.png" for name in faces]
        if self.animation is not None:
            self.animation.save(job.folder / "animation.webp", job.puzzle, seen)
            written.append("animation.webp")
        for name in stale - {*written}:
            # What an earlier solve left here would pass for a part of this one.
            (job.folder / name).unlink(missing_ok=True)
        return [job.folder / name for name in written]

    @cached_property
    def faces(self) -> dict[str, Pixels]:
        """The picture on each face."""
        return render_faces(self.job.puzzle, self.result.arrangement)

    def story(self, truth: Arrangement | None) -> Story:
        """What a report tells, with the accuracy if the truth is given."""
        job, log = self.job, self.log
        return Story(job.puzzle, job.preset, self.result, self.faces, log.rounds, self.bests.kept, truth)

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
        }


def run(job: Job) -> Run:
    """Solve, watched on the console, until it is done or stopped by Ctrl-C."""
    animation, bests = Animation() if job.animation else None, Bests()
    log = Log(job.folder / "log.part.jsonl")
    with output_folder(job.folder) as drop_folder, Console(job.preset, verbose=job.verbose) as console, log:

        def give_up() -> None:
            console.screen.close()
            log.discard()
            drop_folder()

        with Interrupts(console.screen.stopping, give_up) as interrupts:
            # Interrupts and checkpoints first: what the console has shown can be kept.
            watching = [interrupts, *_checkpoints(job.saving), console, log]
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
    return Run(job, result, log, animation, bests)


def _checkpoints(saving: Saving | None) -> list[Observer]:
    """Who writes the checkpoints; refused before the solve if there is no place for them."""
    if saving is None:
        return []
    check_checkpoint_place(saving.path)
    return [Checkpoint(saving.path, saving.every)]


def check_output(folder: Path) -> None:
    """Refuse a folder in which the pictures of a solution would overwrite the pieces of a puzzle."""
    if (folder / "puzzle.json").exists():
        raise BadInputError(f"{folder} holds a puzzle, which the solution would overwrite; choose another folder.")


@contextmanager
def output_folder(folder: Path) -> Iterator[Any]:
    """Make sure that the folder can be written to; gives the function that takes it away again if nothing is in it."""
    check_output(folder)
    made_here = not folder.exists()

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
