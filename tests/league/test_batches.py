"""The index of standings by player is in batches, which nobody who asks notices."""

import re
from pathlib import Path

import pytest
from sqlalchemy import text

import podium
from podium import League
from podium.league import schema, standings
from tests.league.older import made_older
from tests.league.tables import all_tables, execute


@pytest.fixture
def small(monkeypatch):
    """Batches of seven rows."""
    monkeypatch.setattr(standings, "_BATCH", 7)


def _results() -> podium.Contests:
    return podium.simulate(players=9, rounds=8, participation=0.6, seed=4)


def _told(league: League) -> dict[str, object]:
    """What is found by player."""
    names = sorted(league.leaderboard(None)["player"])
    return {
        "histories": [league.history_of(each).rows() for each in names],
        "rivals": [league.rivals(each).rows() for each in names],
        "meetings": league.meetings(names[:3]).rows(),
        "trends": league.trends(names).rows(),
    }


def _batches(league: League) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """What the league has noted of batches, and what there is."""
    b, s = schema.batches, schema.standings
    with league._database.reading() as connection:
        noted = connection.execute(b.select().order_by(b.c.id)).fetchall()
        count = f"SELECT {s.c.batch}, count(*) FROM standings GROUP BY 1 ORDER BY 1"
        there = connection.execute(text(count)).fetchall()
    return [tuple(each) for each in noted], [tuple(each) for each in there]


@pytest.mark.usefixtures("small")
def test_batches_are_filled_one_after_the_other(where):
    contests = _results()
    with League.create(where) as league:
        for each in range(len(contests)):
            league.record(contests[each : each + 1])
            noted, there = _batches(league)
            rows = contests[: each + 1].rows
            assert noted == there
            assert [number for number, _ in there] == list(range(-(-rows // 7)))
            assert {count for _, count in there[:-1]} <= {7}


@pytest.mark.usefixtures("small")
def test_answers_do_not_depend_on_batches(where, tmp_path, monkeypatch):
    contests = _results()
    with League.create(where) as league:
        league.record(contests[:5])
        league.record(contests[5:])
        league.disqualify(contests[1].id, contests[1].players[0])
        league.rename("player-0003", "ann")
        assert len(_batches(league)[0]) > 2
        assert league.verify().sound
        told = _told(league)
    monkeypatch.undo()
    with League.create(tmp_path / "one-batch.db") as other:
        other.record(contests)
        other.disqualify(contests[1].id, contests[1].players[0])
        other.rename("player-0003", "ann")
        assert len(_batches(other)[0]) == 1
        assert _told(other) == told


@pytest.mark.usefixtures("small")
def test_a_league_without_batches_gets_one(where):
    contests = _results()
    with League.create(where) as league:
        league.record(contests[:6])
        before = _told(league)
    tables = all_tables(where)
    made_older(where, "0005")
    League.migrate(where)
    with League(where) as league:
        assert _batches(league) == ([(0, contests[:6].rows)],) * 2
        assert _told(league) == before
        since = {"log": [], "notices": []}  # of the latter there were none
        assert {**all_tables(where), **since} == {**tables, **since}
        league.record(contests[6:])
        assert _batches(league)[0][1] == (1, 7)
        assert league.verify().sound


def test_rows_in_no_batch_are_found(where):
    with League.create(where) as league:
        league.record(_results())
    execute(where, "UPDATE standings SET batch = 5 WHERE contest_id = 2")
    with League(where) as league:
        report = league.verify()
        assert not report.sound
        assert any("in no batch" in each for each in report.differences)


def test_players_are_looked_up_in_the_index(path):
    page = Path(__file__).parents[2] / "docs" / "league.md"
    story = re.findall(r"```sql\n(.*?);\n```", page.read_text(), re.DOTALL)[1]
    with League.create(path) as league:
        league.record(_results())
        with league._database.reading() as connection:
            plan = [row[-1] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {story}"))]
    assert any("standings_by_player (batch=? AND player_id=?)" in each for each in plan)
