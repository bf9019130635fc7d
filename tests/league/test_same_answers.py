"""Whatever is done to a league, its answers are those of a replay from scratch, to the bit.

``PODIUM_CASES=100 pytest tests/league/test_same_answers.py -k under`` tries a hundred times as many
leagues under changes.
"""

import functools
import itertools
import os
import random

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

import podium
from podium import Contests, League, PodiumError, systems
from tests.league import games
from tests.league.conftest import Places
from tests.league.machine import Changes
from tests.league.plain import DAY, Game, PlainLeague, Row, as_contests, assert_same_league
from tests.league.tables import all_tables

CASES = int(os.environ.get("PODIUM_CASES", "1"))
SYSTEMS = [
    (systems.EloMMR(drift_per_day=3.0, history=3), "contests"),
    (systems.EloMMX(drift_per_day=3.0), "teams"),
    (systems.EloR(drift_per_day=2.0), "contests"),
    (systems.EloRDraft(), "contests"),
    (systems.Codeforces(), "contests"),
    (systems.Topcoder(), "contests"),
    (systems.TrueSkill(drift_per_day=0.2), "teams"),
    (systems.WengLin(), "teams"),
    (systems.Glicko(period_days=1.5), "contests"),
    (systems.Glicko2(period_days=2.0), "contests"),
    (systems.Elo(side_advantage=60.0), "matches"),
    (systems.Luck(points=301), "scores"),
]


def under_changes(new_place: Places, *machine, examples: int, steps: int, **more) -> None:
    run_state_machine_as_test(
        functools.partial(Changes, new_place, *machine, **more),
        settings=settings(
            max_examples=CASES * examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


OTHERS = (systems.EloMMR(rho=0.5), systems.Glicko2(period_days=2.0), systems.Codeforces())


def test_a_league_under_changes_is_its_replay(places):
    under_changes(places, systems.EloMMR(), "contests", OTHERS, examples=4, steps=15)


@pytest.mark.slow
def test_a_league_under_many_changes_is_its_replay(places):
    under_changes(places, systems.EloMMR(), "contests", OTHERS, examples=8, steps=30)


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("system", "of"), SYSTEMS, ids=[each.name for each, _ in SYSTEMS])
def test_every_system_under_changes_is_its_replay(places, system, of):
    under_changes(places, system, of, examples=3, steps=10)


# The order in which things are recorded


def season(name: str, seed: int = 1) -> Contests:
    """A simulated season of contests, or of matches where a system knows nothing else."""
    if name in systems.of_any_size():
        return podium.simulate(players=10, rounds=10, seed=seed)
    return podium.simulate_matches(players=6, matches=16, seed=seed)


def by_name(league: League) -> dict[str, list[tuple]]:
    """All that a league knows, whatever the numbers by which it knows it."""
    beliefs = league.beliefs()
    order = sorted(beliefs.index.values(), key=beliefs.names.__getitem__)
    packed = beliefs.packed(pl.Series(order, dtype=pl.Int64).to_numpy())
    return {
        "board": league.leaderboard(None).drop("id", "display").rows(),
        "contests": [league.contest(id).rows() for id in league.contests()["contest"]],
        "players": [league.history_of(name).rows() for name in sorted(beliefs.names)],
        "beliefs": [part.tobytes() for part in packed],
        "about": [(beliefs.rounds, beliefs.time)],
    }


@pytest.mark.parametrize("name", systems.names())
def test_at_once_one_by_one_and_in_any_order_are_the_same(name, tmp_path):
    results = season(name)
    rng = random.Random(name)
    shuffled = rng.sample(range(len(results)), len(results))
    found = []
    for number, parts in enumerate(
        (
            [slice(0, len(results))],
            [slice(each, each + 1) for each in range(len(results))],
            [slice(each, each + 1) for each in shuffled],
        )
    ):
        with League.create(tmp_path / f"{number}.db", name) as league:
            for part in parts:
                league.record(results[part])
            assert league.verify().differences == []
            found.append(by_name(league))
    assert found[0] == found[1] == found[2]
    rated = podium.rate(results, name)
    board = [row[1:] for row in rated.leaderboard(None).rows()]
    assert [(row[1], *row[3:]) for row in found[0]["board"]] == board


def test_both_databases_hold_the_same_to_the_bit(tmp_path, postgresql):
    others = (systems.EloMMR(rho=0.5), systems.Glicko2())
    both = []
    results = podium.simulate(players=12, rounds=16, seed=1)
    for where in (str(tmp_path / "league.db"), postgresql.new_database()):
        with League.create(where, "elo-mmr") as league:
            league.record(results[:10])
            league.record(results[13:])
            league.record(results[10:13], floor=1200.0, ceiling=1600.0)
            first, second = results.players[:2].to_list()
            league.amend(results.ids[3], weight=0.5)
            league.revise(others[0])
            league.disqualify(results.ids[14], first)
            league.remove(results.ids[8])
            league.rename(second, "ève")
            league.revise(others[1])
            league.amend(results.ids[4], rated=False)
            league.rollback("first")
            league.define_attributes("country")
            for name in ("zoe", *reversed(results.players.to_list()), "ann"):
                league.describe(name, {"country": "NO"}, new=True)
            league.remove_attributes("country")
            assert league.verify().differences == []
            both.append((all_tables(where), by_name(league)))
    assert both[0] == both[1]


def test_contests_of_one_time_are_rated_by_identifier_however_they_come(path):
    first, second = (
        as_contests([Game(id, 0, tuple(map(Row, names, (1, 2, 3))))])
        for id, names in (("round 10", "abc"), ("round 9", "cba"))
    )
    with League.create(path) as league:
        league.record(Contests.concat([first, second]))
        assert league.contests()["contest"].to_list() == ["round 9", "round 10"]
        assert league.verify().differences == []
        assert league.history_of("a")["contest"].to_list() == ["round 9", "round 10"]


def test_more_than_a_thousand_contests_at_one_moment_keep_their_order(path):
    crowd = [Game(f"c{number}", 0, (Row("ann", 1), Row("bob", 2))) for number in range(1, 1101)]
    with League.create(path, "elo") as league:
        league.record(as_contests([*crowd[:500], *crowd[501:]]))
        league.record(as_contests(crowd[500:501]))
        assert league.verify().differences == []


@pytest.mark.parametrize("of", sorted(games.KINDS))
@settings(max_examples=12)
@given(data=st.data())
def test_what_was_recorded_is_kept(of, tmp_path_factory, data):
    system = {"teams": "trueskill", "scores": "luck", "matches": "elo"}.get(of, "elo-mmr")
    ids = data.draw(st.lists(games.IDENTIFIERS, min_size=1, max_size=6, unique=True))
    played = [data.draw(games.KINDS[of](id)) for id in ids]
    recorded = as_contests(played)
    where = tmp_path_factory.mktemp("kept") / "league.db"
    with League.create(where, system) as league:
        league.record(recorded)
        assert league.results() == recorded
        for game in played:
            assert league.results(game.id) == as_contests([game])
        plain = PlainLeague(systems.build(system))
        for game in played:
            plain.put(game)
        assert_same_league(league, plain)
        again = league.record(recorded)
        assert not again.applied
        assert sorted(again.known) == sorted(ids)


# What a change costs


@pytest.mark.parametrize(
    ("days", "one_by_one"),
    [
        pytest.param(250, False, id="at once"),
        pytest.param(100, True, marks=pytest.mark.slow, id="one by one"),
    ],
)
def test_changes_near_the_end_fold_at_most_twice_what_they_must(path, days, one_by_one):
    rng = random.Random(5)
    played = [
        Game(f"c{day}", day * DAY, tuple(map(Row, rng.sample(games.PLAYERS, 4), (1, 2, 3, 4))))
        for day in range(days)
    ]
    with League.create(path) as league:
        parts = [[game] for game in played] if one_by_one else [played]
        for part in parts:
            league.record(as_contests(part))
        near = days - days // 10
        for day in (*range(near, days), days // 2, 0):
            needed = days - day
            change = league.amend(f"c{day}", weight=2.0, dry_run=True)
            assert needed <= change.replayed <= (2 if day >= near else 5) * needed
        assert league.remove(f"c{days - 1}").replayed == 0
        assert league.record(as_contests(played[-1:])).replayed == 1
        late = [Game("late", (days - 10) * DAY, played[0].rows)]
        assert league.record(as_contests(late)).replayed <= 2 * 10
        assert league.verify().sound


# Limits


def three(id: str, time: int = 0, order: str = "abc") -> Game:
    return Game(id, time, tuple(map(Row, order, (1, 2, 3))))


def test_who_was_eligible_stays_so_whatever_is_put_right(path):
    with League.create(path) as league:
        league.record(as_contests([three("early", 0)]))
        league.record(as_contests([three("late", DAY)]), ceiling=1400.0)
        before = league.contest("late")
        assert before["eligible"].to_list() == [False, True, True]
        league.amend("early", as_contests([three("early", 0, "cba")]))
        after = league.contest("late")
        assert after.select("player", "eligible").equals(before.select("player", "eligible"))
        assert not after["rating"].equals(before["rating"])
        league.amend("late", as_contests([three("late", DAY, "xab")]), removing=True)
        found = league.contest("late")
        assert dict(zip(found["player"], found["eligible"], strict=True)) == {
            "x": True,
            "a": False,
            "b": True,
        }
        assert league.verify().sound


def test_unrated_contests_stay_unrated_until_they_are_rated(path):
    with League.create(path) as league:
        league.record(as_contests([three("one"), three("two", DAY)]), rated=False)
        assert league.leaderboard().is_empty()
        league.amend("one", weight=2.0)
        league.disqualify("two", "a")
        league.rename("b", "bea")
        assert league.leaderboard().is_empty()
        assert league.contests()["rated"].to_list() == [False, False]
        with pytest.raises(PodiumError, match=r"unrated.*podium amend LEAGUE one --rated"):
            league.record(as_contests([league_game(league, "one")]))
        league.amend("one", rated=True)
        assert league.leaderboard()["player"].to_list() == ["a", "bea", "c"]


def league_game(league: League, id: str) -> Game:
    """A contest as the league has it."""
    frame = league.results(id).frame()
    weight = frame["weight"][0] if "weight" in frame.columns else 1.0
    rows = tuple(Row(name, rank) for name, rank in frame.select("player", "rank").iter_rows())
    return Game(id, 0, rows, weight)


def test_other_results_of_a_known_contest_are_refused(where):
    with League.create(where) as league:
        league.record(as_contests([three("one"), three("two", DAY)]))
        before = all_tables(where)
        for other in (
            three("one", 0, "bac"),
            three("one", DAY),
            Game("one", 0, three("one").rows, weight=2.0),
            Game("one", 0, three("one").rows[:2]),
            Game("one", 0, three("one").rows, name="Open"),
        ):
            with pytest.raises(PodiumError) as refused:
                league.record(as_contests([other, three("three", 2 * DAY)]))
            assert str(refused.value) == (
                "contest 'one' is in the league with other results; nothing was recorded. "
                "podium add LEAGUE one FILE puts late results in, and podium amend LEAGUE one FILE "
                "replaces all of them; leave_known=True or --leave-known records the others."
            )
        assert all_tables(where) == before


def test_members_of_a_team_can_be_disqualified(path):
    rows = [("a", 1, "x"), ("b", 1, "x"), ("c", 2, "y"), ("d", 2, "y"), ("e", 3, None)]
    game = Game("one", 0, tuple(itertools.starmap(Row, rows)))
    with League.create(path, "trueskill") as league:
        league.record(as_contests([game]))
        for player, ranks in (("a", [1, 2, 2, 3]), ("b", [1, 1, 2]), ("c", [1, 2])):
            game = game.without(player)
            league.disqualify("one", player)
            assert league.contest("one")["rank"].to_list() == ranks
            assert league.results() == as_contests([game])
            assert league.verify().sound
