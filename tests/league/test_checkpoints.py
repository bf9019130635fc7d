"""Checkpoints are close together near the end of a history, and few."""

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

import podium
from podium import League, systems
from podium.league import checkpoints, schema
from podium.league.checkpoints import NOTHING, Size, layout
from podium.league.database import insert
from tests.league.games import PLAYERS
from tests.league.plain import DAY, Game, Row, as_contests

sizes = st.lists(st.integers(1, 50) | st.just(5000), min_size=1, max_size=300).map(
    lambda rows: [Size(1, each) for each in rows]
)


def assert_lawful(parts: list[Size]) -> None:
    """No checkpoint near the end holds more than all later ones together."""
    total = NOTHING
    for part in parts:
        total = total.plus(part)
    later = NOTHING
    for part in reversed(parts):
        if part.contests > 1:
            if later.contests < 0.1 * total.contests:
                assert part.contests <= later.contests
            assert part.contests <= 4 * later.contests
            if later.rows < 0.1 * total.rows:
                assert part.rows <= later.rows
            assert part.rows <= 4 * later.rows
        later = later.plus(part)


@settings(max_examples=60)
@given(sizes)
def test_no_checkpoint_holds_more_than_what_follows(contests):
    total = Size(len(contests), sum(size.rows for size in contests))
    starts = layout(contests, total)
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    parts = [
        Size(end - start, sum(size.rows for size in contests[start:end]))
        for start, end in itertools.pairwise([*starts, len(contests)])
    ]
    assert_lawful(parts)


@pytest.mark.parametrize("count", [1, 2, 10, 100, 1000, 30_000])
def test_there_are_few_checkpoints(count):
    starts = layout([Size(1, 7)] * count, Size(count, 7 * count))
    assert len(starts) <= 2 + 2 * math.log2(count + 1)


@pytest.mark.parametrize("removing", [False, True])
def test_checkpoints_stay_few_and_small_when_contests_come_one_by_one(path, removing):
    rng = random.Random(3)
    with League.create(path, systems.Elo()) as league:
        for day in range(70):
            rows = tuple(map(Row, rng.sample(PLAYERS, 3), (1, 2, 3)))
            league.record(as_contests([Game(f"c{day}", day * DAY, rows)]))
            if day % 7 == 3 and removing:
                league.remove(f"c{rng.randrange(day - 2, day)}")
            if day % 7 == 5:
                league.amend(f"c{day - rng.randrange(2)}", weight=2.0)
            if day % 7 == 6:
                late = (day - rng.randrange(6)) * DAY
                league.record(as_contests([Game(f"late {day}", late, rows)]))
            with league._database.reading() as connection:
                history = checkpoints.load(connection, 1)
                parts = connection.execute(
                    select(func.count(func.distinct(schema.checkpoint_parts.c.checkpoint_id)))
                ).scalar()
            assert parts == len(history)
            if not removing:
                assert_lawful([checkpoint.size for checkpoint in history])
            assert len(history) <= 3 + 3 * math.log2(len(league) + 1)
            assert sum(checkpoint.size.contests for checkpoint in history) == len(league)
        assert league.verify().sound


def test_what_was_believed_before_a_change_is_not_written_again(where, monkeypatch):
    written = []

    def noted(connection, table, columns, *rest):
        if table is schema.checkpoint_parts:
            written.append(columns["checkpoint_id"])
        insert(connection, table, columns, *rest)

    monkeypatch.setattr(checkpoints, "insert", noted)
    contests = podium.simulate(players=9, rounds=30, participation=0.7, seed=5)
    with League.create(where) as league:
        league.record(contests)
        before = _kept(league)
        place = max(range(1, len(before)), key=lambda each: before[each].size)
        first = list(contests.ids).index(before[place].contest)
        written.clear()
        league.amend(contests.ids[first + before[place].size.contests - 1], weight=0.5)
        assert written == [each.id for each in before[place + 1 :]]
        league.disqualify(contests[first].id, contests[first].players[0])
        assert _kept(league)[place].size.rows == before[place].size.rows - 1
        assert league.verify().sound


def _kept(league: League) -> list[checkpoints.Checkpoint]:
    with league._database.reading() as connection:
        return checkpoints.load(connection, 1)
