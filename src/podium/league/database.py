"""The database of a league: how it is opened, locked, read and written in bulk.

A change is one transaction that begins by taking the league for itself, so that changes happen
one after the other; readers see what was before it or what is after it, and nobody waits for them.
SQLite needs no preparation; PostgreSQL needs a database, and the package psycopg.
"""

import functools
import itertools
import json
import math
import os
import sqlite3
import stat
import sys
import threading
import time as clock
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast
from weakref import WeakSet

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import (
    ARRAY,
    Column,
    Connection,
    Engine,
    Table,
    Text,
    any_,
    create_engine,
    event,
    func,
    inspect,
    literal,
    select,
)
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlalchemy.pool import QueuePool

from podium.errors import BusyError, ConflictError, InputError, NotFoundError, StorageError
from podium.extras import missing
from podium.league import schema, sqlite
from podium.league.remembering import Remembered
from podium.league.rules import is_number
from podium.progress import Report
from podium.ratings.beliefs import Beliefs
from podium.ratings.calibration import Calibration
from podium.texts import without_passwords
from podium.wording import suggestion

_WRITING = "podium_writing"
_TABLES = frozenset((*schema.metadata.tables, "alembic_version"))
_FIRST_TABLES = _TABLES - {
    *("attributes", "seasons", "starts", "batches", "segments"),
    *(each.name for each in (*schema.OF_THE_WEB, *schema.OF_HINDSIGHT)),
}
"""Those that a league has had from its first version on."""
_CACHE = 256 * 1024
"""How much of a SQLite file a change may keep in memory, in KiB."""
_SMALL_CACHE = 4 * 1024
"""The same of each of many who only read: the system keeps the file in memory for all of them."""
_READERS = 64
"""So many who only read a file keep their connections; more of them have one for a question."""
_PASTS = 4
"""Leaderboards of the past that are kept for many who only read."""
_READERS_OF_A_SERVER = 20
"""The same of a server, to which there are at most three times as many."""
_PAUSE = 0.25
"""Seconds in which a server is not asked for its pulse again."""
_CHECKED = "podium_checked"
_VERSION = "SELECT version_num FROM alembic_version"
_DURABLE = (
    "SELECT set_config('synchronous_commit', 'on', false) "
    "WHERE current_setting('synchronous_commit') = 'off'"
)
"""What is committed is on the disk, also where a server is set to answer before it is."""
_STATE = (
    "SELECT league.created, log.id, log.time FROM league "
    "LEFT JOIN log ON log.id = (SELECT max(id) FROM log)"
)
_ROWS_AT_ONCE = 10_000
_ROWS_TOGETHER = (100, 25, 1)
"""How many rows a statement inserts while so many are left."""
_FEW_ROWS = 256
_ROWS_FETCHED = 500
_LOOKED_AT = 20_000
_LONGEST = 86_400
"""How many seconds a change may wait for another."""
_SQLITE_HEADER = b"SQLite format 3\0"
_MIGRATIONS = Path(__file__).parent / "migrations"

_BUSY = ("database is locked", "lock timeout")
_REASONS = {
    "readonly database": "it is read-only",
    "disk is full": "the disk is full",
    "disk I/O error": "the disk failed or is full",
    "unable to open": "it cannot be opened",
    "malformed": "the file is damaged",
    "not a database": "the file is not a league",
    "server closed the connection": "the connection to the database was lost",
    "terminating connection": "the connection to the database was lost",
    "connection is closed": "the connection to the database was lost",
    "connection is lost": "the connection to the database was lost",
    "password authentication failed": "the user or the password is wrong",
    "no password supplied": "a password is needed",
    'FATAL:  role "': "the server does not know this user, or does not let them in",
    'FATAL:  database "': "the server has no such database; createdb makes one",
    "could not translate host name": "there is no such host",
    "failed to resolve host": "there is no such host",
    "connection failed": "there is no connection to the database",
    "Connection refused": "there is no connection to the database",
    "connection is bad": "there is no connection to the database",
    "could not extend file": "the disk of the database is full",
    "read-only transaction": "it is read-only",
    "permission denied": "this user may not do that in the database",
}


_in_use: dict[object, str | None] = {}
"""The files of the transactions that run in this process."""
_cut_off: set[str | None] = set()
"""The files of those that ran when it was forked: what SQLite remembers of their locks is wrong."""
_theirs: list[Connection] = []
"""Connections of a parent, which nobody is to close here."""


_open: "WeakSet[Database]" = WeakSet()


def _before_fork() -> None:
    """Close the files that nobody uses.

    SQLite shares memory and holds locks through connections that are open, even at rest, and would
    take those of the parent for the child's, which has neither.
    """
    used = set(_in_use.values())
    for database in list(_open):
        if database.is_sqlite and database._file not in used:
            database.rest()


def _after_fork() -> None:
    _cut_off.update(file for file in _in_use.values() if file is not None)
    for database in list(_open):
        if database.is_sqlite and database._file not in _cut_off and not database.rests:
            _cut_off.add(database._file)  # somebody came between
    _in_use.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_after_fork)


class Database:
    """Where a league is kept."""

    def __init__(
        self,
        where: str | os.PathLike[str],
        *,
        wait: float,
        new: bool = False,
        readonly: bool = False,
    ) -> None:
        self.url, self.path = _location(where)
        self.shown = str(self.path) if self.path is not None else _without_password(self.url)
        self.is_sqlite = self.path is not None
        self.readonly = readonly
        if not is_number(wait) or not 0.0 <= wait <= _LONGEST:
            raise InputError(
                f"wait must be a number of seconds, from 0 to {_LONGEST:,}, not {wait!r}."
            )
        if self.path is not None and not new:
            _refuse_what_is_no_file(self.path)
        elif self.path is not None:
            _refuse_where_no_file_can_be(self.path)
        self._is_new = new and self.path is not None and not self.path.exists()
        self._mode: sqlite.Mode = "ro" if readonly else "rwc" if new else "rw"
        self._file = None if self.path is None else str(self.path.resolve())
        self._wait = float(wait)
        self._pulse = None if self.path is None else sqlite.Pulse(self.path.absolute())
        self._turns = sqlite.Turns()
        self._asked, self._state = -math.inf, ""
        self.pasts = Remembered[pl.DataFrame](_PASTS if readonly else 1)
        self.fields = Remembered[tuple[Beliefs, list[str]]](1)
        self.running = Remembered[Any](2)
        self.live = Remembered[Any](8)
        self.hidden = Remembered[frozenset[int]](1)
        self.calibrations = Remembered[Calibration](_PASTS if readonly else 1)
        self._made: Engine = self._server() if self.path is None else self._files(self.path)
        self._asking: Engine = self._made
        if not self.is_sqlite:
            how = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": readonly}
            self._asking = self._made.execution_options(**how)
        self._process = os.getpid()
        _open.add(self)

    @property
    def _engine(self) -> Engine:
        """With connections of this process."""
        self._require_process()
        return self._made

    def _require_process(self) -> None:
        """Have connections of this process: a child of a fork leaves those of its parent alone."""
        if self._file in _cut_off:
            raise StorageError(
                f"{self.shown}: was in use when this process was forked, and SQLite cannot be "
                f"shared so; fork when nobody reads or changes it, or start by spawn or forkserver."
            )
        if self._process != os.getpid():
            self._left = self._made.pool  # to close what is in it might undo what the parent does
            self._made.dispose(close=False)
            self._process = os.getpid()

    def _files(self, path: Path) -> Engine:
        """Connections to a file; those to one that is no longer at its path are given up."""
        place, cache = path.absolute(), _SMALL_CACHE if self.readonly else _CACHE

        def connect() -> sqlite3.Connection:
            if self._mode != "rwc" and not place.exists():
                raise NotFoundError(f"{self.shown}: there is no such league any more.")
            return sqlite.connect(place, self._mode, wait=self._wait, cache=cache)

        engine = create_engine(
            "sqlite://",
            creator=connect,
            poolclass=QueuePool,
            pool_size=_READERS if self.readonly else 1,  # who stays remembers what it has read
            max_overflow=-1 if self.readonly else 8,
            pool_timeout=self._wait,
            pool_use_lifo=True,
        )
        event.listen(engine, "begin", _begin)
        event.listen(engine, "checkout", _refuse_another_file)
        return engine

    def _server(self) -> Engine:
        size, more = (_READERS_OF_A_SERVER, 2 * _READERS_OF_A_SERVER) if self.readonly else (1, 4)
        try:
            engine = create_engine(
                self.url,
                pool_pre_ping=True,
                pool_size=size,
                max_overflow=more,
                pool_timeout=self._wait,
                pool_use_lifo=True,
            )
        except (ModuleNotFoundError, NoSuchModuleError):
            raise missing("psycopg") from None
        milliseconds = max(1, int(1000 * self._wait))  # 0 would be without end
        if self.readonly:

            @event.listens_for(engine, "connect")
            def _only_read(connection: Any, _: object) -> None:
                connection.execute("SET default_transaction_read_only = on")
                connection.execute(f"SET lock_timeout = {milliseconds}")
                connection.commit()

        else:

            @event.listens_for(engine, "begin")
            def _limit(connection: Connection) -> None:
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {milliseconds}")

        return engine

    def keep_private(self) -> None:
        """Make the file, which must not be there, one that only its owner can read and write."""
        if self.path is None:
            raise InputError("private is for a league in a file; a server has users of its own.")
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            raise ConflictError(
                f"{self.shown}: is there already; a private league is made under a new name."
            ) from None
        except OSError as error:
            said = (error.strerror or "").lower()
            raise StorageError(f"{self.shown}: cannot be made ({said}).") from None

    def close(self) -> None:
        """Let go of all connections."""
        if self._process == os.getpid():
            with self._in_use():
                self.rest()
                if self.path is not None and self.readonly:
                    sqlite.tidy(self.path)

    def rest(self) -> None:
        """Let go of the connections that nobody uses; who asks or changes makes new ones."""
        if self._pulse is not None:
            self._pulse.close()
        self._made.dispose()

    @property
    def rests(self) -> bool:
        """Whether it has no connection to a file."""
        pool: Any = self._made.pool
        return self._pulse is not None and not self._pulse.is_open and not pool.checkedin()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the league, whatever others do.

        What the database refuses while it is used, `explained` says; errors of others pass.
        """
        self._require_process()
        process = os.getpid()
        with self._in_use(), self._turns.taken() if self._turns.needed else nullcontext():
            with self.explained():
                connection = self._asking.connect()
            try:
                with self.explained():
                    connection.begin()
                    self._require_version_quickly(connection)
                    if self.is_sqlite:
                        self._turns.needed = not _driver(connection).has_log()
                yield connection
                if self.is_sqlite and process == os.getpid():
                    self._refuse_mixture(connection)
            finally:
                if process == os.getpid():
                    with self.explained():
                        connection.close()
                else:  # in a child of a fork, it is the parent's
                    _theirs.append(connection)

    def _refuse_mixture(self, connection: Connection) -> None:
        """Raise if a file that was read as one which nobody changes was changed."""
        driver = _driver(connection)
        if driver.settled and driver.has_moved():
            raise BusyError(f"{self.shown}: was changed while it was read; ask again.")

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        """Let it be known while a transaction runs, should this process be forked."""
        mark = object()
        _in_use[mark] = self._file
        try:
            yield
        finally:
            _in_use.pop(mark, None)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection that nobody changes the league beside; all that it does, or nothing."""
        self.refuse_to_write()
        with self._in_use(), self.explained(), self._alone() as connection:
            self._require_version(connection)
            if not self.is_sqlite:
                connection.execute(select(schema.league.c.id).with_for_update())
            yield connection

    @contextmanager
    def noting(self) -> Iterator[Connection]:
        """A connection that writes what is no change of the league, whoever changes it meanwhile.

        In a file it waits for them all the same.
        """
        self.refuse_to_write()
        with self._in_use(), self.explained(), self._alone() as connection:
            self._require_version_quickly(connection)
            yield connection

    @contextmanager
    def making(self) -> Iterator[tuple[Connection, str | None]]:
        """A connection to make or to change the tables with; the version that they have now."""
        self.refuse_to_write()
        with (
            self._in_use(),
            self._leaving_nothing_empty(),
            self.explained(),
            self._alone() as connection,
        ):
            if not self.is_sqlite:
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7068697)")
            yield connection, self._version(connection)
        self._is_new, self._mode = False, "rw"

    def refuse_to_write(self) -> None:
        """Raise if it is open for reading only."""
        if self.readonly:
            raise InputError(
                f"{self.shown}: is open for reading only; podium.League(…) opens a league that can "
                f"be changed."
            )

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        """A transaction beside which there is no other that writes."""
        engine = self._engine.execution_options(**{_WRITING: True})
        with engine.connect() as connection:
            changed = False
            try:
                with connection.begin():
                    yield connection
                changed = True
            finally:
                if self.is_sqlite and not connection.invalidated:
                    sqlite.settle(_driver(connection), changed=changed)

    def own_connection(self) -> Connection:
        """A connection for somebody who makes one change after the other; see `alone_on`."""
        self.refuse_to_write()
        with self.explained():
            connection = self._engine.execution_options(**{_WRITING: True}).connect()
            if not self.is_sqlite:
                connection.exec_driver_sql(_DURABLE)
                connection.commit()
            return connection

    def give_back(self, connection: Connection) -> None:
        """Let go of a connection of one's own."""
        with self.explained():
            if self.is_sqlite and not connection.invalidated:
                sqlite.settle(_driver(connection), changed=True)
            connection.close()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let it be known that a connection is kept: a child of a fork cannot use the file then."""
        with self._in_use():
            yield

    @contextmanager
    def listening(self, *channels: str) -> Iterator[Any]:
        """The server's own connection, past SQLAlchemy, on which it says what was notified."""
        with self.explained():
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            driver: Any = connection.connection.driver_connection
            with self.explained():
                for channel in channels:
                    connection.exec_driver_sql(f"LISTEN {channel}")
            yield driver
        finally:
            connection.invalidate()
            connection.close()

    @contextmanager
    def alone_on(self, connection: Connection) -> Iterator[Connection]:
        """The same as `writing` on a connection of one's own, which has been here before."""
        with self._in_use(), self.explained():
            if self.is_sqlite and _driver(connection).has_moved():
                raise StorageError(f"{self.shown}: another file is in its place; nothing was kept.")
            with connection.begin():
                self._require_version_quickly(connection)
                if not self.is_sqlite:
                    connection.exec_driver_sql("SELECT id FROM league FOR UPDATE")
                yield connection

    def version_seen(self, connection: Connection) -> int | None:
        """A number that stays while nobody else changes a file; None where there is none."""
        if not self.is_sqlite:
            return None
        (version,) = _driver(connection).execute("PRAGMA data_version").fetchone()
        return int(version)

    def last_entry(self, connection: Connection) -> int:
        """The number of the last entry of the log."""
        (number,) = connection.exec_driver_sql("SELECT max(id) FROM log").one()
        return int(number or 0)

    @contextmanager
    def _leaving_nothing_empty(self) -> Iterator[None]:
        """Remove a file that was made for a league which did not come about."""
        try:
            yield
        except BaseException:
            if self._is_new and self.path is not None and self.path.exists():
                self.close()
                if not self.path.stat().st_size:
                    self.path.unlink()
            raise

    def pulse(self) -> str:
        """The same as `state`, so quick that an event loop can ask before every answer."""
        self._require_process()
        if self._pulse is not None:
            mark = object()  # as `_in_use` does, which would take as long as the rest of it
            _in_use[mark] = self._file
            try:
                return self._pulse.state(self._check, _of_file)
            except sqlite3.Error:
                with self.explained():
                    raise
            finally:
                _in_use.pop(mark, None)
        if clock.monotonic() >= self._asked + _PAUSE:
            with self.reading() as connection, self.explained():
                self._state = state(connection)
            self._asked = clock.monotonic()
        return self._state

    def _check(self) -> None:
        """Raise if there is no league that this podium can read."""
        with self.reading():
            pass

    def upgrade(self, connection: Connection, version: str = "head") -> None:
        """Run the steps that are missing."""
        from alembic import command
        from alembic.config import Config

        config = Config(stdout=open(os.devnull, "w"))  # noqa: SIM115
        config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, version)
        finally:
            config.stdout.close()

    def _version(self, connection: Connection) -> str | None:
        names = set(inspect(connection).get_table_names())
        if not names:
            return None
        if len(names & _FIRST_TABLES) < len(_FIRST_TABLES) / 2:
            raise ConflictError(
                f"{self.shown}: is a database of something else, with the table "
                f"{min(names)!r}; a league needs one of its own."
            )
        if lost := _FIRST_TABLES - names:
            raise self._damaged(f"there is no table {min(lost)!r}")
        versions = connection.exec_driver_sql("SELECT version_num FROM alembic_version").fetchall()
        version = versions[0][0] if len(versions) == 1 else None
        if not isinstance(version, str) or not (version.isdecimal() and len(version) == 4):
            raise self._damaged("there is no version of its tables")
        if version == schema.VERSION and (lost := _TABLES - names):
            raise self._damaged(f"there is no table {min(lost)!r}")
        return version

    def _damaged(self, how: str) -> StorageError:
        return StorageError(f"{self.shown}: is damaged: {how}; a backup may help.")

    def _require_version_quickly(self, connection: Connection) -> None:
        """The same, at once if the connection was here before and no table has changed since."""
        tables, versions = 0, list[tuple[Any, ...]]()
        if self.is_sqlite:
            (tables,) = _driver(connection).execute("PRAGMA schema_version").fetchone()
        if connection.info.get(_CHECKED) == tables:
            if self.is_sqlite:
                versions = _driver(connection).execute(_VERSION).fetchall()
            else:
                versions = [tuple(each) for each in connection.exec_driver_sql(_VERSION)]
        if versions != [(schema.VERSION,)]:
            self._require_version(connection)
            connection.info[_CHECKED] = tables

    def _require_version(self, connection: Connection) -> None:
        version = self._version(connection)
        if version is None:
            raise NotFoundError(f"{self.shown}: holds no league; podium init makes one.")
        if version < schema.VERSION:
            raise StorageError(
                f"{self.shown}: was made by an earlier version of podium; "
                f"podium migrate brings it up to date."
            )
        if version > schema.VERSION:
            raise StorageError(f"{self.shown}: was made by a later version of podium.")

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Say in a sentence what a database refuses."""
        try:
            yield
        except UnicodeEncodeError:
            raise InputError("half a character, a surrogate, is no text to keep.") from None
        except UnicodeDecodeError:  # SQLite quotes the bytes that it does not understand
            raise self._damaged("it holds what is no text") from None
        except NoConnectionError:
            raise BusyError(
                f"{self.shown}: other threads have all connections of this process and were "
                f"waited for in vain, for {self._wait:g} s; nothing was changed; try again."
            ) from None
        except _refusals() as error:
            said = str(getattr(error, "orig", error)).strip()
            if "not a database" in said and self.path is not None:
                _refuse_another_format(self.path)
            if any(part in said.lower() for part in _BUSY):
                raise BusyError(
                    f"{self.shown}: another process is changing it and was waited for in vain, "
                    f"for {self._wait:g} s; nothing was changed; try again."
                ) from None
            for part, reason in _REASONS.items():
                if part.lower() in said.lower():
                    raise StorageError(f"{self.shown}: {reason}; nothing was changed.") from None
            first = said.splitlines()[0] if said else type(error).__name__
            raise StorageError(
                f"{self.shown}: the database refuses ({first}); nothing was changed."
            ) from error


def _refusals() -> tuple[type[Exception], ...]:
    """What databases raise, by way of SQLAlchemy or past it."""
    psycopg = sys.modules.get("psycopg")
    return (DBAPIError, sqlite3.Error, *((psycopg.Error,) if psycopg is not None else ()))


def _refuse_another_file(connection: Any, *_: object) -> None:
    """Give up a connection to a file that another has taken the place of."""
    if connection.has_moved():
        raise DisconnectionError


def _driver(connection: Connection) -> sqlite.File:
    """SQLite's own connection, past SQLAlchemy, which would take as long as most questions."""
    return cast("sqlite.File", connection.connection.driver_connection)


def insert_or_update(connection: Connection) -> Any:
    """What makes statements that insert a row or, if there is one, change it, at once."""
    return sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert


def state(connection: Connection) -> str:
    """A text that is the same as long as nothing in the league has changed, and another after."""
    if connection.dialect.name == "sqlite":
        return _of_file(_driver(connection))
    return _state_of(connection.exec_driver_sql(_STATE).first())


def state_after(created: int, entry: int, time: int) -> str:
    """The same of a league of that age, whose last entry of the log is that one."""
    return _state_of((created, entry, time))


def _of_file(connection: sqlite3.Connection) -> str:
    return _state_of(connection.execute(_STATE).fetchone())


def _state_of(row: Any) -> str:
    """The same by the last entry of the log, which every change adds to."""
    if row is None:
        raise StorageError("the database is damaged: the league has lost its name.")
    return blake2b(repr(tuple(row)).encode(), digest_size=8).hexdigest()


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get(_WRITING, False)
    _driver(connection).execute("BEGIN IMMEDIATE" if immediate else "BEGIN")


def is_url(where: object) -> bool:
    """Whether it names a database by URL rather than by path."""
    return isinstance(where, str) and "://" in where


def _location(where: str | os.PathLike[str]) -> tuple[URL, Path | None]:
    """The address of the database, and the path if it is a file."""
    if not isinstance(where, str | os.PathLike):
        raise InputError(f"the path or URL of a league is needed, not {type(where).__name__}.")
    if not is_url(where):
        return make_url("sqlite://"), Path(where)
    try:
        url = make_url(str(where))
    except (ArgumentError, ValueError):
        raise InputError(
            "the URL of the league cannot be read; postgresql://user@host/database is one."
        ) from None
    if url.drivername.startswith("sqlite"):
        if not url.database or url.database == ":memory:":
            raise InputError("a league in SQLite needs a file, as in sqlite:///league.db.")
        return url, Path(url.database)
    if "@" in (url.host or ""):
        raise InputError("an @ in the user or the password of a URL is written as %40.")
    if url.drivername in ("postgres", "postgresql"):
        return url.set(drivername="postgresql+psycopg"), None
    if url.drivername in ("http", "https"):
        raise InputError(
            f"{without_passwords(str(where))}: is the address of a site; this is done where the "
            f"league is kept, in SQLite or PostgreSQL."
        )
    if not url.drivername.startswith("postgresql"):
        raise InputError(f"a league is kept in SQLite or PostgreSQL, not in {url.drivername!r}.")
    return url, None


def _without_password(url: URL) -> str:
    shown = url.set(drivername="postgresql").render_as_string(hide_password=True)
    return without_passwords(shown)


def _refuse_what_is_no_file(path: Path) -> None:
    """Raise if a file cannot be a league, before SQLite makes of it what it likes."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder, not a league; podium init {path}/league.db …")
    try:
        found = path.stat()
    except FileNotFoundError:
        raise NotFoundError(
            f"{path}: there is no such league; podium init {path} makes one."
        ) from None
    except OSError as error:
        raise StorageError(f"{path}: cannot be read ({(error.strerror or '').lower()}).") from None
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path}: is not a league; podium init LEAGUE makes one.")


def _refuse_another_format(path: Path) -> None:
    """Raise if a file that SQLite refuses is none of it, and no damaged one either.

    To open it before would let go of the locks that this process has on it.
    """
    with suppress(OSError), open(path, "rb") as file:
        if file.read(len(_SQLITE_HEADER)) != _SQLITE_HEADER:
            raise InputError(f"{path}: is not a league; podium init LEAGUE makes one.") from None


def _refuse_where_no_file_can_be(path: Path) -> None:
    """Raise if there is no place for a new file."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder; a league is a file, as {path / 'league.db'}.")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {str(path.parent)!r} for it.")


class Meter:
    """Counts rows that are rated and rows that are written, in two threads, for whoever watches."""

    def __init__(self, progress: Report | None = None) -> None:
        self._progress = progress
        self._lock = threading.Lock()
        self._done = 0
        self._total = 0
        self._least = 0

    def expect(self, rows: int) -> None:
        """So many more are to come."""
        self._total += rows

    def expect_in_all(self, rows: int) -> None:
        """So many in all, even if fewer are expected so far."""
        self._least = rows

    def add(self, rows: int) -> None:
        """So many more are done."""
        with self._lock:
            self._done += rows
            if self._progress is not None and self._total:
                total = max(self._total, self._least)
                self._progress(min(self._done, total), total)


UNWATCHED = Meter()


def insert(
    connection: Connection, table: Table, columns: dict[str, Any], meter: Meter = UNWATCHED
) -> None:
    """Insert rows given as columns: arrays, lists or single values for all rows."""
    if connection.dialect.name == "postgresql":
        _copy(connection, table, list(columns), columns, meter)
    else:
        _execute_many(connection, table, columns, "", meter)


def replace(
    connection: Connection, table: Table, keys: Sequence[str], columns: dict[str, Any]
) -> None:
    """Insert rows, in place of those with the same keys."""
    instead = _instead("{name} = excluded.{name}", table.name, tuple(keys), tuple(columns))
    _execute_many(connection, table, columns, instead, UNWATCHED)


def add(connection: Connection, table: Table, keys: Sequence[str], columns: dict[str, Any]) -> None:
    """Insert rows, or add their numbers to those of rows with the same keys."""
    how = "{name} = {table}.{name} + excluded.{name}"
    instead = _instead(how, table.name, tuple(keys), tuple(columns))
    _execute_many(connection, table, columns, instead, UNWATCHED)


@functools.cache
def _instead(how: str, table: str, keys: tuple[str, ...], columns: tuple[str, ...]) -> str:
    """What becomes of rows whose keys are there."""
    own = [_quoted(name) for name in columns if name not in keys]
    changed = ", ".join(how.format(name=name, table=table) for name in own)
    return f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {changed}"


def _execute_many(
    connection: Connection, table: Table, columns: dict[str, Any], instead: str, meter: Meter
) -> None:
    """Insert many rows, past SQLAlchemy, which would look at each of them.

    Several go into one statement: SQLite then needs half the time. But it would keep all pages as
    they were, should a statement of several rows fail: not if that is to end the transaction, and
    not for a statement of one row that replaces another.
    """
    is_sqlite = connection.dialect.name == "sqlite"
    length = _length(columns)
    if is_sqlite and length <= _FEW_ROWS:
        cursor: Any = connection.connection.cursor()
        few = zip(*(_few(each, length) for each in columns.values()), strict=True)
        cursor.executemany(_one_by_one(table.name, tuple(columns), instead), few)
        cursor.close()
        meter.add(length)
        return
    verb = "INSERT OR FAIL" if is_sqlite and not instead else "INSERT"
    start = f"{verb} INTO {table.name} ({', '.join(map(_quoted, columns))}) VALUES "
    fixed = {name: _literal(each) if is_sqlite else None for name, each in columns.items()}
    if all(fixed.values()):
        fixed = dict.fromkeys(columns)
    mark = "?" if is_sqlite else "%s"
    one = f"({', '.join(text or mark for text in fixed.values())})"
    columns = {name: each for name, each in columns.items() if fixed[name] is None}
    width = len(columns)
    sizes = [size for size in _ROWS_TOGETHER if size * width <= _most_values(connection)]
    if is_sqlite and instead:
        sizes = [1]
    cursor = connection.connection.cursor()
    try:
        for count, rows in _batches(columns):
            if sizes == [1]:
                cursor.executemany(start + one + instead, rows)
                meter.add(count)
                continue
            values, first = list(itertools.chain.from_iterable(rows)), 0
            for size in sizes:
                span, last = size * width, count - (count - first) % size
                if first < last:
                    cursor.executemany(
                        start + ", ".join([one] * size) + instead,
                        [values[at : at + span] for at in range(first * width, last * width, span)],
                    )
                first = last
            meter.add(count)
    finally:
        cursor.close()


@functools.cache
def _one_by_one(table: str, columns: tuple[str, ...], instead: str) -> str:
    """What inserts one row into a table of a file; for few rows, nothing else is worth it."""
    verb = "INSERT" if instead else "INSERT OR FAIL"
    marks = ", ".join("?" * len(columns))
    return f"{verb} INTO {table} ({', '.join(map(_quoted, columns))}) VALUES ({marks}){instead}"


def _length(columns: dict[str, Any]) -> int:
    """How many rows columns have."""
    for each in columns.values():
        if type(each) is np.ndarray or type(each) is list:
            return len(each)
    return 1


def _most_values(connection: Connection) -> int:
    """How many values a statement may have: 999 in SQLite before 3.32, and more since."""
    if connection.dialect.name != "sqlite":
        return 65_535
    driver: Any = connection.connection.driver_connection
    most: int = driver.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    return most


def _literal(column: Any) -> str | None:
    """How SQL says a column that holds one number, or nothing at all; None for others.

    What stands in the statement need not be given with every row.
    """
    if isinstance(column, list):
        return "NULL" if column and column.count(None) == len(column) else None
    if not isinstance(column, np.ndarray) or len(column) == 0 or column.dtype.kind not in "biuf":
        return None
    if np.isnan(column[0]):
        return "NULL" if np.isnan(column).all() else None
    value = float(column[0]) + 0.0 if column.dtype.kind == "f" else int(column[0])
    return repr(value) if np.isfinite(value) and (column == column[0]).all() else None


def _quoted(name: str) -> str:
    return f'"{name}"' if name == "rows" else name


def _batches(columns: dict[str, Any]) -> Iterator[tuple[int, Iterator[tuple[Any, ...]]]]:
    """Rows, so many at once that they fit into the processor's cache."""
    length = _length(columns)
    for start in range(0, length, _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, length)
        lists = [_values(each, start, stop) for each in columns.values()]
        yield stop - start, zip(*lists, strict=True)


def _values(column: Any, start: int, stop: int) -> list[Any]:
    """A part of a column; what is not a number is None, and no zero is negative."""
    if isinstance(column, list):
        return column[start:stop]
    if not isinstance(column, np.ndarray):
        return [column] * (stop - start)
    part = column[start:stop]
    if len(part) <= _FEW_ROWS:
        return _few(part, len(part))
    if part.dtype.kind == "f":
        part = part + 0.0
        if np.isnan(part).any():
            return pl.Series(part, nan_to_null=True).to_list()
    values: list[Any] = part.tolist()
    return values


def _few(column: Any, length: int) -> list[Any]:
    """The same of a whole column that is short, where every call counts."""
    if type(column) is list:
        return column
    if type(column) is not np.ndarray:
        return [column] * length
    values: list[Any] = column.tolist()
    if column.dtype.kind == "f":
        return [each + 0.0 if each == each else None for each in values]
    return values


def _copy(
    connection: Connection, table: Table, names: list[str], columns: dict[str, Any], meter: Meter
) -> None:
    import psycopg

    driver: Any = connection.connection.driver_connection
    statement = f"COPY {table.name} ({', '.join(map(_quoted, names))}) FROM STDIN"
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for count, rows in _batches(columns):
                for row in rows:
                    copy.write_row(row)
                meter.add(count)
    except psycopg.Error as error:
        raise DBAPIError(statement, None, error) from error


def fetch(connection: Connection, statement: Any) -> list[list[Any]]:
    """The columns of what is selected, as lists.

    Rows are taken a few at a time: the garbage collector would look at all that are kept. SQLite
    keeps anything in any column, so what has another type than the column is damage.
    """
    is_sqlite = connection.dialect.name == "sqlite"
    rows = connection.execute(statement)
    columns: list[list[Any]] = [[] for _ in rows.keys()]  # noqa: SIM118
    for part in _as_they_are(rows, statement) if is_sqlite else rows.partitions(_ROWS_FETCHED):
        for column, values in zip(columns, zip(*part, strict=True), strict=True):
            column.extend(values)
    if is_sqlite:
        for meant, column in zip(statement.selected_columns, columns, strict=True):
            if not set(map(type, column)) <= {*_kinds(meant.type.python_type), type(None)}:
                raise StorageError(f"the database is damaged: {meant} is not what it should be.")
    return columns


def _as_they_are(rows: Any, statement: Any) -> Iterator[Sequence[Any]]:
    """Rows a few at a time, past SQLAlchemy unless it has to make something of them."""
    if any(column.type.python_type is bool for column in statement.selected_columns):
        yield from rows.partitions(_ROWS_FETCHED)
        return
    while part := rows.cursor.fetchmany(_ROWS_FETCHED):
        yield part
    rows.close()


def as_object(text: str) -> dict[str, Any]:
    """An object that a table keeps as JSON."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise StorageError("the database is damaged: what should be JSON is none.")
    return found


def _kinds(kind: type) -> tuple[type, ...]:
    return (float, int) if kind is float else (kind,)


def listed(
    connection: Connection, key: "Column[Any]", columns: Sequence["Column[Any]"], *conditions: Any
) -> list[NDArray[np.int64]]:
    """A key and other columns of whole numbers, as arrays; the rows of a key are together.

    The database writes the numbers of a key as one text: less than half the work of so many rows.
    """
    texts = [func.aggregate_strings(each.cast(Text), ",") for each in columns]
    rows = fetch(connection, select(key, func.count(), *texts).where(*conditions).group_by(key))
    counts = np.array(rows[1], np.int64)
    return [
        np.repeat(numbers(rows[0]), counts),
        *(_from_texts(each, counts) for each in rows[2:]),
    ]


def _from_texts(texts: list[str | None], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers in texts, each of which has so many.

    Example:
        >>> _from_texts(["3,1", "2"], np.array([2, 1]))
        array([3, 1, 2])
    """
    end = ",0"  # not read if what comes before it is no number
    try:
        parts = [np.fromstring(f"{each}{end}", np.int64, sep=",")[:-1] for each in texts]
    except (ValueError, DeprecationWarning):
        parts = []
    if [len(each) for each in parts] != counts.tolist():
        raise StorageError("the database is damaged: a whole number is none.")
    return np.concatenate((np.empty(0, np.int64), *parts))


def table_of(connection: Connection, statement: Any, width: int) -> NDArray[np.float64]:
    """What is selected, all of it numbers, row by row; a number that is not there is NaN.

    Whole numbers beyond 2⁵³ are not exact. Much quicker than `fetch` for millions of rows.
    """
    every = [func.coalesce(column, literal(math.inf)) for column in statement.selected_columns]
    rows = connection.execute(statement.with_only_columns(*every))
    values = np.fromiter(itertools.chain.from_iterable(rows), np.float64)
    values[np.isinf(values)] = np.nan
    return values.reshape(-1, width)


def mapping(connection: Connection, statement: Any) -> dict[Any, Any]:
    """The second column of what is selected by the first."""
    return dict(zip(*fetch(connection, statement), strict=True))


def numbers(values: Sequence[Any], dtype: type = np.int64) -> NDArray[Any]:
    """A column of numbers as an array; those that are not there are NaN."""
    if dtype is np.float64:
        return np.array([np.nan if each is None else each for each in values], np.float64)
    return np.array(values, dtype)


def within(connection: Connection, column: "Column[Any]", values: Sequence[Any]) -> Any:
    """The condition that a column has one of these values, however many they are."""
    if connection.dialect.name == "postgresql":
        return column == any_(literal(list(values), ARRAY(column.type)))
    listed = func.json_each(json.dumps(list(values))).table_valued("value")
    return column.in_(select(listed.c.value))


def asked(
    connection: Connection, statement: str, values: Sequence[str], *more: Any
) -> list[tuple[Any, ...]]:
    """The rows of a statement about these texts, past SQLAlchemy, which may take most of the time.

    In the statement, ``{among}`` is the condition on a column, and ``{mark}`` stands for each of
    what `more` there is, before it.
    """
    if connection.dialect.name == "sqlite":
        among, given, mark = "IN (SELECT value FROM json_each(?))", json.dumps(list(values)), "?"
    else:
        among, given, mark = "= ANY(%s)", list(values), "%s"  # type: ignore[assignment]
    cursor: Any = connection.connection.cursor()
    try:
        cursor.execute(statement.format(among=among, mark=mark), (*more, given))
        return list(cursor.fetchall())
    finally:
        cursor.close()


def check_text(what: str, text: object) -> None:
    """Raise if it is none that every database keeps."""
    if not isinstance(text, str):
        raise InputError(f"{what} must be a text, not {text!r}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} holds half a character, a surrogate.") from None
    if "\0" in text:
        raise InputError(f"{text!r} holds the character 0, which databases do not keep.")


def suggested(connection: Connection, column: "Column[Any]", word: object, *conditions: Any) -> str:
    """' (did you mean …?)' for the nearest of the texts of a column, or of the first of many."""
    length = len(str(word))
    near = select(column).where(func.length(column).between(length - 2, length + 2), *conditions)
    return suggestion(
        word, fetch(connection, near.order_by(column.table.c.id).limit(_LOOKED_AT))[0]
    )


def now() -> int:
    """The moment, in microseconds since 1970."""
    return clock.time_ns() // 1000


def last(connection: Connection, column: Any) -> int:
    """The largest number in a column, or 0."""
    return int(fetch(connection, select(func.max(column)))[0][0] or 0)


def user_name() -> str:
    """Whoever is logged in."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return f"user {os.getuid()}" if sys.platform != "win32" else "somebody"
