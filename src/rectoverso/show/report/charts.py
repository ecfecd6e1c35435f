"""Charts as inline SVG: lines over time, and stacked bars. Colors are classes, so that they follow the color scheme."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rectoverso.show.report.markup import Html, element, joined
from rectoverso.show.report.words import tick_text
from rectoverso.show.thinning import thinned

WIDTH, HEIGHT = 480, 270
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 34, 46
MOST_POINTS, MOST_BARS = 120, 60
GLYPH = 7.0
"""About how wide a character is."""


@dataclass(frozen=True)
class Line:
    """Values that hold from one point to the next: (x, y, what it says when pointed at)."""

    label: str
    points: Sequence[tuple[float, float, str]]


@dataclass(frozen=True)
class Band:
    """A part of the x axis that has a name."""

    label: str
    start: float
    end: float


@dataclass(frozen=True)
class Axis:
    """What an axis shows, and from where to where."""

    label: str
    low: float
    high: float
    percent: bool = False

    def text(self, value: float, step: float) -> str:
        """A number as it stands beside the axis."""
        return f"{tick_text(value * 100, step * 100)}%" if self.percent else tick_text(value, step)

    def place(self, value: float, start: float, end: float) -> float:
        """Where a value lies when the axis is drawn from ``start`` to ``end``."""
        return start + (end - start) * (value - self.low) / (self.high - self.low)

    def x(self, value: float) -> float:
        """Where a value lies from left to right."""
        return self.place(value, LEFT, WIDTH - RIGHT)

    def y(self, value: float) -> float:
        """Where a value lies from bottom to top."""
        return self.place(value, HEIGHT - BOTTOM, TOP)


def ticks(low: float, high: float, most: int = 6) -> tuple[list[float], float]:
    """Round numbers within a range, at most so many, and the step between them.

    >>> ticks(980, 1180)
    ([1000, 1050, 1100, 1150], 50)
    >>> ticks(0, 1)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], 0.2)
    """
    power = 10 ** math.floor(math.log10((high - low) / most))
    step = next(power * nice for nice in (1, 2, 2.5, 5, 10, 20) if (high - low) / (power * nice) <= most - 1)
    step = int(step) if step >= 1 and step == int(step) else step
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = 12 - math.floor(math.log10(step))
    return [round(number * step, digits) for number in range(first, last + 1)], step


def fitting_axis(label: str, values: Sequence[float], *, percent: bool = False) -> Axis:
    """An axis that ends at round numbers beyond the values, but not beyond the whole if they are shares."""
    low, high = min(values), max(values)
    if low == high:
        margin = 0.01 if percent else max(1.0, abs(low) * 0.01)
        low, high = low - margin, high + margin
    step = ticks(low, high)[1]
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    return Axis(label, max(low, 0.0), min(high, 1.0), percent) if percent else Axis(label, low, high)


def line_chart(title: str, lines: Sequence[Line], x: Axis, y: Axis, bands: Sequence[Band] = ()) -> Html:
    """Lines over a common x axis, before bands that say what was being done."""
    parts = [*_bands(bands, x), *_grid(x, y)]
    for number, line in reversed(list(enumerate(lines))):
        parts += _steps(line, x, y, f"c{number}")
    return _figure(title, [line.label for line in lines], parts)


def bar_chart(title: str, bars: Sequence[tuple[int, dict[str, float]]], x_label: str, y_label: str) -> Html:
    """For each whole number on the x axis the shares of a whole, one above the other."""
    names = [name for name in bars[0][1] if any(shares[name] for _, shares in bars)]
    first, last = bars[0][0], bars[-1][0]
    x, y = Axis(x_label, first - 0.5, last + 0.5), Axis(y_label, 0, 1, percent=True)
    shown = thinned(bars, MOST_BARS)
    width = 0.86 * (WIDTH - LEFT - RIGHT) / len(shown)
    parts = []
    for number, shares in shown:
        below = 0.0
        for color, name in enumerate(names):
            top, bottom = y.y(below + shares[name]), y.y(below)
            below += shares[name]
            said = element("title", f"{x_label} {number}: {name} {shares[name]:.1%}")
            place = {"x": x.x(number) - width / 2, "y": top, "width": width, "height": bottom - top}
            parts.append(element("rect", said, class_=f"fill c{color}", **place))
    return _figure(title, names, [*parts, *_grid(x, y, whole=True)])


def _figure(title: str, labels: Sequence[str], parts: Sequence[Html]) -> Html:
    drawing = element(
        "svg", element("title", title), *parts, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=title
    )
    keys = [element("li", element("span", class_=f"key c{number}"), label) for number, label in enumerate(labels)]
    caption = element("figcaption", title)
    return element("figure", caption, drawing, element("ul", *keys, class_="legend"), class_="chart")


def _grid(x: Axis, y: Axis, *, whole: bool = False) -> list[Html]:
    """Axes with round numbers, lines across from those of the y axis, and what they mean."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    values, step = ticks(y.low, y.high)
    for value in values:
        at = y.y(value)
        parts.append(element("line", x1=LEFT, x2=right, y1=at, y2=at, class_="grid"))
        parts.append(_text(y.text(value, step), LEFT - 6, at + 4, "end"))
    values, step = ticks(x.low, x.high, 8)
    for value in values:
        if whole and value != int(value):
            continue
        at = x.x(value)
        parts.append(element("line", x1=at, x2=at, y1=bottom, y2=bottom + 4, class_="axis"))
        parts.append(_text(tick_text(value, max(step, 1) if whole else step), at, bottom + 18, "middle"))
    parts.append(element("line", x1=LEFT, x2=right, y1=bottom, y2=bottom, class_="axis"))
    parts.append(_text(y.label, 2, 12, "start"))
    parts.append(_text(x.label, (LEFT + right) / 2, HEIGHT - 6, "middle"))
    return parts


def _bands(bands: Sequence[Band], x: Axis) -> list[Html]:
    """Every other part of the x axis shaded, with its name where there is room for it."""
    parts = []
    for number, band in enumerate(bands):
        start, end = x.x(band.start), x.x(band.end)
        said = element("title", band.label)
        place = {"x": start, "y": float(TOP), "width": end - start, "height": float(HEIGHT - BOTTOM - TOP)}
        parts.append(element("rect", said, class_="band" if number % 2 else "band other", **place))
        if end - start > len(band.label) * GLYPH:
            parts.append(_text(band.label, (start + end) / 2, TOP - 6, "middle"))
    return parts


def _steps(line: Line, x: Axis, y: Axis, color: str) -> list[Html]:
    """A line of steps, with a dot that says its value at each point."""
    points = thinned(line.points, MOST_POINTS)
    path, before = "", None
    for at, value, _ in points:
        across = f"H{x.x(at):.1f}V{y.y(value):.1f}"
        path += f"M{x.x(at):.1f} {y.y(value):.1f}" if before is None else across
        before = value
    dots = [
        element("circle", element("title", said), cx=x.x(at), cy=y.y(value), r=2.5, class_=f"fill {color}")
        for at, value, said in points
    ]
    return [element("path", d=path, class_=f"line {color}"), joined(*dots)]


def _text(words: str, x: float, y: float, anchor: str) -> Html:
    return element("text", words, x=float(x), y=float(y), text_anchor=anchor)
