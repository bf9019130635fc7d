import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import erfcx, ndtr

from podium.numerics.normal import hazard, normal_cdf


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
