"""The pages that show results, two of the docs and the table in README.md, made from the CSV files alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from rectoverso.bench.experiment import load_experiment
from rectoverso.bench.report import experiment_section, figure, insert_block, percent, with_images
from rectoverso.bench.runner import Row, read_rows
from rectoverso.errors import BadInputError
from rectoverso.storage import MAX_TEXT, kind_of, read_file, write_file

TABLES = (
    "best",
    "no-traces",
    "off-grid",
    "best4",
    "best1",
    "patience",
    "type2",
    "type4",
    "type1",
    "ablation-parts",
    "ablation-parts-large",
    "ablation-best",
    "ablation-best-large",
    "ablation",
    "ablation-large",
    "measures",
)
WORN_TABLES = ("worn", "worn4", "pages", "pages1", "pages4", "worn-measures")


def sections(tables: Sequence[str], results: Path) -> str:
    """Those of some experiments that have results, a section each."""
    names = [name for name in tables if (results / f"{name}.csv").is_file()]
    return "\n".join(experiment_section(load_experiment(name), results) for name in names)


def readme_block(results: Path) -> str:
    """The one table of the README: each set by the paper's algorithm off grid, by ``best``, and as published."""
    plain, best, off_grid, type2 = (
        _by_set(read_rows(results / f"{name}.csv")) for name in ("no-traces", "best", "off-grid", "type2")
    )
    lines = [
        "| puzzle | pieces | `paper`, off grid | `best`, no traces | `best` | published | seconds | published |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for chosen in load_experiment("best").sets:
        if rows := best.get(chosen.name, []):
            name, published = chosen.name, load_experiment("type2").named(chosen.name).published
            # Files that never were JPEG files have no grid to be cut beside.
            paper = off_grid.get(f"{name} off grid") or off_grid.get(name) or type2.get(name, [])
            ours = [with_images(each) for each in (paper, plain.get(name, []), rows)]
            told = (figure(published.neighbor_average, 1), _seconds(rows), _whole(published.seconds))
            lines.append(_line("Type 2", f"{chosen.pieces:,}", *ours, *told))
    return "\n".join([*lines, *_pair_lines(results)])


def _pair_lines(results: Path) -> list[str]:
    """The two-sided puzzles, which have no rows off grid."""
    lines, every = [], read_rows(results / "best4.csv")
    for chosen in load_experiment("type4").sets:
        for pair in chosen.pairs:
            image = f"{Path(pair.front).name}+{Path(pair.back).name}"
            if rows := [row for row in every if (row["set"], row["image"]) == (chosen.name, image)]:
                published = (figure(pair.published.neighbor, 1), _seconds(rows), _whole(pair.published.seconds))
                lines.append(
                    _line(f"Type 4, {image}", f"{chosen.pieces:,}", "", "", figure(_mean(rows), 1), *published)
                )
    return lines


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _seconds(rows: list[Row]) -> str:
    return f"{fmean(float(row['seconds']) for row in rows):.1f}"


def _by_set(rows: list[Row]) -> dict[str, list[Row]]:
    return {name: [row for row in rows if row["set"] == name] for name in {row["set"] for row in rows}}


def _mean(rows: list[Row]) -> float | None:
    return percent(rows, "neighbor") if rows else None


def _whole(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:,.0f}"


PAGES: dict[Path, tuple[str, Callable[[Path], str]]] = {
    Path("docs/benchmarks.md"): ("benchmarks", partial(sections, TABLES)),
    Path("docs/worn.md"): ("worn", partial(sections, WORN_TABLES)),
    Path("README.md"): ("results", readme_block),
}


def write_pages(results: Path) -> list[Path]:
    """Make the tables in the pages anew; the pages that were written."""
    if missing := [str(page) for page in PAGES if kind_of(page) != "file"]:
        raise BadInputError(f"{', '.join(missing)} cannot be found; call this in a clone of the project.")
    texts = {}
    for page, (name, block) in PAGES.items():
        try:
            texts[page] = insert_block(read_file(page, limit=MAX_TEXT).decode(), name, block(results)).encode()
        except ValueError as error:
            raise BadInputError(f"{page} cannot be made anew: {error}.") from error
    # Only now that all of them are made.
    for page, text in texts.items():
        write_file(page, text)
    return list(PAGES)
