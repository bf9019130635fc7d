"""Leagues in files: how SQLite opens them, and what stays beside a file.

A league keeps a write-ahead log (WAL), so that nobody who reads waits for who writes, nor the other
way round. It is a file beside that of the league, with another for what processes share; both are
gone when the last who could write has closed the league. Where the file system has no memory to
share, SQLite's rollback journal does as well, but for the waiting.

SQLite's locks belong to the process: whoever opens and closes the file by other means lets go of
them. So nothing here opens it, once a connection may be there; all that is asked of the system is
its name and number.
"""

import os
import sqlite3
import threading
import time as clock
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from podium import forks
from podium.texts import folded

Mode = Literal["ro", "rw", "rwc"]
"""To read, to read and write, or to make it too."""

_MUCH = 64 * 2**20
"""From so many bytes on, a write-ahead log is worth some waiting to become short again."""
_MOMENT = 2000
"""Milliseconds."""
_ONCE = 1000
"""Milliseconds that a league may take to get a write-ahead log, which it then has."""
_STRETCH = 0.1
"""Seconds after which those who read a file with a rollback journal pause together."""
_NOTHING_BESIDE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
"""What SQLite says where it can make no file beside the league's."""
_LITTLE = 256
"""KiB of a file that who only looks for changes keeps in memory."""
_PAGE = 16_384
"""Bytes in a page of a new file: a change of many rows has fewer of them to write."""
_PATIENCE = 5.0
"""Seconds that who asks for the first time waits for who is writing a rollback journal."""


class File(sqlite3.Connection):
    """A connection to a file, which knows the file again."""

    path: Path
    known: tuple[int, ...] | None = None
    settled: bool = False
    """Whether it was opened as one that nobody changes, because nothing can be made beside it."""

    def has_moved(self) -> bool:
        """Whether its path leads to another file, or to one that was changed unexpectedly."""
        return self.known != _known(self.path, self.settled)

    def has_log(self) -> bool:
        """Whether the file that it has read has a write-ahead log, or nobody to wait for."""
        return self.settled or self.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def connect(path: Path, mode: Mode, *, wait: float, cache: int) -> File:
    """Open a file.

    Args:
        path: Where it is.
        mode: What for.
        wait: How many seconds to wait for others.
        cache: How much of it to keep in memory, in KiB.
    """
    if mode != "rwc" and not _is_writable(path) and not beside(path.resolve())[0].exists():
        # what this user would make beside it, those who may write to it might not
        return _connect(path, "ro", wait, cache, settled=True)
    try:
        return _connect(path, mode, wait, cache, settled=False)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in _NOTHING_BESIDE or not _is_alone(path):
            raise
    return _connect(path, "ro", wait, cache, settled=True)  # its folder cannot be written to


def _connect(path: Path, mode: Mode, wait: float, cache: int, *, settled: bool) -> File:
    address = f"file:{quote(str(path.resolve()))}?mode={mode}{'&immutable=1' * settled}"
    known = _known(path, settled)  # before: who is replaced meanwhile counts as moved
    connection = sqlite3.connect(
        address,
        uri=True,
        timeout=wait,
        isolation_level=None,
        check_same_thread=False,
        factory=File,
    )
    try:
        connection.path, connection.settled = path, settled
        connection.known = _known(path, settled) if mode == "rwc" else known
        if mode == "rwc":  # of no effect on a file that has pages already
            connection.execute(f"PRAGMA page_size = {_PAGE}")
        connection.execute(f"PRAGMA cache_size = -{cache}")
        connection.create_function("folded", 1, folded, deterministic=True)
        if mode == "ro":
            connection.execute("PRAGMA query_only = ON")
        else:
            connection.execute("PRAGMA synchronous = FULL")
        if mode != "rwc":  # which finds out whether what is beside the file can be opened, too
            connection.execute("PRAGMA schema_version").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _known(path: Path, settled: bool) -> tuple[int, ...] | None:
    """What tells a file from others; of one that nobody is to change, from itself before, too."""
    try:
        found = path.stat()
    except OSError:
        return None
    same = found.st_dev, found.st_ino
    if not settled:
        return same
    if not _is_alone(path):
        return None
    return *same, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def beside(path: Path) -> tuple[Path, Path]:
    """The write-ahead log of a file, and what processes share."""
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _is_alone(path: Path) -> bool:
    """Whether all of a league is in the file."""
    return not _size(beside(path.resolve())[0])


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def settle(connection: File, *, changed: bool) -> None:
    """After a change: let the league have a write-ahead log, and let that be short again.

    Nothing depends on it: what others are in the way of is left for the next time. After a change
    that failed, what it wrote is only cut off.
    """
    with suppress(sqlite3.Error), _hurrying(connection):
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        if mode != "wal":
            if changed:
                connection.execute(f"PRAGMA busy_timeout = {_ONCE}")
                connection.execute("PRAGMA journal_mode = WAL")
            return
        (others, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if others and _size(beside(connection.path.resolve())[0]) > _MUCH:
            connection.execute(f"PRAGMA busy_timeout = {_MOMENT}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _hurrying(connection: File) -> Iterator[None]:
    """Wait for nobody in this block."""
    (wait,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {wait}")


def tidy(path: Path) -> None:
    """Remove what those who only read leave beside a file, if it is empty and nobody uses it."""
    log, _ = beside(path.resolve())
    if not log.exists() or _size(log):
        return
    with suppress(sqlite3.Error):  # by opening and closing it as somebody who could write
        connect(path, "rw", wait=0.0, cache=64).close()


def make_one_file(path: Path) -> None:
    """Let a league that nobody else has open be one file, which needs nothing beside it."""
    with closing(connect(path, "rw", wait=0.0, cache=2048)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


class Turns:
    """Lets those who read a file with a rollback journal pause together now and then.

    SQLite's lock is that of the process. If somebody in it were always reading, nobody would ever
    write, not even to give the league a write-ahead log.
    """

    def __init__(self) -> None:
        self.needed = False
        """Whether the file was found to have such a journal."""
        self._changed = threading.Condition()
        self._reading = 0
        self._since = 0.0

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Read in this block; who has waited for a while goes on, lest they wait for themselves."""
        with self._changed:
            if self._reading and clock.monotonic() > self._since + _STRETCH:
                self._changed.wait_for(lambda: not self._reading, _STRETCH)
            if not self._reading:
                self._since = clock.monotonic()
            self._reading += 1
        try:
            yield
        finally:
            with self._changed:
                self._reading -= 1
                if not self._reading:
                    self._changed.notify_all()


class Pulse:
    """A connection that is kept to notice changes by others, within microseconds.

    It never waits for who writes: where there is no write-ahead log and somebody is in the middle,
    what was before is what is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = forks.lock()
        self._connection: File | None = None
        self._version: int | None = None
        self._state = ""

    @property
    def is_open(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None

    def close(self) -> None:
        """Let go of the connection; the next who asks makes another."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def state(self, check: Callable[[], None], ask: Callable[[File], str]) -> str:
        """What `ask` answered when something was last changed; `check` looks at a new file."""
        with self._lock:
            connection = self._connection
            if connection is None or connection.has_moved():
                self.close()
                check()
                connection = connect(self._path, "ro", wait=_PATIENCE, cache=_LITTLE)
                self._connection, self._version, self._state = connection, None, ""
            try:
                (version,) = connection.execute("PRAGMA data_version").fetchone()
                if version != self._version:
                    self._state = ask(connection)
                    self._version = version
                    connection.execute("PRAGMA busy_timeout = 0")
            except sqlite3.OperationalError as error:
                if not self._state or error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    self.close()
                    raise
            return self._state
