"""Tables of ratings that players are given: who, how good, how uncertain, and as of when."""

import os
from collections.abc import Iterable

import polars as pl

from podium import forks
from podium.errors import InputError
from podium.results import formats, tables
from podium.results.isolation import Isolated
from podium.results.options import Options
from podium.results.reading import one_table, rows_apart
from podium.results.times import series_to_microseconds
from podium.results.understanding import words
from podium.results.understanding.dates import understood_times
from podium.results.understanding.numbers import numbers
from podium.results.understanding.report import Table, Understanding, Understood
from podium.wording import listed

_WORDS = {
    "player": (words.PLAYER, words.NAME),
    "rating": (("rating",), ("mu",), ("elo",)),
    "sigma": (("sigma",), ("uncertainty", "deviation", "ratingdeviation", "rd")),
    "time": (("time",), words.DATE),
}
"""What columns are called, the surest first."""
_NEEDED = ("player", "rating")


def ratings_understood(
    path: str | os.PathLike[str], options: Options, *, isolated: Isolated = False
) -> tuple[pl.DataFrame, Understanding]:
    """A table of starting ratings as `podium.Starts.from_frame` takes it, and how it was read."""
    forks.refuse_lost_threads()
    if isolated:
        return rows_apart("starting.ratings_understood", path, isolated, options)
    with one_table(path, options) as (given, file), formats.naming(file, "used"):
        report = Understanding(format=given.format, assumptions=list(given.assumptions))
        table = _named(given, options, report)
        frame = table.frame
        for name in ("rating", "sigma"):
            if name in frame.columns and frame[name].dtype == pl.String:
                frame = frame.with_columns(_numbers(table, name, options, report))
        table = table._replace(frame=frame)
        if "time" in frame.columns:
            table = table._replace(frame=_with_times(table, options, report))
    return table.frame, report


def _named(table: Table, options: Options, report: Understanding) -> Table:
    """The table with podium's names for its columns."""
    frame = tables.as_polars(table.frame)
    said = dict(options.columns or {})
    for name in said:
        if name not in _WORDS:
            raise InputError(
                f"there is no column {name!r} to map; starting ratings have {listed(_WORDS)}."
            )
    found = {ours: _told(frame.columns, ours, said.get(ours)) for ours in _WORDS}
    for name in _NEEDED:
        if found[name] is None:
            raise InputError(
                f"starting ratings need the columns player and rating, and may have sigma and "
                f"time; there is no {name!r} among {listed(frame.columns)}, and --columns or "
                f"columns= says what it is called."
            )
    known = {ours: theirs for ours, theirs in found.items() if theirs is not None}
    report.columns += [Understood(ours, theirs) for ours, theirs in known.items()]
    report.unused += [name for name in frame.columns if name not in known.values()]
    return table._replace(frame=frame.select(pl.col(known[ours]).alias(ours) for ours in known))


def _told(given: Iterable[str], ours: str, said: str | None) -> str | None:
    """What the table calls a column of ours."""
    tiers = _WORDS[ours] if said is None else ((words.key(said),),)
    names = list(given)
    if said in names:
        return said
    for tier in tiers:
        hits = [name for name in names if not set(tier).isdisjoint(words.keys(name))]
        if len(hits) > 1:
            raise InputError(
                f"{listed(hits)} can all be the {ours}; --columns {ours}=… or columns= says which."
            )
        if hits:
            return hits[0]
    if said is not None:
        raise InputError(
            f"there is no column {said!r} to take as {ours!r}; the columns are {listed(names)}."
        )
    return None


def _numbers(table: Table, name: str, options: Options, report: Understanding) -> pl.Series:
    """Numbers as people write them."""
    given = table.frame[name]
    given = given.set((given.str.strip_chars() == "").fill_null(value=False), None)
    found = numbers(given, options.decimal, table.locate)
    if found is not None:
        report.explain(name, found[1])
        return found[0]
    plain = given.str.strip_chars().cast(pl.Float64, strict=False)
    odd = int((plain.is_null() & given.is_not_null()).arg_max() or 0)
    raise InputError(f"{table.locate(odd)}: the {name} must be a number, not {given[odd]!r}.")


def _with_times(table: Table, options: Options, report: Understanding) -> pl.DataFrame:
    """Times as moments; null where there is none."""
    given = table.frame["time"]
    there = given.is_not_null()
    if given.dtype == pl.String:
        there &= given.str.strip_chars() != ""
    if not there.any():
        return table.frame.drop("time")
    dated = understood_times(table.filtered(table.frame, there), options, report)
    found = series_to_microseconds(dated.frame["time"])
    if found.null_count():
        row = int(found.is_null().arg_max() or 0)
        raise InputError(f"{dated.locate(row)}: {dated.frame['time'][row]!r} is not a time.")
    times = pl.repeat(None, len(given), dtype=pl.Int64, eager=True)
    times = times.scatter(there.arg_true(), found).cast(pl.Datetime("us"))
    return table.frame.with_columns(time=times)
