"""Contests from files and folders of any format."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from podium import forks
from podium.errors import InputError, NotFoundError, StorageError
from podium.files import as_path, reason, refuse_special
from podium.results import formats, isolation, tables
from podium.results.contests import Contests
from podium.results.formats import recognition
from podium.results.formats.recognition import TABLES
from podium.results.formats.text import names_by_line
from podium.results.times import Time, from_microseconds, to_microseconds
from podium.wording import listed


def read(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    sort: bool = True,
    lowest_score_wins: bool = False,
    rerank: bool = False,
    unlimited: bool = False,
    future: bool = False,
    isolated: bool | int = False,
) -> Contests:
    r"""Contests from a file or folder, whose format its name and contents tell.

    Args:
        path: A table (``.csv``, ``.tsv``, ``.jsonl``, ``.parquet``) of results or matches, or
            contest files (a folder, ``.zip`` or ``.json``).
        columns: What the columns of a table are called, e.g. ``{"player": "handle"}``.
        format: The format, if the name does not tell: one of `podium.results.formats.FORMATS`.
        sort: Order contests by time, then by identifier. With False, they stay as they stand in
            the file (files of a folder by name), and times that go back are an error.
        lowest_score_wins: The best score is the lowest, as in golf or a race.
        rerank: Use only the order of the ranks, for standings from which players were removed.
        unlimited: Lift the limits that keep a hostile file from filling the memory: how far a
            compressed file unpacks, how long a name is, how deep JSON goes.
        future: Take times of more than two years from now, which otherwise are an error.
        isolated: Read in a child process with a limit on its memory (4 GiB, or as many bytes as
            are given here), so that no file can do more than be refused. Files of strangers are
            read so: a damaged Parquet file can end the process that reads it.

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
    forks.refuse_lost_threads()
    if hasattr(path, "__arrow_c_stream__"):
        raise InputError("read takes a path; podium.Contests.from_frame takes a frame.")
    source = _existing(path)
    if isolated:
        return _isolated(
            "read",
            source,
            isolated,
            columns=columns,
            format=format,
            sort=sort,
            lowest_score_wins=lowest_score_wins,
            rerank=rerank,
            unlimited=unlimited,
            future=future,
        )
    with formats.naming(source, "used"):
        table = formats.read_table(
            source,
            recognition.of_source(path, format),
            columns,
            rerank=rerank,
            unlimited=unlimited,
        )
        return Contests.from_frame(
            tables.as_polars(table.frame, columns),
            sort=sort,
            lowest_score_wins=lowest_score_wins,
            rerank=rerank,
            unlimited=unlimited,
            future=future,
            locate=table.locate,
        )


def read_standings(
    path: str | os.PathLike[str],
    *,
    time: Time | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    lowest_score_wins: bool = False,
    rerank: bool = False,
    unlimited: bool = False,
    isolated: bool | int = False,
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
        unlimited: Lift the limits.
        isolated: Read in a child process.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "now.csv")
        >>> size = path.write_text("player,score\nann,250\nbob,400\n")
        >>> read_standings(path, time="2026-05-01")[0].standings
        [(1, 'bob'), (2, 'ann')]
    """
    forks.refuse_lost_threads()
    source = _existing(path)
    if isolated:
        return _isolated(
            "read_standings",
            source,
            isolated,
            time=None if time is None else str(from_microseconds(to_microseconds(time))),
            columns=columns,
            format=format,
            lowest_score_wins=lowest_score_wins,
            rerank=rerank,
            unlimited=unlimited,
        )
    with formats.naming(source, "used"):
        if format is None and source.suffix.lower() == ".txt" and source.is_file():
            recognised, table = None, names_by_line(source, unlimited=unlimited)
        else:
            recognised = recognition.of_source(path, format)
            table = formats.read_table(
                source, recognised, columns, rerank=rerank, unlimited=unlimited
            )
        frame = tables.as_polars(table.frame, columns)
        if recognised is None or recognised.format in TABLES:  # documents say all that is needed
            frame = _completed(frame, time)
        contests = Contests.from_frame(
            frame,
            lowest_score_wins=lowest_score_wins,
            rerank=rerank,
            unlimited=unlimited,
            future=True,  # as of any question, since nothing is recorded
            locate=table.locate,
        )
    if len(contests) != 1:
        raise InputError(f"{source}: holds {len(contests):,} contests, but standings are of one.")
    return contests


def _isolated(function: str, path: Path, isolated: bool | int, **options: Any) -> Contests:
    if options["columns"] is not None:
        options["columns"] = dict(options["columns"])
    with formats.naming(path, "used"):
        frame = isolation.asked(function, path, isolated, **options)
        return Contests.from_frame(frame, sort=False, unlimited=True, future=True)


def _existing(path: object) -> Path:
    source = as_path(path)
    try:
        is_there = source.exists()
    except OSError as error:  # a name that is too long, a folder that may not be entered
        raise StorageError(f"{source}: cannot be read ({reason(error)}).") from None
    if not is_there:
        raise NotFoundError(f"{source}: there is no such file or folder.")
    refuse_special(source)
    return source


def _completed(table: pl.DataFrame, time: Time | None) -> pl.DataFrame:
    """Standings with an identifier, a time and ranks, where they have none."""
    known = set(table.columns)
    if not known & {"player", "player_a"}:
        raise InputError(
            f"there is no column 'player'; the columns are {listed(table.columns)}, and names "
            f"without a header belong into a .txt file."
        )
    if "time" not in known:
        if time is None:
            raise InputError("there is no column 'time'; say when the contest takes place.")
        moment = from_microseconds(to_microseconds(time))
        table = table.with_columns(time=pl.lit(moment, pl.Datetime("us")))
    if "player" in known and "contest" not in known:
        table = table.with_columns(contest=pl.lit("standings"))
    if "player" in known and known.isdisjoint(tables.LONG_RESULT):
        table = table.with_columns(rank=pl.int_range(1, pl.len() + 1))
    return table.select(name for name in table.columns if name in tables.NAMES)
