"""Leagues on the command line: what is one, and how it is opened."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, cast

from podium.errors import InputError, NotFoundError
from podium.files import reason

if TYPE_CHECKING:
    from podium import League
    from podium.league import View

TOKEN = "PODIUM_TOKEN"
"""The variable in which the token of a site may stand."""
_given: ContextVar[str | None] = ContextVar("token", default=None)
_SQLITE = b"SQLite format 3\0"
"""How every file of SQLite begins."""


def is_url(where: str) -> bool:
    """Whether it is the address of a database or a site, not a path."""
    return "://" in where


def is_address(where: str) -> bool:
    """Whether it is the address of a league on a site.

    Example:
        >>> is_address("https://example.org/club"), is_address("postgresql://host/league")
        (True, False)
    """
    return where.lower().startswith(("http://", "https://"))


def is_league(source: str) -> bool:
    """Whether it is a database or on a site: by its address, or by the first bytes of the file.

    Example:
        >>> is_league("postgresql://localhost/league"), is_league("results.csv")
        (True, False)
    """
    if is_url(source):
        return True
    try:
        with open(source, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


@contextmanager
def by_token(given: str | None) -> Iterator[None]:
    """Let sites be asked with a token while a command runs."""
    set_before = _given.set(given)
    try:
        yield
    finally:
        _given.reset(set_before)


def token() -> str | None:
    """What a site is asked with: what was given, or else what the environment says."""
    given = _given.get()
    if given is None:
        return os.environ.get(TOKEN) or None
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else "it is no text"
        raise InputError(f"{given[1:]}: no token can be read there ({why}).") from None


@contextmanager
def opened(where: str) -> Iterator["League"]:
    """A league that exists, to change it; on a site, it is changed there."""
    import podium

    refuse_what_is_none(where)
    if is_address(where):
        from podium.cli.remote import RemoteLeague

        yield cast("League", RemoteLeague(where, token=token()))
        return
    with podium.League(where) as league:
        yield league


@contextmanager
def asking(where: str, *, with_hidden: bool = False) -> Iterator["View"]:
    """One state of a league that exists, of which all is asked that a command shows.

    It may be on a site, by whose API it answers: a view then, of what one may see there.
    """
    from podium.league import snapshot

    refuse_what_is_none(where)
    if is_address(where):
        from podium.cli.remote import RemoteView

        yield cast("View", RemoteView(where, token=token(), with_hidden=with_hidden))
        return
    with snapshot(where, with_hidden=with_hidden) as view:
        yield view


def refuse_what_is_none(where: str) -> None:
    """Raise if a path does not lead to a database."""
    if is_league(where):
        return
    path = Path(where)
    if not path.exists():
        raise NotFoundError(f"{where}: there is no such league; podium init {where} makes one.")
    if path.is_dir():
        raise InputError(
            f"{where}: is a folder, not a league; podium init league.db --from FOLDER makes one "
            f"of an export."
        )
    raise InputError(
        f"{where}: is not a league; podium init league.db makes one, and podium record league.db "
        f"FILE records results."
    )
