"""Truncated moments for loops against those for any arguments."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics.truncated import exceeding, within
from podium.numerics.truncated_loops import NARROW, SLOPE, beyond, within_narrow


@given(st.floats(-1e3, 1e3))
def test_beyond_a_point(z):
    v, w, _, _ = exceeding(-z, 0.0)
    assert beyond(z) == pytest.approx((v, w), rel=1e-11, abs=1e-15)


@given(st.floats(-8.0, 8.0))
def test_what_lies_beyond_agrees_with_the_error_function(z):
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    hazard = density / (0.5 * math.erfc(z / math.sqrt(2.0)))
    assert beyond(z)[0] == pytest.approx(hazard, rel=1e-12, abs=1e-16)


@given(st.floats(-50.0, 50.0), st.floats(0.0, 1.0))
def test_within_a_narrow_interval(centre, part):
    reach = part * min(NARROW, SLOPE / max(abs(centre), 1e-9))
    v, w, _, _ = within(-centre, reach)
    assert within_narrow(centre, reach) == pytest.approx((v, w), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("z", [-1e300, -1e9, -40.0])
def test_far_on_the_left_nothing_is_cut_off(z):
    assert beyond(z) == (0.0, 0.0)


@pytest.mark.parametrize("z", [40.0, 1e4, 1e9, 1e150])
def test_far_on_the_right_nothing_is_left(z):
    mean, less = beyond(z)
    assert mean == pytest.approx(z + 1.0 / z, rel=1e-6)
    assert less == pytest.approx(1.0 - 1.0 / z**2, abs=1e-5)
