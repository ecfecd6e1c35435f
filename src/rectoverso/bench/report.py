"""Result files to Markdown: ours, the published figure, the ratio, and footnotes where they are not comparable."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean

from rectoverso.bench.experiment import Experiment, ImageSet, Published
from rectoverso.bench.runner import Row, columns_of, read_rows
from rectoverso.errors import BadInputError
from rectoverso.storage import MAX_TEXT, read_file

BEGIN, END = "<!-- {}: made from experiments/results by `rectoverso bench --report` -->", "<!-- end of {} -->"


def percent(rows: Sequence[Row], column: str) -> float:
    """The mean of a score over images (each the mean over its runs), in percent."""
    return 100 * fmean(by_image(rows, column, fmean))


def by_image(rows: Sequence[Row], column: str, of: Callable[[list[float]], float]) -> list[float]:
    """One number for each image from its runs."""
    values: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        values.setdefault((row["set"], row["image"]), []).append(float(row[column]))
    return [of(runs) for runs in values.values()]


def figure(value: float | None, digits: int = 2) -> str:
    """A percentage; nothing is rounded up to 100, which means all.

    >>> figure(99.997), figure(100.0), figure(97.186, 1)
    ('99.99', '100.00', '97.2')
    """
    if value is None:
        return ""
    step = 10**digits
    shown = math.floor(value * step) / step if value < 100 <= round(value, digits) else value
    return f"{shown:.{digits}f}"


def set_table(experiment: Experiment, rows: list[Row]) -> str:
    """One line a set: average and best of runs beside the published ones."""
    lines = [
        "| set | images | runs | neighbor, average | published | neighbor, best | published | direct, best | published "
        "| perfect | published | twin-aware neighbor | seconds | published | faster | peak MB |",
        "|---|" + "---:|" * 15,
    ]
    for chosen in experiment.sets:
        ours = [row for row in rows if row["set"] == chosen.name]
        if ours:
            lines.append(_set_line(chosen, ours))
    return "\n".join(lines)


def _set_line(chosen: ImageSet, rows: list[Row]) -> str:
    published = chosen.published
    images = len({row["image"] for row in rows})
    seconds = fmean(float(row["seconds"]) for row in rows)
    perfect = sum(by_image(rows, "perfect", max))
    cells = [
        chosen.name,
        f"{images} of {published.images}" if published.images else str(images),
        str(len({row["seed"] for row in rows})),
        f"**{figure(percent(rows, 'neighbor'))}**",
        figure(published.neighbor_average),
        figure(100 * fmean(by_image(rows, "neighbor", max))),
        figure(published.neighbor),
        figure(100 * fmean(by_image(rows, "direct", max))),
        figure(published.direct),
        f"{perfect:.0f}",
        "" if published.perfect is None else f"{published.perfect} of {published.images}",
        figure(percent(rows, "neighbor_twins")),
        f"{seconds:.1f}",
        _seconds(published.seconds),
        _ratio(published, seconds),
        str(max(round(float(row["peak_mb"])) for row in rows)),
    ]
    return "| " + " | ".join(cells) + " |"


def pair_table(experiment: Experiment, rows: list[Row]) -> str:
    """One line a two-sided puzzle."""
    lines = [
        "| pieces | front + back | neighbor | published | direct | published | twin-aware neighbor | seconds "
        "| published | faster | peak MB |",
        "|---:|---|" + "---:|" * 9,
    ]
    for chosen in experiment.sets:
        for pair in chosen.pairs:
            image = f"{Path(pair.front).name}+{Path(pair.back).name}"
            ours = [row for row in rows if row["set"] == chosen.name and row["image"] == image]
            if ours:
                seconds = fmean(float(row["seconds"]) for row in ours)
                cells = [
                    f"{chosen.pieces:,}",
                    image,
                    f"**{figure(percent(ours, 'neighbor'))}**",
                    figure(pair.published.neighbor),
                    figure(percent(ours, "direct")),
                    figure(pair.published.direct),
                    figure(percent(ours, "neighbor_twins")),
                    f"{seconds:.1f}",
                    _seconds(pair.published.seconds),
                    _ratio(pair.published, seconds),
                    str(max(round(float(row["peak_mb"])) for row in ours)),
                ]
                lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def variant_table(experiment: Experiment, rows: list[Row]) -> str:
    """One line a variant: strict neighbor in percent, the mean of each set and every image (the mean of its runs)."""
    images = sorted({(row["set"], row["image"]) for row in rows}, key=lambda key: _place(experiment, *key))
    names = list(dict.fromkeys(name for name, _ in images))
    headers = [f"{name}, mean" for name in names] + [f"{name.rsplit('-', 1)[-1]}/{image}" for name, image in images]
    lines = ["| variant | " + " | ".join(headers) + " |", "|---|" + "---:|" * len(headers)]
    for variant in experiment.variants:
        runs: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            if row["variant"] == variant.name:
                runs.setdefault((row["set"], row["image"]), []).append(row)
        ours = {key: percent(these, "neighbor") for key, these in runs.items()}
        cells = [variant.name]
        for name in names:
            wanted = [key for key in images if key[0] == name]
            # A mean over fewer images than the others have would mislead.
            whole = all(key in ours for key in wanted)
            cells.append(f"**{figure(fmean(ours[key] for key in wanted))}**" if whole else "")
        cells += [figure(ours[key], 1) if key in ours else "" for key in images]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def measure_table(experiment: Experiment, rows: list[Row]) -> str:
    """One line a set and condition of wear: top-1, precision and recall of each measure."""
    names, worn = [variant.name for variant in experiment.variants], bool(experiment.wear)
    headers = ["set", *["wear"] * worn, "images", *(f"{name}: top-1 / precision / recall" for name in names)]
    lines = [_line(*headers), "|---|" + "---|" * worn + "---:|" * (1 + len(names))]
    for chosen, wear in product(experiment.sets, experiment.wear or ("",)):
        ours = [row for row in rows if row["set"] == chosen.name and row.get("wear", "") == wear]
        if ours:
            cells = [chosen.name, *[wear or "none"] * worn, str(len({row["image"] for row in ours}))]
            for name in names:
                these = [row for row in ours if row["variant"] == name]
                columns = ("top1", "precision", "recall")
                cells.append(" / ".join(f"{percent(these, column):.1f}" for column in columns) if these else "")
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def worn_table(experiment: Experiment, rows: list[Row]) -> str:
    """One line a condition of wear and variant: the neighbor score, and what the confidence promised of it."""
    named = any(variant.name for variant in experiment.variants)
    sets = [chosen.name for chosen in experiment.sets if any(row["set"] == chosen.name for row in rows)]
    headers = ["wear", *["variant"] * named, "neighbor", *sets]
    headers += ["direct", "perfect", "expected neighbor", "sure seams", "right of these", "seconds"]
    lines = [_line(*headers), "|---|" + "---|" * named + "---:|" * (7 + len(sets))]
    for wear, variant in product(experiment.wear, experiment.variants):
        ours = [row for row in rows if (row["wear"], row["variant"]) == (wear, variant.name)]
        if ours:
            cells = [wear or "none", *[variant.name] * named, f"**{figure(percent(ours, 'neighbor'))}**"]
            cells += [with_images([row for row in ours if row["set"] == name]) for name in sets]
            lines.append(_line(*cells, *_promised(ours)))
    return "\n".join(lines)


def _promised(rows: list[Row]) -> list[str]:
    """The cells of a worn table after the neighbor score; a sure seam counts alike in whichever puzzle it is."""
    sure = [float(row["sure"]) * float(row["pieces"]) for row in rows]
    right = sum(many * float(row["sure_right"]) for many, row in zip(sure, rows, strict=True))
    perfect = by_image(rows, "perfect", max)
    return [
        figure(percent(rows, "direct")),
        f"{sum(perfect):.0f} of {len(perfect)}",
        figure(percent(rows, "expected")),
        figure(percent(rows, "sure"), 1),
        figure(100 * right / sum(sure)) if sum(sure) else "",
        f"{fmean(float(row['seconds']) for row in rows):.1f}",
    ]


def with_images(rows: list[Row]) -> str:
    """The mean neighbor score of some rows, and of how many images it is."""
    return f"{figure(percent(rows, 'neighbor'), 1)} ({len({row['image'] for row in rows})})" if rows else ""


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _place(experiment: Experiment, name: str, image: str) -> tuple[int, str]:
    names = [chosen.name for chosen in experiment.sets]
    return names.index(name) if name in names else len(names), image


def experiment_section(experiment: Experiment, results: Path) -> str:
    """A section of the benchmark page."""
    path = results / f"{experiment.name}.csv"
    rows = read_rows(path)
    if not rows:
        return ""
    if any(set(row) != {*columns_of(experiment)} for row in rows):
        worn = " with worn pieces" if experiment.wear else ""
        raise BadInputError(f"{path} has other columns than an experiment of the kind {experiment.kind!r}{worn} has.")
    if experiment.kind == "measure":
        table = measure_table(experiment, rows)
    elif experiment.wear:
        table = worn_table(experiment, rows)
    elif any(variant.name for variant in experiment.variants):
        table = variant_table(experiment, rows)
    elif any(chosen.pairs for chosen in experiment.sets):
        table = pair_table(experiment, rows)
    else:
        table = set_table(experiment, rows)
    where, software = _machine(path.with_suffix(".machine.json"))
    commits = sorted({row["commit"] for row in rows})
    made = f"Preset `{experiment.preset}`; {where}; {software}; commits {', '.join(commits)}."
    return f"## {experiment.title}\n\n{experiment.text}\n\n{table}\n\n{made}\n"


def _machine(path: Path) -> tuple[str, str]:
    """What the runs were made on, in words."""
    try:
        machine = json.loads(read_file(path, limit=MAX_TEXT))
        where = f"{machine['processors']} cores of {machine['cpu']}, {machine['memory_gb']:g} GB"
        return where, f"Python {machine['python']}, numpy {machine['numpy']}, numba {machine['numba']}"
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadInputError(f"{path} does not describe a machine ({error}); run the experiment again.") from error


def insert_block(page: str, name: str, block: str, begin: str = BEGIN) -> str:
    """A page with the block of that name made anew; ``begin`` is the line that it begins with."""
    begin, end = begin.format(name), END.format(name)
    if begin not in page or end not in page.split(begin, 1)[1]:
        raise ValueError(f"the page has no block {name!r}")
    before, rest = page.split(begin, 1)
    return f"{before}{begin}\n{block.strip()}\n{end}{rest.split(end, 1)[1]}"


def _ratio(published: Published, seconds: float) -> str:
    return f"{published.seconds / seconds:.0f}x" if published.seconds else ""


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
