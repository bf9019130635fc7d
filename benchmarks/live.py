"""Matches as they end: a feed beside bare ``sqlite3`` or ``psycopg`` that commits the same rows.

What a feed writes is taken down as it runs: every row of every table, commit by commit. The bare
driver then writes the same rows into a copy of the league as it was before, in commits of the same
matches, with one ``executemany`` (``sqlite3``) or ``COPY`` (``psycopg``) for each table, the same
indexes and the same durability; nothing is rated, looked up or answered. Both have wall time and
CPU time; threads that call take their part of the latter.

With PostgreSQL (``PODIUM_POSTGRESQL`` is the address of a database that may be filled) two
processes feed one league, beside one that commits the same rows barely.
"""

import contextlib
import itertools
import multiprocessing
import os
import random
import resource
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import podium
from benchmarks.report import Figure
from podium.league import database, notices
from podium.results.contests import Contests

THREADS = 32
MATCHES = 20_000
PLAYERS = 5_000
ALONE = 1_000
"""Matches that come one at a time, and so many players among whom:"""
FEW = 200
FACTORS = 200
MILLION = 1_000_000
SERVER = os.environ.get("PODIUM_POSTGRESQL")


class Cost(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float


@contextlib.contextmanager
def timed(into: list[Cost]) -> Iterator[None]:
    """How long a block takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    into.append(Cost(time.perf_counter() - wall, time.process_time() - cpu))


Written = list[list[tuple[str, tuple[str, ...], str, list[tuple[Any, ...]]]]]
"""By commit: tables, columns, what is done where a row is there, and rows."""


@contextlib.contextmanager
def taken_down() -> Iterator[Written]:
    """What is written to leagues in this process, commit by commit."""
    commits: Written = [[]]
    before = database._execute_many, database._copy, notices._insert
    execute, copy, insert = before

    def rows_of(columns: dict[str, Any]) -> list[tuple[Any, ...]]:
        return [row for _, part in database._batches(columns) for row in part]

    def note(table: str, columns: tuple[str, ...], instead: str, rows: Any) -> None:
        if table == "contests":
            commits.append([])
        commits[-1].append((table, columns, instead, rows))

    def executed(connection: Any, table: Any, columns: Any, instead: str, meter: Any) -> None:
        note(table.name, tuple(columns), instead, rows_of(columns))
        execute(connection, table, columns, instead, meter)

    def copied(connection: Any, table: Any, names: Any, columns: Any, meter: Any) -> None:
        note(table.name, tuple(names), "", rows_of(columns))
        copy(connection, table, names, columns, meter)

    def inserted(cursor: Any, connection: Any, into: str, rows: Any) -> None:
        name, _, columns = into.partition(" (")
        note(name, tuple(columns.rstrip(")").split(", ")), "", rows)
        insert(cursor, connection, into, rows)

    database._execute_many = executed  # type: ignore[assignment]
    database._copy, notices._insert = copied, inserted
    try:
        yield commits
    finally:
        database._execute_many, database._copy, notices._insert = before


def bare_sqlite(path: Path, commits: Written) -> None:
    """Write the same rows into a league by ``sqlite3`` alone."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -262144")
        for commit in commits:
            connection.execute("BEGIN IMMEDIATE")
            for table, columns, instead, rows in commit:
                names = ", ".join(f'"{each}"' for each in columns)
                marks = ", ".join("?" * len(columns))
                connection.executemany(
                    f"INSERT INTO {table} ({names}) VALUES ({marks}){instead}", rows
                )
            connection.execute("COMMIT")


def bare_psycopg(address: str, commits: Written) -> None:
    """The same by ``psycopg`` alone."""
    import psycopg

    with psycopg.connect(address) as connection, connection.cursor() as cursor:
        for commit in commits:
            for table, columns, instead, rows in commit:
                names = ", ".join(f'"{each}"' for each in columns)
                if instead:
                    marks = ", ".join(["%s"] * len(columns))
                    cursor.executemany(
                        f"INSERT INTO {table} ({names}) VALUES ({marks}){instead}", rows
                    )
                else:
                    with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                        for row in rows:
                            copy.write_row(row)
            connection.commit()


def matches(seed: int, count: int, players: int) -> Iterator[list[str]]:
    """Who meets whom; the first wins."""
    rng = random.Random(seed)
    for _ in range(count):
        yield [f"player-{each}" for each in rng.sample(range(players), 2)]


def in_threads(feed: Any, threads: int, count: int, players: int, called: str = "m") -> None:
    """Record matches from so many threads, each of which waits for every answer."""

    def play(thread: int) -> None:
        for number, pair in enumerate(matches(thread, count // threads, players)):
            feed.record(pair, id=f"{called}-{thread}-{number}")

    running = [threading.Thread(target=play, args=(each,)) for each in range(threads)]
    for each in running:
        each.start()
    for each in running:
        each.join()


def run() -> list[Figure]:
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        figures += _sqlite(folder, "glicko2", "≥ 1/4")
        figures += _sqlite(folder, "elo-mmr", "≥ 1/10", factors=FACTORS)
        figures += _alone(folder)
        figures += _a_million(folder)
    if SERVER is not None:
        figures += _server()
    return figures


def _league(path: Path, system: str, players: int, factors: int) -> podium.League:
    """A league whose players have played so often."""
    league = podium.League.create(path, system)
    count = players * max(1, factors) // 2
    rng = np.random.default_rng(1)
    rounds = [rng.permutation(players) for _ in range(max(1, factors))]
    names = [f"player-{each}" for each in np.concatenate(rounds).tolist()]
    league.record(
        Contests.from_frame(
            pl.DataFrame(
                {
                    "contest": np.repeat([f"before-{each}" for each in range(count)], 2),
                    "time": np.repeat(np.arange(count) + 1_600_000_000, 2),
                    "player": names[: 2 * count],
                    "rank": np.tile([1, 2], count),
                }
            )
        )
    )
    return league


def _sqlite(folder: Path, system: str, goal: str, factors: int = 1) -> Iterator[Figure]:
    path, bare = folder / f"{system}.db", folder / f"{system}-bare.db"
    players = PLAYERS if factors == 1 else FEW
    count = MATCHES if factors == 1 else MATCHES // 4
    said = f"{system}, {factors} past factors" if factors > 1 else system
    ours, peer, slow = list[Cost](), list[Cost](), list[Cost]()
    with _league(path, system, players, factors) as league:
        with timed(slow):
            for number, pair in enumerate(matches(0, 40, players)):
                league.record(pair, id=f"slow-{number}", time="2025-01-01")
        with league.feed() as feed:
            feed.ratings([f"player-{each}" for each in range(players)])
            for _ in matches(9, 3, players):
                feed.record(_, id=None)
        shutil.copy(path, bare)
        with taken_down() as commits, league.feed() as feed:
            feed.ratings([f"player-{each}" for each in range(players)])
            in_threads(feed, THREADS, count // 4, players, "taken down")
        sizes = [len(commit[0][3]) for commit in commits[1:]]
        with timed(peer):
            bare_sqlite(bare, commits[1:])
        with league.feed() as feed:
            feed.ratings([f"player-{each}" for each in range(players)])
            with timed(ours):
                in_threads(feed, THREADS, count, players)
            together = count / feed.statistics["commits"]
        assert league.verify().sound
    theirs = sum(sizes) / peer[0].wall
    yield Figure(f"{said}: matches in a commit", together, "", "bare", float(np.mean(sizes)))
    yield Figure(f"{said}, {THREADS} threads", count / ours[0].wall, "matches/s")
    yield Figure(f"{said}: bare sqlite3", theirs, "matches/s")
    yield Figure(f"{said}: part of bare sqlite3", count / ours[0].wall / theirs, "wall", goal=goal)
    yield Figure(
        f"{said}: CPU of a match",
        1e6 * ours[0].cpu / count,
        "µs",
        "bare sqlite3",
        1e6 * peer[0].cpu / sum(sizes),
        goal,
    )
    yield Figure(
        f"{said}: League.record",
        40 / slow[0].wall,
        "matches/s",
        "the feed",
        count / ours[0].wall,
        "≥ 100",
    )


def _alone(folder: Path) -> Iterator[Figure]:
    """One match at a time, from one thread."""
    path, bare = folder / "alone.db", folder / "alone-bare.db"
    ours, peer = list[Cost](), list[Cost]()
    with _league(path, "glicko2", FEW, 1) as league:
        shutil.copy(path, bare)
        with taken_down() as commits, league.feed() as feed:
            in_threads(feed, 1, ALONE, FEW, "taken down")
        with timed(peer):
            bare_sqlite(bare, commits[1:])
        with league.feed() as feed:
            feed.ratings([f"player-{each}" for each in range(FEW)])
            with timed(ours):
                in_threads(feed, 1, ALONE, FEW)
    yield Figure(
        "one match at a time",
        1e6 * ours[0].cpu / ALONE,
        "CPU µs",
        "bare sqlite3",
        1e6 * peer[0].cpu / ALONE,
        "≥ 1/5",
    )
    yield Figure(
        "one match at a time",
        1e6 * ours[0].wall / ALONE,
        "µs",
        "bare sqlite3",
        1e6 * peer[0].wall / ALONE,
    )


def _a_million(folder: Path) -> Iterator[Figure]:
    """Questions to a feed of a million players, while matches pour in."""
    path = folder / "million.db"
    asked: dict[str, Callable[[Any, int], Any]] = {
        "ratings of two": lambda feed, n: feed.ratings([f"player-{n}", f"player-{n + 1}"]),
        "a chance": lambda feed, n: feed.win_probability(f"player-{n}", f"player-{n + 1}"),
        "a quality": lambda feed, n: feed.quality([f"player-{n}", f"player-{n + 1}"]),
        "a place": lambda feed, n: feed.place(f"player-{n}"),
        "the best ten": lambda feed, _: feed.leaderboard(10),
        "ten neighbours": lambda feed, n: feed.leaderboard(5, around=f"player-{n}"),
    }
    with _league(path, "glicko2", MILLION, 1) as league, league.feed() as feed:
        feed.leaderboard(1)
        for pours in (False, True):
            ending = threading.Event()

            def play(thread: int, ending: threading.Event = ending) -> None:
                for pair in matches(100 + thread, 10**9, 2000):
                    if ending.is_set():
                        return
                    feed.record(pair)

            running = [threading.Thread(target=play, args=(each,)) for each in range(4 * pours)]
            for each in running:
                each.start()
            start = feed.statistics["matches"], time.perf_counter()
            for what, ask in asked.items():
                taken = []
                for number in itertools.islice(itertools.cycle(range(2, 1000)), 200):
                    moment = time.perf_counter()
                    ask(feed, number)
                    taken.append(time.perf_counter() - moment)
                middle, most = 1e3 * np.median(taken), 1e3 * np.quantile(taken, 0.95)
                how = "while matches pour in" if pours else "at rest"
                yield Figure(f"of a million, {what}, {how}: median", middle, "ms")
                yield Figure(f"of a million, {what}, {how}: 95 %", most, "ms")
            if pours:
                done = feed.statistics["matches"] - start[0]
                rate = done / (time.perf_counter() - start[1])
                yield Figure("matches that pour in meanwhile, 4 threads", rate, "matches/s")
            ending.set()
            for each in running:
                each.join()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        yield Figure("peak of this process", peak, "MB")


def _feeding(address: str, worker: int, count: int, into: Any, ready: Any) -> None:
    """One of several processes that feed a league."""
    with podium.League(address) as league, league.feed() as feed:
        feed.record(["player-1", "player-2"], id=f"first of {worker}")
        ready.wait()
        begun = time.process_time()
        in_threads(feed, THREADS // 2, count, PLAYERS, f"w{worker}")
        into.put((feed.rates, time.process_time() - begun))
        ready.wait()


def _server() -> Iterator[Figure]:
    """Two processes on PostgreSQL."""
    import psycopg
    from sqlalchemy import make_url

    assert SERVER is not None
    addresses = []
    with psycopg.connect(SERVER, autocommit=True) as connection:
        for name in ("podium_live", "podium_live_bare"):
            connection.execute(f"DROP DATABASE IF EXISTS {name}")
            connection.execute(f"CREATE DATABASE {name}")
            addresses.append(
                make_url(SERVER).set(database=name).render_as_string(hide_password=False)
            )
    ours, peer = list[Cost](), list[Cost]()
    count = MATCHES // 2
    for address in addresses:
        _league(address, "glicko2", PLAYERS, 1).close()  # type: ignore[arg-type]
    with podium.League(addresses[0]) as league:
        with taken_down() as commits, league.feed() as feed:
            in_threads(feed, THREADS, count // 4, PLAYERS, "taken down")
        sizes = [len(commit[0][3]) for commit in commits[1:]]
        with timed(peer):
            bare_psycopg(addresses[1], commits[1:])
        theirs = sum(sizes) / peer[0].wall
        context = multiprocessing.get_context("spawn")
        into, ready = context.Queue(), context.Barrier(3)
        workers = [
            context.Process(target=_feeding, args=(addresses[0], each, count // 2, into, ready))
            for each in range(2)
        ]
        for each in workers:
            each.start()
        ready.wait()
        with timed(ours):
            cpu = [into.get() for _ in workers]
        ready.wait()
        for each in workers:
            each.join()
        assert league.verify().sound
    rate = count / ours[0].wall
    yield Figure("PostgreSQL, two workers, 16 threads each", rate, "matches/s")
    yield Figure("PostgreSQL: bare psycopg, one process", theirs, "matches/s")
    yield Figure("PostgreSQL: part of bare psycopg", rate / theirs, "wall", goal="≥ 1/5")
    for rates, seconds in cpu:
        who = "of the one who rates" if rates else "of the other"
        yield Figure(f"PostgreSQL: CPU of a match, {who}", 1e6 * seconds / count, "µs")
