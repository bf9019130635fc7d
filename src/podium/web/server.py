"""The server: an application with its leagues, on a socket, in one process or in several."""

import errno
import ipaddress
import json
import os
import re
import signal
import socket
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from podium.errors import InputError
from podium.files import reason
from podium.web.app import create_app
from podium.web.catalogue import Catalogue
from podium.web.doors import secret_key
from podium.web.metrics import SHARED

VARIABLE = "PODIUM_SERVE"
"""The variable in which processes that are started find their `Settings`."""
BACKLOG = 1024
GRACE = 30
"""Seconds that answers may take to finish once the server is asked to end."""
MOST_AT_ONCE = 1000
"""Connections, beyond which a process answers that it is busy."""


@dataclass(frozen=True)
class Settings:
    """What is shown, and where the public finds it; see `create_app`."""

    leagues: tuple[str, ...]
    title: str | None = None
    prefix: str = ""
    address: str | None = None
    writable: bool = False
    secret: str | None = None
    """The file with the secret of the site."""
    allow_private: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "leagues", tuple(self.leagues))
        object.__setattr__(self, "prefix", checked_prefix(self.prefix))
        if self.address is not None:
            object.__setattr__(self, "address", _checked_address(self.address))

    def catalogue(self) -> Catalogue:
        """The leagues, opened."""
        return Catalogue.of(self.leagues, title=self.title, writable=self.writable)

    def app(self) -> FastAPI:
        """The application."""
        return create_app(
            self.catalogue(),
            prefix=self.prefix,
            address=self.address,
            secret=self.key(),
            allow_private=self.allow_private,
        )

    def key(self) -> bytes | None:
        """The secret of the site, if it needs one; it is made if there is none yet."""
        if not self.writable:
            return None
        return secret_key(None if self.secret is None else Path(self.secret))


def app() -> FastAPI:
    """The application that the environment describes, for processes that a server starts."""
    return Settings(**json.loads(os.environ[VARIABLE])).app()


@dataclass(frozen=True)
class Listening:
    """Where a server listens, and how it runs.

    Args:
        host: The address of this machine, or ``0.0.0.0`` for all that it has.
        port: The port; 0 for any that is free.
        unix: A socket in the file system instead.
        workers: How many processes answer.
        trusted: The addresses or networks of proxies that are believed what they say of visitors.
        log: Whether every request is logged.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    unix: Path | None = None
    workers: int = 1
    trusted: tuple[str, ...] = ()
    log: bool = False

    def __post_init__(self) -> None:
        for each in self.trusted:
            try:
                ipaddress.ip_network(each)
            except ValueError:
                raise InputError(
                    f"{each!r} is no address of a proxy; 127.0.0.1 or 10.0.0.0/8 would be."
                ) from None

    @contextmanager
    def bound(self) -> Iterator[socket.socket]:
        """The socket, bound; what keeps it from being so is one sentence."""
        bound = self._bound_tcp() if self.unix is None else _bound_unix(self.unix)
        bound.set_inheritable(True)
        try:
            yield bound
        finally:
            bound.close()
            if self.unix is not None:
                self.unix.unlink(missing_ok=True)

    def _bound_tcp(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            return socket.create_server((self.host, self.port), family=family, backlog=BACKLOG)
        except OSError as error:
            raise InputError(f"{self.host}:{self.port}: {_refused(error)}") from None

    def where(self, bound: socket.socket, prefix: str = "") -> str:
        """The address under which a browser of this machine finds the site."""
        if self.unix is not None:
            return f"unix:{self.unix}"
        host, port = bound.getsockname()[:2]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        return f"http://{f'[{host}]' if ':' in host else host}:{port}{prefix}/"

    def config(self, app: Any, **more: Any) -> uvicorn.Config:
        """How uvicorn is to run."""
        # Through a socket of the file system only a proxy of this machine comes.
        trusted = "*" if self.unix is not None else ",".join(self.trusted)
        return uvicorn.Config(
            app,
            workers=self.workers,
            access_log=self.log,
            log_config=_LOGGING,
            proxy_headers=bool(trusted),
            forwarded_allow_ips=trusted,
            server_header=False,
            backlog=BACKLOG,
            limit_concurrency=MOST_AT_ONCE,
            timeout_graceful_shutdown=GRACE,
            ws="none",
            **more,
        )


def serve(settings: Settings, listening: Listening, bound: socket.socket) -> None:
    """Answer until somebody asks the process to end, by Ctrl-C or SIGTERM.

    Answers that are on their way are finished.
    """
    if listening.workers > 1:
        _serve_by_several(settings, listening, bound)
        return
    server = uvicorn.Server(listening.config(settings.app()))

    def end(_number: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    with _signals(end):
        server.run([bound])


def _serve_by_several(settings: Settings, listening: Listening, bound: socket.socket) -> None:
    settings.catalogue().close()  # so that what is wrong with them is said once, and here
    settings.key()
    with tempfile.TemporaryDirectory(prefix="podium-") as counts:
        os.environ[VARIABLE] = json.dumps(asdict(settings))
        os.environ.setdefault(SHARED, counts)
        config = listening.config("podium.web.server:app", factory=True)
        Multiprocess(config, [bound]).run()


@contextmanager
def _signals(handler: Any) -> Iterator[None]:
    """Let a function hear of Ctrl-C and SIGTERM, which only the main thread can arrange."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.signal(each, handler) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, earlier in before.items():
            signal.signal(each, earlier)


def _bound_unix(path: Path) -> socket.socket:
    """A socket in the file system; one that nobody listens to any more is replaced."""
    if not hasattr(socket, "AF_UNIX"):
        raise InputError("this system has no sockets in its file system; --port N does as well.")
    bound = socket.socket(socket.AF_UNIX)
    try:
        if path.exists():
            _remove_stale(path)
        bound.bind(str(path))
        path.chmod(0o666)  # who may reach it, its folder says
        bound.listen(BACKLOG)
    except (OSError, InputError) as error:
        bound.close()
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: {_refused(error)}") from None
    return bound


def _remove_stale(path: Path) -> None:
    if not stat.S_ISSOCK(path.stat().st_mode):
        raise InputError(f"{path}: is there already, and is no socket.")
    with socket.socket(socket.AF_UNIX) as trying, suppress(ConnectionRefusedError):
        trying.connect(str(path))
        raise InputError(f"{path}: another server listens there.")
    path.unlink()


def _refused(error: OSError) -> str:
    """Why there is no socket, and what would help."""
    number = error.errno or 0
    if number == errno.EADDRINUSE:
        return "another server listens there; --port 0 takes a port that is free."
    if number == errno.EACCES:
        return "this user may not listen there; ports from 1024 on are for everybody."
    if number == errno.EADDRNOTAVAIL or number < 0:  # which is of names that nobody has
        return "is no address of this machine; 127.0.0.1 is one, and 0.0.0.0 stands for all."
    return f"cannot be listened to ({reason(error)})."


def checked_prefix(prefix: str) -> str:
    """The path before all others, without a slash at its end.

    Example:
        >>> checked_prefix("ratings/"), checked_prefix("/"), checked_prefix("/a/b")
        ('/ratings', '', '/a/b')
    """
    inner = prefix.strip("/")
    if not inner:
        return ""
    if re.fullmatch(r"[\w.~-]+(?:/[\w.~-]+)*", inner, re.ASCII) is None or ".." in inner:
        raise InputError(f"{prefix!r} is no path to show a site under; /ratings would be one.")
    return f"/{inner}"


def _checked_address(address: str) -> str:
    """Where the public finds a site, without a slash at its end."""
    scheme, colon, rest = address.rstrip("/").partition("://")
    if scheme not in ("http", "https") or not colon or not rest or set(rest) & set("/?# "):
        raise InputError(
            f"{address!r} is not where a site can be found; https://ratings.example.org would be, "
            f"and --prefix says the path."
        )
    return f"{scheme}://{rest}"


_LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"format": "%(asctime)s %(levelname)s %(message)s"},
        "access": {
            "()": "uvicorn.logging.AccessFormatter",
            "fmt": '%(asctime)s %(client_addr)s "%(request_line)s" %(status_code)s',
            "use_colors": False,
        },
    },
    "handlers": {
        "plain": {"class": "logging.StreamHandler", "formatter": "plain"},
        "access": {"class": "logging.StreamHandler", "formatter": "access"},
    },
    "loggers": {
        "uvicorn.error": {"handlers": ["plain"], "level": "WARNING", "propagate": False},
        "uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
        "podium.web": {"handlers": ["plain"], "level": "WARNING", "propagate": False},
    },
}
