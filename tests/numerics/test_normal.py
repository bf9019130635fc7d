import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erfcx, ndtr, ndtri

from podium.numerics.normal import hazard, normal_cdf, normal_quantile


def exact(z):
    return np.sqrt(2.0 / np.pi) / erfcx(z / np.sqrt(2.0))


@given(st.floats(-8.0, 60.0))
@settings(max_examples=500, deadline=None)
def test_the_hazard_agrees_with_scaled_erfc(z):
    assert hazard(z) == pytest.approx(exact(z), rel=1e-9 if z < -4.0 else 2e-13)


@pytest.mark.parametrize("z", [-1e300, -40.0, -10.0, np.nextafter(10.0, 0), 10.0, 40.0, 1e300])
def test_the_hazard_neither_overflows_nor_leaves_its_table(z):
    value = hazard(z)
    assert np.isfinite(value)
    assert value >= max(z, 0.0)


def test_the_hazard_rises_and_has_no_steps_between_cells():
    z = np.linspace(-9.0, 12.0, 20001)
    values = np.array([hazard(x) for x in z])
    assert (np.diff(values) > 0).all()


@given(st.floats(-30.0, 30.0))
@settings(max_examples=200, deadline=None)
def test_the_normal_cdf_agrees_with_scipy(z):
    assert normal_cdf(z) == pytest.approx(ndtr(z), rel=1e-12, abs=1e-300)


@given(st.floats(-300.0, 0.0).map(lambda exponent: 0.5 * 10.0**exponent))
@settings(max_examples=500, deadline=None)
def test_the_normal_quantile_agrees_with_scipy_in_both_tails(p):
    """With the smaller side given to all its digits."""
    z = normal_quantile(p, 1.0 - p)
    assert z == pytest.approx(ndtri(p), rel=1e-14, abs=1e-15)
    assert normal_quantile(1.0 - p, p) == -z


def test_the_normal_quantile_at_its_ends_and_in_the_middle():
    assert normal_quantile(0.5, 0.5) == pytest.approx(0.0, abs=1e-16)
    assert normal_quantile(0.0, 1.0) == -np.inf
    assert normal_quantile(1.0, 0.0) == np.inf
    assert normal_quantile(0.25, 0.75) == pytest.approx(-0.6744897501960817, rel=1e-15)
