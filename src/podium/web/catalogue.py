"""Which leagues a site shows: what they are called in addresses and in titles."""

import os
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from podium.errors import (
    AccessError,
    BusyError,
    ConflictError,
    InputError,
    NotFoundError,
    PodiumError,
    StorageError,
)
from podium.files import reason
from podium.league import League, View
from podium.league.access import PRIVATE
from podium.league.database import is_url
from podium.league.remembering import Remembered
from podium.wording import listed, suggestion

RESERVED = frozenset(("api", "static", "healthz", "metrics"))
"""What no league is called in addresses, because something else is."""
SUFFIXES = (".db", ".sqlite", ".sqlite3")
"""How files in a folder are called that may be leagues."""
_LONGEST_KEY = 64
_FIELDS = ("title", "leagues")
_FIELDS_OF_A_LEAGUE = ("where", "title", "about")

Where = str | os.PathLike[str]
Leagues = Where | League | Mapping[str, Where | League] | Iterable[Where | League]
"""What a site can be made of; see `Catalogue.of`."""


@dataclass(frozen=True)
class Hosted:
    """A league that a site shows."""

    key: str
    """What it is called in addresses."""
    title: str
    """What it is called on pages."""
    about: str | None
    """A sentence about it, if there is one."""
    league: League
    """To be read."""
    writer: League | None = None
    """The same, to be changed, if the site may."""
    with_hidden: bool = False
    """Whether hidden players are seen, because an organiser asks."""
    _access: Remembered[str] = field(default_factory=lambda: Remembered(1), repr=False)

    @contextmanager
    def snapshot(self, *, with_hidden: bool = False) -> Iterator[View]:
        """One state of it; a league that cannot be opened any more is nobody's mistake.

        With hidden players it is the organisers' own.
        """
        with ExitStack() as stack:
            try:
                wanted = with_hidden or self.with_hidden
                view = stack.enter_context(self.league.snapshot(with_hidden=wanted))
            except BusyError:
                raise
            except PodiumError as error:
                raise StorageError(str(error)) from error
            yield view

    @property
    def is_private(self) -> bool:
        """Whether only those see it who have a token.

        A file says so as it is now, a server of PostgreSQL as it was a quarter of a second ago.
        """
        try:
            state = self.league.pulse()
            return self._access.found(state, lambda: self.league.access) == PRIVATE
        except BusyError:
            raise
        except PodiumError as error:
            raise StorageError(str(error)) from error

    @property
    def is_listed(self) -> bool:
        """Whether strangers are told that there is such a league."""
        try:
            return not self.is_private
        except PodiumError:  # what cannot be read is not known to be public
            return False

    @property
    def is_in_a_file(self) -> bool:
        """Whether it is in a file of this machine, which tells at once what state it is in."""
        return not is_url(self.league.where)


class Catalogue(Mapping[str, Hosted]):
    """The leagues that a site shows, by what they are called in addresses, in the order given.

    They are opened so that nothing can be written, unless it is said that it may, and `close` lets
    go of them. One that is open already has to be so by `podium.League.reading`, and is left as it
    was. Leagues that come into a folder later are not seen.

    Example:
        >>> import podium, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> podium.League.create(f"{folder.name}/Chess Club.db").close()
        >>> with Catalogue.of(folder.name) as catalogue:
        ...     [(each.key, each.title) for each in catalogue.values()]
        [('chess-club', 'Chess Club')]
        >>> folder.cleanup()
    """

    def __init__(
        self, leagues: Iterable[Hosted], *, title: str | None = None, ours: Iterable[League] = ()
    ) -> None:
        self.title = title
        """What the site is called, if that was said."""
        self._leagues = {each.key: each for each in leagues}
        self._ours = tuple(ours)

    @classmethod
    def of(
        cls,
        leagues: "Leagues | Catalogue",
        *,
        title: str | None = None,
        writable: bool = False,
    ) -> "Catalogue":
        """Open leagues to show them.

        Args:
            leagues: A league, or several: the path of a file, the URL of a database of PostgreSQL
                or what `podium.League.reading` has opened; a folder, for all leagues in it; a
                mapping from what they are called in addresses, as in ``{"club": "club.db"}``; or a
                TOML file, with ``title = "Our leagues"`` and for each league a table such as
                ``[leagues.club]`` with ``where = "club.db"``, which starts from the folder of the
                TOML file, and if wanted a ``title`` and a sentence ``about`` it.
            title: What the site is called.
            writable: Whether who has a token for it may change them by way of the site.
        """
        if isinstance(leagues, Catalogue):
            return leagues
        opening = _Opening(title, writable)
        try:
            opening.add_all(leagues)
            if not opening.found:
                raise InputError("there is no league to show; podium init club.db makes one.")
        except BaseException:
            for league in opening.ours:
                league.close()
            raise
        return cls(opening.found.values(), title=opening.title, ours=opening.ours)

    def __getitem__(self, key: str) -> Hosted:
        return self._leagues[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._leagues)

    def __len__(self) -> int:
        return len(self._leagues)

    def listed(self) -> list[Hosted]:
        """Those that strangers are told of."""
        return [each for each in self.values() if each.is_listed]

    def named(self, key: str) -> Hosted:
        """The league that is called so; the sentence about one that is not names no private one."""
        if key in self:
            return self[key]
        keys = sorted(each.key for each in self.listed())
        there = f"; there is {listed(keys)}" if keys else ""
        raise NotFoundError(f"there is no league {key!r}{suggestion(key, keys)} here{there}.")

    def close(self) -> None:
        """Let go of the leagues that were opened for it."""
        for league in self._ours:
            league.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Opening:
    """Leagues that are being opened, one after the other."""

    def __init__(self, title: str | None, writable: bool) -> None:
        self.title = title
        self._writable = writable
        self.found: dict[str, Hosted] = {}
        self.ours: list[League] = []

    def add_all(self, leagues: Any) -> None:
        """All that was given, in any of the forms that `Catalogue.of` takes."""
        if isinstance(leagues, Mapping):
            for key, where in leagues.items():
                self._add(where, key=_checked_key(key))
        elif isinstance(leagues, str | os.PathLike):
            self._add_place(leagues)
        elif isinstance(leagues, League) or not isinstance(leagues, Iterable):
            self._add(leagues)
        else:
            for each in leagues:
                if isinstance(each, str | os.PathLike):
                    self._add_place(each)
                else:
                    self._add(each)

    def _add_place(self, where: Where) -> None:
        if is_url(where):
            self._add(where)
        elif (path := Path(where)).is_dir():
            self._add_folder(path)
        elif path.suffix.lower() == ".toml":
            self._add_listed(path)
        else:
            self._add(path)

    def _add_folder(self, folder: Path) -> None:
        count = len(self.found)
        for path in sorted(folder.iterdir()):
            if path.suffix.lower() in SUFFIXES and path.is_file():
                # Databases of something else, and files that only look like one, are nobody's
                # mistake here; a league that is damaged or of an earlier podium is.
                with suppress(InputError, ConflictError, NotFoundError):
                    self._add(path)
        if len(self.found) == count:
            raise NotFoundError(
                f"{folder}: there is no league in this folder; podium init "
                f"{folder / 'league.db'} makes one."
            )

    def _add_listed(self, path: Path) -> None:
        """What a TOML file lists."""
        listed = _parsed(path)
        _refuse_unknown(listed, _FIELDS, f"{path}:")
        if self.title is None:
            self.title = _text(listed.get("title"), f"{path}: title")
        leagues = listed.get("leagues", {})
        if not isinstance(leagues, dict) or not leagues:
            raise InputError(
                f'{path}: lists no league; [leagues.club] with where = "club.db" would be one.'
            )
        for key, said in leagues.items():
            at = f"{path}: leagues.{key}"
            if not isinstance(said, dict):
                raise InputError(f'{at} must be a table with where = "club.db".')
            _refuse_unknown(said, _FIELDS_OF_A_LEAGUE, f"{at}:")
            where = _text(said.get("where"), f"{at}.where")
            if not where:
                raise InputError(f'{at} needs where = "club.db", the path or URL of the league.')
            self._add(
                where if is_url(where) else path.parent / where,
                key=_checked_key(key, f"{path}: "),
                title=_text(said.get("title"), f"{at}.title"),
                about=_text(said.get("about"), f"{at}.about"),
            )

    def _add(
        self,
        where: Any,
        *,
        key: str | None = None,
        title: str | None = None,
        about: str | None = None,
    ) -> None:
        """One league; what it is called follows from where it is, unless it is said."""
        league = _readonly(where) if isinstance(where, League) else self._opened(where)
        league.pulse()  # the first time it may wait for who is writing; later, an event loop asks
        name = _name(league.where) if key is None else key
        if key is None:
            key = _free_key(name, self.found)
        elif key in self.found:
            raise InputError(f"two leagues are called {key!r} in addresses.")
        self.found[key] = Hosted(key, title or _shown(name), about, league, self._writer(where))

    def _writer(self, where: Any) -> League | None:
        """The same league, to be changed, if that is wanted."""
        if not self._writable:
            return None
        if isinstance(where, League):
            raise InputError(
                f"{where.where}: is open already, and a site that writes opens leagues itself; "
                f"give its path or URL."
            )
        league = League(where)
        self.ours.append(league)
        return league

    def _opened(self, where: Any) -> League:
        """A league that cannot be changed; what would keep it from being shown is said now."""
        if not isinstance(where, str | os.PathLike):
            raise InputError(
                f"a league, its path or its URL is needed, not {type(where).__name__}."
            )
        league = League.reading(where)
        try:
            with league.snapshot() as view:
                _ = view.system, view.rules
                if view.access == PRIVATE and not self._writable:
                    raise AccessError(
                        f"{view.where}: is private, for those who have a token, which only podium "
                        f"serve --writable (writable=True) asks for; podium access LEAGUE public "
                        f"lets everybody see it."
                    )
        except BaseException:
            league.close()
            raise
        self.ours.append(league)
        return league


def _readonly(league: League) -> League:
    """A league that is open, unless it could be changed by whoever finds a way into the site."""
    if not league.is_readonly:
        raise InputError(
            f"{league.where}: is open to be changed, and a site only reads; give its path, or what "
            f"podium.League.reading opens."
        )
    return league


def slug(name: str) -> str:
    """A name as it stands in addresses: small letters, digits and dashes.

    Example:
        >>> slug("Größe & Glück 2025"), slug("Клуб"), slug("club")
        ('grosse-gluck-2025', 'league', 'club')
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    words = re.findall("[a-z0-9]+", letters)
    return "-".join(words)[:_LONGEST_KEY].strip("-") or "league"


def _free_key(name: str, taken: Iterable[str]) -> str:
    """What a league of this name is called in addresses, beside the others."""
    first = slug(name)
    first = f"{first}-league" if first in RESERVED else first
    key, number = first, 1
    while key in taken:
        number += 1
        key = f"{first}-{number}"
    return key


def _checked_key(key: object, where: str = "") -> str:
    """What somebody wants a league to be called in addresses."""
    if not isinstance(key, str):
        raise InputError(f"{where}a league is called by a text in addresses, not {key!r}.")
    if key in RESERVED:
        raise InputError(
            f"{where}no league can be called {key!r} in addresses, which stands for something "
            f"else; {key}-league would do."
        )
    if key != slug(key):
        raise InputError(
            f"{where}{key!r} cannot stand in addresses, where small letters, digits and dashes "
            f"do; {slug(key)!r} would be right."
        )
    return key


def _name(where: str) -> str:
    """What a league at this place may be called: the name of its file, or of its database."""
    if not is_url(where):
        return Path(where).stem
    parts = urlsplit(where)
    return Path(unquote(parts.path)).stem or parts.hostname or ""


def _shown(name: str) -> str:
    """A name as a title.

    Example:
        >>> _shown("chess_club-2025"), _shown("Liga")
        ('Chess club 2025', 'Liga')
    """
    words = " ".join(re.split(r"[\s_-]+", name.strip(" _-")))
    return words[:1].upper() + words[1:] or "League"


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFoundError(f"{path}: there is no such file.") from None
    except OSError as error:
        raise StorageError(f"{path}: {reason(error)}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is no TOML ({error}).") from None


def _refuse_unknown(given: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    for name in given:
        if name not in known:
            raise InputError(
                f"{where} there is no field {name!r}{suggestion(name, known)}; it may have "
                f"{', '.join(known)}."
            )


def _text(value: object, where: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InputError(f"{where} must be a text, not {value!r}.")
    return value
