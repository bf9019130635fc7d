"""What a change takes, what it leaves alone, and what it says of itself."""

import numpy as np
import polars as pl
import pytest

import podium
from podium import Contests, League, PodiumError
from podium.league import Rules, queries, revisions

DAY = 86_400


def ranked(id: str, day: int, players: list[str], **more: object) -> Contests:
    return Contests.from_records(
        [
            {"contest": id, "time": day * DAY, "player": player, "rank": place, **more}
            for place, player in enumerate(players, 1)
        ]
    )


@pytest.fixture
def league(path):
    with League.create(path, "elo-mmr") as league:
        league.record(ranked("first", 0, ["ann", "bob", "cat"]))
        league.record(ranked("second", 1, ["bob", "ann", "dan"]))
        yield league


def test_ratings_without_uncertainty_wait_out_rules_that_need_it(where):
    with League.create(where, "elo") as league:
        league.record(ranked("first", 0, ["ann", "bob"]))
        league.revise("glicko2")
        league.set_rules(Rules(display="conservative"))
        shown = league.leaderboard()
        assert (shown["rating"] - (shown["mu"] - 3.0 * shown["sigma"])).abs().max() < 1e-9
        league.record(ranked("second", 1, ["bob", "ann"]))
        with pytest.raises(PodiumError, match="elo knows no uncertainty"):
            league.rollback()
        assert league.system.name == "glicko2"
        league.set_rules(Rules())
        league.rollback()
        assert league.verify().sound


def test_an_export_with_such_ratings_is_restored(path, tmp_path):
    with League.create(path, "elo") as league:
        league.record(ranked("first", 0, ["ann", "bob"]))
        league.revise("glicko2")
        league.set_rules(Rules(display="conservative"))
        league.export(tmp_path / "export")
        with League.restore(tmp_path / "export", tmp_path / "copy.db") as copy:
            assert copy.leaderboard().equals(league.leaderboard())


def test_another_name_of_a_contest_rates_nothing_again(league):
    league.revise("glicko2")
    before = league.leaderboard()
    tried = league.amend("first", name="Opening", dry_run=True)
    assert league.contests("first")["name"].item() is None
    change = league.amend("first", name="Opening")
    assert change.applied
    assert not tried.applied
    assert change.what == tried.what
    assert (change.replayed, tried.replayed) == (0, 0)
    assert change.moves.height == 0
    assert league.contests("first")["name"].item() == "Opening"
    assert league.leaderboard().equals(before)
    assert league.revisions()["current"].to_list() == [True, True]
    assert not league.amend("first", name="Opening").applied
    assert league.log(1)["action"].item() == "amend"
    assert league.verify().sound


def test_the_log_has_the_names_that_players_have(league):
    league.rename("ann", "anna")
    league.disqualify("first", "ann")
    league.merge("cat", "ann")
    assert league.log(2)["player"].to_list() == ["anna", "anna"]
    assert league.log(player="anna").height == 3


def test_no_contests_are_nothing_to_record(league):
    change = league.record(ranked("none", 0, ["ann", "bob"])[:0])
    assert not change.applied
    assert change.what == "there is no contest to record"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda league: league.amend("first", rated="no"), "rated must be True or False"),
        (lambda league: league.amend("first", name=5), "5 cannot be a name"),
        (lambda league: league.amend("first", name="a\0"), "holds the character 0"),
        (lambda league: league.amend("first", name="\ud800"), "half a character"),
        (lambda league: league.amend("first", weight="1"), "weight must be a number"),
        (lambda league: league.remove("first", who=5), "who must be a text"),
        (lambda league: league.remove("first", why="a\0b"), "holds the character 0"),
        (lambda league: league.remove("first", why="\ud800"), "half a character"),
        (lambda league: league.remove("first", why="\ud800", dry_run=True), "half a character"),
        (lambda league: league.set_rules({"display": "mean"}), "podium.Rules are needed"),
        (lambda league: league.history_of("\ud800"), "half a character"),
        (lambda league: league.log("5"), "n must be a whole number"),
        (lambda league: league.log(-1), "n must be a whole number"),
        (lambda league: league.count(min_contests="1"), "min_contests must be a whole number"),
        (lambda league: League(league.where, wait="long"), "wait must be a number of seconds"),
        (lambda league: League(league.where, wait=-1.0), "wait must be a number of seconds"),
        (lambda league: League(league.where, wait=float("nan")), "wait must be a number"),
    ],
)
def test_what_is_wrong_is_a_sentence_and_changes_nothing(league, wrong, says):
    before = league.log()
    with pytest.raises(PodiumError, match=says):
        wrong(league)
    assert league.log().equals(before)


def test_numbers_of_any_kind_are_numbers(league):
    league.record(ranked("third", 2, ["ann", "bob"]), floor=np.int64(3), ceiling=np.float32(9000))
    league.amend("third", weight=np.float32(0.25))
    assert league.contests("third")["weight"].item() == 0.25
    assert league.leaderboard(np.int64(1)).height == 1
    assert league.verify().sound


def test_two_aliases_of_a_player_cannot_both_take_part(league):
    league.rename("ann", "anna")
    league.rename("anna", "anne")
    with pytest.raises(PodiumError, match="'third': 'anna' and 'ann' are one player"):
        league.record(ranked("third", 2, ["bob", "anna", "ann"]))


def test_beliefs_know_the_contests_at_their_end(league):
    last = ranked("third", 1, ["ann", "cat"])
    league.record(last)
    beliefs = league.beliefs()
    rated = podium.rate(league.results(), league.system).beliefs
    assert (beliefs.rounds, beliefs.time) == (rated.rounds, rated.time)
    assert beliefs.latest == rated.latest == ["second", "third"]
    with pytest.raises(PodiumError, match="'third' has been rated already"):
        podium.rate(last, beliefs=beliefs)


def test_places_are_of_one_type_on_every_page(league):
    pages = [league.leaderboard(2, skip=skip) for skip in (0, 2)]
    assert pl.concat(pages)["place"].to_list() == league.leaderboard()["place"].to_list()


def test_progress_is_told_by_one_thread_at_a_time(path):
    inside, told = [], []

    def progress(done: int, total: int) -> None:
        inside.append(done)
        assert len(inside) == 1
        told.append((done, total))
        inside.clear()

    with League.create(path, "elo-mmr") as league:
        league.record(podium.simulate(players=300, rounds=100, seed=1), progress=progress)
    assert told[-1][0] == told[-1][1]


def test_what_was_before_an_early_contest_does_not_read_later_ones(league, monkeypatch):
    from podium.league import standings

    league.record(
        Contests.concat([ranked(f"late {day}", day, ["ann", "bob"]) for day in range(5, 30)])
    )
    loaded, load = [], standings.load

    def counting(*arguments, **how):
        found = load(*arguments, **how)
        loaded.append(len(found))
        return found

    monkeypatch.setattr(standings, "load", counting)
    beliefs, _ = league.before("second")
    assert beliefs.rounds == 1
    assert max(loaded) <= 2


@pytest.mark.parametrize("after", [1, 2, 3])
def test_whoever_stops_a_change_while_it_is_watched_changes_nothing(league, after):
    before, told = league.leaderboard(), []

    def progress(done: int, _: int) -> None:
        told.append(done)
        if len(told) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        league.record(podium.simulate(players=9, rounds=5, seed=1), progress=progress)
    assert league.leaderboard().equals(before)
    assert len(league) == 2
    assert league.verify().sound


def test_a_player_is_found_without_looking_through_all_events(league):
    """SQLite has no statistics, and would begin with all events of the revision."""
    asked = []
    with league._database.reading() as connection:
        connection.connection.driver_connection.set_trace_callback(asked.append)
        story = queries.history(connection, revisions.in_force(connection), Rules(), 1)
        connection.connection.driver_connection.set_trace_callback(None)
        query = next(each for each in asked if "FROM standings" in each)
        plan = [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}")]
    assert story["contest"].to_list() == ["first", "second"]
    assert [step for step in plan if "events" in step and "contest_id=?" not in step] == []


def test_the_story_of_a_player_has_rated_contests_only(league):
    league.record(ranked("friendly", 2, ["ann", "bob"]), rated=False)
    league.record(ranked("juniors", 3, ["cat", "ann"]), ceiling=-9000.0)
    assert league.history_of("ann")["contest"].to_list() == ["first", "second"]
