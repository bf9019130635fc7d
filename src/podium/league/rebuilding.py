"""Whether what `exporting` writes builds the same league again: everything that both have.

All tables and columns are compared, those of later versions too, but for what is only an order of
work: numbers of contests and revisions, which names stand for, batches, segments and checkpoints.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy import Connection, Table, select

from podium.errors import PodiumError
from podium.files import as_path
from podium.league import exporting, logs, revisions, schema
from podium.league.database import Database, fetch
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.verifying import Closeness, Verification
from podium.progress import Report, part_of, unseen
from podium.ratings import arithmetic
from podium.results.times import from_microseconds

_MOST = 5
_WAIT = 30.0
_SAME = "an export builds the same league"
_NAMED = {
    "player_id": (schema.players, "name", "player"),
    "contest_id": (schema.contests, "contest", "contest"),
    "revision_id": (schema.revisions, "name", "revision"),
}
"""Columns that hold a number: whose, by which name it is known, and what it is called then."""
_KEYS = {
    "players": ["name"],
    "contests": ["contest"],
    "revisions": ["name"],
    "beliefs": ["revision", "player"],
}
"""By what rows of tables are known whose primary key is a number."""
_TABLES_LEFT_OUT = (
    *("checkpoints", "checkpoint_parts", "batches", "segments"),
    *(each.name for each in (*schema.OF_THE_WEB, *schema.OF_HINDSIGHT)),
)
_LEFT_OUT = {
    "contests": {"id"},
    "standings": {"batch"},
    "ratings": {"belief_id"},
    "beliefs": {"id"},
    "revisions": {"id", "stale_time", "stale_contest", "arithmetic", "machine"},
}
"""Columns that may differ. Revisions are rated by this machine, all of them."""
_MEANT: dict[str, dict[str, Callable[[Any], str | None]]] = {
    "league": {"rules": lambda text: Rules.from_text(text).text()},
    "log": dict.fromkeys(("before", "after"), logs.unpacked),
}
"""What is kept in one of several ways, such as rules that an earlier version wrote."""
_RATED = ("events", "ratings", "beliefs")
_TYPES: dict[type, Any] = {
    bool: pl.Boolean,
    bytes: pl.Binary,
    float: pl.Float64,
    int: pl.Int64,
    str: pl.String,
}
_TIMES = ("time", "last_time", "created")


def with_export(
    connection: Connection,
    verification: Verification,
    folder: str | os.PathLike[str] | None = None,
    report: Report = unseen,
) -> Verification:
    """What a replay found, and where a league built from an export is another one.

    The export is that of a folder, or one that is made for it.
    """
    if verification.differences:
        note = "an export is not looked at before the league is sound"
        return verification.with_more([], [note])
    found = list(_differences(connection, folder, report))
    return verification.with_more(found, [] if found else [_SAME])


def _differences(
    connection: Connection, folder: str | os.PathLike[str] | None, report: Report
) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="podium-") as temporary:
        path = Path(temporary) / "export" if folder is None else as_path(folder)
        if folder is None:
            exporting.export(connection, path, "parquet")
        built = Database(Path(temporary) / "league.db", wait=_WAIT, new=True)
        with closing(built):
            try:
                exporting.restore(built, path, part_of(report, 0, 2))
            except PodiumError as error:
                said = str(error).replace(str(path), "the export").rstrip(".")
                yield f"an export of the league builds none: {said}"
                return
            with built.reading() as other:
                yield from _in_tables(connection, other, part_of(report, 1, 2))
                again = Path(temporary) / "again"
                exporting.export(other, again, "parquet")
        yield from _in_ratings(path, again, Closeness(revisions.in_force(connection)))


def _in_tables(connection: Connection, other: Connection, report: Report) -> Iterator[str]:
    """Where the rows of two leagues differ."""
    tables = [each for each in schema.metadata.sorted_tables if each.name not in _TABLES_LEFT_OUT]
    every = revisions.load(connection)
    comparable = [
        each
        for each in every
        if each.stale_time is None and each.arithmetic == arithmetic.ARITHMETIC
    ]
    for number, table in enumerate(tables):
        report(number, len(tables))
        wanted, found = _rows(connection, table), _rows(other, table)
        if table is schema.revisions:  # what is built follows all changes, in every revision
            current = pl.col("name").is_in([each.name for each in comparable])
            shared = pl.when(current).then(pl.col("shared"))
            wanted, found = (each.with_columns(shared=shared) for each in (wanted, found))
        if table.name not in _RATED:
            yield from _differing(table, wanted, found)
            continue
        for revision in comparable:
            own = pl.col("revision") == revision.name
            yield from _differing(table, wanted.filter(own), found.filter(own), revision)
    report(len(tables), len(tables))


def _rows(connection: Connection, table: Table) -> pl.DataFrame:
    """A table with names in place of numbers."""
    left_out = _LEFT_OUT.get(table.name, ())
    columns = {each.name: each for each in table.c if each.name not in left_out}
    statement = select(*columns.values())
    if table is schema.beliefs:
        statement = statement.where(schema.in_force())
    found = fetch(connection, statement)
    rows = pl.DataFrame(
        [
            pl.Series(name, values, _TYPES[columns[name].type.python_type], strict=False)
            for name, values in zip(columns, found, strict=True)
        ]
    )
    for name, (owner, by, called) in _NAMED.items():
        if name in columns:
            known = dict(zip(*fetch(connection, select(owner.c.id, owner.c[by])), strict=True))
            named = pl.col(name).replace_strict(known, default=None, return_dtype=pl.String)
            rows = rows.with_columns(named.alias(name)).rename({name: called})
    for name, meant in _MEANT.get(table.name, {}).items():
        rows = rows.with_columns(pl.Series(name, map(meant, rows[name].to_list()), pl.String))
    return rows


def _keys(table: Table) -> list[str]:
    """By what the rows of a table are known."""
    own = [each.name for each in table.primary_key.columns]
    return _KEYS.get(table.name) or [_NAMED[each][2] if each in _NAMED else each for each in own]


def _differing(
    table: Table, wanted: pl.DataFrame, found: pl.DataFrame, revision: Revision | None = None
) -> Iterator[str]:
    """The first few rows that differ, in sentences."""
    closeness = None if revision is None else Closeness(revision)
    exact = revision is None or revision.machine == arithmetic.this_machine()
    yield from _compared(table.name, _keys(table), wanted, found, closeness, blobs=exact)


def _compared(
    what: str,
    keys: list[str],
    wanted: pl.DataFrame,
    found: pl.DataFrame,
    closeness: Closeness | None,
    *,
    blobs: bool = True,
) -> Iterator[str]:
    here = "in what an export builds"
    for some, others, said in ((wanted, found, "not"), (found, wanted, "only")):
        alone = some.join(others, on=keys, how="anti").sort(keys).head(_MOST)
        for each in alone.iter_rows(named=True):
            yield f"{what}: {_named(each, keys)} is {said} {here}"
    both = wanted.join(found, on=keys, suffix=" found", maintain_order="left").sort(keys)
    for name in (each for each in wanted.columns if each not in keys):
        if wanted.schema[name] == pl.Binary and not blobs:
            continue
        mine, theirs = both[name], both[f"{name} found"]
        wrong = mine.ne_missing(theirs).to_numpy()
        if closeness is not None and mine.dtype == pl.Float64:
            numbers = (each.fill_null(np.nan).to_numpy() for each in (theirs, mine))
            wrong = closeness.differ(*numbers)
        for row in np.flatnonzero(wrong)[:_MOST].tolist():
            whose = _named(both.row(row, named=True), keys)
            yield f"{what}: {whose} has another {name} {here}{_said(name, mine[row], theirs[row])}"


def _named(row: dict[str, Any], keys: list[str]) -> str:
    """Which row is meant."""
    return ", ".join(f"{name} {_shown(name, row[name])}" for name in keys)


def _said(name: str, wanted: Any, found: Any) -> str:
    """The two values, unless they are long."""
    shown = [_shown(name, each) for each in (found, wanted)]
    if isinstance(wanted, bytes) or isinstance(found, bytes) or max(map(len, shown)) > 200:
        return ""
    return f": {shown[0]}, not {shown[1]}"


def _shown(name: str, value: Any) -> str:
    if name in _TIMES and isinstance(value, int) and abs(value) < 2**61:
        return str(from_microseconds(value))
    return "nothing" if value is None else repr(value)


def _in_ratings(path: Path, again: Path, closeness: Closeness) -> Iterator[str]:
    """Where the table of ratings, which builds nothing, is not what the built league has."""
    made = exporting.read_table(again, "ratings")
    if (said := exporting.read_table(path, "ratings")) is None or made is None:
        yield "an export of the league has no table of ratings"
        return
    missing = [name for name in made.columns if name not in said.columns]
    if missing:
        yield f"ratings: the table of an export has no column {missing[0]!r}"
        return
    try:
        said = said.select(
            pl.col(name).str.to_datetime(time_unit="us")
            if said.schema[name] == pl.String and kind == pl.Datetime("us")
            else pl.col(name).cast(kind)
            for name, kind in made.schema.items()
        )
    except pl.exceptions.PolarsError as error:
        yield f"ratings: the table of an export cannot be read ({str(error).splitlines()[0]})"
        return
    yield from _compared("ratings of the export", ["player"], said, made, closeness)
