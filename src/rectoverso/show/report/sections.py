"""The sections of the report in words and pictures."""

from __future__ import annotations

import numpy as np

from rectoverso import __version__
from rectoverso.confidence.confidence import SURE
from rectoverso.confidence.regions import uncertain_regions
from rectoverso.puzzle.metrics import Score
from rectoverso.show.console import differences
from rectoverso.show.report.markup import Html, element, joined, section, table
from rectoverso.show.report.pictures import heat_map, heated, photo, pixels_shown, shrunk
from rectoverso.show.report.seams import crop, least_certain
from rectoverso.show.report.story import Story
from rectoverso.show.report.words import cells, count, duration, share

CROP_SIDE, SHOWN_SIDE = 168, (260, 180)
"""The most pixels along the longer side of a seam's picture, and how long it is shown alone, or with its back."""
MOST_REGIONS = 40


def about(story: Story) -> Html:
    """What was solved and how, and how right it is."""
    puzzle, result = story.puzzle, story.result
    sides = "two-sided" if puzzle.type.two_sided else "one-sided"
    rows = [
        ("puzzle", f"{puzzle.name} (fingerprint {puzzle.digest[:8]})"),
        ("type", f"{int(puzzle.type)} ({puzzle.type.unknowns} unknown)"),
        ("pieces", f"{puzzle.num_pieces:,}, {sides}, {puzzle.piece_width} x {puzzle.piece_height} pixels"),
        ("frame", f"{count(puzzle.rows, 'row')} x {count(puzzle.columns, 'column')}"),
        ("preset", ", ".join([story.preset, *differences(result.params, story.preset)])),
        ("seed", f"{result.seed}, on {count(result.threads, 'thread')}"),
        ("cost", f"{result.cost:,.1f}"),
        ("time", f"{duration(story.seconds)} for {_work(story)}"),
        ("stopped", result.reason),
        ("made by", f"rectoverso {__version__}"),
    ]
    facts = element("div", table(rows), class_="facts")
    if story.score is None:
        unknown = element("p", "The truth is not known, so how right this is cannot be told.", class_="faint")
        return section("What was solved", element("div", facts, unknown, class_="columns"))
    return section("What was solved", element("div", facts, _score(story.score), class_="columns"))


def _work(story: Story) -> str:
    rounds = f" and {count(len(story.rounds), 'round')} of repair" if story.rounds else ""
    return f"{count(story.result.generations, 'generation')}{rounds}"


def _score(score: Score) -> Html:
    rows = [
        ("direct: pieces in their place", share(score.direct), share(score.direct_twins)),
        ("neighbor: true seams found", share(score.neighbor), share(score.neighbor_twins)),
        ("perfect", "yes" if score.perfect else "no", "yes" if score.direct_twins == 1 else "no"),
    ]
    note = element("p", "Twin-aware scores take pieces with identical pixels for each other.", class_="faint")
    return element("div", table(rows, head=("compared with the truth", "strict", "twin-aware")), note)


def pictures(story: Story) -> Html:
    """The picture on each face."""
    figures = [
        element("figure", element("figcaption", _face_words(name)), photo(picture, f"the {name}"))
        for name, picture in story.faces.items()
    ]
    words = "Click to enlarge. The files beside this one have every pixel."
    return section("The picture", element("p", words, class_="faint"), element("div", *figures, class_="columns"))


def _face_words(name: str) -> str:
    return "the front" if name == "front" else "the back, as seen after turning the whole over like a page"


def certainty(story: Story) -> Html:
    """The confidence map, and the uncertain regions in words."""
    confidence = story.result.confidence
    picture = photo(heat_map(shrunk(story.faces["front"]), confidence), "the confidence map")
    colors = heated(np.full(5, 136.0), np.linspace(0, SURE, 5))
    gradient = ", ".join(f"rgb({red:.0f} {green:.0f} {blue:.0f})" for red, green, blue in colors)
    scale = joined(
        element("div", class_="scale", style=f"background: linear-gradient(90deg, {gradient})"),
        element("div", element("span", "0% sure"), element("span", f"{SURE:.0%} or more"), class_="ends"),
    )
    caption = "the front in gray, colored where a piece is uncertain"
    figure = element("figure", element("figcaption", caption), picture, scale)
    return section(
        "How sure it is",
        element("div", figure, _regions([str(region) for region in uncertain_regions(confidence)]), class_="columns"),
    )


def _regions(regions: list[str]) -> Html:
    if not regions:
        return element("p", "There is no uncertain region.")
    shown = [element("li", words) for words in regions[:MOST_REGIONS]]
    left = len(regions) - len(shown)
    more = [element("p", f"... and {count(left, 'smaller one')}.", class_="faint")] if left else []
    words = "Uncertain regions, rows and columns counted from 1 at the top left:"
    return element("div", element("p", words), element("ul", *shown), *more)


def seams(story: Story) -> Html:
    """The least certain seams, enlarged."""
    chosen = least_certain(story.result.confidence)
    size, columns = (story.puzzle.piece_height, story.puzzle.piece_width), story.result.arrangement.columns
    items, shown_side = [], SHOWN_SIDE[story.puzzle.faces - 1]
    for seam in chosen:
        crops = []
        for name, picture in story.faces.items():
            seen = seam.from_behind(columns) if name == "back" else seam
            small = shrunk(crop(picture, seen, size), CROP_SIDE)
            alt = f"the seam of {cells(seam.one, seam.other)}, {name}"
            crops.append(pixels_shown(small, alt, max(1, shown_side // max(small.shape))))
        words = element("p", element("strong", f"{seam.confidence:.0%}"), " sure: ", cells(seam.one, seam.other))
        items.append(element("li", element("div", *crops, class_="faces"), words))
    behind = " The back is beside the front, with left and right exchanged." if story.puzzle.faces == 2 else ""
    intro = f"The {count(len(items), 'seam')} of the least confidence, no piece twice, between the marks.{behind}"
    return section("Doubtful seams", element("p", intro, class_="faint"), element("ul", *items, class_="seams"))
