"""Whole tables for other programs: CSV, JSON, lines of JSON, Parquet."""

import io
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs

from podium.league import Filters, View, streaming
from podium.ratings.spreadsheets import as_csv
from podium.ratings.stored import StoredTable

FORMS = ("csv", "json", "parquet")
"""In which a leaderboard can be had as one file."""
STREAMS = ("csv", "ndjson", "parquet")
"""In which whole tables can be."""
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8; header=present",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}
_PIECE = 2**18
"""Bytes of a file that are sent at once."""
_ROWS = 50_000


def leaderboard(view: View, filters: Filters, form: str) -> tuple[bytes, str]:
    """A leaderboard, all rows unless the filters say otherwise, and what kind of file it is."""
    board = view.board(filters)
    if form == "csv":
        body = as_csv(board.table).encode()
    elif form == "parquet":
        body = _parquet(board.table)
    else:
        about = replace(board, table=board.table.clear()).document()
        begin = json.dumps(about, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        rows = _lines(board.table, board.attributes).rstrip("\n").replace("\n", ",")
        body = begin.replace('"leaderboard":[]', f'"leaderboard":[{rows}]').encode()
    return body, MEDIA_TYPES[form]


def stream(view: View, table: str, form: str) -> Iterator[bytes]:
    """A whole table of the league, piece by piece: leaderboard, history, standings or contests.

    The view stays open until the last piece.
    """
    pieces = TABLES[table](view)
    if form == "csv":
        return _csv(pieces)
    if form == "ndjson":
        known = [each.name for each in view.attributes if each.public]
        nested = known if table == "leaderboard" else None
        return (_lines(piece, nested).encode() for piece in pieces)
    return _one_file(pieces)


def _leaderboard(view: View) -> Iterator[pl.DataFrame]:
    return _in_pieces(view.leaderboard(None))


def _contests(view: View) -> Iterator[pl.DataFrame]:
    return _in_pieces(view.contests())


def _in_pieces(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """One piece at least, so that the columns are known."""
    return frame.iter_slices(_ROWS) if frame.height else iter((frame,))


TABLES: dict[str, Callable[[View], Iterator[pl.DataFrame]]] = {
    "leaderboard": _leaderboard,
    "history": streaming.history,
    "standings": streaming.all_standings,
    "contests": _contests,
}
"""What can be had as a whole."""


def _csv(pieces: Iterable[pl.DataFrame]) -> Iterator[bytes]:
    for number, piece in enumerate(pieces):
        yield as_csv(piece, header=not number).encode()


def _lines(frame: pl.DataFrame, attributes: Sequence[str] | None = None) -> str:
    r"""The rows as documents, one to a line; attributes are one object.

    Example:
        >>> import datetime
        >>> times = [datetime.datetime(2026, 5, 1, 18, 30)]
        >>> print(_lines(pl.DataFrame({"player": ["ann"], "sigma": [None], "time": times})))
        {"player":"ann","sigma":null,"time":"2026-05-01T18:30:00Z"}
        <BLANKLINE>
    """
    times = cs.datetime()
    exact = frame.with_columns(
        pl.when(times.dt.microsecond() == 0)
        .then(times.dt.to_string("%Y-%m-%dT%H:%M:%SZ"))
        .otherwise(times.dt.to_string("%Y-%m-%dT%H:%M:%S%.6fZ")),
        cs.float().fill_nan(None),
    )
    if attributes:
        exact = exact.with_columns(attributes=pl.struct(attributes)).drop(attributes)
    lines = exact.write_ndjson()
    if attributes is not None and not attributes:  # there is no struct of nothing
        lines = lines.replace("}\n", ',"attributes":{}}\n')
    return lines


def _parquet(frame: pl.DataFrame) -> bytes:
    found = io.BytesIO()
    frame.write_parquet(found, compression="zstd")
    return found.getvalue()


def _one_file(pieces: Iterable[pl.DataFrame]) -> Iterator[bytes]:
    """A file of Parquet, whose end says where everything is: written first, and then sent."""
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        table, path = StoredTable(), Path(folder, "table.parquet")
        for piece in pieces:
            table.add(piece)
        table.lazy().sink_parquet(path, compression="zstd")
        del table
        with path.open("rb") as file:
            while block := file.read(_PIECE):
                yield block


def file_name(*parts: Any) -> str:
    """A name that is safe on every disk and in every header.

    Example:
        >>> file_name("club", "leaderboard", "csv")
        'club-leaderboard.csv'
    """
    *names, form = map(str, parts)
    stem = "-".join(names)
    safe = "".join(
        each if each.isascii() and (each.isalnum() or each in "-_") else "_" for each in stem
    )
    return f"{safe[:100]}.{form}"
