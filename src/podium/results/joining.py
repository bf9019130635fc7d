"""Tables of many files as the contests of one."""

import bisect
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.errors import InputError
from podium.results import formats, tables
from podium.results.contests import Contests
from podium.results.options import Options
from podium.results.times import as_column, from_microseconds, series_to_microseconds
from podium.results.understanding import Table

_WITHOUT_IDS = "matches without identifiers"
_DAY = 86_400_000_000
_MOST_SPANS = 64
"""Stretches of time that are looked at one by one."""


class Part(NamedTuple):
    """A table in podium's words, or some rows of one."""

    home: Path
    """The file that it is from."""
    table: Table


def joined(parts: Sequence[Part], options: Options, *, whole_days: bool = True) -> Contests:
    """The contests of all files, as if one file held them; each contest stands in one of them.

    Tables of different kinds (ranks, scores, matches) are validated kind by kind. With `whole_days`
    false, matches without identifiers are called by date and time although these have only dates.
    """
    kinds: dict[str, list[Part]] = {}
    for part in parts:
        kinds.setdefault(_kind(part, options), []).append(part)
    refuse_few_ladders(parts)
    found = [_one_kind(kinds[kind], options) for kind in sorted(kinds)]
    if not whole_days:
        for place, kind in enumerate(sorted(kinds)):
            if kind.startswith(_WITHOUT_IDS):
                found[place] = _called_by_time(found[place])
    return found[0] if len(found) == 1 else Contests.concat(found, sort=options.sort)


def _kind(part: Part, options: Options) -> str:
    """What tells who won; raises if nothing does, or if a column is missing."""
    frame = part.table.frame
    known = set(frame.columns)
    if tables.is_match_list(frame):
        results = [str(names) for names in tables.MATCH_RESULT if known.issuperset(names)]
        own = "matches" if "contest" in known else _WITHOUT_IDS
        kind, needed = f"{own} {results}", tables.MATCH
    else:
        results = [name for name in tables.LONG_RESULT if name in known][:1]
        kind, needed = f"contests {results}", tables.LONG
    if not results or not known.issuperset(needed) or frame.height == 0:
        with formats.naming(part.home, "used"):
            Contests.from_understood(part.table, options)
    return kind


def _called_by_time(contests: Contests) -> Contests:
    """The same matches, with the time in identifiers that were made of dates."""
    times = contests.columns.time
    if (times % _DAY).any():
        return contests
    texts = as_column(times).dt.strftime("%Y-%m-%d %H:%M:%S%.f")
    ids = (texts + contests.ids.str.slice(10)).alias(contests.ids.name)
    return Contests(contests.parts._replace(ids=ids))


def refuse_few_ladders(parts: Sequence[Part]) -> None:
    """Raise if some tables have ladders and some have none."""
    having = {"ladder" in part.table.frame.columns: part.home for part in parts}
    if len(having) > 1:
        raise InputError(
            f"{having[True]} has a column ladder, but {having[False]} has none; ladders are in all "
            f"files, or in none."
        )


def _one_kind(parts: Sequence[Part], options: Options) -> Contests:
    if len(parts) == 1:
        with formats.naming(parts[0].home, "used"):
            return Contests.from_understood(parts[0].table, options)
    read = [part.table for part in parts]
    frame = pl.concat(_alike([table.frame for table in read]), how="diagonal_relaxed")
    heights = np.array([table.frame.height for table in read])
    _refuse_what_stands_twice(frame, [part.home for part in parts], heights)
    whole = read[0]._replace(frame=frame, locate=locator(read))
    return Contests.from_understood(whole, options)


def locator(parts: Sequence[Table]) -> tables.Locator:
    """Where a row of several tables stands that were put together."""
    starts = list(itertools.accumulate((part.frame.height for part in parts), initial=0))

    def locate(row: int) -> str:
        number = bisect.bisect_right(starts, row) - 1
        return parts[number].locate(row - starts[number])

    return locate


def _alike(frames: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """The same tables, with values of one type in a column: texts, if they are some in any."""
    alike = []
    for frame in frames:
        changed = []
        for column in frame:
            types = {each.schema[column.name] for each in frames if column.name in each.columns}
            if len(types) == 1:
                continue
            moments = series_to_microseconds(column) if column.name == "time" else None
            if moments is not None and moments.null_count() == column.null_count():
                changed.append(as_column(moments.to_numpy()).alias("time"))
            elif any(isinstance(each, pl.String | pl.Categorical | pl.Enum) for each in types):
                changed.append(column.cast(pl.String))
        alike.append(frame.with_columns(changed))
    return alike


def _refuse_what_stands_twice(
    frame: pl.DataFrame, homes: Sequence[Path], heights: NDArray[np.int64]
) -> None:
    """Raise if two files have the same contest, or matches without identifiers the same match."""
    files = list(dict.fromkeys(homes))
    if len(files) == 1:
        return
    places = {home: number for number, home in enumerate(files)}
    numbers = [places[home] for home in homes]
    keys = ["contest"] if "contest" in frame.columns else list(tables.MATCH)
    keys += [name for name in ("ladder",) if name in frame.columns]
    rows = frame.select(keys).with_columns(pl.lit(np.repeat(numbers, heights)).alias("file"))
    if "contest" not in keys:
        rows = _at_shared_times(rows)
    rows = rows.unique(maintain_order=True)
    rows = rows.with_columns(tables.as_names(rows[key]) for key in keys if key != "time").unique(
        maintain_order=True
    )
    twice = rows.filter(rows.select(keys).is_duplicated())
    if twice.height == 0:
        return
    same = twice.join(twice.head(1).select(keys), on=keys, nulls_equal=True)
    first, second = (files[number] for number in same["file"].sort().to_list()[:2])
    if "contest" in keys:
        said, hint = f"contest {same['contest'][0]!r}", "one of the contests another identifier"
    else:
        names = " - ".join(str(same[name][0]) for name in ("player_a", "player_b"))
        moment = series_to_microseconds(same["time"].head(1))[0]
        said, hint = f"match {names!r} at {from_microseconds(moment)}", "the matches identifiers"
    raise InputError(
        f"{first} and {second}: {said} stands in both; give one of the files, or {hint}."
    )


def _at_shared_times(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows at moments that lie within two files."""
    if rows["time"].dtype == pl.String:
        return rows
    spans = (
        rows.group_by("file")
        .agg(pl.col("time").min().alias("start"), pl.col("time").max().alias("end"))
        .sort("start", "end", nulls_last=True)
    )
    start, end = spans["start"], spans["end"]
    before = end.cum_max().shift(1)
    shared = spans.with_columns(before.alias("before")).filter(start <= before)
    inside = [
        pl.col("time").is_between(first, last)
        for first, last in shared.select("start", "before").iter_rows()
    ]
    if len(inside) > _MOST_SPANS:
        return rows
    return rows.filter(pl.any_horizontal(inside)) if inside else rows.clear()
