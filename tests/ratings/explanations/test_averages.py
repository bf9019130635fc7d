"""The new rating is the average that it is said to be."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from tests.ratings.explanations.seasons import (
    EVERY,
    LATER,
    SECH,
    explained,
    last_of_season,
    standings,
)

AVERAGING = [
    (name, options)
    for name, options in EVERY
    if name not in ("weng-lin", "glicko", "glicko2", "elo", "luck")
]


def mean_of(average) -> float:
    rows = average.performances
    mean = average.base * average.base_share + (rows["performance"] * rows["share"]).sum()
    return mean + average.correction


@pytest.mark.parametrize(("name", "options"), AVERAGING)
@settings(max_examples=12)
@given(st.data())
def test_weighted_performances_average_to_the_rating(name, options, data):
    found = explained(data, name, options)
    average = found.average
    if average is None:
        stays = name == "trueskill" and found.performance == pytest.approx(found.change.mu_before)
        assert found.competitors == 1 or stays
        return
    assert mean_of(average) == pytest.approx(found.change.mu, abs=1e-9)
    rows = average.performances
    assert average.base_share + rows["share"].sum() == pytest.approx(1.0, abs=1e-12)
    assert (rows["share"] > 0.0).all()
    assert rows["ago"].to_list() == list(range(rows.height))[::-1]
    if found.team is None:
        assert rows["performance"][-1] == pytest.approx(found.performance, abs=1e-9)


@pytest.mark.parametrize("name", ["weng-lin", "glicko", "glicko2", "elo", "luck"])
@settings(max_examples=5)
@given(st.data())
def test_systems_without_performances_say_so(name, data):
    found = explained(data, name, {})
    assert found.average is None
    if found.competitors > 1:
        assert f"Past performances: {name} keeps none." in found.text(10_000)


def test_the_weights_are_those_of_equation_7():
    ladder = podium.Ladder("elo-mmr")
    ladder.record(["ann", "bob", "cat"], time=0)
    found = podium.explain(ladder.beliefs, standings("bob", "ann", "cat"), "ann")
    ladder.record(["bob", "ann", "cat"], time=86_400 * LATER)
    record = ladder.beliefs.table[ladder.beliefs.index["ann"]]
    mu, beta = ladder["ann"].mu, math.sqrt(6.0) * 80.0
    rows = found.average.performances.to_dicts()
    weights = [float(record["w0"])]
    for row, age in zip(rows, (1, 0), strict=True):
        kappa = 1.0 / (1.0 + 0.2 * 80.0**2 / (1.0 / (1.0 / (350.0**2 + 1280.0) + 1.0 / beta**2)))
        w = (kappa**2 if age else 1.0) / beta**2
        bar = math.sqrt(3.0) / math.pi * beta
        away = mu - row["performance"]
        weights.append(w * beta**2 / bar * math.tanh(away / (2.0 * bar)) / away)
    shares = [found.average.base_share, *(row["share"] for row in rows)]
    assert shares == pytest.approx([weight / sum(weights) for weight in weights], rel=1e-9)


def test_an_outlier_counts_less_than_its_age_gives_it():
    season = podium.simulate(players=100, rounds=12, seed=9)
    beliefs, contest = last_of_season(season, "elo-mmr", {})
    best, *others = contest[0].players
    fluke = podium.explain(beliefs, standings(*others, best), best)
    this = fluke.average.performances.row(-1, named=True)
    assert this["share"] < 0.6 * this["plain_share"]
    assert f"in this contest for {this['share']:.1%} instead of" in fluke.text(10_000)


def test_weights_of_a_model_of_ones_own():
    season = podium.simulate(players=8, rounds=6, seed=4)
    beliefs, contest = last_of_season(season, "elo-mmr", {"performance": SECH})
    found = podium.explain(beliefs, contest, contest[0].players[2])
    assert found.average.performances.height == 6
    assert mean_of(found.average) == pytest.approx(found.change.mu, abs=1e-7)
    assert "'sech'" in found.text(10_000)


def test_past_performances_are_called_by_their_contests():
    season = podium.simulate(players=10, rounds=6, participation=0.7, seed=1)
    player = season[5].players[0]
    found = podium.explain_result(season, season[5].id, player)
    theirs = [contest.id for contest in season if player in contest.players][:-1]
    assert found.average.performances["contest"].to_list() == [*theirs, None]
    history = podium.rate(season).history_of(player)["performance"]
    assert found.average.performances["performance"].to_list() == pytest.approx(history.to_list())
