"""A league of a system that forecasts shows what is expected of players beside their ratings."""

import numpy as np
import polars as pl
import pytest

import podium
from podium import League, Rules, systems
from podium.league import checkpoints, streaming
from tests.league.older import made_older
from tests.league.tables import execute

SEASON = podium.simulate(players=40, rounds=30, participation=0.6, ties=0.1, seed=5)
COLUMNS = ["place", "player", "title", "rating", "mu", "sigma", "contests", "last_time"]
COLUMNS += ["id", "display"]
WITH_FORECASTS = [*COLUMNS[:6], "forecast", "spread", *COLUMNS[6:]]
LATER = "2027-03-01"
TEAMS = [
    podium.Contests.from_records(
        [
            {"contest": f"c{day}", "time": f"2026-01-{day:02}", "player": name, "rank": rank}
            | {"team": team}
            for rank, team, names in standings
            for name in names
        ]
    )
    for day, standings in enumerate(
        (
            [(1, "red", "ab"), (2, "blue", "cd"), (3, None, "e")],
            [(1, "blue", "ac"), (2, "red", "be")],
            [(1, "green", "ad"), (2, "red", "be"), (2, "blue", "c")],
        ),
        1,
    )
]


def league_of(where, contests=SEASON, **more) -> League:
    league = League.create(where, systems.Podium(), **more)
    league.record(contests)
    return league


def expected_ranks(contests: podium.Contests, number: int) -> list[float]:
    """What a prediction of a contest says, from the contests before it alone."""
    beliefs = podium.rate(contests[:number], systems.Podium()).beliefs
    return podium.predict(beliefs, contests[number : number + 1]).table["expected_rank"].to_list()


@pytest.mark.parametrize("at", [None, LATER])
def test_a_leaderboard_has_the_forecasts_of_ratings_in_memory_to_the_bit(where, at):
    rated = podium.rate(SEASON, systems.Podium())
    wanted = rated.leaderboard(None, at=at)
    with league_of(where) as league:
        found = league.leaderboard(None, at=at)
        assert found.columns == WITH_FORECASTS
        assert found.drop("title", "id", "display").equals(wanted)
        for n, skip in ((1, 0), (5, 7), (10, 35), (3, 40)):
            page = league.leaderboard(n, skip=skip, at=at).drop("title", "id", "display")
            assert page.equals(wanted.slice(skip, n))
        called = league.leaderboard(4, skip=1, matching="-001", at=at).drop(
            "title", "id", "display"
        )
        assert called.height == 4
        assert called.equals(wanted.filter(pl.col("player").str.contains("-001")).slice(1, 4))
        for name in (wanted["player"][0], wanted["player"][-1]):
            mine, theirs = league.player(name, at=at), rated.player(name, at=at)
            assert mine == theirs
            assert (mine.forecast, mine.spread) == wanted.filter(player=name).select(
                "forecast", "spread"
            ).row(0)
            known = {"id": mine.id, "display": None, "attributes": {}}
            assert mine.document() == {**theirs.document(), **known}


def test_forecasts_of_the_past_are_those_of_then(where):
    then = SEASON.columns.time[19]
    rated = podium.rate(SEASON[:20], systems.Podium())
    moment = podium.results.times.from_microseconds(int(then))
    with league_of(where) as league:
        found = league.leaderboard(None, at=moment)
        assert found.drop("title", "id", "display").equals(rated.leaderboard(None, at=moment))
        name = found["player"][3]
        assert league.player(name, at=moment) == rated.player(name, at=moment)


def test_the_present_is_the_last_rated_contest(where):
    """What is not rated says nothing, and no time has passed since."""
    with league_of(where) as league:
        before = league.leaderboard(None)
        league.record(["player-0001", "player-0002"], time="2026-12-24", rated=False)
        assert league.leaderboard(None).equals(before)
        league.record(["player-0003", "player-0002"], time="2026-12-24")
        after, name = league.leaderboard(None), "player-0001"
        one, other = (each.filter(player=name).row(0, named=True) for each in (before, after))
        assert one["rating"] == other["rating"]
        assert one["forecast"] != other["forecast"]
        assert one["spread"] < other["spread"]


def test_a_page_looks_at_its_players_only(path, monkeypatch):
    asked, load = [], checkpoints.load_now
    with league_of(path) as league:

        def watched(connection, revision, system, players=None):
            asked.append(None if players is None else len(players))
            return load(connection, revision, system, players)

        monkeypatch.setattr(checkpoints, "load_now", watched)
        league.leaderboard(5)
        league.leaderboard(6, skip=20)
        league.leaderboard(7, matching="player")
        league.player("player-0001")
        league.count(matching="player")
        assert asked == [5, 6, 7, 1, 0]


def test_who_has_not_played_is_expected_where_newcomers_are(where):
    """Others have taught where that is, then and now."""
    contests = podium.Contests.concat(
        [SEASON, podium.Contests.from_records([_row("zoe"), _row("player-0000", rank=2)])]
    )
    with League.create(where, systems.Podium()) as league:
        league.record(contests[:-1])
        league.record(contests[-1:], rated=False)
        found, early = league.player("zoe"), league.player("zoe", at="2026-02-01")
        assert (found.contests, found.place, found.mu) == (0, None, 1500.0)
        assert early.forecast != found.forecast
        beliefs = podium.rate(SEASON, systems.Podium()).beliefs
        wanted = beliefs.system.besides(beliefs, np.array(beliefs.enrol(["zoe"])))
        assert (found.forecast, found.spread) == (wanted["forecast"][0], wanted["spread"][0])


def _row(player: str, rank: int = 1) -> dict:
    return {"contest": "extra", "time": "2026-12-31", "player": player, "rank": rank}


@pytest.mark.parametrize("system", ["elo-mmr", "elo", "glicko2"])
def test_other_systems_have_ratings_alone(path, system):
    with League.create(path, system) as league:
        league.record(SEASON[:3])
        assert league.leaderboard(None).columns == COLUMNS
        assert league.leaderboard(None, at=LATER).columns == COLUMNS
        name = league.leaderboard(1)["player"][0]
        player = league.player(name)
        assert player.forecast is player.spread is None
        assert not {"forecast", "spread"} & player.document().keys()
        assert not {"forecast", "spread"} & league.career(name).document().keys()


def test_a_player_says_both_numbers(path):
    with league_of(path) as league:
        player = league.player("player-0001")
        assert f"expected at {player.forecast:.0f} ± {player.spread:.0f}" in repr(player)
        said = league.career("player-0001").document()
        assert (said["forecast"], said["spread"]) == (player.forecast, player.spread)
        assert said["forecast"] != said["rating"]


def test_ranks_expected_of_the_past_are_those_that_were_predicted(where):
    with league_of(where) as league:
        for number in (0, 1, 12, 29):
            found = league.contest(SEASON.ids[number])
            assert found["expected_rank"].to_list() == expected_ranks(SEASON, number)
        with league.snapshot() as view:
            pieces = pl.concat(streaming.all_standings(view, rows=100))
        every = pl.concat(league.contest(each)["expected_rank"] for each in SEASON.ids)
        assert pieces["expected_rank"].equals(every)


def test_they_follow_corrections(where):
    with league_of(where) as league:
        league.disqualify(SEASON.ids[3], league.contest(SEASON.ids[3])["player"][0])
        league.amend(SEASON.ids[15], weight=3.0)
        league.remove(SEASON.ids[20])
        contests = league.results()
        for number in (2, 3, 4, 16, 28):
            found = league.contest(contests.ids[number])["expected_rank"].to_list()
            assert found == expected_ranks(contests, number)
        assert league.verify().differences == []


def test_ranks_are_expected_of_matches_with_sides_and_of_teams(where, places):
    matches = podium.simulate_matches(10, 60, side_advantage=0.5, draws=0.2, seed=3)
    teams = podium.Contests.concat(TEAMS)
    for place, contests in ((where, matches), (places(), teams)):
        with league_of(place, contests) as league:
            last = len(contests) - 1
            for number in (1, last // 2, last):
                found = league.contest(contests.ids[number])["expected_rank"].to_list()
                assert found == pytest.approx(expected_ranks(contests, number), abs=1e-9)


def test_who_is_not_eligible_is_no_part_of_the_field(path):
    with League.create(path, systems.Podium()) as league:
        league.record(SEASON[:20])
        league.record(SEASON[20:21], ceiling=1600.0)
        found = league.contest(SEASON.ids[20])
        rated = found.filter("eligible")
        assert 2 < rated.height < found.height
        assert found.filter(~pl.col("eligible"))["expected_rank"].is_null().all()
        beliefs = podium.rate(SEASON[:20], systems.Podium()).beliefs
        contests = SEASON[20:21].frame().filter(pl.col("player").is_in(rated["player"].implode()))
        alone = podium.predict(beliefs, podium.Contests.from_frame(contests, rerank=True)).table
        assert rated["expected_rank"].to_list() == alone["expected_rank"].to_list()


def test_exports_have_both_numbers_and_make_the_same_league(path, tmp_path):
    rules = Rules(hidden_until=5)
    with league_of(path, rules=rules) as league:
        league.export(tmp_path / "out")
        wanted = league.leaderboard(None, with_hidden=True)
        contest = league.contest(SEASON.ids[9])
    assert pl.read_parquet(tmp_path / "out" / "ratings.parquet").equals(wanted)
    with League.restore(tmp_path / "out", tmp_path / "again.db") as again:
        assert again.leaderboard(None, with_hidden=True).equals(wanted)
        assert again.contest(SEASON.ids[9]).equals(contest)


def test_a_forecast_that_was_changed_is_found(where):
    league_of(where).close()
    execute(where, "UPDATE events SET forecast = forecast + 1 WHERE contest_id = 7")
    with League(where) as league:
        found = league.verify()
        assert not found.sound
        assert "forecast" in found.differences[0]


def test_a_league_that_kept_no_forecasts_is_rated_anew(where):
    with league_of(where) as league:
        wanted = league.contest(SEASON.ids[9])
    made_older(where, "0004")
    execute(where, "UPDATE revisions SET arithmetic = 3")
    League.migrate(where)
    with League(where) as league:
        assert league.contest(SEASON.ids[9]).equals(wanted)
        assert league.verify().verdict == "all as stored"
