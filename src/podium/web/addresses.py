"""Every address of a site: what can be linked to, and how it is written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self
from urllib.parse import quote, urlencode

from podium.league.hiding import is_anonymous

Parameters = Mapping[str, Any]


def fits_a_path(name: str) -> bool:
    """Whether a name can be a part of a path, whatever browsers and proxies do to it.

    Example:
        >>> fits_a_path("Ann Lee"), fits_a_path(".."), fits_a_path("AC/DC")
        (True, False, False)
    """
    return bool(name.strip(". ")) and not set(name) & {"/", "\\", "\0", "\r", "\n", "\t"}


def query(parameters: Iterable[tuple[str, Any]] | Parameters) -> str:
    """The part of an address from the question mark on; what is None or empty is left out."""
    pairs = parameters.items() if isinstance(parameters, Mapping) else parameters
    said = [
        (name, each)
        for name, value in pairs
        for each in (value if isinstance(value, list | tuple) else (value,))
        if each not in (None, "")
    ]
    return f"?{urlencode(said, errors='replace')}" if said else ""


def _with(address: str, parameters: Parameters) -> str:
    more = query(parameters)
    return address + (more.replace("?", "&", 1) if "?" in address else more)


def _part(text: str) -> str:
    return quote(text, safe="", errors="replace")


@dataclass(frozen=True)
class Addresses:
    """The addresses of one league on a server.

    Args:
        root: What stands before all paths, behind a proxy with a prefix; without a slash at its
            end.
        key: What the league is called in addresses.
        at: The date as of which the reader looks at everything; links keep it.
        displays: What players are shown as, by name, if that is not the name.

    Example:
        >>> links = Addresses("/ratings", "club", at="2025-12-31")
        >>> links.player("Ann Lee")
        '/ratings/club/player/Ann%20Lee?at=2025-12-31'
        >>> links.why("round-1", "AC/DC")
        '/ratings/club/why?contest=round-1&player=AC%2FDC&at=2025-12-31'
    """

    root: str = ""
    key: str = ""
    at: str | None = None
    displays: Mapping[str, str] = field(default_factory=dict, compare=False)

    is_static = False
    """Whether there is no server behind the pages."""

    def as_of(self, at: str | None) -> Self:
        """The same, as of another date."""
        return replace(self, at=at)

    def showing(self, displays: Mapping[str, str]) -> Self:
        """The same, with what players are shown as."""
        return replace(self, displays=displays)

    def shown(self, name: str) -> str:
        """What a player is shown as."""
        return self.displays.get(name, name)

    def _of(self, path: str, *parameters: tuple[str, Any]) -> str:
        return f"{self.root}/{self.key}/{path}{query([*parameters, ('at', self.at)])}"

    def _named(self, path: str, end: str = "", **names: str) -> str:
        """An address with names in its path, or in its query if the path cannot carry them."""
        if all(map(fits_a_path, names.values())):
            return self._of("/".join((path, *map(_part, names.values()))) + end)
        return self._of(path + end, *names.items())

    def home(self) -> str:
        """All leagues."""
        return f"{self.root}/"

    def leaderboard(self, **parameters: Any) -> str:
        """The leaderboard, with filters."""
        return self._of("", *parameters.items())

    def download(self, form: str, **parameters: Any) -> str:
        """The leaderboard as a file: csv, json or parquet."""
        return self._of(f"leaderboard.{form}", *parameters.items())

    def player(self, name: str, **parameters: Any) -> str:
        """A player; nothing if it is one who is hidden."""
        if is_anonymous(name):
            return ""
        return _with(self._named("player", name=name), parameters)

    def badge(self, name: str) -> str:
        """A player's badge."""
        return self._named("badge", ".svg", name=name)

    def curve(self, name: str, **parameters: Any) -> str:
        """A player's curve as a picture for other sites."""
        return _with(self._named("curve", ".svg", name=name), parameters)

    def contests(self, **parameters: Any) -> str:
        """All contests."""
        return self._of("contests", *parameters.items())

    def contest(self, contest: str, **parameters: Any) -> str:
        """One contest."""
        return _with(self._named("contest", id=contest), parameters)

    def live(self, contest: str | None = None, **parameters: Any) -> str:
        """A contest that is not over, or which of them there are."""
        links = self.as_of(None)
        if contest is None:
            return links._of("live", *parameters.items())
        return _with(links._named("live", id=contest), parameters)

    def live_part(self, part: str, contest: str, **parameters: Any) -> str:
        """What the page of such a contest is brought up to date by: its rows, or its events."""
        return f"{self.root}/{self.key}/live-{part}{query({'id': contest, **parameters})}"

    def why(self, contest: str, player: str) -> str:
        """Why a contest did to a player's rating what it did; nothing if that is hidden."""
        if is_anonymous(player):
            return ""
        return self._named("why", contest=contest, player=player)

    def compare(self, *names: str) -> str:
        """Players side by side."""
        return self._of("compare", *(("player", name) for name in names))

    def look_back(self, name: str) -> str:
        """A player in hindsight; nothing if it is one who is hidden."""
        return "" if is_anonymous(name) else self._named("look-back", name=name)

    def predict(self, *names: str) -> str:
        """The chances of a field."""
        return self._of("predict", *(("player", name) for name in names))

    def about(self) -> str:
        """What rates, by which rules."""
        return self._of("about")

    def changes(self, **parameters: Any) -> str:
        """What was changed, when and why."""
        return self._of("changes", *parameters.items())

    def sign_in(self, **parameters: Any) -> str:
        """Where an organiser signs in."""
        return f"{self.root}/{self.key}/sign-in{query(parameters)}"

    def sign_out(self) -> str:
        """Where an organiser signs out."""
        return f"{self.root}/{self.key}/sign-out"

    def organise(self, path: str = "", **parameters: Any) -> str:
        """An organiser's page."""
        return f"{self.root}/{self.key}/organise{path and f'/{path}'}{query(parameters)}"

    def style(self) -> str:
        """The colours of titles that only this league has."""
        return f"{self.root}/{self.key}/titles.css"

    def feed(self) -> str:
        """The Atom feed."""
        return f"{self.root}/{self.key}/feed.atom"

    def api(self, path: str = "", **parameters: Any) -> str:
        """The API's answer about the league."""
        said = query([*parameters.items(), ("at", self.at)])
        return f"{self.root}/api/v1/leagues/{self.key}{path}{said}"

    def reference(self) -> str:
        """What the API can be asked."""
        return f"{self.root}/api/v1/"

    def suggest(self) -> str:
        """Where a script finds names: it adds the text as `q`."""
        return f"{self.root}/{self.key}/names.json"

    def player_base(self) -> str:
        """Where a script finds a player: it adds the name as `name`."""
        return f"{self.root}/{self.key}/player"

    def static(self, file: str) -> str:
        """A style or a script."""
        return f"{self.root}/static/{file}"
