"""Tables of text with a separator: CSV and TSV.

Every value is read as text, so that a player called 007 stays 007; `results.tables` makes numbers
and times of the columns that hold them.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from podium.errors import InputError
from podium.results.formats import limits, text
from podium.results.formats.selection import rows_that_count, wanted
from podium.results.formats.text import Compression
from podium.results.options import Options
from podium.results.understanding import headers
from podium.results.understanding.report import Table
from podium.wording import counted

if TYPE_CHECKING:
    from podium.results.contests import Contests

SEPARATORS = {"csv": ",", "tsv": "\t"}
_SIGNS = (",", ";", "\t", "|")
_SEPARATOR_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}
_SAID = re.compile(r"sep=(.|\\t)", re.IGNORECASE)
_FIRST_LINES = 40
_MOST_VALUES = 2**12
_BEYOND = "\0beyond"
"""What stands behind the last column."""
_REPEATED = re.compile(r"_duplicated_\d+$")
"""What polars puts behind the second of two equal names in a header."""


class _Record(NamedTuple):
    line: int
    """The number of its first line; a quoted value may go on for several."""
    values: list[str]
    """Empty if the quotes do not match from here on."""


class _Shape(NamedTuple):
    """How the lines of a text make a table."""

    separator: str
    above: int
    """How many lines stand above the header."""


def read(path: Path, compression: Compression, separator: str, options: Options) -> Table:
    """The columns of a file that podium may know, without blank lines and repeated headers."""
    data = text.contents(path, compression, unlimited=options.unlimited)
    data, encoding = text.decoded(path, data, options.encoding)
    if b"\n" not in data and b"\r" in data and not limits.is_packed(data):
        data = data.replace(b"\r", b"\n")
    shape = _shape(path, data, separator, options)
    whole = _with_blanks_told_apart(_parsed(path, data, shape))
    _check_header(path, data, whole.columns)
    names = wanted(whole.columns, options)
    order = {name: place for place, name in enumerate(whole.columns)}
    places = [order[name] for name in names]
    frame = whole.select(names)
    kept, repeated = rows_that_count(frame)
    if kept is not None:
        frame = frame.filter(kept)
    notes = list(text.taken_for(encoding))
    if shape.above:
        notes.append(f"the header is line {shape.above + 1}; what stands above is left out.")
    if repeated:
        notes.append(f"the header is repeated {counted(repeated, 'time')} and left out there.")
    kind = f"text with {_SEPARATOR_NAMES.get(shape.separator, repr(shape.separator))}s"
    return Table(
        frame,
        lambda row: _location(path, data, shape, places, row),
        f"{kind}, in {encoding}" if encoding else kind,
        tuple(notes),
        text.stem(path),
        tuple(name for name in whole.columns if name not in names),
    )


def head(path: Path, data: bytes, separator: str, options: Options) -> bytes:
    """What the lines of a text begin with: the header, and what stands above it."""
    decoded, _ = text.decoded(path, data, options.encoding)
    above = _shape(path, decoded, separator, options).above
    end = 0
    for _ in range(above):
        end = data.find(b"\n", end) + 1
    start, end = end, data.find(b"\n", end) + 1
    while end and data.count(b'"', start, end) % 2:  # a name may go on for several lines
        end = data.find(b"\n", end) + 1
    return data[:end]


def has_header(path: Path, options: Options) -> bool:
    """Whether a text is a table whose header says who took part."""
    data = text.contents(path, "uncompressed", unlimited=options.unlimited)
    data, _ = text.decoded(path, data, options.encoding)
    head = text.first_lines(path, data, _FIRST_LINES)
    signs = _SIGNS if options.delimiter is None else (_said(options.delimiter),)
    return any(_header(head, sign, 0, options)[0][1] > 0 for sign in signs)


def write(contests: "Contests", path: Path, compression: Compression, separator: str) -> None:
    """All that is known of the contests, as a long table."""
    text.long_table(contests).write_csv(
        path, separator=separator, compression=compression, check_extension=False
    )


def _shape(path: Path, data: bytes, usual: str, options: Options) -> _Shape:
    """What separates values, and in which line the header is."""
    head = text.first_lines(path, data, _FIRST_LINES)
    above = 0
    if head and _SAID.fullmatch(head[0].strip()):  # as Excel reads it
        usual, above = head[0].strip()[4:].replace("\\t", "\t"), 1
    if options.delimiter is not None:
        usual = _said(options.delimiter)
    sure = above > 0 or options.delimiter is not None
    candidates = [usual] if sure else [usual, *(sign for sign in _SIGNS if sign != usual)]
    found = [_header(head[above:], sign, above, options) for sign in candidates]
    best = max(found, key=lambda each: each[0])  # of equals, the usual one
    return best[1]


def _header(
    head: list[str], separator: str, above: int, options: Options
) -> tuple[tuple[int, ...], _Shape]:
    """The header if values were separated so, and how much speaks for it.

    Most of all that most rows have as many values.
    """
    records = [(each.line - 1, each.values) for each in _records(head, separator) if each.values]
    score, place = headers.header_row(records, options)
    table = [values for number, values in records if number >= place]
    width = len(table[0]) if table else 0
    alike = [
        len(values) >= width and not any(map(str.strip, values[width:])) for values in table[1:]
    ]
    fits = width > 1 and 2 * sum(alike) >= len(alike)
    return (int(fits), *score), _Shape(separator, above + place)


def _said(delimiter: str) -> str:
    """The sign that is meant, which may be called by its name."""
    named = {name: sign for sign, name in _SEPARATOR_NAMES.items()} | {"\\t": "\t"}
    sign = named.get(delimiter.lower(), delimiter)
    if len(sign.encode()) != 1 or sign in '"\r\n':
        raise InputError(
            f"delimiter is one sign, such as ';', or comma, semicolon, tab or pipe, "
            f"not {delimiter!r}."
        )
    return sign


def _parsed(path: Path, data: bytes, shape: _Shape) -> pl.DataFrame:
    parsed = partial(
        pl.read_csv,
        separator=shape.separator,
        infer_schema=False,
        skip_lines=shape.above,
        quote_char='"' if _has_quoted(data, shape.separator) else None,
    )
    try:
        return parsed(data)
    except pl.exceptions.NoDataError:
        raise InputError(f"{path}: is empty.") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        refused = error
    whole = _without_surplus(parsed, data, shape)
    if whole is not None:
        return whole
    records = _looked_at(path, data, shape, refused)
    plain = io.StringIO()
    csv.writer(plain, delimiter=shape.separator, lineterminator="\n").writerows(records)
    try:
        return parsed(plain.getvalue().encode(), skip_lines=0, quote_char='"')
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path}: cannot be read as a table ({text.first_line(error)}).") from None


def _without_surplus(
    parsed: Callable[..., pl.DataFrame], data: bytes, shape: _Shape
) -> pl.DataFrame | None:
    """The table, if only empty values stand behind the last column, as separators at the end do."""
    try:
        columns = parsed(data, truncate_ragged_lines=True, n_rows=1).columns
        most = _most_values(data, shape.separator)
        names = [f"{_BEYOND}{place}" for place in range(min(most, _MOST_VALUES) - len(columns))]
        schema = dict.fromkeys([*columns, *names], pl.String)
        whole = parsed(data, has_header=False, schema=schema, skip_rows=1)
    except (pl.exceptions.PolarsError, OSError):
        return None
    surplus = pl.col(names).str.strip_chars().fill_null("") == ""
    is_empty = names and whole.select(pl.all_horizontal(surplus).all()).item()
    return whole.drop(names) if is_empty else None


def _most_values(data: bytes, separator: str) -> int:
    """How many values a line has at most, about: those in quotes may hold separators."""
    lines = pl.Series([data], dtype=pl.Binary).cast(pl.String).str.split("\n").explode()
    most: int = lines.str.count_matches(separator, literal=True).max()  # type: ignore[assignment]
    return most + 1


def _has_quoted(data: bytes, separator: str) -> bool:
    """Whether quotes stand around values, and are not a part of them, as in 2'03"."""
    if b'"' not in data or limits.is_packed(data):
        return True
    return re.search(rb'(?:^|[\n\r]|%b)[ \t]*"' % re.escape(separator.encode()), data) is not None


def _with_blanks_told_apart(frame: pl.DataFrame) -> pl.DataFrame:
    """Headers of which those that say nothing are of different lengths."""
    blank = [
        name
        for name in frame.columns
        if not name.strip() or (_REPEATED.match(name) and "" in frame.columns)
    ]
    return frame.rename({name: " " * place for place, name in enumerate(blank)})


def _check_header(path: Path, data: bytes, header: list[str]) -> None:
    if any(sign in name for name in header for sign in ("\N{REPLACEMENT CHARACTER}", "\0")):
        text.refuse_wrong_encoding(path, text.lines(path, data))
    known = set(header)
    for name in header:
        base = _REPEATED.sub("", name)
        if base != name and base.strip() and base in known:
            raise InputError(
                f"{path}: the header has {base!r} twice; every column needs its own name."
            )


def _looked_at(path: Path, data: bytes, shape: _Shape, error: Exception) -> list[list[str]]:
    """The values of a file that polars refuses, without empty ones behind the last column.

    If something is wrong with it, raise what that is, and in which line.
    """
    lines = text.lines(path, data)
    if text.is_about_encoding(error):
        text.refuse_wrong_encoding(path, lines)
    try:
        records = list(_records(lines, shape.separator, strict=True, above=shape.above))
    except csv.Error:  # a value that is too long
        raise InputError(f"{path}: cannot be read as a table ({text.first_line(error)}).") from None
    width = len(records[0].values) if records else 0
    for line, values in records:
        if not values:
            raise InputError(f"{path}, line {line}: the quotes do not match.")
        if any(map(str.strip, values[width:])):
            sign = _SEPARATOR_NAMES.get(shape.separator, repr(shape.separator))
            raise InputError(
                f"{path}, line {line}: there are {len(values)} values for {width} columns; a value "
                f"with a {sign} in it must be in quotes."
            )
    return [values[:width] for _, values in records]


def _location(path: Path, data: bytes, shape: _Shape, places: list[int], row: int) -> str:
    """The line of a row, counted like the rows: without those that are blank or the header."""
    seen, header = -1, None
    for record in _records(text.lines(path, data), shape.separator, above=shape.above):
        values = [record.values[place] for place in places if place < len(record.values)]
        header = values if header is None else header
        seen += any(map(str.strip, values)) and values != header
        if seen == row:
            return f"{path}, line {record.line}"
    return f"{path}, row {row + 1}"


def _records(
    lines: list[str], separator: str, *, strict: bool = False, above: int = 0
) -> Iterator[_Record]:
    """The header, below some lines, and what follows it, without empty lines."""
    reader = csv.reader((line + "\n" for line in lines[above:]), delimiter=separator, strict=strict)
    start = 1 + above
    try:
        for values in reader:
            if values:
                yield _Record(start, values)
            start = above + reader.line_num + 1
    except csv.Error as error:
        if "field larger" not in str(error):
            yield _Record(start, [])
        elif strict:
            raise
