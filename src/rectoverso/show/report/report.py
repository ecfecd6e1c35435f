"""The report as one page."""

from __future__ import annotations

from rectoverso import __version__
from rectoverso.show.report.curves import curves, work
from rectoverso.show.report.markup import Html, element, page
from rectoverso.show.report.sections import about, certainty, pictures, seams
from rectoverso.show.report.story import Story
from rectoverso.show.report.words import count, duration, share


def make_report(story: Story) -> str:
    """The HTML of a report: one page with all its pictures in it, which loads nothing and runs nothing."""
    parts = (about, pictures, certainty, seams, curves, work)
    name = story.puzzle.name
    footer = element("footer", f"Made by rectoverso {__version__}.")
    return page(f"{name}: rectoverso", element("h1", name), _lead(story), *(part(story) for part in parts), footer)


def _lead(story: Story) -> Html:
    """The report in one sentence."""
    done = f"{count(story.puzzle.num_pieces, 'piece')} put together in {duration(story.seconds)}"
    right = f", {share(story.score.neighbor)} of the true seams found" if story.score else ""
    return element("p", f"{done}{right}; stopped: {story.result.reason}.")
