"""Pulls balance at the performance, and say what each opponent was worth."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from tests.ratings.explanations.seasons import (
    BY_PULLS,
    EVERY,
    SECH,
    explained,
    last_of_season,
    standings,
    with_skills,
)


@pytest.mark.parametrize(("name", "options"), BY_PULLS)
@settings(max_examples=12)
@given(st.data())
def test_pulls_add_up_to_nothing_at_the_performance(name, options, data):
    found = explained(data, name, options)
    if found.competitors == 1:
        assert found.own_pull is None
        assert found.performance is None
    else:
        assert found.opponents["pull"].sum() + found.own_pull == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("split", [False, True])
def test_pulls_balance_under_a_model_of_ones_own(split):
    season = podium.simulate(players=12, rounds=6, ties=0.3, seed=4)
    options = {"performance": SECH, "split_ties": split}
    beliefs, contest = last_of_season(season, "elo-mmr", options)
    for player in contest[0].players:
        found = podium.explain(beliefs, contest, player)
        assert found.opponents["pull"].sum() + found.own_pull == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("name", "options"), [("elo-mmr", {}), ("elo-mmx", {}), ("elo-r", {})])
def test_a_pull_is_about_what_the_performance_would_lack_without_the_opponent(name, options):
    season = podium.simulate(players=80, rounds=10, seed=5)
    beliefs, contest = last_of_season(season, name, options)
    found = podium.explain(beliefs, contest, contest[0].players[30])
    for opponent in (found.up.few[0], found.down.few[0]):
        rest = contest.frame().filter(pl.col("player") != opponent["player"])
        without = podium.explain(
            beliefs, podium.Contests.from_frame(rest, rerank=True), found.player
        )
        lost = found.performance - without.performance
        assert lost == pytest.approx(opponent["pull"], rel=0.15)


def test_those_behind_pull_up_and_those_ahead_pull_down():
    skills = {"ann": 1500.0, "strong": 2200.0, "weak": 900.0, "mighty": 2300.0, "poor": 800.0}
    beliefs = with_skills("elo-mmr", skills)
    found = podium.explain(beliefs, standings("weak", "mighty", "ann", "strong", "poor"), "ann")
    assert [each["player"] for each in found.up.few] == ["strong", "poor"]
    assert [each["player"] for each in found.down.few] == ["weak", "mighty"]
    assert found.up.few[0]["pull"] > found.up.few[1]["pull"] > 0.0
    assert found.up.others == 0


def test_the_rest_is_summed_up():
    season = podium.simulate(players=60, rounds=4, seed=6)
    beliefs, contest = last_of_season(season, "elo-mmr", {})
    found = podium.explain(beliefs, contest, contest[0].players[20])
    assert found.up.others == 39 - 3
    assert found.down.others == 20 - 3
    total = sum(
        sum(each["pull"] for each in side.few) + side.others_sum for side in (found.up, found.down)
    )
    assert total == pytest.approx(-found.own_pull)


@pytest.mark.parametrize("rounds", [2, 5, 20])
def test_with_a_ceiling_the_pulls_are_those_at_the_performance_without_it(rounds):
    table = podium.simulate(players=10, rounds=rounds, seed=rounds).frame()
    capped = podium.Contests.from_frame(table.with_columns(perf_ceiling=pl.lit(1400.0)))
    beliefs, contest = last_of_season(capped, "elo-mmr", {})
    found = podium.explain(beliefs, contest, contest[0].players[0])
    assert found.performance == 1400.0
    assert found.without_ceiling > 1400.0
    assert found.opponents["pull"].sum() + found.own_pull == pytest.approx(0.0, abs=1e-6)


def test_teams_are_compared_with_teams():
    rows = [
        ("one", 0, player, team, rank)
        for team, rank, players in (("red", 1, "ab"), ("blue", 2, "cd"), ("green", 3, "ef"))
        for player in players
    ]
    rows += [("two", 1, "a", "x", 1), ("two", 1, "c", "x", 1), ("two", 1, "b", None, 2)]
    cup = podium.Contests.from_records(
        [
            dict(zip(("contest", "time", "player", "team", "rank"), row, strict=True))
            | {"share": s}
            for row, s in zip(rows, [1, 0.5, 1, 1, 0.2, 1, 1, 0.7, 1], strict=True)
        ]
    )
    found = podium.explain_result(cup, "two", "a", "elo-mmx")
    assert found.team == "x"
    assert found.opponents["player"].to_list() == ["b"]
    assert found.opponents["pull"].sum() + found.own_pull == pytest.approx(0.0, abs=1e-6)
    both = podium.explain_result(cup, "one", "c", "elo-mmx", team="sum")
    assert both.opponents["player"].to_list() == ["red (a, b)", "green (e, f)"]
    assert both.opponents["rating"].null_count() == 2
    assert both.opponents["pull"].sum() + both.own_pull == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("name", "options"), EVERY)
@settings(max_examples=10)
@given(st.data())
def test_scores_are_compared_with_what_was_expected(name, options, data):
    found = explained(data, name, options)
    opponents = found.opponents
    assert opponents.height == found.competitors - 1
    assert opponents["expected"].is_between(0.0, 1.0).all()
    assert np.allclose(opponents["surprise"], opponents["score"] - opponents["expected"])
    assert 1.0 <= found.expected_rank <= found.competitors


@pytest.mark.parametrize("name", podium.systems.names())
def test_what_is_expected_of_two_is_what_is_predicted(name):
    matches = podium.simulate_matches(players=6, matches=60, side_advantage=0.5, seed=8)
    options = {"side_advantage": 0.5 if name == "luck" else 80.0}
    system = podium.system(name, **(options if name in ("luck", "elo") else {}))
    number = len(matches) - 1
    match = matches[number]
    found = podium.explain_result(matches, match.id, match.players[0], system)
    ladder = podium.Ladder.from_beliefs(podium.rate(matches[:number], system).beliefs)
    side = {1: "home", -1: "away", 0: None}[int(matches.columns.side[2 * number])]
    ask = {"at": match.time, "side": side}
    expected = ladder.win_probability(*match.players, **ask)
    expected += 0.5 * ladder.draw_probability(*match.players, **ask)
    assert found.expected_score == pytest.approx(expected, abs=1e-9)


def test_a_result_on_a_real_contest_balances(codeforces):
    season = codeforces[:301]
    beliefs = podium.rate(season[:300], history=False).beliefs
    contest = season[300:]
    happened = podium.rate(contest, beliefs=beliefs).history
    players = contest[0].players
    for player in (players[0], players[len(players) // 2], players[-1]):
        found = podium.explain(beliefs, contest, player)
        row = happened.row(by_predicate=pl.col("player") == player, named=True)
        assert found.performance == row["performance"]
        assert found.change.mu == row["mu"]
        assert found.opponents["pull"].sum() + found.own_pull == pytest.approx(0.0, abs=1e-6)
        rows = found.average.performances
        mean = found.average.base * found.average.base_share
        mean += (rows["performance"] * rows["share"]).sum()
        assert mean == pytest.approx(found.change.mu, abs=1e-9)
        assert found.limits.lowest <= found.change.mu <= found.limits.highest


def test_the_papers_shortcut_is_explained_by_expectations():
    season = podium.simulate(players=30, rounds=5, seed=2)
    beliefs, contest = last_of_season(season, "elo-mmr", {"opponents": 5})
    found = podium.explain(beliefs, contest, contest[0].players[3])
    assert found.measure == "surprise"
    assert found.own_pull is None
    assert found.average is not None
