"""Explanations of a league fold nothing but the contest, and are what folding everything gives."""

from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import podium
from podium import Explanation, League, systems
from podium.league import players, queries
from podium.league.changes import contest_named
from podium.league.recalling import recalled
from podium.numerics.threads import LARGE
from podium.results.times import to_microseconds
from podium.systems.base import System
from tests.league.games import KINDS
from tests.league.plain import DAY, Game, Row, as_contests

SYSTEMS = {
    "elo-mmr": ("elo-mmr", {}),
    "elo-mmr, drifting": ("elo-mmr", {"drift_per_day": 3.0, "noob_delay": (0.6, 0.8)}),
    "elo-mmr, short": ("elo-mmr", {"rho": 0.3, "history": 3, "split_ties": True}),
    "elo-mmr, gaussian": ("elo-mmr", {"performance": "gaussian"}),
    "elo-mmr, sampled": ("elo-mmr", {"opponents": 3}),
    "elo-mmx": ("elo-mmx", {"drift_per_day": 2.0}),
    "elo-r": ("elo-r", {"drift_per_day": 1.0}),
    "elo-r, simple": ("elo-r", {"noise": "simple"}),
    "elo-r-draft": ("elo-r-draft", {"memory": 4}),
    "elo": ("elo", {"k_new": 60.0, "contests_new": 3, "k_top": 10.0, "top": 1510.0}),
    "glicko": ("glicko", {"drift_per_day": 5.0}),
    "codeforces": ("codeforces", {"display_offsets": (300.0, 100.0)}),
    "topcoder": ("topcoder", {}),
    "trueskill": ("trueskill", {"drift_per_day": 0.01}),
    "weng-lin": ("weng-lin", {}),
}
"""Those whose histories tell all."""
WHOLE = {
    "atcoder": ("atcoder", {}),
    "glicko2": ("glicko2", {}),
    "glicko, in periods": ("glicko", {"period_days": 2.0}),
}
"""Those whose beliefs are more than histories tell."""


def made(name: str) -> System:
    """One of these systems."""
    called, parameters = {**SYSTEMS, **WHOLE}[name]
    return systems.build(called, **parameters)


def everything(found: Explanation):
    """All that an explanation says."""
    return found.document(), found.opponents.to_dict(as_series=False), found.text()


def explained(view, contest: str, player: str, *, plainly: bool) -> Explanation:
    """By folding everything since a checkpoint, or from what was noted."""
    connection, revision = view._connection, view._revision
    found = contest_named(connection, contest)
    number = players.number_of(connection, player)
    whose = None if plainly else number
    beliefs, contests = queries.just_before(connection, revision, found, whose)
    shown = partial(view.rules.shown, view.system)
    return podium.explain(beliefs, contests, player, shown=shown)


def is_recalled(view, contest: str, player: str) -> bool:
    connection = view._connection
    found, number = contest_named(connection, contest), players.number_of(connection, player)
    return recalled(connection, view._revision, found, number) is not None


def some_of(results: podium.Contests, data: st.DataObject) -> list[tuple[str, str]]:
    """A few results: contest and player."""
    every = results.frame().select("contest", "player").rows()
    return data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=4, unique=True))


@pytest.mark.parametrize("name", [*SYSTEMS, *WHOLE])
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_explanations_are_those_of_a_complete_fold(tmp_path_factory, name, data):
    system = made(name)
    ids = data.draw(st.lists(st.integers(1, 40), min_size=3, max_size=12, unique=True))
    games = [data.draw(KINDS["contests"](f"round-{number}")) for number in ids]
    results = as_contests(games)
    where = tmp_path_factory.mktemp("leagues") / "league.db"
    with League.create(where, system) as league:
        league.record(results)
        with league.snapshot() as view:
            for contest, player in some_of(results, data):
                plain = podium.explain_result(results, contest, player, system)
                assert everything(view.explain(contest, player)) == everything(plain)
                quick = explained(view, contest, player, plainly=False)
                slow = explained(view, contest, player, plainly=True)
                assert everything(quick) == everything(slow)
                assert is_recalled(view, contest, player) == (name in SYSTEMS)


@pytest.mark.parametrize("system", ["elo-mmx", "trueskill", "weng-lin"])
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_teams_are_explained_so_too(tmp_path_factory, system, data):
    results = as_contests([data.draw(KINDS["teams"](f"round-{number}")) for number in range(6)])
    with League.create(tmp_path_factory.mktemp("leagues") / "league.db", system) as league:
        league.record(results)
        with league.snapshot() as view:
            for contest, player in some_of(results, data):
                plain = podium.explain_result(results, contest, player, system)
                assert everything(view.explain(contest, player)) == everything(plain)
                quick = explained(view, contest, player, plainly=False)
                slow = explained(view, contest, player, plainly=True)
                assert everything(quick) == everything(slow)
                assert is_recalled(view, contest, player)


def season() -> podium.Contests:
    """Contests of many, some larger than what one kernel takes, with ties and a ceiling."""
    dice = np.random.default_rng(3)
    frames = []
    for number, size in enumerate((40, LARGE + 500, 900, LARGE + 900, 3, LARGE + 200)):
        ranks = np.sort(dice.integers(1, size // 2 + 2, size))
        frames.append(
            pl.DataFrame(
                {
                    "contest": f"round-{number}",
                    "time": number * DAY,
                    "player": [f"p{each}" for each in dice.permutation(LARGE + 1000)[:size]],
                    "rank": 1 + np.searchsorted(ranks, ranks),
                    "weight": 0.5 if number == 2 else 1.0,
                    "perf_ceiling": pl.Series(
                        [1700.0 if number == 3 else None] * size, dtype=pl.Float64
                    ),
                }
            )
        )
    return podium.Contests.from_frame(pl.concat(frames))


@pytest.mark.parametrize(
    ("system", "parameters"),
    [("elo-mmr", {}), ("elo-mmr", {"drift_per_day": 2.0}), ("elo-r", {}), ("codeforces", {})],
)
def test_large_contests_are_explained_so_too(tmp_path, system, parameters):
    results = season()
    with League.create(tmp_path / "league.db", system, **parameters) as league:
        league.record(results)
        with league.snapshot() as view:
            for contest in ("round-3", "round-5"):
                standings = view.contest(contest)["player"]
                for player in (standings[0], standings[2000], standings[-1]):
                    plain = podium.explain_result(results, contest, player, system, **parameters)
                    assert everything(view.explain(contest, player)) == everything(plain)
                    quick = explained(view, contest, player, plainly=False)
                    slow = explained(view, contest, player, plainly=True)
                    assert everything(quick) == everything(slow)
                    assert is_recalled(view, contest, player)


def test_what_other_ranks_would_give_follows_from_the_same(tmp_path):
    results = season()
    with League.create(tmp_path / "league.db") as league:
        league.record(results)
        with league.snapshot() as view:
            found = contest_named(view._connection, "round-5")
            player = view.contest("round-5")["player"][700]
            number = players.number_of(view._connection, player)
            ask = partial(queries.just_before, view._connection, view._revision, found)
            quick, slow = (
                podium.curve(*ask(whose), player, goals=[1600]) for whose in (number, None)
            )
    assert quick.document() == slow.document()


def test_those_who_are_not_eligible_are_left_out(where):
    rows = [
        ("ann", "bob", "cat", "dan"),
        ("dan", "ann", "bob", "cat"),
        ("cat", "dan", "ann", "bob"),
    ]
    with League.create(where, drift_per_day=1.0) as league:
        for number, names in enumerate(rows):
            contest = Game(f"c{number}", number * DAY, tuple(map(Row, names, (1, 2, 3, 4))))
            ceiling = 1400.0 if number else None
            league.record(as_contests([contest]), ceiling=ceiling)
        league.record(as_contests([Game("c3", 2 * DAY, (Row("bob", 1),))]), rated=False)
        with league.snapshot() as view:
            standings = view.contest("c2").filter(pl.col("eligible"))
            assert 2 <= standings.height < 4
            for player in standings["player"]:
                quick = explained(view, "c2", player, plainly=False)
                slow = explained(view, "c2", player, plainly=True)
                assert everything(quick) == everything(slow)
                assert is_recalled(view, "c2", player)


def test_where_what_was_noted_is_not_what_folding_gives_everything_is_folded(tmp_path):
    results = podium.simulate(players=12, rounds=6, seed=2)
    with League.create(tmp_path / "league.db") as league:
        league.record(results)
        player = results[5].players[0]
        with league.snapshot() as view:
            before = everything(explained(view, "round-06", player, plainly=True))
        with league._database.writing() as connection:
            connection.exec_driver_sql("UPDATE events SET mu = mu + 1e-9 WHERE contest_id = 3")
        with league.snapshot() as view:
            assert not is_recalled(view, "round-06", player)
            assert everything(explained(view, "round-06", player, plainly=False)) == before


@pytest.mark.parametrize("name", [*SYSTEMS, *WHOLE])
def test_chances_at_a_date_are_those_of_then(tmp_path, name):
    system = made(name)
    results = podium.simulate(players=12, rounds=8, participation=0.7, seed=4)
    with League.create(tmp_path / "league.db", system) as league:
        league.record(results)
        for number in (0, 3, 7):
            moment = results[number].time
            rated = podium.rate(results[: number + 1], system)
            names = rated.ratings["player"][:4].to_list()
            asked, ids, _ = league._consult(names, moment)
            assert asked.time == rated.beliefs.time == to_microseconds(moment)
            assert asked.rounds == number + 1
            wanted = [rated.beliefs.index[each] for each in names]
            for got, meant in zip(
                asked.system.aged(asked, np.array(ids), to_microseconds(moment) + 10**13),
                asked.system.aged(
                    rated.beliefs, np.array(wanted), to_microseconds(moment) + 10**13
                ),
                strict=True,
            ):
                assert np.array_equal(got, meant, equal_nan=True)
            chance = league.win_probability(names[0], names[1], at=moment)
            assert chance == rated.win_probability(names[0], names[1], at=moment)
