"""Tables with one JSON object in every line."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Never

import polars as pl

from podium.errors import InputError
from podium.results.formats import limits, text
from podium.results.formats.selection import Table, wanted
from podium.results.formats.text import Compression

if TYPE_CHECKING:
    from podium.results.contests import Contests

_NEITHER_BRACKETS_NOR_LINES = bytes(set(range(256)) - set(b"[{\n"))
_MANY_BRACKETS = re.compile(rb"[\[{]{%d}" % (limits.DEEPEST + 1))


def read(
    path: Path,
    compression: Compression,
    columns: Mapping[str, str] | None,
    *,
    unlimited: bool,
) -> Table:
    """The keys of a file that podium knows, as columns."""
    data = text.contents(path, compression, unlimited=unlimited)
    if not unlimited:
        _refuse_deep(path, data)
    try:
        frame = _parsed(data)
    except (pl.exceptions.PolarsError, OSError) as error:
        frame = _parsed_with_care(path, data, error)
    return Table(frame.select(wanted(frame.columns, columns)), lambda row: _line(path, data, row))


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
