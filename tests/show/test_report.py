"""The report: what it says, what it shows, and that it needs nothing else."""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO

import numpy as np
import pytest
from helpers import small_puzzle
from PIL import Image

import rectoverso
from rectoverso import Arrangement, Params, Progress, Puzzle, Result, changed_params, render, score, solve
from rectoverso.confidence.confidence import Confidence
from rectoverso.evolve.state import Record
from rectoverso.evolve.stop import Signal, Stop
from rectoverso.images.files import Pixels
from rectoverso.parameters import Genetic, Objective, Relative, Repair
from rectoverso.repair.regrowth import EARLY
from rectoverso.show.log import Log
from rectoverso.show.report.bests import MOST, Best, Bests, judge
from rectoverso.show.report.charts import HEIGHT, WIDTH, Axis, Line, fitting_axis, line_chart
from rectoverso.show.report.pictures import heat_map, shrunk
from rectoverso.show.report.report import make_report
from rectoverso.show.report.seams import Seam, crop, least_certain
from rectoverso.show.report.story import Story, render_faces
from rectoverso.show.report.words import share

TINY = Params(Genetic(population=20, generations=3, elites=1))
REPAIRED = Params(
    TINY.genetic,
    Objective(measure="blend", relative=Relative(traces=False, color_gap=0.0, loop_rounds=0, skip=0.0)),
    Repair(regrow_steps=80, patch_steps=0, segment_moves=0, exchange_cells=0),
)
PHASES = {"shared": 6, "buddy": 2, "least": 1, "fitted": 1, "mutated": 0}


class Page(HTMLParser):
    """A report taken apart: elements with their attributes, text, what stands in table rows."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.rows: list[list[str]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == [], "elements that do not end"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in ("img", "input", "meta"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        """Elements end in the order in which they should."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.texts.append(data)
        if self.open and self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += data

    def attributes(self, tag: str) -> list[dict[str, str]]:
        """The attributes of each element of a name."""
        return [attributes for name, attributes in self.elements if name == tag]

    def images(self, kind: str) -> list[Pixels]:
        """The pixels of each picture of a kind."""
        sources = [attributes["src"] for attributes in self.attributes("img") if attributes["class"] == kind]
        return [np.asarray(Image.open(BytesIO(b64decode(source.split(",")[1])))) for source in sources]

    def row(self, name: str) -> list[str]:
        """What stands in the table row of a name."""
        return next(row[1:] for row in self.rows if row[0] == name)

    @property
    def text(self) -> str:
        """All text."""
        return " ".join(self.texts)


def some_confidence(rows: int, columns: int, seed: int = 0) -> Confidence:
    """Any numbers from 0 to 1."""
    rng = np.random.default_rng(seed)
    shapes = ((rows, columns - 1), (rows - 1, columns), (rows, columns))
    return Confidence(*(rng.random(shape, np.float32) for shape in shapes))


def told(puzzle: Puzzle, params: Params = TINY, stop: Stop | None = None) -> Story:
    """The story of a short solve whose confidence is made up."""
    log, bests = Log(), Bests()
    result = solve(puzzle, params=params, seed=4, threads=1, stop=stop, observers=(log, bests))
    result = replace(result, confidence=some_confidence(puzzle.rows, puzzle.columns))
    faces = render_faces(puzzle, result.arrangement)
    return Story(puzzle, "paper", result, faces, log.rounds, bests.kept, puzzle.truth)


@pytest.fixture(scope="module")
def story(photos: tuple[Pixels, Pixels]) -> Story:
    """A two-sided solve with rounds of repair that does not find the truth."""
    front, back = (photo[140:224, 168:308] for photo in photos)
    puzzle = Puzzle.from_image(front, back=back, size=14, seed=1, name="<b>&amp; co")
    return told(puzzle, changed_params(REPAIRED, {"genetic": {"population": 10}, "repair": {"regrow_steps": 40}}))


@pytest.fixture(scope="module")
def page(story: Story) -> Page:
    return Page(make_report(story))


def test_it_says_what_was_solved_and_how(story: Story, page: Page) -> None:
    """The facts are those of the puzzle and of the result."""
    puzzle, result = story.puzzle, story.result
    assert page.row("puzzle") == [f"<b>&amp; co (fingerprint {puzzle.digest[:8]})"]
    assert page.row("type") == ["4 (location, rotation and face unknown)"]
    assert page.row("pieces") == ["60, two-sided, 14 x 14 pixels"]
    assert page.row("frame") == ["6 rows x 10 columns"]
    assert page.row("preset")[0].startswith("paper, population 10 instead of 1000")
    assert page.row("seed") == ["4, on 1 thread"]
    assert page.row("cost") == [f"{result.cost:,.1f}"]
    assert page.row("time")[0].endswith(f"for 3 generations and {EARLY} rounds of repair")
    assert page.row("stopped") == [result.reason]
    assert page.row("made by") == [f"rectoverso {rectoverso.__version__}"]


def test_it_says_how_right_it_is(story: Story, page: Page) -> None:
    """Strict and twin-aware scores in a table; without the truth there are none, and no accuracy curve."""
    assert story.truth is not None
    known = score(story.result.arrangement, story.truth, story.puzzle)
    assert page.row("direct: pieces in their place") == [share(known.direct), share(known.direct_twins)]
    assert page.row("neighbor: true seams found") == [share(known.neighbor), share(known.neighbor_twins)]
    assert page.row("perfect")[0] == ("yes" if known.perfect else "no")
    assert "Accuracy of the best so far" in page.text
    unknown = Page(make_report(replace(story, truth=None)))
    assert "The truth is not known" in unknown.text
    assert "Accuracy" not in unknown.text
    assert "compared with the truth" not in unknown.text


def test_names_are_escaped(story: Story, page: Page) -> None:
    """A name that looks like HTML is shown as it is."""
    assert "b" not in {tag for tag, _ in page.elements}
    assert "<b>&amp; co" in page.texts
    assert "<h1>&lt;b&gt;&amp;amp; co</h1>" in make_report(story)


def test_nothing_comes_from_outside(story: Story, page: Page) -> None:
    """No script, no link, no address; and the browser is told to load nothing."""
    assert not {"script", "link", "iframe", "a", "object"} & {tag for tag, _ in page.elements}
    assert all(source["src"].startswith("data:image/webp;base64,") for source in page.attributes("img"))
    assert not any("href" in attributes or "onclick" in attributes for _, attributes in page.elements)
    assert not re.search(r"https?:|//|@import|url\(", re.sub(r'src="data:[^"]*"', "", make_report(story)))
    policy = next(meta["content"] for meta in page.attributes("meta") if "http-equiv" in meta)
    assert policy.startswith("default-src 'none'")


@pytest.mark.parametrize("type", range(1, 8))
def test_pictures_of_every_type(type: int) -> None:
    """Each face and the map in full, each chosen seam once for each face, at the right sizes."""
    puzzle = small_puzzle("distinct", type)
    story = told(puzzle)
    page = Page(make_report(story))
    photos = page.images("photo")
    assert [photo.shape for photo in photos] == [(12, 20, 3)] * (puzzle.faces + 1)
    for face, photo in enumerate(photos[:-1]):
        wanted = render(puzzle, story.result.arrangement, back=bool(face))
        assert np.abs(photo.astype(int) - wanted).mean() < 12  # the format is lossy
    seams = least_certain(story.result.confidence)
    crops = page.images("pixels")
    assert len(crops) == len(seams) * puzzle.faces > 0
    sizes = {(12, 8, 3) if seam.down else (8, 12, 3) for seam in seams}
    assert {shown.shape for shown in crops} == sizes
    said = re.findall(r"(\d+)%  sure: row", page.text)
    assert said == [f"{100 * seam.confidence:.0f}" for seam in seams]
    row, column = (index + 1 for index in seams[0].one)
    places = (f"rows {row} and {row + 1}, column {column}", f"row {row}, columns {column} and {column + 1}")
    assert places[not seams[0].down] in page.text
    assert len(page.attributes("svg")) == 3


@pytest.mark.parametrize(("rows", "columns"), [(1, 6), (6, 1), (1, 2)])
@pytest.mark.parametrize("type", [2, 4])
def test_narrow_puzzles(rows: int, columns: int, type: int) -> None:
    """A puzzle of one row has no seams down, one of one column none to the right."""
    story = told(small_puzzle("distinct", type, rows=rows, columns=columns))
    seams = least_certain(story.result.confidence)
    assert {seam.down for seam in seams} == {columns == 1}
    assert len(Page(make_report(story)).images("pixels")) == len(seams) * story.puzzle.faces


@pytest.mark.parametrize("params", [TINY, REPAIRED])
def test_interrupted_before_the_first_generation(params: Params) -> None:
    """Even a solve with nothing but random arrangements has a report, which says why it stopped."""
    page = Page(make_report(told(small_puzzle("distinct", 2), params, stop=Signal(lambda: "interrupted"))))
    assert page.row("stopped") == ["interrupted"]
    assert "too short for curves" in page.text
    assert "No generation was bred" in page.text
    assert len(page.images("photo")) == 2


def test_curves_tell_what_happened(story: Story, page: Page) -> None:
    """A dot for each generation but the random one and for each round, with its cost; none outside the chart."""
    said = page.text
    for record in story.result.history[1:]:
        assert f"generation {record.generation}, best {record.best_cost:,.1f}" in said
        assert f"generation {record.generation}: shared {record.shares['shared']:.1%}" in said
    assert [done.round for done in story.rounds] == list(range(1, EARLY + 1))
    for done in story.rounds:
        assert f"round {done.round}, best {done.best_cost:,.1f}" in said
    for dot in page.attributes("circle"):
        assert 0 < float(dot["cx"]) < WIDTH
        assert 0 < float(dot["cy"]) < HEIGHT
    for bar in page.attributes("rect"):
        assert 0 <= float(bar["y"]) <= float(bar["y"]) + float(bar["height"]) < HEIGHT


def test_times_add_up(story: Story, page: Page) -> None:
    """Each part of the work has its row, and its share of the whole."""
    shares = {name: int(page.row(name)[1].rstrip("%")) for name in story.result.seconds}
    assert list(shares) == ["preparation", "evolution", "repair"]
    assert sum(shares.values()) == pytest.approx(100, abs=2)


def test_long_solves_have_few_dots() -> None:
    """Thousands of generations become a curve of at most 120 points and at most 60 bars."""
    story = told(small_puzzle("distinct", 2))
    history = [Record(number, 1e6 - number, 1e6, PHASES, number / 10) for number in range(5000)]
    result = replace(story.result, history=history, seconds={"preparation": 1.0, "evolution": 500.0})
    page = Page(make_report(replace(story, result=result)))
    assert len(page.attributes("circle")) <= 4 * 120
    assert len([bar for bar in page.attributes("rect") if "fill" in bar["class"]]) == 60 * 4
    assert "generation 4999, best 995,001.0" in page.text
    assert "time in min" in page.text


def test_bests_are_few_and_judged(story: Story) -> None:
    """Only new bests are kept, not too many of them; in a story the last one judged is the result, at its end."""
    bests = Bests()
    for number in range(1000):
        bests.on_progress(Progress("repair", "", 0.5, float(number), np.array([number // 2], np.uint32), 1.0))
    assert len(bests.kept) <= 2 * MOST
    assert len({int(best.chromosome[0]) for best in bests.kept}) == len(bests.kept)
    assert bests.kept[-1].chromosome[0] == 499
    assert story.truth is not None
    chromosome = story.truth.up_edges(2).ravel()
    many = [Best(at, chromosome) for at in range(300)]
    judged = judge(many, story.truth, story.puzzle)
    assert len(judged) == MOST - 1
    assert all(each.score.perfect for each in judged)
    assert (judged[0].seconds, judged[-1].seconds) == (0, 299)
    assert judge([], story.truth, story.puzzle) == []
    told_of = replace(story, bests=many).judged
    assert told_of[:-1] == judged
    assert len(told_of) == MOST
    assert told_of[-1].score == story.score == score(story.result.arrangement, story.truth, story.puzzle)
    assert told_of[-1].seconds == story.result.seconds["evolution"] + story.result.seconds["repair"]
    assert replace(story, bests=many, truth=None).judged == []


def test_the_least_certain_seams() -> None:
    """In the order of their confidence, the lowest first, and no piece twice."""
    confidence = some_confidence(9, 11, seed=3)
    seams = least_certain(confidence)
    assert len(seams) == 24
    assert seams[0].confidence == min(confidence.right.min(), confidence.down.min())
    assert [seam.confidence for seam in seams] == sorted(seam.confidence for seam in seams)
    cells = [cell for seam in seams for cell in (seam.one, seam.other)]
    assert len(set(cells)) == len(cells)
    for seam in seams:
        table = confidence.down if seam.down else confidence.right
        assert table[seam.one] == np.float32(seam.confidence)


@pytest.mark.parametrize("seam", [Seam(1, 2, False, 0.5), Seam(0, 0, True, 0.5), Seam(2, 3, False, 0.5)])
def test_crops_show_both_pieces(seam: Seam) -> None:
    """The two pieces are shown pixel by pixel, on the back those that lie behind them."""
    puzzle = small_puzzle("distinct", 4, rows=3, columns=5, size=6)
    assert puzzle.truth is not None
    for back in (False, True):
        seen = seam.from_behind(5) if back else seam
        pair = crop(render(puzzle, puzzle.truth, back=back), seen, (6, 6))[3:-3, 3:-3]
        shown = puzzle.truth.flipped() if back else puzzle.truth
        behind = {puzzle.truth.piece[seam.one], puzzle.truth.piece[seam.other]}
        assert {shown.piece[seen.one], shown.piece[seen.other]} == behind
        halves = np.split(pair, 2, axis=0 if seam.down else 1)
        for half, cell in zip(halves, (seen.one, seen.other), strict=True):
            piece = puzzle.pixels[shown.piece[cell], shown.face[cell]]
            assert np.array_equal(half, np.rot90(piece, -int(shown.rotation[cell])))


def test_the_map_colors_what_is_uncertain() -> None:
    """Sure pieces stay gray; the less sure a piece is the less of the gray is left under its color."""
    pieces = np.array([[1.0, 0.6, 0.0], [1.0, 1.0, 0.95]], np.float32)
    confidence = Confidence(np.ones((2, 2), np.float32), np.ones((1, 3), np.float32), pieces)
    picture = np.random.default_rng(0).integers(0, 256, (20, 30, 3), np.uint8)
    shown = heat_map(picture, confidence).astype(int)
    colored = (shown.max(axis=2) - shown.min(axis=2)).reshape(2, 10, 3, 10).mean(axis=(1, 3))
    assert (colored[pieces >= 0.9] == 0).all()
    assert (colored[pieces < 0.9] > 20).all()
    contrast = shown[..., 0].reshape(2, 10, 3, 10).std(axis=(1, 3))
    assert contrast[0, 0] > 1.3 * contrast[0, 1] > 1.3 * 1.3 * contrast[0, 2]


def test_regions_and_the_lack_of_them() -> None:
    """Uncertain pieces side by side are one region with its rows and columns; a sure solution has none."""
    story = told(small_puzzle("distinct", 2))
    sure = np.ones((3, 5), np.float32)
    unsure = sure.copy()
    unsure[1, 1:4] = unsure[2, 1] = 0.25
    seams = story.result.confidence.right, story.result.confidence.down
    for pieces, words in ((sure, "no uncertain region"), (unsure, "rows 2-3, columns 2-4 (4 pieces)")):
        changed = replace(story.result, confidence=Confidence(*seams, pieces))
        assert words in Page(make_report(replace(story, result=changed))).text


def test_a_large_report_is_small() -> None:
    """22,755 pieces of pure noise, which cannot be compressed, stay below a few megabytes."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (22755, 1, 28, 28, 3), np.uint8)
    puzzle = Puzzle(pixels, rectoverso.PuzzleType(2), 123, 185)
    arrangement = Arrangement.of(np.arange(22755).reshape(123, 185))
    history = [Record(number, 10.0 - number, 10.0, PHASES, float(number)) for number in range(4)]
    result = Result(
        arrangement,
        7.0,
        TINY,
        0,
        1,
        "",
        {"preparation": 1.0, "evolution": 3.0},
        history,
        some_confidence(123, 185),
        puzzle,
    )
    html = make_report(Story(puzzle, "paper", result, render_faces(puzzle, arrangement)))
    assert len(html) < 3_000_000
    photos = Page(html).images("photo")
    assert all(600 < max(photo.shape) <= 2000 for photo in photos)


def test_pictures_are_scaled_down_only() -> None:
    """A long picture keeps its shape and at least one pixel of its height; a small one is left alone."""
    assert shrunk(np.zeros((3, 9000, 3), np.uint8)).shape == (1, 2000, 3)
    assert shrunk(np.zeros((3, 90, 3), np.uint8)).shape == (3, 90, 3)


def test_axes_hold_what_they_show() -> None:
    """An axis reaches over its values, also over equal ones, and shares stay within the whole."""
    for values, percent in (([5.0, 5.0], False), ([0.0, 0.0], False), ([1.0, 1.0], True), ([0.97, 0.9991], True)):
        axis = fitting_axis("", values, percent=percent)
        assert axis.low <= min(values) <= max(values) <= axis.high
        assert axis.low < axis.high
        assert not percent or (axis.low >= 0 and axis.high <= 1)
        line_chart("", [Line("", [(0.0, values[0], ""), (1.0, values[1], "")])], Axis("", 0.0, 1.0), axis)
