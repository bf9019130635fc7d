"""A table that grows on disk, for what does not fit into memory."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl

from podium import forks


class StoredTable:
    """Tables one below the other, in a temporary folder that goes with this object."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="podium-")
        self._files: list[Path] = []

    def add(self, frame: pl.DataFrame) -> None:
        """Put rows below the others."""
        path = Path(self._folder.name, f"{len(self._files)}.parquet")
        frame.write_parquet(path, compression="lz4")
        self._files.append(path)

    def put_before(self, frame: pl.DataFrame) -> None:
        """Put rows above the others."""
        self.add(frame)
        self._files.insert(0, self._files.pop())

    def lazy(self) -> pl.LazyFrame:
        """All rows, for a query."""
        return pl.concat([pl.scan_parquet(path, glob=False) for path in self._files], rechunk=False)

    def frame(self) -> pl.DataFrame:
        """All rows in memory."""
        forks.refuse_lost_threads()
        return self.lazy().collect()

    def write(
        self, path: Path, for_csv: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda frame: frame
    ) -> None:
        """Write all rows to a file, CSV or Parquet, without having them in memory."""
        forks.refuse_lost_threads()
        try:
            if path.suffix == ".csv":
                for_csv(self.lazy()).sink_csv(path)
            else:
                self.lazy().sink_parquet(path)
        except pl.exceptions.ComputeError as error:  # what a full disk is for Parquet
            raise OSError(str(error)) from None
