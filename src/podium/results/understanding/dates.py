"""When contests took place: dates, datetimes and numbers of every usual kind."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.errors import InputError
from podium.results.calendars import (
    AMBIGUOUS_ZONES,
    DAY,
    NOT_A_TIME,
    ORDERS,
    Order,
    Parts,
    check_zone,
    clocks,
    in_utc,
    moments,
    parts,
    zone_of,
)
from podium.results.options import Options
from podium.results.tables import Locator
from podium.results.times import is_date_in_digits, series_to_microseconds
from podium.results.understanding.report import Table, Understanding

_EXCEL = (20_000, 80_000)
"""Numbers that can be days of Excel, from 1954 to 2119."""
_YEARS = (1900, 2100)
_EXCEL_DAYS = (61, 2_958_465)
"""From March of 1900, before which Excel counts a day that there was not, to 9999."""
_EXCEL_1970 = 25_569
_UNITS = (
    (1e11, 1_000_000, "seconds"),
    (1e14, 1_000, "milliseconds"),
    (1e17, 1, "microseconds"),
    (1e20, 0.001, "nanoseconds"),
)
"""Up to which number what is meant, and how many microseconds that has."""
_IN_DIGITS = {8: r"^(\d{2})(\d{2})(\d{4})$", 6: r"^(\d{2})(\d{2})(\d{2})$"}
"""Days such as 05012026 and 260105; 20260105 can be read in one way only."""
_LEAST_SECONDS = 100_000_000
"""Nobody means a moment before 1973 by a number among dates."""
_WORDS = {"dmy": "day first", "mdy": "month first", "ymd": "year first"}
_ISO = (
    (r"^\d{4}-\d\d-\d\d$", "%Y-%m-%d"),
    (r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$", "%Y-%m-%dT%H:%M:%S"),
    (r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$", "%Y-%m-%d %H:%M:%S"),
    (r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", "%Y-%m-%dT%H:%M:%SZ"),
    (r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d$", "%Y-%m-%d{0}%H:%M"),
    (r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{1,6}$", "%Y-%m-%d{0}%H:%M:%S%.f"),
    (r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{1,6}Z$", "%Y-%m-%d{0}%H:%M:%S%.fZ"),
)
"""What computers write, which is read without a closer look."""


def understood_times(table: Table, options: Options, report: Understanding) -> Table:
    """The table with times as `results.tables` takes them, and without `clock`."""
    frame = table.frame
    if options.zone is not None:
        check_zone(options.zone)
    if "time" not in frame.columns:
        return table._replace(frame=frame.drop("clock", strict=False))
    given, clock = frame["time"], None
    if "clock" in frame.columns:
        clock = _clock(frame["clock"], table.locate)
        frame = frame.drop("clock")
    times = _Column(given, clock, table.locate, options, report).understood()
    return table._replace(frame=frame if times is given else frame.with_columns(times))


def are_clocks(values: pl.Series) -> bool:
    """Whether a column can be times of day."""
    if values.dtype == pl.Time:
        return True
    distinct = values.unique().drop_nulls() if values.dtype == pl.String else values.clear()
    return len(distinct) > 0 and clocks(distinct.cast(pl.String)).null_count() == 0


def _clock(values: pl.Series, where: Locator) -> pl.Series:
    """Microseconds since midnight, null where there is nothing."""
    if values.dtype == pl.Time:
        return values.to_physical() // 1000
    texts = values.cast(pl.String)
    distinct = texts.unique().drop_nulls()
    found = clocks(distinct)
    if found.null_count():
        wrong = distinct.filter(found.is_null())
        row = int((texts.is_in(wrong.implode())).arg_max() or 0)
        raise InputError(f"{where(row)}: {texts[row]!r} is not a time of day such as 18:30.")
    return texts.replace_strict(distinct, found, default=None, return_dtype=pl.Int64)


class _Column:
    """A column of times on its way."""

    def __init__(
        self,
        given: pl.Series,
        clock: pl.Series | None,
        where: Locator,
        options: Options,
        report: Understanding,
    ) -> None:
        self.given, self.clock, self.where = given, clock, where
        self.options, self.report = options, report

    def understood(self) -> pl.Series:
        given = self.given
        if isinstance(given.dtype, pl.Categorical | pl.Enum):
            given = given.cast(pl.String)
        if isinstance(given.dtype, pl.Date | pl.Datetime):
            return self._typed(given)
        if given.dtype.is_numeric() and not given.dtype.is_decimal():
            return self._numbers(given)
        if given.dtype != pl.String:
            return given
        if len(given) == given.null_count():
            return given
        iso = _iso(given)
        if iso is not None:
            return self._typed(iso)
        plain = given.str.strip_chars()
        if self.options.dates == "excel":
            plain = plain.str.replace(r"^(\d+),(\d+)$", "$1.$2")
        numbers = plain.cast(pl.Float64, strict=False)
        if numbers.null_count() == given.null_count():
            days = self._in_digits(plain)
            return self._numbers(numbers) if days is None else self._texts(days)
        return self._texts(plain)

    def _say(self, how: str, *assumptions: str) -> None:
        self.report.explain("time", how)
        self.report.assumptions += assumptions

    def _refuse(self, row: int, said: str) -> InputError:
        return InputError(f"{self.where(row)}: time {self.given[row]!r} {said}")

    def _typed(self, times: pl.Series) -> pl.Series:
        """Dates, or datetimes, which a zone shifts unless all are at midnight as dates are."""
        zone = getattr(times.dtype, "time_zone", None)
        if zone is not None or (self.clock is None and self.options.zone is None):
            return times
        local = series_to_microseconds(times)
        if local.null_count() > times.null_count():
            return times
        midnight = isinstance(times.dtype, pl.Date) or bool((local % DAY == 0).all())
        has_clock = pl.repeat(not midnight, len(times), eager=True)
        return self._shifted(local, has_clock, None)

    def _numbers(self, numbers: pl.Series) -> pl.Series:
        """Seconds as they are; anything else by what all numbers have in common."""
        dates, low, high = self.options.dates, numbers.min(), numbers.max()
        if (
            low is None
            or high is None
            or (numbers.dtype.is_float() and not numbers.is_finite().all())
        ):
            return self.given
        whole = numbers.dtype.is_integer() or bool((numbers.floor() == numbers).all())
        low, high = float(low), float(high)  # type: ignore[arg-type]
        if dates == "excel":
            return self._excel(numbers)
        if dates != "unix":
            if _EXCEL[0] <= low and high <= _EXCEL[1]:
                raise self._doubted_number(numbers)
            if whole and _YEARS[0] <= low and high <= _YEARS[1]:
                self._say("years", "time: a year stands for its first of January.")
                return self._days(numbers.cast(pl.Int64).cast(pl.String) + "0101")
            if (
                whole
                and (low >= 18_000_101 and high <= 21_991_231)
                and is_date_in_digits(numbers).all()
            ):
                self._say("dates in eight digits")
                return self._days(numbers.cast(pl.Int64).cast(pl.String))
            if whole and low >= 18_000_101_000_000 and high <= 21_991_231_235_959:
                texts = numbers.cast(pl.Int64).cast(pl.String)
                if (
                    _of_distinct(texts, lambda each: moments(parts(each), "ymd")) != NOT_A_TIME
                ).all():
                    self._say("dates and clocks in fourteen digits")
                    return self._texts(texts)
        if low <= 0:
            sizes = numbers.cast(pl.Float64).abs()
            sizes = sizes.filter(sizes > 0)
            low, high = float(sizes.min() or 0), float(sizes.max() or 0)  # type: ignore[arg-type]
        return self._since_1970(numbers, low, high)

    def _in_digits(self, texts: pl.Series) -> pl.Series | None:
        """Texts such as 05/01/2026 of such as 05012026, if all are days so; raise if unsaid."""
        said = self.options.dates
        if said in ("excel", "unix"):
            return None
        size = len(texts.drop_nulls()[0])
        if size not in _IN_DIGITS or not texts.str.contains(_IN_DIGITS[size]).all():
            return None
        apart = texts.str.replace(_IN_DIGITS[size], "$1/$2/$3")
        distinct = apart.unique().drop_nulls()
        if size == 8 and is_date_in_digits(texts.unique().drop_nulls().cast(pl.Int64)).all():
            return None
        found = parts(distinct)
        orders = [each for each in ORDERS if (moments(found, each) != NOT_A_TIME).all()]
        if not orders or said in orders:
            return apart if said in orders else None
        row = int(texts.is_not_null().arg_max() or 0)
        first = parts(apart.slice(row, 1))
        ways = [f"{_day(moments(first, each)[0])} ({_WORDS[each]})" for each in orders]
        python, shell = (
            [f"{sign}{each!r}" if "=" in sign else f"{sign}{each}" for each in (*orders, "unix")]
            for sign in ("dates=", "--dates ")
        )
        raise self._refuse(
            row,
            f"can be {', '.join(ways)} or seconds since 1970; say {' or '.join(python)}, or "
            f"{' or '.join(shell)}.",
        )

    def _since_1970(self, numbers: pl.Series, low: float, high: float) -> pl.Series:
        """By the least and the greatest size of those that are not zero."""
        below = 0.0
        for limit, microseconds, unit in _UNITS:
            if below < low and high <= limit:
                if unit == "seconds":
                    return self.given
                self._say(f"{unit} since 1970", f"time: the numbers are {unit} since 1970.")
                if microseconds >= 1:
                    counts = (numbers * microseconds).round().cast(pl.Int64)
                else:
                    counts = numbers.cast(pl.Int64) // 1000
                return counts.cast(pl.Datetime("us")).alias("time")
            below = limit
        return self.given

    def _doubted_number(self, numbers: pl.Series) -> InputError:
        row = int(numbers.is_not_null().arg_max() or 0)
        return self._refuse(
            row,
            f"can be a day of Excel ({_excel_day(numbers[row])}) or seconds since 1970; say "
            f"dates='excel' or dates='unix', or --dates excel or --dates unix.",
        )

    def _excel(self, numbers: pl.Series) -> pl.Series:
        wrong = ~numbers.is_between(*_EXCEL_DAYS)
        if wrong.any():
            raise self._refuse(int(wrong.arg_max() or 0), "is not a day of Excel.")
        self._say("days of Excel")
        local = _excel_microseconds(numbers)
        return self._shifted(local, local % DAY != 0, None)

    def _days(self, texts: pl.Series) -> pl.Series:
        days = texts.str.to_date("%Y%m%d", strict=False)
        wrong = days.is_null() & texts.is_not_null()
        if wrong.any():
            raise self._no_time(int(wrong.arg_max() or 0))
        return self._typed(days.alias("time"))

    def _no_time(self, row: int) -> InputError:
        return self._refuse(
            row,
            "is not a date (2026-05-01), a datetime (2026-05-01T18:30:00) or unix seconds.",
        )

    def _texts(self, texts: pl.Series) -> pl.Series:
        distinct = texts.drop_nulls().unique(maintain_order=True)
        found = parts(distinct)
        local = self._ordered(texts, distinct, found)
        none = local == NOT_A_TIME
        zones, has_clock = found.zone, found.clock >= 0
        if none.any():
            values = distinct.filter(none)
            local[none] = self._no_dates(texts, values).to_numpy()
            has_clock |= none & (local % DAY != 0)
            if self.options.dates != "excel":
                zones = zones.set(pl.Series(none), "utc")
        absolute = self._zoned(texts, distinct, local, zones)
        code = texts.replace_strict(
            distinct, pl.Series(np.arange(len(distinct))), default=None, return_dtype=pl.Int64
        )
        return self._shifted(
            absolute.gather(code),
            pl.Series(has_clock).gather(code),
            zones.is_not_null().gather(code),
        )

    def _no_dates(self, texts: pl.Series, values: pl.Series) -> pl.Series:
        """Microseconds of what stands among dates and is none, as it was said."""
        numbers = values.cast(pl.Float64, strict=False)
        if self.options.dates == "excel":
            usable = numbers.is_between(*_EXCEL_DAYS).fill_null(value=False)
            if not usable.all():
                raise self._no_time(self._row(texts, values.filter(~usable)))
            return _excel_microseconds(numbers)
        seconds = series_to_microseconds(values)
        if seconds.null_count():
            raise self._no_time(self._row(texts, values.filter(seconds.is_null())))
        small = (numbers.abs() < _LEAST_SECONDS).fill_null(value=False)
        if small.any() and self.options.dates != "unix":
            row = self._row(texts, values.filter(small))
            raise self._number_among_dates(row, numbers.filter(small)[0])
        return seconds

    def _number_among_dates(self, row: int, number: float) -> InputError:
        if not _EXCEL[0] <= number <= _EXCEL[1]:
            return self._no_time(row)
        return self._refuse(
            row,
            f"is a number among dates; if it is a day of Excel ({_excel_day(number)}), say "
            f"dates='excel' or --dates excel.",
        )

    def _row(self, texts: pl.Series, values: pl.Series) -> int:
        """The first row that has one of these values."""
        return int(texts.is_in(values.implode()).arg_max() or 0)

    def _ordered(self, texts: pl.Series, distinct: pl.Series, found: Parts) -> NDArray[np.int64]:
        """The moments, three numbers in the order that was said or that all of them allow."""
        is_triple = (found.form == "triple").to_numpy()
        said = self.options.dates
        if not is_triple.any():
            self._explain("dates", found)
            return moments(found, "dmy")
        if said is not None and said in ORDERS:
            local = moments(found, said)
            wrong = is_triple & (local == NOT_A_TIME)
            if wrong.any():
                row = self._row(texts, distinct.filter(pl.Series(wrong)))
                raise self._refuse(
                    row, f"is no date with the {_WORDS[said]}, as dates={said!r} says."
                )
            self._explain(f"dates, {_WORDS[said]}", found)
            return local
        dotted = found.dotted & is_triple
        local = moments(found, "dmy")
        open_ones = is_triple & ~dotted
        order: Order = "dmy"
        if open_ones.any():
            order = self._order_of(texts, distinct, found, open_ones)
            local = np.where(open_ones, moments(found, order), local)
        wrong = dotted & (local == NOT_A_TIME)
        if wrong.any():
            raise self._no_time(self._row(texts, distinct.filter(pl.Series(wrong))))
        self._explain(f"dates, {_WORDS[order]}", found)
        if dotted.any():
            self.report.assumptions.append("time: dates with dots have the day first.")
        return local

    def _explain(self, how: str, found: Parts) -> None:
        self._say(how)
        if found.short.any():
            self.report.assumptions.append("time: years of two digits are those from 1969 to 2068.")
        if found.form.is_in(["month", "month of", "named month", "week"]).any():
            self.report.assumptions.append("time: a month or a week stands for its first day.")

    def _order_of(
        self, texts: pl.Series, distinct: pl.Series, found: Parts, rows: NDArray[np.bool_]
    ) -> Order:
        """The only order in which all of these rows are dates; raise if there are two, or none."""
        readings = {order: moments(found, order)[rows] for order in ORDERS}
        values = distinct.filter(pl.Series(rows))
        fits = {order: each != NOT_A_TIME for order, each in readings.items()}
        possible = [order for order in ORDERS if fits[order].all()]
        if len(possible) > 1 and not found.dashed[rows].any():  # nobody writes 26/01/05 for a year
            possible = [order for order in possible if order != "ymd"]
        if not possible:
            none = ~(fits["dmy"] | fits["mdy"] | fits["ymd"])
            if none.any():
                raise self._no_time(self._row(texts, values.filter(pl.Series(none))))
            first = self._row(texts, values)
            order = next(each for each in ORDERS if fits[each][values.index_of(texts[first])])
            row = self._row(texts, values.filter(pl.Series(~fits[order])))
            raise self._refuse(
                row,
                f"is no date with the {_WORDS[order]}, unlike {texts[first]!r} in "
                f"{self.where(first)}.",
            )
        for order in possible[1:]:
            differ = readings[order] != readings[possible[0]]
            if differ.any():
                row = self._row(texts, values.filter(pl.Series(differ)))
                place = values.index_of(texts[row])
                ways = [f"{_day(readings[each][place])} ({_WORDS[each]})" for each in possible]
                say = [f"dates={each!r}" for each in possible]
                options = [f"--dates {each}" for each in possible]
                raise self._refuse(
                    row,
                    f"can be {' or '.join(ways)}; say {' or '.join(say)}, or "
                    f"{' or '.join(options)}.",
                )
        if len(possible) == 1:
            order = possible[0]
            other: Order = "mdy" if order == "dmy" else "dmy"
            shown = values.filter(pl.Series(~fits[other]))[0]
            self.report.assumptions.append(
                f"time: dates have the {_WORDS[order]}, because {shown!r} cannot be read otherwise."
            )
        return possible[0]

    def _zoned(
        self, texts: pl.Series, distinct: pl.Series, local: NDArray[np.int64], zones: pl.Series
    ) -> pl.Series:
        """The moments in UTC of those that name a zone; the others as they are."""
        named = zones.drop_nulls().unique()
        if len(named) == 0:
            return pl.Series(local)
        meant = {name: zone_of(name) for name in named.to_list()}
        for name, zone in meant.items():
            if zone is None:
                row = self._row(texts, distinct.filter((zones == name).fill_null(value=False)))
                if name not in AMBIGUOUS_ZONES:
                    raise self._no_time(row)
                raise self._refuse(
                    row,
                    f"is of the zone {name.upper()}, and there are several of that name; give its "
                    f"distance to UTC, e.g. -05:00, or a place, e.g. America/New_York.",
                )
        minutes = {name: zone for name, zone in meant.items() if isinstance(zone, int)}
        offset = zones.replace_strict(minutes, default=0, return_dtype=pl.Int64)
        result = pl.Series(local) - offset * 60_000_000
        for name, zone in meant.items():
            if isinstance(zone, str):
                rows = (zones == name).fill_null(value=False)
                own = distinct.filter(rows)
                moved = self._in_utc(pl.Series(local).filter(rows), zone, texts, own)
                result = result.scatter(rows.arg_true(), moved)
        return result

    def _in_utc(self, local: pl.Series, zone: str, texts: pl.Series, own: pl.Series) -> pl.Series:
        """Microseconds of a place's clocks in UTC; raise for an hour that they leave out."""
        utc, twice = in_utc(local.cast(pl.Datetime("us")), zone)
        wrong = utc.is_null() & local.is_not_null()
        if wrong.any():
            raise self._refuse(
                self._row(texts, own.filter(wrong)),
                f"never was in {zone}, where clocks were set forward over it.",
            )
        if twice.any():
            shown = self.given[self._row(texts, own.filter(twice))]
            self.report.assumptions.append(
                f"time: {shown} was twice in {zone}, where clocks were set back; the first is "
                f"taken."
            )
        return utc.to_physical().cast(pl.Int64)

    def _shifted(
        self, local: pl.Series, has_clock: pl.Series, has_zone: pl.Series | None
    ) -> pl.Series:
        """With the clock of its own column, and in UTC if a zone was said; days alone stay."""
        if self.clock is not None:
            added = ~has_clock & self.clock.is_not_null()
            local += self.clock.set(~added, 0).fill_null(0)
            has_clock |= added
        zone = self.options.zone
        if zone is not None:
            rows = has_clock if has_zone is None else has_clock & ~has_zone
            rows &= local.is_not_null()
            if rows.any():
                numbers = rows.arg_true().cast(pl.Int64)
                moved = self._in_utc(
                    local.filter(rows),
                    check_zone(zone),
                    pl.Series(np.arange(len(rows))),
                    numbers,
                )
                local = local.scatter(numbers, moved)
        times = local.cast(pl.Datetime("us")).alias("time")
        return times if has_clock.any() else times.cast(pl.Date)


def _excel_microseconds(numbers: pl.Series) -> pl.Series:
    """Microseconds since 1970 of days of Excel, to the millisecond."""
    return ((numbers - _EXCEL_1970) * 86_400_000.0).round().cast(pl.Int64) * 1000


def _excel_day(number: float) -> str:
    return _day(int(number - _EXCEL_1970) * DAY)


def _day(moment: Any) -> str:
    return str(np.datetime64(int(moment), "us").astype("datetime64[D]"))


def _of_distinct(
    texts: pl.Series, function: Callable[[pl.Series], NDArray[np.int64]]
) -> NDArray[np.int64]:
    return function(texts.drop_nulls().unique())


def _iso(texts: pl.Series) -> pl.Series | None:
    """Texts as computers write them, all in the same way; None if one is otherwise."""
    sample = texts.slice(0, 1)
    for pattern, form in _ISO:
        if not sample.str.contains(pattern).any():
            continue
        form = form.format(str(sample[0])[10:11])
        if not texts.str.contains(pattern).all():
            return None
        if form == "%Y-%m-%d":
            parsed = texts.str.to_date(form, strict=False)
        else:
            parsed = texts.str.to_datetime(form, time_unit="us", strict=False)
        if parsed.null_count() > texts.null_count():
            return None
        return parsed if not form.endswith("Z") else parsed.dt.replace_time_zone("UTC")
    return None
