"""Predictions of a league at the temperature that its contests teach."""

from collections.abc import Iterator

import polars as pl
import pytest

import podium
from podium import Contests, League
from podium.league import queries
from podium.ratings.chances import Chances

SYSTEM = "trueskill"


@pytest.fixture
def season() -> Contests:
    return podium.simulate(players=30, rounds=12, participation=0.8, ties=0.2, seed=6)


@pytest.fixture
def league(where: str, season: Contests) -> Iterator[League]:
    with League.create(where, SYSTEM) as made:
        made.record(season)
        yield made


def learned(contests: Contests) -> podium.Rated:
    return podium.rate(contests, SYSTEM, calibrated=True)


def test_it_is_that_of_its_results_rated_at_once(league, season):
    rated = learned(season)
    assert rated.temperature() != 1.0
    assert league.temperature() == rated.temperature()
    names = rated.leaderboard(5)["player"].to_list()
    for some in (names[:2], names):
        own, kept = (Chances.of(asked, some, calibrated=True) for asked in (rated, league))
        assert kept.document() == own.document()
    assert not league.rank_probabilities(names).equals(
        league.rank_probabilities(names, calibrated=True)
    )


def test_it_is_that_of_the_contests_until_a_date(league, season):
    at = season[6].time
    assert league.temperature(at=at) == learned(season[:7]).temperature()
    assert league.temperature(at=at) != league.temperature()


def test_amendments_leave_what_would_have_been_learned_from_the_start(league, season):
    frame = season.frame()
    third = season.ids[2]
    turned = frame.filter(contest=third).with_columns(
        rank=pl.col("rank").max() + 1 - pl.col("rank")
    )
    league.amend(third, Contests.from_frame(turned, rerank=True))
    league.remove(season.ids[5])
    league.rename("player-0003", "a new name")
    kept = pl.concat([frame.filter(~pl.col("contest").is_in([third, season.ids[5]])), turned])
    renamed = kept.with_columns(player=pl.col("player").replace("player-0003", "a new name"))
    wanted = learned(Contests.from_frame(renamed, rerank=True)).beliefs.calibration
    assert league.temperature() == wanted.temperature
    assert league.temperature() != learned(season).temperature()
    assert league.verify().sound


def test_nothing_in_the_league_changes(league, where, season):
    before = league.state
    assert league.temperature() > 0.0
    assert league.state == before
    with League.reading(where) as asked:
        assert asked.temperature() == learned(season).temperature()


def test_it_is_found_once_for_a_state(league, monkeypatch):
    found, find = [], queries.calibration
    monkeypatch.setattr(queries, "calibration", lambda *how: found.append(how) or find(*how))
    names = league.leaderboard(3)["player"].to_list()
    for _ in range(2):
        Chances.of(league, names, calibrated=True)
    assert len(found) == 1
    league.record(["ann", "bob"], time="2031-01-01", future=True)
    Chances.of(league, names, calibrated=True)
    assert len(found) == 2


def test_a_league_without_contests_has_learned_nothing(where):
    with League.create(where, SYSTEM) as empty:
        assert empty.temperature() == 1.0
        own, kept = (empty.win_probability("ann", "bob", calibrated=each) for each in (False, True))
        assert own == kept


def test_standings_are_expected_at_the_temperature(league, season):
    latest = season[-1]
    rows = {"contest": "now", "player": latest.players, "rank": range(1, len(latest.players) + 1)}
    now = Contests.from_frame(
        pl.DataFrame(rows).with_columns(time=pl.lit("2030-01-01")), future=True
    )
    wanted = podium.predict(learned(season).beliefs, now, calibrated=True)
    found = league.predict(now, calibrated=True)
    assert found.temperature == wanted.temperature
    assert found.table["expected_rank"].equals(wanted.table["expected_rank"])
    assert league.predict(now).temperature is None
