"""Attributes: what a league knows of its players besides names, by kinds that it defines."""

import dataclasses
import datetime
import json
import math
import numbers
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from podium.errors import InputError
from podium.league.database import check_text
from podium.ratings.conditions import as_word
from podium.texts import LONGEST, SHOWN, SPACES, normalised, too_long
from podium.wording import listed, suggestion

KINDS = ("text", "number", "date", "link")
OWN = ("display", "hidden")
"""What every player can have, whatever the league defines."""
_RESERVED = frozenset(
    (
        *("player", "players", "name", "id", *OWN, "guest", "alias", "aliases", "attributes"),
        *("place", "title", "rating", "mu", "sigma", "forecast", "spread", "contests"),
        *("last_time", "provisional", "peak", "peak_time", "best", "worst", "colour", "season"),
    )
)
"""What columns of players are called already."""
_WORD = re.compile(r"[^\W\d_]\w*")
_LONGEST_WORD = 40
_MOST = 50
"""Attributes that a league may have."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_EXACT = 2**53


@dataclass(frozen=True)
class Attribute:
    """What may be known of players.

    Args:
        name: A plain word, such as ``country`` or ``birth_year``.
        kind: ``text``, ``number``, ``date`` or ``link``; what is given is checked by it.
        public: Whether everybody may see it, or only the organiser.

    Example:
        >>> Attribute.parse("birth_year:number")
        Attribute(name='birth_year', kind='number', public=True)
        >>> Attribute("birth_year", "number").checked("2005.0")
        '2005'
    """

    name: str
    kind: str = "text"
    public: bool = True

    def __post_init__(self) -> None:
        name = as_word(self.name) if isinstance(self.name, str) else ""
        if not _WORD.fullmatch(name) or len(name) > _LONGEST_WORD:
            raise InputError(
                f"an attribute is called by a plain word of at most {_LONGEST_WORD} letters, such "
                f"as country or birth_year, not {self.name!r}."
            )
        if name in _RESERVED:
            raise InputError(f"no attribute can be called {name!r}, which is something else here.")
        check_text("the attribute", name)
        if self.kind not in KINDS:
            hint = suggestion(self.kind, KINDS)
            raise InputError(
                f"the kind of attribute {name!r} must be {listed(KINDS)}, not {self.kind!r}{hint}."
            )
        if not isinstance(self.public, bool):
            raise InputError(f"public must be True or False, not {self.public!r}.")
        object.__setattr__(self, "name", name)

    @classmethod
    def parse(cls, text: object, *, public: bool = True) -> "Attribute":
        """The attribute that ``country`` or ``birth_year:number`` means."""
        if isinstance(text, Attribute):
            return text
        if not isinstance(text, str):
            raise InputError(f"an attribute such as 'country' is needed, not {text!r}.")
        name, colon, kind = text.partition(":")
        return cls(name, kind.strip().lower() if colon else "text", public)

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        return dataclasses.asdict(self)

    def checked(self, given: Any) -> str:
        """A value as it is kept; raise if it is none of this kind."""
        text = _as_text(given)
        if not text:
            raise InputError(f"{self.name} needs a value; None, or in tables -, removes it.")
        check_text(self.name, text)
        if len(text) > LONGEST:
            raise InputError(too_long(self.name, text))
        return _CHECKED[self.kind](self.name, text)

    def typed(self, value: str) -> str | int | float:
        """What is kept, for programs: numbers are numbers."""
        if self.kind != "number":
            return value
        found = float(value)
        return int(found) if found.is_integer() and abs(found) < _EXACT else found


def _as_text(given: Any) -> str:
    """What was given, however a table holds it."""
    if isinstance(given, datetime.datetime):
        midnight = given.time() == datetime.time()
        return given.date().isoformat() if midnight else given.isoformat()
    if isinstance(given, datetime.date):
        return given.isoformat()
    if isinstance(given, numbers.Integral) and not isinstance(given, bool):
        return str(int(given))
    if isinstance(given, numbers.Real) and not isinstance(given, bool):
        number = float(given)
        return str(int(number)) if number.is_integer() and abs(number) < _EXACT else repr(number)
    if isinstance(given, str):
        return normalised(given)
    raise InputError(f"a text, a number or a date is needed, not {given!r}.")


def _number(name: str, text: str) -> str:
    try:
        found = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError(f"{name} must be a number, such as 2005 or 1.5, not {text!r}.")
    return _as_text(found + 0.0)


def _date(name: str, text: str) -> str:
    try:
        if _DATE.fullmatch(text) and text.isascii():
            return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise InputError(f"{name} must be a date, such as 2005-03-31, not {text!r}.")


def _link(name: str, text: str) -> str:
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    odd = set(text) & {*SPACES, *map(chr, SHOWN), *'"<>\\^`{|}'}
    if not sound or odd or "@" in parts.netloc:
        raise InputError(
            f"{name} must be a link that begins with https:// or http://, such as "
            f"https://example.org/ann, not {text!r}."
        )
    return text


def _text(_: str, text: str) -> str:
    return text


_CHECKED = {"text": _text, "number": _number, "date": _date, "link": _link}


def checked_display(given: Any) -> str:
    """A name to show as it is kept; raise if it cannot be one."""
    if not isinstance(given, str) or not normalised(given):
        raise InputError(f"display must be a text that is more than spaces, not {given!r}.")
    text = normalised(given)
    check_text("display", text)
    if len(text) > LONGEST:
        raise InputError(too_long("display", text))
    return text


_YES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def checked_hidden(given: Any) -> bool:
    """Whether somebody is hidden; raise if it is neither yes nor no."""
    if isinstance(given, bool):
        return given
    found = _YES.get(_as_text(given).lower())
    if found is None:
        raise InputError(f"hidden must be yes or no, not {given!r}.")
    return found


def as_stored(attributes: Sequence[Attribute]) -> str:
    """The attributes of a league as it keeps them."""
    if len(attributes) > _MOST:
        raise InputError(f"a league may have {_MOST} attributes, not {len(attributes):,}.")
    return json.dumps([each.document() for each in attributes], ensure_ascii=False)
