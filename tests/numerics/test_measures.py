"""Kernels of measures against their definitions, contest by contest."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics import measures
from tests.numerics import plain_measures as plain

SIZES_OF_RINGS = [65, 66, 100, 127, 128, 129, 1000, 4097]


@st.composite
def standings(draw, most=7):
    """Ranks, best first, and ratings of a contest, with ties of both; it may be of nobody."""
    n = draw(st.integers(0, most))
    ranks = sorted(draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)))
    values = st.integers(-2, 2).map(float) | st.floats(-1e4, 1e4)
    return ranks, draw(st.lists(values, min_size=n, max_size=n))


SEASONS = st.lists(standings(), max_size=5)


def as_columns(season):
    """Offsets, ranks and ratings of contests that follow each other."""
    offsets = np.cumsum([0, *(len(ranks) for ranks, _ in season)])
    ranks = np.array([rank for ranks, _ in season for rank in ranks], np.int32)
    ratings = np.array([rating for _, ratings in season for rating in ratings], float)
    return offsets, ranks, ratings


@pytest.mark.parametrize(
    ("kernel", "definition"),
    [
        (measures.pairs_called_right, plain.pair_inversion),
        (measures.rank_deviations, plain.rank_deviation),
    ],
)
@given(season=SEASONS)
def test_measures_of_competitors_are_what_they_are_defined_as(kernel, definition, season):
    expected = [value for contest in season for value in definition(*contest)]
    assert kernel(*as_columns(season)).tolist() == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", ["spearman", "kendall"])
@given(season=SEASONS)
def test_correlations_are_what_they_are_defined_as(name, season):
    found = getattr(measures, name)(*as_columns(season))
    expected = [getattr(plain, name)(*contest) for contest in season]
    assert found.tolist() == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(SEASONS, st.integers(1, 6))
def test_hits_are_what_they_are_defined_as(season, k):
    found = measures.top_hits(*as_columns(season), k)
    expected = [plain.top_hits(*contest, k) for contest in season]
    assert found.tolist() == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(SEASONS, st.integers(1, 8), st.randoms())
def test_the_highest_rated_are_found_and_equals_by_their_ids(season, k, random):
    offsets, _, ratings = as_columns(season)
    players = np.concatenate([np.zeros(0), *(_shuffled(len(r), random) for r, _ in season)])
    rows, ends = measures.highest_rated(offsets, players.astype(np.int32), ratings, k)
    for contest, (start, end) in enumerate(pairwise(offsets)):
        wanted = plain.highest_rated(players[start:end], ratings[start:end], k)
        assert (rows[ends[contest] : ends[contest + 1]] - start).tolist() == wanted
    assert len(rows) == ends[-1]


def _shuffled(n, random):
    ids = list(range(n))
    random.shuffle(ids)
    return np.array(ids)


def inside_a_bin(p):
    """Whether rounding cannot move p to the next of 1, 3 or 20 bins."""
    return all(abs(borders * p - round(borders * p)) > 1e-6 for borders in (6, 40))


SCORES = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.0, 1.0)
CHANCES = st.floats(0.0, 1.0).filter(inside_a_bin)
ODD_CHANCES = st.sampled_from([0.0, 0.5, 0.5 - 1e-15, 0.5 + 1e-15, 1.0, math.nan])


@given(
    st.lists(st.tuples(st.integers(0, 2), SCORES, CHANCES | ODD_CHANCES), min_size=1, max_size=20),
    st.sampled_from([1, 3, 20]),
)
def test_sums_over_pairs_are_those_of_plain_loops(pairs, bins):
    contest, score, expected = (np.array(column) for column in zip(*pairs, strict=True))
    sums = np.zeros((3, 4 + 3 * bins))
    measures.add_up_pairs(contest, score, expected, 1e-15, bins, sums)
    for number, row in enumerate(sums):
        own = [(y, p) for c, y, p in pairs if c == number]
        assert row.tolist() == pytest.approx(plain.pair_sums(own, 1e-15, bins), abs=1e-9)


@given(SCORES, (CHANCES | st.just(0.5)).filter(lambda p: 1e-6 < p < 1.0 - 1e-6))
def test_who_of_a_pair_comes_first_changes_nothing(score, p):
    sums = np.zeros((2, 64))
    scores, expected = np.array([score, 1.0 - score]), np.array([p, 1.0 - p])
    measures.add_up_pairs(np.arange(2), scores, expected, 1e-15, 20, sums)
    assert sums[0] == pytest.approx(sums[1], rel=1e-9, abs=1e-9)


def test_a_score_expected_for_sure_costs_what_its_rounding_says():
    sums = np.zeros((1, 64))
    zeros = np.zeros(2, np.int64)
    measures.add_up_pairs(zeros, np.array([1.0, 0.0]), np.array([1e-14, 1e-14]), 1e-15, 20, sums)
    assert sums[0, 2] == pytest.approx(-math.log(1e-14), rel=1e-12)


def chosen(offsets, players):
    """The pairs that are looked at, as sets of players in each contest."""
    counts = measures.pair_counts(offsets)
    a, b = measures.pairs(offsets, players, 0, len(counts), counts.sum())
    contest = np.repeat(np.arange(len(counts)), counts)
    return contest, players[a], players[b]


@given(st.lists(st.integers(0, 70), max_size=5))
def test_up_to_64_all_pairs_are_looked_at_once_the_better_placed_first(sizes):
    offsets = np.cumsum([0, *sizes])
    players = np.arange(offsets[-1], dtype=np.int32)
    contest, a, b = chosen(offsets, players)
    for number, (start, end) in enumerate(pairwise(offsets.tolist())):
        if end - start <= 64:
            own = list(zip(a[contest == number], b[contest == number], strict=True))
            assert own == [(i, j) for i in range(start, end) for j in range(i + 1, end)]


@pytest.mark.parametrize("n", SIZES_OF_RINGS)
def test_in_larger_contests_everybody_has_as_many_pairs_and_no_pair_comes_twice(n):
    rng = np.random.default_rng(n)
    players = rng.permutation(3 * n)[:n].astype(np.int32)
    _, a, b = chosen(np.array([0, n]), players)
    steps = math.ceil(math.log2(n))
    assert len(a) == n * steps
    assert (a != b).all()
    assert len({frozenset(pair) for pair in zip(a.tolist(), b.tolist(), strict=True)}) == len(a)
    _, times = np.unique(np.concatenate([a, b]), return_counts=True)
    assert times.tolist() == [2 * steps] * n


@pytest.mark.parametrize("n", SIZES_OF_RINGS)
def test_how_a_larger_contest_ended_does_not_change_who_is_compared(n):
    rng = np.random.default_rng(n)
    players = rng.permutation(n).astype(np.int32)
    _, a, b = chosen(np.array([0, n]), players)
    _, c, d = chosen(np.array([0, n]), rng.permutation(players))
    assert (a.tolist(), b.tolist()) == (c.tolist(), d.tolist())


def test_the_pairs_of_a_large_contest_stand_for_all_of_them():
    n = 4097
    ratings = np.random.default_rng(1).normal(size=n)
    for order in (np.arange(n), np.argsort(ratings)):  # however ids have to do with ratings
        rated = ratings[order]
        _, a, b = chosen(np.array([0, n]), np.arange(n, dtype=np.int32))
        assert np.abs(rated[a] - rated[b]).mean() == pytest.approx(2 / math.sqrt(math.pi), rel=0.1)


def test_some_of_the_contests_have_the_pairs_that_they_have_among_all():
    offsets = np.cumsum([0, 3, 70, 0, 1, 5, 100])
    players = np.random.default_rng(2).permutation(offsets[-1]).astype(np.int32)
    counts = measures.pair_counts(offsets)
    whole = np.stack(measures.pairs(offsets, players, 0, 6, counts.sum()))
    parts = [
        np.stack(measures.pairs(offsets, players, first, last, counts[first:last].sum()))
        for first, last in pairwise([0, 1, 3, 3, 6])
    ]
    assert np.array_equal(np.hstack(parts), whole)


@pytest.mark.parametrize("n", [3, 64, 1024, 1025, 3000])
def test_a_second_look_takes_every_stride_of_a_large_contest_in_turn(n):
    offsets = np.array([0, n])
    [total] = measures.pair_counts(offsets).tolist()
    contest = np.zeros(total, np.int64)
    looks = [measures.some_pairs(offsets, np.array([number]), contest) for number in range(4)]
    if n <= 1024:
        assert all(look.tolist() == list(range(total)) for look in looks)
        return
    assert sorted(np.concatenate(looks).tolist()) == list(range(total))
    a, b = measures.pairs(offsets, np.arange(n, dtype=np.int32), 0, 1, total)
    for look in looks:  # everybody is in as many of them
        assert len(set(np.bincount(np.concatenate((a[look], b[look])), minlength=n))) == 1
