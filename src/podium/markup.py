"""HTML in which text cannot be taken for markup."""

import base64
import datetime
import hashlib
import html
import re
from typing import TYPE_CHECKING

from podium.wording import NOTHING

if TYPE_CHECKING:
    import polars as pl

_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What neither HTML nor a picture in it can hold."""
_LINES = {"head", "header", "main", "section", "title", "style", "h1", "h2", "h3", "p", "nav", "ul"}
_LINES |= {"li", "dl", "dd", "table", "caption", "thead", "tbody", "tr", "figure", "figcaption"}
"""Elements after which a new line starts, for who reads the source."""


class Markup(str):
    """HTML, as against text."""

    def __html__(self) -> str:
        """The same, for templates, which then do not escape it."""
        return str(self)


def readable(text: str) -> str:
    """The text with a mark in place of control characters and broken letters."""
    return _UNWRITABLE.sub("\ufffd", text)


def joined(*content: str) -> Markup:
    """The content in a row, what is text escaped."""
    return Markup(
        "".join(
            part if isinstance(part, Markup) else html.escape(readable(part)) for part in content
        )
    )


def element(tag: str, *content: str, **attributes: str) -> Markup:
    """An element; `class_` stands for the attribute class, and aria_label for aria-label.

    Example:
        >>> print(element("span", "1 < 2, ", element("b", "always"), class_="fact"))
        <span class="fact">1 &lt; 2, <b>always</b></span>
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{joined(value)}"'
        for name, value in attributes.items()
    )
    end = "\n" if tag in _LINES else ""
    return Markup(f"<{tag}{written}>{joined(*content)}</{tag}>{end}")


def page(title: str, style: str, *body: str, script: str = "") -> str:
    """A page that needs nothing else, and loads nothing: its style and script stand in it."""
    allowed = "default-src 'none'; style-src 'unsafe-inline'"
    scripts = Markup("")
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        allowed += f"; script-src 'sha256-{digest}'"
        scripts = Markup(f"<script>{script}</script>\n")
    meta = Markup(
        '\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{allowed}">\n'
    )
    head = element("head", meta, element("title", title), element("style", Markup(style)))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n{head}\n{element("body", *body, scripts)}\n</html>\n'
    )


def scrolling(name: str, *content: str) -> Markup:
    """A table that moves sideways where the screen is narrow."""
    table = element("table", *content)
    return element("div", table, class_="wide", role="region", aria_label=name, tabindex="0")


MOST = 10
"""Rows of a table, of which notebooks show the first."""


def table(about: object, frame: "pl.DataFrame", *, digits: int = 2, rows: int = 0) -> Markup:
    """The first rows of a table, as notebooks show it.

    Args:
        about: A text to stand above it, or what it is a table of.
        frame: What is shown: texts as they are, numbers rounded, and a dash for null.
        digits: How many there are behind the point.
        rows: How many there are in all, if the frame has only the first; that stands below.

    Example:
        >>> import polars as pl
        >>> found = table("Best", pl.DataFrame({"player": ["<b>"], "rating": [1516.4]}), digits=0)
        >>> "&lt;b&gt;" in found, "1,516" in found
        (True, True)
    """
    heads = element("tr", *(element("th", each, scope="col") for each in frame.columns))
    body = (
        element("tr", *(_cell(value, digits) for value in row))
        for row in frame.head(MOST).iter_rows()
    )
    caption = about if isinstance(about, str) else repr(about)[1:-1]
    content = [element("caption", caption), element("thead", heads), element("tbody", *body)]
    count = max(rows, frame.height)
    more = element("p", f"{MOST} of {count:,} rows") if count > MOST else ""
    return joined(element("table", *content), more)


def _cell(value: object, digits: int) -> Markup:
    if isinstance(value, str):
        return element("td", value, style="text-align: left")
    if isinstance(value, float):
        return element("td", f"{value:,.{digits}f}")
    if isinstance(value, int) and not isinstance(value, bool):
        return element("td", f"{value:,}")
    if isinstance(value, datetime.datetime):
        return element("td", f"{value:%Y-%m-%d}")
    if isinstance(value, bool):
        return element("td", "yes" if value else "no")
    return element("td", NOTHING if value is None else str(value))
