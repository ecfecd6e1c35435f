"""Experiments: written down, run, resumed and shown."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from helpers import picture

from rectoverso.bench.experiment import Experiment, ImageSet, load_experiment
from rectoverso.bench.memory import peak_memory, reset_peak_memory
from rectoverso.bench.pages import PAGES
from rectoverso.bench.pictures import Pictures
from rectoverso.bench.report import (
    BEGIN,
    END,
    experiment_section,
    insert_block,
    measure_table,
    set_table,
    variant_table,
)
from rectoverso.bench.runner import COLUMNS, KEY, QUALITY_COLUMNS, key_of, read_rows
from rectoverso.cli import commands
from rectoverso.errors import BadInputError
from rectoverso.images.files import encode_png
from rectoverso.parameters import PRESETS
from rectoverso.puzzle.render import render

ROOT = Path(__file__).parents[2]

TOY = """
title = "Toy"
type = 2
preset = "quick"
size = 4
runs = 2

[[sets]]
name = "toys"
pieces = 15
published = { neighbor_average = 50.0, neighbor = 60.0, direct = 40.0, perfect = 1, images = 3, seconds = 100 }
"""

PAIRS = """
title = "Pairs"
type = 4
preset = "quick"
size = 4

[[sets]]
name = "both"
pieces = 15

[[sets.pairs]]
front = "toys/01"
back = "toys/tall"
turn_back = true

[[sets.pairs]]
front = "toys/01"
back = "toys/missing"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with experiments and pictures."""
    for folder in ("experiments", "data/toys"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "experiments/toy.toml").write_text(TOY)
    (tmp_path / "experiments/pairs.toml").write_text(PAIRS)
    for name, kind in (("01", "distinct"), ("02", "flat")):
        (tmp_path / f"data/toys/{name}.png").write_bytes(encode_png(picture(kind, 12, 20)))
    (tmp_path / "data/toys/tall.png").write_bytes(
        encode_png(np.ascontiguousarray(np.rot90(picture("distinct", 12, 20))))
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECTOVERSO_DATA", str(tmp_path / "data"))
    return tmp_path


def bench(*arguments: str) -> str:
    """What the command says on stderr, having ended well."""
    result = CliRunner().invoke(commands, ["bench", *arguments])
    assert result.exit_code == 0, result.output
    return result.stderr


@pytest.mark.parametrize("arguments", [("type2",), ("--report",)])
def test_bench_needs_a_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    """Elsewhere it says so in one sentence."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(commands, ["bench", *arguments])
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (3, "", 1)
    assert "a clone of the project" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_row_for_each_run(place: Path) -> None:
    """Every image and seed has its row with scores, times, memory and the version; the machine is described."""
    said = bench("toy", "--images", "01,02")
    assert "toys: 2 of 3 found" in said
    assert "4 runs to do" in said
    rows = read_rows(place / "experiments/results/toy.csv")
    assert [(row["image"], row["seed"]) for row in rows] == [("01", "0"), ("01", "1"), ("02", "0"), ("02", "1")]
    assert list(rows[0]) == list(COLUMNS)
    assert all(float(row["neighbor"]) > 0 and float(row["seconds"]) > 0 and int(row["peak_mb"]) > 1 for row in rows)
    assert (place / "experiments/results/toy.machine.json").is_file()


def test_runs_that_have_a_row_are_left_out(place: Path) -> None:
    """An experiment goes on where it was; a changed preset is another experiment."""
    bench("toy", "--images", "01", "--runs", "1")
    before = (place / "experiments/results/toy.csv").read_text()
    assert "1 runs to do" in bench("toy", "--images", "01", "--runs", "2")
    after = (place / "experiments/results/toy.csv").read_text()
    assert after.startswith(before)
    assert len(read_rows(place / "experiments/results/toy.csv")) == 2
    assert "toy-type-1.csv" in bench("toy", "--images", "01", "--type", "1", "--runs", "1")


def test_pairs_are_turned_to_match(place: Path) -> None:
    """A tall back is turned for a wide front; a pair whose picture is missing is left out."""
    assert "both: 1 of 2 found" in bench("pairs")
    (row,) = read_rows(place / "experiments/results/pairs.csv")
    assert (row["image"], row["type"]) == ("01+tall", "4")


CUT = """
title = "Cut"
type = 1
preset = "quick"
size = 4

[[sets]]
name = "whole"
folder = "toys"
images = ["01"]
pieces = 15

[[sets]]
name = "beside"
folder = "toys"
offset = [2, 1]
images = ["01"]
pieces = 8

[[sets]]
name = "small"
folder = "toys"
reduce = 2
images = ["01"]
pieces = 2
"""


def test_a_set_is_cut_from_its_offset_on_or_reduced(place: Path) -> None:
    """The first piece begins at the offset; a reduced pixel is the mean of a square; what is left over is cut off."""
    (place / "experiments/cut.toml").write_text(CUT)
    experiment, whole = load_experiment("cut"), picture("distinct", 12, 20)
    tasks = [Pictures(None).tasks(chosen)[0] for chosen in experiment.sets]
    puzzles = [task.puzzle(experiment, 0) for task in tasks]
    assert [puzzle.num_pieces for puzzle in puzzles] == [15, 8, 2]
    means = np.floor(whole.reshape(6, 2, 10, 2, 3).mean((1, 3)) + 0.5).astype(np.uint8)
    for puzzle, expected in zip(puzzles, (whole, whole[2:10, 1:17], means[:4, :8]), strict=True):
        assert puzzle.truth is not None
        assert np.array_equal(render(puzzle, puzzle.truth), expected)
    bench("cut")
    rows = read_rows(place / "experiments/results/cut.csv")
    assert [(row["set"], row["pieces"]) for row in rows] == [("whole", "15"), ("beside", "8"), ("small", "2")]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (CUT.replace('"beside"', '"whole"'), "the same name"),
        (CUT.replace("[2, 1]", "[-1, 0]"), "below 0"),
        (CUT.replace("reduce = 2", "reduce = 0"), "reduced by 0"),
    ],
)
def test_sets_that_cannot_be_cut_are_refused(place: Path, wrong: str, says: str) -> None:
    """Two sets of one name would share their rows."""
    (place / "experiments/wrong.toml").write_text(wrong)
    with pytest.raises(BadInputError, match=says):
        load_experiment("wrong")


def test_pictures_are_checked(place: Path) -> None:
    """A picture that is not the published one is refused, by name."""
    data = (place / "data/toys/01.png").read_bytes()
    (place / "experiments/SHA256SUMS").write_text(f"{hashlib.sha256(data).hexdigest()}  toys/01.png\n")
    assert Pictures(None).find("toys/01") == place / "data/toys/01.png"
    (place / "data/toys/01.png").write_bytes(data + b"x")
    with pytest.raises(BadInputError, match=r"01\.png is not the published picture"):
        Pictures(None).find("toys/01")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["none"], 3, "There is no experiment"),
        (["toy", "--set", "other"], 2, "has no set other"),
        ([], 2, "either TABLE"),
        (["toy", "--data", "nowhere"], 3, "nowhere is not a folder"),
        (["toy", "--preset", "magic"], 3, "is not an experiment"),
    ],
)
def test_mistakes_are_explained(place: Path, arguments: list[str], code: int, says: str) -> None:
    """One sentence and an exit code."""
    result = CliRunner().invoke(commands, ["bench", *arguments])
    assert (result.exit_code, says in result.stderr) == (code, True)


def test_the_folder_of_pictures_must_be_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --data and without the variable there is nothing to run on."""
    monkeypatch.delenv("RECTOVERSO_DATA")
    with pytest.raises(BadInputError, match="--data FOLDER"):
        Pictures(None)


def row(**changes: object) -> dict[str, str]:
    values = dict.fromkeys(COLUMNS, "0") | {"set": "toys", "variant": ""} | {k: str(v) for k, v in changes.items()}
    assert set(values) == set(COLUMNS)
    return values


def test_tables_average_over_images_first(place: Path) -> None:
    """The average is over each image's average, the best over each image's best, and times are compared."""
    experiment = load_experiment("toy")
    rows = [
        row(image="01", seed=0, neighbor=1, direct=1, perfect=1, seconds=5),
        row(image="01", seed=1, neighbor=0.5, direct=0, perfect=0, seconds=5),
        row(image="02", seed=0, neighbor=0.25, direct=0, perfect=0, seconds=20),
    ]
    line = set_table(experiment, rows).splitlines()[-1]
    assert "| toys | 2 of 3 | 2 | **50.00** | 50.00 | 62.50 | 60.00 | 50.00 | 40.00 | 1 | 1 of 3 |" in line
    assert "| 10.0 | 100.0 | 10x |" in line


def test_a_variant_with_missing_images_is_not_averaged(place: Path) -> None:
    """A mean over fewer images than others have would mislead, so its cell stays empty."""
    text = TOY + '\n[[variants]]\nname = "a"\n\n[[variants]]\nname = "b"\nparams = { genetic = { elites = 0 } }\n'
    (place / "experiments/toy.toml").write_text(text)
    rows = [row(image="01", variant="a", neighbor=1), row(image="02", variant="a"), row(image="01", variant="b")]
    lines = variant_table(load_experiment("toy"), rows).splitlines()
    assert lines[0] == "| variant | toys, mean | toys/01 | toys/02 |"
    assert lines[2:] == ["| a | **50.00** | 100.0 | 0.0 |", "| b |  | 0.0 |  |"]


def test_blocks_are_replaced_in_place() -> None:
    """Text around a block stays; a page without the block is an error."""
    page = insert_block(f"a\n{BEGIN.format('x')}\nold\n{END.format('x')}\nb", "x", "new")
    assert page.splitlines()[2:] == ["new", "<!-- end of x -->", "b"]
    with pytest.raises(ValueError, match="no block"):
        insert_block("nothing", "x", "new")


def test_peak_memory_sees_what_was_held() -> None:
    """A large array shows, and after a reset it does not."""
    reset_peak_memory()
    before = peak_memory()
    np.ones(30_000_000)
    assert peak_memory() - before > 200e6


def test_committed_experiments_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, with the parameters of all variants; a variant changes something."""
    monkeypatch.chdir(ROOT)
    paths = list(Path("experiments").glob("*.toml"))
    assert paths
    for path in paths:
        experiment = load_experiment(path.stem)
        for variant in experiment.variants:
            changed = experiment.params(variant) != PRESETS[experiment.preset]
            assert changed == bool(variant.params), (path, variant)


def test_unknown_parameters_of_a_variant_are_refused(place: Path) -> None:
    """By their full names."""
    text = TOY + '\n[[variants]]\nname = "a"\nparams = { genetic = { elite = 0 } }\n'
    (place / "experiments/toy.toml").write_text(text)
    with pytest.raises(BadInputError, match=r"toy\.toml is not an experiment: there is no parameter genetic\.elite;"):
        load_experiment("toy")


def test_committed_experiments_and_pages_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables in the pages are those that the committed results give, and no row stands there twice."""
    monkeypatch.chdir(ROOT)
    results = Path("experiments/results")
    for page, (name, block) in PAGES.items():
        text = page.read_text()
        assert insert_block(text, name, block(results)) == text
    for path in results.glob("*.csv"):
        keys = [key_of(row) for row in read_rows(path)]
        assert len(set(keys)) == len(keys)


def test_a_variant_may_limit_the_time(place: Path) -> None:
    """The puzzles of a set are given so many seconds; a limit that is none, or of no set, is refused."""
    limited = TOY + '\n[[variants]]\nname = "hasty"\ntime_limits = { toys = 1e-9 }\n'
    (place / "experiments/limited.toml").write_text(limited)
    bench("limited", "--images", "01", "--runs", "1")
    (row,) = read_rows(place / "experiments/results/limited.csv")
    assert (row["variant"], row["generations"]) == ("hasty", "1")
    for wrong, says in (("toys = 0", "must be positive"), ("other = 1", "none of its sets")):
        (place / "experiments/limited.toml").write_text(limited.replace("toys = 1e-9", wrong))
        with pytest.raises(BadInputError, match=says):
            load_experiment("limited")


def test_measures_are_judged(place: Path) -> None:
    """An experiment of kind "measure" has a row for each measure with shares of true seams."""
    text = (
        TOY.replace("runs = 2", 'runs = 1\nkind = "measure"')
        + '\n[[variants]]\nname = "mgc"\nparams = { objective = { measure = "mgc" } }\n'
    )
    (place / "experiments/judged.toml").write_text(text)
    assert "top1" in bench("judged", "--images", "01")
    (judged,) = read_rows(place / "experiments/results/judged.csv")
    assert judged["variant"] == "mgc"
    assert 0 < float(judged["recall"]) <= float(judged["top1"]) <= 1
    table = measure_table(load_experiment("judged"), [judged])
    assert table.splitlines()[-1].startswith("| toys | 1 | ")


@pytest.mark.parametrize("name", ["../../owned", "/tmp/owned", "a/b", "", ".hidden", "a\\b", "x\ny"])
def test_the_name_of_an_experiment_stays_in_its_folder(place: Path, name: str) -> None:
    """Its results are files of that name."""
    (place / "experiments/toy.toml").write_text(f"name = {json.dumps(name)}\n{TOY}")
    with pytest.raises(BadInputError, match="an experiment cannot have the name"):
        load_experiment("toy")


@pytest.mark.parametrize(
    "change",
    [
        'name = "/etc"',
        'name = "toys"\nfolder = "../.."',
        'name = "toys"\nimages = ["../../secret"]',
        'name = "toys"\nimages = ["/etc/secret"]',
        'name = "toys"\npairs = [{ front = "/etc/a", back = "b" }]',
        'name = "toys"\npairs = [{ front = "a", back = "../b" }]',
    ],
)
def test_pictures_stay_in_their_folder(place: Path, change: str) -> None:
    (place / "experiments/toy.toml").write_text(TOY.replace('name = "toys"', change))
    with pytest.raises(BadInputError, match="is not the name of something inside the folder of pictures"):
        load_experiment("toy")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('preset = "quick"', 'preset = "nope"', "there is no preset 'nope'; there are paper, quick, best"),
        ("type = 2", "type = 9", "types are 1 to 7"),
        ("runs = 2", "runs = 0", "at least one run"),
        ("size = 4", "size = 4.5", "is not an experiment"),
        ("size = 4", f"size = {'9' * 5000}", "is not an experiment"),
        (
            'title = "Toy"',
            'title = "Toy"\nvariants = [{ name = "a", params = { genetic = { mutation = nan } } }]',
            "nan",
        ),
        ('title = "Toy"', 'title = "Toy"\nvariants = [{ name = "a", time_limits = { toys = inf } }]', "finite"),
        ('title = "Toy"', "title = " + "[" * 50_000, "is not an experiment"),
    ],
)
def test_experiments_that_make_no_sense(place: Path, old: str, new: str, says: str) -> None:
    (place / "experiments/toy.toml").write_text(TOY.replace(old, new))
    with pytest.raises(BadInputError, match=says):
        load_experiment("toy")


WHOLE = ",".join("1" for _ in COLUMNS)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (WHOLE.removesuffix(",1"), "Line 3 of .* is damaged; delete it"),
        (WHOLE + ",1", "Line 3 of .* is damaged"),
        (WHOLE.replace("1", "nan"), "Line 3 of .* is damaged"),
        ("1," * len(KEY) + "many" + ",1" * (len(COLUMNS) - len(KEY) - 1), "Line 3 of .* is damaged"),
        ('"1', "is no result file"),
        ("\0", "is damaged|is no result file"),
        ("x" * 200_000, "is no result file"),
        ("\udcff", "is no result file"),
    ],
)
def test_damaged_results_are_named(tmp_path: Path, line: str, says: str) -> None:
    """With the line, since all others are worth keeping."""
    path = tmp_path / "toy.csv"
    text = f"{','.join(COLUMNS)}\n{WHOLE}\n"
    path.write_text(text)
    assert len(read_rows(path)) == 1
    path.write_text(f"{text}{line}\n", errors="surrogateescape")
    with pytest.raises(BadInputError, match=says):
        read_rows(path)


def test_results_of_another_kind_are_not_added_to(place: Path) -> None:
    (place / "toy.csv").write_text(f"{','.join(QUALITY_COLUMNS)}\n")
    result = CliRunner().invoke(commands, ["bench", "toy", "-o", str(place), "--images", "01"])
    assert result.exit_code == 3
    assert "has other columns than the rows of toy" in result.stderr
    assert (place / "toy.csv").read_text() == f"{','.join(QUALITY_COLUMNS)}\n"


def test_a_row_is_not_glued_to_a_line_without_an_end(place: Path) -> None:
    """An editor may have left out the last line break."""
    bench("toy", "-o", str(place), "--images", "01", "--runs", "1")
    path = place / "toy.csv"
    path.write_text(path.read_text().rstrip("\n"))
    bench("toy", "-o", str(place), "--images", "01", "--runs", "2")
    assert [row["seed"] for row in read_rows(path)] == ["0", "1"]


@pytest.mark.parametrize("text", ["{}", "[", "3", '{"processors": 1, "cpu": 2, "memory_gb": "x"}', None])
def test_a_damaged_description_of_the_machine(tmp_path: Path, text: str | None) -> None:
    (tmp_path / "toy.csv").write_text(f"{','.join(COLUMNS)}\n{WHOLE}\n")
    if text is not None:
        (tmp_path / "toy.machine.json").write_text(text)
    experiment = Experiment("toy", "Toy", 2, [ImageSet("1", 15)])
    with pytest.raises(BadInputError, match=r"toy.machine.json (does not describe a machine|does not exist)"):
        experiment_section(experiment, tmp_path)


def test_pages_outside_a_clone(place: Path) -> None:
    """There is nothing to write the tables into, and nothing is made."""
    result = CliRunner().invoke(commands, ["bench", "--report"])
    assert result.exit_code == 3
    assert (
        "docs/benchmarks.md, docs/worn.md, README.md cannot be found; call this in a clone of the project"
        in result.stderr
    )


def test_pages_are_written_together_or_not_at_all(place: Path) -> None:
    """A README without its table leaves the other page as it was, too."""
    (place / "docs").mkdir()
    page = f"{BEGIN.format('benchmarks')}\nold\n{END.format('benchmarks')}\n"
    (place / "docs/benchmarks.md").write_text(page)
    (place / "docs/worn.md").write_text(page.replace("benchmarks", "worn"))
    (place / "README.md").write_text("nothing here")
    for name in ("best", "type2", "type4"):
        (place / f"experiments/{name}.toml").write_text(TOY)
    result = CliRunner().invoke(commands, ["bench", "--report"])
    assert result.exit_code == 3
    assert "README.md cannot be made anew: the page has no block 'results'" in result.stderr
    assert (place / "docs/benchmarks.md").read_text() == page


def test_damaged_sums(place: Path) -> None:
    (place / "experiments/SHA256SUMS").write_text("0123\n")
    with pytest.raises(BadInputError, match="SHA256SUMS is damaged"):
        Pictures(place / "data").find("toys/01")


def test_results_of_another_kind_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / "toy.csv").write_text(f"{','.join(COLUMNS)}\n{WHOLE}\n")
    with pytest.raises(BadInputError, match="has other columns than an experiment of the kind 'measure'"):
        experiment_section(Experiment("toy", "Toy", 2, [ImageSet("1", 15)], kind="measure"), tmp_path)
