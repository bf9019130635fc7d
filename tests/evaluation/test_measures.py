"""Properties of the measures, SciPy's correlations, and plain loops over pairs."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import podium
from podium.evaluation import measures
from podium.evaluation.measures import (
    BINS,
    MEASURES,
    Reliability,
    accuracy,
    brier,
    by_name,
    kendall,
    log_loss,
    pair_inversion,
    rank_deviation,
    spearman,
    top_hits,
)
from podium.evaluation.scoring import ContestValues
from podium.numerics.measures import add_up_pairs

ORDER = [pair_inversion, rank_deviation, spearman, kendall]


def reliability(score, expected, group=None, groups=1):
    """The bins that are added up for contests, a row for each group of pairs."""
    sums = np.zeros((groups, 4 + 3 * BINS))
    contest = np.zeros(len(score), np.int64) if group is None else group
    add_up_pairs(contest, score, expected, 1e-15, BINS, sums)
    return Reliability(*np.split(sums[:, 4:], 3, axis=1))


def calibration_error(bins):
    """That of a single contest with these bins."""
    pairs = bins.pairs.sum(axis=1).astype(np.int64)
    shares = Reliability(*(sums / np.maximum(pairs, 1) for sums in bins))
    values = ContestValues(pairs, {}, {"calibration-error": shares})
    return values.means("participation")["calibration-error"]


@st.composite
def standings(draw, fewest=2, most=9):
    """Ranks, best first, and ratings of one contest as columns, with ties of both."""
    n = draw(st.integers(fewest, most))
    rank = np.sort(draw(st.lists(st.integers(1, 6), min_size=n, max_size=n))).astype(np.int32)
    rating = np.array(draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n)), float)
    return np.array([0, n]), rank, rating


@given(standings())
def test_correlations_are_those_of_scipy(contest):
    _, rank, rating = contest
    assume(len(set(rank)) > 1)
    assume(len(set(rating)) > 1)
    assert spearman(*contest)[0] == pytest.approx(stats.spearmanr(-rank, rating).statistic)
    tau = stats.kendalltau(-rank, rating, variant="b").statistic
    assert kendall(*contest)[0] == pytest.approx(tau)


def test_correlations_are_those_of_scipy_in_a_contest_of_thousands():
    rng = np.random.default_rng(4)
    rank = np.sort(rng.integers(1, 900, 5000)).astype(np.int32)
    rating = np.round(rng.normal(1500, 300, 5000), -1)
    contest = np.array([0, 5000]), rank, rating - 0.8 * rank
    assert spearman(*contest)[0] == pytest.approx(stats.spearmanr(-rank, contest[2]).statistic)
    assert kendall(*contest)[0] == pytest.approx(stats.kendalltau(-rank, contest[2]).statistic)


@given(standings(), st.sampled_from([np.exp, np.arctan, np.cbrt, lambda x: 1500.0 + 250.0 * x]))
def test_only_the_order_of_ratings_counts(contest, rising):
    offsets, rank, rating = contest
    for measure in ORDER:
        assert np.array_equal(
            measure(offsets, rank, rating), measure(offsets, rank, rising(rating)), equal_nan=True
        )
    assert np.array_equal(
        top_hits(*contest, 2), top_hits(offsets, rank, rising(rating), 2), equal_nan=True
    )


@given(standings())
def test_only_the_order_of_ranks_counts(contest):
    offsets, rank, rating = contest
    for measure in ORDER:
        assert np.array_equal(
            measure(offsets, rank, rating), measure(offsets, rank**3, rating), equal_nan=True
        )


@given(standings())
def test_ratings_upside_down_call_right_what_they_called_wrong_and_the_ties(contest):
    offsets, rank, rating = contest
    assume(len(set(rank)) > 1)
    tied = np.array([np.sum(rank == own) - 1 for own in rank]) / (len(rank) - 1)
    upright, reversed_ = pair_inversion(*contest), pair_inversion(offsets, rank, -rating)
    assert reversed_ == pytest.approx(1.0 - upright + tied)
    for correlation in (spearman, kendall):
        assert correlation(offsets, rank, -rating) == pytest.approx(-correlation(*contest))


@given(st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=30, unique=True))
def test_who_knows_everything_before_is_right_in_everything(ratings):
    rating = -np.sort(ratings)
    n = len(rating)
    contest = np.array([0, n]), np.arange(1, n + 1, dtype=np.int32), rating
    assert pair_inversion(*contest).tolist() == [1.0] * n
    assert rank_deviation(*contest).tolist() == [0.0] * n
    assert spearman(*contest)[0] == pytest.approx(1.0)
    assert kendall(*contest)[0] == pytest.approx(1.0)
    assert top_hits(*contest, n - 1).tolist() == [1.0]
    upside_down = *contest[:2], -rating
    assert pair_inversion(*upside_down).tolist() == [0.0] * n
    assert rank_deviation(*upside_down)[[0, -1]].tolist() == [1.0, 1.0]
    assert spearman(*upside_down)[0] == pytest.approx(-1.0)
    assert kendall(*upside_down)[0] == pytest.approx(-1.0)


def test_who_knows_nothing_calls_half_and_correlates_with_nothing():
    contest = np.array([0, 5]), np.arange(1, 6, dtype=np.int32), np.full(5, 1500.0)
    assert pair_inversion(*contest).tolist() == [0.5] * 5
    assert rank_deviation(*contest).tolist() == [0.5, 0.25, 0.0, 0.25, 0.5]
    assert (spearman(*contest)[0], kendall(*contest)[0]) == (0.0, 0.0)
    assert top_hits(*contest, 2).tolist() == pytest.approx([2 / 5])


@given(standings(most=7))
def test_one_at_the_top_is_a_hit_if_the_highest_rated_won(contest):
    _, rank, rating = contest
    winners, favourites = rank == rank.min(), rating == rating.max()
    hit = np.mean(winners[favourites]) / winners.sum()
    if len(set(rank)) == 1:
        hit = math.nan
    assert top_hits(*contest, 1).tolist() == pytest.approx([hit], nan_ok=True)


def test_contests_of_one_and_contests_without_a_winner_are_not_measured():
    offsets, rank = np.array([0, 1, 1, 4, 6]), np.array([1, 2, 2, 2, 1, 2], np.int32)
    rating = np.array([5.0, 1.0, 2.0, 3.0, 4.0, 3.0])
    for measure in (pair_inversion, rank_deviation):
        assert np.isnan(measure(offsets, rank, rating)).tolist() == [True] * 4 + [False] * 2
    for of_contests in (spearman, kendall, lambda *columns: top_hits(*columns, 1)):
        assert np.isnan(of_contests(offsets, rank, rating)).tolist() == [True] * 3 + [False]


def test_no_contests_have_no_values():
    nothing = np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0)
    for measure in (*ORDER, lambda *columns: top_hits(*columns, 3)):
        assert measure(*nothing).tolist() == []


PAIRS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0.0, 1.0),
        (st.floats(1e-9, 1.0 - 1e-9) | st.just(0.5)).filter(
            lambda p: p == 0.5 or abs(2 * BINS * p - round(2 * BINS * p)) > 1e-6
        ),
    ),
    min_size=1,
    max_size=30,
)


@given(PAIRS)
def test_measures_of_pairs_are_those_of_plain_loops(pairs):
    score, expected = (np.array(column) for column in zip(*pairs, strict=True))
    for index, (y, p) in enumerate(pairs):
        right = 0.5 if p == 0.5 or y == 0.5 else float((p > 0.5) == (y > 0.5))
        assert accuracy(score, expected)[index] == right
        assert brier(score, expected)[index] == pytest.approx((y - p) ** 2)
        loss = -y * math.log(p) - (1.0 - y) * math.log(1.0 - p)
        assert log_loss(score, expected)[index] == pytest.approx(loss, rel=1e-6)


@given(PAIRS)
def test_the_calibration_error_is_that_of_a_plain_loop(pairs):
    score, expected = (np.array(column) for column in zip(*pairs, strict=True))
    bins = [[] for _ in range(BINS)]
    for y, p in pairs:
        favourite, scored = (p, y) if p > 0.5 else (1.0 - p, 1.0 - y)
        which = min(int((favourite - 0.5) * 2 * BINS), BINS - 1)
        bins[which].append((favourite, 0.5 if p == 0.5 else scored))
    off = sum(abs(sum(p - y for p, y in own)) for own in bins)
    found = reliability(score, expected)
    assert calibration_error(found)[0] == pytest.approx(off / len(pairs), abs=1e-12)
    assert found.pairs[0].tolist() == [len(own) for own in bins]
    swapped = reliability(1.0 - score, 1.0 - expected)
    for one, other in zip(found, swapped, strict=True):
        assert one == pytest.approx(other, abs=1e-9)


@given(PAIRS, st.data())
def test_groups_of_pairs_have_bins_of_their_own(pairs, data):
    score, expected = (np.array(column) for column in zip(*pairs, strict=True))
    group = np.array([data.draw(st.integers(0, 3)) for _ in pairs])
    together = reliability(score, expected, group, 4)
    for number in range(4):
        own = reliability(score[group == number], expected[group == number])
        for of_all, of_one in zip(together, own, strict=True):
            assert of_all[number].tolist() == pytest.approx(of_one[0].tolist())


def test_without_a_favourite_nobody_is_called_right_for_coming_first():
    score = np.ones(4)
    expected = 0.5 + np.array([0.0, 1e-15, -1e-15, 1e-6])
    assert accuracy(score, expected).tolist() == [0.5, 0.5, 0.5, 1.0]
    assert calibration_error(reliability(score[:3], expected[:3]))[0] == pytest.approx(0.0)


def test_expected_scores_that_come_true_on_average_are_calibrated():
    expected = np.repeat([0.6, 0.75, 0.9], 20)
    score = np.concatenate([np.arange(20) < 20 * p for p in (0.6, 0.75, 0.9)]).astype(float)
    assert calibration_error(reliability(score, expected))[0] == pytest.approx(0.0, abs=1e-12)
    assert calibration_error(reliability(score, expected * 0 + 1.0))[0] == pytest.approx(0.25)
    assert math.isnan(calibration_error(reliability(np.zeros(0), np.zeros(0)))[0])


def test_errors_are_best_when_low_and_what_is_right_when_high():
    lowest = {name for name, measure in MEASURES.items() if measure.best == "lowest"}
    assert lowest == {
        "rank-deviation",
        "log-loss",
        "brier",
        "calibration-error",
        "calibrated-log-loss",
        "calibrated-brier",
        "calibrated-calibration-error",
        "top-rank-deviation",
    }
    assert {measure.best for measure in MEASURES.values()} == {"highest", "lowest"}


def test_shares_are_read_in_hundredths_and_nothing_else():
    plain = [name for name, measure in MEASURES.items() if not measure.percent]
    pairs = ["log-loss", "brier"]
    assert plain == ["spearman", "kendall", *pairs, *(f"calibrated-{name}" for name in pairs)]


def test_a_measure_is_known_by_its_name():
    assert all(by_name(name).name == name for name in MEASURES)
    with pytest.raises(podium.PodiumError, match=r"no measure 'kendal' \(did you mean 'kendall'"):
        by_name("kendal")
    with pytest.raises(podium.PodiumError, match="no measure 7; there are pair-inversion"):
        measures.by_name(7)
