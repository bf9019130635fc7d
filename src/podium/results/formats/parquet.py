"""Parquet files, of which only the columns that podium knows are read."""

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from podium.errors import InputError, StorageError
from podium.results.formats import limits
from podium.results.formats.selection import wanted
from podium.results.formats.text import first_line
from podium.results.options import Options
from podium.results.understanding.report import Table

if TYPE_CHECKING:
    from podium.results.contests import Contests

_LEAST = 4
"""Bytes that a value takes, at least nearly always."""


def read(path: Path, options: Options, *, start: int = 0, rows: int | None = None) -> Table:
    """The columns of a file that podium knows, or some rows of them."""
    if path.stat().st_size == 0:
        raise InputError(f"{path}: is empty.")
    try:
        scan = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        available = scan.collect_schema().names()
        scan = scan.select(wanted(available, options))
        if not options.unlimited:
            _refuse_many(path, scan)
        frame = scan.slice(start, rows).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise StorageError(
            f"{path}: is damaged, incomplete or not a Parquet file ({first_line(error)})."
        ) from None
    unread = tuple(name for name in available if name not in frame.columns)
    return Table(
        frame,
        lambda row: f"{path}, row {start + row + 1}",
        "Parquet",
        stem=path.stem,
        unread=unread,
    )


def column(path: Path, name: str, start: int, rows: int) -> pl.Series:
    """Some rows of one column."""
    scan = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    return scan.select(name).slice(start, rows).collect().to_series()


def schema(path: Path) -> tuple[pl.Schema, int]:
    """The types of all columns, and the number of rows."""
    scan = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    return scan.collect_schema(), scan.select(pl.len()).collect().item()


def _refuse_many(path: Path, scan: pl.LazyFrame) -> None:
    """Raise if the rows that the file claims need more memory than a file of its size may."""
    rows = scan.select(pl.len()).collect().item()
    allowance = limits.Allowance(path, path.stat().st_size, unlimited=False)
    allowance.spend(rows * len(scan.collect_schema()) * _LEAST)


def write(contests: "Contests", path: Path) -> None:
    """All that is known of the contests, as a long table."""
    contests.frame(given=True).write_parquet(path)
