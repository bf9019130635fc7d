"""What can be asked of a league."""

import datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import League, PodiumError
from podium.results.times import to_microseconds
from tests.league.plain import DAY, Game, Row, as_contests

SEASON = podium.simulate(players=30, rounds=12, participation=0.4, seed=7)


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    with League.create(tmp_path_factory.mktemp("league") / "league.db", drift_per_day=3.0) as made:
        made.record(SEASON)
        yield made


def tied(where: str) -> League:
    """A league in which two players have won and two have lost, each once."""
    league = League.create(where, "elo")
    pairs = (("ann", "bob"), ("cat", "Dan"))
    league.record(
        as_contests(
            [Game(f"c{n}", 0, tuple(map(Row, pair, (1, 2)))) for n, pair in enumerate(pairs)]
        )
    )
    return league


def test_equal_ratings_share_a_place_and_go_by_name(where):
    with tied(where) as league:
        board = league.leaderboard()
        assert board["player"].to_list() == ["ann", "cat", "Dan", "bob"]
        assert board["place"].to_list() == [1, 1, 3, 3]
        assert league.leaderboard(1, skip=1)["place"].to_list() == [1]
        assert league.leaderboard(2, skip=1)["place"].to_list() == [1, 3]
        assert league.leaderboard(9, skip=3)["place"].to_list() == [3]
        assert league.leaderboard(9, skip=4).is_empty()
        assert league.player("bob").place == 3


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 6), st.none() | st.integers(0, 11))
def test_pages_of_the_leaderboard_are_its_slices(league, n, skip, fewest, since):
    moment = None if since is None else SEASON[since].time
    whole = league.leaderboard(None, min_contests=fewest, active_since=moment)
    page = league.leaderboard(n, skip=skip, min_contests=fewest, active_since=moment)
    assert page.equals(whole.slice(skip, n).cast(dict(page.schema)))
    assert (whole["contests"] >= fewest).all()
    assert moment is None or (whole["last_time"] >= moment).all()
    assert league.count(min_contests=fewest, active_since=moment) == len(whole)
    everybody = podium.rate(SEASON, "elo-mmr", drift_per_day=3.0).ratings
    kept = everybody.filter(
        (pl.col("contests") >= fewest)
        & (pl.lit(True) if moment is None else pl.col("last_time") >= moment)
    )
    assert whole["player"].to_list() == kept["player"].to_list()


@pytest.mark.parametrize("number", [0, 3, 11])
def test_the_past_is_what_was_known_then(league, number):
    moment = SEASON[number].time
    rated = podium.rate(SEASON[: number + 1], "elo-mmr", drift_per_day=3.0)
    wanted = rated.leaderboard(None, at=moment)
    board = league.leaderboard(None, at=moment)
    assert board.select(wanted.columns).equals(wanted)
    assert league.leaderboard(3, skip=2, at=moment).equals(board[2:5])
    just_before = moment - datetime.timedelta(microseconds=1)
    assert len(league.leaderboard(None, at=just_before)) <= len(board)


def test_in_the_future_absence_counts(league):
    later = SEASON[-1].time + datetime.timedelta(days=300)
    rated = podium.rate(SEASON, "elo-mmr", drift_per_day=3.0)
    wanted = rated.leaderboard(None, at=later)
    board = league.leaderboard(None, at=later)
    assert board.select(wanted.columns).equals(wanted)
    assert (board["sigma"] > league.leaderboard(None)["sigma"].min()).all()


def test_before_all_contests_nobody_is_known(league):
    assert league.leaderboard(at="1900-01-01").is_empty()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"n": -1}, "n must be a whole number of at least 0, not -1"),
        ({"n": 1.5}, "n must be a whole number"),
        ({"skip": True}, "skip must be a whole number"),
        ({"min_contests": "3"}, "min_contests must be a whole number"),
        ({"at": "yesterday"}, "yesterday"),
    ],
)
def test_impossible_leaderboards_are_refused(league, given, says):
    with pytest.raises(PodiumError, match=says):
        league.leaderboard(**given)


def test_what_was_believed_before_a_contest(league):
    for number in (0, 5, 11):
        id = SEASON.ids[number]
        beliefs, contest = league.before(id)
        assert contest == SEASON[number : number + 1]
        after = podium.rate(contest, beliefs=beliefs)
        found = league.contest(id).select("player", "performance").sort("player")
        assert after.history.select("player", "performance").sort("player").equals(found)


def test_beliefs_go_on_in_a_ladder(league):
    ladder = podium.Ladder.from_beliefs(league.beliefs())
    assert set(ladder) == set(SEASON.with_own_players().players)
    mine = league.leaderboard(None).select("player", "mu", "sigma")
    assert ladder.ratings.select(mine.columns).sort("player").equals(mine.sort("player"))


def test_a_contest_and_its_players_agree(league):
    for id in league.contests()["contest"].to_list()[:4]:
        for row in league.contest(id).iter_rows(named=True):
            own = (
                league.history_of(row["player"]).filter(pl.col("contest") == id).row(0, named=True)
            )
            for column in ("rank", "performance", "rating_before", "rating", "change"):
                assert own[column] == row[column]


def test_unknown_names_are_errors_with_a_suggestion(league):
    name = SEASON.players[0]
    with pytest.raises(PodiumError, match=rf"there is no player '{name}x' \(did you mean"):
        league.history_of(f"{name}x")
    with pytest.raises(PodiumError, match="there is no contest 'nothing like it'"):
        league.contest("nothing like it")
    for attempt in (league.contest, league.remove, league.before, league.results):
        with pytest.raises(PodiumError, match="there is no contest 7"):
            attempt(7)
    with pytest.raises(PodiumError, match="the name of a player is needed, not 7"):
        league.history_of(7)


def test_the_log_says_who_did_what_and_why(where):
    with tied(where) as league:
        league.amend("c0", weight=2.0, who="zoe", why="it was a final")
        league.disqualify("c1", "Dan", who="ann")
        log = league.log()
        assert log.columns == [
            "number", "time", "who", "action", "contest", "player", "why", "details",
            "before", "after",
        ]  # fmt: skip
        assert log["number"].to_list() == [4, 3, 2, 1]
        assert log["action"].to_list() == ["disqualify", "amend", "record", "init"]
        assert log["who"].to_list()[:2] == ["ann", "zoe"]
        assert log.row(1, named=True)["why"] == "it was a final"
        assert league.log(1).equals(log[:1])
        assert league.log(contest="c0")["action"].to_list() == ["amend", "record"]
        assert league.log(player="Dan")["action"].to_list() == ["disqualify"]
        assert (log["time"].diff().drop_nulls() <= datetime.timedelta()).all()


def test_an_empty_league_answers(where):
    with League.create(where) as league:
        assert len(league) == 0
        assert league.leaderboard().is_empty()
        assert league.leaderboard(at="2026-01-01").is_empty()
        assert league.contests().is_empty()
        assert len(league.results()) == 0
        assert len(league.beliefs()) == 0
        assert league.verify().sound
        assert league.revise("glicko2").applied
        assert league.rollback().applied
        assert repr(league) == f"<League {league.where}: elo-mmr, 0 contests>"


def test_times_are_exact(path):
    moment = datetime.datetime(2026, 5, 1, 12, 30, 15, 123457)
    game = Game("c", 0, (Row("ann", 1), Row("bob", 2)))
    with League.create(path) as league:
        league.record(as_contests([game]))
        league.amend("c", time=moment)
        assert league.contests()["time"].to_list() == [moment]
        assert league.results().columns.time.tolist() == [to_microseconds(moment)]
        assert league.leaderboard()["last_time"].to_list() == [moment, moment]
        assert league.leaderboard(at=DAY).is_empty()
