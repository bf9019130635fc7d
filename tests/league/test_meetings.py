"""Who met whom, beside a plain count over all results."""

from collections import Counter

import pytest

import podium
from podium import League
from tests.league.plain import DAY, Game, Row, as_contests

TEAMS = Game(
    "teams",
    40 * DAY,
    (Row("ann", 1, "red"), Row("bob", 1, "red"), Row("cat", 2, "blue"), Row("dan", 3)),
)
ALONE = Game("alone", 41 * DAY, (Row("dan", 1), Row("eve", 1)))


@pytest.fixture
def league(where):
    season = podium.simulate(players=12, rounds=20, participation=0.35, ties=0.4, seed=2)
    pairs = [
        (f"player-000{one}", f"player-000{two}") for one in range(1, 6) for two in range(1, one)
    ]
    matches = [
        Game(
            f"match-{number}",
            (20_500 + number // 5) * DAY,
            (Row(one, 1), Row(two, 1 + min(1, number % 3))),
        )
        for number, (one, two) in enumerate(3 * pairs)
    ]
    with League.create(where, "elo-mmx") as made:
        made.record(season[10:])
        made.record(season[:10])
        made.record(as_contests(matches), rated=False)
        made.record(as_contests([TEAMS, ALONE]))
        made.rename("player-0004", "renamed")
        yield made


def plain_rivals(view, name: str, largest: int, until=None) -> list[tuple]:
    """Counts of all meetings, the most first and then by name."""
    counts: dict[str, Counter[str]] = {}
    for contest, time, players in view.contests().select("contest", "time", "players").rows():
        if players > largest or (until is not None and time > until):
            continue
        rows = view.contest(contest).select("player", "rank", "team").rows()
        for own in rows:
            for other in rows:
                same_team = own[2] is not None and own[2] == other[2]
                if own[0] == name and other[0] != name and not same_team:
                    how = (
                        "wins" if own[1] < other[1] else "losses" if own[1] > other[1] else "draws"
                    )
                    counts.setdefault(other[0], Counter())[how] += 1
    found = [
        (each, how.total(), how["wins"], how["draws"], how["losses"])
        for each, how in counts.items()
    ]
    return sorted(found, key=lambda row: (-row[1], row[0]))


def test_rivals_are_those_who_were_met_most(league):
    times = league.contests()["time"]
    with league.snapshot() as view:
        for name in ("player-0003", "renamed", "ann", "dan"):
            for largest in (0, 2, 3, 50):
                expected = plain_rivals(view, name, largest)
                assert view.rivals(name, n=None, largest=largest).rows() == expected
                assert view.rivals(name, n=3, largest=largest).rows() == expected[:3]
        until = times[12]
        assert (
            view.rivals("renamed", at=until).rows() == plain_rivals(view, "renamed", 50, until)[:10]
        )


def test_members_of_a_team_do_not_meet(league):
    assert league.rivals("ann").rows() == [("cat", 1, 1, 0, 0), ("dan", 1, 1, 0, 0)]
    assert league.rivals("dan").rows()[2:] == [("cat", 1, 0, 0, 1), ("eve", 1, 0, 1, 0)]


def test_rivals_of_somebody_unknown_are_refused(league):
    with pytest.raises(podium.NotFoundError):
        league.rivals("nobody")
    for wrong in ({"n": -1}, {"largest": 1.5}, {"largest": -2}):
        with pytest.raises(podium.InputError, match="whole number"):
            league.rivals("ann", **wrong)


def plain_meetings(view, names: list[str], until=None) -> list[tuple]:
    """All contests in which two took part, the latest first."""
    found = []
    for contest, time, called, players in (
        view.contests().select("contest", "time", "name", "players").rows()
    ):
        rows = dict(view.contest(contest).select("player", "rank").rows())
        ranks = [rows.get(view.player(name).name) for name in names]
        met = {view.player(name).name for name in names} & rows.keys()
        if len(met) > 1 and (until is None or time <= until):
            found.append((contest, time, called, players, ranks))
    return found[::-1]


@pytest.mark.parametrize(
    "names",
    [
        ["player-0003", "renamed"],
        ["player-0004", "player-0001", "player-0002"],
        ["dan", "ann", "eve"],
        ["ann", "ann"],
        ["ann", "player-0003"],
        ["player-0003"],
        [],
    ],
)
def test_meetings_are_the_contests_of_at_least_two(league, names):
    until = league.contests()["time"][30]
    with league.snapshot() as view:
        expected = plain_meetings(view, names)
        assert view.meetings(names, n=None).rows() == expected
        assert view.meetings(names, n=2).rows() == expected[:2]
        assert view.meetings(names, at=until).rows() == plain_meetings(view, names, until)[:50]
    assert len(expected) > 1 or len(set(names)) < 2 or "ann" in names


def test_meetings_of_somebody_unknown_are_refused(league):
    with pytest.raises(podium.NotFoundError):
        league.meetings(["ann", "nobody"])
