"""One competitor at many places of a chain, against propagating the chain for every place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.numerics import chain_places, propagation
from podium.numerics.propagation import (
    GAP,
    KEPT,
    MARGIN,
    RANK,
    S2,
    SHIFT,
    SIZE,
    TIED,
    A,
    B,
    F,
    G,
    M,
    P,
    Q,
    S,
    T,
)

OWN = np.array((25.0, 60.0, 1.0))


def chain_of(mean, variance, size, rank, margin):
    """A chain that is not propagated yet."""
    n = len(mean)
    chain = propagation.new_chain(n)
    chain[M, :n], chain[S2, :n], chain[SIZE, :n], chain[RANK, :n] = mean, variance, size, rank
    chain[S, :n] = np.sqrt(variance)
    chain[GAP, : n - 1] = -np.diff(mean)
    chain[MARGIN, : n - 1] = margin * np.sqrt(chain[SIZE, : n - 1] + chain[SIZE, 1:n])
    chain[TIED, : n - 1] = np.diff(rank) == 0
    return chain


def propagated(chain, n):
    propagation.propagate(chain, n, *propagation.workspace(n), propagation.TOLERANCE)
    return chain


def competitors(n, seed, spread, fall, ties):
    """Means that scatter and fall along the standings, variances, sizes and ranks."""
    rng = np.random.default_rng(seed)
    rank = np.cumsum(rng.random(n) >= ties)
    mean = 25.0 + spread * rng.normal(size=n) - fall * np.arange(n)
    return mean, rng.uniform(18.0, 90.0, n), rng.integers(1, 4, n).astype(float), rank


def at(others, own, margin, ahead):
    n = len(others[0])
    chain = chain_of(*others, margin)
    answers = chain_places.propagate_others(chain, n)
    found = np.empty((2, len(ahead)))
    chain_places.at_places(chain, n, answers, own, margin, np.array(ahead), found)
    return found


def plainly(others, own, margin, ahead):
    rank, found = others[3], []
    for place in ahead:
        columns = (np.insert(each, place, new) for each, new in zip(others, own, strict=False))
        ranks = np.insert(2 * rank, place, 2 * np.append(rank, rank[-1] + 1)[place] - 1)
        chain = propagated(chain_of(*columns, ranks, margin), len(rank) + 1)
        found.append((chain[SHIFT, place], chain[KEPT, place]))
    return np.array(found).T


def agree(others, own, margin, ahead, tolerance=1e-6):
    found, exact = at(others, own, margin, ahead), plainly(others, own, margin, ahead)
    moved, kept = found * [[own[1]], [1.0]], exact * [[own[1]], [1.0]]
    assert moved[0] == pytest.approx(kept[0], rel=0.1 * tolerance, abs=tolerance)
    assert moved[1] == pytest.approx(kept[1], abs=tolerance)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(2, 150),
    seed=st.integers(0, 2**32 - 1),
    spread=st.floats(0.0, 20.0),
    fall=st.one_of(st.floats(-0.5, 2.0), st.floats(2.0, 60.0)),
    ties=st.sampled_from([0.0, 0.4, 0.9]),
    margin=st.sampled_from([0.0, 0.001, 0.5, 3.0]),
    own=st.tuples(
        st.one_of(st.floats(-50.0, 90.0), st.floats(-3000.0, 3000.0)),
        st.floats(17.5, 90.0),
        st.sampled_from([1.0, 4.0]),
    ),
    part=st.floats(0.0, 1.0),
)
def test_places_are_what_the_whole_chain_gives(n, seed, spread, fall, ties, margin, own, part):
    others = competitors(n, seed, spread, fall, ties)
    starts = np.append(np.flatnonzero(np.diff(others[3], prepend=-1)), n).tolist()
    ahead = sorted({0, n, starts[int(part * (len(starts) - 1))]})
    agree(others, np.array(own), margin, ahead, 1e-5)


@pytest.mark.parametrize(("margin", "fall"), [(0.7, 0.0), (0.7, 0.02), (0.0, 0.01), (0.2, -0.01)])
def test_a_stiff_chain_is_felt_from_end_to_end(margin, fall):
    others = competitors(1500, 1, 6.0, fall, 0.0)
    agree(others, OWN, margin, [0, 3, 200, 750, 1400, 1500])


def test_who_is_far_from_everybody_moves_many():
    others = competitors(400, 2, 6.0, 0.1, 0.3)
    starts = np.flatnonzero(np.diff(others[3], prepend=-1))
    for mean in (-1000.0, 1000.0):
        agree(others, np.array((mean, 60.0, 1.0)), 0.5, starts[[0, 70, 200]].tolist())


@pytest.mark.parametrize(
    ("n", "seed", "spread", "fall", "ties", "own", "place"),
    [
        (400, 880251467, 60.0, 0.3, 0.95, (-1978.0, 26.5, 1.0), 189),
        (400, 360731584, 0.0, 10.0, 0.7, (35.0, 23.0, 4.0), 296),
    ],
)
def test_who_comes_from_afar_moves_those_who_did_not_matter_to_each_other(
    n, seed, spread, fall, ties, own, place
):
    """What is between two groups far apart tells nothing until somebody pulls at them."""
    others, own = competitors(n, seed, spread, fall, ties), np.array(own)
    agree(others, own, 0.0, [place])
    chain = chain_of(*others, 0.0)
    answers, found = chain_places.propagate_others(chain, n), np.empty((2, 1))
    answers[[4, 9]] = np.inf  # as if everything that tells nothing never did
    chain_places.at_places(chain, n, answers, own, 0.0, np.array([place]), found)
    assert abs(found - plainly(others, own, 0.0, [place]))[0] * own[1] > 1.0


def test_a_window_that_does_not_settle_is_widened_to_the_chain_as_it_is_folded():
    others = competitors(60, 3, 6.0, 0.1, 0.0)
    answers = chain_places.propagate_others(chain := chain_of(*others, 0.5), 60)
    answers[:] = np.nan  # of no use
    found = np.empty((2, 1))
    chain_places.at_places(chain, 60, answers, OWN, 0.5, np.array([30]), found)
    exact = plainly(others, OWN, 0.5, [30])
    assert found * OWN[1] == pytest.approx(exact * OWN[1], abs=1e-7)


def test_ends_answer_as_derivatives_of_the_chain_do():
    n, step = 25, 1e-4
    others = competitors(n, 4, 6.0, 0.2, 0.4)
    answers = chain_places.propagate_others(base := chain_of(*others, 0.6), n)
    plain = chain_of(*others, 0.6)

    def before(k, g, q):
        """F and P of competitor k, when it is told these more by those behind."""
        part = chain_of(*(each[: k + 1] for each in others), 0.6)
        part[GAP, k - 1] -= base[G, k - 1] + g
        part[S2, k] = base[Q, k - 1] + q
        return passed_on(propagated(part, k + 1), k - 1, plain[GAP, k - 1], plain[S2, k])

    def passed_on(chain, k, gap, s2):
        a, t, b, p = chain[A, k], chain[T, k], chain[B, k], chain[P, k]
        weight = s2 / (b + a * (p + s2))
        return np.array((weight * (a * (chain[F, k] + gap) - t), weight * (b + a * p)))

    for k in (1, 2, 12, 24):
        by_g = (before(k, step, 0.0) - before(k, -step, 0.0)) / (2.0 * step)
        by_q = (before(k, 0.0, step) - before(k, 0.0, -step)) / (2.0 * step)
        slopes = np.stack((by_g, by_q), axis=1).ravel()
        assert answers[:4, k] == pytest.approx(slopes, rel=1e-4, abs=1e-7)
    upside_down = tuple(each[::-1].copy() for each in others)
    mirrored = (-upside_down[0], *upside_down[1:3], -upside_down[3])
    again = chain_places.propagate_others(chain_of(*mirrored, 0.6), n)
    assert again[:5] == pytest.approx(answers[5:, ::-1], rel=1e-5, abs=1e-9)
