"""The sections of the report that are charts: cost and accuracy over time, phases, time by part of the work."""

from __future__ import annotations

from rectoverso.show.report.charts import Axis, Band, Line, bar_chart, fitting_axis, line_chart
from rectoverso.show.report.markup import Html, element, joined, section
from rectoverso.show.report.story import Story
from rectoverso.show.report.words import duration, share, time_unit

PARTS = ("preparation", "evolution", "repair")
"""What the parts of the work that come one after the other are called in charts."""


class _Clock:
    """The time axis of a story: seconds since evolution began become units since the work began."""

    def __init__(self, story: Story) -> None:
        seconds = story.result.seconds
        self.start = seconds["preparation"]
        ends, end = {}, 0.0
        for part in PARTS:
            if part in seconds:
                ends[part] = (end, end + seconds[part])
                end += seconds[part]
        self.unit, name = time_unit(end)
        self.axis = Axis(f"time in {name}", 0.0, end / self.unit)
        self.bands = [Band(part, low / self.unit, high / self.unit) for part, (low, high) in ends.items()]

    def at(self, seconds: float) -> float:
        return (self.start + seconds) / self.unit

    def words(self, seconds: float) -> str:
        return duration(self.start + seconds)


def curves(story: Story) -> Html:
    """The best cost over time and, where the truth is known, how right the best was."""
    clock = _Clock(story)
    if len(story.result.history) + len(story.rounds) < 3:
        return section("On the way", element("p", "The solve was too short for curves."))
    charts = [_costs(story, clock)]
    if len(story.judged) > 1:
        charts.append(_accuracy(story, clock))
    first = story.result.history[0]
    note = f"The random arrangements at the start, not shown, cost {first.best_cost:,.1f} or more."
    return section("On the way", element("div", *charts, class_="columns"), element("p", note, class_="faint"))


def _costs(story: Story, clock: _Clock) -> Html:
    # The random generation would squeeze all that follows into a line at the bottom.
    bred = story.result.history[1:]
    best = [
        (clock.at(record.seconds), record.best_cost, f"generation {record.generation}, best {record.best_cost:,.1f}")
        for record in bred
    ]
    best += [
        (clock.at(done.seconds), done.best_cost, f"round {done.round}, best {done.best_cost:,.1f}")
        for done in story.rounds
    ]
    mean = [
        (clock.at(record.seconds), record.mean_cost, f"generation {record.generation}, mean {record.mean_cost:,.1f}")
        for record in bred
    ]
    y = fitting_axis("cost (lower is better)", [value for _, value, _ in (*best, *mean)])
    lines = [Line("best so far", best), *([Line("mean of the generation", mean)] if mean else [])]
    return line_chart("Cost over time", lines, clock.axis, y, clock.bands)


def _accuracy(story: Story, clock: _Clock) -> Html:
    names = {"direct": "direct", "neighbor": "neighbor"}
    last = story.judged[-1].score
    if (last.direct, last.neighbor) != (last.direct_twins, last.neighbor_twins):
        names |= {"direct_twins": "direct, twin-aware", "neighbor_twins": "neighbor, twin-aware"}
    lines = []
    for name, label in names.items():
        values = [(judged.seconds, float(getattr(judged.score, name))) for judged in story.judged]
        points = [(clock.at(at), value, f"{label} {share(value)} after {clock.words(at)}") for at, value in values]
        lines.append(Line(label, points))
    y = fitting_axis("share that is right", [value for line in lines for _, value, _ in line.points], percent=True)
    return line_chart("Accuracy of the best so far", lines, clock.axis, y, clock.bands)


def work(story: Story) -> Html:
    """How pieces were placed in each generation, and where the time went."""
    bars = [(record.generation, record.shares) for record in story.result.history if sum(record.phases.values())]
    phases = element("p", "No generation was bred.")
    if bars:
        phases = bar_chart("How pieces were placed", bars, "generation", "share of the placements")
    words = (
        "shared: an edge of both parents; buddy: a best-buddy edge of either; least: the least dissimilarity over the "
        "whole boundary; fitted: the best fit when candidates are used up"
    )
    words += "; mutated: at random." if story.result.params.genetic.mutation else "."
    shown = element("div", phases, element("p", words, class_="faint"))
    return section("How it was done", element("div", shown, _times(story), class_="columns"))


def _times(story: Story) -> Html:
    """The time of each part of the work as a table of bars."""
    total = max(story.seconds, 1e-9)
    rows = []
    for name, seconds in story.result.seconds.items():
        bar = element("span", class_="bar c0", style=f"width: {seconds / total:.1%}")
        cells = (duration(seconds), f"{seconds / total:.0%}", bar)
        rows.append(element("tr", element("th", name, scope="row"), *(element("td", cell) for cell in cells)))
    caption = element("figcaption", f"Where the time went: {duration(total)} in all")
    return element("figure", caption, element("table", joined(*rows), class_="bars"))
