import dataclasses
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import PodiumError
from podium.luck import Belief, CoinToss, Custom, Heaviside, Logistic
from tests.luck.strategies import beliefs, luck_functions, pairs_on_a_grid


def plain_chance(one, other, luck):
    """Model 2.1 as a double sum."""
    return math.fsum(
        p * q * float(luck(x, y))
        for x, p in zip(one.points, one.probabilities, strict=True)
        for y, q in zip(other.points, other.probabilities, strict=True)
    )


def test_points_are_sorted_with_their_probabilities():
    belief = Belief([3.0, -1.0, 2.0], [0.5, 0.2, 0.3])
    assert belief.points.tolist() == [-1.0, 2.0, 3.0]
    assert belief.probabilities.tolist() == [0.2, 0.3, 0.5]


def test_a_belief_cannot_be_changed():
    given_points = np.array([1.0, 2.0])
    belief = Belief(given_points, [0.5, 0.5])
    given_points[0] = 9.0
    assert belief.points[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        belief.points[0] = 9.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        belief.points = given_points


def test_equal_beliefs_are_equal_and_hash_alike():
    one, other = Belief([0.0, 1.0], [0.5, 0.5]), Belief([1, -0.0], [0.5, 0.5])
    assert one == other
    assert hash(one) == hash(other)
    assert one != Belief([0.0, 1.0], [0.4, 0.6])
    assert one != Belief([0.0, 2.0], [0.5, 0.5])
    assert one != "a belief"


def test_probabilities_are_scaled_only_if_asked():
    assert Belief([1, 2], [1, 3], normalise=True).probabilities.tolist() == [0.25, 0.75]
    almost = [0.5, 0.5 + 1e-10]
    assert Belief([1, 2], almost).probabilities.tolist() == almost


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (
            lambda: Belief([], []),
            "a belief needs as many points as probabilities, and at least one, not 0 and 0.",
        ),
        (
            lambda: Belief([1.0, 2.0], [1.0]),
            "a belief needs as many points as probabilities, and at least one, not 2 and 1.",
        ),
        (lambda: Belief([math.inf], [1.0]), "points must be a list of finite numbers."),
        (lambda: Belief(["high"], [1.0]), "points must be a list of finite numbers."),
        (lambda: Belief(1.0, 1.0), "points must be a list of finite numbers."),
        (lambda: Belief([1.0], [math.nan]), "probabilities must be a list of finite numbers."),
        (
            lambda: Belief([2.0, 1.0, 2.0], [0.5, 0.25, 0.25]),
            "a belief needs each point once, and 2 is there twice.",
        ),
        (
            lambda: Belief([1.0, 2.0], [1.25, -0.25]),
            "a belief needs probabilities of at least 0, not -0.25.",
        ),
        (
            lambda: Belief([1.0, 2.0], [0.5, 0.25]),
            "the probabilities of a belief sum to 0.75 instead of 1; normalise=True scales them.",
        ),
        (
            lambda: Belief([1.0, 2.0], [0.0, 0.0], normalise=True),
            "a belief needs weights with a sum above 0, not 0.",
        ),
        (
            lambda: Belief.normal(math.nan, 1.0),
            "a normal belief needs a finite mean and an sd above 0, not nan and 1.0.",
        ),
        (
            lambda: Belief.normal(0.0, 0.0),
            "a normal belief needs a finite mean and an sd above 0, not 0.0 and 0.0.",
        ),
        (
            lambda: Belief.grid(0.0),
            "a grid needs a reach above 0 and at least 2 points, not 0.0 and 1001.",
        ),
        (
            lambda: Belief.grid(7.0, 1),
            "a grid needs a reach above 0 and at least 2 points, not 7.0 and 1.",
        ),
        (
            lambda: Belief.grid("wide", 2.5),
            "a grid needs a reach above 0 and at least 2 points, not 'wide' and 2.5.",
        ),
        (
            lambda: Belief.normal("high", None),
            "a normal belief needs a finite mean and an sd above 0, not 'high' and None.",
        ),
        (
            lambda: Belief.certain("high"),
            "points must be a list of finite numbers.",
        ),
        (
            lambda: Belief.certain(0.0).quantile("half"),
            "q must be a list of finite numbers.",
        ),
        (
            lambda: Belief.certain(0.0).quantile(1.5),
            "a quantile is asked for with numbers from 0 to 1, not 1.5.",
        ),
        (
            lambda: Belief.certain(0.0).stronger_than(1.0),
            "a Belief is needed, such as Belief.normal(0.0, 0.7), not 1.0.",
        ),
        (
            lambda: Belief.certain(0.0).win_probability(Belief.certain(0.0), "logistic"),
            "a luck function is needed, such as Logistic() or Custom(function), not 'logistic'.",
        ),
    ],
)
def test_what_is_wrong_is_said(make, complaint):
    with pytest.raises(PodiumError) as refused:
        make()
    assert str(refused.value) == complaint


def test_the_default_is_the_papers_newcomer():
    newcomer = Belief.normal(0.0, 0.7)
    k = np.arange(1001)
    points = -7.0 + 2.0 * 7.0 / 1000.0 * k
    density = np.exp(-(points**2) / (2.0 * 0.7**2))
    assert newcomer.points == pytest.approx(points, abs=1e-14)
    assert newcomer.probabilities == pytest.approx(density / density.sum(), rel=1e-11, abs=0.0)
    assert newcomer.mean == pytest.approx(0.0, abs=1e-15)
    assert newcomer.sd == pytest.approx(0.7, rel=1e-12, abs=0.0)


def test_a_normal_far_from_its_points_or_narrower_than_their_gaps_sits_on_the_nearest():
    assert Belief.normal(0.4, 1e-300, [0.0, 1.0]).probabilities.tolist() == [1.0, 0.0]
    assert Belief.normal(0.5, 1e-300, [0.0, 1.0]).probabilities.tolist() == [0.5, 0.5]
    far = Belief.normal(-1e6, 1.0, [0.0, 1.0])
    assert far.probabilities.tolist() == [1.0, 0.0]


@given(beliefs())
def test_moments_are_those_of_the_distribution(belief):
    x, p = belief.points, belief.probabilities
    mean = math.fsum(p * x)
    assert belief.mean == pytest.approx(mean, abs=1e-13)
    assert belief.sd == pytest.approx(math.sqrt(math.fsum(p * (x - mean) ** 2)), abs=1e-7)


@given(beliefs(), st.floats(0.0, 1.0))
def test_a_quantile_is_the_smallest_possible_point_that_reaches_it(belief, q):
    found = belief.quantile(q)
    at = belief.points.tolist().index(found)
    assert belief.probabilities[at] > 0.0
    assert math.fsum(belief.probabilities[: at + 1]) >= q - 1e-11
    assert math.fsum(belief.probabilities[:at]) < q or not belief.probabilities[:at].any()


def test_quantiles_come_as_they_are_asked_for():
    belief = Belief(range(1, 11), [0.1] * 10)
    assert belief.quantile(0.5) == 5.0
    assert isinstance(belief.quantile(0.5), float)
    assert belief.quantile([0.0, 0.1, 0.11, 0.8, 1.0]).tolist() == [1.0, 1.0, 2.0, 8.0, 10.0]
    assert Belief([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]).quantile([0.0, 1.0]).tolist() == [2.0, 2.0]


def test_a_cumulative_probability_is_reached_up_to_rounding():
    assert sum([0.1, 0.6, 0.1]) < 0.8
    assert Belief([1.0, 2.0, 3.0, 4.0], [0.1, 0.6, 0.1, 0.2]).quantile(0.8) == 3.0


@given(beliefs(), beliefs())
def test_the_stronger_of_two_is_found_by_all_pairs(one, other):
    expected = plain_chance(one, other, Heaviside())
    assert one.stronger_than(other) == pytest.approx(expected, abs=1e-14)
    assert one.stronger_than(other) + other.stronger_than(one) == pytest.approx(1.0, abs=1e-14)


@given(beliefs(12), beliefs(12), luck_functions)
def test_win_probabilities_are_double_sums(one, other, luck):
    expected = plain_chance(one, other, luck)
    assert one.win_probability(other, luck) == pytest.approx(expected, rel=1e-11, abs=1e-300)


@given(pairs_on_a_grid, luck_functions)
def test_one_of_two_wins(pair, luck):
    one, other = pair
    both = one.win_probability(other, luck) + other.win_probability(one, luck)
    assert both == pytest.approx(1.0, abs=1e-12)


def test_small_win_probabilities_keep_their_digits_on_large_grids():
    weak, strong = Belief.normal(-5.0, 0.1), Belief.normal(5.0, 0.1)
    by_pairs = weak.win_probability(strong, Custom(Logistic()))
    assert by_pairs < 1e-4
    assert weak.win_probability(strong, Logistic()) == pytest.approx(by_pairs, rel=1e-11, abs=0.0)
    weaker, stronger = Belief.normal(-6.0, 0.01), Belief.normal(6.0, 0.01)
    steep = Logistic(0.2)
    by_pairs = weaker.win_probability(stronger, Custom(steep))
    assert by_pairs < 1e-25
    assert weaker.win_probability(stronger, steep) == pytest.approx(by_pairs, rel=1e-11, abs=0.0)


def test_being_stronger_is_not_winning():
    champion, author = Belief.normal(3.0, 0.1), Belief.normal(0.0, 0.1)
    assert champion.stronger_than(author) == pytest.approx(1.0, abs=1e-12)
    luck = CoinToss(Logistic(), 0.5)
    assert champion.win_probability(author, luck) == pytest.approx(0.726, abs=1e-3)
    assert champion.win_probability(author, Heaviside()) == champion.stronger_than(author)


def test_the_table_has_ratings_on_the_scale_of_elo():
    frame = Belief([0.0, math.log(10.0)], [0.25, 0.75]).frame()
    assert frame.equals(
        pl.DataFrame(
            {
                "strength": [0.0, math.log(10.0)],
                "rating": [1500.0, 1900.0],
                "probability": [0.25, 0.75],
                "cumulative": [0.25, 1.0],
            }
        )
    )


def test_repr_is_short():
    assert repr(Belief.normal(0.0, 0.7)) == "<Belief: 0.000 ± 0.700 on 1,001 points>"
    assert repr(Belief.certain(-2)) == "<Belief: -2.000 ± 0.000 on 1 point>"
