"""Workbooks of Excel (.xlsx, .xlsm, .xlsb, .xls) and OpenDocument (.ods), read with calamine.

Cells have the types that the workbook gives them; whole numbers are whole, times of day and
durations are texts. A table may begin anywhere on its sheet.
"""

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
"""What a workbook dates before is a time of day."""


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
    if len(book.sheet_names) > 1 or stems.dated([table.stem], options.dates)[0].date:
        return table
    return table._replace(stem=path.stem)


def _opened(path: Path, options: Options) -> "fastexcel.ExcelReader":
    import fastexcel

    if path.stat().st_size == 0:
        raise InputError(f"{path}: is empty.")
    try:
        if zipfile.is_zipfile(path):
            _count(path, unlimited=options.unlimited)
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
    frame = _sheet(
        book, sheet.name, header_row=None, skip_rows=sheet.above + 1, schema_sample_rows=None
    )
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


def _plain(column: pl.Series) -> pl.Series:
    """Whole numbers as such, times of day and durations as texts."""
    if column.dtype.is_float():
        finite = column.drop_nulls()
        whole = (finite == finite.floor()) & (finite.abs() < 2**53)
        return column.cast(pl.Int64) if whole.all() else column
    if column.dtype == pl.Duration:
        seconds = column.dt.total_milliseconds() / 1000
        hours = (seconds // 3600).cast(pl.Int64).cast(pl.String)
        rest = pl.from_epoch((seconds * 1000).cast(pl.Int64), "ms").dt.strftime(":%M:%S%.f")
        return (hours + rest).alias(column.name)
    if column.dtype == pl.Time or (
        isinstance(column.dtype, pl.Datetime)
        and column.len() > column.null_count()
        and (column.drop_nulls().dt.year() < _FIRST_YEARS).all()
    ):
        return column.dt.strftime("%H:%M:%S%.f").alias(column.name)
    return column


def _joined(path: Path, book: Any, sheets: Sequence[_Sheet], options: Options) -> Table:
    """All sheets with a table; without a column for the contest, each is one."""
    having = [each for each in sheets if each.is_table]
    if not having:
        raise InputError(f"{path}: there is no table on any sheet.")
    loaded = [_loaded(path, book, each) for each in having]
    alike = _with_names_of_first([each.frame for each in loaded], options)
    known = headers.found_in(alike[0].columns, options.columns, wide=options.wide).ours
    notes = [note for each in loaded for note in each.assumptions]
    if "player" in known and "contest" not in known and not options.wide:
        dates = options.from_name and "time" not in known and options.time is None
        alike = _with_contests(alike, [each.name for each in having], options, dates=dates)
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
    stem = having[0].name if stems.dated([having[0].name], options.dates)[0].date else path.stem
    return Table(whole, locate, f"{len(having)} sheets of a workbook", tuple(notes), stem)


def _with_contests(
    frames: list[pl.DataFrame], names: list[str], options: Options, *, dates: bool
) -> list[pl.DataFrame]:
    """Tables with the contests that their sheets name, and the dates, if all have one."""
    dated = stems.dated(names, options.dates)
    if options.from_name and len({each.name for each in dated}) == len(dated):
        names = [each.name for each in dated]
    frames = [
        frame.with_columns(contest=pl.lit(name)) for frame, name in zip(frames, names, strict=True)
    ]
    if not dates or not all(each.date for each in dated):
        return frames
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
