"""HTML in which text cannot be taken for markup."""

import html
import re

_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What neither HTML nor a picture in it can hold."""
_LINES = {"head", "header", "main", "section", "title", "style", "h1", "h2", "h3", "p", "nav", "ul"}
_LINES |= {"li", "dl", "dd", "table", "caption", "thead", "tbody", "tr", "figure", "figcaption"}
"""Elements after which a new line starts, for who reads the source."""


class Markup(str):
    """HTML, as against text."""


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
