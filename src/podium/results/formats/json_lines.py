"""Tables with one JSON object in every line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Never

import polars as pl

from podium.errors import InputError
from podium.results.formats import contents, limits, text
from podium.results.formats.selection import wanted
from podium.results.formats.text import Compression
from podium.results.options import Options
from podium.results.understanding.report import Table

if TYPE_CHECKING:
    from podium.results.contests import Contests

_NEITHER_BRACKETS_NOR_LINES = bytes(set(range(256)) - set(b"[{\n"))
_MANY_BRACKETS = re.compile(rb"[\[{]{%d}" % (limits.DEEPEST + 1))


def read(path: Path, compression: Compression, options: Options) -> Table:
    """The keys of a file that podium knows, as columns."""
    data = text.contents(path, compression, unlimited=options.unlimited)
    data, encoding = text.decoded(path, data, options.encoding)
    if not options.unlimited:
        _refuse_deep(path, data)
    try:
        frame = _parsed(data)
    except (pl.exceptions.PolarsError, OSError) as error:
        frame = _parsed_with_care(path, data, error)
    names = wanted(frame.columns, options)
    return Table(
        frame.select(names),
        lambda row: _line(path, data, row),
        "JSON lines",
        text.taken_for(encoding),
        stem=text.stem(path),
        unread=tuple(name for name in frame.columns if name not in names),
    )


def write(contests: "Contests", path: Path, compression: Compression) -> None:
    """All that is known of the contests, one object for each row of the long table."""
    text.long_table(contests).write_ndjson(path, compression=compression, check_extension=False)


def _refuse_deep(path: Path, data: bytes) -> None:
    """Look closer at the lines that have brackets enough; most files have none of them."""
    if limits.is_packed(data):
        data = "\n".join(text.lines(path, data)).encode()
    if not _MANY_BRACKETS.search(data.translate(None, _NEITHER_BRACKETS_NOR_LINES)):
        return
    for number, line in enumerate(data.split(b"\n"), start=1):
        limits.refuse_deep(f"{path}, line {number}", line.decode(errors="replace"))


def _parsed(data: bytes) -> pl.DataFrame:
    """Every line counts for the types; an identifier of more than 64 bits becomes a text."""
    frame = pl.read_ndjson(data, infer_schema_length=None)
    return frame.with_columns(pl.col(pl.Int128, pl.UInt128).cast(pl.String))


def _parsed_with_care(path: Path, data: bytes, error: Exception) -> pl.DataFrame:
    """Say which line is wrong; if none is, it was a byte order mark that polars refused."""
    lines = text.lines(path, data)
    if text.is_about_encoding(error):
        text.refuse_wrong_encoding(path, lines)
    if not any(line.strip() for line in lines):
        raise InputError(f"{path}: is empty.")
    for number, line in enumerate(lines, start=1):
        if line.strip() and not _is_object(line):
            raise InputError(
                f"{path}, line {number}: is not one JSON object in curly brackets; "
                f"every line holds one result."
            )
    try:
        return _parsed("\n".join(lines).encode())
    except pl.exceptions.PolarsError as again:
        raise InputError(f"{path}: cannot be read as a table ({text.first_line(again)}).") from None


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line, parse_constant=_refuse_constant), dict)
    except (ValueError, RecursionError):
        return False


def _refuse_constant(name: str) -> Never:
    """NaN and Infinity, which Python takes though they are not JSON."""
    raise ValueError(name)


def _line(path: Path, data: bytes, row: int) -> str:
    numbers = [n for n, line in enumerate(text.lines(path, data), 1) if line.strip()]
    return f"{path}, line {numbers[row]}"


def pieces(path: Path, options: Options) -> Iterator[Table]:
    """The lines of a file in tables that fit into memory, in the order of the file."""
    held, before = b"", 0
    for piece in contents.pieces(path, unlimited=options.unlimited):
        data, end, held = (held + piece).rpartition(b"\n")
        if data.strip():
            yield _piece(path, data, before, options)
        before += data.count(b"\n") + len(end)
    if held.strip():
        yield _piece(path, held, before, options)


def _piece(path: Path, data: bytes, before: int, options: Options) -> Table:
    if not options.unlimited:
        _refuse_deep(path, data)
    try:
        frame = _parsed(data)
    except (pl.exceptions.PolarsError, OSError) as error:
        frame = _parsed_with_care(path, data, error)

    def locate(row: int) -> str:
        numbers = [n for n, line in enumerate(data.split(b"\n"), before + 1) if line.strip()]
        return f"{path}, line {numbers[row]}"

    return Table(frame, locate, "JSON lines")
