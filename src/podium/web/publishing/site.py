"""Which pages, pictures and data a published site has."""

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, cast
from urllib.parse import urlsplit

import polars as pl

from podium.documents import as_document
from podium.errors import InputError
from podium.league import Filters, Result, Rules, View, documents
from podium.league.hiding import is_anonymous
from podium.progress import Progress, Report, part_of, reporting
from podium.ratings.leaderboards import check_counts
from podium.systems.base import System
from podium.web import bulk, charts, content, feeds
from podium.web.content import Content, Pages, Titles
from podium.web.publishing import data
from podium.web.publishing.addresses import StaticAddresses
from podium.web.publishing.everything import Everything
from podium.web.publishing.filenames import file_name
from podium.web.publishing.folder import SiteFolder
from podium.web.rendering import STATIC, render

PLAYER_PAGES = 1000
"""Up to so many players have pages of their own."""
BADGES = 100
_EXPLANATIONS = 100
_EXPLAINED_ROWS = 300_000
"""How many results are explained if nobody says: fewer of contests that are large, which take long.
"""
_BOARD_PAGES = 10
_CHANGE_PAGES = 20
_WHOLE = 300
"""Up to so many rows of a contest stand on its page; of more, the first hundred."""
_SMALL = 50
"""Of a contest of so many, all results are explained."""
_FIRST = 20
"""Of a larger one, so many."""
_STAGES = 4


@dataclass(frozen=True)
class Published:
    """What publishing has done."""

    folder: str
    written: int
    """Files that are new or changed."""
    unchanged: int
    removed: int
    """Files of an earlier run that do not belong to the site any more."""
    bytes: int
    """How large the site is."""
    pages: int
    """How many pages it has."""

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return as_document(asdict(self))


def publish(
    view: View,
    folder: str | os.PathLike[str],
    *,
    title: str,
    about: str | None = None,
    base_url: str | None = None,
    explanations: int | None = None,
    badges: int = BADGES,
    player_pages: int = PLAYER_PAGES,
    progress: Progress | None = None,
) -> Published:
    """Write a league as a static site, or bring one up to date that was published before.

    Only files that changed are written, each complete or not at all; files that belong to the site
    no more are removed, and others are left alone. The same state makes the same bytes.

    Args:
        view: One state of the league.
        folder: A new or empty folder, or one that was published to before.
        title: What the league is called.
        about: A sentence about it.
        base_url: Where the site will be, such as https://example.org/club/: for the feed and for
            what other sites show of players, which need complete addresses.
        explanations: How many of the latest results are explained; by default a hundred, or fewer
            if the contests are large.
        badges: Of how many of the best players, and of the last contest, there are badges.
        player_pages: Up to so many players have pages of their own, which need no script, and
            badges; if there are more, they share one page and data.
        progress: True for a bar, or a function of the part done and the whole.

    Example:
        >>> import podium, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> league = podium.League.create(f"{folder.name}/club.db", "elo")
        >>> with league, league.snapshot() as view:
        ...     found = publish(view, f"{folder.name}/site", title="The club")
        >>> found.pages
        5
        >>> folder.cleanup()
    """
    check_counts(explanations=explanations, badges=badges, player_pages=player_pages)
    base = None if base_url is None else _base(base_url)
    site = _Site(view, SiteFolder(folder), title, about, base)
    with reporting(progress, "Publishing") as report, site.folder:
        site.write(report, explanations, badges, player_pages)
    done = site.folder
    counts = done.written, done.unchanged, done.removed, done.bytes
    return Published(os.fspath(folder), *counts, site.pages)


def _base(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise InputError(
            f"{url!r} is no address of a site; one such as https://example.org/club/ is right."
        )
    return url if url.endswith("/") else f"{url}/"


@dataclass(frozen=True)
class _Shown(Pages):
    """One of several pages, of which only the first few are there."""

    most: int

    @property
    def count(self) -> int:
        return min(self.most, super().count)

    @property
    def left_out(self) -> int:
        """How many rows have no page, as the last page has to say; 0 for any other."""
        return self.rows - self.shown[1] if self.number == self.count else 0


@dataclass(frozen=True)
class _Contest:
    """What the page of a contest asks of a view, answered from columns."""

    system: System
    rules: Rules
    found: Result

    def result(self, _: str) -> Result:
        return self.found

    def has_live(self) -> bool:
        return False


@dataclass
class _Site:
    """A site that is being written."""

    view: View
    folder: SiteFolder
    title: str
    about: str | None
    base: str | None
    pages: int = 0
    links: StaticAddresses = field(default_factory=StaticAddresses)
    explained: list[tuple[str, str]] = field(default_factory=list)
    """Contests and players, the latest first."""

    def write(self, report: Report, explanations: int | None, badges: int, most: int) -> None:
        """All of it."""
        view = self.view
        everything = Everything.of(view, part_of(report, 0, _STAGES))
        players = everything.board["player"].to_list()
        own = frozenset(players if len(players) <= most else ())
        pictured = own | _noted(everything, badges)
        looked_back_at = own if view.stored_look_back() is not None else ()
        self.links = StaticAddresses(players=own, pictured=pictured, looked_back_at=looked_back_at)
        self._explanations(everything, explanations, part_of(report, 1, _STAGES))
        self._contests(everything, part_of(report, 2, _STAGES))
        self._leaderboards()
        rest = part_of(report, 3, _STAGES)
        self._players(everything, own, rest)
        self._badges(everything, pictured)
        self._changes()
        self._page("about.html", "about.html", "about", content.about(view))
        self.folder.write("feed.atom", feeds.atom(view, self.links, self.title, self.base or ""))
        self._data(everything, own, rest)
        if sheet := Titles.of(everything.rules).sheet:
            self.folder.write("titles.css", sheet)
        for each in sorted(STATIC.glob("*.*")):
            self.folder.write(f"static/{each.name}", each.read_bytes())

    def _page(
        self, name: str, template: str, here: str, found: Content, address: Any = None
    ) -> None:
        """A page like that of a server."""
        depth = name.count("/")
        shown = content.displays(self.view, found)
        body = render(
            "published.html",
            self.links.at_depth(depth).showing(shown),
            **{
                "parent": template,
                "hosted": {"title": self.title, "about": self.about},
                "here": here,
                "here_address": "",
                "kept": [],
                "several": False,
                "today": "",
                "page_address": address,
                "charts": charts,
                "asked": {
                    **dict.fromkeys(
                        ("q", "any", "title", "active_since", "min_contests", "season")
                    ),
                    "where": [],
                },
                "further": None,
                "left_out": 0,
                **found,
            },
        )
        self.folder.write(name, body)
        self.pages += 1

    def _leaderboards(self) -> None:
        """The leaderboard, and the standings of every season."""
        self._leaderboard(None)
        for season in self.view.seasons()["name"].to_list():
            self._leaderboard(season)

    def _leaderboard(self, season: str | None) -> None:
        links, filters = self.links, Filters(None, season=season)
        said = {} if season is None else {"season": season}
        depth = links.leaderboard(**said).count("/")
        here = links.at_depth(depth)
        forms = [(form.upper(), here.download(form, **said)) for form in bulk.FORMS]
        for form in bulk.FORMS:
            body, _ = bulk.leaderboard(self.view, filters, form)
            self.folder.write(links.download(form, **said), body)
        number = last = 1
        while number <= last:
            found = content.leaderboard(self.view, filters, page=number)
            pages = _Shown(number, found["pages"].size, found["pages"].rows, _BOARD_PAGES)
            last = pages.count
            found |= {"downloads": forms, "pages": pages, "left_out": pages.left_out}
            name, address = links.leaderboard(page=number, **said), partial(_of_page, here, said)
            self._page(name, "leaderboard.html", "leaderboard", found, address)
            number += 1

    def _address(self, what: str) -> Any:
        return lambda number: getattr(self.links, what)(page=number)

    def _changes(self) -> None:
        number = last = 1
        while number <= last:
            found = content.changes(self.view, page=number)
            pages = _Shown(number, found["pages"].size, found["pages"].rows, _CHANGE_PAGES)
            last = pages.count
            found |= {"pages": pages, "left_out": pages.left_out}
            name, address = self.links.changes(page=number), self._address("changes")
            self._page(name, "changes.html", "changes", found, address)
            number += 1

    def _contests(self, everything: Everything, report: Report) -> None:
        number = last = 1
        while number <= last:
            found = content.contests(self.view, page=number)
            last = found["pages"].count
            name, address = self.links.contests(page=number), self._address("contests")
            self._page(name, "contests.html", "contests", found, address)
            number += 1
        for number in range(everything.contests.height):
            self._contest(everything, everything.result(number))
            report(number + 1, everything.contests.height)

    def _contest(self, everything: Everything, result: Result) -> None:
        asked = _Contest(everything.system, everything.rules, result)
        found = content.contest(cast(View, asked), result.contest)
        table, further = result.standings, None
        rows = table.height
        if rows <= _WHOLE:
            found |= {"rows": documents(table)}
        else:
            rules, digits = everything.rules, everything.system.decimals
            limited = bool(found["limited"])
            rows_of = data.standings(result.contest, table, digits, rules, limited=limited)
            self.folder.write(*rows_of)
            further = {"file": f"standings/{file_name(result.contest)}", "rows": rows}
            further["shown"] = len(found["rows"])
        found |= {"pages": Pages(1, max(rows, 1), rows), "further": further}
        self._page(self.links.contest(result.contest), "contest.html", "contests", found)

    def _explanations(self, everything: Everything, count: int | None, report: Report) -> None:
        self.explained = list(_latest(everything, count))
        self.links = replace(self.links, explained=frozenset(self.explained))
        for number, (contest, player) in enumerate(self.explained):
            found = content.why(self.view, contest, player)
            self._page(self.links.why(contest, player), "why.html", "contests", found)
            report(number + 1, len(self.explained))

    def _players(self, everything: Everything, own: frozenset[str], report: Report) -> None:
        titles, digits = Titles.of(everything.rules).toned, everything.system.decimals
        stored = self.view.stored_look_back()
        for number, name in enumerate(everything.board["player"].to_list() if own else (), 1):
            found = content.player(self.view, name)
            history = found["player"]["history"][::-1]
            found |= {
                "history": history,
                "pages": Pages(1, max(len(history), 1), len(history)),
                "embed": self._embedded(name),
            }
            self._page(self.links.player(name), "player.html", "player", found)
            curve = charts.curve_svg(found["player"], titles=titles, digits=digits)
            self.folder.write(self.links.curve(name), curve)
            if stored is not None:
                seen = content.stored_look_back(self.view, name, stored, size=None)
                self._page(self.links.look_back(name), "look_back.html", "player", seen)
            report(number, len(own))
        found = {**content.common(self.view), "own": bool(own)}
        self._page("player.html", "published_player.html", "player", found)

    def _embedded(self, name: str) -> dict[str, str] | None:
        if self.base is None:
            return None
        links = self.links
        return {"badge": self.base + links.badge(name), "curve": self.base + links.curve(name)}

    def _badges(self, everything: Everything, pictured: frozenset[str]) -> None:
        titles, digits = Titles.of(everything.rules), everything.system.decimals
        board = everything.board
        fields = ("player", "display", "rating", "title")
        columns = (board[each].to_list() for each in fields)
        believed = (board[each].to_numpy() for each in ("contests", "sigma"))
        marked = everything.rules.provisional(*believed).tolist()
        for name, shown, rating, title, provisional in zip(*columns, marked, strict=True):
            if name in pictured:
                drawn = charts.badge(
                    shown or name,
                    rating,
                    title,
                    titles.tone(title),
                    digits=digits,
                    provisional=provisional,
                )
                self.folder.write(self.links.badge(name), drawn)

    def _data(self, everything: Everything, own: frozenset[str], report: Report) -> None:
        players = everything.board["player"].to_list()
        # Pages of players link to explanations themselves.
        explained = () if own else self.explained
        begun = self.view.seasons().select(pl.col("start").dt.epoch("s"), "name").rows()
        settings = data.settings(everything, pages=bool(own), explained=explained, seasons=begun)
        self.folder.write(*settings)
        for each in data.names(players, file_name if own else None):
            self.folder.write(*each)
        if own or not players:
            return
        for each in data.contests(everything):
            self.folder.write(*each)
        for number, each in enumerate(data.histories(everything), 1):
            self.folder.write(*each)
            report(number, data.shards(everything))


def _of_page(links: StaticAddresses, said: dict[str, str], number: int) -> str:
    return links.leaderboard(page=number, **said)


def _noted(everything: Everything, count: int) -> frozenset[str]:
    """The best players, and the first of the last contest."""
    best = everything.board["player"].head(count).to_list()
    last = everything.rows.slice(int(everything.offsets[-2]) if len(everything.offsets) > 1 else 0)
    rated = _rated(last)
    return frozenset((*best, *rated.head(count).to_list()))


def _rated(rows: pl.DataFrame) -> pl.Series:
    """The players of rows that are rated, without those who are hidden."""
    players = rows.filter(rows["rating"].is_not_null())["player"]
    return players.filter(pl.Series(map(is_anonymous, players), dtype=pl.Boolean).not_())


def _latest(everything: Everything, wanted: int | None) -> Iterator[tuple[str, str]]:
    """The latest results: of small contests all, of others the first."""
    count, left = (_EXPLANATIONS, _EXPLAINED_ROWS) if wanted is None else (wanted, None)
    for number in reversed(range(everything.contests.height)):
        first, last = everything.offsets[number : number + 2].tolist()
        rows = everything.rows.slice(first, last - first)
        rated = _rated(rows)
        most = min(count, rated.len() if rated.len() <= _SMALL else _FIRST)
        if left is not None:
            most = min(most, left // max(rows.height, 1))
            left -= most * rows.height
        contest = everything.contests["contest"][number]
        yield from ((contest, player) for player in rated.head(most).to_list())
        count -= most
        if count <= 0:
            return
