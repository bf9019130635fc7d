import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from podium.evaluation.significance import holm, paired_p, student_tails

P = st.lists(st.floats(0.0, 1.0) | st.just(math.nan), max_size=12).map(np.array)


def plain_holm(values):
    """From the paper: the smallest is compared with 1/m of the level, the next with 1/(m - 1), …"""
    found, worst = {}, 0.0
    ordered = sorted((p, place) for place, p in enumerate(values) if not math.isnan(p))
    for step, (p, place) in enumerate(ordered):
        worst = max(worst, min(1.0, (len(ordered) - step) * p))
        found[place] = worst
    return [found.get(place, math.nan) for place in range(len(values))]


@given(P)
def test_holm_is_the_step_down_of_the_paper(p):
    np.testing.assert_allclose(holm(p.astype(float)), plain_holm(p), rtol=1e-12)


@given(P)
def test_corrected_values_are_never_smaller_and_keep_the_order(p):
    known = p[~np.isnan(p)].astype(float)
    corrected = holm(known)
    assert (corrected >= known).all()
    assert (corrected <= 1.0).all()
    assert (np.diff(corrected[np.argsort(known, kind="stable")]) >= 0.0).all()


@given(st.floats(0.0, 1.0))
def test_one_comparison_is_not_corrected(p):
    assert holm(np.array([p, math.nan]))[0] == p


def test_holm_of_known_values():
    """The example of R's p.adjust in many courses: five tests at 5 %, of which two stay."""
    corrected = holm(np.array([0.01, 0.02, 0.03, 0.005, 0.04]))
    assert corrected == pytest.approx([0.04, 0.06, 0.06, 0.025, 0.06])


@given(st.floats(-1e4, 1e4), st.integers(1, 1_000_000))
def test_tails_are_those_of_students_distribution(t, freedom):
    wanted = scipy.special.betainc(freedom / 2, 0.5, freedom / (freedom + t * t))
    assert student_tails(t, freedom) == pytest.approx(wanted, rel=1e-8, abs=1e-290)


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=2, max_size=40),
)
def test_equal_weights_make_it_the_paired_t_test(pairs):
    one, other = np.array(pairs).T
    off = one - other
    if off.std() <= 1e-6 * abs(off.mean()) or off.std() < 1e-9:
        return
    wanted = scipy.stats.ttest_rel(one, other).pvalue
    found = paired_p(off.mean(), (off - off.mean()) / len(off))
    assert found == pytest.approx(wanted, rel=1e-6, abs=1e-200)


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_contests_tell_nothing(count):
    assert math.isnan(paired_p(0.5, np.zeros(count)))


def test_contests_that_all_say_the_same_tell_nothing_unless_it_is_no_difference():
    assert math.isnan(paired_p(0.1, np.full(10, 1e-18)))
    assert paired_p(0.0, np.zeros(10)) == 1.0
