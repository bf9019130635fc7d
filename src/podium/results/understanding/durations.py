"""Times that a race took: 1:02:33.4, 62:33, 1h02m33s, +12.3 behind the leader, +1 lap."""

from typing import NamedTuple

import polars as pl

from podium.results.understanding import statuses

_SECOND = 1_000_000
_HOURS = r"(?:h|hrs?|hours?|heures?|horas?|or[ea]|std|stunden?)"
_MINUTES = r"(?:min[a-z]*|mn)"
_SECONDS = r"(?:s(?:e[cgk][a-z]*)?)"
_CLOCK = (
    r"(?:(?P<h>\d+):)?(?P<m>\d{1,4}):(?P<s>\d{2})(?:[.,](?P<f>\d{1,9}))?"
    rf"(?: ?(?:(?P<of_hours>{_HOURS})|{_MINUTES}|{_SECONDS})\.?)?"
)
_UNITS = (
    rf"(?:(?P<h2>\d+(?:[.,]\d+)?) ?{_HOURS}\.?[ :.]*)?"
    rf"(?:(?:(?P<m2>\d+) ?(?:m|'|\u2032)|(?P<m3>\d+(?:[.,]\d+)?) ?{_MINUTES})\.?[ :.]*)?"
    rf"(?:(?P<s2>\d+)(?:[.,](?P<f2>\d{{1,9}}))? ?(?:{_SECONDS}|\"|''|\u2033)?\.?"
    r"(?P<f3>\d{1,9})?)?"
)
_FORM = rf"^(?P<gap>\+ ?)?(?:{_CLOCK}|{_UNITS})$"
_LAPS = (
    r"^\+? ?(\d+) ?(?:laps?|lps|l|rnd|runden?|tours?|vueltas?|voltas?|giri|giro)\.?"
    r"(?: behind| down)?$"
)
_SAYS_SO = rf"\d:\d\d|\d ?(?:{_HOURS}|{_MINUTES}|{_SECONDS}|'|\u2032|\"|\u2033)|\d ?m ?\d"
_UNIT = rf"\d ?(?:{_HOURS}|{_MINUTES}|{_SECONDS})\.?$"
"""A unit that is one of time only, as m is not."""


class Durations(NamedTuple):
    """A column of durations; null where there is none."""

    microseconds: pl.Series
    gap: pl.Series
    """Whether it is counted from the leader."""
    laps: pl.Series
    """How many laps are missing."""


def are_durations(values: pl.Series) -> bool:
    """Whether a column holds times that something took, with those who did not finish or without.

    Example:
        >>> are_durations(pl.Series(["1:02:33.4", "1:03:00", "DNF"]))
        True
    """
    if values.dtype == pl.Duration:
        return True
    if values.dtype != pl.String:
        return False
    distinct = values.unique().drop_nulls()
    distinct = distinct.filter(
        statuses.kinds(distinct).is_null() & (distinct.str.strip_chars() != "")
    )
    if not distinct.str.to_lowercase().str.contains(_SAYS_SO).any():
        return False
    found = durations(distinct)
    return bool((found.microseconds.is_not_null() | found.laps.is_not_null()).all())


def have_units(values: pl.Series) -> bool:
    """Whether units show that numbers are times that something took.

    Example:
        >>> have_units(pl.Series(["12,34 s", "13,01 s"])), have_units(pl.Series(["7 m", "8 m"]))
        (True, False)
    """
    plain = values.drop_nulls().str.to_lowercase().str.strip_chars()
    return bool(plain.str.contains(_UNIT).any()) and are_durations(values)


def durations(texts: pl.Series) -> Durations:
    """What each text says."""
    distinct = texts.unique().drop_nulls()
    plain = distinct.str.to_lowercase().str.strip_chars()
    plain = plain.str.replace_all(r"\s+", " ").str.replace(r"^\+(?:\s)?", "+")
    groups = plain.str.extract_groups(_FORM).struct.unnest()
    hours, minutes, seconds = (
        pl.coalesce(names).str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
        for names in (("h", "h2"), ("m", "m2", "m3"), ("s", "s2"))
    )
    fraction = pl.coalesce("f", "f2", "f3").fill_null("").str.pad_end(6, "0").str.slice(0, 6)
    there = pl.any_horizontal(each.is_not_null() for each in (hours, minutes, seconds))
    right = seconds.fill_null(0) < pl.when(minutes.is_null() & hours.is_null()).then(
        10**9
    ).otherwise(60)
    right &= minutes.fill_null(0) < pl.when(hours.is_null()).then(10**6).otherwise(60)
    right &= hours.fill_null(0) < 10**6
    total = (hours.fill_null(0) * 60 + minutes.fill_null(0)) * 60 + seconds.fill_null(0)
    total *= pl.when(pl.col("of_hours").is_not_null() & hours.is_null()).then(60).otherwise(1)
    whole = (total * _SECOND).round().cast(pl.Int64) + fraction.cast(pl.Int64)
    found = groups.select(
        microseconds=pl.when(there & right).then(whole), gap=pl.col("gap").is_not_null()
    )
    laps = plain.str.extract(_LAPS, 1).cast(pl.Int64, strict=False)

    def spread(values: pl.Series) -> pl.Series:
        return texts.replace_strict(distinct, values, default=None, return_dtype=values.dtype)

    return Durations(spread(found["microseconds"]), spread(found["gap"]), spread(laps))


def totals(frame: pl.DataFrame, found: Durations) -> pl.Series:
    """Microseconds of every row, those behind the leader of their contest added to the leader's."""
    keys = statuses.contest_keys(frame)
    table = _beside(frame, keys, found)
    leader = pl.col("own").filter(~pl.col("gap") & pl.col("laps").is_null()).min().fill_null(0)
    table = table.with_columns(leader=leader.over(keys) if keys else leader)
    total = pl.col("own") + pl.when("gap").then("leader").otherwise(0)
    table = table.with_columns(total=pl.when(pl.col("laps").is_null()).then(total))
    behind = pl.col("total").max().fill_null(0) + pl.col("laps") * _SECOND
    return table.select(pl.coalesce("total", behind).alias("score")).to_series()


def _beside(frame: pl.DataFrame, keys: list[str], found: Durations) -> pl.DataFrame:
    table = pl.DataFrame({"own": found.microseconds, "gap": found.gap, "laps": found.laps})
    return table.hstack(frame.select(keys)) if keys else table


def maybe_gaps(frame: pl.DataFrame, texts: pl.Series, found: Durations) -> pl.Series:
    """Which rows may be behind the first of their contest without saying so with a plus.

    There, the first took hours, as it is written, and all others only minutes, in their order.
    """
    keys = statuses.contest_keys(frame)
    own, colons = pl.col("own").drop_nulls(), pl.col("colons").drop_nulls()
    behind = own.slice(1)
    like = (
        (own.first() > 2 * behind.max())
        & (colons.first() > colons.slice(1).max())
        & (behind.diff().drop_nulls() >= 0).all()
        & ~pl.col("gap").any()
        & pl.col("laps").is_null().all()
    )
    rows = (like & (pl.col("own") < own.first())).fill_null(value=False)
    table = _beside(frame, keys, found).with_columns(colons=texts.str.count_matches(":"))
    return table.select((rows.over(keys) if keys else rows).alias("gap")).to_series()
