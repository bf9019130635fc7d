import math

import numpy as np
import polars as pl
import pytest

import podium
from podium.evaluation.matches import measures, predictions
from podium.papers.luck.football import LEAST, SYSTEMS, comparison


@pytest.fixture(scope="module")
def matches() -> podium.Contests:
    return podium.simulate_matches(30, 3000, beta=1.0, draws=0.25, side_advantage=0.6, seed=4)


@pytest.fixture(scope="module")
def findings(matches):
    return comparison({"football": matches}, names=["elo"], jobs=1).findings


def test_a_system_is_tuned_on_the_first_tenth_and_scored_on_the_rest(matches, findings):
    row = findings.filter(system="elo").row(0, named=True)
    settings = dict(part.split("=") for part in row["parameters"].split(", "))
    chosen = podium.systems.Elo.parse(settings).parameters
    expected = measures(predictions(matches, "elo", **chosen), skip=300)
    assert row["matches"] == 2700
    assert (row["log_loss"], row["brier"], row["accuracy"]) == pytest.approx(expected[1:])
    tuned = measures(predictions(matches[:300], "elo", **chosen)).log_loss
    for other in ({}, {"k": 60.0}, {"side_advantage": 150.0}):
        assert tuned <= measures(predictions(matches[:300], "elo", **other)).log_loss + 1e-6


def test_constant_forecasts_are_the_floor(matches, findings):
    score = np.where(matches.columns.rank[1::2] == 1, 0.5, 1.0)
    side = matches.columns.side[::2]
    home = (0.5 + side * (score - 0.5))[:300].mean()
    later = (0.5 + side * (score - 0.5))[300:]
    loss = -(later * math.log(home) + (1 - later) * math.log(1 - home)).mean()
    by_name = {row["system"]: row for row in findings.iter_rows(named=True)}
    assert by_name["constant"]["log_loss"] == pytest.approx(math.log(2.0))
    assert by_name["constant"]["accuracy"] == 0.5
    assert by_name["constant by side"]["log_loss"] == pytest.approx(loss)
    assert by_name["constant by side"]["accuracy"] == pytest.approx(later.mean())
    assert findings["system"].to_list() == ["elo", "constant by side", "constant"]


def test_results_without_sides_have_constant_forecasts_too():
    findings = comparison({"football": podium.simulate_matches(10, 200)}, names=[]).findings
    assert findings["log_loss"].to_list() == pytest.approx([math.log(2.0)] * 2)


def test_every_system_takes_part():
    matches = podium.simulate_matches(10, 150, draws=0.2, side_advantage=0.4)
    shown = comparison({"football": matches}, budget=4, jobs=1)
    assert set(shown.findings["system"]) == {*SYSTEMS, "constant", "constant by side"}
    assert np.isfinite(shown.findings["log_loss"].to_numpy()).all()
    labels = [label.get_text() for label in shown.figure.axes[0].get_yticklabels()]
    assert labels == shown.findings["system"].to_list()


def test_too_few_matches_are_refused():
    with pytest.raises(podium.PodiumError, match="matches of two are needed to tune"):
        comparison()
    for few, has in (
        (podium.simulate_matches(10, 10 * LEAST - 1), 9),
        (podium.simulate(5, 200), 0),
    ):
        with pytest.raises(podium.PodiumError, match=f"first tenth of these contests has {has}."):
            comparison({"football": few})


@pytest.mark.slow
def test_in_football_those_who_know_sides_predict_better(football):
    names = ["luck", "elo", "glicko"]
    findings = comparison({"football": football}, names=names, budget=20, jobs=1).findings
    assert findings["system"].to_list()[2:] == ["glicko", "constant by side", "constant"]
    assert findings["log_loss"][1] < 0.58 < findings["log_loss"][2]


def test_results_that_a_system_cannot_take_are_refused_before_anything_is_tuned():
    table = podium.simulate_matches(10, 200, seed=1).frame()
    table = table.with_columns(outcome=pl.when(rank=1).then(0.75).otherwise(0.25))
    contests = podium.Contests.from_frame(table)
    told = []
    with pytest.raises(podium.PodiumError, match=r"has the score 0\.75, but elo takes wins"):
        comparison({"football": contests}, lambda *done: told.append(done))
    assert told == []


def test_a_side_that_only_one_player_states_tells_nothing_of_the_result():
    matches = podium.simulate_matches(30, 2000, beta=1.0, side_advantage=0.6, seed=4)
    table = matches.frame()
    half = table.with_columns(pl.when(pl.col("side") > 0).then("side"))
    whole, partly = (
        comparison(
            {"football": podium.Contests.from_frame(each)}, names=["elo"], budget=3, jobs=1
        ).findings
        for each in (table, half)
    )
    assert whole.equals(partly)
