"""Sums over all opponents, tabulated against term by term."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from podium.numerics import pair_sums


def plainly(mu, s, x):
    F = expit((x[:, None] - mu) / s)
    return (F / s).sum(axis=1), (F * (1.0 - F) / s**2).sum(axis=1)


@given(
    st.integers(1, 3000),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1.0, 400.0, 3000.0]),
    st.sampled_from([(170.0, 175.0), (50.0, 400.0)]),
)
@settings(max_examples=40, deadline=None)
def test_sums_at_the_players_own_ratings_agree_with_direct_sums(n, seed, spread, scales):
    rng = np.random.default_rng(seed)
    mu, s = rng.normal(1500.0, spread, n), rng.uniform(*scales, n)
    value, slope = np.empty(n), np.empty(n)
    pair_sums.at_own_ratings(mu, s, value, slope)
    some = rng.integers(0, n, 20)
    exact, exact_slope = plainly(mu, s, mu[some])
    assert value[some] == pytest.approx(exact, rel=1e-11)
    assert slope[some] == pytest.approx(exact_slope, rel=1e-8)


def test_threads_do_not_change_a_table():
    rng = np.random.default_rng(3)
    mu, s = rng.normal(1500.0, 300.0, 10_000), rng.uniform(100.0, 200.0, 10_000)
    grid = pair_sums.panels_over(mu.min(), mu.max(), s)
    one = pair_sums.tabulated_in_threads(mu, s, *grid, 1)
    three = pair_sums.tabulated_in_threads(mu, s, *grid, 3)
    for a, b in zip(one, three, strict=True):
        assert a.tobytes() == b.tobytes()
