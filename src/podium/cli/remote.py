"""A league on a site that `podium serve` shows: asked through its API, answered as a view does.

What a command prints of it is what it prints of the league itself, as far as the public may see it.
"""

import datetime
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from types import SimpleNamespace
from typing import Any, ParamSpec, TypeVar
from urllib.parse import quote, unquote, urlencode, urljoin

import polars as pl
import urllib3
from urllib3 import exceptions
from urllib3.util import Url, parse_url

from podium import systems
from podium.errors import (
    BusyError,
    ConflictError,
    InputError,
    NotFoundError,
    PodiumError,
    StorageError,
)
from podium.files import reason
from podium.league import Filters, Leaderboard, Result, Rules
from podium.ratings.asking import Asking
from podium.ratings.beliefs import Beliefs
from podium.ratings.careers import Career
from podium.ratings.explanations.words import wrapped
from podium.ratings.player import Player
from podium.results.fetching.client import pool_for
from podium.results.times import Time, from_microseconds, to_microseconds
from podium.systems.base import FORECAST, System
from podium.texts import without_passwords

_API = "/api/v1/leagues"
_MOST_PAGES = 100_000
_MOST = 1000
"""Rows that a page has at most."""
_PATIENCE = urllib3.Timeout(connect=10.0, read=60.0)
_LARGEST = 2**28
"""Bytes of an answer."""
_PIECE = 2**16
_BUSY = (429, 502, 503, 504)
"""What a site, or a proxy before it, answers when the same may work in a moment."""
_KINDS = {404: NotFoundError, 409: ConflictError}
"""What problems of the site are here, by their status, that are not wrong input."""
_TIME = pl.Datetime("us")
_BOARD = {
    "place": pl.UInt32,
    "player": pl.String,
    "title": pl.String,
    "rating": pl.Float64,
    "mu": pl.Float64,
    "sigma": pl.Float64,
    **dict.fromkeys(FORECAST, pl.Float64),
    "contests": pl.Int32,
    "last_time": _TIME,
}
_HISTORY = {
    "contest": pl.String,
    "time": _TIME,
    "name": pl.String,
    "rank": pl.Int32,
    "participants": pl.Int32,
    **dict.fromkeys(("performance", "mu_before", "sigma_before", "mu", "sigma"), pl.Float64),
    **dict.fromkeys(("rating_before", "rating", "change"), pl.Float64),
}
_STANDINGS = {
    "rank": pl.Int32,
    **dict.fromkeys(("player", "team", "score", "status", "given_team"), pl.String),
    "eligible": pl.Boolean,
    **dict.fromkeys(("expected_rank", "performance"), pl.Float64),
    **dict.fromkeys(("rating_before", "rating", "change"), pl.Float64),
}
_CONTESTS = {
    "contest": pl.String,
    "time": _TIME,
    "name": pl.String,
    "players": pl.Int64,
    "weight": pl.Float64,
    "rated": pl.Boolean,
    "rating_floor": pl.Float64,
    "rating_ceiling": pl.Float64,
}
_LOG = {
    "number": pl.Int64,
    "time": _TIME,
    **dict.fromkeys(
        ("who", "action", "contest", "player", "why", "details", "before", "after"), pl.String
    ),
}
_REVISIONS = {
    **dict.fromkeys(("name", "system", "parameters"), pl.String),
    "created": _TIME,
    "active": pl.Boolean,
    "current": pl.Boolean,
}
_CHANCES = {
    "player": pl.String,
    **dict.fromkeys(("first", "top", "expected_rank"), pl.Float64),
}


P = ParamSpec("P")
R = TypeVar("R")


def _understood(ask: Callable[P, R]) -> Callable[P, R]:
    """Say of answers that are not what the API gives that they are none."""

    @wraps(ask)
    def answer(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return ask(*args, **kwargs)
        except PodiumError:
            raise
        except (pl.exceptions.PolarsError, LookupError, TypeError, ValueError, AttributeError):
            raise _not_understood() from None

    return answer


def _not_understood() -> StorageError:
    return StorageError("the site answers what podium does not understand.")


class RemoteView(Asking):
    """A league on a site, to be read; one state of it as long as it does not change.

    Args:
        address: That of its leaderboard, as in ``https://example.org/club``; of a site with one
            league, also that of the site.
    """

    def __init__(self, address: str) -> None:
        self.where = without_passwords(address)
        site = _Site(address)
        self._site, self._about = site, site.league()
        self._predicted: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise InputError(
            f"{self.where}: is a site, which does not answer this; ask the league where it is kept."
        )

    @cached_property
    @_understood
    def system(self) -> System:
        """What rates it."""
        return _system(self._about, f"{self.where}: a league")

    @cached_property
    @_understood
    def rules(self) -> Rules:
        """How ratings are shown."""
        return Rules(**self._about["rules"])

    @_understood
    def __len__(self) -> int:
        return int(self._about["contests"])

    @_understood
    def board(self, filters: Filters) -> Leaderboard:
        """The best players, and among how many they have their places."""
        wanted = None if filters.n is None else filters.skip + filters.n
        asked = {
            "at": _exact(filters.at),
            "active_since": _exact(filters.active_since),
            "min_contests": filters.min_contests,
            "title": filters.title,
            "q": filters.sought,
        }
        rows: list[dict[str, Any]] = []
        page: dict[str, Any] = {}
        for page in self._site.pages("/leaderboard", wanted, **asked):
            rows += page["leaderboard"]
            if wanted is not None and len(rows) >= wanted:
                break
        counts = (page[name] for name in ("contests", "players", "eligible", "matching"))
        system = _system(page, f"{self.where}: a league")
        table = filters.page(_frame(rows, _BOARD))
        if not system.forecasts:
            table = table.drop(FORECAST)
        return Leaderboard(table, system, *counts)

    @_understood
    def player(self, name: str, *, at: Time | None = None) -> Player:
        """A player, given by name or alias."""
        return _player(self._site.ask("/player", name=name, at=_exact(at), last=1))

    __getitem__ = player

    @_understood
    def career(self, name: str, *, at: Time | None = None) -> Career:
        """A player with all rated contests, as of now or of a date."""
        found = self._site.ask("/player", name=name, at=_exact(at))
        history = _frame(found["history"], _HISTORY)
        return Career(_player(found), self.system, found["players"], history, titled=True)

    @_understood
    def result(self, contest: str) -> Result:
        """All about one contest."""
        found = self._site.ask("/contest", id=contest)
        about = {name: found[name] for name in _CONTESTS}
        about["time"] = _moment(found["time"])
        standings = _frame(found["standings"], _STANDINGS)
        return Result(**about, system=self.system, standings=standings)

    @_understood
    def contests(self) -> pl.DataFrame:
        """All contests in order."""
        rows = [row for page in self._site.pages("/contests", None) for row in page]
        return _frame(rows[::-1], _CONTESTS)

    @_understood
    def log(
        self, n: int | None = None, *, contest: str | None = None, player: str | None = None
    ) -> pl.DataFrame:
        """What was changed, when and why, the latest first: what the public may see of it."""
        few = n if contest is None and player is None else None
        rows = [
            {**row, "details": json.dumps(_details(row), ensure_ascii=False)}
            for page in self._site.pages("/changes", few)
            for row in page
            if contest in (None, row["contest"]) and player in (None, row["player"])
        ]
        found = _frame(rows, _LOG)
        return found if n is None else found.head(n)

    @_understood
    def revisions(self) -> pl.DataFrame:
        """By which systems the league is and was rated."""
        rows = self._site.ask("/revisions")
        return _frame(
            [{**row, "parameters": json.dumps(row["parameters"])} for row in rows], _REVISIONS
        )

    @_understood
    def explain(self, contest: str, player: str) -> "RemoteExplanation":
        """Why a contest did to a player's rating what it did."""
        return RemoteExplanation(self._site.ask("/explanation", contest=contest, player=player))

    def beliefs_of(self, _: Sequence[str]) -> Any:
        """When the last contest was; what is believed is not told by a site."""
        last = self._about["last_time"]
        return SimpleNamespace(time=None if last is None else to_microseconds(_moment(last)))

    @_understood
    def _consult(
        self,
        names: list[str],
        at: Time | None,
        calibrated: bool = False,  # noqa: ARG002 - the site answers at the temperature
    ) -> tuple[Beliefs, list[int], int | None]:
        known: Any = SimpleNamespace(system=self.system)
        return known, list(range(len(names))), None if at is None else to_microseconds(at)

    @_understood
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
        asked = {"player": list(competitors), "top": top, "at": _exact(at), "home": home}
        asked |= {"calibrated": "true"} if calibrated else {}
        self._predicted = self._site.ask("/prediction", **asked)
        return _frame(self._predicted["players"], _CHANCES)

    @_understood
    def quality(self, *_: Any, **__: Any) -> float:
        """How even the contest is that was asked for last."""
        return float(self._predicted["quality"])

    @_understood
    def win_probability(self, *_: Any, **__: Any) -> float:
        """Of the two that were asked for last: that the first wins."""
        return float(self._predicted["win_probability"])

    @_understood
    def draw_probability(self, *_: Any, **__: Any) -> float:
        """Of the same: that they draw."""
        return float(self._predicted["draw_probability"])

    @_understood
    def temperature(self, *_: Any, **__: Any) -> float:
        """At which the contest that was asked for last was predicted."""
        return float(self._predicted["temperature"])

    @_understood
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


class _Site:
    """The API of a site, as far as it is about one league."""

    def __init__(self, address: str) -> None:
        try:
            url = parse_url(address)
        except exceptions.LocationParseError:
            url = Url()
        if not url.host or url.query or url.fragment:
            raise _no_league(address)
        self._shown = without_passwords(address)
        self._name = url.netloc or ""
        self._pool = pool_for(url)
        path = (url.path or "").rstrip("/")
        base, _, key = path.rpartition("/")
        self._root = f"{url.scheme}://{url.netloc}"
        login = urllib3.make_headers(basic_auth=unquote(url.auth)) if url.auth else {}
        self._headers = {**self._pool.headers, **login, "Accept": "application/json"}
        self._base, self._key = base.removesuffix(_API), unquote(key)

    def league(self) -> dict[str, Any]:
        """What there is to know of the league; raise if there is none."""
        if not self._key:
            found = self._document(f"{self._base}{_API}")
            if not isinstance(found, list):
                raise _no_league(self._shown)
            if len(found) != 1:
                keys = ", ".join(sorted(str(each.get("key")) for each in found)) or "none"
                raise InputError(
                    f"{self._shown}: is a site of several leagues, {keys}; give the address of "
                    f"one, such as https://example.org/club."
                )
            self._key = str(found[0]["key"])
        about = self._document(self._address(""))
        if not isinstance(about, dict) or not {"system", "rules", "state"} <= about.keys():
            raise _no_league(self._shown)
        return about

    def ask(self, path: str, **parameters: Any) -> Any:
        """The answer to one question."""
        return self._document(self._address(path, parameters))

    def pages(self, path: str, rows: int | None, **parameters: Any) -> Iterator[Any]:
        """The pages of a long table, until there are so many rows or no more."""
        size = _MOST if rows is None else max(1, min(_MOST, rows))
        address: str | None = self._address(path, {**parameters, "n": size})
        asked = set[str]()
        while address is not None:
            asked.add(address)
            answer, headers = self._answered(address)
            yield answer
            address = _next(address, headers) if answer else None
            if address in asked or len(asked) > _MOST_PAGES:
                raise _not_understood()

    def _address(self, path: str, parameters: Mapping[str, Any] | None = None) -> str:
        said = {name: each for name, each in (parameters or {}).items() if each is not None}
        query = urlencode(said, doseq=True)
        return f"{self._base}{_API}/{quote(self._key, safe='')}{path}{f'?{query}' if query else ''}"

    def _document(self, path: str) -> Any:
        return self._answered(path)[0]

    def _answered(self, path: str) -> tuple[Any, Mapping[str, str]]:
        """A document, or the error that the site tells of."""
        try:
            response = self._pool.request(
                "GET",
                urljoin(self._root, path),
                headers=self._headers,
                timeout=_PATIENCE,
                retries=urllib3.Retry(connect=2, read=0, status=0, other=0, redirect=5),
                preload_content=False,
            )
            body = b"".join(self._pieces(response))
        except exceptions.HTTPError as error:
            raise BusyError(f"{self._name}: {_why(error)}.") from None
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            document = None
        if response.status == 200 and document is not None:
            return document, response.headers
        raise self._error(response.status, document)

    def _error(self, status: int, document: Any) -> PodiumError:
        """What an answer tells of that is none; proxies tell it by the status alone."""
        told = document if isinstance(document, dict) else {}
        kind, detail = str(told.get("type")).partition("#problem-")[2], told.get("detail")
        is_ours = bool(kind) and isinstance(detail, str)
        if status in _BUSY and kind != "storage":
            return BusyError(
                f"{self._name}: {detail if is_ours else f'is busy ({status}); ask again later.'}"
            )
        if status >= 500:
            why = detail if is_ours else f"failed to answer ({status}); whoever runs it knows why."
            return StorageError(f"{self._name}: {why}")
        if not is_ours or kind == "no-address":
            return _no_league(self._shown)
        return _KINDS.get(status, InputError)(detail)

    def _pieces(self, response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
        size = 0
        for piece in response.stream(_PIECE):
            size += len(piece)
            if size > _LARGEST:
                raise StorageError(f"{self._name}: answers with more than {_LARGEST:,} bytes.")
            yield piece


def _next(address: str, headers: Mapping[str, str]) -> str | None:
    """The address of the next page, which the header Link gives relative to this one."""
    for each in headers.get("Link", "").split(","):
        target, _, relation = each.strip().partition(">")
        if 'rel="next"' in relation and target.startswith("<"):
            return urljoin(address, target[1:])
    return None


def _no_league(address: str) -> InputError:
    return InputError(
        f"{without_passwords(address)}: is not the address of a league that podium serves; such "
        f"one looks like https://example.org/club."
    )


def _why(error: exceptions.HTTPError) -> str:
    """What came of a request that had no answer."""
    if isinstance(error, exceptions.MaxRetryError) and error.reason is not None:
        error = error.reason if isinstance(error.reason, exceptions.HTTPError) else error
    cause = error.__cause__ or getattr(error, "original_error", None)
    why = f" ({reason(cause)})" if isinstance(cause, OSError) else ""
    if isinstance(error, exceptions.ProxyError):
        return f"no connection through the proxy{why}"
    if isinstance(error, exceptions.SSLError):
        return f"no secure connection{why}"
    if isinstance(error, exceptions.NewConnectionError):
        return f"no connection{why}"
    if isinstance(error, exceptions.TimeoutError):
        return "no answer in time"
    return f"an answer that broke off{why}"


def _exact(time: Time | None) -> str | None:
    """A moment for the site, to which a mere day would be the end of it."""
    return None if time is None else from_microseconds(to_microseconds(time)).isoformat()


def _moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text).replace(tzinfo=None)


def _frame(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any]) -> pl.DataFrame:
    """Documents as the table that they were made of."""
    times = [name for name, kind in columns.items() if kind == _TIME]
    try:
        return pl.DataFrame(
            {
                name: pl.Series(
                    [
                        _moment(row[name]) if name in times and row[name] else row.get(name)
                        for row in rows
                    ],
                    dtype=kind,
                )
                for name, kind in columns.items()
            }
        )
    except (pl.exceptions.PolarsError, TypeError, ValueError, KeyError):
        raise _not_understood() from None


def _player(found: Mapping[str, Any]) -> Player:
    sigma = float("nan") if found["sigma"] is None else found["sigma"]
    return Player(
        found["player"],
        found["rating"],
        found["mu"],
        sigma,
        found["contests"],
        _moment(found["last_time"]),
        found["place"],
        found["title"],
        *(found.get(name) for name in FORECAST),
    )


def _system(found: Mapping[str, Any], what: str) -> System:
    return systems.restored(found["system"], found["parameters"], f"{what} is")


def _details(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the public sees of the details of a change."""
    return {} if row["moved"] is None else {"moved": row["moved"], "moves": row["moves"]}
