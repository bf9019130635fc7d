"""Moments of truncated normal variables, against quadrature where the mass is."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from podium.numerics.truncated import exceeding, within

NODES, WEIGHTS = np.polynomial.legendre.leggauss(600)


def moments_between(a: float, b: float) -> tuple[float, float, float]:
    """Of a standard normal variable between a and b: excess over a, mean, variance."""
    if a <= 0.0:
        low, high = max(a, -13.0), min(b, 13.0)
    else:
        low, high = a, min(b, a + 50.0 / max(a, 2.0))
    s = 0.5 * (high - low) * (1.0 + NODES)
    weight = WEIGHTS * np.exp(-s * (low + 0.5 * s))
    excess = float(np.average(s, weights=weight))
    variance = float(np.average((s - excess) ** 2, weights=weight))
    return low - a + excess, low + excess, variance


DISTANCES = st.one_of(st.floats(0.0, 10.0), st.floats(-6.0, 6.0).map(lambda x: 10.0**x))
SIGNED = st.tuples(DISTANCES, st.sampled_from([-1.0, 1.0])).map(math.prod)


@given(SIGNED, DISTANCES)
@settings(max_examples=500, deadline=None)
def test_what_exceeds_a_margin_has_these_moments(t, e):
    v, w, rest, site = exceeding(t, e)
    z = e - t
    if z <= -3.0:
        hazard = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) / float(ndtr(-z))
        assert v == pytest.approx(hazard, rel=1e-9, abs=1e-20)
        assert w == pytest.approx(hazard * (hazard - z), rel=1e-9, abs=1e-20)
        assert site == pytest.approx(v + w * t, rel=1e-9)
        assert rest == 1.0 - w
    else:
        excess, mean, variance = moments_between(z, math.inf)
        assert v == pytest.approx(mean, rel=1e-11)
        assert rest == pytest.approx(variance, rel=1e-10)
        assert w == pytest.approx(1.0 - variance, rel=1e-11)
        assert site == pytest.approx(e + excess - variance * t, rel=1e-9, abs=1e-10)


@given(SIGNED, DISTANCES)
@settings(max_examples=1000, deadline=None)
def test_what_stays_within_a_margin_has_these_moments(t, e):
    v, w, rest, site = within(t, e)
    side = math.copysign(1.0, t)
    excess, mean, variance = moments_between(abs(t) - e, abs(t) + e)
    if e == 0.0:
        excess, mean, variance = 0.0, abs(t), 0.0
    assert v == pytest.approx(-side * mean, rel=1e-11, abs=1e-13)
    assert rest == pytest.approx(variance, rel=1e-10)
    assert w == pytest.approx(1.0 - variance, rel=1e-11, abs=1e-12)
    if e < 1e3:  # beyond, excess is all but the distance to the nearer bound
        assert site == pytest.approx(side * (e - excess - variance * abs(t)), rel=1e-8, abs=1e-10)


@given(SIGNED, DISTANCES)
@settings(max_examples=300, deadline=None)
def test_moments_have_the_signs_and_bounds_of_moments(t, e):
    for moments in (exceeding, within):
        _, w, rest, _ = moments(t, e)
        assert 0.0 <= w <= 1.0
        assert 0.0 <= rest <= 1.0
        assert w + rest == pytest.approx(1.0, abs=1e-15)
    assert exceeding(t, e)[0] >= 0.0
    assert abs(within(t, e)[0] + t) <= e * (1 + 1e-12) + 1e-12 * abs(t)


@pytest.mark.parametrize("moments", [exceeding, within])
@pytest.mark.parametrize("e", [0.0, 1e-3, 0.4999999, 0.5000001, 2.9999999, 3.0000001, 20.0])
def test_v_falls_with_the_slope_w_and_has_no_steps_where_formulas_meet(moments, e):
    t = np.linspace(-45.0, 45.0, 40_001)
    v, w, _, _ = np.array([moments(x, e) for x in t]).T
    slope = (v[2:] - v[:-2]) / (t[2:] - t[:-2])
    assert slope == pytest.approx(-w[1:-1], abs=1e-5)


@pytest.mark.parametrize("t", [-1e9, -1e4, 0.0, 1e4, 1e9])
@pytest.mark.parametrize("e", [0.0, 1e-300, 1e-9, 1.0, 1e9])
def test_nothing_overflows(t, e):
    for moments in (exceeding, within):
        assert np.isfinite(moments(t, e)).all()
