"""The pages that show results: docs/benchmarks.md and the table in README.md, made from the CSV files alone."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from rectoverso.bench.experiment import load_experiment
from rectoverso.bench.report import experiment_section, insert_block, percent
from rectoverso.bench.runner import read_rows
from rectoverso.storage import write_file

TABLES = ("type2", "best", "type4", "type1", "ablation", "ablation-large", "measures")


def benchmarks_block(results: Path) -> str:
    """All experiments that have results, a section each."""
    names = [name for name in TABLES if (results / f"{name}.csv").is_file()]
    return "\n".join(experiment_section(load_experiment(name), results) for name in names)


def readme_block(results: Path) -> str:
    """The one table of the README: each set, ours and the paper's."""
    lines = [
        "| puzzle | pieces | neighbor % | the paper | seconds | the paper |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for chosen in load_experiment("type2").sets:
        rows = [row for row in read_rows(results / "type2.csv") if row["set"] == chosen.name]
        if rows and chosen.published.seconds:
            images = len({row["image"] for row in rows})
            seconds = fmean(float(row["seconds"]) for row in rows)
            score = f"{percent(rows, 'neighbor'):.1f} | {chosen.published.neighbor_average:.1f}"
            times = f"{seconds:.1f} | {chosen.published.seconds:,.0f}"
            lines.append(f"| Type 2, {images} images | {chosen.pieces:,} | {score} | {times} |")
    for chosen in load_experiment("type4").sets:
        for pair in chosen.pairs:
            image = f"{Path(pair.front).name}+{Path(pair.back).name}"
            rows = [r for r in read_rows(results / "type4.csv") if (r["set"], r["image"]) == (chosen.name, image)]
            if rows and pair.published.seconds:
                seconds = fmean(float(row["seconds"]) for row in rows)
                score = f"{percent(rows, 'neighbor'):.1f} | {pair.published.neighbor:.1f}"
                times = f"{seconds:.0f} | {pair.published.seconds:,.0f}"
                lines.append(f"| Type 4, {image} | {chosen.pieces:,} | {score} | {times} |")
    return "\n".join(lines)


PAGES = {Path("docs/benchmarks.md"): ("benchmarks", benchmarks_block), Path("README.md"): ("results", readme_block)}


def write_pages(results: Path) -> list[Path]:
    """Make the tables in the pages anew; the pages that were written."""
    for page, (name, block) in PAGES.items():
        write_file(page, insert_block(page.read_text(), name, block(results)).encode())
    return list(PAGES)
