"""How ratings moved of late, and which places they leave open, beside what histories say."""

import datetime

import numpy as np
import polars as pl
import pytest

import podium
from podium import League, Rules
from podium.ratings.ties import place_ranges
from tests.league.plain import DAY, Game, Row, as_contests

MONTH = datetime.timedelta(days=30)


@pytest.fixture(params=["elo-mmr", "glicko2", "elo"])
def league(request, where):
    season = podium.simulate(players=30, rounds=16, participation=0.4, ties=0.2, seed=3)
    late = Game("late", 0, (Row("newcomer", 1), Row("player-0003", 2)))
    unrated = Game("unrated", 0, (Row("spectator", 1), Row("player-0003", 2)))
    display = "mean" if request.param == "elo" else "conservative"
    with League.create(where, request.param, rules=Rules(display=display)) as made:
        made.record(season[8:])  # numbers of contests are not in order of time
        made.record(season[:8])
        last = int(season.columns.time[-1] // 1_000_000)
        made.record(as_contests([Game("late", last + 9 * DAY, late.rows)]))
        made.record(as_contests([Game("unrated", last + 60 * DAY, unrated.rows)]), rated=False)
        made.rename("player-0004", "renamed")
        yield made


def plainly(view, name: str, at: datetime.datetime | None, points: int) -> tuple:
    """A trend from the whole history."""
    rated = view.contests().filter(pl.col("rated"))["time"]
    until = at or rated[-1]
    history = view.history_of(name).filter(pl.col("time") <= until)
    if not history.height:
        return None, None, None, []
    before = history.filter(pl.col("time") <= until - MONTH)
    month = history["rating"][-1] - before["rating"][-1] if before.height else None
    ratings = history["rating"].to_list()
    last = history.row(-1, named=True)
    return last["contest"], last["change"], month, ratings[-points:] if points else []


@pytest.mark.parametrize("points", [0, 1, 5, 32])
def test_trends_are_what_histories_say(league, points):
    times = league.contests()["time"]
    with league.snapshot() as view:
        names = [*view.leaderboard(None)["player"], "spectator"]
        for at in (None, times[0], times[7], times[7] + MONTH, datetime.datetime(2040, 1, 1)):
            found = view.trends(names, at=at, points=points)
            expected = [(name, *plainly(view, name, at, points)) for name in names]
            assert found.rows() == expected
    assert found.schema["curve"] == pl.List(pl.Float64)


def test_the_month_is_that_before_the_last_rated_contest(league):
    found = league.trends(["newcomer", "player-0003", "spectator"])
    months = dict(found.select("player", "month").rows())
    assert months["newcomer"] is None
    assert months["player-0003"] is not None
    assert months["spectator"] is None
    later = league.trends(["newcomer", "player-0003"], at="2040-01-01")
    assert later["month"].to_list() == [0.0, 0.0]


def test_trends_are_of_those_who_are_asked_for_in_their_order(league):
    found = league.trends(["player-0004", "player-0002", "renamed", "player-0002"])
    assert found["player"].to_list() == ["renamed", "player-0002", "renamed", "player-0002"]
    assert found.row(1) == found.row(3)
    assert league.trends([]).height == 0


def test_who_is_not_known_has_no_trend(league):
    with pytest.raises(podium.NotFoundError, match="no player 'player-00033'"):
        league.trends(["player-0003", "player-00033"])
    for wrong in ("player-0003", 7, [7]):
        with pytest.raises(podium.InputError, match="needed"):
            league.trends(wrong)
    with pytest.raises(podium.InputError, match="points"):
        league.trends([], points=-1)


@pytest.mark.parametrize("at", [None, "2026-02-01", "2040-01-01"])
def test_places_that_cannot_be_told_apart(league, at):
    league.set_rules(Rules(hidden_until=3))
    board = league.leaderboard(None, at=at)
    mu, sigma = (board[each].to_numpy() for each in ("mu", "sigma"))
    expected = dict.fromkeys(["newcomer"], (None, None))
    if not np.isnan(sigma).any():
        ranges = place_ranges(mu, sigma, mu, sigma, 0.9)
        places = zip(*(each.tolist() for each in ranges), strict=True)
        expected |= dict(zip(board["player"], places, strict=True))
    assert board.height > 5
    found = league.place_ranges([*board["player"], "newcomer"], at=at, level=0.9)
    assert found.rows() == [
        (name, *expected.get(name, (None, None))) for name in (*board["player"], "newcomer")
    ]
    alias = league.place_ranges(["player-0004"], at=at, level=0.9)
    assert alias.rows() == found.filter(pl.col("player") == "renamed").rows()
