"""The examples of *Paired comparisons for games of chance*, in their order."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta as beta_distribution
from scipy.stats import norm

from podium import PodiumError
from podium.luck import (
    Belief,
    BradleyTerry,
    CappedLogistic,
    CoinToss,
    CustomDrift,
    DrawMargin,
    Heaviside,
    Knowledge,
    Logistic,
    Normal,
    NormalDrift,
    Performance,
    after_drift,
    after_match,
)

strengths = st.floats(-5.0, 5.0)
FINE = np.linspace(-14.0, 24.0, 7601)


def stronger(x, y):
    return 0.5 if x == y else float(x > y)


@given(strengths, strengths)
def test_example_2_4_without_luck_the_better_one_wins_and_a_coin_knows_nobody(x, y):
    one, other = Belief.certain(x), Belief.certain(y)
    assert one.win_probability(other, Heaviside()) == stronger(x, y)
    assert one.win_probability(other, CoinToss(Heaviside(), 0.0)) == 0.5


@given(strengths, strengths)
def test_example_2_5_odds_are_logistic_in_their_logarithms(x, y):
    one, other = Belief.certain(math.exp(x)), Belief.certain(math.exp(y))
    by_logarithms = Belief.certain(x).win_probability(Belief.certain(y), Logistic())
    assert one.win_probability(other, BradleyTerry()) == pytest.approx(
        by_logarithms, rel=1e-14, abs=0.0
    )
    assert by_logarithms == pytest.approx(1.0 / (1.0 + math.exp(y - x)), rel=1e-14, abs=0.0)
    points = Logistic(400.0 / math.log(10.0))(1500.0 + 100.0 * x, 1500.0 + 100.0 * y)
    assert points == pytest.approx(1.0 / (1.0 + 10.0 ** ((y - x) / 4.0)), rel=1e-12, abs=0.0)


def gumbel(location):
    """Performances by a Gumbel distribution of scale 1, as its density at many points."""
    z = FINE - location
    return Belief(FINE, np.exp(-z - np.exp(-z)), normalise=True)


@pytest.mark.parametrize("difference", [0.0, 0.3, 1.0, 2.5])
def test_example_2_6_bradley_and_terry_are_gumbel_performances_without_luck(difference):
    chance = gumbel(difference).win_probability(gumbel(0.0), Heaviside())
    assert chance == pytest.approx(float(Logistic()(difference, 0.0)), abs=1e-6)


@pytest.mark.parametrize("difference", [0.0, 0.3, 1.0, 2.5])
def test_example_2_6_thurstone_and_mosteller_are_normal_performances_without_luck(difference):
    sigma = 0.8
    one, other = Belief.normal(difference, sigma, FINE), Belief.normal(0.0, sigma, FINE)
    expected = float(Normal(math.sqrt(2.0) * sigma)(difference, 0.0))
    assert one.win_probability(other, Heaviside()) == pytest.approx(expected, abs=1e-6)
    assert expected == pytest.approx(
        norm.cdf(difference / (math.sqrt(2.0) * sigma)), rel=1e-13, abs=0.0
    )


def test_example_2_7_trueskill_draws_within_a_margin():
    sigma, difference, step = 0.8, 0.5, FINE[1] - FINE[0]
    # Half a step beyond a point, so that the margin lies between two differences of points.
    margin = 150.5 * step
    one, other = Belief.normal(difference, sigma, FINE), Belief.normal(0.0, sigma, FINE)
    scatter = math.sqrt(2.0) * sigma
    win = norm.cdf((difference - margin) / scatter)
    loss = norm.cdf((-margin - difference) / scatter)
    expected_score = win + 0.5 * (1.0 - win - loss)
    assert one.win_probability(other, DrawMargin(margin)) == pytest.approx(expected_score, abs=1e-6)
    given_more = Belief(FINE + margin, one.probabilities).stronger_than(other)
    given_less = Belief(FINE - margin, one.probabilities).stronger_than(other)
    assert given_less == pytest.approx(win, abs=1e-6)
    assert given_more - given_less == pytest.approx(1.0 - win - loss, abs=1e-6)


def test_example_2_8_fide_caps_the_difference_at_400_points():
    fide = CappedLogistic(scale=400.0 / math.log(10.0), cap=400.0)
    for beyond in (400.0, 401.0, 735.0, 3000.0):
        assert fide(2000.0 + beyond, 2000.0) == pytest.approx(10 / 11, rel=1e-15, abs=0.0)
        assert fide(2000.0, 2000.0 + beyond) == pytest.approx(1 / 11, rel=1e-14, abs=0.0)
    for within in (-399.0, -10.0, 0.0, 150.0):
        expected = 1.0 / (1.0 + 10.0 ** (-within / 400.0))
        assert fide(2000.0 + within, 2000.0) == pytest.approx(expected, rel=1e-14, abs=0.0)
    assert CappedLogistic()(3.0, 0.0) == pytest.approx(10 / 11, rel=1e-15, abs=0.0)


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.8])
def test_example_2_9_nobody_wins_a_game_with_coins_for_sure(beta):
    game = CoinToss(BradleyTerry(), beta)
    champion, author, rock = Belief.certain(1e40), Belief.certain(1e20), Belief.certain(1.0)
    for better, worse in ((champion, author), (champion, rock), (author, rock)):
        expected = pytest.approx((1.0 + beta) / 2.0, rel=1e-15, abs=0.0)
        assert better.win_probability(worse, game) == expected


def test_example_2_10_two_of_three_may_go_round():
    def two_of_three(x, y):
        won = sum(a > b for a, b in zip(x, y, strict=True))
        lost = sum(a < b for a, b in zip(x, y, strict=True))
        return 1 if won >= 2 else 0 if lost >= 2 else Fraction(1, 2)

    # The paper calls the third measure mu_A too; it must be mu_C. B beats A, C beats B, A beats C.
    a, b, c = (Performance.certain(x) for x in [(3, 3, 3), (4, 4, 1), (5, 2, 2)])
    for one, other in [(a, b), (b, c), (c, a)]:
        assert one.average_score(other, two_of_three) == 0
        assert other.average_score(one, two_of_three) == 1
    assert a.average_score(Performance.certain((3, 4, 2)), two_of_three) == Fraction(1, 2)


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (3, 1), (2, 5)])
def test_example_2_14_a_shared_account_is_judged_by_a_beta_distribution(wins, losses):
    alice, bob, abi = 1, 2, 3
    count = 400
    shares = [Fraction(2 * k + 1, 2 * count) for k in range(count)]
    accounts = {p: Performance({alice: p, abi: 1 - p}) for p in shares}
    prior = Knowledge({account: Fraction(1, count) for account in accounts.values()})
    rival = Knowledge.of_strengths({bob: 1})
    posterior = prior.after_matches([(rival, 1)] * wins + [(rival, 0)] * losses, stronger)
    found = {p: float(posterior.probability(account)) for p, account in accounts.items()}
    mean = sum(float(p) * share for p, share in found.items())
    variance = sum((float(p) - mean) ** 2 * share for p, share in found.items())
    # Alice is the weaker one: she plays in matches that are lost.
    expected = beta_distribution(losses + 1, wins + 1)
    assert mean == pytest.approx(expected.mean(), abs=1e-5)
    assert variance == pytest.approx(expected.var(), abs=1e-5)


def test_example_2_14_steady_players_cannot_explain_a_shared_account():
    points = [1.0, 2.0, 3.0, 4.0, 5.0]
    prior = Knowledge.of_strengths({x: Fraction(1, 5) for x in points})
    b, c = Knowledge.of_strengths({2.0: 1}), Knowledge.of_strengths({4.0: 1})
    won = prior.after_match(b, stronger)
    assert won.strengths()[1.0] == 0
    both = won.after_match(b, stronger, score=0)
    assert both.strengths() == {x: float(x == 2.0) for x in points}
    with pytest.raises(PodiumError, match="the result is impossible"):
        both.after_match(c, stronger)
    belief, rival = Belief(points, [0.2] * 5), Belief.certain(2.0)
    for score in (1.0, 0.0):
        belief = after_match(belief, rival, Heaviside(), score)[0]
    with pytest.raises(PodiumError, match="the result is impossible"):
        after_match(belief, Belief.certain(4.0), Heaviside())


def test_example_2_15_sums_over_sums():
    rng = np.random.default_rng(15)
    luck = Logistic()
    alpha, beta = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(2))
    p, q = rng.dirichlet(np.ones(4), 3), rng.dirichlet(np.ones(5), 2)
    x, y = rng.normal(size=(3, 4)), rng.normal(size=(2, 5))
    a = Knowledge((Performance(zip(x[i], p[i], strict=True)), alpha[i]) for i in range(3))
    b = Knowledge((Performance(zip(y[j], q[j], strict=True)), beta[j]) for j in range(2))
    chances = luck(x[:, None, :, None], y[None, :, None, :])
    weights = alpha * np.einsum("j,ik,jl,ijkl->i", beta, p, q, chances)
    assert a.expected_score(b, luck) == pytest.approx(weights.sum(), rel=1e-13, abs=0.0)
    after = [share for _, share in a.after_match(b, luck).pairs]
    assert after == pytest.approx(weights / weights.sum(), rel=1e-13, abs=0.0)


def test_example_2_17_a_kernel_that_stays_changes_nothing():
    moody, steady = Performance({1: 0.5, 2: 0.5}), Performance.certain(9)
    known = Knowledge({moody: Fraction(1, 3), steady: Fraction(2, 3)})
    assert known.after_drift(Knowledge.certain) == known


def test_example_2_18_normal_beliefs_stay_normal_under_normal_drifts():
    drifted = after_drift(Belief.normal(0.4, 0.6), NormalDrift(0.8))
    assert drifted.probabilities == pytest.approx(Belief.normal(0.4, 1.0).probabilities, abs=1e-9)


@pytest.mark.parametrize("sigma", [0.3, 0.7])
def test_figure_3_1_a_lucky_win_says_nothing_where_there_is_luck(sigma):
    rival = Belief.certain(0.0)
    gains = {}
    for beta in (0.8, 0.99, 1.0):
        for m in (-6.0, -12.0, -30.0):
            belief = Belief.normal(m, sigma, m + Belief.grid(8.0 * sigma, 1601))
            luck = CoinToss(Logistic(), beta)
            gains[beta, m] = after_match(belief, rival, luck)[0].mean - m
    assert gains[1.0, -30.0] == pytest.approx(sigma**2, rel=1e-8)
    assert gains[1.0, -12.0] == pytest.approx(sigma**2, rel=1e-3)
    for beta in (0.8, 0.99):
        assert gains[beta, -6.0] > gains[beta, -12.0] > gains[beta, -30.0] > -1e-12
        assert gains[beta, -30.0] == pytest.approx(0.0, abs=1e-9)


OWN = {2: Fraction(9, 20), 5: Fraction(3, 20), 13: Fraction(8, 20)}
RIVAL = {3: Fraction(2, 11), 7: Fraction(4, 11), 11: Fraction(5, 11)}
OWN_AFTER = {2: Fraction(69024, 284005), 5: Fraction(41925, 284005), 13: Fraction(173056, 284005)}
RIVAL_AFTER = {
    3: Fraction(74724, 284005),
    7: Fraction(105456, 284005),
    11: Fraction(103825, 284005),
}


def test_example_4_1_exactly():
    a, b = Knowledge.of_strengths(OWN), Knowledge.of_strengths(RIVAL)

    def odds(x, y):
        return Fraction(x, x + y)

    assert a.after_match(b, odds).strengths() == OWN_AFTER
    assert b.after_match(a, odds, score=0).strengths() == RIVAL_AFTER


def test_example_4_1_in_floats():
    a = Belief(list(OWN), [float(p) for p in OWN.values()])
    b = Belief(list(RIVAL), [float(p) for p in RIVAL.values()])
    found = after_match(a, b, BradleyTerry())
    for belief, expected in zip(found, (OWN_AFTER, RIVAL_AFTER), strict=True):
        assert belief.probabilities == pytest.approx(
            [float(p) for p in expected.values()], rel=1e-15, abs=0.0
        )


def test_example_4_2_squares_and_their_neighbours():
    numbers = np.arange(1.0, 101.0)
    squares = np.sqrt(numbers) % 1.0 == 0.0
    belief = Belief(numbers, np.where(squares, 0.1, 0.0))
    neighbours = CustomDrift(lambda x, y: np.where(np.abs(x - y) <= 1.0, 1.0 / 3.0, 0.0))
    chances = after_drift(belief, neighbours).probabilities
    assert numbers[chances > 0.0].tolist() == [
        1, 2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 24, 25, 26, 35, 36, 37, 48, 49, 50, 63, 64, 65, 80,
        81, 82, 99, 100,
    ]  # fmt: skip
    assert chances[chances > 0.0] == pytest.approx(np.full(28, 1 / 28), rel=1e-15, abs=0.0)
