import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from podium.numerics.vector_panels import LANES, NODES, POINTS, decreasing_root, interpolate


def at_nodes(function):
    return np.array([function(t) for t in POINTS])


def room():
    return np.empty((3, NODES))


@pytest.mark.parametrize("t", [-0.999, -0.3, 0.0, 0.21, 0.77])
def test_a_smooth_function_and_its_slope_are_reproduced(t):
    value, slope = interpolate(at_nodes(lambda x: np.exp(-x)), t, room())
    assert value == pytest.approx(np.exp(-t), abs=1e-14)
    assert slope == pytest.approx(-np.exp(-t), abs=1e-10)


@pytest.mark.parametrize("t", POINTS)
def test_at_a_node_the_value_is_exact_and_the_slope_serves_newton(t):
    value, slope = interpolate(at_nodes(lambda x: np.exp(-x)), t, room())
    assert value == pytest.approx(np.exp(-t), abs=1e-14)
    assert slope == pytest.approx(-np.exp(-t), rel=0.5)


def test_nodes_fill_lanes_are_symmetric_to_the_bit_and_include_the_ends():
    assert NODES % LANES == 0
    assert (POINTS[::-1] == -POINTS).all()
    assert POINTS[0] == -1.0
    assert (np.diff(POINTS) > 0).all()


@given(st.floats(-0.999, 0.999), st.floats(0.1, 4.0), st.floats(0.0, 1.0), st.floats(-1.0, 1.0))
@settings(max_examples=300, deadline=None)
def test_the_root_of_a_decreasing_function_is_found_from_anywhere(root, steepness, flatness, start):
    def function(t):
        return np.tanh(0.9 * (root - t)) + flatness * steepness * (root**3 - t**3)

    found = decreasing_root(at_nodes(function), start, room())
    exact = brentq(function, -1.0, 1.0, xtol=1e-15)
    assert found == pytest.approx(exact, abs=1e-10)


def test_without_a_change_of_sign_the_nearer_end_is_the_answer():
    assert decreasing_root(at_nodes(lambda t: -2.0 - t), 0.0, room()) == -1.0
    assert decreasing_root(at_nodes(lambda t: 2.0 - t), 0.0, room()) == 1.0
