"""The addresses of a static site: relative, so that it can lie anywhere, also in a folder."""

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import quote

from podium.league.hiding import is_anonymous
from podium.web.addresses import Addresses, query
from podium.web.publishing.filenames import file_name


def _page(file: str, page: Any = None) -> str:
    return f"{file}.html" if page in (None, 1) else f"{file}-{page}.html"


@dataclass(frozen=True)
class StaticAddresses(Addresses):
    """The addresses of what is published of a league; empty of what needs a server.

    Args:
        depth: How many folders below the top of the site the page is that has the links.
        players: Those who have a page and a curve of their own; all others share one page.
        pictured: Those who have a badge.
        explained: Pairs of contest and player that have a page which explains the result.
        looked_back_at: Those of whom there is a page in hindsight.

    Example:
        >>> links = StaticAddresses(players={"ann"}).at_depth(1)
        >>> links.player("ann"), links.player("Bob Lee"), links.contest("round-1")
        ('../player/ann.html', '../player.html?name=Bob+Lee', '../contest/round-1.html')
        >>> links.compare("ann")
        ''
    """

    depth: int = 0
    players: Container[str] = ()
    pictured: Container[str] = ()
    explained: Container[tuple[str, str]] = ()
    looked_back_at: Container[str] = ()

    is_static = True

    def at_depth(self, depth: int) -> Self:
        """The same, for a page in a folder."""
        return replace(self, depth=depth)

    def _to(self, path: str) -> str:
        return "../" * self.depth + quote(path, safe="/~")

    def home(self) -> str:
        """There is one league only."""
        return ""

    def live(self, contest: str | None = None, **parameters: Any) -> str:  # noqa: ARG002
        """What is published does not change."""
        return ""

    def leaderboard(self, **parameters: Any) -> str:
        """The leaderboard; of the parameters only the page and the season count."""
        page, season = parameters.get("page"), parameters.get("season")
        if season is not None:
            return self._to(_page(f"season/{file_name(season)}/standings", page))
        return self._to("index.html" if page in (None, 1) else _page("leaderboard", page))

    def download(self, form: str, **parameters: Any) -> str:
        """The leaderboard, or that of a season, as a file: csv, json or parquet."""
        if (season := parameters.get("season")) is not None:
            return self._to(f"season/{file_name(season)}/standings.{form}")
        return self._to(f"leaderboard.{form}")

    def player(self, name: str, **_: Any) -> str:
        """A player; nothing if it is one who is hidden."""
        if is_anonymous(name):
            return ""
        if name in self.players:
            return self._to(f"player/{file_name(name)}.html")
        return self.player_base() + query({"name": name})

    def badge(self, name: str) -> str:
        """A player's badge, if there is one."""
        return self._to(f"badge/{file_name(name)}.svg") if name in self.pictured else ""

    def curve(self, name: str, **_: Any) -> str:
        """A player's curve, if there is one."""
        return self._to(f"curve/{file_name(name)}.svg") if name in self.players else ""

    def contests(self, **parameters: Any) -> str:
        """All contests."""
        return self._to(_page("contests", parameters.get("page")))

    def contest(self, contest: str, **_: Any) -> str:
        """One contest."""
        return self._to(f"contest/{file_name(contest)}.html")

    def why(self, contest: str, player: str) -> str:
        """Why a contest did to a player's rating what it did, if that is explained."""
        if (contest, player) not in self.explained:
            return ""
        return self._to(f"why/{file_name(contest)}/{file_name(player)}.html")

    def compare(self, *_: str) -> str:
        """Needs a server."""
        return ""

    def look_back(self, name: str) -> str:
        """A player in hindsight, if the league keeps that; to compute it needs a server."""
        return self._to(f"look-back/{file_name(name)}.html") if name in self.looked_back_at else ""

    def predict(self, *_: str) -> str:
        """Needs a server."""
        return ""

    def about(self) -> str:
        """What rates, by which rules."""
        return self._to("about.html")

    def changes(self, **parameters: Any) -> str:
        """What was changed, when and why."""
        return self._to(_page("changes", parameters.get("page")))

    def style(self) -> str:
        """The colours of titles that only this league has."""
        return self._to("titles.css")

    def feed(self) -> str:
        """The Atom feed."""
        return self._to("feed.atom")

    def api(self, path: str = "", **_: Any) -> str:  # noqa: ARG002
        """Needs a server."""
        return ""

    def reference(self) -> str:
        """Needs a server."""
        return ""

    def suggest(self) -> str:
        """The script finds names in files."""
        return ""

    def player_base(self) -> str:
        """Where a script finds a player: it adds the name as `name`."""
        return self._to("player.html")

    def static(self, file: str) -> str:
        """A style or a script."""
        return self._to(f"static/{file}")
