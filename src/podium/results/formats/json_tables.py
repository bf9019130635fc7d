"""JSON that is a table: a list of objects, or an object that holds one.

    {"contest": "spring", "date": "2026-03-01", "results": [{"player": "ann", "rank": 1}, …]}

What stands around the list names the contest and the time, where the rows do not.
"""

import json
from typing import Any

import polars as pl

from podium.errors import InputError
from podium.results.formats import lichess
from podium.results.formats.text import first_line
from podium.results.understanding.report import Table

FORMAT = "a table in JSON"
_LISTS = ("results", "standings", "rows", "data", "matches", "games", "players", "items", "ranking")
_CONTEST, _TIME = ("contest", "event", "tournament", "title", "name"), ("time", "date", "start")


def rows_of(document: Any) -> list[dict[str, Any]] | None:
    """The objects that are the rows of a table, or None if it is none."""
    if isinstance(document, dict) and {"id", "players", "createdAt"} <= document.keys():
        return [document]  # one game of lichess
    if isinstance(document, dict):
        lists = [key for key, value in document.items() if isinstance(value, list)]
        named = [key for key in lists if key.lower() in _LISTS]
        if len(named) != 1:
            return None
        document = document[named[0]]
    if not isinstance(document, list) or not document:
        return None
    return document if all(isinstance(row, dict) and row for row in document) else None


def recognises(document: Any) -> bool:
    """Whether it is such a table."""
    return rows_of(document) is not None


def parse(label: str, stem: str, document: Any, _rerank: bool) -> Table:
    """The rows as they stand, without what holds more than a value."""
    rows = rows_of(document) or []
    lines = "\n".join(json.dumps(row) for row in rows)
    try:
        frame = pl.read_ndjson(lines.encode(), infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(f"{label}: cannot be read as a table ({first_line(error)}).") from None
    frame = frame.with_columns(pl.col(pl.Int128, pl.UInt128).cast(pl.String))
    if not lichess.recognises(frame):
        frame = frame.select(column for column in frame if not column.dtype.is_nested())
    if isinstance(document, dict):
        known = {name.lower() for name in frame.columns}
        for ours, theirs in (("contest", _CONTEST), ("time", _TIME)):
            said = next((document[key] for key in theirs if _is_plain(document.get(key))), None)
            if said is not None and known.isdisjoint(theirs[:4]):
                frame = frame.with_columns(pl.lit(said).alias(ours))
    return Table(frame, lambda row: f"{label}, row {row + 1}", FORMAT, (), stem)


def _is_plain(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return (isinstance(value, str) and bool(value)) or (is_number and abs(value) < 2**53)
