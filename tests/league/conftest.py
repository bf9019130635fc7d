"""Where leagues are kept in tests: files, and databases of a PostgreSQL server of their own."""

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

_USER = "podium"


def unprivileged() -> dict[str, Any]:
    """What makes a child process an ordinary user, if this one is root; see `subprocess.Popen`."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    pytest.skip("needs an ordinary user, because this one is root")


def _program(name: str) -> str:
    """The path of a program of PostgreSQL, which many systems keep out of the way."""
    homes = Path("/usr/lib/postgresql").glob("*/bin")
    places = [os.environ.get("PATH", ""), *map(str, sorted(homes, reverse=True))]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        pytest.skip(f"needs a PostgreSQL server, and there is no {name}")
    return found


class Server:
    """A PostgreSQL server that listens on a socket in a folder of its own, and nowhere else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._user = unprivileged()
        if self._user:
            os.chown(folder, self._user["user"], self._user["group"])
        self._numbers = itertools.count(1)
        self._run("initdb", "--username", _USER, "--auth", "trust", "--no-sync", "-E", "UTF8")

    def _run(self, program: str, *arguments: str) -> None:
        with tempfile.TemporaryFile() as said:  # a pipe would be open as long as the server runs
            done = subprocess.run(
                [_program(program), "-D", str(self.folder / "data"), *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                **self._user,
            )
            said.seek(0)
            assert done.returncode == 0, said.read().decode()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses= -F"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-w", "-t", "60", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; `immediate` is what a crash is."""
        self._run("pg_ctl", "-w", "-t", "60", "-m", mode, "stop")

    def end_with_this_process(self) -> None:
        """Let it end when this process is gone, even if it was killed: then a pipe closes."""
        ending = 'read _; "$0" -D "$1/data" -m immediate stop; rm -rf -- "$1"'
        self._watcher = subprocess.Popen(
            ["/bin/sh", "-c", ending, _program("pg_ctl"), str(self.folder)],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            **self._user,
        )

    def end(self) -> None:
        """Stop it, if it is not stopped already, and remove all that it has."""
        assert self._watcher.stdin is not None
        self._watcher.stdin.close()
        self._watcher.wait()

    def url(self, database: str = "postgres") -> str:
        """The address of a database."""
        return f"postgresql://{_USER}@/{database}?host={self.folder}"

    def connect(self, database: str = "postgres") -> Any:
        """A connection beside those of the league."""
        import psycopg

        return psycopg.connect(host=str(self.folder), user=_USER, dbname=database, autocommit=True)

    def new_database(self) -> str:
        """The address of a new database."""
        name = f"league_{next(self._numbers)}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)


def _served() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="needs podium[postgresql]")
    with tempfile.TemporaryDirectory(prefix="podium-", ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder))
        server.start()
        server.end_with_this_process()
        try:
            yield server
        finally:
            server.end()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A server for all tests of this process; it is not to be stopped."""
    yield from _served()


@pytest.fixture
def own_postgresql() -> Iterator[Server]:
    """A server for one test, which may stop it and start it again."""
    yield from _served()


@pytest.fixture(params=["sqlite", "postgresql"])
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of database."""
    return str(request.param)


Places = Callable[[], str]
"""Gives a new place for a league at every call."""


@pytest.fixture
def places(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Places:
    """New places for leagues, in both kinds of database."""
    if kind == "postgresql":
        server: Server = request.getfixturevalue("postgresql")
        return server.new_database
    numbers = itertools.count(1)
    return lambda: str(tmp_path / f"league-{next(numbers)}.db")


@pytest.fixture
def where(places: Places) -> str:
    """A place where there is no league yet, in both kinds of database."""
    return places()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A place for a league in a file."""
    return tmp_path / "league.db"
