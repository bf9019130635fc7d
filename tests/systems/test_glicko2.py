"""Glicko-2: against plain code, the published example and the package; volatility, and its abuse.

What it shares with Glicko is tested in `test_glicko`.
"""

import math

import numpy as np
import pytest
from glicko2 import Player as Packaged
from hypothesis import example, given, settings
from hypothesis import strategies as st

import podium
from podium.numerics.glicko2 import new_volatility
from podium.systems import Glicko2
from tests.systems import plain_glicko as plain
from tests.systems.pairwise_seasons import DAY, flattened, play, seasons, settled

SCALE = 400.0 / math.log(10.0)
EXAMPLE = {
    "player": {"mu": 1500.0, "sigma": 200.0},
    "first": {"mu": 1400.0, "sigma": 30.0},
    "second": {"mu": 1550.0, "sigma": 100.0},
    "third": {"mu": 1700.0, "sigma": 300.0},
}


def volatility(ladder, name):
    return float(ladder.beliefs.table["volatility"][ladder.beliefs.index[name]])


def test_glickmans_example_of_one_rating_period():
    """He computes with four digits: 1500 - 173.7178 * 0.2069 = 1464.06."""
    ladder = settled(Glicko2(period_days=30), EXAMPLE)
    ladder.record(["player", "first"], time=0)
    ladder.record(["second", "player"], time=DAY)
    ladder.record(["third", "player"], time=2 * DAY)
    mu, phi = (ladder["player"].mu - 1500.0) / SCALE, ladder["player"].sigma / SCALE
    assert (round(mu, 4), round(phi, 4)) == (-0.2069, 0.8722)
    assert round(1500.0 + 173.7178 * round(mu, 4), 2) == 1464.06
    assert round(ladder["player"].sigma, 2) == 151.52
    assert math.floor(volatility(ladder, "player") * 1e5) / 1e5 == 0.05999
    assert ladder["player"].mu == pytest.approx(1464.06, abs=0.01)


@given(
    season=seasons(),
    period=st.sampled_from([0.0, 0.0, 0.5, 7.0, 30.0, 365.0]),
    contest=st.sampled_from(["mean", "sum"]),
    per_day=st.sampled_from([0.0, 20.0]),
    floor=st.sampled_from([0.0, 120.0]),
    tau=st.sampled_from([0.3, 0.5, 1.2]),
)
@settings(max_examples=150, deadline=None)
def test_streamed_periods_agree_with_matches_grouped_by_period(
    season, period, contest, per_day, floor, tau
):
    options = {
        "period_days": period,
        "contest": contest,
        "sigma_min": floor,
        "drift_per_day": 0.0 if period else per_day,
        "tau": tau,
    }
    ladder = play(season, Glicko2(**options))
    model = plain.Glicko(**options).play(
        [(*flattened(standings), day, weight) for standings, day, weight in season]
    )
    for name, player in model.shown.items():
        assert ladder[name].mu == pytest.approx(player.mu, abs=1e-7)
        assert ladder[name].sigma == pytest.approx(player.sigma, rel=1e-9)
        assert volatility(ladder, name) == pytest.approx(player.volatility, rel=1e-9)


class Corrected(Packaged):
    """The package with its one defect removed.

    Its function f takes the square of the rating where Glickman has the square of the rating
    deviation, so that its volatilities depend on where the scale has its origin.
    """

    def _f(self, x, delta, v, a):
        ex = math.exp(x)
        phi2 = (self.rd / 173.7178) ** 2
        upper = ex * (delta**2 - phi2 - v - ex)
        return upper / (2.0 * (phi2 + v + ex) ** 2) - (x - a) / self._tau**2


def period_results():
    """Rating, deviation, volatility of a player, and rating, deviation, score of opponents."""
    rating, deviation = st.floats(800.0, 2200.0), st.floats(30.0, 350.0)
    games = st.lists(
        st.tuples(rating, deviation, st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=8
    )
    return st.tuples(rating, deviation, st.floats(0.03, 0.12), games)


def played(system, player, games):
    """The player after one period of these games, in a ladder."""
    mu, sigma, vol = player
    opponents = {f"o{n}": {"mu": r, "sigma": d} for n, (r, d, _) in enumerate(games)}
    ladder = settled(system, {"p": {"mu": mu, "sigma": sigma, "volatility": vol}, **opponents})
    for number, (_, _, score) in enumerate(games):
        other = f"o{number}"
        ladder.record([("p", other)] if score == 0.5 else ["p", other] if score else [other, "p"])
    return ladder


@given(period_results())
@settings(max_examples=150, deadline=None)
def test_random_periods_agree_with_the_package_once_it_is_corrected(results):
    """To its scale, rounded to 173.7178, and to its tolerance of 1e-6 in ln σ²."""
    *player, games = results
    theirs = Corrected(*player)
    theirs.update_player(*map(list, zip(*games, strict=True)))
    ladder = played(Glicko2(period_days=1, sigma_max=math.inf), player, games)
    assert ladder["p"].mu == pytest.approx(theirs.rating, abs=1e-3)
    assert ladder["p"].sigma == pytest.approx(theirs.rd, rel=1e-6)
    assert volatility(ladder, "p") == pytest.approx(theirs.vol, rel=2e-6)


def test_the_package_as_it_is_depends_on_the_origin_of_the_scale():
    found = []
    for shift in (0.0, 1000.0):
        player = Packaged(1500.0 + shift, 60.0, 0.06)
        player.update_player([1500.0 + shift] * 10, [60.0] * 10, [0.0] * 10)
        found.append(player.vol)
        theirs = Corrected(1500.0 + shift, 60.0, 0.06)
        theirs.update_player([1500.0 + shift] * 10, [60.0] * 10, [0.0] * 10)
        ladder = played(
            Glicko2(period_days=1), (1500.0 + shift, 60.0, 0.06), [(1500.0 + shift, 60.0, 0.0)] * 10
        )
        assert volatility(ladder, "p") == pytest.approx(theirs.vol, rel=2e-6)
        assert abs(player.vol - theirs.vol) > 1e-5
    assert abs(found[0] - found[1]) > 1e-4


def test_a_player_who_does_not_compete_is_less_certain_as_in_the_package():
    system = Glicko2(period_days=10)
    ladder = played(system, (1600.0, 60.0, 0.09), [(1500.0, 80.0, 1.0)])
    theirs = Corrected(ladder["p"].mu, ladder["p"].sigma, volatility(ladder, "p"))
    for periods in range(1, 40):
        theirs.did_not_compete()
        time = int((10 * (periods + 1) + 1) * DAY * 1e6)
        sigma = system.aged(ladder.beliefs, np.array([0]), time)[1]
        assert sigma == pytest.approx(theirs.rd, rel=1e-7)
    assert theirs.rd > 100.0


def balance(y, phi2, information, gradient, sigma, tau):
    """τ² f at a + y, with v and Δ written as 1/I and D/I."""
    u = sigma**2 * np.exp(y)
    w = 1.0 + information * (phi2 + u)
    return 0.5 * tau**2 * u * (gradient**2 / w**2 - information / w) - y


magnitudes = st.one_of(st.floats(1e-30, 1e-3), st.floats(1e-3, 1e5))


@given(
    phi2=st.floats(1e-8, 1e3),
    information=st.one_of(st.just(0.0), magnitudes),
    gradient=st.one_of(st.just(0.0), magnitudes, st.floats(-1e8, 1e8)),
    sigma=st.floats(1e-6, 1.0),
    tau=st.floats(0.0, 10.0),
)
@example(phi2=0.04, information=1e-25, gradient=1.0, sigma=0.06, tau=0.5)
@example(phi2=0.04, information=1e-3, gradient=100.0, sigma=0.06, tau=0.5)
@example(phi2=0.04, information=0.0, gradient=28.5, sigma=0.06, tau=0.5)
@example(phi2=0.04, information=0.0, gradient=28.7, sigma=0.06, tau=0.5)
@example(phi2=0.00390625, information=50.0, gradient=0.0, sigma=1.0, tau=6.0)
@settings(max_examples=400, deadline=None)
def test_the_new_volatility_is_the_first_zero_that_the_old_one_meets(
    phi2, information, gradient, sigma, tau
):
    """Nothing between the old and the new one is a zero, however extreme the results."""
    most = 1.0
    new = new_volatility(phi2, information, gradient, sigma, tau, most)
    assert 0.0 < new <= most
    y = 2.0 * math.log(new / sigma)
    arguments = (phi2, information, gradient, sigma, tau)
    way = np.linspace(0.0, y, 4001)[:-1]
    rounding = 1e-9 * (1.0 + abs(y))
    if y > 0.0 or new == most:
        assert (balance(way, *arguments) > -rounding).all()
    else:
        assert (balance(way, *arguments) < rounding).all()
    if new < most * (1.0 - 1e-12):
        after = balance(np.array([y - 1e-6, y + 1e-6]), *arguments)
        assert after[0] > 0.0 > after[1] or np.abs(after).max() < 1e-5


@given(
    phi=st.floats(0.1, 2.5),
    games=st.integers(1, 20),
    share=st.floats(0.05, 0.25),
    surprise=st.floats(-1.0, 1.0),
    sigma=st.floats(0.02, 0.2),
    tau=st.floats(0.2, 1.2),
)
@settings(max_examples=200, deadline=None)
def test_after_ordinary_results_it_is_the_one_of_the_published_iteration(
    phi, games, share, surprise, sigma, tau
):
    information, gradient = games * share, games * surprise * share
    delta, v = gradient / information, 1.0 / information
    published = plain.illinois(phi, v, delta, sigma, tau)
    found = new_volatility(phi * phi, information, gradient, sigma, tau, 10.0)
    assert found == pytest.approx(published, rel=1e-9)


@pytest.mark.parametrize("gap", [0.0, 800.0, 3000.0, 10_000.0])
@pytest.mark.parametrize("games", [1, 5, 15])
@pytest.mark.parametrize("tau", [0.5, 1.0])
def test_upsets_of_any_size_have_the_volatility_of_the_published_iteration(gap, games, tau):
    """Which finds the first of three zeros, too, where it can compute with 1 / information."""
    g, expected = plain.g(30.0), plain.expected(1500.0 + gap, 1500.0, 30.0)
    odds = math.exp(-g * gap / SCALE)
    information = games * g**2 * odds / (1.0 + odds) ** 2
    gradient = -games * g * expected
    published = plain.illinois(0.2, 1.0 / information, gradient / information, 0.06, tau)
    found = new_volatility(0.04, information, gradient, 0.06, tau, 1e30)
    assert found == pytest.approx(published, rel=1e-9)


def test_without_a_limit_one_more_defeat_lets_the_volatility_leap():
    """Fourteen or fifteen defeats by players rated 800 points lower, with a tau of 1."""
    player, games = (2300.0, 50.0, 0.06), [(1500.0, 50.0, 0.0)]
    unlimited = Glicko2(period_days=1, tau=1.0, volatility_max=100.0)
    calm = volatility(played(unlimited, player, games * 14), "p")
    leap = volatility(played(unlimited, player, games * 15), "p")
    assert calm < 0.1
    assert leap * SCALE > 3000.0
    limited = played(Glicko2(period_days=1, tau=1.0), player, games * 15)
    assert volatility(limited, "p") == 1.0


@pytest.mark.parametrize("games", [1, 15, 1000])
@pytest.mark.parametrize("gap", [0.0, 800.0, 10_000.0])
def test_the_volatility_never_exceeds_its_limit(games, gap):
    ladder = played(
        Glicko2(period_days=1, volatility_max=0.1), (1500.0 + gap, 50.0, 0.06),
        [(1500.0, 50.0, 0.0)] * games,
    )  # fmt: skip
    assert volatility(ladder, "p") <= 0.1
    assert math.isfinite(ladder["p"].mu)


def test_without_tau_the_volatility_stays():
    ladder = podium.Ladder("glicko2", tau=0.0)
    for _ in range(20):
        ladder.record(["ann", "bob"])
        ladder.record([("bob", "cat", "ann")])
    assert set(ladder.beliefs.column("volatility")) == {0.06}


def test_erratic_results_raise_the_volatility_and_steady_ones_lower_it():
    steady, erratic = [], []
    for scores, found in (([1.0, 0.0] * 8, steady), ([1.0] * 16, erratic)):
        for turn in range(6):
            flipped = [1.0 - score if turn % 2 else score for score in scores]
            found.append((50.0, flipped))
    ends = []
    for periods in (steady, erratic):
        player = (1500.0, 60.0, 0.06)
        for _, scores in periods:
            ladder = played(Glicko2(period_days=1), player, [(1500.0, 50.0, s) for s in scores])
            player = (ladder["p"].mu, ladder["p"].sigma, volatility(ladder, "p"))
        ends.append(player[2])
    assert ends[0] < 0.06 < ends[1]


def season_against(opponents, results):
    """A settled player's rating after periods of 15 games each, all with the same result."""
    player = (1500.0, 60.0, 0.06)
    for opponent, score in zip(opponents, results, strict=True):
        ladder = played(Glicko2(period_days=30), player, [(opponent, 50.0, score)] * 15)
        player = (ladder["p"].mu, ladder["p"].sigma, volatility(ladder, "p"))
    return player


def test_volatility_farming_losing_half_the_games_on_purpose_beats_winning_them_all():
    """Monotonicity fails: the farmer loses to the weak and beats the strong, period by period.

    The honest player wins every game against the same opponents, and ends lower: the
    farmer's volatility has grown until every period moves the rating without measure.
    """
    opponents = [1500.0, 1700.0] * 15
    honest = season_against(opponents, [1.0, 1.0] * 15)
    farmer = season_against(opponents, [0.0, 1.0] * 15)
    assert honest[2] < 0.065
    assert farmer[2] > 10.0 * honest[2]
    assert farmer[0] > honest[0] + 50.0
    worse = season_against([1300.0, 1700.0] * 10, [0.0, 1.0] * 10)
    better = season_against([1300.0, 1700.0] * 10, [1.0, 1.0] * 10)
    assert worse[0] > better[0] + 1000.0


def test_a_lower_limit_of_the_volatility_takes_the_gain_away():
    def end(results):
        player = (1500.0, 60.0, 0.06)
        system = Glicko2(period_days=30, volatility_max=0.1)
        for opponent, score in zip([1500.0, 1700.0] * 15, results, strict=True):
            ladder = played(system, player, [(opponent, 50.0, score)] * 15)
            player = (ladder["p"].mu, ladder["p"].sigma, volatility(ladder, "p"))
        return player[0]

    assert end([0.0, 1.0] * 15) < end([1.0, 1.0] * 15) - 200.0


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"tau": -0.1}, "tau must be a number of at least 0, not -0.1"),
        ({"volatility_new": 0.0}, "volatility_new must be a number of at least 1e-06, not 0.0"),
        (
            {"volatility_new": 2.0},
            "volatility_new must be at most volatility_max, not 2 with 1",
        ),
        ({"contest": "one-match"}, "contest must be mean or sum, not 'one-match'"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(parameters, wanted):
    with pytest.raises(podium.PodiumError) as refused:
        Glicko2(**parameters)
    assert str(refused.value).startswith(f"glicko2: {wanted}")


@pytest.mark.parametrize("tau", [0.0, 10.0])
@pytest.mark.parametrize("limits", [(1e-6, 1e-6), (1e-6, 100.0), (100.0, 100.0)])
@pytest.mark.parametrize("period", [0.0, 1.0])
def test_the_limits_of_all_parameters_can_be_rated_with(tau, limits, period):
    system = Glicko2(
        tau=tau, volatility_new=limits[0], volatility_max=limits[1], period_days=period
    )
    ladder = podium.Ladder(system)
    for day, weight in enumerate((1.0, 1e-4, 1e4, 1.0)):
        ladder.record(["ann", ("bob", "cat"), "dan"], weight=weight, time=day * 100 * DAY)
        ladder.record(["dan", "cat"], weight=weight, time=day * 100 * DAY)
    for column in ("mu", "sigma", "volatility"):
        assert np.isfinite(ladder.beliefs.column(column)).all()
