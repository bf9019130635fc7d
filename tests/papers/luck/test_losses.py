import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.evaluation.matches import measures, predictions
from podium.papers.luck.losses import BANDWIDTH, SIGMA_BELOW, compared, contributions, figure_5_1


def plain_contribution(x, difference, loss):
    """The sum of the paper at one x, up to the factor."""
    kernel = np.exp(-((x - difference) ** 2) / (2 * BANDWIDTH**2)) / math.sqrt(
        2 * math.pi * BANDWIDTH**2
    )
    mass = 0.5 * (1.0 + math.erf(x / (BANDWIDTH * math.sqrt(2.0))))
    return (loss * kernel).sum() / mass


@given(st.lists(st.tuples(st.floats(0.0, 600.0), st.floats(0.01, 5.0)), min_size=1, max_size=30))
def test_contributions_integrate_to_the_mean_loss(matches):
    difference, loss = np.array(matches).T
    x, density = contributions(difference, loss)
    assert (density >= 0.0).all()
    assert np.trapezoid(density, x) == pytest.approx(loss.mean(), rel=1e-12)


def test_contributions_are_proportional_to_the_sum_of_the_paper():
    draws = np.random.default_rng(5)
    difference, loss = np.abs(draws.normal(0, 150, 400)), draws.exponential(0.6, 400)
    x, density = contributions(difference, loss)
    expected = np.array([plain_contribution(at, difference, loss) for at in x])
    share = density / expected.clip(1e-300)
    seen = expected > 1e-6 * expected.max()
    assert share[seen] == pytest.approx(share[seen][0], rel=1e-7)
    # The mass is 1 but near 0, so that the factor is almost that of a mean.
    assert share[seen][0] * 400 == pytest.approx(1.0, abs=0.02)


def test_the_order_of_matches_does_not_matter():
    difference, loss = np.array([3.0, 50.0, 20.0]), np.array([0.5, 1.0, 0.1])
    one, other = contributions(difference, loss), contributions(difference[::-1], loss[::-1])
    assert one[1] == pytest.approx(other[1], rel=1e-12)


def test_the_systems_are_those_of_the_paper():
    glicko2, lucky, luckier = compared().values()
    assert (glicko2.tau, glicko2.sigma_new, glicko2.volatility_new) == (0.5, 200.0, 0.06)
    assert (lucky.beta, luckier.beta) == (0.8, 0.9)


def test_the_papers_own_losses_stand_beside():
    findings = figure_5_1(players=20, matches=1500).findings
    assert findings["matches_in_paper"].to_list() == [557_973, 566_213, 653_660]
    assert findings["log_loss_in_paper"].to_list() == [0.6625, 0.6613, 0.6559]


def test_the_figure_shows_the_matches_of_well_known_players():
    contests = podium.simulate_matches(20, 1500, draws=0.05, seed=2)
    shown = figure_5_1({"matches": contests})
    for row, system in zip(shown.findings.iter_rows(), compared().values(), strict=True):
        expected = measures(predictions(contests, system), sigma_below=SIGMA_BELOW)
        assert row[3:] == pytest.approx(expected)
    losses, density = shown.numbers["losses"], shown.numbers["density"]
    assert 0 < losses.height < 3 * 1500
    for name, count, mean in shown.findings.select("system", "matches", "log_loss").iter_rows():
        one = losses.filter(system=name)
        assert one.height == count
        curve = density.filter(system=name)
        integral = np.trapezoid(curve["density"], curve["difference"])
        assert integral == pytest.approx(mean, rel=1e-12)
    assert (losses["difference"] >= 0.0).all()
    assert [text.get_text() for text in shown.figure.axes[1].get_legend().get_texts()] == list(
        compared()
    )


def test_matches_of_strangers_only_are_refused():
    strangers = podium.simulate_matches(50, 20)
    with pytest.raises(podium.PodiumError, match="there is no match of two players"):
        figure_5_1({"matches": strangers})
