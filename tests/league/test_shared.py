"""A league keeps what all players share: now, and before every checkpoint."""

import sqlite3

import numpy as np
import pytest

import podium
from podium import League, StorageError, systems
from tests.league.older import made_older
from tests.league.plain import DAY, Game, Row, as_contests
from tests.league.tables import all_tables
from tests.league.test_same_answers import by_name, under_changes
from tests.tides import Tides

SEASON = podium.simulate(players=12, rounds=40, participation=0.5, seed=3)


@pytest.fixture(autouse=True)
def tides(monkeypatch):
    """The system is found by its name."""
    monkeypatch.setitem(systems._registered, "tides", Tides)


def test_a_league_whose_players_share_is_its_replay_under_changes(places):
    others = (Tides(pace=12.0), systems.Elo(), systems.EloMMR())
    under_changes(places, Tides(), "contests", others, examples=6, steps=15)


def shared(league: League) -> bytes:
    """What all players share now; the same with everybody, with some and with nobody."""
    names = league.beliefs().names[:1]
    found = {league.beliefs_of(some).shared.tobytes() for some in (names, ["nobody"], [])}
    assert found == {league.beliefs().shared.tobytes()}
    return found.pop()


def test_after_any_change_players_share_what_a_run_over_everything_gives(places):
    rows = (Row("ann", 1), Row("bob", 2))
    strangers = (Row("cat", 1), Row("dan", 2))
    with League.create(places(), Tides()) as league:
        assert shared(league) == Tides().new_shared().tobytes()
        for number in range(len(SEASON)):
            league.record(SEASON[number : number + 1])

        def agrees() -> None:
            rated = podium.rate(league.results(), Tides())
            assert shared(league) == rated.beliefs.shared.tobytes()
            assert league.verify().differences == []

        agrees()
        ids = SEASON.ids.to_list()
        for change in (
            lambda: league.amend(ids[17], weight=2.0),
            lambda: league.remove(ids[38]),
            lambda: league.remove(ids[-1]),
            lambda: league.amend(ids[30], time="2100-01-01", future=True),
            lambda: league.record(as_contests([Game("first", -DAY, rows)])),
            lambda: league.record(as_contests([Game("middle", 20 * DAY, rows)])),
            lambda: league.record(as_contests([Game("newcomers", 99_999 * DAY, strangers)])),
            lambda: league.disqualify(ids[36], league.contest(ids[36])["player"][0]),
        ):
            change()
            agrees()


def test_a_change_that_is_only_tried_leaves_what_is_shared(path):
    with League.create(path, Tides()) as league:
        league.record(SEASON[:30])
        before = all_tables(str(path))
        league.record(SEASON[30:], dry_run=True)
        league.record(SEASON[30:], dry_run=True, floor=1000.0)
        league.amend(SEASON.ids[2], weight=3.0, dry_run=True)
        league.revise(Tides(pace=9.0), dry_run=True)
        assert all_tables(str(path)) == before


def test_limits_are_settled_by_what_was_shared_just_before(path):
    with League.create(path, Tides()) as league:
        league.record(SEASON[:20])
        league.record(SEASON[20:25], ceiling=1600.0)
        league.record(SEASON[25:])
        assert league.verify().differences == []
        expected = podium.rate(SEASON[:20], Tides()).ratings
        low = set(expected.filter(expected["rating"] < 1600.0)["player"])
        found = league.contest(SEASON.ids[20])
        known = found.filter(found["player"].is_in(expected["player"].to_list()))
        assert set(known.filter(known["eligible"])["player"]) == low & set(known["player"])


def test_what_was_shared_then_is_known_for_every_moment(path):
    with League.create(path, Tides()) as league:
        league.record(SEASON)
        for number in (0, 1, 19, 38, 39):
            expected = podium.rate(SEASON[:number], Tides())
            before, contest = league.before(SEASON.ids[number])
            assert before.shared.tobytes() == expected.beliefs.shared.tobytes()
            happened = podium.rate(contest, beliefs=before).history
            assert happened["mu"].to_list() == (
                podium.rate(SEASON[: number + 1], Tides()).history["mu"][-len(happened) :].to_list()
            )
            if number:
                board = league.leaderboard(None, at=SEASON[number - 1].time)
                assert board["rating"].to_list() == expected.ratings["rating"].to_list()
        name = league.contest(SEASON.ids[19])["player"][0]
        explained = league.explain(SEASON.ids[19], name).change.rating
        story = league.history_of(name)
        assert explained == story.filter(story["contest"] == SEASON.ids[19])["rating"].item()


def test_a_prediction_starts_from_what_is_shared_now(path):
    with League.create(path, Tides()) as league:
        league.record(SEASON[:39])
        predicted = league.predict(SEASON[39:]).table
        league.record(SEASON[39:])
        happened = league.contest(SEASON.ids[39])
        assert predicted["rating"].to_list() == happened["rating"].to_list()


def test_going_back_to_a_revision_catches_up_with_what_is_shared(path):
    with League.create(path, Tides()) as league:
        league.record(SEASON[:30])
        league.revise(Tides(pace=9.0))
        assert shared(league) == podium.rate(SEASON[:30], Tides(pace=9.0)).beliefs.shared.tobytes()
        league.record(SEASON[30:])
        league.remove(SEASON.ids[28])
        league.rollback("first")
        assert shared(league) == podium.rate(league.results(), Tides()).beliefs.shared.tobytes()
        assert league.verify().differences == []
        league.rollback()
        assert league.verify().differences == []


def test_a_league_without_contests_again_is_as_at_the_start(path):
    with League.create(path, Tides()) as league:
        start = all_tables(str(path))
        league.record(SEASON[:2])
        for id in SEASON.ids[:2]:
            league.remove(id)
        assert shared(league) == Tides().new_shared().tobytes()
        end = all_tables(str(path))
        for table in ("revisions", "checkpoints", "beliefs"):
            assert end[table] == start[table]
        assert league.verify().sound


def test_what_is_exported_is_restored(places, tmp_path):
    with League.create(places(), Tides()) as league:
        league.record(SEASON)
        league.revise(Tides(pace=9.0))
        league.amend(SEASON.ids[3], weight=0.5)
        league.export(tmp_path / "export")
        with League.restore(tmp_path / "export", places()) as copy:
            assert by_name(copy) == by_name(league)
            assert shared(copy) == shared(league)
            assert copy.verify().differences == []


def test_both_databases_keep_the_same(tmp_path, postgresql):
    both = []
    for where in (str(tmp_path / "league.db"), postgresql.new_database()):
        with League.create(where, Tides()) as league:
            league.record(SEASON[:20])
            league.record(SEASON[21:])
            league.record(SEASON[20:21])
            league.revise(Tides(pace=9.0))
            league.remove(SEASON.ids[8])
            league.rollback()
            both.append(all_tables(where))
    assert both[0] == both[1]


@pytest.mark.parametrize("table", ["revisions", "checkpoints"])
@pytest.mark.parametrize("damage", ["other numbers", "fewer", "none"])
def test_what_is_shared_cannot_be_changed_unnoticed(path, table, damage):
    with League.create(path, Tides()) as league:
        league.record(SEASON)
    kept = {"other numbers": np.ones(3).tobytes(), "fewer": b"12345678", "none": None}[damage]
    with sqlite3.connect(path) as connection:
        last = connection.execute(f"SELECT max(id) FROM {table}").fetchone()
        connection.execute(f"UPDATE {table} SET shared = ? WHERE id = ?", (kept, *last))
    connection.close()
    with League(path) as league:
        found = league.verify()
        assert len(found.differences) == 1
        if damage != "other numbers":
            with pytest.raises(StorageError, match="tides lets them share"):
                league.beliefs() if table == "revisions" else league.remove(SEASON.ids[39])


@pytest.mark.parametrize("version", ["0001", "0002"])
def test_a_league_of_before_has_nothing_shared(where, version):
    with League.create(where) as league:
        league.record(SEASON)
    now = all_tables(where)
    made_older(where, version)
    League.migrate(where)
    old = all_tables(where)
    for table in ("checkpoints", "checkpoint_parts", "beliefs", "events", "ratings"):
        assert old[table] == now[table]
    with League(where) as league:
        league.remove(SEASON.ids[5])
        assert league.verify().differences == []
        assert len(league.beliefs().shared) == 0
