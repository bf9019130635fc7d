"""One player at many places, against a root for each place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from podium.numerics import one_player, pair_sums
from podium.numerics.logconcave import GAUSSIAN_STRIP

OTHERS = st.lists(
    st.tuples(st.floats(-3000.0, 3000.0), st.floats(50.0, 400.0)), min_size=1, max_size=12
)


def hazard(z):
    return np.exp(stats.norm.logpdf(z) - stats.norm.logsf(z))


def plainly(others, own, split_ties, ahead):
    mu, delta = np.array(others).T

    def balance(x):
        z, own_z = (x - mu) / delta, (x - own[0]) / own[1]
        drawn = 0.5 * (hazard(-own_z) - hazard(own_z)) if split_ties else -own_z
        wins, losses = hazard(-z[ahead:]) / delta[ahead:], hazard(z[:ahead]) / delta[:ahead]
        return wins.sum() - losses.sum() + drawn / own[1]

    low, high = -1e4, 1e4
    while balance(low) < 0.0:
        low *= 2.0
    while balance(high) > 0.0:
        high *= 2.0
    return optimize.brentq(balance, low, high, xtol=1e-10, rtol=1e-14)


@settings(max_examples=30, deadline=None)
@given(OTHERS, st.tuples(st.floats(-3000.0, 3000.0), st.floats(50.0, 400.0)), st.booleans())
def test_performances_are_the_roots_of_the_model(others, own, split_ties):
    ahead = np.arange(len(others) + 1)
    arrays = tuple(np.array(others).T.copy())
    found = one_player.performances(
        one_player.balances, GAUSSIAN_STRIP, arrays, own, split_ties, ahead
    )
    exact = [plainly(others, own, split_ties, each) for each in ahead.tolist()]
    assert found == pytest.approx(exact, abs=1e-6)
    assert (np.diff(found) <= 1e-9).all()


@given(st.integers(3, 80), st.integers(0, 99))
def test_sums_are_inverted(count, seed):
    rng = np.random.default_rng(seed)
    mu, scale = rng.normal(0.0, 3.0, count), np.ones(count)
    left, width, panels = pair_sums.panels_over(mu.min() - 9.0, mu.max() + 9.0, scale)
    table = pair_sums.tabulated(mu, scale, left, width, panels)
    values = np.linspace(0.3, count - 0.3, 7)
    for x, value in zip(pair_sums.inverses(values, left, width, *table), values, strict=True):
        assert pair_sums.direct(mu, scale, x)[0] == pytest.approx(value, abs=1e-9)
