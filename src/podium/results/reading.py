"""Contests from files and folders of any format."""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Unpack

import polars as pl

from podium import forks
from podium.errors import InputError, PodiumError
from podium.results import formats, isolation, sources, tables
from podium.results.contests import Contests
from podium.results.formats import delimited, recognition
from podium.results.formats.text import names_by_line
from podium.results.joining import Part, joined
from podium.results.options import Dates, Decimal, Options, Said, Unfinished
from podium.results.sources import Paths, Source
from podium.results.times import Time
from podium.results.understanding import Table, Understanding, understood, understood_rows


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
    path: Paths, options: Options, *, isolated: bool | int = False
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
    source: Source, options: Options, isolated: bool | int
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


class Attempt(NamedTuple):
    """What came of reading a file, as far as it went."""

    report: Understanding
    raw: Table | None = None
    """The table as it stands in the file, if it could be read."""
    table: Table | None = None
    """The same in podium's words."""
    contests: Contests | None = None
    error: PodiumError | None = None


def attempted(source: Source, options: Options, *, isolated: bool | int = False) -> Attempt:
    """Read a file, or say why it is refused and what was understood until then."""
    path, attempt = source.path, Attempt(Understanding(format="unknown"))
    if source.refused is not None:
        return attempt._replace(error=source.refused)
    try:
        if isolated:
            contests, report = _isolated("read_understood", path, isolated, options)
            return Attempt(report, table=_read_again(contests, path), contests=contests)
        with formats.naming(path, "used"):
            given = _given(path, options)
            attempt = attempt._replace(raw=given)
            table = sources.partitioned(given, source)
            table, _ = understood(table, options, report=attempt.report)
            contests = Contests.from_understood(table, options)
            return attempt._replace(table=table, contests=contests)
    except PodiumError as error:
        if attempt.raw is None and not isolated:
            attempt.report.format = formats.described(path, options)
        return attempt._replace(error=source.renamed(error))


def refused_together(
    read: Sequence[Source], attempts: Sequence[Attempt], options: Options
) -> PodiumError | None:
    """Why files cannot be read together, if each of them can."""
    if len(attempts) < 2 or any(each.error is not None for each in attempts):
        return None
    parts = [
        Part(source.path, attempt.table)
        for source, attempt in zip(read, attempts, strict=True)
        if attempt.table is not None
    ]
    try:
        joined(parts, options)
    except PodiumError as error:
        for source in read:
            error = source.renamed(error)
        return error
    return None


def read_standings(
    path: str | os.PathLike[str], *, isolated: bool | int = False, **options: Unpack[Said]
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
    path: str | os.PathLike[str], options: Options, *, isolated: bool | int = False
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
    source: Path, options: Options, isolated: bool | int
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
    path: str | os.PathLike[str], options: Options
) -> tuple[pl.DataFrame, Understanding]:
    """Late results of a contest from a file, for `podium.League.add`, and how they were read."""
    forks.refuse_lost_threads()
    with _kept(path, options) as found:
        if len(found) > 1:
            raise InputError(f"{path}: stands for {len(found):,} files, but one is needed.")
        if found[0].refused is not None:
            raise found[0].refused
        with formats.naming(found[0].path, "used"):
            table, report = understood_rows(_given(found[0].path, options), options)
    return table.frame, report


def _isolated(
    function: str, path: Path, isolated: bool | int, options: Options
) -> tuple[Contests, Understanding]:
    with formats.naming(path, "used"):
        frame, report = isolation.asked(function, path, isolated, options)
        table = Table(frame, tables.plain_row)
        plain = Options(sort=False, unlimited=True, future=True)
        return Contests.from_understood(table, plain), report
