"""Sweeps beside the double sums that they stand for."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from podium.numerics.belief_sums import (
    heaviside_sums,
    heaviside_sums_at,
    laplace_cdf_sums,
    laplace_density_sums,
)

strengths = st.one_of(st.integers(-5, 5).map(float), st.floats(-50.0, 50.0))
scales = st.floats(-2.0, 2.0).map(lambda exponent: 10.0**exponent)


@st.composite
def problems(draw):
    """Points with a density, and strengths of which some are such points."""
    points = sorted(draw(st.lists(strengths, min_size=1, max_size=30, unique=True)))
    density = draw(
        st.lists(st.floats(0.0, 1.0), min_size=len(points), max_size=len(points)).filter(any)
    )
    at = sorted(draw(st.lists(st.one_of(strengths, st.sampled_from(points)), max_size=30)))
    return np.array(points), np.array(density) / sum(density), np.array(at)


def density_term(d, b):
    return math.exp(-abs(d) / b) / (2.0 * b)


def cdf_term(d, b):
    return 0.5 * math.exp(d / b) if d < 0.0 else 1.0 - 0.5 * math.exp(-d / b)


def plain(term, points, density, at, *scale):
    return [
        math.fsum(
            rho * term(y - x, *scale)
            for x, rho in zip(points.tolist(), density.tolist(), strict=True)
        )
        for y in at.tolist()
    ]


def swept(kernel, points, density, at, *scale):
    out = np.full(len(at), np.nan)
    kernel(points, density, *scale, at, out)
    return out


@pytest.mark.parametrize(
    ("kernel", "term"), [(laplace_density_sums, density_term), (laplace_cdf_sums, cdf_term)]
)
@given(problem=problems(), scale=scales)
@example(problem=(np.zeros(1), np.ones(1), np.zeros(1)), scale=1.0)
def test_sweeps_are_double_sums_to_the_last_places_however_small(kernel, term, problem, scale):
    found = swept(kernel, *problem, scale)
    expected = plain(term, *problem, scale)
    largest = 1.0 if kernel is laplace_cdf_sums else 0.5 / scale
    assert found == pytest.approx(expected, rel=0.0, abs=1e-14 * largest)
    assert found == pytest.approx(expected, rel=2e-12, abs=1e-300)


@given(problems())
def test_steps_are_double_sums(problem):
    found = swept(heaviside_sums_at, *problem)
    expected = plain(lambda d: np.heaviside(d, 0.5), *problem)
    assert found == pytest.approx(expected, rel=1e-14, abs=0.0)


@given(problems())
def test_algorithm_4_3_is_the_same_at_the_points_themselves(problem):
    points, density, _ = problem
    out = np.full(len(points), np.nan)
    heaviside_sums(density, out)
    assert out == pytest.approx(
        swept(heaviside_sums_at, points, density, points), rel=1e-14, abs=0.0
    )


def test_a_strength_counts_half_against_itself():
    one = np.array([3.0]), np.array([1.0]), np.array([3.0])
    assert swept(heaviside_sums_at, *one).tolist() == [0.5]
    assert swept(laplace_cdf_sums, *one, 2.0).tolist() == [0.5]
    assert swept(laplace_density_sums, *one, 2.0).tolist() == [0.25]


def test_the_far_left_tail_keeps_its_digits():
    points, density = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    (found,) = swept(laplace_cdf_sums, points, density, np.array([-600.0]), 1.0)
    assert found == pytest.approx(
        0.25 * math.exp(-600.0) * (1.0 + math.exp(-1.0)), rel=1e-12, abs=0.0
    )


def test_thousands_of_points_lose_no_digits():
    points = np.linspace(-7.0, 7.0, 5001)
    density = np.exp(-0.5 * ((points - 6.0) / 0.2) ** 2)
    density /= density.sum()
    at = np.array([-7.0, -3.0, 5.9, 7.0])
    for kernel, term in ((laplace_density_sums, density_term), (laplace_cdf_sums, cdf_term)):
        expected = plain(term, points, density, at, 0.05)
        assert swept(kernel, points, density, at, 0.05) == pytest.approx(
            expected, rel=5e-12, abs=0.0
        )


def test_distances_beyond_all_exponents_are_harmless():
    points, density = np.array([-1e300, 0.0, 1e300]), np.array([0.25, 0.5, 0.25])
    at = np.array([-1e308, 0.0, 1e308])
    assert swept(laplace_cdf_sums, points, density, at, 1e-3).tolist() == [0.0, 0.5, 1.0]
    assert swept(laplace_density_sums, points, density, at, 0.5).tolist() == [0.0, 0.5, 0.0]
