"""The result of a calibration as a table and a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

COLORS = ("#0072b2", "#d55e00")
"""Blue and orange, which color-blind people tell apart."""
WIDTH, HEIGHT, LEFT, TOP, SIDE = 560, 430, 60, 20, 350


def reliability_block(result: Mapping[str, Any]) -> str:
    """Two tables: the bins of all seams and pieces, each judged by a fit on the other sets; and every set by itself."""
    lines = [
        "| said | seams | said, mean % | right % | pieces | said, mean % | right % |",
        "|---|" + "---:|" * 6,
    ]
    for number, (seams, pieces) in enumerate(zip(result["seams"], result["pieces"], strict=True)):
        name = f"{number / 10:.1f} to {(number + 1) / 10:.1f}"
        lines.append(f"| {name} | {_bin(seams)} | {_bin(pieces)} |")
    lines += [
        "",
        "| set | type | preset | puzzles | seams | right % | said 0.9 to 1.0: seams % | right % "
        "| pieces % | right % | said below 0.5: seams % | right % |",
        "|---|---|---|" + "---:|" * 9,
    ]
    lines += [_set_line(row) for row in result["sets"]]
    return "\n".join(lines)


def _bin(row: Mapping[str, float]) -> str:
    if not row["count"]:
        return "0 | | "
    return f"{row['count']:,} | {100 * row['said']:.1f} | {100 * row['right']:.1f}"


def _set_line(row: Mapping[str, Any]) -> str:
    cells = [row["set"], str(row["type"]), f"`{row['preset']}`", str(row["puzzles"])]
    seams, pieces = row["seams"], row["pieces"]
    total, right, _ = _joined(seams)
    cells += [f"{total:,}", f"{100 * right:.1f}"]
    for bins, of in ((seams[9:], total), (pieces[9:], _joined(pieces)[0]), (seams[:5], total)):
        count, share, _ = _joined(bins)
        cells += [f"{100 * count / of:.1f}", f"{100 * share:.2f}" if count else ""]
    return "| " + " | ".join(cells) + " |"


def _joined(bins: Sequence[Mapping[str, float]]) -> tuple[int, float, float]:
    """How many are in some bins, the share of right ones, and the mean of what was said."""
    count = sum(int(row["count"]) for row in bins)
    right, said = (sum(row["count"] * row[name] for row in bins) / max(1, count) for name in ("right", "said"))
    return count, right, said


def reliability_plot(result: Mapping[str, Any]) -> str:
    """What was said against what was right, a dot a tenth, as SVG; on the dashed line all would be as said."""
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">']
    parts.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    for percent in range(0, 101, 20):
        x, y = _at(percent / 100, percent / 100)
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + SIDE}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>')
        parts.append(f'<text x="{x:.1f}" y="{TOP + SIDE + 18}" text-anchor="middle">{percent / 100:.1f}</text>')
    (x1, y1), (x2, y2) = _at(0, 0), _at(1, 1)
    parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#888" stroke-dasharray="4 4"/>')
    for number, (name, color) in enumerate(zip(("seams", "pieces"), COLORS, strict=True)):
        there = [row for row in result[name] if row["count"]]
        places = [_at(row["said"], row["right"]) for row in there]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        for (x, y), row in zip(places, there, strict=True):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>')
            if name == "seams":
                parts.append(f'<text x="{x + 9:.1f}" y="{y + 14:.1f}" fill="#555">{row["count"]:,}</text>')
        parts.append(f'<text x="{LEFT + 12}" y="{TOP + 18 + 18 * number}" fill="{color}">{name}</text>')
    parts.append(f'<text x="{LEFT + SIDE / 2}" y="{HEIGHT - 18}" text-anchor="middle">confidence said</text>')
    middle = TOP + SIDE / 2
    parts.append(
        f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">were right</text></svg>'
    )
    return "\n".join(parts) + "\n"


def _at(said: float, right: float) -> tuple[float, float]:
    return LEFT + said * SIDE, TOP + (1 - right) * SIDE
