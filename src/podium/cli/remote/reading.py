"""A league on a site, to be read: asked through its API, answered as a view does.

What a command prints of it is what it prints of the league itself, as far as the public may see it,
or whoever has the token that is given.
"""

import datetime
import json
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import polars as pl

from podium import systems
from podium.cli.remote.client import Site
from podium.cli.remote.understanding import TIME, exact, frame, moment, understood
from podium.errors import AccessError, InputError, NotFoundError
from podium.files import files_in, replacing
from podium.league import Attribute, Filters, Leaderboard, Live, Result, Rules
from podium.league.changes import Beforehand
from podium.league.exporting import FILES
from podium.league.live import COLUMNS
from podium.ratings.asking import Asking
from podium.ratings.beliefs import Beliefs
from podium.ratings.careers import Career, Moment, by_season
from podium.ratings.explanations.words import wrapped
from podium.ratings.player import Player
from podium.results.contests import Contests
from podium.results.near import NEAR
from podium.results.times import Time, to_microseconds
from podium.systems.base import FORECAST, System
from podium.texts import without_passwords

if TYPE_CHECKING:
    from podium.matchmaking import Round, Ticket
    from podium.matchmaking import Rules as MatchRules

_BOARD = {
    "place": pl.UInt32,
    "player": pl.String,
    "title": pl.String,
    "rating": pl.Float64,
    "mu": pl.Float64,
    "sigma": pl.Float64,
    **dict.fromkeys(FORECAST, pl.Float64),
    "contests": pl.Int32,
    "last_time": TIME,
    "id": pl.Int64,
    "display": pl.String,
    "provisional": pl.Boolean,
    "best_rating": pl.Float64,
    "best_time": TIME,
    **dict.fromkeys(("away", "rating_now", "sigma_now"), pl.Float64),
}
_HISTORY = {
    "contest": pl.String,
    "time": TIME,
    "name": pl.String,
    "rank": pl.Int32,
    "participants": pl.Int32,
    **dict.fromkeys(("performance", "mu_before", "sigma_before", "mu", "sigma"), pl.Float64),
    **dict.fromkeys(("rating_before", "rating", "change"), pl.Float64),
    "provisional": pl.Boolean,
}
_STANDINGS = {
    "rank": pl.Int32,
    **dict.fromkeys(("player", "team", "score", "status", "given_team"), pl.String),
    "eligible": pl.Boolean,
    **dict.fromkeys(("expected_rank", "performance"), pl.Float64),
    **dict.fromkeys(("rating_before", "rating", "change"), pl.Float64),
    **dict.fromkeys(("provisional_before", "provisional"), pl.Boolean),
}
_CONTESTS = {
    "contest": pl.String,
    "time": TIME,
    "name": pl.String,
    "players": pl.Int64,
    "weight": pl.Float64,
    "rated": pl.Boolean,
    "rating_floor": pl.Float64,
    "rating_ceiling": pl.Float64,
}
_LOG = {
    "number": pl.Int64,
    "time": TIME,
    **dict.fromkeys(
        ("who", "action", "contest", "player", "why", "details", "before", "after"), pl.String
    ),
}
_REVISIONS = {
    **dict.fromkeys(("name", "system", "parameters"), pl.String),
    "created": TIME,
    "active": pl.Boolean,
    "current": pl.Boolean,
}
_SEASONS = {
    "name": pl.String,
    **dict.fromkeys(("start", "end"), TIME),
    **dict.fromkeys(("pull", "toward", "sigma"), pl.Float64),
}
_PEOPLE = {
    "id": pl.Int64,
    "player": pl.String,
    "display": pl.String,
    "hidden": pl.Boolean,
}
_STARTS = {
    "player": pl.String,
    "time": TIME,
    **dict.fromkeys(("rating", "sigma"), pl.Float64),
}
_TOKENS = {
    "id": pl.Int64,
    **dict.fromkeys(("name", "role"), pl.String),
    "created": TIME,
    "creator": pl.String,
    **dict.fromkeys(("expires", "revoked"), TIME),
}
_WEBHOOKS = {
    "id": pl.Int64,
    "address": pl.String,
    "kinds": pl.List(pl.String),
    "active": pl.Boolean,
    "created": TIME,
    "creator": pl.String,
    **dict.fromkeys(("waiting", "failed"), pl.Int64),
    "delivered": TIME,
}
_DELIVERIES = {
    **dict.fromkeys(("webhook", "notice"), pl.Int64),
    "kind": pl.String,
    "entry": pl.Int64,
    "time": TIME,
    "attempts": pl.Int64,
    **dict.fromkeys(("due", "delivered"), TIME),
    "status": pl.Int64,
    "problem": pl.String,
}
_CHANCES = {
    "player": pl.String,
    **dict.fromkeys(("first", "top", "expected_rank"), pl.Float64),
}


class RemoteView(Asking):
    """A league on a site, to be read; one state of it as long as it does not change.

    Args:
        address: That of its leaderboard, as in ``https://example.org/club``; of a site with one
            league, also that of the site.
        token: What lets one see a private league, and more of any.
        with_hidden: Whether hidden players are asked for, too.
    """

    def __init__(
        self, address: str, *, token: str | None = None, with_hidden: bool = False
    ) -> None:
        self.where = without_passwords(address)
        self._site = Site(address, token, with_hidden=with_hidden)
        self._about = self._site.league()
        self._predicted: dict[str, Any] = {}

    def _forget(self) -> None:
        """Ask anew for what is remembered of the league."""
        for name in ("system", "rules"):
            self.__dict__.pop(name, None)
        self._about = self._site.league()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise InputError(
            f"{self.where}: is a site, which does not answer this; ask the league where it is kept."
        )

    @cached_property
    @understood
    def system(self) -> System:
        """What rates it."""
        return _system(self._about, f"{self.where}: a league")

    @cached_property
    @understood
    def rules(self) -> Rules:
        """How ratings are shown."""
        return Rules(**self._about["rules"])

    @understood
    def __len__(self) -> int:
        return int(self._about["contests"])

    @understood
    def board(self, filters: Filters) -> Leaderboard:
        """The best players, and among how many they have their places."""
        wanted = None if filters.n is None else filters.skip + filters.n
        asked = {
            "at": exact(filters.at),
            "active_since": exact(filters.active_since),
            "min_contests": filters.min_contests,
            "title": filters.title,
            "where": [str(each) for each in filters.where] or None,
            "q": filters.sought,
            "season": filters.season,
        }
        rows: list[dict[str, Any]] = []
        page: dict[str, Any] = {}
        for page in self._site.pages("/leaderboard", wanted, **asked):
            rows += page["leaderboard"]
            if wanted is not None and len(rows) >= wanted:
                break
        counts = [page[name] for name in ("contests", "players", "eligible", "matching")]
        system = _system(page, f"{self.where}: a league")
        attributes = tuple(rows[0]["attributes"]) if rows else ()
        table = frame(rows, _BOARD).with_columns(
            pl.Series(name, [row["attributes"][name] for row in rows], strict=False)
            for name in attributes
        )
        if not system.forecasts:
            table = table.drop(FORECAST)
        board = Leaderboard(filters.page(table), system, *counts)
        return replace(board, colours=page["colours"], attributes=attributes)

    @understood
    def player(self, name: str, *, at: Time | None = None) -> Player:
        """A player, given by name or alias."""
        return _player(self._site.ask("/player", name=name, at=exact(at), last=1))

    __getitem__ = player

    @understood
    def career(self, name: str, *, at: Time | None = None) -> Career:
        """A player with all rated contests, as of now or of a date."""
        found = self._site.ask("/player", name=name, at=exact(at))
        history, begun = frame(found["history"], _HISTORY), self.seasons()
        return Career(
            _player(found),
            self.system,
            found["players"],
            history,
            titled=True,
            colours=found["colours"],
            after_last=_believed(found["after_last"]),
            now=_believed(found["now"]),
            seasons=by_season(history, begun),
            begun=begun,
        )

    @understood
    def result(self, contest: str) -> Result:
        """All about one contest."""
        found = self._site.ask("/contest", id=contest)
        about = {name: found[name] for name in _CONTESTS}
        about["time"] = moment(found["time"])
        standings = frame(found["standings"], _STANDINGS)
        return Result(**about, system=self.system, standings=standings)

    @understood
    def contests(self) -> pl.DataFrame:
        """All contests in order."""
        rows = [row for page in self._site.pages("/contests", None) for row in page]
        return frame(rows[::-1], _CONTESTS)

    @understood
    def log(
        self, n: int | None = None, *, contest: str | None = None, player: str | None = None
    ) -> pl.DataFrame:
        """What was changed, when and why, the latest first: what one may see of it."""
        if self._site.has_token:
            with suppress(AccessError):
                return self._whole_log(n, contest, player)
        few = n if contest is None and player is None else None
        rows = [
            {**row, "details": json.dumps(_details(row), ensure_ascii=False)}
            for page in self._site.pages("/changes", few)
            for row in page
            if contest in (None, row["contest"]) and player in (None, row["player"])
        ]
        found = frame(rows, _LOG)
        return found if n is None else found.head(n)

    def _whole_log(self, n: int | None, contest: str | None, player: str | None) -> pl.DataFrame:
        """The log as an organiser sees it."""
        asked = {"contest": contest, "player": player}
        rows: list[dict[str, Any]] = []
        for page in self._site.pages("/log", n, **asked):
            rows += page
            if n is not None and len(rows) >= n:
                break
        told = ("details", "before", "after")
        rows = [{**row, **{name: _as_text(row[name]) for name in told}} for row in rows[:n]]
        return frame(rows, _LOG)

    @property
    @understood
    def attributes(self) -> list[Attribute]:
        """What players may be known by besides names."""
        return [Attribute(**each) for each in self._site.ask("/attributes")]

    @understood
    def people(
        self, *, where: Sequence[str] = (), matching: str | None = None, with_hidden: bool = False
    ) -> pl.DataFrame:
        """All players with what is known of them, by name, for an organiser."""
        asked = {"where": list(where) or None, "q": matching}
        asked |= {"with_hidden": "true"} if with_hidden else {}
        found = self._site.ask("/people", **asked)
        known = [each.name for each in self.attributes]
        table = frame(found, _PEOPLE)
        return table.with_columns(
            pl.Series(name, [row["attributes"][name] for row in found], strict=False)
            for name in known
        )

    @understood
    def starts(self) -> pl.DataFrame:
        """The starting ratings of players, for an organiser."""
        return frame(self._site.ask("/starts"), _STARTS)

    @understood
    def beforehand(self, results: Contests) -> Beforehand:
        """What a league knows of results before they are recorded."""
        found = self._site.upload("/check", results.frame(given=True))["league"]
        if found["error"] is not None:
            raise InputError(found["error"])
        self._near = found["near"]
        return Beforehand(found["newcomers"], found["same"], found["other"])

    def near_names(self, _: Sequence[str]) -> pl.DataFrame:
        """Which of those who were found to be new are almost called as somebody known."""
        return pl.DataFrame(self._near, schema=NEAR)

    @understood
    def seasons(self) -> pl.DataFrame:
        """All seasons, the earliest first."""
        return frame(self._site.ask("/seasons"), _SEASONS)

    @understood
    def revisions(self) -> pl.DataFrame:
        """By which systems the league is and was rated."""
        rows = self._site.ask("/revisions")
        return frame(
            [{**row, "parameters": json.dumps(row["parameters"])} for row in rows], _REVISIONS
        )

    @property
    @understood
    def access(self) -> str:
        """Who may see the league on the web, for who has a token."""
        return str(self._site.ask("/access")["access"])

    @understood
    def tokens(self) -> pl.DataFrame:
        """Who may do what, for an owner."""
        return frame(self._site.ask("/tokens"), _TOKENS)

    @understood
    def webhooks(self) -> pl.DataFrame:
        """Which programs are told of changes, for an owner."""
        return frame(self._site.ask("/webhooks"), _WEBHOOKS)

    @understood
    def deliveries(self, webhook: int | None = None, *, failed: bool = False) -> pl.DataFrame:
        """What webhooks were told, or are still to be told, for an owner."""
        asked = {"webhook": webhook, "failed": "true" if failed else None}
        return frame(self._site.ask("/webhooks/deliveries", **asked), _DELIVERIES)

    @understood
    def live_contests(self) -> list["ListedLive"]:
        """The contests that are live."""
        return [ListedLive(each) for each in self._site.ask("/live")]

    @understood
    def live(self, contest: str) -> Live:
        """A contest that is live, with all of its rows."""
        rows: list[dict[str, Any]] = []
        for found in self._site.pages("/live", None, id=contest):
            rows += found["standings"]
        return Live(
            contest=found["contest"],
            name=found["name"],
            version=found["version"],
            mark="",
            created=moment(found["created"]),
            updated=moment(found["updated"]),
            who="",
            time=moment(found["time"]),
            system=self.system,
            state=found["state"],
            needs=found["needed_for"],
            table=frame(rows, COLUMNS),
            **self._source(contest),
        )

    def _source(self, contest: str) -> dict[str, Any]:
        """From where its standings are fetched, as far as one may know."""
        if not self._site.has_token:
            return {}
        with suppress(AccessError, NotFoundError):
            found = self._site.ask("/live/source", id=contest)
            return {"source": found["address"]} | {
                name: found[name] for name in ("every", "problem")
            }
        return {}

    def live_time(self, contest: str) -> datetime.datetime:
        """When a contest takes place whose standings do not say so: as before, or else now."""
        try:
            return self.live(contest).time
        except NotFoundError:
            return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)

    @understood
    def export(self, folder: Path, *, format: str = "parquet") -> list[str]:
        """Write everything to a folder, for an organiser; the names of the files."""
        with tempfile.TemporaryFile() as sent:
            self._site.download("/export.zip", sent, format=format)
            with (
                zipfile.ZipFile(sent) as archive,
                replacing(folder, folder=True, stale=FILES) as temporary,
            ):
                for each in archive.namelist():
                    (temporary / PurePosixPath(each).name).write_bytes(archive.read(each))
                return files_in(temporary)

    @understood
    def explain(self, contest: str, player: str) -> "RemoteExplanation":
        """Why a contest did to a player's rating what it did."""
        return RemoteExplanation(self._site.ask("/explanation", contest=contest, player=player))

    def beliefs_of(self, _: Sequence[str]) -> Any:
        """When the last contest was; what is believed is not told by a site."""
        last = self._about["last_time"]
        return SimpleNamespace(time=None if last is None else to_microseconds(moment(last)))

    @understood
    def _consult(
        self,
        names: list[str],
        at: Time | None,
        calibrated: bool = False,  # noqa: ARG002 - the site answers at the temperature
    ) -> tuple[Beliefs, list[int], int | None]:
        known: Any = SimpleNamespace(system=self.system)
        return known, list(range(len(names))), None if at is None else to_microseconds(at)

    @understood
    def matched(
        self, tickets: "Sequence[Ticket]", rules: "MatchRules", now: float, calibrated: bool
    ) -> "Round":
        """Who should meet whom of those who wait: the site makes the matches."""
        from podium.matchmaking import Round

        said = {
            "tickets": [each.said() for each in tickets],
            "rules": rules.said(),
            "now": now,
            "calibrated": calibrated,
        }
        return Round.from_document(self._site.order("POST", "/match", said))

    @understood
    def rank_probabilities(
        self,
        competitors: Sequence[Any],
        *,
        top: int = 3,
        at: Time | None = None,
        home: str | None = None,
        calibrated: bool = False,
    ) -> pl.DataFrame:
        """How a contest of these players may end, the likeliest winner first."""
        asked = {"player": list(competitors), "top": top, "at": exact(at), "home": home}
        asked |= {"calibrated": "true"} if calibrated else {}
        self._predicted = self._site.ask("/prediction", **asked)
        return frame(self._predicted["players"], _CHANCES)

    @understood
    def quality(self, *_: Any, **__: Any) -> float:
        """How even the contest is that was asked for last."""
        return float(self._predicted["quality"])

    @understood
    def win_probability(self, *_: Any, **__: Any) -> float:
        """Of the two that were asked for last: that the first wins."""
        return float(self._predicted["win_probability"])

    @understood
    def draw_probability(self, *_: Any, **__: Any) -> float:
        """Of the same: that they draw."""
        return float(self._predicted["draw_probability"])

    @understood
    def temperature(self, *_: Any, **__: Any) -> float:
        """At which the contest that was asked for last was predicted."""
        return float(self._predicted["temperature"])

    @understood
    def stronger_probability(self, *_: Any, **__: Any) -> float:
        """Of the same: that the first is the stronger one."""
        return float(self._predicted["stronger_probability"])

    def predict(self, *_: Any, **__: Any) -> Any:
        """Not through a site."""
        raise InputError(
            f"{self.where}: is a site, which predicts contests of names, not standings; give the "
            f"names, or ask the league where it is kept."
        )

    curve = predict


@dataclass(frozen=True)
class ListedLive:
    """A contest that is live, among others."""

    told: dict[str, Any]
    """The document of it."""
    problem: str | None = None
    """What went wrong when its standings were fetched, which a list does not tell."""

    def about(self) -> dict[str, Any]:
        """As JSON says it."""
        return self.told


@dataclass(frozen=True)
class RemoteExplanation:
    """Why a rating is what it is, as the site tells it."""

    told: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return self.told

    def text(self, width: int = 80) -> str:
        """In short paragraphs."""
        about = ("forecast", "performance", "average", "change", "limits", "places")
        told = (self.told[each]["text"] for each in about if each in self.told)
        return wrapped([self.told["text"], *told], width)

    def picture(self, _: object) -> None:
        """Not through a site."""
        raise InputError(
            "a site tells no more of opponents than the most important; for a picture, ask the "
            "league where it is kept."
        )


def _player(found: Mapping[str, Any]) -> Player:
    sigma = float("nan") if found["sigma"] is None else found["sigma"]
    return Player(
        found["player"],
        found["rating"],
        found["mu"],
        sigma,
        found["contests"],
        found["last_time"] and moment(found["last_time"]),
        found["place"],
        found["title"],
        found.get("forecast"),
        found.get("spread"),
        found["provisional"],
        found["guest"],
        found.get("id"),
        found.get("display"),
        found.get("attributes"),
    )


def _believed(found: Mapping[str, Any] | None) -> Moment | None:
    if found is None:
        return None
    sigma = float("nan") if found["sigma"] is None else found["sigma"]
    expected = (found.get(name) for name in FORECAST)
    return Moment(moment(found["time"]), found["rating"], sigma, *expected)


def _system(found: Mapping[str, Any], what: str) -> System:
    parameters = {
        name: float(value) if value in ("inf", "-inf") else value
        for name, value in found["parameters"].items()
    }
    return systems.restored(found["system"], parameters, f"{what} is")


def _details(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the public sees of the details of a change."""
    return {} if row["moved"] is None else {"moved": row["moved"], "moves": row["moves"]}


def _as_text(said: Any) -> str | None:
    """JSON as the log has it."""
    return None if said is None else json.dumps(said, ensure_ascii=False)
