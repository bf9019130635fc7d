"""A league as plain data, rated from scratch whenever it is asked; `League` must agree with it."""

import dataclasses
import datetime
import math
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import podium
from podium import Attribute, Contests, Season, Starts
from podium.league import Rules
from podium.league.views import View
from podium.results.tables import natural
from podium.systems.base import System

DAY = 86_400


@dataclasses.dataclass(frozen=True)
class Row:
    """What one player did in a contest."""

    player: str
    rank: int
    team: str | None = None
    share: float = 1.0
    side: int = 0
    outcome: float | None = None
    eligible: bool = True


@dataclasses.dataclass(frozen=True)
class Game:
    """A contest."""

    id: str
    time: int
    rows: tuple[Row, ...]
    weight: float = 1.0
    perf_ceiling: float | None = None
    margin: float | None = None
    name: str | None = None
    rated: bool = True
    floor: float | None = None
    ceiling: float | None = None

    @property
    def turn(self) -> Any:
        return self.time, natural(self.id)

    @property
    def players(self) -> set[str]:
        return {row.player for row in self.rows}

    def renamed(self, names: dict[str, str]) -> "Game":
        rows = (
            dataclasses.replace(row, player=names.get(row.player, row.player)) for row in self.rows
        )
        return dataclasses.replace(self, rows=tuple(rows))

    def without(self, player: str) -> "Game":
        """The same as if they had not been there; those below move up."""
        return self.only(tuple(row for row in self.rows if row.player != player))

    def only(self, rows: tuple[Row, ...]) -> "Game":
        rows = tuple(
            dataclasses.replace(
                row,
                rank=1 + _ahead(rows, row, by_team=self.counts_teams),
                outcome=row.outcome if len(rows) == 2 else None,
            )
            for row in rows
        )
        return dataclasses.replace(self, rows=rows, margin=self.margin if len(rows) > 1 else None)

    @property
    def counts_teams(self) -> bool:
        return any(row.rank != 1 + _ahead(self.rows, row, by_team=False) for row in self.rows)

    def records(self) -> list[dict[str, Any]]:
        about = {
            "contest": self.id,
            "time": self.time,
            "weight": self.weight,
            "perf_ceiling": self.perf_ceiling,
            "margin": self.margin,
            "name": self.name,
        }
        return [
            {
                **about,
                "player": row.player,
                "rank": row.rank,
                "team": row.team,
                "share": row.share,
                "side": row.side,
                "outcome": row.outcome,
            }
            for row in self.rows
        ]


def _ahead(rows: tuple[Row, ...], row: Row, *, by_team: bool) -> int:
    better = [other for other in rows if other.rank < row.rank]
    if not by_team:
        return len(better)
    return len({other.team or (other.player,) for other in better})


_SCHEMA = {
    "contest": pl.String,
    "time": pl.Int64,
    "weight": pl.Float64,
    "perf_ceiling": pl.Float64,
    "margin": pl.Float64,
    "name": pl.String,
    "player": pl.String,
    "rank": pl.Int64,
    "team": pl.String,
    "share": pl.Float64,
    "side": pl.Int64,
    "outcome": pl.Float64,
}


def as_contests(games: list[Game]) -> Contests:
    """Contests as they come out of a file, in order; columns that say nothing are left out."""
    frame = pl.DataFrame([row for game in games for row in game.records()], _SCHEMA)
    silent = [
        column
        for column in ("perf_ceiling", "margin", "name", "team", "outcome")
        if frame[column].null_count() == frame.height
    ]
    silent += ["side"] * bool((frame["side"] == 0).all())
    silent += ["share"] * bool((frame["share"] == 1.0).all())
    return Contests.from_frame(frame.drop(silent), future=True)


Start = tuple[float, float | None]
"""A starting rating, and its uncertainty."""


class Replay(NamedTuple):
    """What comes of one run over everything."""

    beliefs: "podium.Beliefs"
    ratings: pl.DataFrame
    history: pl.DataFrame


@dataclasses.dataclass
class PlainLeague:
    """Everything that a league should know."""

    system: System
    rules: Rules = dataclasses.field(default_factory=Rules)
    games: dict[str, Game] = dataclasses.field(default_factory=dict)
    aliases: dict[str, str] = dataclasses.field(default_factory=dict)
    players: set[str] = dataclasses.field(default_factory=set)
    seasons: dict[str, Season] = dataclasses.field(default_factory=dict)
    starts: dict[tuple[str, int | None], Start] = dataclasses.field(default_factory=dict)
    """By player and time."""
    guests: set[str] = dataclasses.field(default_factory=set)
    attributes: dict[str, Attribute] = dataclasses.field(default_factory=dict)
    people: dict[int, dict[str, Any]] = dataclasses.field(default_factory=dict)
    """What is known of players besides results, by their numbers."""
    _last: list[tuple[Any, Replay | None]] = dataclasses.field(default_factory=list)

    def put(self, game: Game) -> None:
        self.games[game.id] = game
        self.players |= game.players

    def meant(self, game: Game) -> Game:
        """The same with the names that the league has for those who are called by another."""
        return game.renamed(self.aliases)

    def rated_games(self, before: Any = None) -> list[Game]:
        games = sorted(self.games.values(), key=lambda game: game.turn)
        rated = [game for game in games if game.rated and (before is None or game.turn < before)]
        eligible = [
            game
            if all(row.eligible for row in game.rows)
            else game.only(tuple(row for row in game.rows if row.eligible))
            for game in rated
        ]
        return [game for game in eligible if game.rows]

    def adjustments(self, until: int | None = None) -> list[Season | Starts]:
        """Seasons and starting ratings, or those by a time."""
        seasons = [
            each for each in self.seasons.values() if until is None or _seconds(each) <= until
        ]
        rows = [
            {"player": player, "time": time, "rating": mu, "sigma": sigma}
            for (player, time), (mu, sigma) in self.starts.items()
            if until is None or time is None or time <= until
        ]
        table = pl.DataFrame(rows, _STARTS).with_columns(pl.from_epoch("time"))
        return [*seasons, *([Starts.from_frame(table, future=True)] if rows else [])]

    def replayed(self, before: Any = None) -> Replay | None:
        """One run over everything, or over what is before a turn; None if nobody has a rating."""
        games = self.rated_games(before)
        starts = list(self.starts.items())
        everything = (games, list(self.seasons.values()), starts, before, self.system)
        for known, replay in self._last:
            if known == everything:
                return replay
        adjustments = self.adjustments(None if before is None else before[0])
        replay = None
        if games:
            rated = podium.rate(as_contests(games), self.system, adjustments=adjustments)
            replay = Replay(rated.beliefs, rated.ratings, rated.history)
        elif any(isinstance(each, Starts) for each in adjustments):
            ladder = podium.Ladder(self.system)
            ladder.adjust(*adjustments)
            replay = Replay(ladder.beliefs, ladder.ratings, _NO_HISTORY)
        self._last = [(everything, replay), *self._last[:1]]
        return replay

    def shown(self, rated: Replay | None) -> dict[str, float]:
        """The ratings that are shown."""
        if rated is None:
            return {}
        beliefs = rated.beliefs
        columns = (beliefs.column(name) for name in ("mu", "sigma", "contests"))
        shown = self.rules.shown(self.system, *columns)
        return dict(zip(beliefs.names, shown.tolist(), strict=True))

    def judged(self, game: Game) -> Game:
        """The same with those eligible whose rating is within the limits just before it."""
        if game.floor is None and game.ceiling is None:
            return game
        shown = self.shown(self.replayed(game.turn))
        new = self.system.newcomer()
        start = self.rules.shown(
            self.system, np.array([new["mu"]]), np.array([new["sigma"]]), np.array([0])
        )
        low = -math.inf if game.floor is None else game.floor
        high = math.inf if game.ceiling is None else game.ceiling
        rows = (
            dataclasses.replace(row, eligible=low <= shown.get(row.player, float(start[0])) < high)
            for row in game.rows
        )
        return dataclasses.replace(game, rows=tuple(rows))

    def invited(self, game: Game, guests: set[str] | frozenset[str] = frozenset()) -> Game:
        """The same with those not eligible who are guests, of the league or of this game."""
        rows = (
            dataclasses.replace(
                row, eligible=row.eligible and row.player not in self.guests | guests
            )
            for row in game.rows
        )
        return dataclasses.replace(game, rows=tuple(rows))

    def titles(self, rated: Replay, shown: dict[str, float]) -> dict[str, str | None]:
        """The title of everybody."""
        rules = self.rules
        if not rules.keep_titles:
            return {
                name: None if rules.is_provisional(contests, sigma) else rules.title(shown[name])
                for name, contests, sigma in self._experience(rated)
            }
        earned: dict[str, str | None] = dict.fromkeys(shown)
        number: dict[str, int] = dict.fromkeys(shown, 0)
        best: dict[str, float] = {}
        for name, mu, sigma in rated.history.select("player", "mu", "sigma").iter_rows():
            number[name] += 1
            uncertain = math.nan if sigma is None else sigma
            if not rules.is_provisional(number[name], uncertain):
                columns = np.array([mu]), np.array([uncertain]), np.array([number[name]])
                reached = float(rules.shown(self.system, *columns)[0])
                best[name] = max(best.get(name, -math.inf), reached)
                earned[name] = rules.title(best[name])
        return earned

    def on_board(self, rated: Replay) -> set[str]:
        """Whom the rules do not hide."""
        return {
            name
            for name, contests, sigma in self._experience(rated)
            if self.rules.on_board(contests, sigma)
        }

    def _experience(self, rated: Replay) -> list[tuple[str, int, float]]:
        """How many contests everybody has, and how uncertain they are."""
        rows = rated.ratings.select("player", "contests", "sigma").iter_rows()
        return [(name, n, math.nan if sigma is None else sigma) for name, n, sigma in rows]


_STARTS = {"player": pl.String, "time": pl.Int64, "rating": pl.Float64, "sigma": pl.Float64}


def _seconds(season: Season) -> int:
    """When a season begins."""
    return season.moment // 1_000_000


def moves(before: dict[str, float], after: dict[str, float]) -> dict[str, tuple[Any, Any]]:
    """Whose rating differs."""
    both = {name: (before.get(name), after.get(name)) for name in before | after}
    return {name: (one, other) for name, (one, other) in both.items() if one != other}


_HAPPENED = ("performance", "mu_before", "sigma_before", "mu", "sigma", "rating")
_NO_HISTORY = pl.DataFrame(
    schema={
        "contest": pl.String,
        "time": pl.Datetime("us"),
        "player": pl.String,
        **dict.fromkeys(_HAPPENED, pl.Float64),
    }
)


def assert_same_league(league: "podium.League", plain: PlainLeague) -> None:
    """All ratings, all histories and the leaderboard are those of the replay, to the bit."""
    with league.snapshot(with_hidden=True) as view:
        _assert_same(view, plain)
        assert_same_people(view, plain)
    assert_nobody_sees_who_is_hidden(league)


def assert_same_people(league: View, plain: PlainLeague) -> None:
    """The league knows the same of its players, and has the same attributes."""
    assert {each.name: each for each in league.attributes} == plain.attributes
    people = league.people(with_hidden=True).drop("player")
    found = {
        row.pop("id"): {name: value for name, value in row.items() if value is not None}
        for row in people.with_columns(pl.col("hidden").replace(False, None)).to_dicts()
    }
    known = {number: fields for number, fields in found.items() if fields}
    wanted = {
        number: {
            name: plain.attributes[name].typed(value) if name in plain.attributes else value
            for name, value in fields.items()
        }
        for number, fields in plain.people.items()
    }
    assert known == {number: fields for number, fields in wanted.items() if fields}


def assert_nobody_sees_who_is_hidden(league: "podium.League") -> None:
    """What everybody sees is what the organiser sees without those who are hidden."""
    hidden = league.people(with_hidden=True).filter("hidden")["player"]
    with league.snapshot() as view, league.snapshot(with_hidden=True) as own:
        board = own.leaderboard(None, with_hidden=True)
        seen = view.leaderboard(None, with_hidden=True)
        shown = board.filter(~pl.col("player").is_in(hidden.implode()))
        assert seen.drop("place").equals(shown.drop("place"))
        assert seen["place"].to_list() == shown["rating"].rank("min", descending=True).to_list()
        assert hidden.is_empty() or not view.people()["player"].is_in(hidden.implode()).any()


def _assert_same(league: View, plain: PlainLeague) -> None:
    rated = plain.replayed()
    assert len(league) == len(plain.games)
    assert set(league.contests()["contest"]) == set(plain.games)
    assert_same_adjustments(league, plain)
    board = league.leaderboard(None, with_hidden=True)
    if rated is None:
        assert board.is_empty()
        return
    assert {
        name: row
        for name, *row in board.select("player", "mu", "sigma", "contests", "last_time").iter_rows()
    } == {
        name: row
        for name, *row in rated.ratings.select(
            "player", "mu", "sigma", "contests", "last_time"
        ).iter_rows()
    }
    shown = plain.shown(rated)
    assert dict(zip(board["player"], board["rating"], strict=True)) == shown
    assert board["player"].to_list() == sorted(shown, key=lambda name: (-shown[name], name))
    assert board["place"].to_list() == [
        1 + sum(other > shown[name] for other in shown.values()) for name in board["player"]
    ]
    assert dict(zip(board["player"], board["title"], strict=True)) == plain.titles(rated, shown)
    hidden = set(league.people(with_hidden=True).filter("hidden")["player"])
    assert set(league.leaderboard(None)["player"]) == plain.on_board(rated) - hidden
    columns = ["contest", "time", *_HAPPENED]
    histories = rated.history.partition_by("player", as_dict=True)
    if plain.rules.display == "system":
        for name in plain.players:
            mine = histories.get((name,), _NO_HISTORY).select(columns)
            theirs = league.history_of(name)
            assert theirs.select(mine.columns).equals(mine), name
            ranks = [
                next(row.rank for row in plain.games[contest].rows if row.player == name)
                for contest in theirs["contest"]
            ]
            assert theirs["rank"].to_list() == ranks
            sizes = [len(plain.games[contest].rows) for contest in theirs["contest"]]
            assert theirs["participants"].to_list() == sizes


def assert_same_past(league: "podium.League", plain: PlainLeague, times: list[int]) -> None:
    """What was so at a time is what comes of all that there was until then."""
    for time in times:
        rated = plain.replayed((time + 1, natural("")))
        with league.snapshot(with_hidden=True) as view:
            board = view.leaderboard(None, at=time, with_hidden=True)
        wanted = {} if rated is None else dict(rated.ratings.select("player", "mu").iter_rows())
        assert dict(board.select("player", "mu").iter_rows()) == wanted, time
        shown = plain.shown(rated)
        titles = {} if rated is None else plain.titles(rated, shown)
        assert dict(board.select("player", "title").iter_rows()) == titles, time


def assert_same_adjustments(league: View, plain: PlainLeague) -> None:
    """The league has these seasons and starting ratings."""
    columns = ("start", "name", "pull", "toward", "sigma")
    found = league.seasons().select(columns).rows()
    seasons = [tuple(getattr(each, name) for name in columns) for each in plain.seasons.values()]
    assert found == sorted(seasons)
    epoch = datetime.datetime(1970, 1, 1)
    starts = {
        (player, time if time is None else int((time - epoch).total_seconds())): (mu, sigma)
        for player, time, mu, sigma in league.starts().rows()
    }
    assert starts == plain.starts


def assert_same_results(league: "podium.League", plain: PlainLeague) -> None:
    """The league keeps everything that was recorded."""
    with league.snapshot(with_hidden=True) as view:
        _assert_same_results(view, plain)


def _assert_same_results(league: View, plain: PlainLeague) -> None:
    games = sorted(plain.games.values(), key=lambda game: game.turn)
    if games:
        assert league.results() == as_contests(games)
    listed = league.contests()
    assert listed["contest"].to_list() == [game.id for game in games]
    assert listed["rated"].to_list() == [game.rated for game in games]
    assert listed["rating_floor"].to_list() == [game.floor for game in games]
    assert listed["rating_ceiling"].to_list() == [game.ceiling for game in games]
    for game in games:
        found = league.contest(game.id)
        eligible = {row.player: row.eligible for row in game.rows}
        assert dict(zip(found["player"], found["eligible"], strict=True)) == eligible
        assert found["performance"].is_null().all() or game.rated
    assert dict(league.aliases().iter_rows()) == plain.aliases
    for name in league.leaderboard(None, with_hidden=True)["player"]:
        assert league.player(name).guest == (name in plain.guests), name
