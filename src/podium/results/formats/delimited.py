"""Tables of text with a separator: CSV and TSV.

Every value is read as text, so that a player called 007 stays 007; `results.tables` makes numbers
and times of the columns that hold them.
"""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from podium.errors import InputError, PodiumError
from podium.results.formats import text
from podium.results.formats.selection import Table, wanted
from podium.results.formats.text import Compression

if TYPE_CHECKING:
    from podium.results.contests import Contests

SEPARATORS = {"csv": ",", "tsv": "\t"}
_SEPARATOR_NAMES = {",": "comma", "\t": "tab", ";": "semicolon"}
_REPEATED = "_duplicated_0"
"""What polars puts behind the second of two equal names in a header."""


class _Record(NamedTuple):
    line: int
    """The number of its first line; a quoted value may go on for several."""
    values: list[str]
    """Empty if the quotes do not match from here on."""


def read(
    path: Path,
    compression: Compression,
    columns: Mapping[str, str] | None,
    separator: str,
    *,
    unlimited: bool,
) -> Table:
    """The columns of a file that podium knows, without blank lines."""
    data = text.contents(path, compression, unlimited=unlimited)
    if separator == "," and _has_semicolons(data):
        separator = ";"
    whole = _parsed(path, data, separator)
    _check_header(path, data, whole.columns)
    names = wanted(whole.columns, columns)
    order = {name: place for place, name in enumerate(whole.columns)}
    places = [order[name] for name in names]
    frame = whole.select(names)
    if all(column.null_count() for column in frame):
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    return Table(frame, lambda row: _location(path, data, separator, places, row))


def write(contests: "Contests", path: Path, compression: Compression, separator: str) -> None:
    """All that is known of the contests, as a long table."""
    text.long_table(contests).write_csv(
        path, separator=separator, compression=compression, check_extension=False
    )


def _has_semicolons(data: bytes) -> bool:
    """Whether the header is that of a spreadsheet where the comma is for decimals."""
    try:
        header = pl.read_csv(data, n_rows=0, infer_schema=False).columns
    except (pl.exceptions.PolarsError, OSError):
        return False
    return len(header) == 1 and ";" in header[0]


def _parsed(path: Path, data: bytes, separator: str) -> pl.DataFrame:
    try:
        return pl.read_csv(data, separator=separator, infer_schema=False)
    except pl.exceptions.NoDataError:
        raise InputError(f"{path}: is empty.") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _explained(path, data, separator, error) from None


def _check_header(path: Path, data: bytes, header: list[str]) -> None:
    if any(sign in name for name in header for sign in ("\N{REPLACEMENT CHARACTER}", "\0")):
        text.refuse_wrong_encoding(path, text.lines(path, data))
    known = set(header)
    for name in header:
        if name.endswith(_REPEATED) and name.removesuffix(_REPEATED) in known:
            raise InputError(
                f"{path}: the header has {name.removesuffix(_REPEATED)!r} twice; "
                f"every column needs its own name."
            )


def _explained(path: Path, data: bytes, separator: str, error: Exception) -> PodiumError:
    """What is wrong with a file that polars refuses, and in which line."""
    lines = text.lines(path, data)
    if text.is_about_encoding(error):
        text.refuse_wrong_encoding(path, lines)
    width = 0
    for record in _records(lines, separator, strict=True):
        width = width or len(record.values)
        if not record.values:
            return InputError(f"{path}, line {record.line}: the quotes do not match.")
        if len(record.values) > width:
            return InputError(
                f"{path}, line {record.line}: there are {len(record.values)} values for "
                f"{width} columns; a value with a {_SEPARATOR_NAMES[separator]} in it must be "
                f"in quotes."
            )
    return InputError(f"{path}: cannot be read as a table ({text.first_line(error)}).")


def _location(path: Path, data: bytes, separator: str, places: list[int], row: int) -> str:
    """The line of a row, counted like the rows: without those that are blank."""
    seen = -1
    for record in _records(text.lines(path, data), separator):
        seen += any(record.values[place] for place in places if place < len(record.values))
        if seen == row + 1:
            return f"{path}, line {record.line}"
    return f"{path}, row {row + 1}"


def _records(lines: list[str], separator: str, *, strict: bool = False) -> Iterator[_Record]:
    """The header and what follows it, without empty lines."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=separator, strict=strict)
    start = 1
    try:
        for values in reader:
            if values:
                yield _Record(start, values)
            start = reader.line_num + 1
    except csv.Error as error:
        if "field larger" not in str(error):
            yield _Record(start, [])
