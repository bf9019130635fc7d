"""Which columns of a file are read."""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from podium.errors import InputError
from podium.results.options import Options
from podium.results.understanding.headers import found_in
from podium.results.understanding.report import Table


def wanted(available: Sequence[str], options: Options) -> list[str]:
    """The columns that podium's own names are enough for, as the file calls them.

    If they are not, these are all columns: what is missing may be found in them.
    """
    if options.wide:
        return list(available)
    try:
        found = found_in(available, options.columns)
    except InputError:
        return list(available)
    return [name for name in available if not found.is_plain or name in found.theirs]


def with_extras(
    ours: pl.DataFrame, theirs: pl.DataFrame, columns: Mapping[str, str] | None
) -> pl.DataFrame:
    """A table in podium's columns, with those of the source that `columns` names beside them.

    If one of them is not there, these are all columns, so that the message can list them.
    """
    named = set((columns or {}).values())
    if named - set(ours.columns) - set(theirs.columns):
        named = set(theirs.columns)
    more = [name for name in theirs.columns if name in named and name not in ours.columns]
    return ours.with_columns(theirs.select(more)) if more else ours


def others(table: Table, used: Iterable[str], options: Options) -> tuple[str, ...]:
    """The columns of a table of a site that are not used."""
    known = {*used, *(options.columns or {}).values()}
    return tuple(name for name in (*table.frame.columns, *table.unread) if name not in known)


def rows_that_count(frame: pl.DataFrame) -> tuple[pl.Series | None, int]:
    """Which rows say something other than the header, None if all do; how often that is repeated.

    The first column decides whether there is anything to look for.
    """
    if frame.width == 0 or frame.height == 0:
        return None, 0
    first = frame.to_series(0)
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    may_be_empty = first.null_count() > 0
    is_header = False
    if first.dtype == pl.String:
        starts = first.str.starts_with(" ") | first.str.starts_with("\t")
        may_be_empty |= first.str.len_bytes().min() == 0 or starts.any()
        is_header = bool((first == frame.columns[0]).any())
    if not may_be_empty and not is_header:
        return None, 0
    says = [
        pl.col(name).is_not_null()
        & ((pl.col(name).str.strip_chars() != "") if name in texts else pl.lit(True))
        for name in frame.columns
    ]
    blank = pl.lit(None, pl.String)
    header = [pl.col(name).eq_missing(name if name.strip() else blank) for name in texts]
    repeats = pl.all_horizontal(header) if len(texts) == frame.width else pl.lit(False)
    rows = frame.select(says=pl.any_horizontal(says), header=repeats)
    repeated = rows["header"]
    return rows["says"] & ~repeated, int(repeated.sum())
