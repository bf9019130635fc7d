"""What a change of a league costs beside bare ``sqlite3`` that writes the same rows, and the fold.

Every run has a copy of the league's file, opened anew; warm, the system has all of it in memory,
and cold, nothing. A change ends when the league is closed and one file again. Bare ``sqlite3``
writes the rows in which the league differs after the change: by primary key, into the same tables
with the same indexes and the same durability, with one ``executemany`` for each table, and empties
its write-ahead log as well. The fold is that of the contests which the change rates again, with all
that it needs in memory. Podium and bare ``sqlite3`` take turns, and the least of each counts.
"""

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import podium
from benchmarks.report import Figure
from podium.league import edits, schema

RUNS = 3
_CACHES = Path("/proc/sys/vm/drop_caches")
Act = Callable[[podium.League], Any]


class Cost(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float

    def plus(self, other: "Cost") -> "Cost":
        """Both together."""
        return Cost(self.wall + other.wall, self.cpu + other.cpu)


class Difference(NamedTuple):
    """What of a table is another than before."""

    name: str
    keys: list[str]
    columns: list[str]
    rows: list[tuple[Any, ...]]
    gone: list[tuple[Any, ...]]

    def write(self, connection: sqlite3.Connection) -> None:
        """Make a table of before that of after."""
        own = ", ".join(f'"{each}"' for each in self.columns)
        where = " AND ".join(f"{each} = ?" for each in self.keys)
        marks = ", ".join("?" * len(self.columns))
        changed = ", ".join(f'"{each}" = excluded."{each}"' for each in self.columns)
        instead = f"ON CONFLICT ({', '.join(self.keys)}) DO UPDATE SET {changed}"
        connection.executemany(f"DELETE FROM {self.name} WHERE {where}", self.gone)
        connection.executemany(
            f"INSERT INTO {self.name} ({own}) VALUES ({marks}) {instead}", self.rows
        )


def figures(folder: Path, league: Path, what: str, act: Act) -> Iterator[Figure]:
    """The figures of one change of the league in a file, which is left as it is."""
    copy = folder / "change.db"
    rows, fold = _rows(copy, league, act), _fold(copy, league, act)
    yield Figure(f"{what}: the fold alone", fold.cpu, "CPU s")
    written = sum(len(each.rows) for each in rows)
    yield Figure(f"{what}: rows written", written, "rows")
    for state, prepare in (("warm", _warm), ("cold", _cold)):
        ours, bare = _in_turn(copy, league, prepare, act, rows)
        both = bare.plus(fold)
        peer = "bare sqlite3 + fold"
        yield Figure(f"{what}, {state}: bare sqlite3", bare.wall, "s")
        yield Figure(f"{what}, {state}: bare sqlite3", bare.cpu, "CPU s")
        yield Figure(f"{what}, {state}", ours.wall, "s", peer, both.wall, "≥ 1/4")
        yield Figure(f"{what}, {state}", ours.cpu, "CPU s", peer, both.cpu, "≥ 1/4")


def _in_turn(
    copy: Path, league: Path, prepare: Callable[[Path], None], act: Act, rows: list[Difference]
) -> tuple[Cost, Cost]:
    """What podium and bare `sqlite3` take at least."""

    def changed() -> None:
        with podium.League(copy) as opened:
            act(opened)

    times: tuple[list[Cost], list[Cost]] = ([], [])
    for _ in range(RUNS):
        for mine, action in zip(times, (changed, lambda: _written(copy, rows)), strict=True):
            shutil.copyfile(league, copy)
            prepare(copy)
            mine.append(_cost(action))
            copy.unlink()
    return _least(times[0]), _least(times[1])


def _least(costs: list[Cost]) -> Cost:
    return Cost(min(each.wall for each in costs), min(each.cpu for each in costs))


def _cost(action: Callable[[], Any]) -> Cost:
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def _written(path: Path, rows: list[Difference]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = -262144")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN IMMEDIATE")
        for each in rows:
            each.write(connection)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _warm(path: Path) -> None:
    """Let the system have all of a file in memory, and nothing to write."""
    _cold(path)
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 24):
            pass


def _cold(path: Path) -> None:
    """Let the system have nothing of a file in memory, as far as it lets us."""
    os.sync()
    try:
        _CACHES.write_text("3")
    except OSError:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _rows(copy: Path, league: Path, act: Act) -> list[Difference]:
    """The rows that a change writes."""
    shutil.copyfile(league, copy)
    with podium.League(copy) as opened:
        act(opened)
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("ATTACH ? AS earlier", (str(league),))
        found = [_difference(connection, table) for table in schema.metadata.sorted_tables]
    copy.unlink()
    return [each for each in found if each.rows or each.gone]


def _difference(connection: sqlite3.Connection, table: Any) -> Difference:
    keys = [each.name for each in table.primary_key.columns]
    columns = [each.name for each in table.c]
    both = " AND ".join(f"now.{each} = was.{each}" for each in keys)
    other = " OR ".join(f'now."{each}" IS NOT was."{each}"' for each in columns)
    own = ", ".join(f'now."{each}"' for each in columns)
    rows = connection.execute(
        f"SELECT {own} FROM main.{table.name} AS now LEFT JOIN earlier.{table.name} AS was "
        f"ON {both} WHERE {other} ORDER BY {', '.join(f'now.{each}' for each in keys)}"
    ).fetchall()
    theirs = ", ".join(f"was.{each}" for each in keys)
    gone = connection.execute(
        f"SELECT {theirs} FROM earlier.{table.name} AS was WHERE NOT EXISTS "
        f"(SELECT 1 FROM main.{table.name} AS now WHERE {both})"
    ).fetchall()
    return Difference(table.name, keys, columns, rows, gone)


def _fold(copy: Path, league: Path, act: Act) -> Cost:
    """What folding takes in a change, beside which nothing else is done."""
    times: list[Cost] = []

    def watched(task: edits.Task, *args: Any, **kwargs: Any) -> Any:
        for _ in range(RUNS):
            times.append(_cost(lambda: folded(task, *args, **kwargs)))
        return folded(task, *args, **kwargs)

    shutil.copyfile(league, copy)
    folded = edits.Task.folded
    edits.Task.folded = watched  # type: ignore[method-assign]
    try:
        with podium.League(copy) as opened:
            act(opened)
    finally:
        edits.Task.folded = folded  # type: ignore[method-assign]
    copy.unlink()
    return _least(times)
