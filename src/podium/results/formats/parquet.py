"""Parquet files, of which only the columns that podium knows are read."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from podium.errors import InputError, StorageError
from podium.results.formats.selection import Table, wanted
from podium.results.formats.text import first_line

if TYPE_CHECKING:
    from podium.results.contests import Contests


def read(path: Path, columns: Mapping[str, str] | None) -> Table:
    """The columns of a file that podium knows."""
    if path.stat().st_size == 0:
        raise InputError(f"{path}: is empty.")
    try:
        scan = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        frame = scan.select(wanted(scan.collect_schema().names(), columns)).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise StorageError(
            f"{path}: is damaged, incomplete or not a Parquet file ({first_line(error)})."
        ) from None
    return Table(frame, lambda row: f"{path}, row {row + 1}")


def write(contests: "Contests", path: Path) -> None:
    """All that is known of the contests, as a long table."""
    contests.frame().write_parquet(path)
