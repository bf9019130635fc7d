"""Readers and writers of results: what is written here reads back equal.

| format          | files                                   | reads | writes |
| --------------- | --------------------------------------- | ----- | ------ |
| `csv`, `tsv`    | `.csv`, `.tsv`, with `.gz` or `.zst`    | yes   | yes    |
| `jsonl`         | `.jsonl`, `.ndjson`, with `.gz`, `.zst` | yes   | yes    |
| `parquet`       | `.parquet`                              | yes   | yes    |
| `sheets`        | `.xlsx`, `.xlsm`, `.xlsb`, `.xls`, `.ods` | yes | no     |
| `contest-files` | a folder, `.zip` or one `.json` file    | yes   | yes    |
| `codeforces`    | a folder, `.zip` or one `.json` file    | yes   | no     |
| `ctftime`       | a folder, `.zip` or one `.json` file    | yes   | no     |
| `pgn`           | `.pgn`, with `.gz`, `.bz2` or `.zst`    | yes   | no     |
| and of sites    | see docs/formats.md                     | yes   | no     |

Files are known by their contents before their names. Tables are long results or match lists, which
their columns tell; they are written as long results.
Contests of one time are read in the order of their identifiers; with ``sort=False``, tables are
read in the order in which they were written.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from podium import forks
from podium.errors import ConflictError, InputError, NoResultsError, PodiumError, StorageError
from podium.files import as_path, reason, replacing
from podium.results.formats import (
    contents,
    contest_files,
    delimited,
    documents,
    football_data,
    icpc_feed,
    json_lines,
    json_tables,
    lichess,
    parquet,
    pgn,
    recognition,
    sheets,
    texts,
)
from podium.results.formats.recognition import FORMATS as FORMATS
from podium.results.formats.recognition import LAYOUTS, Recognised
from podium.results.formats.text import first_line
from podium.results.options import Options
from podium.results.tables import OPTIONAL
from podium.results.understanding.report import Table

if TYPE_CHECKING:
    from podium.results.contests import Contests


_KINDS = {
    **dict.fromkeys(delimited.SEPARATORS, "a table of text"),
    "jsonl": "lines of JSON",
    "parquet": "a Parquet file",
    "sheets": "a workbook",
    "pgn": "games of chess (PGN)",
}


def write(contests: "Contests", path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write contests to a file or folder, which appears complete or not at all.

    Args:
        contests: At least one.
        path: Its extension tells the format; without one, or with a slash behind, it is a folder
            of contest files.
        format: The format, if the name does not tell: one of `podium.results.formats.FORMATS`.

    Raises:
        PodiumError: Says why it cannot be written, e.g. that contest files hold no teams.

    Example:
        >>> import pathlib, podium, tempfile
        >>> contests = podium.Contests.from_records([
        ...     {"contest": "spring", "time": "2026-03-01", "player": "ann", "rank": 1},
        ...     {"contest": "spring", "time": "2026-03-01", "player": "bob", "rank": 2},
        ... ])
        >>> path = pathlib.Path(tempfile.mkdtemp(), "results.csv")
        >>> write(contests, path)
        >>> print(path.read_text(), end="")
        contest,time,player,rank
        spring,2026-03-01,ann,1
        spring,2026-03-01,bob,2
        >>> podium.read(path) == contests
        True
    """
    forks.refuse_lost_threads()
    target = as_path(path)
    with naming(target, "written"):
        recognised = recognition.of_target(path, format)
        if len(contests) == 0:
            raise InputError("there are no contests to write.")
        if recognised.format in recognition.TABLES:
            _write_table(contests, target, recognised)
        else:
            _write_contest_files(contests, target, is_folder=recognition.is_folder_name(path))


def read_table(path: Path, recognised: Recognised, options: Options) -> Table:
    """What a file of a recognised format holds, before it is understood and validated."""
    format, compression = recognised
    if format == "pgn":
        return pgn.read(path, options)
    if format in delimited.SEPARATORS:
        table = delimited.read(path, compression, delimited.SEPARATORS[format], options)
        return adapted(table, options)
    if format == "jsonl" and icpc_feed.recognises(contents.head_of(path)):
        return icpc_feed.read(path, options)
    if format == "jsonl":
        table = adapted(json_lines.read(path, compression, options), options)
        if table.frame.is_empty():
            raise NoResultsError(f"{path}: {' '.join(table.assumptions) or 'there are no rows.'}")
        return table
    if format == "parquet":
        return adapted(parquet.read(path, options), options)
    if format == "sheets":
        return adapted(sheets.read(path, options), options)
    layouts = LAYOUTS if format == "json" else (format,)
    table = documents.read(path, layouts, options)
    if options.columns and table.format != json_tables.FORMAT:
        raise InputError("columns= or --columns is for tables; the keys of JSON files are fixed.")
    return adapted(table, options)


def described(path: Path, options: Options) -> str:
    """What a file is that could not be read, as far as that can be told."""
    try:
        format = recognition.of_source(path, options.format).format
        if format in _KINDS:
            return _KINDS[format]
        return documents.recognised(path, LAYOUTS if format == "json" else (format,), options)
    except (PodiumError, OSError):
        return "unknown"


def pieces(path: Path, recognised: Recognised, options: Options, size: int) -> Iterator[Table]:
    """The same in tables that fit into memory, where the format can be read so.

    Those of delimited texts are of about `size` bytes.
    """
    if recognised.format == "pgn":
        yield from pgn.pieces(path, options)
    elif recognised.format == "jsonl" and not icpc_feed.recognises(contents.head_of(path)):
        tables = (adapted(table, options) for table in json_lines.pieces(path, options))
        yield from (table for table in tables if table.frame.height)
    elif recognised.format in delimited.SEPARATORS and path.is_file():
        plain = Recognised(recognised.format, "uncompressed")
        separator = delimited.SEPARATORS[recognised.format]
        yield from texts.pieces(
            path,
            lambda part: read_table(part, plain, options),
            lambda data: delimited.head(path, data, separator, options),
            size,
            unlimited=options.unlimited,
        )
    else:
        yield read_table(path, recognised, options)


def adapted(table: Table, options: Options) -> Table:
    """A table of a site, known by its header, in podium's columns; others as they are.

    Whoever says which columns to take as players, times or results knows better.
    """
    if set(options.columns or {}) <= set(OPTIONAL) and not options.wide:
        for site in (football_data, lichess):
            if site.recognises(table.frame):
                known: Table = site.adapted(table, options)
                return known
    return table


def _write_table(contests: "Contests", path: Path, recognised: Recognised) -> None:
    format, compression = recognised
    with replacing(path) as temporary:
        if format in delimited.SEPARATORS:
            delimited.write(contests, temporary, compression, delimited.SEPARATORS[format])
        elif format == "jsonl":
            json_lines.write(contests, temporary, compression)
        else:
            parquet.write(contests, temporary)


def _write_contest_files(contests: "Contests", path: Path, *, is_folder: bool) -> None:
    contest_files.check_writable(contests)
    if is_folder:
        _refuse_strangers(contests, path)
        with replacing(path, folder=True) as temporary:
            contest_files.write_folder(contests, temporary)
    elif path.suffix.lower() == ".zip":
        with replacing(path) as temporary:
            contest_files.write_zip(contests, temporary)
    else:
        raise InputError(
            "contest files are written to a folder (a path without an extension or with a slash "
            "behind) or to a .zip, because each holds one contest."
        )


def _refuse_strangers(contests: "Contests", folder: Path) -> None:
    """Raise if the folder holds contests that would be read together with those written."""
    if not folder.is_dir():
        return
    own = {folder / contest_files.file_name(contest.id) for contest in contests}
    strangers = sorted(set(documents.json_files(folder)) - own)
    if strangers:
        raise ConflictError(
            f"{strangers[0]}: is there already, but not one of the contests to write; "
            f"remove it or choose another folder."
        )


@contextmanager
def naming(path: Path, done: str) -> Iterator[None]:
    """Say which path it was if something there cannot be read, used or written."""
    try:
        yield
    except PodiumError as error:
        message = str(error)
        if message.startswith(tuple(f"{path}{sign}" for sign in (":", ",", "/", os.sep))):
            raise
        raise type(error)(f"{path}: {message}") from None
    except OSError as error:
        raise StorageError(f"{path}: cannot be read ({reason(error)}).") from None
    except MemoryError:
        raise StorageError(f"{path}: needs more memory than there is.") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise StorageError(f"{path}: cannot be {done} ({first_line(error)}).") from None
