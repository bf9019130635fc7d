"""Readers and writers of results: what is written here reads back equal.

| format          | files                                   | reads | writes |
| --------------- | --------------------------------------- | ----- | ------ |
| `csv`, `tsv`    | `.csv`, `.tsv`, with `.gz` or `.zst`    | yes   | yes    |
| `jsonl`         | `.jsonl`, `.ndjson`, with `.gz`, `.zst` | yes   | yes    |
| `parquet`       | `.parquet`                              | yes   | yes    |
| `contest-files` | a folder, `.zip` or one `.json` file    | yes   | yes    |
| `codeforces`    | a folder, `.zip` or one `.json` file    | yes   | no     |
| `ctftime`       | a folder, `.zip` or one `.json` file    | yes   | no     |

Tables are long results or match lists, which their columns tell; they are written as long results.
Contests of one time are read in the order of their identifiers; with ``sort=False``, tables are
read in the order in which they were written.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from podium import tables
from podium.contests import Contests
from podium.errors import PodiumError
from podium.files import as_path, reason, replacing
from podium.formats import contest_files, delimited, documents, json_lines, parquet, recognition
from podium.formats.recognition import FORMATS as FORMATS
from podium.formats.recognition import LAYOUTS, TABLES, Recognised
from podium.formats.selection import Table
from podium.formats.text import first_line, names_by_line
from podium.times import Time, from_microseconds, to_microseconds
from podium.wording import listed


def read(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    sort: bool = True,
    lowest_score_wins: bool = False,
    rerank: bool = False,
) -> Contests:
    r"""Contests from a file or folder, whose format its name and contents tell.

    Args:
        path: A table (``.csv``, ``.tsv``, ``.jsonl``, ``.parquet``) of results or matches, or
            contest files (a folder, ``.zip`` or ``.json``).
        columns: What the columns of a table are called, e.g. ``{"player": "handle"}``.
        format: The format, if the name does not tell: one of `podium.formats.FORMATS`.
        sort: Order contests by time, then by identifier. With False, they stay as they stand in
            the file (files of a folder by name), and times that go back are an error.
        lowest_score_wins: The best score is the lowest, as in golf or a race.
        rerank: Use only the order of the ranks, for standings from which players were removed.

    Raises:
        PodiumError: Says which file, line, contest or player is wrong, and what would be right.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "results.csv")
        >>> size = path.write_text(
        ...     "contest,time,handle,rank\n"
        ...     "spring,2026-03-01,ann,1\n"
        ...     "spring,2026-03-01,007,2\n"
        ... )
        >>> read(path, columns={"player": "handle"})[0].standings
        [(1, 'ann'), (2, '007')]
    """
    if hasattr(path, "__arrow_c_stream__"):
        raise PodiumError("read takes a path; podium.Contests.from_frame takes a frame.")
    source = as_path(path)
    if not source.exists():
        raise PodiumError(f"{source}: there is no such file or folder.")
    try:
        table = _table(source, recognition.of_source(path, format), columns, rerank)
        return Contests.from_frame(
            tables.as_polars(table.frame, columns),
            sort=sort,
            lowest_score_wins=lowest_score_wins,
            rerank=rerank,
            locate=table.locate,
        )
    except PodiumError as error:
        raise _naming(source, error) from None
    except OSError as error:
        raise PodiumError(f"{source}: cannot be read ({reason(error)}).") from None
    except pl.exceptions.PolarsError as error:
        raise PodiumError(f"{source}: cannot be used ({first_line(error)}).") from None


def read_standings(
    path: str | os.PathLike[str],
    *,
    time: Time | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    lowest_score_wins: bool = False,
    rerank: bool = False,
) -> Contests:
    r"""One contest from a file, as it stands while it runs: `read` for less than whole results.

    In a table, `contest` and `time` may be missing, and if neither `rank` nor `score` is there,
    rows stand best first. A ``.txt`` file has one name a line, best first.

    Args:
        path: A table, a ``.txt`` file, or anything else that `read` reads.
        time: When it takes place, if the file does not say.
        columns: As for `read`, and so are the following.
        format: The format, if the name does not tell.
        lowest_score_wins: The best score is the lowest.
        rerank: Use only the order of the ranks.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "now.csv")
        >>> size = path.write_text("player,score\nann,250\nbob,400\n")
        >>> read_standings(path, time="2026-05-01")[0].standings
        [(1, 'bob'), (2, 'ann')]
    """
    source = as_path(path)
    if not source.exists():
        raise PodiumError(f"{source}: there is no such file or folder.")
    try:
        table = _standings_table(source, columns, format)
        if table is None:
            contests = read(
                path,
                columns=columns,
                format=format,
                lowest_score_wins=lowest_score_wins,
                rerank=rerank,
            )
        else:
            frame = _completed(tables.as_polars(table.frame, columns), time)
            contests = Contests.from_frame(
                frame,
                lowest_score_wins=lowest_score_wins,
                rerank=rerank,
                locate=table.locate,
            )
    except PodiumError as error:
        raise _naming(source, error) from None
    except OSError as error:
        raise PodiumError(f"{source}: cannot be read ({reason(error)}).") from None
    except pl.exceptions.PolarsError as error:
        raise PodiumError(f"{source}: cannot be used ({first_line(error)}).") from None
    if len(contests) != 1:
        raise PodiumError(f"{source}: holds {len(contests):,} contests, but standings are of one.")
    return contests


def _standings_table(
    path: Path, columns: Mapping[str, str] | None, format: str | None
) -> Table | None:
    """What is read as a table; None for documents, which say all that is needed."""
    if format is None and path.suffix.lower() == ".txt" and path.is_file():
        return names_by_line(path)
    recognised = recognition.of_source(path, format)
    return _table(path, recognised, columns, False) if recognised.format in TABLES else None


def _completed(table: pl.DataFrame, time: Time | None) -> pl.DataFrame:
    """Standings with an identifier, a time and ranks, where they have none."""
    known = set(table.columns)
    if not known & {"player", "player_a"}:
        raise PodiumError(
            f"there is no column 'player'; the columns are {listed(table.columns)}, and names "
            f"without a header belong into a .txt file."
        )
    if "time" not in known:
        if time is None:
            raise PodiumError("there is no column 'time'; say when the contest takes place.")
        moment = from_microseconds(to_microseconds(time))
        table = table.with_columns(time=pl.lit(moment, pl.Datetime("us")))
    if "player" in known and "contest" not in known:
        table = table.with_columns(contest=pl.lit("standings"))
    if "player" in known and known.isdisjoint(tables.LONG_RESULT):
        table = table.with_columns(rank=pl.int_range(1, pl.len() + 1))
    return table.select(name for name in table.columns if name in tables.NAMES)


def write(contests: Contests, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write contests to a file or folder, which appears complete or not at all.

    Args:
        contests: At least one.
        path: Its extension tells the format; without one, or with a slash behind, it is a folder
            of contest files.
        format: The format, if the name does not tell: one of `podium.formats.FORMATS`.

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
        >>> read(path) == contests
        True
    """
    target = as_path(path)
    try:
        recognised = recognition.of_target(path, format)
        if len(contests) == 0:
            raise PodiumError("there are no contests to write.")
        if recognised.format in recognition.TABLES:
            _write_table(contests, target, recognised)
        else:
            _write_contest_files(contests, target, is_folder=recognition.is_folder_name(path))
    except PodiumError as error:
        raise _naming(target, error) from None
    except pl.exceptions.PolarsError as error:
        raise PodiumError(f"{target}: cannot be written ({first_line(error)}).") from None


def _table(
    path: Path, recognised: Recognised, columns: Mapping[str, str] | None, rerank: bool
) -> Table:
    format, compression = recognised
    if format in delimited.SEPARATORS:
        return delimited.read(path, compression, columns, delimited.SEPARATORS[format])
    if format == "jsonl":
        return json_lines.read(path, compression, columns)
    if format == "parquet":
        return parquet.read(path, columns)
    if columns:
        raise PodiumError("columns= or --columns is for tables; the keys of JSON files are fixed.")
    return documents.read(path, LAYOUTS if format == "json" else (format,), rerank=rerank)


def _write_table(contests: Contests, path: Path, recognised: Recognised) -> None:
    format, compression = recognised
    with replacing(path) as temporary:
        if format in delimited.SEPARATORS:
            delimited.write(contests, temporary, compression, delimited.SEPARATORS[format])
        elif format == "jsonl":
            json_lines.write(contests, temporary, compression)
        else:
            parquet.write(contests, temporary)


def _write_contest_files(contests: Contests, path: Path, *, is_folder: bool) -> None:
    contest_files.check_writable(contests)
    if is_folder:
        _refuse_strangers(contests, path)
        with replacing(path, folder=True) as temporary:
            contest_files.write_folder(contests, temporary)
    elif path.suffix.lower() == ".zip":
        with replacing(path) as temporary:
            contest_files.write_zip(contests, temporary)
    else:
        raise PodiumError(
            "contest files are written to a folder (a path without an extension or with a slash "
            "behind) or to a .zip, because each holds one contest."
        )


def _refuse_strangers(contests: Contests, folder: Path) -> None:
    """Raise if the folder holds contests that would be read together with those written."""
    if not folder.is_dir():
        return
    own = {folder / contest_files.file_name(contest.id) for contest in contests}
    strangers = sorted(set(documents.json_files(folder)) - own)
    if strangers:
        raise PodiumError(
            f"{strangers[0]}: is there already, but not one of the contests to write; "
            f"remove it or choose another folder."
        )


def _naming(path: Path, error: PodiumError) -> PodiumError:
    """The error with the path in front, unless it starts with it."""
    message = str(error)
    named = message.startswith(tuple(f"{path}{sign}" for sign in (":", ",", "/", os.sep)))
    return error if named else PodiumError(f"{path}: {message}")
