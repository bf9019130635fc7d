"""Results larger than memory: contests in order of time, piece by piece."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import forks
from podium.errors import InputError
from podium.results import formats, sources
from podium.results.contests import Contests
from podium.results.formats import parquet, recognition
from podium.results.joining import Part, joined, refuse_few_ladders
from podium.results.options import Options, Said
from podium.results.sources import Paths, Source
from podium.results.times import as_column, from_microseconds, series_to_microseconds
from podium.results.understanding import Table, Understanding, understood

MEMORY = 2 * 2**30
"""Bytes that a piece may take, unless something else is said."""
_PER_ROW = 256
"""Bytes that a row of a table takes at most, while contests are made of it and rated."""
_PER_CELL = 24
"""Bytes that a value of a text takes in a file, about."""
_DAY = 86_400_000_000
_SAMPLE = 1024
_DECIDED = ("time", "score", "score_a", "score_b", "weight", "margin", "share")
"""Columns of which a part cannot be read otherwise than the rest."""

Times = NDArray[np.int64]


class Scan:
    """Contests in files, as an iterable of `Contests` in order of time; `podium.scan` makes one."""

    def __init__(self, paths: Paths, options: Options, *, memory: int = MEMORY) -> None:
        self._sources = sources.found(paths, options.format)
        self._options = options
        self._piece = max(1, memory // _PER_ROW)
        self._chosen: Callable[[Contests], Contests | None] = lambda contests: contests
        self.rows = 0
        """How many participations there are; known when the first piece is."""
        self.understanding = Understanding()
        """How the files were understood; known then, too."""

    def through(self, chosen: Callable[[Contests], Contests | None]) -> "Scan":
        """The same, with what a function makes of each piece; None leaves it out."""
        other = copy(self)
        other._chosen = chosen
        return other

    def __repr__(self) -> str:
        names = ", ".join(str(source.path) for source in self._sources[:3])
        more = f" and {len(self._sources) - 3:,} more" if len(self._sources) > 3 else ""
        return f"<Scan of {names}{more}, {self._piece:,} rows at a time>"

    def __iter__(self) -> Iterator[Contests]:
        """Read everything, once more; temporary files are gone when the iterator is."""
        forks.refuse_lost_threads()
        options = self._options
        with (
            sources.kept(self._sources, options.format, unlimited=options.unlimited) as found,
            tempfile.TemporaryDirectory(prefix="podium-") as name,
        ):
            survey = _Survey(self._options, self._piece, Path(name))
            for source in found:
                survey.add(source)
            self.rows = sum(chunk.rows * chunk.players for chunk in survey.chunks)
            self.understanding = Understanding.of_many(survey.reports)
            seen = _Seen(self) if survey.has_identifiers else None
            number = 0
            for parts in survey.in_time():
                whole = joined(parts, self._options, whole_days=survey.whole_days)
                contests = self._chosen(whole)
                if contests is None:
                    continue
                if seen is not None:
                    seen.add(number, contests)
                yield contests
                number += 1


def scan(paths: Paths, *, memory: int = MEMORY, **options: Unpack[Said]) -> Scan:
    """Contests of files that need not fit into memory, piece by piece in order of time.

    `podium.rate` takes what it returns, and the ratings are those of one run in memory, to the bit.

    Args:
        paths: Files, folders, patterns, or a list of them, as for `podium.read`.
        memory: Bytes that a piece may take, 2 GiB if not given. Contests of one time are always in
            one piece. Where files are not in order of time, they are cut into ranges of time in
            a temporary folder (in TMPDIR, if that is set).
        **options: As for `podium.read`.

    Example:
        >>> import pathlib, podium, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for seed in (1, 2):
        ...     matches = podium.simulate_matches(players=9, matches=50, seed=seed)
        ...     matches.write(folder / f"{seed}.parquet")
        >>> rated = podium.rate(scan([folder / "1.parquet"], memory=10_000), "elo")
        >>> rated.ratings.equals(podium.rate(podium.read(folder / "1.parquet"), "elo").ratings)
        True
    """
    if isinstance(memory, bool) or not isinstance(memory, int) or memory < 1:
        raise InputError(f"memory is a number of bytes, not {memory!r}.")
    return Scan(paths, Options.of(options), memory=memory)


def size_of(paths: Paths, format: str | None = None) -> int:
    """About as many bytes as all rows will take, for whoever chooses between `read` and `scan`."""
    total = 0
    for source in sources.found(paths, format):
        if source.path.is_dir() or not source.path.exists():
            continue
        recognised = recognition.of_source(source.path, format)
        if recognised.format == "parquet":
            try:
                total += parquet.schema(source.path)[1] * _PER_ROW
            except (pl.exceptions.PolarsError, OSError):
                continue  # which is refused where it is read
        elif recognised.format in recognition.TEXTS:
            packed = recognised.compression != "uncompressed"
            size = source.path.stat().st_size * (5 if packed else 1)
            total += size // (4 * _PER_CELL) * _PER_ROW
    return total


class _Chunk(NamedTuple):
    """Some rows that are read together."""

    load: Callable[[], Part]
    rows: int
    times: Times
    """Moments of its rows at equal steps, from the first to the last."""
    players: int
    """In a row: two of a match, otherwise one."""

    def from_on(self, moment: int) -> float:
        """About how many rows are at that moment or later."""
        earlier = np.searchsorted(self.times, moment) / len(self.times)
        return self.rows * (1.0 - float(earlier))


class _Survey:
    """What is in which file, and when; texts lie in a folder as tables then."""

    def __init__(self, options: Options, piece: int, folder: Path) -> None:
        self._options, self._limit, self._folder = options, piece, folder
        self._step = max(1, piece // 4)
        self._heads: list[Part] = []
        self.chunks: list[_Chunk] = []
        self.whole_days = True
        """Whether the times of all matches without an identifier are dates."""
        self.has_identifiers = False
        self.reports: list[Understanding] = []

    def add(self, source: Source) -> None:
        """Look at a source."""
        if source.refused is not None:
            raise source.refused
        with formats.naming(source.path, "used"):
            recognised = recognition.of_source(source.path, self._options.format)
            if recognised.format != "parquet" or not self._add_parquet(source):
                self._add_copies(source, recognised)
        refuse_few_ladders(self._heads)

    def _add_parquet(self, source: Source) -> bool:
        """Whether a file can be read where it is: one that has a column of moments."""
        path, options = source.path, self._options
        part, report = self._rows_of(source, 0)
        theirs = next((each.theirs for each in report.columns if each.ours == "time"), "")
        types, height = parquet.schema(path)
        given = types.get(theirs)
        as_it_is = isinstance(given, pl.Date | pl.Datetime) and options.zone is None
        if not as_it_is or part.table.frame.height != min(self._step, height):
            return False
        self._take_note(part)
        self.reports.append(report)
        for start in range(0, height, self._step):
            moments = parquet.column(path, theirs, start, self._step)
            part = part if start == 0 else Part(path, part.table._replace(frame=moments.to_frame()))
            self._add_chunk(part, moments, _rows_from(self._rows_of, source, start))
        return True

    def _rows_of(self, source: Source, start: int) -> tuple[Part, Understanding]:
        path, options = source.path, self._options
        with formats.naming(path, "used"):
            raw = parquet.read(path, options, start=start, rows=self._step)
            raw = formats.adapted(raw, options)
            table, report = understood(sources.partitioned(raw, source), options)
        return Part(path, table), report

    def _add_copies(self, source: Source, recognised: recognition.Recognised) -> None:
        """Keep what a source holds as tables in the folder, and where it stood."""
        size = max(self._step * 4 * _PER_CELL, 4096)
        before: Understanding | None = None
        tables = formats.pieces(source.path, recognised, self._options, size)
        for number, raw in enumerate(tables):
            table, report = understood(sources.partitioned(raw, source), self._options)
            before = before or report
            _refuse_other_ways(before, report)
            self.reports.append(report)
            whole = Part(source.path, table)
            self._take_note(whole)
            for start in range(0, table.frame.height, self._step):
                frame = table.frame.slice(start, self._step)
                where = _where(source, recognised, self._options, size, number, start)
                copy = self._folder / f"{len(self.chunks)}.arrow"
                frame.write_ipc(copy)
                part = Part(source.path, table._replace(frame=frame))
                light = Table(frame.clear(), where, table.format, (), table.stem)
                self._add_chunk(part, frame["time"], _copy_of(copy, source.path, light))

    def _take_note(self, part: Part) -> None:
        """What concerns all pieces; raises if a table has not the columns that are needed."""
        frame = part.table.frame
        if "time" not in frame.columns or frame.height == 0:
            with formats.naming(part.home, "used"):
                Contests.from_understood(part.table, self._options)
        self._heads.append(Part(part.home, part.table._replace(frame=frame.clear())))
        self.has_identifiers |= "contest" in frame.columns

    def _add_chunk(self, part: Part, given: pl.Series, load: Callable[[], Part]) -> None:
        moments = series_to_microseconds(given)
        if moments.null_count():  # it says which row has none
            with formats.naming(part.home, "used"):
                Contests.from_understood(load().table, self._options)
        times = np.sort(moments.to_numpy())
        columns = self._heads[-1].table.frame.columns
        matches = "player_a" in columns
        if matches and "contest" not in columns:
            self.whole_days &= not (times % _DAY).any()
        steps = np.linspace(0, len(times) - 1, min(_SAMPLE, len(times))).astype(np.int64)
        self.chunks.append(_Chunk(load, len(times), times[steps], 1 + matches))

    def in_time(self) -> Iterator[list[Part]]:
        """All rows, in pieces of which none has a moment that another one has."""
        if not self._options.sort:
            self._refuse_going_back()
        self.chunks.sort(key=lambda chunk: int(chunk.times[0]))
        return self._slid() if self._fits() else self._in_ranges()

    def _refuse_going_back(self) -> None:
        for first, second in zip(self.chunks, self.chunks[1:], strict=False):
            if second.times[0] < first.times[-1]:
                home = second.load().home
                raise InputError(
                    f"{home}: time goes back from {from_microseconds(int(first.times[-1]))} to "
                    f"{from_microseconds(int(second.times[0]))}; without sort=False or "
                    f"--keep-order, they are sorted."
                )

    def _fits(self) -> bool:
        """Whether few enough rows have to wait for those of the same time in later chunks."""
        waiting: list[_Chunk] = []
        for chunk, following in zip(self.chunks, self.chunks[1:], strict=False):
            start = int(following.times[0])
            waiting = [each for each in (*waiting, chunk) if each.times[-1] >= start]
            if sum(each.from_on(start) for each in waiting) > self._limit:
                return False
        return True

    def _slid(self) -> Iterator[list[Part]]:
        """One chunk after the other; what may have to do with the next one waits for it."""
        held: list[Part] = []
        count = 0
        for number, chunk in enumerate(self.chunks):
            held.append(chunk.load())
            count += held[-1].table.frame.height
            is_last = number + 1 == len(self.chunks)
            if is_last:
                yield held
            elif count + self.chunks[number + 1].rows > self._limit:
                start = int(self.chunks[number + 1].times[0])
                ready, held = _split(held, start)
                count = sum(part.table.frame.height for part in held)
                if ready:
                    yield ready

    def _in_ranges(self) -> Iterator[list[Part]]:
        """Everything cut into ranges of time on disk."""
        bounds = self._bounds()
        homes = []
        for number, chunk in enumerate(self.chunks):
            part = chunk.load()
            homes.append(part._replace(table=part.table._replace(frame=part.table.frame.clear())))
            frame = part.table.frame.with_columns(pl.row_index("podium row"))
            code = np.searchsorted(bounds, _moments(part), side="right")
            order = np.argsort(code, kind="stable")
            ends = np.searchsorted(code[order], np.arange(len(bounds) + 2))
            for place in np.flatnonzero(np.diff(ends)).tolist():
                rows = frame[order[ends[place] : ends[place + 1]]]
                rows.write_ipc(self._folder / f"{place}-{number}.range")
        for place in range(len(bounds) + 1):
            found = [
                (home, self._folder / f"{place}-{number}.range")
                for number, home in enumerate(homes)
            ]
            parts = [_out_of(path, home) for home, path in found if path.exists()]
            if parts:
                yield parts

    def _bounds(self) -> Times:
        """Moments that cut all rows into ranges of about half of what fits into memory."""
        times = np.concatenate([chunk.times for chunk in self.chunks])
        weight = np.concatenate(
            [np.full(len(chunk.times), chunk.rows / len(chunk.times)) for chunk in self.chunks]
        )
        order = np.argsort(times, kind="stable")
        done = np.cumsum(weight[order])
        goals = np.arange(1, int(2 * done[-1] / self._limit) + 1) * self._limit / 2
        places = np.minimum(np.searchsorted(done, goals), len(times) - 1)
        bounds: Times = np.unique(times[order][places])
        return bounds


class _Seen:
    """Identifiers of all pieces, of which none may come again at another time."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._runs: list[NDArray[np.uint64]] = []

    def add(self, number: int, contests: Contests) -> None:
        """Raise if a contest of this piece was in an earlier one."""
        named = _identifiers(contests)
        codes = named.hash_rows(seed=7).to_numpy()
        new = np.sort(codes)
        for run in self._runs:
            places = np.minimum(np.searchsorted(run, new), len(run) - 1)
            again = new[run[places] == new]
            if len(again):
                self._refuse(number, named.filter(np.isin(codes, again)), contests)
        self._runs.append(new)
        if len(self._runs) > 8:
            self._runs = [np.sort(np.concatenate(self._runs))]

    def _refuse(self, number: int, again: pl.DataFrame, contests: Contests) -> None:
        """Raise if it is the same contest, and not only the same number."""
        for earlier in islice(iter(self._scan), number):
            twice = _identifiers(earlier).join(again, on=again.columns)
            if twice.height:
                name = twice["contest"][0]
                times = [
                    as_column(each.columns.time).filter(each.ids == name)[0]
                    for each in (earlier, contests)
                ]
                raise InputError(
                    f"contest {name!r} has two times, {times[0]} and {times[1]}; each contest has "
                    f"one, and an identifier of its own."
                )


def _identifiers(contests: Contests) -> pl.DataFrame:
    named = pl.DataFrame({"contest": contests.ids})
    return named if contests.ladder is None else named.with_columns(ladder=contests.ladder)


def _rows_from(
    read: Callable[[Source, int], tuple[Part, Understanding]], source: Source, start: int
) -> Callable[[], Part]:
    return lambda: read(source, start)[0]


def _copy_of(copy: Path, home: Path, light: Table) -> Callable[[], Part]:
    return lambda: Part(home, light._replace(frame=pl.read_ipc(copy)))


def _where(
    source: Source,
    recognised: recognition.Recognised,
    options: Options,
    size: int,
    number: int,
    start: int,
) -> Callable[[int], str]:
    """Where rows of a piece stood: it is read again, because nobody kept its text."""

    def locate(row: int) -> str:
        tables = formats.pieces(source.path, recognised, options, size)
        raw = next(islice(tables, number, None))
        table = understood(sources.partitioned(raw, source), options)[0]
        return table.locate(start + row)

    return locate


def _refuse_other_ways(first: Understanding, other: Understanding) -> None:
    """Raise if a piece was understood otherwise than the first one."""
    ours = {each.ours: each for each in first.columns}
    for each in other.columns:
        known = ours.get(each.ours)
        if each.ours in _DECIDED and known is not None and known.how != each.how:
            raise InputError(
                f"column {each.theirs!r} is read in two ways ({known.how or 'as it is'}, then "
                f"{each.how or 'as it is'}); say dates= or --dates, or decimal= or --decimal."
            )


def _moments(part: Part) -> Times:
    moments: Times = series_to_microseconds(part.table.frame["time"]).to_numpy()
    return moments


def _split(parts: Sequence[Part], start: int) -> tuple[list[Part], list[Part]]:
    """The rows before a moment, and the others."""
    before, later = [], []
    for part in parts:
        is_earlier = _moments(part) < start
        if is_earlier.all():
            before.append(part)
        elif not is_earlier.any():
            later.append(part)
        elif (is_earlier[1:] <= is_earlier[:-1]).all():
            end = int(is_earlier.sum())
            before.append(_rows(part, 0, end))
            later.append(_rows(part, end, len(is_earlier) - end))
        else:
            before.append(_some(part, np.flatnonzero(is_earlier)))
            later.append(_some(part, np.flatnonzero(~is_earlier)))
    return before, later


def _rows(part: Part, start: int, count: int) -> Part:
    table = part.table
    return part._replace(
        table=table._replace(
            frame=table.frame.slice(start, count), locate=lambda row: table.locate(start + row)
        )
    )


def _some(part: Part, rows: NDArray[np.int64]) -> Part:
    table = part.table
    return part._replace(
        table=table._replace(
            frame=table.frame[rows], locate=lambda row: table.locate(int(rows[row]))
        )
    )


def _out_of(path: Path, home: Part) -> Part:
    frame = pl.read_ipc(path)
    rows = frame["podium row"].to_numpy()
    table = home.table
    return home._replace(
        table=table._replace(
            frame=frame.drop("podium row"), locate=lambda row: table.locate(int(rows[row]))
        )
    )
