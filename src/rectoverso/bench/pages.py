"""The pages that show results: docs/benchmarks.md and the table in README.md, made from the CSV files alone."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from rectoverso.bench.experiment import load_experiment
from rectoverso.bench.report import experiment_section, insert_block, percent
from rectoverso.bench.runner import Row, read_rows
from rectoverso.storage import write_file

TABLES = (
    "best",
    "best4",
    "best1",
    "patience",
    "type2",
    "type4",
    "type1",
    "ablation-best",
    "ablation-best-large",
    "ablation",
    "ablation-large",
    "measures",
)


def benchmarks_block(results: Path) -> str:
    """All experiments that have results, a section each."""
    names = [name for name in TABLES if (results / f"{name}.csv").is_file()]
    return "\n".join(experiment_section(load_experiment(name), results) for name in names)


def readme_block(results: Path) -> str:
    """The one table of the README: each set by two presets and as published; then the two-sided puzzles."""
    best = _by_set(read_rows(results / "best.csv"))
    lines = [
        "| puzzle | pieces | `paper`: neighbor % | seconds | `best`: neighbor % | seconds | published | seconds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for chosen in load_experiment("type2").sets:
        rows = _by_set(read_rows(results / "type2.csv")).get(chosen.name, [])
        if rows:
            images = len({row["image"] for row in rows})
            count = f"{images} image{'' if images == 1 else 's'}"
            published = f"{chosen.published.neighbor_average:.1f} | {chosen.published.seconds:,.0f}"
            names = {row["image"] for row in rows}
            same = [row for row in best.get(chosen.name, []) if row["image"] in names]
            ours = f"{_figures(rows)} | {_figures(same)}"
            lines.append(f"| Type 2, {count} | {chosen.pieces:,} | {ours} | {published} |")
    for chosen in load_experiment("type4").sets:
        for pair in chosen.pairs:
            image = f"{Path(pair.front).name}+{Path(pair.back).name}"
            rows, best_rows = (
                [row for row in read_rows(results / name) if (row["set"], row["image"]) == (chosen.name, image)]
                for name in ("type4.csv", "best4.csv")
            )
            if rows:
                published = f"{pair.published.neighbor:.1f} | {pair.published.seconds:,.0f}"
                ours = f"{_figures(rows)} | {_figures(best_rows)}"
                lines.append(f"| Type 4, {image} | {chosen.pieces:,} | {ours} | {published} |")
    return "\n".join(lines)


def _by_set(rows: list[Row]) -> dict[str, list[Row]]:
    return {name: [row for row in rows if row["set"] == name] for name in {row["set"] for row in rows}}


def _figures(rows: list[Row]) -> str:
    """Neighbor and seconds of some rows; empty cells if there are none."""
    if not rows:
        return " | "
    return f"{percent(rows, 'neighbor'):.1f} | {fmean(float(row['seconds']) for row in rows):.1f}"


PAGES = {Path("docs/benchmarks.md"): ("benchmarks", benchmarks_block), Path("README.md"): ("results", readme_block)}


def write_pages(results: Path) -> list[Path]:
    """Make the tables in the pages anew; the pages that were written."""
    for page, (name, block) in PAGES.items():
        write_file(page, insert_block(page.read_text(), name, block(results)).encode())
    return list(PAGES)
