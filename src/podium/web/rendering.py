"""How documents become pages: the templates, and how numbers, dates and names are written."""

import datetime
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from podium.markup import Markup, element, joined, readable
from podium.web.addresses import Addresses
from podium.web.charts.lettering import number, percent, signed
from podium.wording import NOTHING, change_of

STATIC = Path(__file__).parent / "static"
_LONGEST_LINK = 40


def _moment(value: str | datetime.datetime) -> datetime.datetime:
    return value if isinstance(value, datetime.datetime) else datetime.datetime.fromisoformat(value)


def date(value: str | datetime.datetime | None) -> Markup:
    """A day, for people and for programs."""
    if value is None:
        return Markup(NOTHING)
    moment = _moment(value)
    exact = f"{moment:%Y-%m-%dT%H:%M:%S}Z"
    return element(
        "time", f"{moment:%Y-%m-%d}", datetime=exact, title=f"{moment:%Y-%m-%d %H:%M} UTC"
    )


def when(value: str | datetime.datetime) -> Markup:
    """A moment, for people and for programs; a script says how long ago it was."""
    moment = _moment(value)
    exact = f"{moment:%Y-%m-%dT%H:%M:%S}Z"
    return element("time", f"{moment:%Y-%m-%d %H:%M:%S} UTC", datetime=exact)


def name(value: str | None) -> Markup:
    """A name of strangers: its direction stays its own, and nothing in it is invisible."""
    return element("bdi", NOTHING if value is None else readable(value))


def setting(value: Any) -> str:
    """The value of a parameter.

    Example:
        >>> setting(None), setting(True), setting(80.0), setting([0.6, 0.8])
        ('–', 'yes', '80', '0.6, 0.8')
    """
    if value is None or value in ([], ()):
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(setting, value))
    return f"{value:g}" if isinstance(value, float) else readable(str(value))


def link_text(address: str) -> str:
    """A link as it is shown: without what every link begins with.

    Example:
        >>> link_text("https://example.org/ann/"), link_text("https://example.org")
        ('example.org/ann', 'example.org')
    """
    shown = readable(address.split("://", 1)[-1].rstrip("/"))
    return shown if len(shown) <= _LONGEST_LINK else f"{shown[: _LONGEST_LINK - 1]}…"


def prose(text: str) -> Markup:
    """A text in which backquotes stand around names of the code.

    Example:
        >>> print(prose("`rho` is < 1"))
        <code>rho</code> is &lt; 1
    """
    parts = text.split("`")
    return joined(
        *(element("code", each) if index % 2 else each for index, each in enumerate(parts))
    )


@cache
def _version(file: str) -> str:
    """What changes when a file does, so that browsers may keep it."""
    return hashlib.sha256((STATIC / file).read_bytes()).hexdigest()[:12]


@cache
def environment() -> Environment:
    """The templates, in which whatever is text is escaped."""
    found = Environment(
        loader=PackageLoader("podium.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (number, signed, date, when, name, percent, prose, readable, setting, link_text)
    found.filters.update({each.__name__: each for each in filters})
    found.globals.update(version=_version, change_of=change_of)
    return found


def render(template: str, links: Addresses, **context: Any) -> str:
    """A page from a template."""
    return environment().get_template(template).render(links=links, **context)
