"""Expected ranks under the normal model, by modes against term by term."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from podium.numerics import normal_sums


def plainly(x, t, rows):
    return np.array([ndtr((x - x[i]) / np.sqrt(t + t[i])).sum() for i in rows])


def expected_ranks(x, t):
    out = np.empty(len(x))
    normal_sums.expected_ranks(x, t, out)
    return out


@given(
    st.integers(2, 3000),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 1.0, 400.0, 20_000.0]),
    st.sampled_from([(515.0, 515.0), (100.0, 600.0), (0.1, 600.0), (1e-6, 1e4)]),
)
@settings(max_examples=80, deadline=None)
def test_expected_ranks_agree_with_direct_sums(n, seed, spread, widths):
    rng = np.random.default_rng(seed)
    x = rng.normal(1500.0, spread, n)
    t = np.exp(2.0 * rng.uniform(*np.log(widths), n))
    some = rng.integers(0, n, 20)
    assert expected_ranks(x, t)[some] == pytest.approx(plainly(x, t, some), abs=1e-14 * n + 1e-13)


def test_thousands_go_by_modes_and_only_the_narrowest_term_by_term():
    rng = np.random.default_rng(1)
    x, t = rng.normal(1500.0, 400.0, 3000), rng.uniform(100.0, 500.0, 3000) ** 2
    line, _, _, steps = normal_sums.plan(x, t)
    assert 0 < steps < 10
    assert len(normal_sums.narrow_rows(t, line)) < 300
    t[:50] = 1e-2
    line, _, _, steps = normal_sums.plan(x, t)
    assert 0 < steps < 20
    assert len(normal_sums.narrow_rows(t, line)) >= 50
    assert normal_sums.plan(x[:10], t[:10])[3] == 0


def test_among_two_thousand_of_no_width_at_all_every_pair_is_looked_at():
    rng = np.random.default_rng(2)
    x, t = rng.normal(1500.0, 400.0, 2000), np.full(2000, 1e-12)
    assert normal_sums.plan(x, t)[3] == 0
    ranks = np.argsort(np.argsort(-x)) + 0.5
    assert expected_ranks(x, t) == pytest.approx(ranks, abs=1e-9)


@pytest.mark.parametrize("n", [20, 500, 20_000])
def test_those_far_ahead_keep_the_half_of_themselves_and_nothing_else(n):
    x, t = np.full(n, 1500.0), np.full(n, 300.0**2)
    x[0], x[-1] = 11_500.0, -8_500.0
    found = np.empty(n)
    normal_sums.expected_ranks_in_threads(x, t, found, 1)
    for each in (found, expected_ranks(x, t)):
        assert each[0] == pytest.approx(0.5, abs=1e-10)
        assert each[-1] == pytest.approx(n - 0.5, abs=1e-10)
        assert each[1:-1] == pytest.approx(0.5 * n, abs=1e-10)


def test_all_expected_ranks_sum_to_half_of_all_pairs():
    rng = np.random.default_rng(3)
    x, t = rng.normal(0.0, 1.0, 1000), rng.uniform(0.1, 2.0, 1000)
    assert math.fsum(expected_ranks(x, t)) == pytest.approx(0.5 * 1000**2, rel=1e-14)


@pytest.mark.parametrize("narrow", [0, 300])
def test_threads_change_no_bit(narrow):
    rng = np.random.default_rng(4)
    x, t = rng.normal(1500.0, 400.0, 10_000), rng.uniform(100.0, 500.0, 10_000) ** 2
    t[:narrow] = 1.0
    one, three = np.empty(10_000), np.empty(10_000)
    normal_sums.expected_ranks_in_threads(x, t, one, 1)
    normal_sums.expected_ranks_in_threads(x, t, three, 3)
    assert one.tobytes() == three.tobytes()
    some = [0, 77, 5000, 9999]
    assert one[some] == pytest.approx(plainly(x, t, some), abs=1e-10)
