"""The sums over all pairs on a grid, against the sums themselves."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import expit

from podium.numerics import pair_grid


def pair_by_pair(theta, var, starts, noise, cubic):
    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    c = np.sqrt(var[:, None] + var[None, :] + noise)
    p = expit((theta[:, None] - theta[None, :]) / c)
    score = 0.5 * (1.0 + np.sign(group[None, :] - group[:, None]))
    info = p * (1.0 - p) / c ** (3 if cubic else 2)
    np.fill_diagonal(info, 0.0)
    return ((score - p) / c).sum(1), info.sum(1)


def on_grid(theta, var, starts, noise, cubic):
    grid = pair_grid.lay(theta, var, noise)
    pull, info = np.empty(len(theta)), np.empty(len(theta))
    pair_grid.meet_all(theta, var, starts, noise, cubic, grid, pull, info)
    return pull, info


@given(
    n=st.integers(2, 60),
    seed=st.integers(0, 10_000),
    spread=st.sampled_from([0.0, 1e-9, 1.0, 30.0, 3000.0]),
    ratio=st.sampled_from([1.0, 1.0 + 1e-12, 1.1, 10.0, 1000.0]),
    noise=st.sampled_from([0.1, 35.0, 2e5]),
    cubic=st.booleans(),
)
@example(n=2, seed=623, spread=0.0, ratio=1.0 + 1e-12, noise=0.1, cubic=False)
@example(n=2, seed=623, spread=0.0, ratio=1.0 + 1e-12, noise=35.0, cubic=True)
@settings(max_examples=150)
def test_the_grid_agrees_with_the_pairs(n, seed, spread, ratio, noise, cubic):
    """To 1e-10 and 1e-9 of what the sums could be, even if all but a few stand in one place."""
    rng = np.random.default_rng(seed)
    theta = 1500.0 + spread * rng.normal(0.0, 1.0, n)
    var = rng.choice([1.0, ratio, rng.uniform(1.0, ratio)], n)
    if rng.random() < 0.5:
        theta[3:], var[3:] = theta[-1], var[-1]
    starts = np.unique(np.concatenate([[0, n], rng.integers(0, n, n)]))
    c = np.sqrt(2.0 * var.min() + noise)
    pull, info = on_grid(theta, var, starts, noise, cubic)
    expected_pull, expected_info = pair_by_pair(theta, var, starts, noise, cubic)
    assert pull == pytest.approx(expected_pull, abs=1e-10 * n / c)
    assert info == pytest.approx(expected_info, abs=1e-9 * n / c ** (3 if cubic else 2))


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_share_the_rows(threads):
    rng = np.random.default_rng(5)
    n, noise = 2500, 35.0
    theta, var = rng.normal(25.0, 8.0, n), rng.uniform(1.0, 70.0, n)
    starts = np.unique(np.concatenate([[0, n], rng.integers(0, n, n)]))
    grid = pair_grid.lay(theta, var, noise)
    found = pair_grid.meet_all_in_threads(theta, var, starts, noise, True, grid, threads)
    one = pair_grid.meet_all_in_threads(theta, var, starts, noise, True, grid, 1)
    assert [part.tobytes() for part in found] == [part.tobytes() for part in one]
    pull, info = on_grid(theta, var, starts, noise, True)
    assert found[0] == pytest.approx(pull, abs=1e-10)
    assert found[1] == pytest.approx(info, abs=1e-10)


def test_newcomers_alone_need_one_level_of_one_panel():
    left, width, panels, least, levels = pair_grid.lay(np.full(50, 25.0), np.full(50, 69.0), 35.0)
    assert (left, panels, least) == (25.0, 1, 69.0)
    assert width > 0.0
    assert levels.shape == (3, 1)


def test_a_grid_beyond_reason_does_not_pay():
    theta, var = np.array([-1e15, 1e15]), np.array([1e-6, 1e12])
    assert not pair_grid.pays(pair_grid.lay(theta, var, 1e-6), 20_000)
