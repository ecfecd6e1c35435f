"""Experiments with worn pieces: cut with each wear, told apart in their rows, and shown on a page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from helpers import picture

from rectoverso.bench.experiment import load_experiment
from rectoverso.bench.pages import WORN_TABLES, sections
from rectoverso.bench.pictures import Pictures
from rectoverso.bench.report import experiment_section, measure_table, worn_table
from rectoverso.bench.runner import COLUMNS, QUALITY_COLUMNS, WORN_COLUMNS, Row, key_of, read_rows
from rectoverso.cli import commands
from rectoverso.errors import BadInputError
from rectoverso.images.files import encode_png
from rectoverso.images.wear import Wear
from rectoverso.puzzle.puzzle import Puzzle

WORN = """
title = "Worn"
type = 2
preset = "quick"
size = 6
wear = ["", "gap=1", "gap=1,noise=40"]

[[sets]]
name = "toys"
pieces = 15

[[sets]]
name = "others"
folder = "toys"
images = ["01"]
pieces = 15
"""
MEASURES = """
[[variants]]
name = "lab"

[[variants]]
name = "mgc"
params = { objective = { measure = "mgc" } }
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an experiment and two pictures of which one is noise."""
    for folder in ("experiments", "data/toys"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "experiments/worn.toml").write_text(WORN)
    for name, kind in (("01", "distinct"), ("02", "flat")):
        (tmp_path / f"data/toys/{name}.png").write_bytes(encode_png(picture(kind, 18, 30)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECTOVERSO_DATA", str(tmp_path / "data"))
    return tmp_path


def bench(*arguments: str) -> str:
    """What the command says on stderr, having ended well."""
    result = CliRunner().invoke(commands, ["bench", *arguments])
    assert result.exit_code == 0, result.output
    return result.stderr


def rows_of(place: Path) -> list[Row]:
    return read_rows(place / "experiments/results/worn.csv")


def test_a_row_for_each_condition(place: Path) -> None:
    """Each condition is a group of rows, with the measure and what the confidence promised."""
    assert "3 runs to do" in bench("worn", "--set", "toys", "--images", "01")
    rows = rows_of(place)
    assert [row["wear"] for row in rows] == ["", "gap=1", "gap=1,noise=40"]
    assert list(rows[0]) == [*COLUMNS, *WORN_COLUMNS["solve"]]
    assert {row["measure"] for row in rows} == {"lab"}
    assert all(0 <= float(row[name]) <= 1 for row in rows for name in ("expected", "sure", "sure_right"))
    assert len({key_of(row) for row in rows}) == 3


def test_the_pieces_are_worn_by_the_seed_of_the_run(place: Path) -> None:
    """The same as ``Puzzle.from_image`` makes of it, every time."""
    experiment = load_experiment("worn")
    task = Pictures(None).tasks(experiment.sets[1])[0]
    for text in experiment.wear:
        wanted = Puzzle.from_image(picture("distinct", 18, 30), type=2, size=6, seed=5, wear=Wear.of(text))
        assert np.array_equal(task.puzzle(experiment, 5, text).pixels, wanted.pixels)


def test_some_conditions_and_some_variants(place: Path) -> None:
    """They are named in any order of their parts, "" is clean, and what has a row is not run again."""
    (place / "experiments/worn.toml").write_text(WORN + MEASURES)
    assert "2 runs to do" in bench(
        "worn", "--wear", "noise=40, gap=1", "--wear", "", "--images", "02", "--variant", "mgc"
    )
    assert [(row["variant"], row["measure"], row["wear"]) for row in rows_of(place)] == [
        ("mgc", "mgc", ""),
        ("mgc", "mgc", "gap=1,noise=40"),
    ]
    assert "1 runs to do" in bench("worn", "--images", "02", "--variant", "mgc")
    assert rows_of(place)[-1]["wear"] == "gap=1"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--wear", "gap=2"], 2, "worn has no wear gap=2; it has ''; gap=1; gap=1,noise=40."),
        (["--wear", "gap=x"], 3, "needs a whole number"),
        (["--variant", "mgc"], 2, "worn has no variant mgc; it has ''."),
    ],
)
def test_conditions_that_are_not_there(place: Path, arguments: list[str], code: int, says: str) -> None:
    result = CliRunner().invoke(commands, ["bench", "worn", *arguments])
    assert (result.exit_code, says in result.stderr) == (code, True), result.stderr


@pytest.mark.parametrize(
    ("wear", "says"),
    [
        ('["gap=1,noise=2", "noise=2,gap=1"]', "two of its conditions of wear are the same"),
        ('["dust=1"]', "'dust=1' is no kind of wear"),
        ('["noise=nan"]', "makes no sense"),
    ],
)
def test_wear_that_makes_no_sense(place: Path, wear: str, says: str) -> None:
    text = WORN.replace('["", "gap=1", "gap=1,noise=40"]', wear)
    (place / "experiments/worn.toml").write_text(text)
    with pytest.raises(BadInputError, match=rf"worn\.toml is not an experiment: .*{says}.*[^.]\.$"):
        load_experiment("worn")


def row(**changes: object) -> Row:
    values = dict.fromkeys((*COLUMNS, *WORN_COLUMNS["solve"]), "0") | {"set": "toys", "variant": "", "pieces": "10"}
    return values | {name: str(value) for name, value in changes.items()}


def test_a_line_for_each_condition(place: Path) -> None:
    """Means over the images of all sets; images of one number in two sets are two; of sure seams each counts alike."""
    rows = [
        row(image="01", wear="gap=1", neighbor=1, expected=0.5, sure=0.5, sure_right=1, perfect=1, seconds=1),
        row(image="01", wear="gap=1", neighbor=0.5, expected=1, sure=0.1, sure_right=0.4, seconds=3, set="others"),
    ]
    lines = worn_table(load_experiment("worn"), rows).splitlines()
    assert lines[0].startswith("| wear | neighbor | toys | others | direct | perfect |")
    assert lines[0].count("|") == lines[1].count("|") == lines[2].count("|")
    assert lines[2:] == [
        "| gap=1 | **75.00** | 100.0 (1) | 50.0 (1) | 0.00 | 1 of 2 | 75.00 | 30.0 | 90.00 | 2.0 |",
    ]


def test_a_table_of_what_is_there(place: Path) -> None:
    """Variants stand below each other; where nothing is sure, nothing is said of it."""
    (place / "experiments/worn.toml").write_text(WORN + MEASURES)
    rows = [row(image="01", wear="", variant="mgc", neighbor=1), row(image="01", wear="", variant="lab")]
    lines = worn_table(load_experiment("worn"), rows).splitlines()
    assert [line.split(" | ")[:4] for line in lines[2:]] == [
        ["| none", "lab", "**0.00**", "0.0 (1)"],
        ["| none", "mgc", "**100.00**", "100.0 (1)"],
    ]
    assert lines[2].endswith("| 0.0 |  | 0.0 |")


def test_measures_of_worn_pieces(place: Path) -> None:
    """A line for each set and condition; more wear finds fewer neighbors."""
    (place / "experiments/worn.toml").write_text(WORN.replace("size", 'kind = "measure"\nsize') + MEASURES)
    bench("worn", "--set", "others")
    rows = rows_of(place)
    assert list(rows[0]) == [*QUALITY_COLUMNS, *WORN_COLUMNS["measure"]]
    lines = measure_table(load_experiment("worn"), rows).splitlines()
    assert lines[0].startswith("| set | wear | images | lab: top-1")
    assert [line.split(" | ")[:3] for line in lines[2:]] == [
        ["| others", wear or "none", "1"] for wear in load_experiment("worn").wear
    ]


def test_the_page_is_made_from_partial_results(place: Path) -> None:
    """Of what has been run so far; nothing at all gives an empty page."""
    results = place / "experiments/results"
    assert sections(WORN_TABLES, results) == ""
    bench("worn", "--images", "01", "--wear", "gap=1", "--set", "toys")
    page = sections(WORN_TABLES, results)
    assert "## Worn" in page
    assert "| gap=1 | **" in page
    assert "| none |" not in page


def test_rows_without_wear_are_not_taken_for_worn_ones(place: Path) -> None:
    """The same experiment before it had an axis of wear has other columns."""
    (place / "experiments/worn.toml").write_text(WORN.replace("wear =", "# wear ="))
    bench("worn", "--images", "01", "--set", "toys")
    (place / "experiments/worn.toml").write_text(WORN)
    with pytest.raises(BadInputError, match="of the kind 'solve' with worn pieces has"):
        experiment_section(load_experiment("worn"), place / "experiments/results")
    result = CliRunner().invoke(commands, ["bench", "worn", "--images", "01", "--set", "toys"])
    assert (result.exit_code, "has other columns" in result.stderr) == (3, True)
