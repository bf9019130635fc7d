"""Which contest and when: a row for each participation, with both."""

import datetime
import re
from collections.abc import Sequence

import polars as pl

from podium.errors import InputError
from podium.results import tables
from podium.results.options import Options
from podium.results.times import (
    Time,
    from_microseconds,
    series_to_microseconds,
    to_microseconds,
)
from podium.results.understanding import stems, wide
from podium.results.understanding.report import Table, Understanding
from podium.wording import counted, listed

_SMALL_NUMBER = re.compile(r"\d{1,5}")
"""Days or seconds: nobody can tell."""
_EXCEL_FIRST = datetime.date(1899, 12, 30)


def laid_out(
    table: Table,
    options: Options,
    report: Understanding,
    given: Sequence[str],
    *,
    standings: bool,
) -> Table:
    """Long results or matches with a contest and a time, as far as they are known.

    `given` are the columns as the table calls them.
    """
    if options.wide:
        table = wide.as_long(table, options, report)
    known = set(table.frame.columns)
    is_long = "player" in known
    wanted = [name for name in ("contest", "time") if name not in known]
    if not is_long:
        wanted = [name for name in wanted if name == "time"]
    if not standings:
        _refuse_twice(options, known, report, is_long=is_long)
    said = _said(options, table, wanted, report)
    if "time" in wanted and "time" not in said and not standings:
        raise _missing([name for name in wanted if name not in said], table, options, given)
    if "time" in said and "contest" in wanted and "contest" not in said and not standings:
        raise _missing(["contest"], table, options, given)
    if "time" in said and "contest" in known and not standings:
        count = table.frame["contest"].n_unique()
        if count > 1:
            report.assumptions.append(
                f"all {counted(count, 'contest')} are of one time, in the order of their names."
            )
    return table._replace(frame=table.frame.with_columns(**said))


def _refuse_twice(
    options: Options, known: set[str], report: Understanding, *, is_long: bool
) -> None:
    """Raise if something is said that the table says, or that cannot be."""
    for name, value in (("contest", options.contest), ("time", options.time)):
        if value is not None and name in known:
            theirs = next((each.theirs for each in report.columns if each.ours == name), name)
            raise InputError(
                f"the column {theirs!r} says it already, so {name}= or --{name} does not apply."
            )
    if options.contest is not None and not is_long:
        raise InputError(
            "contest= or --contest is for one contest; this is a list of matches, each of them one."
        )


def _said(
    options: Options, table: Table, wanted: Sequence[str], report: Understanding
) -> dict[str, pl.Expr]:
    """What options, or the name of the file or sheet, say of what the table does not."""
    said: dict[str, pl.Expr] = {}
    name, date = (
        stems.dated([table.stem], options.dates)[0] if options.from_name and wanted else ("", None)
    )
    if options.from_name and wanted and not table.stem:
        raise InputError("there is no name of a file to take anything from (from_name).")
    if "contest" in wanted and (options.contest is not None or name):
        said["contest"] = pl.lit(options.contest if options.contest is not None else name)
        report.explain("contest", "as said" if options.contest is not None else "from the name")
    if "time" in wanted and (options.time is not None or date is not None):
        moment = moment_of(options.time, options) if options.time is not None else date
        said["time"] = pl.lit(moment).cast(pl.Datetime("us"))
        report.explain("time", "as said" if options.time is not None else "from the name")
    taken = [
        f"{each} {value!r}"
        for each, value, by_option in (
            ("contest", name, options.contest),
            ("time", str(date), options.time),
        )
        if each in said and by_option is None
    ]
    if taken:
        report.assumptions.append(f"{' and '.join(taken)}, from the name.")
    return said


def moment_of(time: Time, options: Options) -> object:
    """A moment that was said, in any form that the name of a file or a column may have."""
    if isinstance(time, str):
        text = time.strip()
        found = stems.dated([text], options.dates)[0]
        if found.date is not None and found.name in (found.date.isoformat(), text):
            return found.date
        if _SMALL_NUMBER.fullmatch(text) and options.dates != "unix":
            return _day_of_excel(text, options)
    return from_microseconds(to_microseconds(time))


def _day_of_excel(text: str, options: Options) -> datetime.date:
    """A number of days as Excel counts them, if that was said."""
    if options.dates == "excel":
        return _EXCEL_FIRST + datetime.timedelta(days=int(text))
    raise InputError(
        f"time {text!r} is no date such as 2026-01-05; if it is a day of Excel or seconds since "
        f"1970, say dates='excel' or dates='unix', or --dates excel or --dates unix."
    )


def _missing(
    missing: Sequence[str], table: Table, options: Options, given: Sequence[str]
) -> InputError:
    python = ", ".join({"contest": "contest=NAME", "time": "time=DATE"}[each] for each in missing)
    shell = " ".join({"contest": "--contest NAME", "time": "--time DATE"}[each] for each in missing)
    return InputError(
        f"there is no column {' or '.join(map(repr, missing))} among {listed(given)}; say {python} "
        f"or {shell}{stems.offer(table.stem, options.dates, missing)}; if it has another name, say "
        f"columns={{{missing[-1]!r}: NAME}} or --columns {missing[-1]}=NAME."
    )


def named_by_times(table: Table, report: Understanding) -> Table:
    """Long results without a contest, whose times tell contests apart."""
    frame = table.frame
    if "player" not in frame.columns or "time" not in frame.columns:
        return table
    if "contest" in frame.columns:
        return _named_with_times(table, report)
    moments = series_to_microseconds(frame["time"]).cast(pl.Datetime("us"))
    count = moments.n_unique()
    if frame.height > 1 and 2 * count > frame.height:
        raise InputError(
            f"there is no column 'contest', and the times differ from row to row, {count:,} in "
            f"{counted(frame.height, 'row')}, so that they tell no contests; say contest=NAME or "
            f"--contest NAME if it is one, or columns={{'contest': NAME}} or --columns "
            f"contest=NAME."
        )
    report.explain("contest", "by its time")
    report.assumptions.append("contests are told apart, and named, by their times.")
    return table._replace(frame=frame.with_columns(contest=_written(moments).fill_null("?")))


def _written(moments: pl.Series) -> pl.Series:
    """Dates, with clocks if there are any."""
    days = (moments == moments.dt.truncate("1d")).all()
    return moments.dt.strftime("%Y-%m-%d" if days else "%Y-%m-%d %H:%M:%S%.f")


def _named_with_times(table: Table, report: Understanding) -> Table:
    """Long results in which a name stands for several contests, which their times tell apart."""
    frame = table.frame
    theirs = next((each.theirs for each in report.columns if each.ours == "contest"), "contest")
    if theirs in ("contest", ""):
        return table
    called = [name for name in ("contest", "ladder") if name in frame.columns]
    rows = frame.select(*called, "player", time=series_to_microseconds(frame["time"]))
    if rows.select(*called, "time").n_unique() == rows.select(called).n_unique():
        return table
    if rows["time"].null_count() or rows.n_unique() < rows.height or _has_odd_times(rows, called):
        return table
    times = _written(rows["time"].cast(pl.Datetime("us")))
    names = (frame["contest"].cast(pl.String).str.strip_chars() + " " + times).alias("contest")
    report.explain("contest", "together with its time")
    report.assumptions.append(f"{theirs!r} and the time together are the contest: {names[0]!r}.")
    return table._replace(frame=frame.with_columns(names))


def _has_odd_times(rows: pl.DataFrame, called: Sequence[str]) -> bool:
    """Whether times differ from row to row, or one of a name is rather wrong than a contest."""
    contests = rows.group_by(*called, "time").len()
    if 2 * contests.height > rows.height:
        return True
    times = contests.group_by(called).agg(times=pl.len(), least=pl.col("len").min())
    again = rows.group_by(called).agg(again=pl.col("player").n_unique() < pl.len())
    names = times.join(again, on=called, nulls_equal=True).filter(pl.col("times") > 1)
    return not names.select((pl.col("again") | (pl.col("least") > 1)).all()).item()


def completed(table: Table, options: Options) -> Table:
    """Standings with an identifier, a time and ranks, where they have none."""
    frame, known = table.frame, set(table.frame.columns)
    if "time" not in known:
        raise InputError("there is no column 'time'; say when the contest takes place.")
    if "player" in known and "contest" not in known:
        frame = frame.with_columns(contest=pl.lit(options.contest or "standings"))
    if "player" in known and known.isdisjoint((*tables.LONG_RESULT, "result")):
        frame = frame.with_columns(rank=pl.int_range(1, pl.len() + 1))
    return table._replace(frame=frame)
