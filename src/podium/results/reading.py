"""Contests from files and folders of any format."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Self, Unpack

import polars as pl

from podium import forks
from podium.errors import InputError, PodiumError
from podium.results import formats, isolation, sources, tables
from podium.results.contests import Contests
from podium.results.formats import delimited, recognition
from podium.results.formats.text import names_by_line
from podium.results.isolation import Isolated
from podium.results.joining import Part, joined
from podium.results.options import Dates, Decimal, Options, Said, Unfinished
from podium.results.sources import Paths, Source
from podium.results.times import Time
from podium.results.understanding import Table, Understanding, understood, understood_rows

ROWS = 5
"""First rows of a table that are shown."""


def read(
    path: Paths,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    sort: bool = True,
    lowest_score_wins: bool = False,
    rerank: bool = False,
    contest: str | None = None,
    time: Time | None = None,
    from_name: bool = False,
    wide: bool = False,
    unfinished: Unfinished = "error",
    dates: Dates | None = None,
    zone: str | None = None,
    decimal: Decimal | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    unlimited: bool = False,
    future: bool = False,
    isolated: bool | int = False,
) -> Contests:
    r"""Contests from a file or folder, whose format its name and contents tell, or from many.

    Args:
        path: A table (``.csv``, ``.tsv``, ``.jsonl``, ``.parquet``) of results or matches, or
            contest files (a folder, ``.zip`` or ``.json``); a folder of tables, a pattern such as
            ``2025-*.csv``, or a list of all these. Folders such as ``season=2025`` add a column
            to the files in them. What does not fit into memory is for `podium.scan`.
        columns: What the columns of a table are called, e.g. ``{"player": "handle"}``.
        format: The format, if the name does not tell: one of `podium.results.formats.FORMATS`.
        sort: Order contests by time, and those of one time by identifier, numbers in it by value.
            With False, they stay as they stand in the file (files of a folder by name), and times
            that go back are an error.
        lowest_score_wins: The best score is the lowest, as in golf or a race.
        rerank: Use only the order of the ranks, for standings from which players were removed.
            Otherwise ranks must be complete: after two players comes rank 3.
        contest: What the contest is called, if the table is one and does not say.
        time: When it took place, if the table does not say.
        from_name: Take what is missing of the two from the name of the file or sheet.
        wide: The table has a row for each player and a column for each contest.
        unfinished: What to do with those without a rank (DNF, DSQ, an empty place): "last" puts
            those who started behind all others, tied; "drop" leaves them out.
        dates: How dates are to be read if it can be doubted: "dmy", "mdy" or "ymd", or numbers as
            days of "excel" or seconds of "unix".
        zone: The time zone of times that name none, e.g. ``Europe/Berlin``; otherwise UTC.
        decimal: Whether numbers have a decimal "point" or "comma", if it can be doubted.
        delimiter: What stands between the values of a text, if it is not recognised.
        encoding: How a text is encoded, if it is not recognised.
        sheet: Which sheet of a workbook, or ``*`` for all.
        unlimited: Lift the limits that keep a hostile file from filling the memory: how far a
            compressed file unpacks, how long a name is, how deep JSON goes.
        future: Take times of more than two years from now, which otherwise are an error: one wrong
            clock would block a ladder, where time never goes back.
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
    said = {name: value for name, value in locals().items() if name not in ("path", "isolated")}
    return read_understood(path, Options.of(said), isolated=isolated)[0]


def read_understood(
    path: Paths, options: Options, *, isolated: Isolated = False
) -> tuple[Contests, Understanding]:
    """Contests from files and folders, and how they were understood."""
    forks.refuse_lost_threads()
    if hasattr(path, "__arrow_c_stream__"):
        raise InputError("read takes a path; podium.Contests.from_frame takes a frame.")
    with _kept(path, options) as found:
        if len(found) == 1 and isolated and found[0].refused is None:
            return _isolated("read_understood", found[0].path, isolated, options)
        read = [_understood(source, options, isolated) for source in found]
        parts = [Part(source.path, table) for source, (table, _) in zip(found, read, strict=True)]
        return joined(parts, options), Understanding.of_many([report for _, report in read])


def _kept(path: Paths, options: Options) -> AbstractContextManager[list[Source]]:
    """What is meant, as files while they are read."""
    found = sources.found(path, options.format)
    return sources.kept(found, options.format, unlimited=options.unlimited)


def _understood(
    source: Source, options: Options, isolated: Isolated
) -> tuple[Table, Understanding]:
    """One source in podium's words."""
    path = source.path
    if source.refused is not None:
        raise source.refused
    if isolated:
        contests, report = _isolated("read_understood", path, isolated, options)
        return _read_again(contests, path), report
    with formats.naming(path, "used"):
        return understood(sources.partitioned(_given(path, options), source), options)


def _read_again(contests: Contests, path: Path) -> Table:
    """What another process has read, as a table."""
    return Table(contests.frame(given=True), lambda row: f"{path}, row {row + 1}")


def _given(path: Path, options: Options) -> Table:
    """What a source holds; what came in through standard input has no name."""
    given = formats.read_table(path, recognition.of_source(path, options.format), options)
    return given._replace(stem="") if sources.is_kept(path) else given


class Beginning(NamedTuple):
    """What a look at a table tells before anything is made of it."""

    first: pl.DataFrame
    """Its first rows, with numbers for dates beyond all calendars, which Python cannot say."""
    repeated_rows: int
    """Rows that stand there again, word for word."""
    stem: str
    """The name of the file or sheet, which may name the contest."""

    @classmethod
    def of(cls, table: Table) -> Self:
        """Look at a table."""
        frame = table.frame
        repeated = frame.height - frame.n_unique() if frame.width else 0
        return cls(_sayable(frame.head(ROWS)), repeated, table.stem)


def _sayable(rows: pl.DataFrame) -> pl.DataFrame:
    columns = []
    for column in rows:
        try:
            column.to_list()
        except (ValueError, OverflowError):
            column = column.to_physical()
        columns.append(column)
    return pl.DataFrame(columns)


class Attempt(NamedTuple):
    """What came of reading a file, as far as it went."""

    report: Understanding
    raw: Beginning | None = None
    """What the file holds as it stands there, if it could be read."""
    table: Table | None = None
    """The same in podium's words."""
    contests: Contests | None = None
    error: PodiumError | None = None


def attempted(source: Source, options: Options, *, isolated: Isolated = False) -> Attempt:
    """Read a file, or say why it is refused and what was understood until then."""
    path, attempt = source.path, Attempt(Understanding(format="unknown"))
    if source.refused is not None:
        return attempt._replace(error=source.refused)
    if isolated:
        return _attempted_apart(source, options, isolated)
    try:
        with formats.naming(path, "used"):
            given = _given(path, options)
            attempt = attempt._replace(raw=Beginning.of(given))
            table = sources.partitioned(given, source)
            table, _ = understood(table, options, report=attempt.report)
            contests = Contests.from_understood(table, options)
            return attempt._replace(table=table, contests=contests)
    except PodiumError as error:
        if attempt.raw is None:
            attempt.report.format = formats.described(path, options)
        return attempt._replace(error=source.renamed(error))


def _attempted_apart(source: Source, options: Options, isolated: Isolated) -> Attempt:
    """As `attempted`, in a child process; what ends that is why the file is refused."""
    path = source.path
    try:
        with formats.naming(path, "used"):
            found = isolation.attempted(path, isolated, options)
            raw = None if found.first is None else Beginning(found.first, *found.beginning)
            error = None if found.error is None else source.renamed(found.error)
            attempt = Attempt(found.report, raw, error=error)
            if found.table is None:
                return attempt
            contests = _checked_again(found.table)
            return attempt._replace(table=_read_again(contests, path), contests=contests)
    except PodiumError as error:
        return Attempt(Understanding(format="unknown"), error=source.renamed(error))


def read_together(
    read: Sequence[Source], attempts: Sequence[Attempt], options: Options
) -> Contests | PodiumError | None:
    """All files as one, or why they cannot be read so although each can; None if one cannot."""
    if not attempts or any(each.error is not None for each in attempts):
        return None
    if len(attempts) == 1:
        return attempts[0].contests
    parts = [
        Part(source.path, attempt.table)
        for source, attempt in zip(read, attempts, strict=True)
        if attempt.table is not None
    ]
    try:
        return joined(parts, options)
    except PodiumError as error:
        for source in read:
            error = source.renamed(error)
        return error


def read_standings(
    path: str | os.PathLike[str], *, isolated: Isolated = False, **options: Unpack[Said]
) -> Contests:
    r"""One contest from a file, as it stands while it runs: `read` for less than whole results.

    In a table, `contest` and `time` may be missing, and if neither `rank` nor `score` is there,
    rows stand best first. A ``.txt`` file has one name a line, best first.

    Args:
        path: A table, a ``.txt`` file, or anything else that `read` reads.
        isolated: Read in a child process.
        **options: As for `read`; `time` is when it takes place, if the file does not say.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "now.csv")
        >>> size = path.write_text("player,score\nann,250\nbob,400\n")
        >>> read_standings(path, time="2026-05-01")[0].standings
        [(1, 'bob'), (2, 'ann')]
    """
    said = Options.of({**options, "future": True})  # nothing is recorded
    return standings_understood(path, said, isolated=isolated)[0]


def standings_understood(
    path: str | os.PathLike[str], options: Options, *, isolated: Isolated = False
) -> tuple[Contests, Understanding]:
    """One contest from a file, as it stands while it runs, and how it was understood."""
    forks.refuse_lost_threads()
    with _kept(path, options) as found:
        if len(found) > 1:
            raise InputError(f"{path}: stands for {len(found):,} files, but standings are in one.")
        if found[0].refused is not None:
            raise found[0].refused
        return _standings(found[0].path, options, isolated)


def _standings(
    source: Path, options: Options, isolated: Isolated
) -> tuple[Contests, Understanding]:
    if isolated:
        return _isolated("standings_understood", source, isolated, options)
    with formats.naming(source, "used"):
        recognised = recognition.of_source(source, options.format)
        if (
            options.format is None
            and recognised == ("csv", "uncompressed")
            and source.suffix.lower() == ".txt"
            and not delimited.has_header(source, options)
        ):
            given = names_by_line(source, options)
        else:
            given = formats.read_table(source, recognised, options)
        table, report = understood(given, options, standings=True)
        contests = Contests.from_understood(table, options)
    if len(contests) != 1:
        raise InputError(f"{source}: holds {len(contests):,} contests, but standings are of one.")
    return contests, report


def rows_understood(
    path: str | os.PathLike[str], options: Options, *, isolated: Isolated = False
) -> tuple[pl.DataFrame, Understanding]:
    """Late results of a contest from a file, for `podium.League.add`, and how they were read."""
    forks.refuse_lost_threads()
    if isolated:
        return rows_apart("reading.rows_understood", path, isolated, options)
    with one_table(path, options) as (given, file), formats.naming(file, "used"):
        table, report = understood_rows(given, options)
    return table.frame, report


@contextmanager
def one_table(path: str | os.PathLike[str], options: Options) -> Iterator[tuple[Table, Path]]:
    """What one file holds as it stands, and where it is meanwhile."""
    with _one_file(path, options) as file:
        with formats.naming(file, "used"):
            given = _given(file, options)
        yield given, file


@contextmanager
def _one_file(path: str | os.PathLike[str], options: Options) -> Iterator[Path]:
    """Where the only table that is meant is, while it is read."""
    with _kept(path, options) as found:
        if len(found) > 1:
            raise InputError(f"{path}: stands for {len(found):,} files, but one is needed.")
        if found[0].refused is not None:
            raise found[0].refused
        yield found[0].path


def rows_apart(
    function: str, path: str | os.PathLike[str], isolated: Isolated, options: Options
) -> tuple[pl.DataFrame, Understanding]:
    """What a function makes of a table that holds no whole contests, in a child process."""
    with _one_file(path, options) as file, formats.naming(file, "used"):
        return isolation.asked(function, file, isolated, options)


def plain_rows(
    path: str | os.PathLike[str], options: Options, *, isolated: Isolated = False
) -> pl.DataFrame:
    """All columns of the table in a file as they stand there, for tables that hold no results."""
    forks.refuse_lost_threads()
    if isolated:
        return rows_apart("reading.plain_understood", path, isolated, options)[0]
    return plain_understood(path, options)[0]


def plain_understood(
    path: str | os.PathLike[str], options: Options
) -> tuple[pl.DataFrame, Understanding]:
    """The same, and what kind of file it is."""
    with one_table(path, replace(options, wide=True)) as (table, _):
        report = Understanding(format=table.format, assumptions=list(table.assumptions))
        return table.frame, report


def _isolated(
    function: str, path: Path, isolated: Isolated, options: Options
) -> tuple[Contests, Understanding]:
    with formats.naming(path, "used"):
        frame, report = isolation.asked(f"reading.{function}", path, isolated, options)
        return _checked_again(frame), report


def _checked_again(frame: pl.DataFrame) -> Contests:
    """What a child process has read, as contests."""
    plain = Options(sort=False, unlimited=True, future=True)
    return Contests.from_understood(Table(frame, tables.plain_row), plain)
