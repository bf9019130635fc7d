"""A league as plain data, rated from scratch whenever it is asked; `League` must agree with it."""

import dataclasses
import math
from typing import Any

import numpy as np
import polars as pl

import podium
from podium import Contests
from podium.league import Rules
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


@dataclasses.dataclass
class PlainLeague:
    """Everything that a league should know."""

    system: System
    rules: Rules = dataclasses.field(default_factory=Rules)
    games: dict[str, Game] = dataclasses.field(default_factory=dict)
    aliases: dict[str, str] = dataclasses.field(default_factory=dict)
    players: set[str] = dataclasses.field(default_factory=set)

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

    def replayed(self, before: Any = None, system: System | None = None) -> "podium.Rated | None":
        games = self.rated_games(before)
        return podium.rate(as_contests(games), system or self.system) if games else None

    def shown(self, rated: "podium.Rated | None", system: System | None = None) -> dict[str, float]:
        """The ratings that are shown."""
        if rated is None:
            return {}
        beliefs = rated.beliefs
        columns = (beliefs.column(name) for name in ("mu", "sigma", "contests"))
        shown = self.rules.shown(system or self.system, *columns)
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


def moves(before: dict[str, float], after: dict[str, float]) -> dict[str, tuple[Any, Any]]:
    """Whose rating differs."""
    both = {name: (before.get(name), after.get(name)) for name in before | after}
    return {name: (one, other) for name, (one, other) in both.items() if one != other}


_HAPPENED = ("performance", "mu_before", "sigma_before", "mu", "sigma", "rating")


def assert_same_league(league: "podium.League", plain: PlainLeague) -> None:
    """All ratings, all histories and the leaderboard are those of the replay, to the bit."""
    rated = plain.replayed()
    assert len(league) == len(plain.games)
    assert set(league.contests()["contest"]) == set(plain.games)
    board = league.leaderboard(None)
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
    history = rated.history
    if plain.rules == Rules():
        for name in plain.players:
            mine = history.filter(pl.col("player") == name).select("contest", "time", *_HAPPENED)
            theirs = league.history_of(name)
            assert theirs.select(mine.columns).equals(mine), name
            ranks = [
                next(row.rank for row in plain.games[contest].rows if row.player == name)
                for contest in theirs["contest"]
            ]
            assert theirs["rank"].to_list() == ranks
            sizes = [len(plain.games[contest].rows) for contest in theirs["contest"]]
            assert theirs["participants"].to_list() == sizes


def assert_same_results(league: "podium.League", plain: PlainLeague) -> None:
    """The league keeps everything that was recorded."""
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
