"""HTML from elements: text is escaped unless it is an element already."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

VOID = ("img", "input", "meta")
"""Elements that have no end."""
NOTHING_FROM_OUTSIDE = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""The browser itself makes sure that a report loads nothing and runs nothing."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, /, *content: str, **attributes: str | float) -> Html:
    """An element; ``class_`` stands for class, and an underscore within an attribute's name for a hyphen.

    >>> element("p", "1 < 2", element("b", "!"), class_="a", data_x='"')
    '<p class="a" data-x="&quot;">1 &lt; 2<b>!</b></p>'
    """
    words = "".join(f' {_name(key)}="{escape(_value(value))}"' for key, value in attributes.items())
    if name in VOID:
        return Html(f"<{name}{words}>")
    return Html(f"<{name}{words}>{joined(*content)}</{name}>")


def joined(*content: str) -> Html:
    """Text and elements, one after the other."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in content))


def table(rows: Sequence[tuple[str, ...]], head: tuple[str, ...] = ()) -> Html:
    """A table whose first column names its rows."""
    lines = [element("tr", *(element("th", cell, scope="col") for cell in head))] if head else []
    for name, *cells in rows:
        lines.append(element("tr", element("th", name, scope="row"), *(element("td", cell) for cell in cells)))
    return element("table", *lines)


def section(title: str, *content: str) -> Html:
    """A part of the report, under its title."""
    return element("section", element("h2", title), *content)


def page(title: str, *content: str) -> Html:
    """A whole page that needs no other file and loads nothing."""
    style = (files("rectoverso.show.report") / "style.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=NOTHING_FROM_OUTSIDE),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Html(style)),
    )
    whole = element("html", head, element("body", element("main", *content)), lang="en")
    return Html(f"<!DOCTYPE html>\n{whole}\n")


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
