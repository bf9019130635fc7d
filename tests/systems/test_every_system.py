"""What holds for every rating system, whatever its model: tools never special-case one."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium import Contests, Ladder, systems, testing
from podium.numerics import fields
from tests.strategies import contests, match_lists

EVERY = pytest.mark.parametrize("name", systems.names())
WITH_TEAMS = pytest.mark.parametrize("name", systems.with_teams())
IN_ORDER = {"trueskill": ("names", "order_of_teams")}
"""TrueSkill compares those who tie in pairs, in some order, unless a tie means equality."""
MODELS_OF_PAIRS = [
    *((name, {}) for name in systems.of_any_size()),
    *(("elo", {"curve": curve, "side_advantage": 60.0}) for curve in ("logistic", "normal")),
    ("elo", {"curve": "fide", "cap": 400.0, "side_advantage": -35.0}),
    ("elo-mmr", {"performance": "gaussian"}),
    ("elo-mmx", {"team": "mean"}),
    ("glicko", {"period_days": 30.0}),
    ("trueskill", {"draw_rate": 0.0}),
    ("trueskill", {"draw_rate": 0.6}),
    *(
        ("weng-lin", {"model": model, "contest": contest, "draw_margin": 2.0})
        for model in (
            "bradley-terry-full",
            "bradley-terry-part",
            "thurstone-mosteller-full",
            "thurstone-mosteller-part",
            "plackett-luce",
        )
        for contest in ("mean", "sum")
    ),
]
"""Systems whose formulas for pairs differ."""
IN_TIME = [
    *((name, {}) for name in systems.of_any_size()),
    *(
        (name, {"drift_per_day": 4.0})
        for name in systems.of_any_size()
        if "drift_per_day" in systems.build(name).parameters
    ),
    *((name, {"period_days": days}) for name in ("glicko", "glicko2") for days in (0.5, 2.0)),
]
"""Systems with what lets time change a belief."""


def results(name: str, **limits: int) -> st.SearchStrategy[Contests]:
    """Contests, of two where a system knows no others."""
    if name in systems.of_any_size():
        return contests(**limits)
    return match_lists(scores=True).map(Contests.from_matches)


@EVERY
@pytest.mark.parametrize("check", [name for name in testing.CHECKS if name != "large_contests"])
def test_a_check_holds(name, check):
    exact = check in IN_ORDER.get(name, ())
    system = systems.build(name, **{"draw_rate": 0.0} if exact else {})
    assert testing.failure(check, system) is None


@EVERY
@pytest.mark.slow
def test_twenty_thousand_players_are_rated(name):
    assert testing.failure("large_contests", systems.build(name)) is None


def test_whole_beliefs_spread_with_absence():
    assert testing.failure("absence", systems.Luck(drift_per_day=1e-5)) is None
    assert testing.failure("absence", systems.Glicko(period_days=30.0)) is None


@pytest.mark.parametrize("check", IN_ORDER["trueskill"])
def test_the_order_of_those_who_tie_matters_to_trueskill_alone(check):
    assert testing.failure(check, systems.TrueSkill()) is not None


@EVERY
@settings(max_examples=15)
@given(st.data(), st.integers(0, 5))
def test_batches_and_ladders_give_the_same_to_the_bit(name, data, cut):
    testing.in_batches(systems.build(name), data.draw(results(name)), cut)


@EVERY
@settings(max_examples=10)
@given(match_lists())
def test_matches_are_contests_of_two(name, table):
    testing.in_batches(systems.build(name), Contests.from_matches(table), 3)


@EVERY
@settings(max_examples=10)
@given(st.data(), st.randoms())
def test_names_do_not_matter(name, data, random):
    whole = data.draw(results(name))
    others = [f"x{number}" for number in range(len(whole.players))]
    random.shuffle(others)
    options = {"draw_rate": 0.0} if name in IN_ORDER else {}
    testing.renamed(systems.build(name, **options), whole, others)


@EVERY
@settings(max_examples=10)
@given(st.data(), st.integers(1, 4))
def test_predictions_are_symmetric_and_sum_to_one(name, data, top):
    testing.predicted(systems.build(name), data.draw(results(name, max_contests=8)), top)


def test_draws_become_rarer_with_uncertainty():
    ladder = Ladder("trueskill", drift_per_day=1.0)
    ladder.record(["ann", "bob"], time="2026-01-01")
    late = ladder.draw_probability("ann", "bob", at="2036-01-01")
    assert 0.0 < late < ladder.draw_probability("ann", "bob")


@pytest.mark.parametrize("name", [name for name in systems.names() if name != "atcoder"])
def test_a_heavier_first_contest_counts_more_unless_it_is_all_that_is_in_a_mean(name):
    mu = []
    for weight in (0.01, 1.0, 50.0):
        ladder = Ladder(name)
        ladder.record(["ann", "bob"], weight=weight)
        mu.append(ladder["ann"].mu)
    assert mu[0] < mu[1] < mu[2]


@EVERY
def test_every_system_has_an_example_and_a_reference(name):
    kind = systems.by_name(name)
    module = __import__(kind.__module__, fromlist=["x"])
    assert "Reference" in (module.__doc__ or "")
    assert ">>>" in (module.__doc__ or "")
    assert kind.reference


@WITH_TEAMS
def test_thousands_of_teams_are_rated(name):
    size = 6000
    frame = pl.DataFrame(
        {
            "contest": "league",
            "time": 0,
            "player": [f"p{number}" for number in range(size)],
            "team": [f"t{number // 3}" for number in range(size)],
            "rank": [1 + number // 3 for number in range(size)],
        }
    )
    mu = podium.rate(Contests.from_frame(frame), name).ratings
    assert np.isfinite(mu["mu"].to_numpy()).all()
    assert mu["player"][0] in {"p0", "p1", "p2"}


@pytest.mark.parametrize(
    "name", [n for n in systems.of_any_size() if n not in systems.with_teams()]
)
def test_systems_of_players_refuse_contests_of_teams_and_name_others(name):
    frame = pl.DataFrame(
        {
            "contest": "cup",
            "time": 0,
            "player": ["ann", "bob", "cat", "dan"],
            "team": ["red", "red", "blue", "blue"],
            "rank": [1, 1, 2, 2],
        }
    )
    teams = Contests.from_frame(frame)
    with pytest.raises(podium.PodiumError, match=r"elo-mmx.*rate teams"):
        podium.rate(teams, name)
    assert podium.rate(teams.without_teams(), name).ratings.height == 4


FIELDS = st.integers(1, 6).flatmap(
    lambda pairs: st.lists(
        st.tuples(
            st.floats(-3.0, 3.0) | st.just(0.0),
            st.floats(1e-3, 1.0),
            st.integers(1, 4),
        ),
        min_size=2 * pairs,
        max_size=2 * pairs,
    )
)


@pytest.mark.parametrize(("name", "parameters"), MODELS_OF_PAIRS)
@settings(max_examples=25)
@given(FIELDS, st.data())
def test_many_pairs_are_predicted_as_each_of_them(name, parameters, competitors, data):
    count = len(competitors) // 2
    sides = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=count, max_size=count))
    testing.one_by_one(systems.build(name, **parameters), competitors, sides)


def test_pairs_of_a_model_of_ones_own_are_predicted_as_each_of_them():
    half_pi = math.pi / 2

    def draw(z):
        return -half_pi * math.tanh(half_pi * z)

    def victory(z):
        return half_pi / (2 * math.cosh(half_pi * z) * math.atan(math.exp(half_pi * z)))

    def loss(z):
        return -half_pi / (2 * math.cosh(half_pi * z) * math.atan(math.exp(-half_pi * z)))

    sech = systems.PerformanceModel("sech of pairs", loss, draw, victory)
    rng = np.random.default_rng(2)
    competitors = [(rng.normal(), rng.uniform(0.1, 1.0), 1) for _ in range(20)]
    testing.one_by_one(systems.EloMMR(performance=sech), competitors, [0] * 10)


@given(st.floats(-50.0, 50.0), st.floats(0.1, 10.0), st.floats(0.0, 20.0))
def test_a_draw_within_the_margin_counts_half(lead, deviation, margin):
    found = fields.exceeding_by_margin(*(np.array([x]) for x in (lead, deviation, margin)))[0]
    above = 0.5 * math.erfc((margin - lead) / deviation / math.sqrt(2.0))
    below = 0.5 * math.erfc((margin + lead) / deviation / math.sqrt(2.0))
    assert found == pytest.approx(above + 0.5 * (1.0 - above - below), abs=1e-12)


@pytest.mark.parametrize(("name", "parameters"), IN_TIME)
@settings(max_examples=15)
@given(contests(), st.integers(0, 5))
def test_beliefs_before_are_those_of_the_day_newcomers_having_missed_nothing(
    name, parameters, whole, cut
):
    testing.before_each(systems.build(name, **parameters), whole, cut)


@pytest.mark.parametrize(("name", "parameters"), IN_TIME)
def test_asking_for_beliefs_before_a_season_rates_as_ever(name, parameters):
    played = podium.simulate(players=15, rounds=12, seed=5)
    testing.before_each(systems.build(name, **parameters), played, 5)


def test_who_has_never_played_has_not_been_absent():
    for name in ("trueskill", "elo-mmr", "elo-mmx", "elo-r", "weng-lin", "glicko"):
        ladder = Ladder(name, drift_per_day=4.0)
        ladder.record(["ann", "bob"], time="2026-01-01")
        ladder.beliefs.enrol(["cat"])
        _, sigma = ladder.system.aged(ladder.beliefs, slice(0, 3), ladder.beliefs.time)
        assert sigma[2] == ladder.system.newcomer()["sigma"]


@pytest.mark.parametrize("passing", [{"drift_per_day": 4.0}, {"period_days": 1.0, "drift": 30.0}])
def test_who_has_never_played_has_not_been_absent_below_the_ceiling_of_glicko(passing):
    ladder = Ladder("glicko", sigma_new=100.0, sigma_max=350.0, **passing)
    ladder.record(["ann", "bob"], time="2026-01-01")
    ladder.beliefs.enrol(["cat"])
    later = ladder.beliefs.time + 30 * 86_400_000_000
    _, sigma = ladder.system.aged(ladder.beliefs, slice(0, 3), later)
    assert sigma[2] == 100.0
    assert (sigma[:2] > ladder.beliefs.column("sigma")[:2]).all()


def test_a_backtest_expects_nothing_of_contests_that_are_not_of_two():
    played = podium.simulate(players=4, rounds=6, participation=0.6, seed=2)
    assert set(played.sizes.tolist()) == {2, 3, 4}
    testing.before_each(systems.Elo(), played, 3)
