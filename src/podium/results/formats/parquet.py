"""Parquet files, of which only the columns that podium knows are read."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from podium.errors import InputError, StorageError
from podium.results.formats import limits
from podium.results.formats.selection import Table, wanted
from podium.results.formats.text import first_line

if TYPE_CHECKING:
    from podium.results.contests import Contests

_LEAST = 4
"""Bytes that a value takes, at least nearly always."""


def read(path: Path, columns: Mapping[str, str] | None, *, unlimited: bool) -> Table:
    """The columns of a file that podium knows."""
    if path.stat().st_size == 0:
        raise InputError(f"{path}: is empty.")
    try:
        scan = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        scan = scan.select(wanted(scan.collect_schema().names(), columns))
        if not unlimited:
            _refuse_many(path, scan)
        frame = scan.collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise StorageError(
            f"{path}: is damaged, incomplete or not a Parquet file ({first_line(error)})."
        ) from None
    return Table(frame, lambda row: f"{path}, row {row + 1}")


def _refuse_many(path: Path, scan: pl.LazyFrame) -> None:
    """Raise if the rows that the file claims need more memory than a file of its size may."""
    rows = scan.select(pl.len()).collect().item()
    allowance = limits.Allowance(path, path.stat().st_size, unlimited=False)
    allowance.spend(rows * len(scan.collect_schema()) * _LEAST)


def write(contests: "Contests", path: Path) -> None:
    """All that is known of the contests, as a long table."""
    contests.frame().write_parquet(path)
