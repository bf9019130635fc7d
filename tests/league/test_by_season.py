"""What a league says by season: final standings, what players did, and why ratings were reset."""

from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

import podium
from podium import Filters, InputError, League, NotFoundError


def day(contests, number: int) -> datetime:
    return np.datetime64(int(contests.columns.time[number]), "us").item()


@pytest.fixture
def contests():
    return podium.simulate(players=14, rounds=24, participation=0.4, seed=1)


@pytest.fixture
def league(where, contests):
    with League.create(where, "elo-mmr", drift_per_day=5.0) as league:
        league.record(contests)
        league.season("one", day(contests, 4))
        league.season("two", day(contests, 12), pull=0.5, toward=1400, sigma=200)
        league.season("three", day(contests, 20), pull=0.2)
        league.start({"zoe": 1700.0})
        yield league


def in_season(league: League, name: str) -> list[str]:
    """Who played a rated contest in it, by looking at every contest."""
    start, end = league.seasons().filter(name=name).select("start", "end").row(0)
    those = league.contests().filter(pl.col("time") >= start)
    those = those.filter(pl.col("time") < end) if end is not None else those
    names = {name for each in those["contest"] for name in league.contest(each)["player"]}
    return sorted(names)


def test_the_standings_of_a_season_are_those_just_before_the_next_one(league):
    for name, after in (("one", "two"), ("two", "three")):
        end = league.seasons().filter(name=after)["start"].item()
        found = league.leaderboard(None, season=name)
        everybody = league.leaderboard(None, at=end - timedelta(microseconds=1))
        assert found["player"].sort().to_list() == in_season(league, name)
        known = everybody.filter(pl.col("player").is_in(found["player"].implode()))
        assert found.drop("place").equals(known.drop("place"))
        assert found["place"].to_list() == list(range(1, found.height + 1))
        assert league.count(season=name) == found.height


def test_the_last_season_is_that_of_now(league):
    found = league.leaderboard(None, season="three")
    assert found["player"].sort().to_list() == in_season(league, "three")
    assert "zoe" not in found["player"]
    everybody = league.leaderboard(None)
    known = everybody.filter(pl.col("player").is_in(found["player"].implode()))
    assert found.drop("place").equals(known.drop("place"))
    assert league.count(season="three") == found.height < everybody.height


def test_what_was_believed_at_the_end_of_a_season_is_exact(where, contests):
    """Contests of later seasons change nothing of it, and it is that of a league that ended so."""
    end = day(contests, 12)
    with League.create(where, "podium") as league:
        league.record(contests[:12])
        league.season("one", day(contests, 0))
        alone = league.leaderboard(None, at=end - timedelta(microseconds=1))
        league.season("two", end, pull=0.7)
        league.record(contests[12:])
        assert league.leaderboard(None, season="one").equals(alone)
        league.remove("round-20")
        assert league.leaderboard(None, season="one").equals(alone)
        league.remove("round-03")
        assert not league.leaderboard(None, season="one").equals(alone)


def test_a_season_is_no_date_and_goes_with_other_conditions(league):
    for more in ({"at": "2026-01-01"}, {"active_since": "2026-01-01"}):
        with pytest.raises(InputError, match=f"so {next(iter(more))} is not said with it"):
            league.leaderboard(season="one", **more)
    with pytest.raises(NotFoundError, match=r"no season 'on' \(did you mean 'one'\?\)"):
        league.leaderboard(season="on")
    some = league.leaderboard(None, season="one", min_contests=5)
    assert set(some["contests"] >= 5) == {True}
    with league.snapshot() as view:
        board = view.board(Filters(2, skip=1, season="one"))
        assert board.table["place"].to_list() == [2, 3]
        assert board.eligible == view.count(season="one")
        first = board.table["player"][0]
        of_season = view.place_ranges([first], among=Filters(season="one"))
        dated = view.dated(Filters(season="one"))
        assert of_season.equals(view.place_ranges([first], at=dated.at, among=dated))


def test_seasons_are_of_leagues():
    rated = podium.rate(podium.simulate(players=5, rounds=2))
    with pytest.raises(InputError, match="seasons are those of a league"):
        podium.Leaderboard.of(rated, Filters(season="2026"))


def test_a_career_has_its_seasons(league):
    for name in league.leaderboard(None)["player"].head(5).to_list():
        with league.snapshot() as view:
            career = view.career(name)
        told = {each["name"]: each for each in career.document()["seasons"]}
        for season in ("one", "two", "three"):
            rows = career.in_season(season)
            assert rows.height == told.get(season, {"contests": 0})["contests"]
            if not rows.height:
                continue
            each = told[season]
            assert each["rating"] == rows["rating"][-1]
            assert each["best_rating"] == rows["rating"].max()
            assert each["change"] == rows["rating"][-1] - rows["rating_before"][0]
        before = career.history.filter(career.history["time"] < league.seasons()["start"][0])
        assert before.height + sum(each["contests"] for each in told.values()) == len(
            career.history
        )
        with pytest.raises(NotFoundError, match="there is no season 'four'"):
            career.in_season("four")


def test_who_only_has_a_starting_rating_has_a_career_without_contests(league):
    with league.snapshot() as view:
        told = view.career("zoe").document()
    assert (told["contests"], told["history"], told["seasons"]) == (0, [], [])
    assert told["rating"] == league.player("zoe").rating
    assert told["best_rating"] is told["last_time"] is told["now"] is None
    league.start({"yan": 1500.0}, "2027-01-01")
    with league.snapshot() as view, pytest.raises(NotFoundError, match="by 2026-12-31"):
        view.career("yan", at="2026-12-31")


def test_an_explanation_says_what_became_of_the_rating_before(where):
    with League.create(where, "elo") as league:
        league.start({"zoe": 1800.0})
        league.record(["ann", "bob"], id="1", time="2025-06-01")
        league.season("2026", "2026-01-01", pull=1.0, toward=1000)
        league.record(["ann", "zoe"], id="2", time="2026-06-01")
        league.record(["ann", "bob"], id="3", time="2026-07-01")
        league.start({"bob": 1900.0}, "2026-08-01")
        league.record(["ann", "bob"], id="4", time="2026-09-01")

        def told(contest, player):
            return league.explain(contest, player).text(10_000).split("\n")[0]

        assert "Before" not in told("1", "ann")
        assert told("2", "ann").endswith(
            "Before it, season '2026' began with a reset: 1,516 was pulled to 1,000."
        )
        assert told("2", "zoe").endswith(
            "Before it, a starting rating of 1,800 was given, and then season '2026' began with a "
            "reset."
        )
        assert "Before" not in told("3", "ann")
        assert told("3", "bob").endswith("1,484 was pulled to 1,000.")
        assert told("4", "bob").endswith("Before it, a starting rating of 1,900 was given.")
