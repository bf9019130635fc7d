import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.evaluation.matches import Measures, judged, measures, predictions
from podium.evaluation.measures import log_loss

SYSTEMS = [
    ("elo", {"k": 40, "side_advantage": 60}),
    ("glicko", {}),
    ("glicko", {"drift_per_day": 300}),
    ("glicko", {"period_days": 10}),
    ("glicko2", {}),
    ("glicko2", {"period_days": 10}),
    ("trueskill", {"draw_rate": 0.2}),
    ("trueskill", {"drift_per_day": 0.5}),
    ("weng-lin", {"model": "thurstone-mosteller-full", "draw_margin": 1.0}),
    ("elo-mmr", {}),
    ("luck", {"points": 241, "side_advantage": 0.4}),
    ("luck", {"points": 241, "drift_per_day": 0.002}),
    ("luck", {"points": 241, "period_days": 10.0, "drift_per_day": 0.002}),
    ("luck", {"points": 241, "algorithm": "fft", "side_advantage": 0.4}),
    ("luck", {"points": 241, "algorithm": "fft", "period_days": 10.0}),
]


@pytest.fixture(scope="module")
def matches() -> podium.Contests:
    return podium.simulate_matches(12, 150, draws=0.3, side_advantage=0.4, days_between=1.7, seed=8)


def one_by_one(contests, name, parameters):
    """The expected score of the first of every match, asked of a ladder before it is recorded."""
    ladder = podium.Ladder(name, **parameters)
    for number, contest in enumerate(contests):
        a, b = contest.players
        for newcomer in {a, b} - set(ladder.beliefs.names):
            ladder.beliefs.enrol([newcomer])
        home = None
        if contests.columns.side is not None:
            home = a if contests.columns.side[2 * number] > 0 else b
        side = {a: "home", b: "away", None: None}[home]
        win = ladder.win_probability(a, b, at=contest.time, side=side)
        draw = ladder.draw_probability(a, b, at=contest.time, side=side)
        yield win + 0.5 * draw, ladder[a].mu, ladder[b].mu
        drawn = contest.rank[0] == contest.rank[1]
        ladder.record([(a, b)] if drawn else [a, b], time=contest.time, home=home)


@pytest.mark.parametrize(("name", "parameters"), SYSTEMS)
def test_every_match_is_predicted_from_what_was_believed_before_it(matches, name, parameters):
    table = predictions(matches, name, **parameters)
    expected, mu_a, mu_b = np.array(list(one_by_one(matches, name, parameters))).T
    assert table["expected"].to_numpy() == pytest.approx(expected, abs=1e-12)
    assert table["mu_a"].to_numpy() == pytest.approx(mu_a, abs=1e-9)
    assert table["mu_b"].to_numpy() == pytest.approx(mu_b, abs=1e-9)


@pytest.mark.parametrize(("name", "parameters"), SYSTEMS)
def test_a_backtest_leaves_the_beliefs_that_rating_leaves(matches, name, parameters):
    system = podium.system(name, **parameters)
    rated = podium.rate(matches, system)
    beliefs = podium.Beliefs(system)
    ids = beliefs.enrol(matches.players.to_list())
    columns = matches.columns._replace(player=ids[matches.columns.player])
    events = np.empty((5, matches.rows))
    system.backtest(beliefs, columns, events)
    after = dict(zip(beliefs.names, beliefs.column("mu"), strict=True))
    assert after == dict(rated.ratings.select("player", "mu").iter_rows())
    assert np.array_equal(events[3], rated.history["mu"].to_numpy())


def test_the_table_tells_who_played_whom_and_how_it_went(matches):
    table = predictions(matches, "glicko")
    assert table.height == len(matches)
    for row, contest in zip(table.iter_rows(named=True), matches, strict=True):
        assert [row["player_a"], row["player_b"]] == contest.players
        assert (row["contest"], row["time"]) == (contest.id, contest.time)
        assert row["score"] == (0.5 if contest.rank[1] == 1 else 1.0)


def test_a_score_between_win_and_draw_counts_as_it_is(matches):
    given = np.full(len(matches), np.nan)
    given[3] = 0.75
    columns = matches.columns._replace(score=given)
    table = predictions(
        podium.Contests(matches.parts._replace(columns=columns)), "luck", points=241
    )
    by_rank = predictions(matches, "luck", points=241)
    assert table["score"][3] == 0.75
    assert table["score"].to_list()[:3] == by_rank["score"].to_list()[:3]
    p = table["expected"][3]
    assert p == by_rank["expected"][3]
    assert table["log_loss"][3] == pytest.approx(-0.75 * math.log(p) - 0.25 * math.log(1 - p))
    assert table["brier"][3] == pytest.approx((0.75 - p) ** 2)


def test_losses_are_those_of_plain_loops(matches):
    table = predictions(matches, "trueskill", draw_rate=0.2)
    for row in table.iter_rows(named=True):
        theta, p = row["score"], row["expected"]
        loss = -theta * math.log(p) - (1 - theta) * math.log(1 - p)
        assert row["log_loss"] == pytest.approx(loss, rel=1e-12)
        assert row["brier"] == (theta - p) ** 2
        favourite_won = float(p > 0.5) if theta == 1.0 else 0.5
        assert row["right"] == (favourite_won if p != 0.5 else 0.5)
    means = measures(table, skip=50)
    assert means.matches == 100
    for mean, column in zip(means[1:], ("log_loss", "brier", "right"), strict=True):
        assert mean == pytest.approx(sum(table[column].to_list()[50:]) / 100, rel=1e-12)


def test_a_match_by_hand():
    contests = podium.Contests.from_records(
        [
            {"contest": "1", "time": 0, "player": "ann", "rank": 1},
            {"contest": "1", "time": 0, "player": "bob", "rank": 2},
            {"contest": "2", "time": 1, "player": "bob", "rank": 1},
            {"contest": "2", "time": 1, "player": "ann", "rank": 2},
            {"contest": "3", "time": 2, "player": "bob", "rank": 1},
            {"contest": "3", "time": 2, "player": "ann", "rank": 1},
        ]
    )
    table = predictions(contests, "elo", k=400)
    assert table["expected"].to_list()[:2] == pytest.approx([0.5, 1 / 11])
    assert table["log_loss"].to_list()[:2] == pytest.approx([math.log(2), math.log(11)])
    assert table["brier"].to_list()[:2] == pytest.approx([0.25, (10 / 11) ** 2])
    assert table["right"].to_list() == [0.5, 0.0, 0.5]
    assert table["player_a"].to_list() == ["ann", "bob", "ann"]
    assert table["score"].to_list() == [1.0, 1.0, 0.5]
    assert table["sigma_a"].null_count() == 3


def test_the_favourite_is_judged_whoever_of_the_two_comes_first():
    score = np.array([1.0, 1.0, 0.0, 0.0, 0.5, 1.0])
    expected = np.array([0.7, 0.3, 0.3, 0.7, 0.9, 0.5])
    assert judged(score, expected)["right"].tolist() == [1.0, 0.0, 1.0, 0.0, 0.5, 0.5]


def test_what_was_impossible_costs_infinitely_much_and_is_kept():
    score, expected = np.array([1.0, 0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0, 1.0])
    assert log_loss(score, expected).tolist() == [math.inf, math.inf, math.inf, 0.0]
    assert measures(pl.DataFrame(judged(score, expected))).log_loss == math.inf


@given(st.floats(0.01, 0.99), st.floats(0.0, 1.0))
def test_the_loss_is_least_where_the_expected_score_is_the_score(p, theta):
    theta_hat = np.array([min(max(theta, 1e-9), 1.0 - 1e-9)])
    assert (
        log_loss(np.array([theta]), theta_hat)[0]
        <= log_loss(np.array([theta]), np.array([p]))[0] + 1e-7
    )


def test_contests_that_are_not_of_two_are_rated_and_left_out():
    crowd = podium.simulate(players=5, rounds=3, seed=1, start="2025-01-01")
    matches = podium.simulate_matches(5, 10, seed=1)
    table = predictions(podium.Contests.concat([crowd, matches]), "glicko")
    assert table["contest"].to_list() == matches.ids.to_list()
    started = podium.rate(crowd, "glicko").beliefs
    later = predictions(matches, beliefs=started, system="glicko")
    assert later.equals(table)
    assert started.rounds == 3


def test_two_members_of_one_team_have_no_match():
    records = [
        {"contest": "1", "time": 0, "player": "ann", "rank": 1, "team": "red"},
        {"contest": "1", "time": 0, "player": "bob", "rank": 1, "team": "red"},
        {"contest": "2", "time": 1, "player": "ann", "rank": 1, "team": "red"},
        {"contest": "2", "time": 1, "player": "cat", "rank": 2, "team": "blue"},
        {"contest": "3", "time": 2, "player": "ann", "rank": 1, "team": None},
        {"contest": "3", "time": 2, "player": "cat", "rank": 2, "team": None},
    ]
    table = predictions(podium.Contests.from_records(records), "trueskill")
    assert table["contest"].to_list() == ["2", "3"]


def test_only_matches_of_two_who_are_known_well_pass_the_filter():
    columns = {"log_loss": [1.0, 2.0, 4.0], "brier": [0.1, 0.2, 0.4], "right": [1.0, 0.0, 0.5]}
    known = pl.DataFrame({**columns, "sigma_a": [69.9, 80.0, 10.0], "sigma_b": [10.0, 10.0, 70.0]})
    assert measures(known, sigma_below=70) == Measures(1, 1.0, 0.1, 1.0)
    assert measures(known, sigma_below=70.1).matches == 2
    unknown = pl.DataFrame(
        {**columns, "sigma_a": [None] * 3, "sigma_b": [None] * 3},
        schema_overrides={"sigma_a": pl.Float64, "sigma_b": pl.Float64},
    )
    assert measures(unknown, sigma_below=70).matches == 3


def test_no_matches_have_no_mean():
    table = predictions(podium.simulate_matches(4, 6), "elo")
    assert measures(table, skip=6).matches == 0
    assert math.isnan(measures(table, skip=6).log_loss)


def test_skipping_comes_before_the_filter():
    table = predictions(podium.simulate_matches(3, 200), "glicko")
    late = measures(table[100:], sigma_below=90)
    assert measures(table, sigma_below=90, skip=100) == late


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"skip": -1}, "skip must be a whole number of at least 0, not -1."),
        ({"skip": 1.5}, "skip must be a whole number of at least 0, not 1.5."),
        (
            {"sigma_below": -1},
            "sigma_below must be a finite number of at least 0, not -1.",
        ),
        (
            {"sigma_below": "70"},
            "sigma_below must be a finite number of at least 0, not '70'.",
        ),
    ],
)
def test_a_wrong_argument_is_one_sentence(options, sentence):
    table = predictions(podium.simulate_matches(4, 6), "elo")
    with pytest.raises(podium.PodiumError) as refused:
        measures(table, **options)
    assert str(refused.value) == sentence


def test_what_cannot_be_rated_cannot_be_predicted():
    with pytest.raises(podium.PodiumError, match="contests are needed, not list"):
        predictions([])
    with pytest.raises(podium.PodiumError, match="there is no system 'elle'"):
        predictions(podium.simulate_matches(4, 6), "elle")
