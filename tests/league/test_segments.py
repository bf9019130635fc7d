"""What is believed is appended, and what is no longer in force is removed in segments."""

import contextlib
import random
import sqlite3

import pytest
from sqlalchemy import func, select

import podium
from podium import League, StorageError
from podium.league import schema, segments
from tests.league.older import made_older
from tests.league.tables import all_tables, execute


@pytest.fixture
def small(monkeypatch):
    """Segments of eight rows, of which two more are looked at for every four rows."""
    monkeypatch.setattr(segments, "SIZE", 8)
    monkeypatch.setattr(segments, "_ROWS_FOR_A_SEGMENT", 2)


def _results(rounds: int = 12) -> podium.Contests:
    return podium.simulate(players=15, rounds=rounds, participation=0.6, seed=4)


def _noted(league: League) -> list[tuple[int, int, int]]:
    """The segments that the league has noted."""
    s = schema.segments
    with league._database.reading() as connection:
        return [tuple(each) for each in connection.execute(s.select().order_by(s.c.id))]


def _there(league: League) -> list[tuple[int, int, int]]:
    """The segments that there are, by their rows."""
    b = schema.beliefs
    with league._database.reading() as connection:
        every = [each for (each,) in connection.execute(select(b.c.id))]
        counts = [each for (each,) in connection.execute(select(b.c.id).where(schema.in_force()))]
    number = sorted({each // segments.SIZE for each in every})
    return [
        (one, *(sum(each // segments.SIZE == one for each in rows) for rows in (every, counts)))
        for one in number
    ]


def _in_force(league: League) -> tuple[int, int]:
    """How many rows of beliefs count, and how many players have one."""
    b, r = schema.beliefs, schema.ratings
    with league._database.reading() as connection:
        count = select(func.count()).select_from(b).where(schema.in_force())
        played = select(func.count()).select_from(r).where(r.c.contests > 0)
        return connection.execute(count).scalar_one(), connection.execute(played).scalar_one()


@pytest.mark.usefixtures("small")
def test_a_league_knows_how_many_of_its_beliefs_count(where):
    contests, rng = _results(), random.Random(5)
    with League.create(where) as league:
        changes = [
            *(lambda each=each: league.record(contests[each : each + 1]) for each in range(8)),
            lambda: league.disqualify(contests[2].id, contests[2].players[0]),
            lambda: league.remove(contests[5].id),
            lambda: league.undo(),
            lambda: league.season("second", "2031-01-01", pull=0.5),
            lambda: league.start({"somebody": 1700.0}),
            lambda: league.revise("elo", name="another"),
            lambda: league.record(contests[8:10]),
            lambda: league.rollback("first"),
            lambda: league.record(contests[10:]),
            lambda: league.merge(*rng.sample(sorted(contests[0].players), 2)),
            lambda: league.undo(),
            lambda: league.remove(contests[0].id),
        ]
        for change in changes:
            with contextlib.suppress(podium.InputError, podium.ConflictError):
                change()
            assert _noted(league) == _there(league)
            counted, _ = _in_force(league)
            assert sum(each for _, _, each in _noted(league)) == counted
        assert league.verify(export=True).sound


@pytest.mark.usefixtures("small")
def test_beliefs_that_no_longer_count_are_never_many(where):
    contests = _results(rounds=40)
    with League.create(where) as league:
        for each in range(len(contests)):
            league.record(contests[each : each + 1])
            counted, played = _in_force(league)
            rows = sum(each for _, each, _ in _noted(league))
            assert counted == played
            assert rows <= 2 * counted + segments.SIZE
        assert league.verify().sound


def test_a_change_writes_its_beliefs_behind_all_others(where):
    contests, b = _results(), schema.beliefs
    with League.create(where) as league:
        league.record(contests[:-1])
        with league._database.reading() as connection:
            last = connection.execute(select(func.max(b.c.id))).scalar_one()
        league.record(contests[-1:])
        with league._database.reading() as connection:
            new = connection.execute(select(b.c.id).where(b.c.id > last, schema.in_force()))
            size = contests.sizes[-1]
            assert sorted(new.scalars()) == list(range(last + 1, last + 1 + size))


@pytest.mark.usefixtures("small")
def test_a_revision_that_is_dropped_leaves_no_segment_behind(where):
    with League.create(where) as league:
        league.record(_results())
        before = all_tables(where)
        league.revise("elo", name="another")
        league.undo()
        assert all_tables(where)["beliefs"] == before["beliefs"]
        assert _noted(league) == _there(league)
        assert sum(each for _, each, _ in _noted(league)) == len(before["beliefs"])


def test_a_league_of_before_has_the_same_beliefs_in_segments(where):
    with League.create(where) as league:
        league.record(_results())
        league.revise("elo", name="another")
    before = all_tables(where)
    made_older(where, "0006")
    League.migrate(where)
    after = all_tables(where)
    assert {**after, "log": []} == {**before, "log": []}
    with League(where) as league:
        assert _noted(league) == _there(league)
        assert league.verify(export=True).sound


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM beliefs WHERE id = (SELECT max(id) FROM beliefs)",
        "UPDATE beliefs SET player_id = player_id + 1 WHERE id = (SELECT max(id) FROM beliefs)",
        "UPDATE ratings SET belief_id = belief_id + 1",
    ],
)
def test_a_belief_that_is_lost_is_said_to_be_damaged(where, damage):
    contests = _results()
    with League.create(where) as league:
        league.record(contests[:-1])
    execute(where, damage)
    with League(where) as league, pytest.raises(StorageError, match="beliefs of this league are"):
        league.beliefs()


@pytest.mark.parametrize("value", ["'x'", "'1x'", "1.5", "'1,2'", "1e300"])
@pytest.mark.parametrize("end", ["min", "max"])
def test_a_rank_that_is_no_whole_number_is_said_to_be_damaged(path, value, end):
    contests = _results()
    with League.create(path) as league:
        league.record(contests)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            f"UPDATE standings SET rank = {value} WHERE contest_id = 3 AND position = "
            f"(SELECT {end}(position) FROM standings WHERE contest_id = 3)"
        )
    with League(path) as league, pytest.raises(StorageError, match="damaged"):
        league.amend(contests.ids[0], weight=2.0)
