"""Nothing is lost and nothing foreign is touched: outputs, permissions, signals, names and messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from PIL import Image

from rectoverso import cli, load_puzzle, load_solution, load_truth, storage, swapping
from rectoverso.errors import BadInputError

Call = Callable[..., Result]
Refused = Callable[..., str]

SMALL = ("--preset", "quick", "--population", 20, "--generations", 2)


@pytest.fixture
def nobody() -> Iterator[None]:
    """Somebody who may not look into the folders of this test."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    os.seteuid(65534)
    yield
    os.seteuid(0)


@pytest.mark.parametrize("name", ["front.png", "report.html", "solution.json", "log.jsonl"])
def test_solve_does_not_touch_foreign_files(refused: Refused, puzzle: Path, tmp_path: Path, name: str) -> None:
    """A picture or a page of the same name that no solve wrote is neither overwritten nor taken away."""
    output = tmp_path / "out"
    output.mkdir()
    (output / name).write_text("mine")
    sentence = refused("solve", puzzle, "-o", output, *SMALL)
    assert f"out holds {name}, but no solution.json of a solve" in sentence
    assert [(path.name, path.read_text()) for path in output.iterdir()] == [(name, "mine")]


def test_solve_replaces_its_own_files(call: Call, puzzle: Path, two_sided: Path, tmp_path: Path) -> None:
    """A second solve leaves nothing of the first, and everything that is not of a solve."""
    output = tmp_path / "out"
    assert call("solve", two_sided, "-o", output, *SMALL, "--animation", "--report").exit_code == 0
    (output / "diary.txt").write_text("mine")
    assert {"back.png", "animation.webp", "report.html"} < {path.name for path in output.iterdir()}
    assert call("solve", puzzle, "-o", output, *SMALL).exit_code == 0
    there = {path.name for path in output.iterdir()}
    assert there == {"solution.json", "order.csv", "front.png", "log.jsonl", "diary.txt"}


def test_demo_does_not_touch_foreign_pictures(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "pieces-back.png").write_text("mine")
    assert "holds pieces-back.png, which no demo wrote" in refused("demo", "-o", tmp_path)
    assert (tmp_path / "pieces-back.png").read_text() == "mine"


def test_a_result_that_cannot_be_written_leaves_the_old_one(
    call: Call, puzzle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fills at the third file: solution and picture are those of the first solve."""
    output = tmp_path / "out"
    call("solve", puzzle, "-o", output, *SMALL, "--seed", 1)
    before = {path.name: path.read_bytes() for path in output.iterdir()}
    write_part, written = swapping.write_part, []

    def fill(folder: Path, data: bytes) -> Path:
        written.append(folder)
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        return write_part(folder, data)

    monkeypatch.setattr(swapping, "write_part", fill)
    result = call("solve", puzzle, "-o", output, *SMALL, "--seed", 2)
    assert result.exit_code == 3
    assert "No space left on device" in result.stderr
    assert {p.name: p.read_bytes() for p in output.iterdir() if p.name != "log.part.jsonl"} == before


def test_cut_that_fails_leaves_the_old_puzzle(
    refused: Refused, call: Call, puzzle: Path, back: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half way through, the folder is still the puzzle it was, and a later cut replaces it whole."""
    before = {path.name: path.read_bytes() for path in puzzle.iterdir()}
    write_part, written = swapping.write_part, []

    def fill(folder: Path, data: bytes) -> Path:
        written.append(folder)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        return write_part(folder, data)

    with monkeypatch.context() as full:
        full.setattr(swapping, "write_part", fill)
        assert "No space left" in refused("cut", back, "-o", puzzle)
    assert {path.name: path.read_bytes() for path in puzzle.iterdir()} == before
    assert call("cut", back, "-o", puzzle).exit_code == 0
    again = load_puzzle(puzzle)
    assert load_truth(puzzle, again) is not None
    assert again.name == "back"


def test_cut_that_was_killed_is_no_obstacle(call: Call, front: Path, tmp_path: Path) -> None:
    """A new folder with half a file in it can be cut into again."""
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / f"{swapping.PART}0123").write_bytes(b"half")
    assert call("cut", front, "-o", tmp_path / "new").exit_code == 0
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"puzzle.json", "truth.json", "front.png"}


def test_a_puzzle_that_was_being_swapped_in_is_read(call: Call, puzzle: Path, back: Path, tmp_path: Path) -> None:
    """A cut that was killed after it was decided is finished by whoever reads the puzzle."""
    call("cut", back, "-o", tmp_path / "other")
    plan: dict[str, str | None] = {}
    for number, name in enumerate(("front.png", "truth.json", "puzzle.json")):
        plan[name] = f"{swapping.PART}{number}"
        (puzzle / f"{swapping.PART}{number}").write_bytes((tmp_path / "other" / name).read_bytes())
    (puzzle / swapping.PLAN).write_text(json.dumps(plan))
    assert load_puzzle(puzzle).digest == load_puzzle(tmp_path / "other").digest
    assert {path.name for path in puzzle.iterdir()} == {*plan}


def test_the_log_does_not_follow_a_link(call: Call, puzzle: Path, tmp_path: Path) -> None:
    output, victim = tmp_path / "out", tmp_path / "victim"
    output.mkdir()
    victim.write_text("mine")
    (output / "log.part.jsonl").symlink_to(victim)
    assert call("solve", puzzle, "-o", output, *SMALL).exit_code == 0
    assert victim.read_text() == "mine"
    assert not (output / "log.part.jsonl").is_symlink()


LONG = "x" * 300


@pytest.mark.parametrize(
    "args",
    [
        ("info", LONG),
        ("solve", LONG, "-o", "out"),
        ("solve", "PUZZLE", "-o", LONG),
        ("solve", "PUZZLE", "-o", "out", "--resume", LONG),
        ("solve", "PUZZLE", "-o", "out", "--checkpoint", LONG),
        ("score", "PUZZLE", LONG),
        ("render", "PUZZLE", LONG, "-o", "a.png"),
        ("cut", LONG, "-o", "new"),
        ("cut", "FRONT", "-o", LONG),
        ("cut", "FRONT", "-o", f"{LONG}.zip"),
        ("params", "--params", LONG),
        ("demo", "-o", LONG),
        ("bench", "toy", "--data", LONG),
    ],
)
def test_names_that_are_too_long(
    refused: Refused, puzzle: Path, front: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    if args[0] == "bench":
        (tmp_path / "experiments").mkdir()
        (tmp_path / "experiments/toy.toml").write_text('title = "t"\ntype = 2\nsets = []\n')
    sentence = refused(*({"PUZZLE": puzzle, "FRONT": front}.get(arg, arg) for arg in args))
    assert "File name too long" in sentence
    assert len(sentence) < 420


@pytest.mark.parametrize(
    "args",
    [
        ("info", "PUZZLE"),
        ("solve", "PUZZLE", "-o", "OUT"),
        ("score", "PUZZLE", "PUZZLE"),
        ("cut", "FRONT", "-o", "OUT"),
        ("cut", "FRONT", "-o", "PUZZLE"),
        ("params", "--params", "PUZZLE"),
    ],
)
def test_folders_that_nobody_may_look_into(
    refused: Refused, puzzle: Path, front: Path, tmp_path: Path, nobody: None, args: tuple[str, ...]
) -> None:
    places = {"PUZZLE": puzzle, "FRONT": front, "OUT": tmp_path / "out"}
    assert "Permission denied" in refused(*(places.get(arg, arg) for arg in args))


def edit(file: Path, **changes: Any) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_names_do_nothing_to_a_terminal(call: Call, puzzle: Path, solution: Path) -> None:
    """A puzzle cannot be called a sequence that clears the screen, and no message passes one on."""
    edit(puzzle / "puzzle.json", name="\x1b[2J\x1b]0;owned\x07 \u202ename\n" + "x" * 1000)
    result = call("info", puzzle)
    assert result.exit_code == 0
    assert not set("\x1b\x07\u202e") & set(result.output)
    assert len(max(result.output.splitlines(), key=len)) < 250
    edit(solution, puzzle="other")
    refused = call("score", puzzle, solution)
    assert refused.exit_code == 3
    assert "\x1b" not in refused.stderr
    (puzzle.parent / "p.toml").write_text('"\\u001b[31m" = 1\n')
    assert "\x1b" not in call("params", "--params", puzzle.parent / "p.toml").stderr


def test_error_lines_are_not_endless(refused: Refused, puzzle: Path) -> None:
    """What a message quotes may be as long as a file; the way out is kept."""
    edit(puzzle / "puzzle.json", faces=["x" * 100_000])
    sentence = refused("info", puzzle)
    assert len(sentence) <= 410
    assert sentence.endswith("type 2 has ['front.png'].")


@pytest.mark.parametrize(
    "text",
    [
        '{"type": 1' + "0" * 5000 + "}",
        '{"made": ' + "[" * 100_000 + "]" * 100_000 + "}",
        "[" * 100_000,
    ],
)
def test_json_that_no_parser_likes(refused: Refused, puzzle: Path, text: str) -> None:
    (puzzle / "puzzle.json").write_text(text)
    assert "puzzle.json is not valid" in refused("info", puzzle)
    (puzzle / "puzzle.json").write_text("{}")


@pytest.mark.parametrize("number", [2**32, -(2**32), 10**30, 1.5])
def test_homes_that_fit_no_array(refused: Refused, two_sided: Path, number: object) -> None:
    """A home beyond 32 bits is not silently another one."""
    homes = [*range(19), number]
    edit(two_sided / "puzzle.json", type=6, homes=homes)
    assert "puzzle.json is not valid" in refused("info", two_sided)


@pytest.mark.parametrize("number", [10**400, 2**31])
@pytest.mark.parametrize("field", ["pieces", "rows", "columns", "piece_size", "type"])
def test_numbers_that_fit_nothing(refused: Refused, puzzle: Path, field: str, number: int) -> None:
    edit(puzzle / "puzzle.json", **{field: number})
    assert "puzzle.json is not valid" in refused("info", puzzle)


def test_pieces_that_are_too_many_to_decode(refused: Refused, puzzle: Path) -> None:
    """What puzzle.json claims is checked before the picture is opened."""
    edit(puzzle / "puzzle.json", pieces=10**6, piece_size=100)
    assert "10000 megapixels; at most 400" in refused("info", puzzle, code=4)


def test_a_file_of_spaces_in_a_zip(refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zipfile

    monkeypatch.setattr("rectoverso.puzzle.files.MAX_TEXT", 10**5)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("puzzle.json", b" " * 10**6)
    assert "puzzle.json would unpack to 1 MiB" in refused("info", tmp_path / "a.zip", code=4)


def test_toml_that_no_parser_likes(refused: Refused, tmp_path: Path) -> None:
    for text in ("a = " + "[" * 50_000, "a = " + "9" * 5000, "\ufffd = \x00"):
        (tmp_path / "p.toml").write_text(text)
        assert "is not a TOML file of parameters" in refused("params", "--params", tmp_path / "p.toml")


@pytest.mark.parametrize("text", ["population = 2.5", "population = inf", "mutation = nan", f"population = {10**30}"])
def test_parameters_that_are_no_numbers(call: Call, tmp_path: Path, text: str) -> None:
    (tmp_path / "p.toml").write_text(f"[genetic]\n{text}\n")
    result = call("params", "--params", tmp_path / "p.toml")
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_pillow_is_not_heard(call: Call, tmp_path: Path, front: Path) -> None:
    """A picture of whose EXIF data Pillow warns is cut without a word of that."""
    Image.open(front).save(tmp_path / "a.jpg", exif=b"Exif\0\0II*\0\x08\0\0\0\xff\xff\x12\x01\x03\0")
    result = call("cut", tmp_path / "a.jpg", "-o", tmp_path / "made")
    assert (result.exit_code, result.stderr) == (0, "")


def test_pillow_does_not_log(front: Path, tmp_path: Path) -> None:
    """Of a TIFF file with 128 channels it logs an error, which Python shows where nobody asked for logs."""
    buffer = BytesIO()
    Image.open(front).save(buffer, "TIFF")
    data = bytearray(buffer.getvalue())
    data[data.index(b"\x15\x01\x03\x00") + 8] = 128  # SamplesPerPixel
    (tmp_path / "a.tif").write_bytes(data)
    command = [sys.executable, "-m", "rectoverso", "cut", str(tmp_path / "a.tif"), "-o", str(tmp_path / "made")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_checkpoints_that_fail_are_not_promised(
    call: Call, puzzle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The solve goes on with a warning, and nobody is told to go on from a file that is not there."""

    def full(*args: object) -> None:
        raise BadInputError("the disk is full")

    monkeypatch.setattr("rectoverso.evolve.checkpoint.write_file", full)
    result = call("solve", puzzle, "-o", tmp_path / "out", *SMALL, "--checkpoint", tmp_path / "state")
    assert result.exit_code == 0
    assert result.stderr.count("the disk is full") == 1
    assert "--resume" not in result.output
    assert not (tmp_path / "state").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")
def test_sigterm_is_heard_only_while_a_command_runs(call: Call, front: Path, tmp_path: Path) -> None:
    """A program that calls a command keeps its own way of ending."""
    before = signal.getsignal(signal.SIGTERM)
    seen: list[object] = []
    real = cli.Commands.get_command

    def look(self: cli.Commands, ctx: Any, name: str) -> Any:
        seen.append(signal.getsignal(signal.SIGTERM))
        return real(self, ctx, name)

    cli.Commands.get_command = look  # type: ignore[method-assign]
    try:
        assert call("cut", front, "-o", tmp_path / "made").exit_code == 0
    finally:
        cli.Commands.get_command = real  # type: ignore[method-assign]
    assert seen[-1] is not before
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_solution_without_columns_is_refused(refused: Refused, puzzle: Path, solution: Path) -> None:
    edit(solution, boards=[{"rows": 1, "columns": 0, "piece": [], "rotation": []}])
    assert "a board of 1x0 needs" in refused("score", puzzle, solution)


def test_what_was_solved_is_still_read(call: Call, puzzle: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert call("solve", puzzle, "-o", output, *SMALL).exit_code == 0
    assert load_solution(output, load_puzzle(puzzle)).piece.size == 20
    assert storage.kind_of(output / "log.part.jsonl") == "nothing"
