import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from podium.papers.luck.gains import (
    BETAS,
    HIGHEST,
    LOWEST,
    OPPONENT,
    SIGMAS,
    figure_3_1,
    gain_of_a_win,
    golden_section,
    highest_gain,
)

POINTS = 400.0 / math.log(10.0)


def by_adaptive_quadrature(m, sigma, beta):
    """Equation (4) as printed."""

    def chance(x):
        return 0.5 * (1 - beta) + beta / (1 + 10 ** ((OPPONENT - x) / 400))

    def integral(power):
        def weighted(t):
            return chance(m + sigma * t) * t**power * math.exp(-0.5 * t * t)

        return sum(
            quad(weighted, *half, epsabs=0, epsrel=1e-12, limit=400)[0]
            for half in ((-14, 0), (0, 14))
        )

    return sigma * integral(1) / integral(0)


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("sigma", [1.0, *SIGMAS, 500.0])
def test_the_rule_is_accurate_to_a_billionth_of_a_point(sigma, beta):
    for m in (0.0, 900.0, 1700.0, 2000.0, 2600.0, 4000.0):
        gain = gain_of_a_win(np.array([m]), sigma, beta)[0]
        assert gain == pytest.approx(by_adaptive_quadrature(m, sigma, beta), abs=1e-9)


@given(st.floats(0.0, 4000.0), st.floats(10.0, 400.0), st.floats(0.05, 1.0))
def test_the_gain_is_the_variance_times_the_mean_slope_over_the_mean_chance(m, sigma, beta):
    t = np.arange(-1200, 1201) / 100.0
    weight = np.exp(-0.5 * t * t)
    curve = 1.0 / (1.0 + np.exp(-(m + sigma * t - OPPONENT) / POINTS))
    slope = beta * curve * (1.0 - curve) / POINTS
    chance = 0.5 * (1.0 - beta) + beta * curve
    expected = sigma**2 * (weight * slope).sum() / (weight * chance).sum()
    assert gain_of_a_win(np.array([m]), sigma, beta)[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_without_luck_the_gain_far_below_tends_to_the_variance_in_nats(sigma):
    far = gain_of_a_win(np.array([-1e4]), sigma, 1.0)[0]
    assert far == pytest.approx(sigma**2 * math.log(10.0) / 400.0, rel=1e-9)


@pytest.mark.parametrize("beta", [0.8, 0.99, 1.0 - 1e-6])
@pytest.mark.parametrize("sigma", SIGMAS)
def test_with_luck_the_gain_far_below_tends_to_nothing(sigma, beta):
    assert 0.0 <= gain_of_a_win(np.array([-1e4]), sigma, beta)[0] < 1e-9


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_maximum_is_that_of_a_fine_grid(sigma, beta):
    m = np.arange(LOWEST, HIGHEST + 0.25, 0.25)
    gain = gain_of_a_win(m, sigma, beta)
    at, highest = highest_gain(sigma, beta)
    assert at == pytest.approx(m[np.argmax(gain)], abs=0.25)
    assert highest == pytest.approx(gain.max(), abs=1e-4)
    assert highest >= gain.max()


def test_the_figure_has_three_panels_of_four_curves():
    shown = figure_3_1()
    numbers = shown.numbers[""]
    assert numbers.group_by("beta", "sigma").len().height == 12
    assert numbers["gain"].min() >= 0.0
    assert [axes.get_title(loc="left") for axes in shown.figure.axes] == [
        "β = 0.8",
        "β = 0.99",
        "β = 1",
    ]
    for axes in shown.figure.axes:
        assert len([line for line in axes.lines if len(line.get_xdata()) > 2]) == 4
    highest = shown.findings.filter(beta=1.0)
    assert highest["at_m"].to_list() == [LOWEST] * 4
    assert highest["highest_gain"].to_list() == pytest.approx(
        highest["limit_far_below"].to_list(), rel=1e-3
    )


@given(st.floats(-3.0, 3.0))
def test_the_golden_section_finds_the_lowest_point(x):
    found = golden_section(lambda at: math.cosh(at - x), -4.0, 4.0, 1e-3)
    assert found == pytest.approx(x, abs=1e-3)


def test_the_golden_section_finds_an_end_and_uses_every_value_again():
    calls = []
    assert golden_section(lambda x: calls.append(x) or x, 0.5, 1.0, 0.02) == pytest.approx(
        0.5, abs=0.01
    )
    assert len(calls) == len(set(calls)) == 9
