"""The log and the animation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers import small_puzzle
from PIL import Image, ImageSequence

import rectoverso
from rectoverso import (
    Genetic,
    Objective,
    Observer,
    Params,
    Progress,
    Puzzle,
    PuzzleWarning,
    Relative,
    Repair,
    Result,
    changed_params,
    solve,
)
from rectoverso.images.files import Pixels
from rectoverso.puzzle.render import render
from rectoverso.repair.regrowth import EARLY
from rectoverso.show import animation
from rectoverso.show.alignment import aligned
from rectoverso.show.animation import Animation, frame
from rectoverso.show.log import Log

TINY = Params(Genetic(population=20, generations=3, elites=1))
REPAIRED = Params(
    TINY.genetic,
    Objective(measure="blend", relative=Relative(traces=False, color_gap=0.0, loop_rounds=0, skip=0.0)),
    Repair(regrow_steps=80, patch_steps=0, segment_moves=0, exchange_cells=0),
)


def watched(puzzle: Puzzle, *observers: Observer, params: Params = TINY) -> Result:
    """A short solve."""
    return solve(puzzle, params=params, seed=4, threads=1, observers=observers)


def test_log_has_a_line_for_each_generation(tmp_path: Path) -> None:
    """Each line is an object with the numbers of the history; before it there are the steps of the preparation."""
    log = Log()
    result = watched(small_puzzle("distinct", 2), log)
    (tmp_path / "log.jsonl").write_bytes(log.encode())
    all_lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    steps, lines = all_lines[: len(log.steps)], all_lines[len(log.steps) :]
    assert all(set(line) == {"step", "fraction", "seconds", "seconds_left"} for line in steps)
    assert (steps[-1]["step"], steps[-1]["fraction"], steps[-1]["seconds_left"]) == ("prepared", 1, 0)
    assert steps[-1]["seconds"] == pytest.approx(result.seconds["preparation"], abs=1e-5)
    assert [line["generation"] for line in lines] == [0, 1, 2, 3]
    assert [line["best_cost"] for line in lines] == [record.best_cost for record in result.history]
    assert [line["mean_cost"] for line in lines] == [record.mean_cost for record in result.history]
    totals = {name: sum(line["placements"][name] for line in lines) for name in result.placements}
    assert totals == result.placements


def test_log_goes_on_with_rounds(tmp_path: Path) -> None:
    """After the generations each round of repair has its line, on the same clock."""
    log, told = Log(), []

    class Clock(Observer):
        def on_progress(self, progress: Progress) -> None:
            told.append(progress.seconds)

    result = watched(small_puzzle("distinct", 2), log, Clock(), params=REPAIRED)
    (tmp_path / "log.jsonl").write_bytes(log.encode())
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()][len(log.steps) :]
    assert [line.get("generation") for line in lines[:4]] == [0, 1, 2, 3]
    assert [line.get("round") for line in lines[4:]] == list(range(1, EARLY + 1))
    assert lines[-1]["best_cost"] == result.cost
    assert [line["seconds"] for line in lines] == sorted(line["seconds"] for line in lines)
    assert lines[-1]["seconds"] == pytest.approx(result.seconds["evolution"] + told[-1], abs=1e-5)
    assert told[-1] <= result.seconds["repair"]


def test_log_is_written_as_it_happens(tmp_path: Path) -> None:
    """Each line can be read before the next step is done; in the end there is only the whole log."""
    part, seen = tmp_path / "part", []

    class Reader(Observer):
        def on_progress(self, progress: Progress) -> None:
            seen.append(part.read_text())

    part.write_text("of an earlier solve")
    log = Log(part)
    watched(small_puzzle("distinct", 2), log, Reader(), params=REPAIRED)
    assert [text.count("\n") for text in seen] == list(range(1, len(log.steps) + 4 + EARLY + 1))
    (tmp_path / "log.jsonl").write_bytes(log.encode())
    assert (tmp_path / "log.jsonl").read_text() == seen[-1]
    log.discard()
    assert not part.exists()


def test_log_survives_a_full_disk(tmp_path: Path) -> None:
    """A part that cannot be written is one warning; the log is whole in the end."""
    log = Log(tmp_path / "nowhere" / "part")
    with pytest.warns(PuzzleWarning, match="cannot be written") as caught:
        watched(small_puzzle("distinct", 2), log)
    assert len(caught) == 1
    (tmp_path / "log.jsonl").write_bytes(log.encode())
    assert (tmp_path / "log.jsonl").read_text().count("\n") == len(log.steps) + 4


def test_log_of_a_failure_is_taken_away(tmp_path: Path) -> None:
    """What was written line by line belongs to no solution."""

    def run_out_of_memory() -> None:
        with Log(tmp_path / "part") as log:
            watched(small_puzzle("distinct", 2), log)
            assert (tmp_path / "part").exists()
            raise MemoryError

    with pytest.raises(MemoryError):
        run_out_of_memory()
    assert not (tmp_path / "part").exists()


@pytest.mark.parametrize("type", range(1, 8))
def test_aligned_undoes_what_cannot_be_known(type: int) -> None:
    """Every turn and flip of the whole that the type leaves open is undone, and no other."""
    puzzle = small_puzzle("distinct", type)
    truth = puzzle.truth
    assert truth is not None
    turns = [0, 1, 2, 3] if puzzle.type.rotation_unknown and puzzle.type.location_unknown else [0]
    sides = [truth, truth.flipped()] if puzzle.type.two_sided and puzzle.type.location_unknown else [truth]
    for side in sides:
        for quarters in turns:
            assert aligned(side.turned(quarters), truth, puzzle) == truth
    if len(turns) == 1:
        assert aligned(truth.turned(2), truth, puzzle) == truth.turned(2)


def test_aligned_sees_what_is_shifted() -> None:
    """An arrangement that is right but for one row moved to the other end is turned the right way up."""
    puzzle = small_puzzle("distinct", 4, rows=5, columns=5)
    truth = puzzle.truth
    assert truth is not None
    tables = (truth.piece, truth.rotation, truth.face)
    shifted = rectoverso.Arrangement.of(*(np.roll(table, 1, axis=0) for table in tables))
    assert aligned(shifted.flipped().turned(3), truth, puzzle) == shifted


def frames_of(path: Path) -> tuple[list[Pixels], list[int]]:
    """The frames of an animation and how many milliseconds each is shown."""
    with Image.open(path) as image:
        shown = [(np.asarray(one.convert("RGB")), one.info["duration"]) for one in ImageSequence.Iterator(image)]
    pictures, durations = zip(*shown, strict=True)
    return list(pictures), list(durations)


@pytest.mark.parametrize("type", [2, 4])
def test_animation_has_a_frame_for_each_new_best(tmp_path: Path, photos: tuple[Pixels, Pixels], type: int) -> None:
    """Frames only where the best changed; the last one is the result, held for two seconds."""
    front, back = (photo[:112, :140] for photo in photos)
    puzzle = Puzzle.from_image(front, back=back if type == 4 else None, size=28)
    film = Animation()
    result = watched(puzzle, film)
    (tmp_path / "a.webp").write_bytes(film.encode(puzzle, result.arrangement))
    pictures, durations = frames_of(tmp_path / "a.webp")
    assert len(pictures) == len({record.best_cost for record in result.history}) >= 2
    assert durations[-1] == 2000
    wanted = render(puzzle, result.arrangement)
    assert np.abs(pictures[-1][:, :140].astype(int) - wanted).mean() < 6  # the format is lossy
    assert np.abs(pictures[0][:, :140].astype(int) - wanted).mean() > 12
    assert pictures[-1].shape == ((112, 288, 3) if type == 4 else (112, 140, 3))


def test_animation_ends_on_what_was_repaired(tmp_path: Path, photos: tuple[Pixels, Pixels]) -> None:
    """The rounds of repair have their frames, and the last one is the result, not the best of evolution."""
    puzzle = Puzzle.from_image(photos[0][140:252, 168:308], size=14)
    film = Animation()
    few = {"genetic": {"population": 4, "generations": 1}, "repair": {"regrow_steps": 400}}
    result = watched(puzzle, film, params=changed_params(REPAIRED, few))
    evolved = len({record.best_cost for record in result.history})
    assert result.cost < result.history[-1].best_cost
    (tmp_path / "a.webp").write_bytes(film.encode(puzzle, result.arrangement))
    pictures, _ = frames_of(tmp_path / "a.webp")
    assert len(pictures) == len(film.bests) > evolved
    wanted = render(puzzle, result.arrangement)
    best_of_evolution, last = (np.abs(pictures[i].astype(int) - wanted).mean() for i in (evolved - 1, -1))
    assert last < best_of_evolution
    assert np.array_equal(film.bests[-1], result.arrangement.up_edges(puzzle.faces).ravel())


def test_animation_of_a_long_solve_keeps_some() -> None:
    """Never more than twice as many as are shown; the first and the last are among them."""
    film = Animation()
    for number in range(1000):
        film.on_progress(Progress("repair", "", 0.0, 0.0, np.array([number], np.uint32), 0.0))
        assert len(film.bests) <= 2 * animation.MAX_FRAMES
    assert (film.bests[0], film.bests[-1]) == (0, 999)


def test_animation_is_thinned_and_turned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many frames become few, with the last among them, and all are the same way up."""
    monkeypatch.setattr(animation, "MAX_FRAMES", 3)
    puzzle = small_puzzle("distinct", 2, size=8)
    truth = puzzle.truth
    assert truth is not None
    tables = [truth.piece.copy(), truth.rotation.copy()]
    for table in tables:
        table[0, :2] = table[0, 1::-1]
    nearly = rectoverso.Arrangement.of(*tables)
    film = Animation()
    bests = [nearly.turned(2), truth, nearly, truth, nearly.turned(2), truth]
    film.bests = [best.up_edges(puzzle.faces).ravel() for best in bests]
    (tmp_path / "a.webp").write_bytes(film.encode(puzzle, truth))
    pictures, _ = frames_of(tmp_path / "a.webp")
    assert 2 <= len(pictures) <= 3
    for picture in pictures:
        assert np.abs(picture[8:].astype(int) - render(puzzle, truth)[8:]).mean() < 20


def test_frames_are_small() -> None:
    """A face is at most 640 pixels long, however large the puzzle is."""
    picture = np.zeros((100, 1600, 3), np.uint8)
    puzzle = Puzzle.from_image(picture, back=picture, size=50)
    assert puzzle.truth is not None
    assert frame(puzzle, puzzle.truth).shape == (40, 640 * 2 + 8, 3)
