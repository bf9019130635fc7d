"""How contests may end, against integrals by SciPy, Luce's rule and counting."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import expit

from podium.numerics import fields

FAMILIES = {
    fields.NORMAL: lambda z: (
        0.5 * math.erfc(z / math.sqrt(2.0)),
        math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi),
    ),
    fields.LOGISTIC: lambda z: (expit(-z), expit(z) * expit(-z)),
    fields.GUMBEL: lambda z: (-math.expm1(-math.exp(-z)), math.exp(-z - math.exp(-z))),
}
"""The probability of more than z, and the density there."""
FIELDS = st.integers(2, 5).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-300.0, 300.0), min_size=n, max_size=n).map(np.array),
        st.lists(st.floats(50.0, 150.0), min_size=n, max_size=n).map(np.array),
    )
)


def chances(family, location, scale, top=3):
    return fields.rank_probabilities(family, location, scale, fields.NO_TABLE, top)


def plainly(family, location, scale, top):
    """Probability of each place among the best `top`, over all sets of opponents above x."""
    kind, n = FAMILIES[family], len(location)
    places, widths = location.tolist(), scale.tolist()
    crowds = [who for who in itertools.product((0, 1), repeat=n - 1) if sum(who) < top]

    def fewer_above(x, i):
        found = [kind((x - place) / width) for place, width in zip(places, widths, strict=True)]
        above = [found[j][0] for j in range(n) if j != i]
        total = 0.0
        for who in crowds:
            total += math.prod(p if w else 1.0 - p for p, w in zip(above, who, strict=True))
        return total * found[i][1] / widths[i]

    low, high = (location - 40 * scale).min(), (location + 40 * scale).max()
    return [
        integrate.quad(fewer_above, low, high, (i,), points=location, limit=400)[0]
        for i in range(n)
    ]


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=6)
@given(FIELDS, st.integers(1, 3))
def test_places_are_the_integrals_of_the_model(family, field, top):
    first, best, rank = chances(family, *field, top)
    assert first == pytest.approx(plainly(family, *field, 1), abs=1e-7)
    assert best == pytest.approx(plainly(family, *field, min(top, len(first))), abs=1e-7)
    n = len(first)
    beaten = [
        sum(plainly(family, field[0][[j, i]], field[1][[j, i]], 1)[0] for j in range(n) if j != i)
        for i in range(n)
    ]
    assert rank == pytest.approx(1.0 + np.array(beaten), abs=1e-6)


@given(FIELDS)
def test_gumbel_performances_of_one_scale_follow_luces_rule(field):
    location = field[0]
    first, _, _ = chances(fields.GUMBEL, location, np.full(len(location), 100.0))
    strength = np.exp(location / 100.0)
    assert first == pytest.approx(strength / strength.sum(), rel=1e-8)
    two = fields.exceeding(fields.GUMBEL, location[:2], np.full(2, 100.0), fields.NO_TABLE)
    assert two == pytest.approx(strength[0] / strength[:2].sum(), rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@given(FIELDS, st.integers(1, 6))
def test_chances_sum_to_the_places_that_there_are(family, field, top):
    first, best, rank = chances(family, *field, top)
    n = len(first)
    assert first.sum() == pytest.approx(1.0, abs=1e-12)
    assert best.sum() == pytest.approx(min(top, n), abs=1e-8)
    assert rank.sum() == pytest.approx(n * (n + 1) / 2, rel=1e-9)
    assert (best >= first - 1e-9).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_field_of_twenty_thousand_has_a_likely_winner(family):
    location = np.random.default_rng(1).normal(1500.0, 300.0, 20_000)
    scale = np.full(20_000, 150.0)
    first, best, rank = chances(family, location, scale, 10)
    favourite = np.argmax(location)
    assert np.isfinite(first).all()
    assert first.sum() == pytest.approx(1.0)
    assert best.sum() == pytest.approx(10.0, rel=1e-6)
    assert np.argmax(first) == np.argmin(rank) == favourite
    assert rank.sum() == pytest.approx(20_000 * 20_001 / 2, rel=1e-9)


def test_equals_have_equal_chances_and_gaps_are_certain():
    first, best, rank = chances(fields.NORMAL, np.zeros(4), np.ones(4), 2)
    assert first == pytest.approx([0.25] * 4)
    assert best == pytest.approx([0.5] * 4)
    assert rank == pytest.approx([2.5] * 4)
    first, _, rank = chances(fields.LOGISTIC, np.array([10_000.0, 0.0, -1e4]), np.full(3, 100.0))
    assert first == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert rank == pytest.approx([1.0, 2.0, 3.0], abs=1e-12)


def test_the_chances_of_the_certain_are_those_of_a_step():
    location, scale = np.array([1700.0, 1200.0]), np.array([1e-7, 500.0])
    first, _, rank = chances(fields.NORMAL, location, scale)
    assert first[1] == pytest.approx(stats.norm.sf(1.0), abs=1e-5)
    assert rank[0] == pytest.approx(1.0 + stats.norm.sf(1.0), abs=1e-4)


def test_one_alone_is_first():
    first, best, rank = chances(fields.NORMAL, np.zeros(1), np.ones(1))
    assert (first, best, rank) == ([1.0], [1.0], [1.0])


def test_a_table_does_what_its_formula_does():
    z = np.linspace(-fields.REACH, fields.REACH, 4001)
    table = np.stack((stats.norm.cdf(z), stats.norm.pdf(z)))
    location, scale = np.array([0.0, 50.0, -20.0]), np.array([100.0, 80.0, 120.0])
    by_table = fields.rank_probabilities(fields.TABULATED, location, scale, table, 2)
    for ours, exact in zip(by_table, chances(fields.NORMAL, location, scale, 2), strict=True):
        assert ours == pytest.approx(exact, abs=1e-5)


def test_two_gumbel_performances_of_different_scales_differ_by_their_mean_variance():
    location, scale = np.array([100.0, 0.0]), np.array([100.0, 200.0])
    p = fields.exceeding(fields.GUMBEL, location, scale, fields.NO_TABLE)
    assert p == pytest.approx(1.0 / (1.0 + np.exp(-100.0 / np.sqrt(25_000.0))))


def plain_rank(family, location, scale, i):
    """One plus the chances to be beaten by each other competitor, pair by pair."""
    lead = np.delete(location, i) - location[i]
    others = np.delete(scale, i)
    if family == fields.NORMAL:
        return 1.0 + stats.norm.cdf(lead / np.hypot(scale[i], others)).sum()
    if family == fields.GUMBEL:
        return 1.0 + expit(lead / others).sum()
    x = np.linspace(-40.0, 40.0, 1601)
    density = expit(x) * expit(-x) * (x[1] - x[0])
    return 1.0 + (density @ expit((lead - x[:, None] * scale[i]) / others)).sum()


CROWDS = st.tuples(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 100, 257, 300]),
    st.floats(0.0, 3000.0),
    st.floats(1.0, 6.0),
)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=10, deadline=None)
@given(CROWDS)
def test_expected_ranks_are_sums_over_pairs(family, crowd):
    seed, count, spread, ratio = crowd
    rng = np.random.default_rng(seed)
    location = rng.normal(1500.0, spread, count)
    scale = 100.0 * (np.ones(count) if family == fields.GUMBEL else rng.uniform(1.0, ratio, count))
    found = fields.expected_ranks(family, location, scale, fields.NO_TABLE)
    some = rng.integers(0, count, 20)
    exact = [plain_rank(family, location, scale, each) for each in some]
    assert found[some] == pytest.approx(exact, abs=1e-9 * count)


@pytest.mark.parametrize("family", FAMILIES)
def test_expected_ranks_of_many_are_those_of_all_chances(family):
    rng = np.random.default_rng(5)
    location = rng.normal(1500.0, 300.0, 3000)
    scale = np.full(3000, 120.0) if family == fields.GUMBEL else rng.uniform(90.0, 250.0, 3000)
    found = fields.expected_ranks(family, location, scale, fields.NO_TABLE)
    exact = chances(family, location, scale, 1)[2]
    assert np.abs(found - exact).max() < 3000 * 2e-10
    assert found.sum() == pytest.approx(3000 * 3001 / 2, rel=1e-11)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("tiny", [0.0, 1e-9, 1.0])
def test_expected_ranks_of_the_certain_and_of_the_far_away(family, tiny):
    location = np.repeat([9e4, 0.0, -1e5], 100)
    scale = np.repeat([tiny, tiny, 300.0], 100)
    found = fields.expected_ranks(family, location, scale, fields.NO_TABLE)
    assert found == pytest.approx(np.repeat([50.5, 150.5, 250.5], 100), abs=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("count", [1, 7, 300])
def test_expected_ranks_of_equals(family, count):
    found = fields.expected_ranks(family, np.zeros(count), np.ones(count), fields.NO_TABLE)
    assert found == pytest.approx(np.full(count, (count + 1) / 2), abs=1e-7)
