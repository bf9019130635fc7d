"""Performances with half ties, by table and term by term, and the robust mean they go into."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from podium.numerics import roots
from podium.numerics.robust_mean import OF_EIGHT, P0, W0, X, padded, robust_mean, robust_means
from tests.numerics.contests import fields, ranks_from
from tests.systems import plain_elo_r as plain


def performances(mu, s, ranks):
    out = np.empty(len(mu))
    roots.found(mu, s, ranks, roots.HALVES, out)
    return out


@given(fields(largest=30))
@settings(max_examples=60, deadline=None)
def test_performances_agree_with_the_paper_written_out_plainly(contest):
    mu, s, ranks = contest
    assert performances(mu, s, ranks) == pytest.approx(plain.barred(mu, s, ranks), abs=1e-7)


@given(fields(largest=200))
@settings(max_examples=60, deadline=None)
def test_without_ties_this_is_the_rule_of_elo_mmr(contest):
    mu, s, _ = contest
    ranks = np.arange(1, len(mu) + 1, dtype=np.int32)
    whole = np.empty(len(mu))
    roots.found(mu, s, ranks, roots.TIED, whole)
    assert performances(mu, s, ranks) == pytest.approx(whole, abs=1e-8 * s.max())


def test_with_ties_it_is_neither_of_the_rules_of_elo_mmr():
    """Elo-MMR counts a tie as a win and a loss, or splits all ties, that with oneself too."""
    mu, s = np.array([1700.0, 1500.0, 1400.0]), np.full(3, 140.0)
    ranks = np.array([1, 1, 3], np.int32)
    ours, other = performances(mu, s, ranks), np.empty(3)
    assert ours[0] > ours[1]
    for mode in (roots.TIED, roots.SPLIT):
        roots.found(mu, s, ranks, mode, other)
        assert other[0] == other[1]
        assert abs(ours - other).max() > 1.0


@pytest.mark.parametrize("spread", [400.0, 5000.0])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_better_rank_is_a_better_performance(spread, data):
    mu, s, ranks = data.draw(fields(largest=150, spread=spread))
    found = performances(mu, s, ranks)
    best = {rank: found[ranks == rank].max() for rank in np.unique(ranks)}
    worst = {rank: found[ranks == rank].min() for rank in np.unique(ranks)}
    order = sorted(best)
    for better, worse in itertools.pairwise(order):
        assert worst[better] > best[worse] - 1e-9 * s.max()


@given(fields(largest=150))
@settings(max_examples=60, deadline=None)
def test_of_two_who_are_tied_the_higher_rated_did_better(contest):
    mu, _, ranks = contest
    found = performances(mu, np.full(len(mu), 140.0), ranks)
    for rank in np.unique(ranks):
        rows = np.flatnonzero(ranks == rank)
        order = rows[np.argsort(mu[rows], kind="stable")]
        assert (np.diff(found[order]) > -1e-8).all()


@pytest.mark.parametrize(
    ("rows", "gap"), [(2, 4e4), (4, 4e4), (8, 4e4), (60, 4e4), (60, 1e4), (300, 1e4), (3000, 1e4)]
)
def test_the_last_beating_the_first_is_the_mirror_image_even_across_a_gap(rows, gap):
    mu = np.sort(np.where(np.arange(rows) % 2 == 0, 0.0, gap))
    s = np.full(rows, 140.0)
    ranks = np.arange(1, rows + 1, dtype=np.int32)
    found = performances(mu, s, ranks)
    assert np.isfinite(found).all()
    assert found == pytest.approx(gap - found[::-1], abs=1e-6)
    assert found[0] > gap / 2.0 > found[-1]


def test_an_upset_between_two_is_resolved_beyond_the_last_digits_of_the_terms():
    """Both performances lie midway: terms of 1/s cancel, and exp(-60) decides."""
    gap, s = 120.0 * 140.0, 140.0
    mu, ranks = np.array([0.0, gap]), np.array([1, 2], np.int32)
    winner, loser = performances(mu, np.full(2, s), ranks)
    assert winner - gap / 2.0 == pytest.approx(0.5 * s * math.log(2.0), rel=1e-9)
    assert gap / 2.0 - loser == pytest.approx(0.5 * s * math.log(2.0), rel=1e-9)


def test_gaps_beyond_all_bounds_keep_the_order():
    mu = np.array([0.0, 1e6, -1e6])
    found = performances(mu, np.full(3, 0.01), np.array([1, 2, 3], np.int32))
    assert np.isfinite(found).all()
    assert found[0] >= found[1] >= found[2]


@pytest.mark.parametrize("distinct", [1, 40, 10**9])
def test_20_000_players_balance_their_surprises(distinct):
    rng = np.random.default_rng(distinct)
    rows = 20_000
    mu = rng.normal(1500.0, 400.0, rows)
    s = rng.uniform(136.0, 215.0, rows)
    ranks = ranks_from(np.sort(rng.integers(0, distinct, rows).astype(np.float64))[::-1])
    found = performances(mu, s, ranks)
    for row in (0, 1, rows // 2, rows - 2, rows - 1, *rng.integers(0, rows, 5)):
        for offset, sign in ((-1e-6, 1.0), (1e-6, -1.0)):
            t = np.tanh((found[row] + offset - mu) / (2.0 * s))
            outcome = np.sign(ranks - ranks[row])
            terms = (outcome - t) / s
            terms[row] *= 2.0
            terms = terms[np.argsort(np.abs(terms))]
            assert sign * math.fsum(terms) > 0.0


@given(fields(largest=200), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_who_tied_with_an_equal_rating_has_an_equal_performance(contest, copies):
    mu, s, ranks = contest
    order = np.argsort(np.repeat(ranks, copies + 1), kind="stable")
    mu, s = (np.repeat(each, copies + 1)[order] for each in (mu, s))
    ranks = ranks_from(-np.repeat(ranks, copies + 1)[order].astype(np.float64))
    found = performances(mu, s, ranks)
    same = {}
    for key, performance in zip(zip(mu, s, ranks, strict=True), found.tolist(), strict=True):
        assert same.setdefault(key, performance) == performance


terms = st.lists(
    st.tuples(st.floats(-2000.0, 5000.0), st.floats(60.0, 3000.0), st.floats(1e-5, 1e-2)),
    min_size=1,
    max_size=30,
)


def mean_of(p0, w0, terms, start):
    columns = np.zeros((3, padded(len(terms))))
    for k, (p, scale, c) in enumerate(terms):
        columns[:, k] = p, 1.0 / scale, c
    return robust_mean(p0, w0, columns[0], columns[1], columns[2], start, 60.0)


@given(terms, st.sampled_from([0.0, 1e-7, 1e-4]), st.floats(-3000.0, 6000.0))
@settings(max_examples=200, deadline=None)
def test_the_robust_mean_is_the_zero_of_the_slope_written_out(terms, w0, start):
    def slope(x):
        pulls = [c * math.tanh((x - p) / scale) for p, scale, c in terms]
        return math.fsum([w0 * (x - 1500.0), *pulls])

    low, high = (f(1500.0, *(p for p, _, _ in terms)) for f in (min, max))
    exact = (
        brentq(slope, low - 1.0, high + 1.0, xtol=1e-12) if w0 or len(terms) > 1 else terms[0][0]
    )
    found = mean_of(1500.0, w0, terms, start)
    flat = abs(slope(found)) <= 1e-15 * sum(c for _, _, c in terms)
    assert flat or found == pytest.approx(exact, abs=1e-7)


@given(
    st.lists(
        st.tuples(terms, st.sampled_from([0.0, 1e-7, 1e-4]), st.floats(-3000.0, 6000.0)),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=200, deadline=None)
def test_robust_means_of_eight_are_those_of_each_alone_to_the_bit(players):
    columns = np.zeros((8, 3, 32))
    eight = np.zeros((OF_EIGHT, 8))
    for row, (terms, w0, start) in enumerate(players):
        eight[X, row], eight[P0, row], eight[W0, row] = start, 1500.0, w0
        for k, (p, scale, c) in enumerate(terms):
            columns[row, :, k] = p, 1.0 / scale, c
    counts = np.array([padded(len(terms)) for terms, _, _ in players])
    robust_means(counts, columns[:, 0], columns[:, 1], columns[:, 2], 60.0, eight)
    alone = [mean_of(1500.0, w0, terms, start) for terms, w0, start in players]
    assert eight[X, : len(players)].tolist() == alone


def test_an_outlier_pulls_a_robust_mean_no_further_than_its_share():
    near = [(1500.0, 200.0, 0.005)] * 4
    moved = [mean_of(1500.0, 1e-4, [*near, (p, 200.0, 0.005)], 1500.0) for p in (2e3, 1e4, 1e8)]
    assert 1500.0 < moved[0] < moved[1] <= moved[2] < 1550.0
    assert moved[2] - moved[1] < 1e-9
