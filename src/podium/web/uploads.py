"""Files that somebody sends: read as `podium.read` reads them, in a process of its own."""

import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from podium.checking import Check, checked
from podium.errors import BusyError, InputError, PodiumError, StorageError
from podium.league import View
from podium.results import isolation, tables
from podium.results.contests import Contests
from podium.results.options import Options, Said
from podium.results.understanding import Table, Understanding, understood
from podium.texts import LONGEST, normalised
from podium.web.operations import Operation

EVERY, BURST = 2.0, 60
"""A token sends a file every so many seconds in the long run, and so many in a row."""
MOST_TABLE = 512 * 2**20
"""Bytes of the table that a file is unpacked to."""
_PATIENCE = 60.0
"""Seconds that a file may take to be read."""
LIMITS = isolation.Limits(patience=_PATIENCE, most=MOST_TABLE)
"""How far reading one may go."""
_AT_ONCE = 2
_LONGEST_NAME = 200
_READERS = {
    "add": "reading.rows_understood",
    "start": "starting.ratings_understood",
    "describe-players": "reading.plain_understood",
}
"""What reads the files of operations that do not take whole results."""
NAMES = {
    "text/csv": "results.csv",
    "text/tab-separated-values": "results.tsv",
    "text/plain": "results.txt",
    "application/x-ndjson": "results.jsonl",
    "application/jsonl": "results.jsonl",
    "application/vnd.apache.parquet": "results.parquet",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "results.xlsx",
    "application/vnd.oasis.opendocument.spreadsheet": "results.ods",
    "application/x-chess-pgn": "results.pgn",
    "application/zip": "results.zip",
    "application/octet-stream": "results",
}
"""What a file is called that nobody has named, by its type."""
_turns = threading.BoundedSemaphore(_AT_ONCE)


def _of(meaning: str, default: Any = None, **more: Any) -> Any:
    return Field(default, description=meaning, **more)


class HowToRead(BaseModel):
    """What can be said of a file: `podium.read` tells more of each."""

    model_config = ConfigDict(extra="forbid")

    columns: dict[str, str] | None = _of("what a column is called in the file, player=handle")
    format: str | None = _of("the format, if neither name nor content tells", max_length=40)
    lowest_score_wins: bool = _of("whether the lowest score is the best", False)
    rerank: bool = _of("whether only the order of ranks counts, which may have gaps", False)
    contest: str | None = _of(
        "what the contest is called, if the file does not say", max_length=LONGEST
    )
    time: str | None = _of("when it took place, if the file does not say", max_length=40)
    from_name: bool = _of("whether the name of the file says what is missing of the two", False)
    wide: bool = _of("whether there is a column for each contest", False)
    unfinished: Literal["error", "last", "drop"] = _of(
        "what becomes of those without a rank", "error"
    )
    dates: Literal["dmy", "mdy", "ymd", "excel", "unix"] | None = _of(
        "how dates are to be read, if that can be doubted"
    )
    zone: str | None = _of("the zone of times that name none, as Europe/Berlin", max_length=60)
    decimal: Literal["point", "comma"] | None = _of("the decimal sign, if that can be doubted")
    delimiter: str | None = _of("what stands between values", max_length=10)
    encoding: str | None = _of("how a text is encoded", max_length=40)
    sheet: str | None = _of("which sheet of a workbook; * for all", max_length=LONGEST)
    future: bool = _of("whether times of more than two years from now are meant", False)

    def options(self) -> Options:
        """The same for those who read."""
        said: Said = {**self.model_dump()}  # type: ignore[typeddict-item]
        return Options.of(said)


def read(
    operation: type[Operation], name: str, data: bytes, options: Options
) -> tuple[Contests | pl.DataFrame, Understanding]:
    """What a file holds that is given for an operation, and how it was understood.

    Args:
        operation: What it is for.
        name: What whoever sends it calls it.
        data: The file.
        options: How it is to be read.
    """
    function = _READERS.get(operation.name, "reading.read_understood")
    with _kept(name, data) as path:
        frame, report = isolation.asked(function, path, LIMITS, options)
    if operation.takes == "rows":
        return frame, report
    plain = Options(sort=False, unlimited=True, future=True)  # it was limited where it was read
    return Contests.from_understood(Table(frame, tables.plain_row), plain), report


def standings(name: str, data: bytes, options: Options) -> Contests:
    """The standings that a file holds, of a contest that is not over."""
    with _kept(name, data) as path:
        frame, _ = isolation.asked("reading.standings_understood", path, LIMITS, options)
    plain = Options(sort=False, unlimited=True, future=True)  # it was limited where it was read
    return Contests.from_understood(Table(frame, tables.plain_row), plain)


def standings_of_rows(rows: Sequence[Mapping[str, Any]], options: Options) -> Contests:
    """The same of rows of JSON."""
    try:
        frame = pl.DataFrame(list(rows), infer_schema_length=None)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        raise InputError(
            "the rows do not make a table: a column has values of two kinds."
        ) from None
    table, _ = understood(Table(frame, tables.plain_row), options, standings=True)
    found = Contests.from_understood(table, options)
    if len(found) != 1:
        raise InputError(f"these are rows of {len(found):,} contests; standings are of one.")
    return found


def check(name: str, data: bytes, options: Options, view: View) -> dict[str, Any]:
    """What `podium check` says of a file beside a league."""
    with _kept(name, data) as path:
        found: Check = checked(path, options, league=view, isolated=LIMITS)
        said: dict[str, Any] = _renamed(found.document(), str(path), path.name)
        return said


@contextmanager
def _kept(name: str, data: bytes) -> Iterator[Path]:
    """A file while it is read, of which few are at once; errors call it as its sender does."""
    if not data:
        raise InputError("the file is empty.")
    with turn(), tempfile.TemporaryDirectory(prefix="podium-") as folder:
        path = Path(folder) / file_name(name)
        path.write_bytes(data)
        try:
            yield path
        except PodiumError as error:
            # what is wrong with the file is no fault of where leagues are kept
            kind = InputError if isinstance(error, StorageError) else type(error)
            raise kind(str(error).replace(f"{folder}/", "")) from None


@contextmanager
def turn() -> Iterator[None]:
    """A place among the few who have files read at once."""
    if not _turns.acquire(timeout=_PATIENCE / 2):
        raise BusyError("others have files read at the moment; the same may work in a moment.")
    try:
        yield
    finally:
        _turns.release()


def _renamed(said: Any, path: str, name: str) -> Any:
    """A document with the name of a file in place of where it was kept."""
    if isinstance(said, Mapping):
        return {key: _renamed(each, path, name) for key, each in said.items()}
    if isinstance(said, list):
        return [_renamed(each, path, name) for each in said]
    return said.replace(path, name) if isinstance(said, str) else said


def file_name(name: str) -> str:
    """A name that a file can have here, with the endings that it has there.

    Example:
        >>> file_name("week-3.csv"), file_name("../../etc/passwd"), file_name("..")
        ('week-3.csv', 'passwd', 'results')
    """
    last = PurePosixPath(normalised(name).replace("\\", "/")).name.replace("\0", "")
    short = last.encode("utf-8", "replace")[-_LONGEST_NAME:].decode("utf-8", "ignore")
    return "results" if not short.strip(" .-~") else short.lstrip(".~-")
