"""Numbers, dates and names as charts write them, and how wide that becomes."""

import datetime
import unicodedata

from podium.texts import visible
from podium.wording import NOTHING, change_of

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = datetime.datetime(1970, 1, 1)
_NARROW = set("iIjl.,:;'|![]()ft ") | {"\u2019"}
_BROAD = set("mwMW@%&")


def number(value: float | None, digits: int = 0) -> str:
    """A number for people.

    Example:
        >>> number(1512.4, 0), number(-0.001, 2), number(None, 0)
        ('1,512', '0.00', '–')
    """
    if value is None:
        return NOTHING
    return _minus(f"{round(value, digits) + 0.0:,.{digits}f}")  # the zero turns -0 into 0


def signed(value: float | None, digits: int = 0) -> str:
    """A difference.

    Example:
        >>> signed(28.2, 0), signed(-1.5, 2), signed(0.2, 0)
        ('+28', '−1.50', '0')
    """
    if value is None:
        return NOTHING
    rounded = round(value, digits)
    return _minus(f"{rounded:+,.{digits}f}") if rounded else "0"


def _minus(text: str) -> str:
    """The same with a minus that is as wide as a plus."""
    return text.replace("-", "−")


def step(before: float, after: float, digits: int) -> str:
    """A rating before and after.

    Example:
        >>> step(1511.6, 1540.4, 0)
        '1,512 → 1,540 (+28)'
    """
    change = change_of(before, after, digits)
    return f"{number(before, digits)} → {number(after, digits)} ({signed(change, digits)})"


def percent(share: float | None) -> str:
    """A share, with a digit behind the point where it is small or almost all.

    Example:
        >>> percent(0.413), percent(0.0217), percent(0.0001), percent(0.0)
        ('41 %', '2.2 %', '<0.1 %', '0 %')
        >>> percent(0.978), percent(0.99999), percent(1.0), percent(None)
        ('97.8 %', '>99.9 %', '100 %', '–')
    """
    if share is None:
        return NOTHING
    if 0.0 < share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1.0:
        return ">99.9 %"
    is_extreme = 0.0 < share < 0.0995 or 0.9005 < share < 1.0
    return f"{100 * share:.{1 if is_extreme else 0}f} %"


def seconds(time: str) -> int:
    """Seconds since 1970 of a document's time.

    Example:
        >>> seconds("1970-01-02T00:00:00Z")
        86400
    """
    moment = datetime.datetime.fromisoformat(time.removesuffix("Z"))
    return round((moment.replace(tzinfo=None) - _EPOCH).total_seconds())


def moment(since: float) -> datetime.datetime:
    """When that was, or the first or last moment that a calendar has."""
    lowest, highest = -62_135_596_800, 253_402_300_799
    return _EPOCH + datetime.timedelta(seconds=min(max(since, lowest), highest))


def day(since: float) -> str:
    """A date.

    Example:
        >>> day(seconds("2026-05-12T18:30:00Z"))
        '12 May 2026'
    """
    date = moment(since)
    return f"{date.day} {MONTHS[date.month - 1]} {date.year}"


def isolated(name: str) -> str:
    r"""A name in a sentence: what would control it is written out, and it turns only itself around.

    Example:
        >>> isolated("ann"), isolated("\u202eevil") == "\u2068\\u202eevil\u2069"
        ('ann', False)
    """
    shown = visible(name)
    return shown if shown.isascii() else f"\u2068{shown}\u2069"


def width(text: str, size: float = 12.0) -> float:
    """About how many pixels a text takes, in the usual fonts without serifs.

    Example:
        >>> width("ill") < width("mow") < width("漢字漢")
        True
    """
    return size * sum(_breadth(each) for each in text)


def cut(text: str, widest: float, size: float = 12.0) -> str:
    """The text in one line that is not wider than so many pixels.

    Example:
        >>> cut("an extraordinarily long name", 100.0)
        'an extraordin…'
    """
    shown = visible(text[:1000])
    if width(shown, size) <= widest:
        return shown
    room, kept = widest - size, 0
    for letter in shown:
        room -= size * _breadth(letter)
        if room < 0:
            break
        kept += 1
    while kept and unicodedata.combining(shown[kept]):
        kept -= 1  # a letter and its accents stay together
    return f"{shown[:kept].rstrip()}…"


def _breadth(letter: str) -> float:
    """In units of the size of the font; rather too much than too little."""
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(letter) in ("W", "F"):
        return 1.05
    if letter in _NARROW:
        return 0.36
    if letter in _BROAD:
        return 0.98
    if letter.isupper():
        return 0.73
    return 0.61 if ord(letter) < 0x250 else 0.7
