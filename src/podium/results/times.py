"""Moments: dates, datetimes, ISO texts or unix seconds in, microseconds since 1970 inside."""

import datetime
import math
import re
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.errors import InputError, PodiumError
from podium.results import calendars

Time = datetime.date | datetime.datetime | str | int | float

_EPOCH = datetime.datetime(1970, 1, 1)
_MICROSECOND = datetime.timedelta(microseconds=1)
_EARLIEST_SECOND = -62_135_596_800
"""The first of January of the year 1."""
_LATEST_SECOND = 100_000_000_000
"""Numbers beyond are milliseconds by mistake: this one is in the year 5138."""
_LAST_SECOND = 253_402_300_799
"""The end of the year 9999."""
_DATES_IN_DIGITS = (18_000_101, 21_991_231)
TIMES = (-62_135_596_800_000_000, 253_402_300_799_999_999)
"""The first and the last moment that there can be, in microseconds: the years 1 to 9999."""
_AHEAD = datetime.timedelta(days=731)


def to_microseconds(time: Time) -> int:
    """Microseconds since 1970 of a date, datetime, text or number of unix seconds.

    A text is ISO, or a date in any other way that can be read in one way only.

    Example:
        >>> to_microseconds("1970-01-02"), to_microseconds("2 Jan 1970")
        (86400000000, 86400000000)
    """
    if isinstance(time, str):
        written = _written(time)
        if written is not None:
            return written
        time = _parsed(time)
    if isinstance(time, datetime.date) and time != time:  # pandas' NaT
        raise InputError(f"{time!r} is not a time; {_FORMS}.")
    if isinstance(time, datetime.datetime):
        return (_without_zone(time) - _EPOCH) // _MICROSECOND
    if isinstance(time, datetime.date):
        return (datetime.datetime(time.year, time.month, time.day) - _EPOCH) // _MICROSECOND
    if isinstance(time, bool) or not isinstance(time, int | float | np.integer | np.floating):
        raise InputError(f"{time!r} is not a time; {_FORMS}.")
    if abs(time) > 1e18:
        time = math.inf if time > 0 else -math.inf  # Python writes out no number of 5,000 digits
    if not _EARLIEST_SECOND <= time <= _LATEST_SECOND or is_date_in_digits(time):
        raise InputError(f"{time!r} is not a time in unix seconds; {_FORMS}.")
    return int(time) * 1_000_000 if float(time).is_integer() else round(float(time) * 1e6)


def _without_zone(time: datetime.datetime) -> datetime.datetime:
    if time.tzinfo is None:
        return time
    try:
        return time.astimezone(datetime.UTC).replace(tzinfo=None)
    except OverflowError:
        raise InputError(f"{time} is not a time between the years 1 and 9999.") from None


def _written(text: str) -> int | None:
    """The moment of a date that people write, if there is one only; None for ISO and the like."""
    if _COMPUTED.fullmatch(text) or len(text) > 100 or not any(map(str.isdigit, text)):
        return None
    found = calendars.parts(pl.Series([text]))
    orders = calendars.ORDERS[:1] if found.dotted[0] else calendars.ORDERS
    readings = {int(calendars.moments(found, order)[0]) for order in orders}
    readings.discard(calendars.NOT_A_TIME)
    named = found.zone[0]
    zone = 0 if named is None else calendars.zone_of(named)
    if len(readings) != 1 or zone is None:
        return None
    (local,) = readings
    if isinstance(zone, int):
        return local - zone * 60_000_000
    moved = calendars.in_utc(pl.Series([local]).cast(pl.Datetime("us")), zone)[0]
    return None if moved.null_count() else int(moved.to_physical()[0])


def _parsed(text: str) -> datetime.datetime | float:
    """A number is seconds, in a text as in a column of numbers."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text!r} is not a time; {_FORMS}.") from None


_COMPUTED = re.compile(
    r"\s*(?:[+-]?\d*\.?\d+(?:[eE][+-]?\d+)?|\d{4}-\d\d-\d\d(?:[T ][\d:.,+Z-]*)?)\s*"
)
"""Numbers and ISO texts, for which nothing else needs to be tried."""
_FORMS = "give a date (2026-05-01), a datetime (2026-05-01T18:30:00) or unix seconds"


def from_microseconds(microseconds: int) -> datetime.datetime:
    """The moment in UTC, without a time zone."""
    return _EPOCH + datetime.timedelta(microseconds=microseconds)


def latest_moment() -> int:
    """The last moment, in microseconds, that is believed unasked: two years ahead of the clock."""
    return (datetime.datetime.now(datetime.UTC).replace(tzinfo=None) + _AHEAD - _EPOCH) // (
        _MICROSECOND
    )


def refuse_future(moment: int, where: str) -> None:
    """Raise if a moment, `where` it stands, is one that a wrong clock says."""
    if moment > latest_moment():
        raise InputError(future_sentence(moment, where))


def future_sentence(moment: int, where: str) -> str:
    """What to say of such a moment."""
    return (
        f"{where} is at {from_microseconds(moment)}, more than two years from now; "
        f"if that is meant, say future=True or --future."
    )


def series_to_microseconds(times: pl.Series) -> pl.Series:
    """A column of times as integers; null where a value is missing or not a time."""
    if isinstance(times.dtype, pl.Date | pl.Datetime):
        return _physical_to_microseconds(times)
    if times.dtype.is_integer():
        seconds = times.cast(pl.Int64, strict=False)
        return seconds.set(~_are_seconds(seconds), None) * 1_000_000
    if times.dtype.is_float():
        return (times.set(~_are_seconds(times), None) * 1e6).round().cast(pl.Int64)
    return _texts_to_microseconds(times.cast(pl.String))


def _physical_to_microseconds(times: pl.Series) -> pl.Series:
    """Dates and datetimes by the numbers that they are, which can lie beyond all calendars."""
    unit = times.dtype.time_unit if isinstance(times.dtype, pl.Datetime) else "d"
    counts = times.to_physical().cast(pl.Int64)
    if unit == "ns":
        return counts // 1000
    microseconds = {"d": 86_400_000_000, "ms": 1000, "us": 1}[unit]
    first, last = _EARLIEST_SECOND * 1_000_000, _LAST_SECOND * 1_000_000
    usable = counts.is_between(first // microseconds, last // microseconds)
    return counts.set(~usable, None) * microseconds


def _are_seconds(numbers: pl.Series) -> pl.Series:
    usable = numbers.is_between(_EARLIEST_SECOND, _LATEST_SECOND)
    suspects = numbers.is_between(*_DATES_IN_DIGITS)
    if suspects.any():
        usable &= ~(suspects & is_date_in_digits(numbers.fill_null(0)))
    return usable


def is_date_in_digits(number: Any) -> Any:
    """Whether a number reads like 20260501: nobody means the summer of 1970 with it."""
    month, day = number // 100 % 100, number % 100
    first, last = _DATES_IN_DIGITS
    in_range = (number >= first) & (number <= last)
    return in_range & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)


def _texts_to_microseconds(texts: pl.Series) -> pl.Series:
    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count() == texts.null_count():
        return series_to_microseconds(numbers)
    distinct = texts.unique()
    moments = [_or_none(text) for text in distinct.to_list()]
    return texts.replace_strict(distinct, pl.Series(moments, dtype=pl.Int64), return_dtype=pl.Int64)


def _or_none(text: str | None) -> int | None:
    try:
        return None if text is None else to_microseconds(_parsed(text.strip()))
    except PodiumError:
        return None


def as_column(microseconds: NDArray[np.int64]) -> pl.Series:
    """A column of datetimes in UTC."""
    return pl.Series(microseconds).cast(pl.Datetime("us"))
