"""How people write dates: the parts of a text, and the moment that they make in a given order.

Columns of texts in, columns out; what the parts leave open, such as which of two numbers is the
day, is for others to decide.
"""

import re
import zoneinfo
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.errors import InputError
from podium.wording import suggestion

Order = Literal["dmy", "mdy", "ymd"]
ORDERS: tuple[Order, ...] = ("dmy", "mdy", "ymd")
DAY = 86_400_000_000
"""Microseconds of a day."""
NOT_A_TIME = np.iinfo(np.int64).min

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janner jaenner janvier janv enero ene janeiro gennaio gen",
            "february feb februar feber fevrier fevr fev febrero fevereiro febbraio",
            "march mar marz maerz mrz mars marzo marco",
            "april apr avril avr abril abr aprile",
            "may mai mayo maio maggio mag",
            "june jun juni juin junio junho giugno giu",
            "july jul juli juillet juil julio julho luglio lug",
            "august aug aout agosto ago",
            "september sep sept septembre septiembre setiembre set setembro settembre sett",
            "october oct oktober okt octobre octubre outubro out ottobre ott",
            "november nov novembre noviembre novembro",
            "december dec dezember dez decembre diciembre dic dezembro dicembre",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = rf"(?P<mon>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
_WEEKDAY = (
    r"^(?:mon(?:day|tag)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|"
    r"sat(?:urday)?|sun(?:day)?|mo|di(?:enstag)?|mi(?:ttwoch)?|do(?:nnerstag)?|fr(?:eitag)?|"
    r"sa(?:mstag)?|sonnabend|so(?:nntag)?|lun(?:di|es|edi)?|mar(?:di|tes|tedi)?|"
    r"mer(?:credi|coledi)?|mie(?:rcoles)?|jeu(?:di)?|jue(?:ves)?|ven(?:dredi|erdi)?|"
    r"vie(?:rnes)?|sam(?:edi)?|sab(?:ado|ato)?|dim(?:anche)?|dom(?:ingo|enica)?|gio(?:vedi)?|"
    r"seg(?:unda)?(?:-feira)?|ter(?:ca)?(?:-feira)?|qua(?:rta)?(?:-feira)?|qui(?:nta)?(?:-feira)?|"
    r"sex(?:ta)?(?:-feira)?)\.?,? +"
)
_CLOCK = (
    r"(?:(?P<h>\d{1,2})[:.h](?P<mi>\d{2})(?:[:.](?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
    r"(?: ?uhr| ?h)?(?: ?(?P<ap>[ap])\.? ?m\b\.?)?|(?P<h12>\d{1,2}) ?(?P<ap12>[ap])\.? ?m\b\.?|"
    r"(?P<h24>\d{1,2}) ?(?:uhr|h))"
)
_ZONE = r"(?: ?(?P<zone>z|(?:utc|gmt)? ?[+-]\d{1,2}(?::?\d{2})?|[a-z_]+/[a-z_/+-]+\d*|[a-z]{3,5}))?"
_THEN = r"(?:t| ?, ?| (?:at|um|kl\.?|a|a las|as|alle|ore|alle ore|-|@) ?| )"
_YEAR = r"(?P<y>\d{4}|'?\d{2})"
_DATES = {
    "ymd": r"(?P<y>\d{4}) ?(?P<s1>[-/.]) ?(?P<m>\d{1,2}) ?(?P<s2>[-/.]) ?(?P<d>\d{1,2})\.?",
    "triple": rf"(?P<d>\d{{1,2}}) ?(?P<s1>[-/.]) ?(?P<m>\d{{1,2}}) ?(?P<s2>[-/.]) ?{_YEAR}\.?",
    "day month": r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|o|a|°|\.)?[ /.,-]*(?:(?:de|of) )?"
    rf"{_MONTH}[ /.,-]*(?:(?:de|del|di) )?{_YEAR}",
    "month day": rf"{_MONTH}[ .-]*(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: ?, ?|[ -]){_YEAR}",
    "year month day": rf"(?P<y>\d{{4}})[ /.,-]+{_MONTH}[ /.,-]*(?P<d>\d{{1,2}})\.?",
    "compact": r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})",
    "week": r"(?P<y>\d{4})-?w(?P<w>\d{2})(?:-?(?P<wd>[1-7]))?",
    "month": r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})",
    "month of": r"(?P<m>\d{1,2})[-/.](?P<y>\d{4})",
    "named month": rf"{_MONTH}[ ./-]*(?:(?:de|del|di) )?(?P<y>\d{{4}})",
}
"""Ways to write a date, those of the same text first that are more usual."""
_ZONES = {
    **dict.fromkeys(("z", "utc", "gmt", "ut", "wet"), 0),
    **dict.fromkeys(("cet", "mez", "west"), 60),
    **dict.fromkeys(("cest", "mesz", "eet", "sast"), 120),
    **dict.fromkeys(("eest", "msk"), 180),
    **dict.fromkeys(("hkt", "sgt", "awst"), 480),
    **dict.fromkeys(("jst", "kst"), 540),
    **dict.fromkeys(("art", "brt"), -180),
    "acst": 570,
    "aest": 600,
    "acdt": 630,
    "aedt": 660,
    "nzst": 720,
    "nzdt": 780,
    "edt": -240,
    "mdt": -360,
    "pdt": -420,
}
"""Minutes ahead of UTC of abbreviations that mean one zone."""
AMBIGUOUS_ZONES = ("ast", "bst", "cdt", "cst", "est", "ist", "mst", "pst")
_CLOCK_WITHIN = (
    r"^((?:[a-z]+\.?,? )?[a-z]+ \d{1,2}) (\d{1,2}:\d{2}(?::\d{2})?)"
    r"((?: [a-z]{1,5}| [+-]\d{4})?) (\d{4})$"
)
"""As in Mon Jan 5 18:00:00 UTC 2026."""
_CLOCK_IN_FRONT = (
    r"^(\d{1,2}[:.h]\d{2}(?::\d{2})?(?: ?[ap]\.?m\.?)?(?: ?uhr)?),? (.*(?:[a-z]|\d[/.-]\d).*\d.*)$"
)
_COMPACT_CLOCK = r"(?:t?(?P<h>\d{2})(?P<mi>\d{2})(?P<s>\d{2})?(?:[.,](?P<f>\d{1,9}))?)"
_FIELDS = ("y", "m", "mon", "d", "w", "wd", "s1", "s2")
_CLOCK_FIELDS = ("h", "mi", "s", "f", "ap", "h12", "ap12", "h24", "zone")


class Parts(NamedTuple):
    """What stands in every text of a column; numbers are -1 where there is none."""

    form: pl.Series
    """How it is written, a key of `_DATES`; empty for what is no date."""
    year: NDArray[np.int64]
    month: NDArray[np.int64]
    day: NDArray[np.int64]
    week: NDArray[np.int64]
    short: NDArray[np.bool_]
    """Whether the year has two digits."""
    dotted: NDArray[np.bool_]
    dashed: NDArray[np.bool_]
    clock: NDArray[np.int64]
    """Microseconds since midnight."""
    zone: pl.Series
    """What names the zone, in small letters; null if nothing does."""


def parts(texts: pl.Series) -> Parts:
    """The parts of texts, none of which is null."""
    plain = _plain(texts)
    found = _groups(plain)
    clock = _clocks(found)
    written = found["y"].str.strip_prefix("'")
    named = found["mon"].replace_strict(_MONTHS, default=None, return_dtype=pl.Int64)
    month = named.zip_with(named.is_not_null(), _integers(found["m"]))
    wrong = (found["s1"] != found["s2"]) | (clock == NOT_A_TIME)
    form = found["form"].fill_null("").set(wrong.fill_null(value=False), "")
    weekday = _integers(found["wd"]).fill_null(1)
    return Parts(
        form=form,
        year=_filled(_integers(written)),
        month=_filled(month),
        day=np.where((form == "week").to_numpy(), _filled(weekday), _filled(_integers(found["d"]))),
        week=_filled(_integers(found["w"])),
        short=(written.str.len_chars() == 2).fill_null(value=False).to_numpy(),
        dotted=(found["s1"] == ".").fill_null(value=False).to_numpy(),
        dashed=(found["s1"] == "-").fill_null(value=False).to_numpy(),
        clock=clock.fill_null(-1).to_numpy(),
        zone=found["zone"],
    )


def _plain(texts: pl.Series) -> pl.Series:
    """Small letters without accents and single spaces; the date in one piece and in front."""
    plain = texts.str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    plain = plain.str.replace_all("\u2212", "-").str.replace_all(r"\s+", " ").str.strip_chars()
    plain = plain.str.replace(r"(z|[+-]\d{2}:?\d{2}) ?\[[a-z_/+\d-]+\]$", "$1")
    plain = plain.str.replace(r"(:\d{2}(?:[.,]\d+)?) ?\[([a-z_/+\d-]+)\]$", "$1 $2")
    plain = plain.str.replace(r"([+-]\d{4}) \([^()]*\)$", "$1")
    plain = plain.str.replace(_CLOCK_WITHIN, "$1 $4 $2$3")
    return plain.str.replace(_CLOCK_IN_FRONT, "$2 $1")


def _groups(plain: pl.Series) -> pl.DataFrame:
    """Per text the first form that fits, with what stands in its groups; null if none does."""
    rows, hits = pl.Series("row", np.arange(len(plain))), []
    for weekdays in (False, True):  # 'mar' is Tuesday only if it is not March
        rest = plain.gather(rows)
        rest = rest.str.replace(_WEEKDAY, "") if weekdays else rest
        for form, date in _DATES.items():
            clock = _COMPACT_CLOCK if form == "compact" else _THEN + _CLOCK
            groups = rest.str.extract_groups(rf"^{date}(?:{clock}{_ZONE})?$").struct.unnest()
            matched = groups["y"].is_not_null()
            if matched.any():
                hits.append(groups.with_columns(rows, form=pl.lit(form)).filter(matched))
                rest, rows = rest.filter(~matched), rows.filter(~matched)
    everything = pl.DataFrame({"row": np.arange(len(plain))}).with_columns(
        pl.lit(None, pl.String).alias(name) for name in ("form", *_FIELDS, *_CLOCK_FIELDS)
    )
    found = pl.concat(
        [*hits, everything.filter(pl.col("row").is_in(rows.implode()))], how="diagonal"
    )
    return pl.concat([found, everything.clear()], how="diagonal").sort("row")


def _integers(texts: pl.Series) -> pl.Series:
    return texts.cast(pl.Int64, strict=False)


def _filled(numbers: pl.Series) -> NDArray[np.int64]:
    return numbers.fill_null(-1).to_numpy()


def _clocks(found: pl.DataFrame) -> pl.Series:
    """Microseconds since midnight; null without a clock, `NOT_A_TIME` for one that cannot be."""
    hour = pl.coalesce("h", "h12", "h24").cast(pl.Int64, strict=False)
    half = pl.coalesce("ap", "ap12")
    minute, second = (
        pl.col(name).cast(pl.Int64, strict=False).fill_null(0) for name in ("mi", "s")
    )
    fraction = pl.col("f").fill_null("").str.pad_end(6, "0").str.slice(0, 6).cast(pl.Int64)
    in_day = pl.when(half.is_null()).then(hour).otherwise(hour % 12 + 12 * (half == "p"))
    moment = ((in_day * 60 + minute) * 60 + second) * 1_000_000 + fraction
    right = (minute < 60) & (second < 60) & (moment <= DAY)
    right &= half.is_null() | hour.is_between(1, 12)
    return found.select(
        pl.when(right | hour.is_null()).then(moment).otherwise(NOT_A_TIME)
    ).to_series()


def moments(found: Parts, order: Order) -> NDArray[np.int64]:
    """Microseconds since 1970 of every text, as its own clock says; `NOT_A_TIME` if there is none.

    The order is that of three numbers of which none shows that it is the year.
    """
    year, month, day = found.year, found.month, found.day
    triple, none = ((found.form == each).to_numpy() for each in ("triple", ""))
    if order == "mdy":
        month, day = np.where(triple, day, month), np.where(triple, month, day)
    elif order == "ymd":
        turned = triple & found.short
        year, day = np.where(turned, day, year), np.where(turned, year, day)
    year = np.where(found.short, year + np.where(year < 69, 2000, 1900), year)
    days = _days(year, month, day)
    weeks = _week_days(year, found.week, day)
    days = np.where((found.form == "week").to_numpy(), weeks, days)
    wrong = none | (days == NOT_A_TIME)
    if order == "ymd":
        wrong |= triple & ~found.short
    return np.where(wrong, NOT_A_TIME, np.where(wrong, 0, days) * DAY + np.maximum(found.clock, 0))


def _days(
    year: NDArray[np.int64], month: NDArray[np.int64], day: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Days since 1970; a month without a day begins with its first."""
    day = np.where(day < 0, 1, day)
    right = (year >= 1) & (year <= 9999) & (month >= 1) & (month <= 12)
    months = np.where(right, (year - 1970) * 12 + month - 1, 0)
    first = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    length = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) - first
    right &= (day >= 1) & (day <= length)
    return np.where(right, first + day - 1, NOT_A_TIME)


def _week_days(
    year: NDArray[np.int64], week: NDArray[np.int64], day: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Days since 1970 of ISO weeks, the first of which has the fourth of January."""
    one = np.ones_like(year)
    right = (year >= 1) & (year <= 9998) & (week >= 1)
    usable = np.where(right, year, 1970)
    mondays = []
    for each in (usable, usable + 1):
        fourth = _days(each, one, 4 * one)
        mondays.append(fourth - (fourth + 3) % 7)
    days = mondays[0] + (week - 1) * 7 + day - 1
    return np.where(right & (days < mondays[1]), days, NOT_A_TIME)


def clocks(texts: pl.Series) -> pl.Series:
    """Microseconds since midnight of texts that are a time of day; null for others."""
    groups = _plain(texts).str.extract_groups(rf"^{_CLOCK}$").struct.unnest()
    found = _clocks(groups)
    return found.set((found == NOT_A_TIME).fill_null(value=False), None)


def zone_of(text: str) -> int | str | None:
    """Minutes ahead of UTC, the name of a place, or nothing for what is no zone or several.

    Example:
        >>> zone_of("gmt+0530"), zone_of("europe/berlin"), zone_of("est")
        (330, 'Europe/Berlin', None)
    """
    offset = re.fullmatch(r"(?:utc|gmt)? ?([+-])(\d{1,2}):?(\d{2})?", text)
    if offset is not None:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return (minutes if offset[1] == "+" else -minutes) if minutes < 1440 else None
    return _ZONES.get(text) if "/" not in text else _places().get(text)


@cache
def _places() -> dict[str, str]:
    return {name.lower(): name for name in zoneinfo.available_timezones()}


def check_zone(name: str) -> str:
    """The zone of that name; raise if there is none."""
    known = _places()
    if str(name).lower() in known:
        return known[name.lower()]
    hint = suggestion(name, known.values())
    raise InputError(f"there is no time zone {name!r}{hint}; give a place such as Europe/Berlin.")


def in_utc(local: pl.Series, zone: str) -> tuple[pl.Series, pl.Series]:
    """Datetimes of a place in UTC, null where its clocks leave the hour out; and which are twice.

    Of two moments with the same clock, the first is taken.
    """
    first, last = (
        local.dt.replace_time_zone(zone, ambiguous=which, non_existent="null")
        .dt.convert_time_zone("UTC")
        .dt.replace_time_zone(None)
        for which in ("earliest", "latest")
    )
    return first, (first != last).fill_null(value=False)
