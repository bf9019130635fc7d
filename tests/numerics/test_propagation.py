"""Factors of a whole chain against those of one pair at a time, and passes against matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.numerics import propagation as chains
from podium.numerics.truncated import exceeding, within
from podium.numerics.vector_panels import LANES

SIZES = st.sampled_from([2, 3, 8, 9, 64, 65, 150])


def a_chain(seed, sides, gap, margin):
    """A chain with performances anywhere, half of the neighbours tied; and room to work in."""
    rng = np.random.default_rng(seed)
    places, densities = chains.workspace(sides)
    chain = chains.new_chain(sides)
    chain[chains.S2, :sides] = rng.uniform(1.0, 80.0, sides)
    chain[chains.S] = np.sqrt(chain[chains.S2])
    chain[chains.GAP, : sides - 1] = rng.normal(0.0, gap, sides - 1)
    chain[chains.MARGIN, : sides - 1] = margin * rng.uniform(0.5, 2.0, sides - 1)
    chain[chains.TIED, : sides - 1] = rng.random(sides - 1) < 0.5
    return chain, places, densities


@given(st.integers(0, 999), SIZES, st.sampled_from([1.0, 30.0, 1e4]), st.floats(0.0, 40.0))
@settings(max_examples=200, deadline=None)
def test_factors_are_those_of_truncated_moments(seed, sides, gap, margin):
    chain, places, densities = a_chain(seed, sides, gap, margin)
    links = sides - 1
    for row in (chains.F, chains.G):
        chain[row] = np.random.default_rng(seed).normal(0.0, gap, chain.shape[1])
    chain[chains.P] = chain[chains.Q] = chain[chains.S2]
    ties = np.flatnonzero(chain[chains.TIED])
    places[0, : len(ties)] = ties
    chains.renew(chain)
    chains.renew_ties(chain, len(ties), places, densities)
    for k in range(links):
        scale = 1.0 / np.sqrt(chain[chains.P, k] + chain[chains.Q, k])
        t = (chain[chains.GAP, k] + chain[chains.F, k] - chain[chains.G, k]) * scale
        moments = within if chain[chains.TIED, k] else exceeding
        _, w, rest, site = moments(t, chain[chains.MARGIN, k] * scale)
        found = chain[[chains.A, chains.T, chains.B], k] / [scale**2, scale, 1.0]
        assert found == pytest.approx([w, site, rest], rel=1e-9, abs=1e-11)


@given(st.integers(0, 999), SIZES)
@settings(max_examples=100, deadline=None)
def test_passes_give_the_marginals_of_the_gaussian_chain(seed, sides):
    chain, _, _ = a_chain(seed, sides, 3.0, 1.0)
    links = sides - 1
    rng = np.random.default_rng(seed)
    chain[chains.A] = rng.uniform(0.0, 1.0, chain.shape[1])
    chain[chains.B] = rng.uniform(0.1, 1.0, chain.shape[1])
    chain[chains.T] = rng.normal(0.0, 1.0, chain.shape[1])
    chain[chains.F, 0] = chain[chains.G, links - 1] = 0.0
    chain[chains.P, 0], chain[chains.Q, links - 1] = chain[chains.S2, [0, links]]
    chains.pass_along(chain, links, 1e-11)
    chains.conclude(chain, links)
    precision = np.diag(1.0 / chain[chains.S2, :sides])
    natural = np.zeros(sides)
    for k in range(links):
        # The factor is about the difference of performances, which are counted from their means.
        weight = chain[chains.A, k] / chain[chains.B, k]
        pull = chain[chains.T, k] / chain[chains.B, k] - weight * chain[chains.GAP, k]
        pair = np.ix_([k, k + 1], [k, k + 1])
        precision[pair] += weight * np.array([[1.0, -1.0], [-1.0, 1.0]])
        natural[[k, k + 1]] += pull * np.array([1.0, -1.0])
    covariance = np.linalg.inv(precision)
    s2 = chain[chains.S2, :sides]
    assert chain[chains.KEPT, :sides] == pytest.approx(np.diag(covariance) / s2, rel=1e-9)
    assert chain[chains.SHIFT, :sides] == pytest.approx(covariance @ natural / s2, abs=1e-9)


@pytest.mark.parametrize("sides", [2, 7, 8, 9])
def test_chains_fill_vector_registers_with_columns_that_change_nothing(sides):
    chain, places, densities = a_chain(5, sides, 3.0, 1.0)
    assert chain.shape[1] % LANES == 0
    chains.propagate(chain, sides, places, densities, chains.TOLERANCE)
    wider = np.ones((chains.FIELDS, chain.shape[1] + LANES))
    wider[:, : chain.shape[1]] = chain
    for row in (chains.GAP, chains.MARGIN, chains.TIED):
        wider[row, chain.shape[1] :] = 0.0
    chains.propagate(wider, sides, places, densities, chains.TOLERANCE)
    ends = [chains.SHIFT, chains.KEPT]
    assert (wider[ends, :sides] == chain[ends, :sides]).all()
