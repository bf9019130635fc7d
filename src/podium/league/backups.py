"""A league copied to one file, while others may change it."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, select

from podium.errors import BusyError, ConflictError, InputError, NotFoundError, StorageError
from podium.files import as_path, replacing
from podium.league import schema, sqlite
from podium.league.database import Database, insert
from podium.progress import Progress, Report, reporting

if TYPE_CHECKING:
    from podium.league.views import View

_PAGES_AT_ONCE = 4096
_ROWS_AT_ONCE = 10_000
_READABLE = 0o666
_BESIDE = ("-wal", "-shm", "-journal")
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk failed or is full",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
}


@dataclass(frozen=True)
class Backup:
    """A copy of a league that was made."""

    where: str
    """The league."""
    path: Path
    """The file."""
    bytes: int
    contests: int
    state: str
    """Of the league then, and of the copy: `View.state`."""

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/league.md."""
        return {
            "league": self.where,
            "file": str(self.path),
            "bytes": self.bytes,
            "contests": self.contests,
            "state": self.state,
        }


def backup(
    view: "View",
    path: str | os.PathLike[str],
    *,
    replace: bool = False,
    progress: Progress | None = None,
) -> Backup:
    """Copy the state that a view shows to a file, which appears when it is complete."""
    database, connection, target = view._database, view._connection, as_path(path)
    _refuse_what_is_there(target, database, replace)
    with reporting(progress, "Copying") as report, replacing(target) as temporary:
        with _said_of(target):
            if database.is_sqlite:
                _copy_pages(connection, temporary, report)
            else:
                _copy_tables(connection, temporary, report)
            sqlite.make_one_file(temporary)
        if database.path is not None:  # who may not read the league may not read its copy
            temporary.chmod(stat.S_IMODE(database.path.stat().st_mode) & _READABLE)
        copy = Backup(view.where, target, temporary.stat().st_size, len(view), view.state)
        _part_with_what_is_beside(target)
    return copy


def _refuse_what_is_there(target: Path, source: Database, replace: bool) -> None:
    """Raise if a copy must not take the place of what is there."""
    if target.name.endswith(_BESIDE):
        raise InputError(
            f"{target}: is what SQLite calls files of its own beside a league; a copy needs "
            f"another name, as copy.db."
        )
    if target.is_dir():
        raise InputError(f"{target}: is a folder; a copy is a file, as {target / 'copy.db'}.")
    if not target.exists():
        if not target.parent.is_dir():
            raise InputError(f"{target}: there is no folder {str(target.parent)!r} for it.")
        return
    if source.path is not None and target.samefile(source.path):
        raise InputError(f"{target}: is the league itself; a copy needs another name.")
    if not target.is_file():
        raise InputError(f"{target}: is no file; a copy is one.")
    if not target.stat().st_size:
        return
    if not _is_league(target):
        raise ConflictError(
            f"{target}: is there already and no league, so that it is left alone; give another "
            f"name."
        )
    if not replace:
        raise ConflictError(
            f"{target}: is there already; give another name, or say replace=True or --force."
        )


def _is_league(path: Path) -> bool:
    """Whether a file is a league, be it of another version or damaged."""
    with closing(Database(path, wait=0.0, readonly=True)) as database:
        try:
            with database.reading():
                return True
        except (NotFoundError, StorageError):
            return True
        except (ConflictError, InputError):
            return False


def _part_with_what_is_beside(target: Path) -> None:
    """Remove what stands beside a league that is replaced: its changes are not those of the copy.

    Who has it open goes on with what there was, until they open it anew.
    """
    beside = sqlite.beside(target.resolve())
    if not any(each.exists() for each in beside):
        return
    with closing(sqlite.connect(target, "rw", wait=0.0, cache=2048)) as connection:
        sqlite.settle(connection, changed=False)
    if beside[0].exists() and beside[0].stat().st_size:
        raise BusyError(f"{target}: somebody is using it; nothing was replaced; try again.")
    for each in beside:
        each.unlink(missing_ok=True)


@contextmanager
def _said_of(target: Path) -> Iterator[None]:
    """Say of a disk which refuses that it is the copy's."""
    try:
        yield
    except sqlite3.OperationalError as error:
        reason = _REASONS.get(error.sqlite_errorcode & 0xFF)
        if reason is None:
            raise
        raise StorageError(f"{target}: cannot be written ({reason}).") from None


def _copy_pages(connection: Connection, path: Path, report: Report) -> None:
    """Copy a file page by page, in the transaction of the connection."""
    driver: Any = connection.connection.driver_connection
    with closing(sqlite3.connect(path, isolation_level=None)) as copy:

        def told(_: int, left: int, total: int) -> None:
            report(total - left, total)

        driver.backup(copy, pages=_PAGES_AT_ONCE, progress=told, sleep=0.0)


def _copy_tables(connection: Connection, path: Path, report: Report) -> None:
    """Copy the tables of a server row by row, in the transaction of the connection."""
    tables = schema.metadata.sorted_tables
    counts = [select(func.count()).select_from(each).scalar_subquery() for each in tables]
    total, done = sum(connection.execute(select(*counts)).one()), 0
    copy = Database(path, wait=0.0, new=True)
    with closing(copy), copy.making() as (into, _):
        copy.upgrade(into)
        for table in tables:
            rows = connection.execute(
                select(table).order_by(*table.primary_key.columns),
                execution_options={"stream_results": True, "yield_per": _ROWS_AT_ONCE},
            )
            for part in rows.partitions():
                columns = zip(*part, strict=True)
                names = table.columns.keys()
                insert(into, table, dict(zip(names, map(list, columns), strict=True)))
                done += len(part)
                report(done, total)
