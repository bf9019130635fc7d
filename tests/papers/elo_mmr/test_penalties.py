import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

import podium
from podium.papers.elo_mmr.penalties import (
    REACH,
    figure_1,
    gaussian,
    logistic,
    pull,
    robust,
    squared,
)

MODERATE = st.floats(-50.0, 50.0)


def at(function, x):
    return float(function(np.array([x]))[0])


@given(MODERATE)
def test_the_robust_penalty_is_that_of_the_paper(x):
    expected = 2.0 * math.log(math.cosh(math.pi * x / math.sqrt(12.0)))
    assert at(robust, x) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@given(st.floats(1e3, 1e300))
def test_far_away_the_robust_penalty_is_a_straight_line(x):
    assert at(robust, x) == pytest.approx(math.pi / math.sqrt(3.0) * x - 2.0 * math.log(2.0))
    assert at(robust, -x) == at(robust, x)


@given(st.floats(-20.0, 20.0))
def test_the_pull_is_the_slope_of_the_penalty(x):
    slope = (at(robust, x + 1e-5) - at(robust, x - 1e-5)) / 2e-5
    assert at(pull, x) == pytest.approx(slope, abs=1e-6)


@given(st.floats(-30.0, 30.0))
def test_penalties_are_minus_the_logarithms_of_the_densities(x):
    scale = math.sqrt(3.0) / math.pi
    assert at(gaussian, x) == pytest.approx(stats.norm.pdf(x), rel=1e-9, abs=1e-300)
    assert at(logistic, x) == pytest.approx(stats.logistic.pdf(x, scale=scale), rel=1e-9)
    assert math.log(at(logistic, 0.0) / at(logistic, x)) == pytest.approx(
        at(robust, x), rel=1e-9, abs=1e-9
    )


@pytest.mark.parametrize("density", [gaussian, logistic])
def test_both_densities_have_mass_and_variance_1(density):
    for power in (0, 2):
        moment = quad(lambda x, power=power: x**power * at(density, x), -60.0, 60.0, points=[0.0])
        assert moment[0] == pytest.approx(1.0, abs=1e-7)


def test_the_rating_is_where_both_penalties_are_lowest():
    """What the figure shows is what the system does with a first performance of 1700."""
    ladder = podium.Ladder("elo-mmr", mu_new=1500.0)
    ladder.record(["ann", *"bcdefghijklmnopqrst"], perf_ceiling=1700.0)
    sigma, beta = math.hypot(350.0, math.sqrt(1280.0)), math.sqrt(38400.0)

    def penalty(s):
        return at(squared, (s - 1500.0) / sigma) + at(robust, (s - 1700.0) / beta)

    lowest = minimize_scalar(penalty, bounds=(1500.0, 1700.0), options={"xatol": 1e-7})
    assert ladder["ann"].mu == pytest.approx(lowest.x, abs=1e-4)


def test_the_findings_are_those_of_the_curves():
    shown = figure_1()
    here = dict(zip(shown.findings["quantity"], shown.findings["here"], strict=True))
    values = list(here.values())
    assert values[0] == pytest.approx(math.pi**2 / 6.0, rel=1e-6)
    assert values[1] < 0.2
    same_pull, same_penalty, inner, outer = (values[k] for k in (2, 3, 7, 8))
    assert at(pull, same_pull) == pytest.approx(same_pull, abs=1e-12)
    assert at(robust, same_penalty) == pytest.approx(at(squared, same_penalty), abs=1e-12)
    for x in (inner, outer):
        assert at(logistic, x) == pytest.approx(at(gaussian, x), abs=1e-12)
    assert inner < 1.0 < outer
    assert values[9:] == pytest.approx(
        [2 * stats.norm.sf(3.0), 2 * stats.logistic.sf(3.0, scale=math.sqrt(3.0) / math.pi)]
    )


def test_the_figure_has_both_panels_and_its_numbers():
    shown = figure_1()
    assert [axes.get_title(loc="left") for axes in shown.figure.axes][:2] == [
        "Penalties",
        "Densities of variance 1",
    ]
    numbers = shown.numbers[""]
    assert (numbers["x"][0], numbers["x"][-1]) == (-REACH, REACH)
    assert numbers.filter(x=0.0).row(0)[1:3] == (0.0, 0.0)
    assert shown.remarks
