import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.numerics.exponential import exp


@given(st.floats(-708.0, 708.0))
@settings(max_examples=500, deadline=None)
def test_it_agrees_with_the_library(x):
    assert exp(x) == pytest.approx(math.exp(x), rel=5e-16)


@pytest.mark.parametrize("x", [0.0, -0.0, 5e-324, -1e-300, 1e-17])
def test_it_is_one_at_zero(x):
    assert exp(x) == 1.0


@pytest.mark.parametrize("x", [708.1, 1e4, 1e300, np.inf])
def test_beyond_what_numbers_hold_it_is_nothing_or_infinite(x):
    assert exp(x) == np.inf
    assert exp(-x) == 0.0


def test_it_never_falls():
    x = np.linspace(-40.0, 40.0, 200_001)
    values = np.array([exp(each) for each in x])
    assert (np.diff(values) > 0.0).all()
