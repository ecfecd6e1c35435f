"""What is fuzzed: a reader, the whole files that its inputs are made of, and what may come of it."""

from __future__ import annotations

import random
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import msgspec
import numpy as np
from click import UsageError
from click.testing import CliRunner
from corpus import noise, pictures, saved, zipped
from mutators import damaged, damaged_json, with_png_sums

import rectoverso
from rectoverso.bench.experiment import load_experiment
from rectoverso.bench.report import experiment_section
from rectoverso.bench.runner import COLUMNS, QUALITY_COLUMNS, WORN_COLUMNS
from rectoverso.changes import as_toml
from rectoverso.cli import commands
from rectoverso.cli.options import Choices
from rectoverso.errors import PuzzleError
from rectoverso.images.files import read_picture
from rectoverso.intake.anything import About, read_heap

MEGAPIXELS = 40
"""A picture of the usual limit would take longer to decode than an input may, and rightly so."""

Make = Callable[[random.Random], bytes]
Read = Callable[[bytes, Path], None]


@dataclass(frozen=True)
class Target:
    """A kind of input: how one is made from a random generator, and how it is read in a folder of its own."""

    make: Make
    read: Read


def _pictures() -> Target:
    seeds = pictures()

    def make(rng: random.Random) -> bytes:
        data = damaged(rng.choice(seeds), rng, seeds)
        return with_png_sums(data) if data.startswith(b"\x89PNG") and rng.random() < 0.8 else data

    return Target(make, lambda data, folder: void(read_picture(BytesIO(data), "it", MEGAPIXELS)))


def void(value: object) -> None:
    """Nothing but that it was computed."""


def small_puzzle(type: int = 2) -> rectoverso.Puzzle:
    """A puzzle of six pieces."""
    front, back = (np.asarray(noise(seed)) for seed in (4, 5))
    return rectoverso.Puzzle.from_image(front, back=back if type > 3 else None, type=type, size=8)


def puzzle_files(type: int = 2) -> dict[str, bytes]:
    """The files of a small puzzle."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        rectoverso.save_puzzle(small_puzzle(type), Path(name) / "puzzle")
        return {path.name: path.read_bytes() for path in sorted((Path(name) / "puzzle").iterdir())}


def load_all(path: Path) -> None:
    """A puzzle and its truth."""
    rectoverso.load_truth(path, rectoverso.load_puzzle(path))


def _zips() -> Target:
    sets = [puzzle_files(type) for type in (2, 4, 6)]
    seeds = [zipped(files, method) for files in sets for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]

    def make(rng: random.Random) -> bytes:
        if rng.random() < 0.7:
            return damaged(rng.choice(seeds), rng, seeds)
        # An archive that is whole, with files in it that are not.
        files = dict(rng.choice(sets))
        name = rng.choice(sorted(files))
        files[name] = (damaged_json if name.endswith("json") else damaged)(files[name], rng, [*files.values()])
        return zipped(files, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)))

    def read(data: bytes, folder: Path) -> None:
        (folder / "a.zip").write_bytes(data)
        load_all(folder / "a.zip")

    return Target(make, read)


def _tiles() -> Target:
    """Zip files of tiles, and single pictures, as a person points at them."""
    formats = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
    files = {f"a/{number}.{format.lower()}": saved(noise(number), format) for number, format in enumerate(formats)}
    files |= {f"back/{number}.png": saved(noise(number), "PNG") for number in range(2)}
    seeds = [zipped(files, method) for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
    shuffled = saved(noise().resize((96, 64)), "PNG")

    def make(rng: random.Random) -> bytes:
        if rng.random() < 0.2:
            return with_png_sums(damaged(shuffled, rng, seeds))
        if rng.random() < 0.5:
            return damaged(rng.choice(seeds), rng, seeds)
        changed, name = dict(files), rng.choice(sorted(files))
        changed[name] = damaged(changed[name], rng, [*files.values()])
        return zipped(changed, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)))

    def read(data: bytes, folder: Path) -> None:
        (folder / "given").write_bytes(data)
        void(read_heap([folder / "given"], About(max_megapixels=MEGAPIXELS)))

    return Target(make, read)


def _puzzle_json() -> Target:
    sets = [puzzle_files(type) for type in (2, 3, 4, 7)]

    def make(rng: random.Random) -> bytes:
        files = dict(rng.choice(sets))
        name = rng.choice(("puzzle.json", "puzzle.json", "truth.json"))
        files[name] = damaged_json(files[name], rng, [files["truth.json"]])
        return zipped(files)

    def read(data: bytes, folder: Path) -> None:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            for name in archive.namelist():
                (folder / name).write_bytes(archive.read(name))
        load_all(folder)

    return Target(make, read)


def _solution_json() -> Target:
    puzzle = small_puzzle(4)
    assert puzzle.truth is not None
    tables = ([0.5] * 4, [0.25] * 3, [0.9] * 6)
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "solution.json"
        sure = rectoverso.Confidence.of(tables[0], tables[1], np.reshape(tables[2], (2, 3)))
        rectoverso.save_solution(puzzle.truth, puzzle, path, {"seed": 1, "params": {"a": [1, 2.5]}}, sure)
        seed = path.read_bytes()

    def read(data: bytes, folder: Path) -> None:
        (folder / "solution.json").write_bytes(data)
        try:
            rectoverso.load_solution(folder, puzzle)
        finally:
            rectoverso.load_confidence(folder, puzzle)

    return Target(lambda rng: damaged_json(seed, rng, [seed]), read)


def _toml_params() -> Target:
    texts = [as_toml(params).encode() for params in rectoverso.PRESETS.values()]

    def read(data: bytes, folder: Path) -> None:
        (folder / "p.toml").write_bytes(data)
        try:
            params = Choices("best", folder / "p.toml").params()
        except UsageError:
            return
        as_toml(params)

    return Target(lambda rng: _damaged_text(rng.choice(texts), rng, texts), read)


LITERALS = (
    *(b"nan", b"inf", b"-inf", b"1e999", b"2.5", b"-1", b"0", b"9" * 25, b"9" * 5000, b"true", b"''", b'"../../x"'),
    *(b"[" * 3000, b"{}", b"[]", b"[[[]]]", b"1979-05-27", b"0x10", b'"\\u001b[2J"', b"[a.b]", b"\n[[sets]]\n"),
    *(b"\xff", b'"/etc"', b"9223372036854775808"),
)


def _damaged_text(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Lines left out, doubled or moved, values that are others; or any bytes."""
    if rng.random() < 0.3:
        return damaged(data, rng, others)
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        place, kind = rng.randrange(len(lines)), rng.random()
        if kind < 0.1 and len(lines) > 1:
            del lines[place]
        elif kind < 0.2:
            lines.insert(rng.randrange(len(lines)), lines[place])
        elif b"=" in lines[place]:
            lines[place] = lines[place].split(b"=")[0] + b"= " + rng.choice(LITERALS)
        else:
            lines[place] += rng.choice(LITERALS)
    return b"\n".join(lines)


EXPERIMENT = b"""
title = "Toy"
text = "About it."
type = 2
preset = "best"
size = 4
runs = 2
wear = ["", "noise=2,gap=1"]

[[sets]]
name = "toys"
pieces = 15
offset = [2, 2]
reduce = 2
images = ["01", "03"]
published = { neighbor = 60.0, perfect = 1, images = 3 }

[[sets]]
name = "both"
pieces = 15
pairs = [{ front = "toys/01", back = "toys/02", turn_back = true }]

[[variants]]
name = "one"
params = { genetic = { population = 50, mutation = 0.5 }, objective = { relative = { loop_rounds = 0 } } }
time_limits = { toys = 3.5 }
"""


def _toml_experiments() -> Target:
    def read(data: bytes, folder: Path) -> None:
        (folder / "a.toml").write_bytes(data)
        load_experiment(str(folder / "a.toml"))

    return Target(lambda rng: _damaged_text(EXPERIMENT, rng, [EXPERIMENT]), read)


def _csv() -> Target:
    def table(columns: tuple[str, ...]) -> bytes:
        values = {"set": "toys", "image": "01", "preset": "best", "variant": "", "version": "0.1.0", "commit": "abc"}
        values |= {"wear": "gap=1", "measure": "lab"}
        rows = [",".join(values.get(name, str(seed)) for name in columns) for seed in range(4)]
        return "\n".join([",".join(columns), *rows, ""]).encode()

    plain = {"solve": COLUMNS, "measure": QUALITY_COLUMNS}
    seeds = [table((*columns, *more)) for kind, columns in plain.items() for more in ((), WORN_COLUMNS[kind])]
    machine = b'{"cpu": "x", "processors": 2, "memory_gb": 3.5, "python": "3", "numpy": "2", "numba": "0"}'

    def make(rng: random.Random) -> bytes:
        data = rng.choice(seeds)
        if rng.random() < 0.5:
            cells = data.split(b",")
            cells[rng.randrange(len(cells))] = rng.choice(
                (b"", b"nan", b"inf", b"x", b'"', b"\n", b"1e9", b"-1", b"\0")
            )
            return b",".join(cells) + bytes([rng.randrange(4)])
        return damaged(data, rng, seeds) + bytes([rng.randrange(4)])

    def read(data: bytes, folder: Path) -> None:
        (folder / "a.csv").write_bytes(data[:-1])
        (folder / "a.machine.json").write_bytes(machine)
        (folder / "a.toml").write_bytes(b'title = "T"\ntype = 2\nsets = [{ name = "toys", pieces = 15 }]\n')
        experiment = load_experiment(str(folder / "a.toml"))
        measure, worn = divmod(data[-1], 2)
        changes = {"kind": "measure" if measure else "solve", "wear": ("gap=1",) if worn else ()}
        experiment_section(msgspec.structs.replace(experiment, **changes), folder)

    return Target(make, read)


def _checkpoints() -> Target:
    import tempfile

    from rectoverso.evolve.state import PHASES, Record, State

    puzzle = small_puzzle(4)
    rng = np.random.default_rng(0)
    params = rectoverso.changed_params(rectoverso.PRESETS["best"], {"genetic": {"population": 5}})
    rows = [rng.permutation(6) * 8 + rng.integers(0, 8, 6) for _ in range(5)]
    history = tuple(Record(n, 2.5, 3.5, dict.fromkeys(PHASES, n), 0.5 * n) for n in range(3))
    state = State(
        puzzle.digest, params, 7, np.array(rows, np.uint32), np.ones(5), np.array(rows[0], np.uint32), 1, history
    )
    with tempfile.TemporaryDirectory() as name:
        rectoverso.save_checkpoint(state, Path(name) / "state")
        seed = (Path(name) / "state").read_bytes()
    with zipfile.ZipFile(BytesIO(seed)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    about = parts["about.npy"][128:]

    def make(rng: random.Random) -> bytes:
        if rng.random() < 0.4:
            return damaged(seed, rng, [seed])
        files, name = dict(parts), rng.choice(sorted(parts))
        if name == "about.npy" and rng.random() < 0.8:
            array, buffer = np.frombuffer(damaged_json(about, rng, [about]), np.uint8), BytesIO()
            np.save(buffer, array)
            files[name] = buffer.getvalue()
        else:
            files[name] = damaged(files[name], rng, [*parts.values()])
        return zipped(files, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))

    def read(data: bytes, folder: Path) -> None:
        (folder / "state").write_bytes(data)
        rectoverso.load_checkpoint(folder / "state", puzzle)

    return Target(make, read)


def _commands() -> Target:
    """Damaged inputs through the commands: an exit code that is documented, and one line that says why."""
    files, seeds = puzzle_files(), [saved(noise(), format) for format in ("PNG", "JPEG", "TIFF", "GIF")]
    archive = zipped(files)

    def make(rng: random.Random) -> bytes:
        if rng.random() < 0.5:
            return b"c" + damaged(rng.choice(seeds), rng, seeds)
        if rng.random() < 0.5:
            return b"i" + damaged(archive, rng, seeds)
        name = rng.choice(("puzzle.json", "truth.json"))
        return b"i" + zipped(files | {name: damaged_json(files[name], rng, seeds)})

    def read(data: bytes, folder: Path) -> None:
        (folder / "given.zip").write_bytes(data[1:])
        given, output = str(folder / "given.zip"), str(folder / "out")
        cut = ["cut", given, "-o", output, "--size", "8", "--crop", "--max-megapixels", "4"]
        result = CliRunner().invoke(commands, cut if data[:1] == b"c" else ["info", given])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        lines = [line for line in result.stderr.splitlines() if not line.startswith("warning: ")]
        refused = result.exit_code in (3, 4) and len(lines) == 1 and len(lines[0]) < 420 and lines[0].isprintable()
        if not (refused or (result.exit_code == 0 and not lines)):
            raise AssertionError(f"exit code {result.exit_code}: {result.stderr[:500]!r}")
        if refused and (folder / "out").exists():
            raise AssertionError("it was refused, and yet there is an output")
        if refused:
            raise PuzzleError(lines[0])

    return Target(make, read)


TARGETS: dict[str, Callable[[], Target]] = {
    "pictures": _pictures,
    "zips": _zips,
    "tiles": _tiles,
    "puzzle-json": _puzzle_json,
    "solution-json": _solution_json,
    "toml-params": _toml_params,
    "toml-experiments": _toml_experiments,
    "csv": _csv,
    "checkpoints": _checkpoints,
    "commands": _commands,
}


def attempt(target: Target, data: bytes, folder: Path) -> str:
    """Read an input; "read" or "refused" are what may come of it, and everything else is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", rectoverso.PuzzleWarning)
        try:
            target.read(data, folder)
        except PuzzleError:
            return "refused"
    return "read"
