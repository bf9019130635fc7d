"""What would be read, before anything is done: every file by itself, all together, and a league."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from podium import forks
from podium.documents import as_document
from podium.errors import PodiumError
from podium.results import findings, reading
from podium.results.contests import Contests
from podium.results.isolation import Isolated
from podium.results.near import NEAR, near
from podium.results.options import Options, Said
from podium.results.reading import ROWS
from podium.results.sources import Paths, Source, found, kept
from podium.results.times import from_microseconds
from podium.results.understanding import Understanding, stems

if TYPE_CHECKING:
    from podium.league import View

_LINE = 200
_BEGINNING = 2**16


@dataclass(frozen=True, kw_only=True)
class CheckedFile:
    """How one file was understood, and what is worth a second look in it."""

    path: Path
    understanding: Understanding
    contests: Contests | None = None
    """What was read; None if the file is refused."""
    error: PodiumError | None = None
    """Why it is refused."""
    first: pl.DataFrame = field(default_factory=pl.DataFrame)
    """The first rows as they were understood; of a file that is refused, as they stand there."""
    repeated_rows: int = 0
    """Rows that stand there again, word for word."""
    from_name: dict[str, Any] = field(default_factory=dict)
    """What `from_name` would take: contest and time, as far as the name of the file has them."""
    odd_dates: pl.DataFrame = field(default_factory=pl.DataFrame)
    """Contests whose dates stand out: contest, time and why."""
    small_contests: pl.DataFrame = field(default_factory=pl.DataFrame)
    """Contests of few players: contest, time and players."""
    same_results: pl.DataFrame = field(default_factory=pl.DataFrame)
    """Contests with the same results as an earlier one: contest, time and like."""

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        contests = self.contests
        span = [] if contests is None else _span(contests)
        return as_document(
            {
                "path": str(self.path),
                "error": None if self.error is None else str(self.error),
                **self.understanding.document(),
                "contests": None if contests is None else len(contests),
                "results": None if contests is None else contests.rows,
                "players": None if contests is None else len(contests.players),
                "from": span[0] if span else None,
                "to": span[1] if span else None,
                "first": self.first.to_dicts(),
                "from_name": self.from_name,
                "repeated_rows": self.repeated_rows,
                "odd_dates": self.odd_dates.to_dicts(),
                "small_contests": self.small_contests.to_dicts(),
                "same_results": self.same_results.to_dicts(),
            }
        )


@dataclass(frozen=True, kw_only=True)
class CheckedLeague:
    """What a league knows of the results."""

    newcomers: list[str]
    near: pl.DataFrame
    """Newcomers, `name`, who are almost called as somebody known, `like`."""
    same: list[str]
    """Contests that it has already, with the same results."""
    other: list[str]
    """Contests that it has already, with other results."""
    error: str | None = None
    """Why the results could not be recorded there."""

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        return {
            "newcomers": self.newcomers,
            "near": self.near.to_dicts(),
            "same": self.same,
            "other": self.other,
            "error": self.error,
        }


@dataclass(frozen=True, kw_only=True)
class Check:
    """What would be read."""

    files: list[CheckedFile]
    near: pl.DataFrame
    """Names that are almost the same, `name` and `like`, in all files together."""
    in_two_files: pl.DataFrame
    """Contests that stand in two files: contest, file and also_in."""
    together: PodiumError | None = None
    """Why the files cannot be read together, although each of them can."""
    contests: Contests | None = None
    """All of them as one, if nothing is refused."""
    league: CheckedLeague | None = None

    @property
    def error(self) -> PodiumError | None:
        """Why the first file that is refused is, or all together are."""
        return next((each.error for each in self.files if each.error is not None), self.together)

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        return {
            "readable": self.error is None,
            "files": [each.document() for each in self.files],
            "near": self.near.to_dicts(),
            "in_two_files": self.in_two_files.to_dicts(),
            "together": None if self.together is None else str(self.together),
            **({} if self.league is None else {"league": self.league.document()}),
        }

    def __repr__(self) -> str:
        refused = sum(each.error is not None for each in self.files)
        return f"<Check: {len(self.files):,} read, {refused:,} refused>"


def check(
    paths: Paths,
    *,
    league: "str | os.PathLike[str] | View | None" = None,
    isolated: Isolated = False,
    **options: Unpack[Said],
) -> Check:
    r"""What `podium.read` would make of files: what was understood, assumed, and looks odd.

    A file that cannot be read is no error here: the check says why, with what was understood.

    Args:
        paths: A file, a folder, a pattern, or a list of these.
        league: A league, or where it is, whose players and contests are compared.
        isolated: As for `podium.read`.
        **options: As for `podium.read`.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "results.csv")
        >>> size = path.write_text(
        ...     "contest,time,player,rank\n"
        ...     "spring,2026-03-01,Zoë Adams,1\n"
        ...     "summer,2026-06-01,zoe adams,1\n"
        ... )
        >>> found = check(path)
        >>> found.error is None, found.near.rows()
        (True, [('Zoë Adams', 'zoe adams')])
    """
    return checked(paths, Options.of(options), league=league, isolated=isolated)


def checked(
    paths: Paths,
    options: Options,
    *,
    league: "str | os.PathLike[str] | View | None" = None,
    isolated: Isolated = False,
    chosen: Callable[[Contests, Path], Contests] | None = None,
) -> Check:
    """As `check`; `chosen` makes of the contests of a file those that are meant."""
    forks.refuse_lost_threads()
    meant = found(paths, options.format)
    with kept(meant, options.format, unlimited=options.unlimited) as sources:
        attempts = [reading.attempted(source, options, isolated=isolated) for source in sources]
        files = [
            _checked(source, attempt, options, chosen)
            for source, attempt in zip(sources, attempts, strict=True)
        ]
        together = reading.read_together(sources, attempts, options)
    read = [each.contests for each in files if each.contests is not None]
    names = _names(read)
    return Check(
        files=files,
        near=near(names),
        in_two_files=_in_two_files(files),
        together=together if isinstance(together, PodiumError) else None,
        contests=_all_of(files, together, chosen),
        league=None if league is None else in_league(league, read),
    )


def _all_of(
    files: Sequence[CheckedFile],
    together: Contests | PodiumError | None,
    chosen: Callable[[Contests, Path], Contests] | None,
) -> Contests | None:
    """What would be recorded, if nothing is refused."""
    if not isinstance(together, Contests) or any(each.error is not None for each in files):
        return None
    if len(files) == 1:
        return files[0].contests
    return together if chosen is None else chosen(together, files[0].path)


def _checked(
    source: Source,
    attempt: reading.Attempt,
    options: Options,
    chosen: Callable[[Contests, Path], Contests] | None,
) -> CheckedFile:
    contests, error = attempt.contests, attempt.error
    if contests is not None and chosen is not None:
        try:
            contests = chosen(contests, source.path)
        except PodiumError as refused:
            contests, error = None, source.renamed(refused)
    about: dict[str, Any] = {
        "path": source.shown,
        "understanding": attempt.report,
        "error": error,
    }
    if attempt.raw is not None:
        about["repeated_rows"] = attempt.raw.repeated_rows
        about["from_name"] = _from_name(attempt, options)
    if contests is None:
        first = _lines(source.path) if attempt.raw is None else attempt.raw.first
        return CheckedFile(**about, first=first)
    return CheckedFile(
        **about,
        contests=contests,
        first=contests[: min(ROWS, len(contests))].frame(given=True).head(ROWS),
        odd_dates=findings.odd_dates(contests),
        small_contests=findings.small_contests(contests),
        same_results=findings.same_results(contests),
    )


def _from_name(attempt: reading.Attempt, options: Options) -> dict[str, Any]:
    """What the name of a file says of what the table does not, if it has a date."""
    known = {each.ours for each in attempt.report.columns if each.theirs}
    missing = {"contest", "time"} - known if "player" in known else {"time"} - known
    if attempt.raw is None or not attempt.raw.stem or "time" not in missing or options.from_name:
        return {}
    try:
        name, date = stems.dated([attempt.raw.stem], options.dates)[0]
    except PodiumError:
        return {}
    offered = {"contest": name} if "contest" in missing else {}
    return {} if date is None else {**offered, "time": date.isoformat()}


def _lines(path: Path) -> pl.DataFrame:
    """The first lines of a text."""
    try:
        with path.open("rb") as file:
            data = file.read(_BEGINNING)
    except OSError:
        return pl.DataFrame()
    if b"\0" in data:
        return pl.DataFrame()
    lines = data.decode("utf-8", errors="replace").splitlines()[:ROWS]
    return pl.DataFrame({"line": pl.Series([line[:_LINE] for line in lines], dtype=pl.String)})


def _span(contests: Contests) -> list[Any]:
    times = contests.columns.time
    return (
        [from_microseconds(int(each)) for each in (times.min(), times.max())] if len(times) else []
    )


def _names(read: Sequence[Contests]) -> pl.Series:
    """All players, each once."""
    names = [each.players for each in read]
    return pl.concat(names).unique() if names else pl.Series([], dtype=pl.String)


def _in_two_files(files: Sequence[CheckedFile]) -> pl.DataFrame:
    schema = dict.fromkeys(("contest", "file", "also_in"), pl.String)
    read = [(str(each.path), each.contests) for each in files if each.contests is not None]
    if len(read) < 2:
        return pl.DataFrame(schema=schema)
    held = [
        contests.ids.alias("contest")
        .to_frame()
        .with_columns(
            file=pl.lit(file), ladder=pl.lit("") if contests.ladder is None else contests.ladder
        )
        for file, contests in read
    ]
    every = pl.concat(held).with_columns(first=pl.col("file").first().over("contest", "ladder"))
    twice = every.filter(pl.col("file") != pl.col("first"))
    return twice.select("contest", file="first", also_in="file")


def in_league(league: "str | os.PathLike[str] | View", read: Sequence[Contests]) -> CheckedLeague:
    """What a league knows of results."""
    newcomers, same, other = dict[str, None](), list[str](), list[str]()
    error = None
    alike = pl.DataFrame(schema=NEAR)
    with _view(league) as view:
        for contests in read:
            try:
                known = view.beforehand(contests)
            except PodiumError as refused:
                error = error or str(refused)
                continue
            newcomers |= dict.fromkeys(known.newcomers)
            same += known.same
            other += known.other
        if newcomers:
            alike = view.near_names(list(newcomers))
    return CheckedLeague(newcomers=list(newcomers), near=alike, same=same, other=other, error=error)


def _view(league: "str | os.PathLike[str] | View") -> "AbstractContextManager[View]":
    from podium.league import snapshot

    return snapshot(league) if isinstance(league, str | os.PathLike) else nullcontext(league)
