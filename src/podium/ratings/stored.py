"""A table that grows on disk, for what does not fit into memory or should not wait for its end."""

import queue
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import polars as pl
from polars.io.plugins import register_io_source

from podium import forks

_Part = TypeVar("_Part")
_WAITING = 2
"""Parts of a table that may wait for the disk; then, whoever makes them does."""


class WrittenAlong(Generic[_Part]):
    """A file of a table, CSV or Parquet, that a thread writes while further parts are made.

    A block in which parts are added: when it ends, all of them are in the file; if it fails,
    the file is left incomplete, for whoever called to remove.

    Example:
        >>> path = Path(tempfile.mkdtemp(), "squares.csv")
        >>> def squares(first: int) -> pl.DataFrame:
        ...     return pl.DataFrame({"square": [number**2 for number in range(first, first + 2)]})
        >>> with WrittenAlong(path, {"square": pl.Int64}, squares) as file:
        ...     for first in (0, 2):
        ...         file.add(first)
        >>> path.read_text().split()
        ['square', '0', '1', '4', '9']
    """

    def __init__(
        self,
        path: Path,
        schema: Mapping[str, Any],
        made: Callable[[_Part], pl.DataFrame],
        for_csv: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda frame: frame,
    ) -> None:
        """A part is whatever `made` makes rows of, which it does in the thread."""
        forks.refuse_lost_threads()
        self._made = made
        self._parts: queue.Queue[_Part | None] = queue.Queue(_WAITING)
        self._failure: BaseException | None = None
        self._is_abandoned = self._is_over = False
        source = register_io_source(self._frames, schema=schema)
        self._thread = threading.Thread(
            target=self._write, args=(source, path, for_csv), daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def add(self, part: _Part) -> None:
        """Put rows below the others; raises if those before could not be written."""
        self._parts.put(part)
        if self._failure is not None:
            raise self._failure

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_abandoned = kind is not None
        self._parts.put(None)
        self._thread.join()
        if kind is None and self._failure is not None:
            raise self._failure

    def _frames(self, *_wanted: object) -> Iterator[pl.DataFrame]:
        """What Polars asks for: all rows, as they come."""
        while (part := self._next()) is not None and not self._is_abandoned:
            try:
                frame = self._made(part)
            except BaseException as error:  # which Polars would make one of its own of
                self._failure = error
                raise
            yield frame

    def _next(self) -> _Part | None:
        """A part, or None if there is no further one."""
        part = self._parts.get()
        self._is_over = part is None
        return part

    def _write(
        self, source: pl.LazyFrame, path: Path, for_csv: Callable[[pl.LazyFrame], pl.LazyFrame]
    ) -> None:
        try:
            _sink(for_csv(source) if path.suffix == ".csv" else source, path)
        except BaseException as error:
            self._failure = self._failure or error
        while not self._is_over:  # nobody is to wait for a file that has failed
            self._next()


def _sink(rows: pl.LazyFrame, path: Path) -> None:
    """Write rows to a file, CSV or Parquet, without having them in memory."""
    try:
        if path.suffix == ".csv":
            rows.sink_csv(path)
        else:
            rows.sink_parquet(path, compression_level=1)  # as small, in two thirds of the time
    except pl.exceptions.ComputeError as error:  # what a full disk is for Parquet
        raise OSError(str(error)) from None


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
        _sink(for_csv(self.lazy()) if path.suffix == ".csv" else self.lazy(), path)
