"""Times that a race took: 1:02:33.4, 62:33, 1h02m33s, +12.3 behind the leader, +1 lap."""

from typing import NamedTuple

import polars as pl

from podium.results.understanding import statuses

_SECOND = 1_000_000
_CLOCK = r"(?:(?P<h>\d+):)?(?P<m>\d{1,4}):(?P<s>\d{1,2})(?:[.,](?P<f>\d{1,9}))?"
_UNITS = (
    r"(?:(?P<h2>\d+) ?(?:h|hrs?|std)\.?[ :.]*)?(?:(?P<m2>\d+) ?(?:mins?|mn|m|'|\u2032)\.?[ :.]*)?"
    r"(?:(?P<s2>\d+)(?:[.,](?P<f2>\d{1,9}))? ?(?:secs?|sek|s|\"|''|\u2033)?\.?(?P<f3>\d{1,9})?)?"
)
_FORM = rf"^(?P<gap>\+ ?)?(?:{_CLOCK}|{_UNITS})$"
_LAPS = (
    r"^\+? ?(\d+) ?(?:laps?|lps|l|rnd|runden?|tours?|vueltas?|voltas?|giri|giro)\.?"
    r"(?: behind| down)?$"
)
_SAYS_SO = r"\d:\d|\d ?(?:h|m|'|\u2032|s|\"|\u2033)"


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
    if not distinct.str.contains(_SAYS_SO).any():
        return False
    found = durations(distinct)
    return bool((found.microseconds.is_not_null() | found.laps.is_not_null()).all())


def durations(texts: pl.Series) -> Durations:
    """What each text says."""
    distinct = texts.unique().drop_nulls()
    plain = distinct.str.to_lowercase().str.strip_chars()
    plain = plain.str.replace_all(r"\s+", " ").str.replace(r"^\+(?:\s)?", "+")
    groups = plain.str.extract_groups(_FORM).struct.unnest()
    hours, minutes, seconds = (
        pl.coalesce(name, f"{name}2").cast(pl.Int64, strict=False) for name in "hms"
    )
    fraction = pl.coalesce("f", "f2", "f3").fill_null("").str.pad_end(6, "0").str.slice(0, 6)
    there = pl.any_horizontal(each.is_not_null() for each in (hours, minutes, seconds))
    right = seconds.fill_null(0) < pl.when(minutes.is_null() & hours.is_null()).then(
        10**9
    ).otherwise(60)
    right &= minutes.fill_null(0) < pl.when(hours.is_null()).then(10**6).otherwise(60)
    right &= hours.fill_null(0) < 10**6
    total = (hours.fill_null(0) * 60 + minutes.fill_null(0)) * 60 + seconds.fill_null(0)
    found = groups.select(
        microseconds=pl.when(there & right).then(total * _SECOND + fraction.cast(pl.Int64)),
        gap=pl.col("gap").is_not_null(),
    )
    laps = plain.str.extract(_LAPS, 1).cast(pl.Int64, strict=False)

    def spread(values: pl.Series) -> pl.Series:
        return texts.replace_strict(distinct, values, default=None, return_dtype=values.dtype)

    return Durations(spread(found["microseconds"]), spread(found["gap"]), spread(laps))


def totals(frame: pl.DataFrame, found: Durations) -> pl.Series:
    """Microseconds of every row, those behind the leader of their contest added to the leader's."""
    keys = [name for name in ("contest", "ladder") if name in frame.columns]
    table = frame.select(keys).with_columns(own=found.microseconds, gap=found.gap, laps=found.laps)
    leader = pl.col("own").filter(~pl.col("gap") & pl.col("laps").is_null()).min().fill_null(0)
    table = table.with_columns(leader=leader.over(keys) if keys else leader)
    total = pl.col("own") + pl.when("gap").then("leader").otherwise(0)
    table = table.with_columns(total=pl.when(pl.col("laps").is_null()).then(total))
    behind = pl.col("total").max().fill_null(0) + pl.col("laps") * _SECOND
    return table.select(pl.coalesce("total", behind).alias("score")).to_series()
