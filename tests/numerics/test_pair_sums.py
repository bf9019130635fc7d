"""Sums over all opponents at players' own ratings, value and slope, against sums term by term."""

import numpy as np
import pytest

from podium.numerics import pair_sums
from podium.numerics.chebyshev import POINTS


def term_by_term(mu, s):
    F = 0.5 * (1.0 + np.tanh(0.5 * (mu[:, None] - mu[None, :]) / s))
    return (F / s).sum(axis=1), (F * (1.0 - F) / s**2).sum(axis=1)


def crowd(rows, spread, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(1500.0, spread, rows), rng.uniform(170.0, 260.0, rows)


@pytest.mark.parametrize("rows", [2, 150, 151, 2500])
@pytest.mark.parametrize("spread", [0.0, 300.0, 5000.0, 1e7])
@pytest.mark.parametrize("threads", [0, 1, 2])
def test_value_and_slope_are_those_of_the_sums(rows, spread, threads):
    mu, s = crowd(rows, spread, rows)
    value, slope = np.empty(rows), np.empty(rows)
    if threads:
        pair_sums.at_own_ratings_in_threads(mu, s, value, slope, threads)
    else:
        pair_sums.at_own_ratings(mu, s, value, slope)
    wanted = term_by_term(mu, s)
    assert value == pytest.approx(wanted[0], rel=1e-11)
    assert slope == pytest.approx(wanted[1], rel=1e-8)


@pytest.mark.parametrize("far", [1e5, 1e12, 1e25])
def test_a_few_ratings_out_of_all_proportion_spoil_nothing(far):
    mu, s = crowd(3000, 300.0, 2)
    mu[:4] = [-far, far, far + 100.0, -0.3 * far]
    mu[4:40] = 0.5 * far
    s[5] = 3000.0
    value, slope = np.empty(3000), np.empty(3000)
    pair_sums.at_own_ratings(mu, s, value, slope)
    wanted = term_by_term(mu, s)
    assert value == pytest.approx(wanted[0], rel=1e-11)
    assert slope == pytest.approx(wanted[1], rel=1e-8)


def test_slopes_are_exact_where_a_player_stands_on_a_node_of_the_table():
    mu, s = crowd(3000, 300.0, 1)
    left, width, panels = pair_sums.panels_over(mu.min(), mu.max(), s)
    inner = left + 0.5 * width * (2 * np.arange(1, panels - 1)[:, None] + 1 + POINTS[None, :])
    mu[10 : 10 + inner.size] = inner.ravel()
    assert pair_sums.panels_over(mu.min(), mu.max(), s) == (left, width, panels)
    value, slope = np.empty(3000), np.empty(3000)
    pair_sums.at_own_ratings(mu, s, value, slope)
    assert slope == pytest.approx(term_by_term(mu, s)[1], rel=1e-8)


def test_more_panels_than_whole_numbers_are_none():
    s = np.array([100.0])
    assert pair_sums.panels_over(0.0, 1e300, s)[2] == 0
    assert pair_sums.panels_over(-np.inf, np.inf, s)[2] == 0
    assert pair_sums.panels_over(5.0, 5.0, s)[2] == 1


def test_threads_do_not_change_a_bit():
    mu, s = crowd(10_000, 300.0, 3)
    found = []
    for threads in (1, 3):
        value, slope = np.empty(10_000), np.empty(10_000)
        pair_sums.at_own_ratings_in_threads(mu, s, value, slope, threads)
        found.append(value.tobytes() + slope.tobytes())
    assert found[0] == found[1]
