"""Names and dates in the names of files, sheets and columns: 'spring-cup-2026-03-01'."""

import datetime
import re
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from podium.errors import InputError
from podium.results import calendars
from podium.results.options import Dates
from podium.results.times import from_microseconds
from podium.wording import listed

_MARK = r"(?P<mark>[-_. /])"
_PATTERNS = (
    rf"(?P<y>(?:1[89]|2[01])\d\d){_MARK}(?P<m>\d\d?)(?P=mark)(?P<d>\d\d?)",
    r"(?P<y>(?:19|20)\d\d)(?P<m>[01]\d)(?P<d>[0-3]\d)",
    rf"(?P<one>\d\d?){_MARK}(?P<two>\d\d?)(?P=mark)(?P<y>(?:1[89]|2[01])\d\d)",
    r"(?P<one>\d\d?)(?P<mark>[./])(?P<two>\d\d?)(?P=mark)(?P<y>\d\d)",
    r"(?P<d>\d\d?)(?:st|nd|rd|th|er|\u00ba|\u00b0)?[-_. ]+(?:de |of )?"
    r"(?P<month>[^\W\d_]{3,10})[-_., ]+(?:de |del )?(?P<y>(?:1[89]|2[01])\d\d)",
    r"(?P<d>\d\d?)-(?P<month>[^\W\d_]{3,10})-(?P<y>\d\d)",
    r"(?P<month>[^\W\d_]{3,10})[-_. ]+(?P<d>\d\d?)(?:st|nd|rd|th)?[-_., ]+"
    r"(?P<y>(?:1[89]|2[01])\d\d)",
)
_DATES = [re.compile(rf"(?<!\d){pattern}(?!\d)", re.IGNORECASE) for pattern in _PATTERNS]
_YEAR = re.compile(r"(?:19|20)\d\d")


class Dated(NamedTuple):
    """A text, taken apart."""

    name: str
    """What it says beside the date."""
    date: datetime.date | None


def dated(texts: Sequence[str], dates: Dates | None) -> list[Dated]:
    """The names and dates in texts of one kind, whose dates are all written alike.

    Example:
        >>> dated(["spring-cup-2026-03-01", "Week 3 (19.1.2026)"], None)[0]
        Dated(name='spring-cup', date=datetime.date(2026, 3, 1))
    """
    found = [_match(text) for text in texts]
    order = _order([each for each in found if each is not None], dates)
    return [_taken(text, each, order) for text, each in zip(texts, found, strict=True)]


def _match(text: str) -> re.Match[str] | None:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if _date(match, "dmy") or _date(match, "mdy"):
                return match
    return None


def _order(found: list[re.Match[str]], dates: Dates | None) -> str:
    """Whether days or months come first."""
    doubtful = [each for each in found if "one" in each.groupdict()]
    possible = [order for order in ("dmy", "mdy") if all(_date(each, order) for each in doubtful)]
    if dates in ("dmy", "mdy"):
        return dates
    differ = [each for each in doubtful if _date(each, "dmy") != _date(each, "mdy")]
    if differ and len(possible) == 2 and any(each["mark"] != "." for each in differ):
        raise InputError(
            f"the date in {differ[0].string!r} may have the day or the month first; say "
            f"dates='dmy' or --dates dmy, or mdy."
        )
    return possible[0] if possible else "dmy"


def _date(match: re.Match[str], order: str) -> datetime.date | None:
    parts = match.groupdict()
    year = int(parts["y"]) + (2000 if len(parts["y"]) == 2 else 0)
    if "one" in parts:
        day, month = int(parts["one"]), int(parts["two"])
        day, month = (day, month) if order == "dmy" else (month, day)
    elif "month" in parts:
        return _named(f"{parts['d']} {parts['month']} {year}")
    else:
        day, month = int(parts["d"]), int(parts["m"])
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _named(text: str) -> datetime.date | None:
    """A day of a month that is named in full or shortened as usual."""
    moment = int(calendars.moments(calendars.parts(pl.Series([text])), "dmy")[0])
    return None if moment == calendars.NOT_A_TIME else from_microseconds(moment).date()


def _taken(text: str, match: re.Match[str] | None, order: str) -> Dated:
    if match is None:
        year = _YEAR.fullmatch(text.strip())
        return Dated(text.strip(), None if year is None else datetime.date(int(year[0]), 1, 1))
    date = _date(match, order)
    if date is None:
        raise InputError(f"the date in {text!r} is none, with {order}.")
    rest = [part.strip(" \t-_.,;:()[]") for part in (text[: match.start()], text[match.end() :])]
    return Dated(" ".join(filter(None, rest)) or date.isoformat(), date)


def offer(stem: str, dates: Dates | None, missing: Sequence[str]) -> str:
    """What the name of a file or sheet would give of what is missing, for a sentence."""
    try:
        name, date = dated([stem], dates)[0]
    except InputError:
        return ""
    if not stem or ("time" in missing and date is None):
        return ""
    given = [f"contest {name!r}"] if "contest" in missing else []
    taken = " on ".join([*given, *([f"{date}"] if "time" in missing else [])])
    return f", or from_name=True or --from-name for {taken}"


def listed_without_dates(texts: Sequence[str], found: Sequence[Dated]) -> str:
    """The texts that have no date."""
    return listed(
        [text for text, each in zip(texts, found, strict=True) if each.date is None], most=3
    )
