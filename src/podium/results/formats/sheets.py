"""Workbooks of Excel (.xlsx, .xlsm, .xlsb, .xls) and OpenDocument (.ods), read with calamine.

Cells have the types that the workbook gives them; whole numbers are whole, times of day and
durations are texts. A table may begin anywhere on its sheet.
"""

import datetime
import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from podium import extras
from podium.errors import InputError, StorageError
from podium.results.formats import limits
from podium.results.formats.selection import rows_that_count
from podium.results.formats.text import first_line
from podium.results.options import Options
from podium.results.understanding import headers, stems
from podium.results.understanding.report import Table
from podium.wording import listed

if TYPE_CHECKING:
    import fastexcel

EXTENSIONS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
ALL = "*"
_FIRST_ROWS = 40
_MOST_TIMES = 1032
"""How many bytes deflate can make of one."""
_PIECE = 2**20
_MIDNIGHT = " 00:00:00"
_FIRST_YEARS = 1901
"""What a workbook dates before is a time of day, or how long something took …"""
_DAYS_ZERO = (datetime.datetime(1899, 12, 30), datetime.datetime(1899, 12, 31))
"""… since the beginning of one of these days, …"""
_FIRST_DAYS = r"^(1899-12-3[01]|1900-01-\d\d) \d\d:\d\d:\d\d(\.\d+)?$"
"""… which as a text, among others, looks so."""
_UNNAMED = re.compile(
    r"(sheet|tabelle|feuil|feuille|hoja|planilha|folha|foglio|blad|ark|arkusz|list|munka)\s*\d+",
    re.IGNORECASE,
)
"""What a sheet is called that nobody gave a name."""
_OPEN_DOCUMENT = "content.xml"
_OPEN_DURATION = re.compile(
    rb'office:time-value="(-?)PT(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:[.,](\d{1,9}))?S)?"'
)


class _Sheet(NamedTuple):
    name: str
    header: list[str]
    above: int
    """The number of the header's row, from 0 on."""
    is_table: bool
    """Whether its header says who took part."""


def read(path: Path, options: Options) -> Table:
    """The only sheet with a table, the one that is said, or all of them."""
    extras.require("fastexcel")
    book = _opened(path, options)
    found = [_looked_at(book, name, options) for name in book.sheet_names]
    sheets = [each for each in found if each is not None]
    if not sheets:
        raise InputError(f"{path}: is empty.")
    if options.sheet == ALL:
        return _joined(path, book, sheets, options)
    chosen = _chosen(path, sheets, book.sheet_names, options.sheet)
    others = [each.name for each in sheets if each != chosen]
    table = _loaded(path, book, chosen)
    if others and options.sheet is None:
        note = f"only sheet {chosen.name!r} is read, and not {listed(others)}."
        table = table._replace(assumptions=(*table.assumptions, note))
    is_named = len(sheets) > 1 and not _UNNAMED.fullmatch(chosen.name.strip())
    if is_named or stems.dated([table.stem], options.dates)[0].date:
        return table
    return table._replace(stem=path.stem)


def _opened(path: Path, options: Options) -> "fastexcel.ExcelReader":
    import fastexcel

    if path.stat().st_size == 0:
        raise InputError(f"{path}: is empty.")
    try:
        if zipfile.is_zipfile(path):
            _count(path, unlimited=options.unlimited)
            rewritten = _with_long_durations(path)
            if rewritten is not None:
                return fastexcel.read_excel(rewritten)
        return fastexcel.read_excel(path)
    except (fastexcel.FastExcelError, zipfile.BadZipFile, OSError, RuntimeError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: BaseException) -> StorageError:
    return StorageError(
        f"{path}: is damaged, protected or no workbook of Excel or OpenDocument "
        f"({first_line(error)})."
    )


def _count(path: Path, *, unlimited: bool) -> None:
    """Raise if the parts of a workbook unpack to more than it may."""
    size = path.stat().st_size
    if unlimited or size * _MOST_TIMES <= limits.ALWAYS:
        return
    allowance = limits.Allowance(path, size, unlimited=False)
    with zipfile.ZipFile(path) as archive:
        allowance.spend(sum(entry.file_size for entry in archive.infolist()))
        for entry in archive.infolist():
            with archive.open(entry) as part:  # which fails if it is larger than it says
                while part.read(_PIECE):
                    pass


def _with_long_durations(path: Path) -> bytes | None:
    """An OpenDocument with its durations as texts: those of a day or more would be lost."""
    with zipfile.ZipFile(path) as archive:
        if _OPEN_DOCUMENT not in archive.namelist():
            return None
        content = archive.read(_OPEN_DOCUMENT)
        if not _OPEN_DURATION.search(content):
            return None
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w") as copy:
            for entry in archive.infolist():
                if entry.filename == _OPEN_DOCUMENT:
                    copy.writestr(entry, _OPEN_DURATION.sub(_as_text, content))
                elif not entry.is_dir() and "/" not in entry.filename.removeprefix("META-INF/"):
                    copy.writestr(entry, archive.read(entry))
    return whole.getvalue()


def _as_text(duration: re.Match[bytes]) -> bytes:
    sign, hours, minutes, seconds, rest = (part or b"" for part in duration.groups())
    total = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    text = f"{total // 3600}:{total // 60 % 60:02}:{total % 60:02}".encode()
    return (
        b'office:string-value="' + sign + text + (b"." + rest if rest.strip(b"0") else b"") + b'"'
    )


def _looked_at(book: Any, name: str, options: Options) -> _Sheet | None:
    """Where the header of a sheet is; None if there is nothing on it."""
    first = _sheet(book, name, header_row=None, skip_rows=0, n_rows=_FIRST_ROWS, dtypes="string")
    rows = [[(cell or "").removesuffix(_MIDNIGHT) for cell in row] for row in first.iter_rows()]
    if not any(any(map(str.strip, row)) for row in rows):
        return None
    score, place = headers.header_row(
        [(number, row) for number, row in enumerate(rows) if any(map(str.strip, row))], options
    )
    return _Sheet(name, _distinct(rows[place]), place, score[0] > 0)


def _distinct(header: Sequence[str]) -> list[str]:
    """Headers of which those that say nothing are of different lengths."""
    return [name if name.strip() else " " * (place + 1) for place, name in enumerate(header)]


def _sheet(book: Any, name: str, **how: Any) -> pl.DataFrame:
    frame: pl.DataFrame = book.load_sheet(name, **how).to_polars()
    return frame


def _chosen(path: Path, sheets: Sequence[_Sheet], names: Sequence[str], said: str | None) -> _Sheet:
    if said is not None:
        for spelled in (str.strip, lambda name: name.strip().casefold()):
            for each in sheets:
                if spelled(each.name) == spelled(said):
                    return each
        raise InputError(
            f"{path}: there is no sheet {said!r} with anything on it; there are {listed(names)}."
        )
    having = [each for each in sheets if each.is_table] or list(sheets)
    if len(having) > 1:
        raise InputError(
            f"{path}: has tables on the sheets {listed(each.name for each in having)}; say "
            f"sheet={having[0].name!r} or --sheet {headers.quoted(having[0].name)}, or '*' for all."
        )
    return having[0]


def _loaded(path: Path, book: Any, sheet: _Sheet) -> Table:
    """One sheet, below its header."""
    header = sheet.header
    repeated = next((name for name in header if header.count(name) > 1), None)
    if repeated is not None:
        raise InputError(
            f"{path}, sheet {sheet.name!r}: the header has {repeated!r} twice; every column needs "
            f"its own name."
        )
    frame = _cells(book, sheet)
    frame = frame.rename(dict(zip(frame.columns, header, strict=False)))
    frame = frame.select(_plain(column) for column in frame)
    where, first = f"{path}, sheet {sheet.name!r}", sheet.above + 2
    notes = []
    if sheet.above and any(header):
        notes.append(f"the header of sheet {sheet.name!r} is row {sheet.above + 1}.")
    table = Table(
        frame,
        lambda row: f"{where}, row {row + first}",
        f"sheet {sheet.name!r} of a workbook",
        tuple(notes),
        sheet.name,
    )
    kept, _ = rows_that_count(frame)
    return table if kept is None else table.filtered(frame, kept)


def _cells(book: Any, sheet: _Sheet) -> pl.DataFrame:
    """All cells below the header."""
    import fastexcel

    how = {"header_row": None, "skip_rows": sheet.above + 1}
    try:
        return _sheet(book, sheet.name, **how, schema_sample_rows=None)
    except fastexcel.UnsupportedColumnTypeCombinationError:
        width = _sheet(book, sheet.name, **how, dtypes="string").width
        return _by_halves(book, sheet.name, how, list(range(width)))


def _by_halves(book: Any, name: str, how: dict[str, Any], places: list[int]) -> pl.DataFrame:
    """Some columns; one whose cells are of kinds that go together in no other way, as texts."""
    import fastexcel

    try:
        return _sheet(book, name, **how, use_columns=places, schema_sample_rows=None)
    except fastexcel.UnsupportedColumnTypeCombinationError:
        if len(places) == 1:
            return _sheet(book, name, **how, use_columns=places, dtypes="string")
    middle = len(places) // 2
    halves = [_by_halves(book, name, how, each) for each in (places[:middle], places[middle:])]
    return pl.concat(halves, how="horizontal")


def _plain(column: pl.Series) -> pl.Series:
    """Whole numbers as such, times of day and durations as texts."""
    if column.dtype.is_float():
        finite = column.drop_nulls()
        whole = (finite == finite.floor()) & (finite.abs() < 2**53)
        return column.cast(pl.Int64) if whole.all() else column
    if column.dtype == pl.Duration:
        return _hours(column)
    if column.dtype == pl.Time:
        return column.dt.strftime("%H:%M:%S%.f").alias(column.name)
    if (
        isinstance(column.dtype, pl.Datetime)
        and column.len() > column.null_count()
        and (column.drop_nulls().dt.year() < _FIRST_YEARS).all()
    ):
        return _hours(_since_zero(column), digits=2)
    if column.dtype == pl.String and (early := column.str.contains(_FIRST_DAYS)).any():
        moments = column.set(~early, None).str.to_datetime(time_unit="ms")
        return pl.select(
            pl.coalesce(_hours(_since_zero(moments), digits=2), column).alias(column.name)
        ).to_series()
    return column


def _since_zero(moments: pl.Series) -> pl.Series:
    """How long after the first day of a workbook."""
    first = moments.min()
    zero = _DAYS_ZERO[0] if first < _DAYS_ZERO[1] else _DAYS_ZERO[1]  # type: ignore[operator]
    return moments - zero


def _hours(durations: pl.Series, digits: int = 1) -> pl.Series:
    """As 26:35:00, which goes on after a day."""
    milliseconds = durations.dt.total_milliseconds()
    hours = (milliseconds // 3_600_000).cast(pl.String).str.zfill(digits)
    rest = pl.from_epoch(milliseconds, "ms").dt.strftime(":%M:%S%.f")
    return (hours + rest).alias(durations.name)


def _joined(path: Path, book: Any, sheets: Sequence[_Sheet], options: Options) -> Table:
    """All sheets with a table; without a column for the contest, each is one."""
    having = [each for each in sheets if each.is_table]
    if not having:
        raise InputError(f"{path}: there is no table on any sheet.")
    loaded = [_loaded(path, book, each) for each in having]
    alike = _with_names_of_first([each.frame for each in loaded], options)
    known = headers.found_in(alike[0].columns, options.columns, wide=options.wide).ours
    notes = [note for each in loaded for note in each.assumptions]
    names = [each.name for each in having]
    if options.from_name and "time" not in known and options.time is None and not options.wide:
        alike = _with_dates(path, alike, names, options)
    if "player" in known and "contest" not in known and not options.wide:
        alike = _with_contests(alike, names, options)
        notes.append("every sheet is a contest.")
    left_out = [each.name for each in sheets if not each.is_table]
    if left_out:
        notes.append(f"there is no table on {listed(left_out)}, which is left out.")
    starts = [0]
    for frame in alike:
        starts.append(starts[-1] + frame.height)

    def locate(row: int) -> str:
        number = max(place for place, start in enumerate(starts[:-1]) if start <= row)
        return loaded[number].locate(row - starts[number])

    whole = pl.concat(_of_one_type(alike), how="diagonal_relaxed")
    return Table(whole, locate, f"{len(having)} sheets of a workbook", tuple(notes), path.stem)


def _with_contests(
    frames: list[pl.DataFrame], names: list[str], options: Options
) -> list[pl.DataFrame]:
    """Tables with the contests that their sheets name."""
    dated = stems.dated(names, options.dates)
    if options.from_name and len({each.name for each in dated}) == len(dated):
        names = [each.name for each in dated]
    return [
        frame.with_columns(contest=pl.lit(name)) for frame, name in zip(frames, names, strict=True)
    ]


def _with_dates(
    path: Path, frames: list[pl.DataFrame], names: list[str], options: Options
) -> list[pl.DataFrame]:
    """Tables with the dates in the names of their sheets; if none has one, the file may."""
    dated = stems.dated(names, options.dates)
    if not any(each.date for each in dated):
        return frames
    if not all(each.date for each in dated):
        raise InputError(
            f"{path}: there is no date in the name of the sheet "
            f"{stems.listed_without_dates(names, dated)}, but in those of others; give it one, "
            f"or read the others one by one, with sheet=NAME or --sheet NAME."
        )
    return [
        frame.with_columns(time=pl.lit(each.date))
        for frame, each in zip(frames, dated, strict=True)
    ]


def _with_names_of_first(frames: list[pl.DataFrame], options: Options) -> list[pl.DataFrame]:
    """Tables whose columns are called what the first calls those of the same meaning."""
    found = [headers.found_in(each.columns, options.columns, wide=options.wide) for each in frames]
    first = found[0].ours
    alike = []
    for frame, each in zip(frames, found, strict=True):
        new = {name: first[ours] for ours, name in each.ours.items() if ours in first}
        new = {old: name for old, name in new.items() if old in frame.columns}
        taken = set(new.values()) - new.keys()
        alike.append(frame.drop(taken, strict=False).rename(new))
    return alike


def _of_one_type(frames: list[pl.DataFrame]) -> list[pl.DataFrame]:
    """Columns that are texts on one sheet are texts on all."""
    texts = {name for frame in frames for name, dtype in frame.schema.items() if dtype == pl.String}
    return [
        frame.with_columns(
            frame[name].cast(pl.String).str.strip_suffix(_MIDNIGHT + ".000")
            for name in frame.columns
            if name in texts and frame.schema[name] not in (pl.String, pl.Null)
        )
        for frame in frames
    ]
