import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import PodiumError
from podium.luck import (
    BradleyTerry,
    CappedLogistic,
    CoinToss,
    Custom,
    DrawMargin,
    Heaviside,
    Laplace,
    Logistic,
    LuckFunction,
    Normal,
)
from podium.luck.functions import checked, checked_chances

OF_DIFFERENCE = [
    Logistic(),
    Logistic(0.3),
    Normal(2.0),
    Laplace(),
    Laplace((0.5, 3.0), (0.25, 0.75)),
    Heaviside(),
    DrawMargin(0.5),
    CappedLogistic(),
    CappedLogistic(2.0, cap=1.0),
    CoinToss(Logistic(), 0.8),
    CoinToss(CoinToss(Heaviside(), 0.5), 0.5),
]
by_repr = {"ids": repr}
strengths = st.floats(-30.0, 30.0)


@pytest.mark.parametrize("luck", OF_DIFFERENCE, **by_repr)
@given(x=strengths, y=strengths)
def test_one_of_two_wins(luck, x, y):
    assert 0.0 <= luck(x, y) <= 1.0
    assert luck(x, y) + luck(y, x) == pytest.approx(1.0, abs=1e-15)
    assert luck(x, x) == 0.5


@pytest.mark.parametrize("luck", OF_DIFFERENCE, **by_repr)
@given(x=strengths, y=strengths, more=st.floats(0.0, 10.0))
def test_more_strength_never_lowers_the_chance(luck, x, y, more):
    assert luck(x + more, y) >= luck(x, y) - 1e-15


@pytest.mark.parametrize("luck", OF_DIFFERENCE, **by_repr)
def test_the_curve_is_the_same_function(luck):
    x = np.linspace(-9.0, 9.0, 7)
    assert (luck(x[:, None], x) == luck.curve(x[:, None] - x)).all()
    assert luck([1, 2], [2, 1]).shape == (2,)


@pytest.mark.parametrize(
    ("luck", "most"),
    [
        (Logistic(), 1.0),
        (Normal(), 1.0),
        (Laplace(), 1.0),
        (Heaviside(), 1.0),
        (DrawMargin(1.0), 1.0),
        (CappedLogistic(), 10 / 11),
        (CoinToss(Logistic(), 0.8), 0.9),
        (CoinToss(Heaviside(), 0.0), 0.5),
        (CoinToss(CoinToss(Normal(), 0.5), 0.5), 0.625),
    ],
    **by_repr,
)
def test_the_strongest_win_as_often_as_luck_lets_them(luck, most):
    for difference in (1e3, 1e308, math.inf):
        assert luck(difference, 0.0) == pytest.approx(most, abs=1e-15)
        assert luck(0.0, difference) == pytest.approx(1.0 - most, abs=1e-15)


def test_small_chances_keep_their_digits():
    assert Logistic()(0.0, 700.0) == pytest.approx(math.exp(-700.0), rel=1e-12, abs=0.0)
    assert Laplace()(0.0, 700.0) == pytest.approx(0.5 * math.exp(-700.0), rel=1e-12, abs=0.0)
    assert Normal()(0.0, 30.0) == pytest.approx(
        0.5 * math.erfc(30.0 / math.sqrt(2.0)), rel=1e-12, abs=0.0
    )


@given(strengths)
def test_a_mixture_is_the_weighted_sum_of_its_parts(x):
    mixture = Laplace((0.5, 3.0), (0.25, 0.75))
    expected = 0.25 * Laplace(0.5)(x, 0.0) + 0.75 * Laplace(3.0)(x, 0.0)
    assert mixture(x, 0.0) == pytest.approx(expected, rel=1e-15, abs=0.0)


def test_weights_are_scaled_where_rounding_kept_them_from_1():
    thirds = Laplace((1, 2, 3), (0.3333333333, 0.3333333333, 0.3333333333))
    assert math.fsum(thirds.weights) == pytest.approx(1.0, abs=1e-16)
    checked(thirds, np.linspace(-3.0, 3.0, 9))


def test_a_margin_is_met_up_to_rounding():
    draw = DrawMargin(0.1)
    assert draw(0.3, 0.2) == draw(0.2, 0.3) == draw(0.8, 0.7) == 0.5
    assert (draw(0.31, 0.2), draw(0.2, 0.31)) == (1.0, 0.0)


def test_bradley_and_terry_take_odds_above_0():
    assert BradleyTerry()(3.0, 1.0) == 0.75
    assert BradleyTerry().curve is None
    assert CoinToss(BradleyTerry(), 0.5).curve is None
    with pytest.raises(PodiumError) as refused:
        BradleyTerry()([1.0, -2.0], 1.0)
    assert str(refused.value) == (
        "BradleyTerry: strengths are odds above 0, not -2; Logistic takes their logarithms."
    )


def test_numbers_of_any_kind_become_floats():
    assert repr(Logistic(np.float32(2))) == "Logistic(scale=2.0)"
    assert repr(CoinToss(Normal(np.int64(2)), np.float64(0.5))) == (
        "CoinToss(game=Normal(sd=2.0), beta=0.5)"
    )
    assert Laplace(2) == Laplace([2.0], [1]) == Laplace(np.array([2.0]))
    assert hash(Laplace(2)) == hash(Laplace(2.0))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Logistic(0.0), "Logistic: scale must be a number above 0, not 0.0."),
        (lambda: Logistic("1"), "Logistic: scale must be a number above 0, not '1'."),
        (lambda: Normal(-1), "Normal: sd must be a number above 0, not -1."),
        (lambda: Normal(math.nan), "Normal: sd must be a number above 0, not nan."),
        (lambda: DrawMargin(math.inf), "DrawMargin: margin must be a number above 0, not inf."),
        (lambda: CappedLogistic(cap=0), "CappedLogistic: cap must be a number above 0, not 0."),
        (lambda: Laplace(0.0), "Laplace: each of the scales must be a number above 0, not 0.0."),
        (lambda: Laplace("wide"), "Laplace: scales must be numbers, not 'wide'."),
        (lambda: Laplace(1.0, None), "Laplace: weights must be numbers, not None."),
        (
            lambda: Laplace((1, 2)),
            "Laplace: as many weights as scales are needed, and at least one, not 1 and 2.",
        ),
        (
            lambda: Laplace((), ()),
            "Laplace: as many weights as scales are needed, and at least one, not 0 and 0.",
        ),
        (
            lambda: Laplace((1, 2), (0.5, 0.6)),
            "Laplace: weights must be at least 0 and sum to 1, not (0.5, 0.6).",
        ),
        (
            lambda: Laplace((1, 2), (1.5, -0.5)),
            "Laplace: weights must be at least 0 and sum to 1, not (1.5, -0.5).",
        ),
        (
            lambda: CoinToss(max, 0.5),
            "a luck function is needed, such as Logistic() or Custom(function), "
            "not <built-in function max>.",
        ),
        (
            lambda: CoinToss(Logistic(), 1.1),
            "CoinToss: beta must be a number from 0 to 1, not 1.1.",
        ),
        (
            lambda: CoinToss(Logistic(), None),
            "CoinToss: beta must be a number from 0 to 1, not None.",
        ),
        (lambda: Custom(3), "Custom: a function of two strengths is needed, not 3."),
    ],
)
def test_what_is_wrong_is_said(make, complaint):
    with pytest.raises(PodiumError) as refused:
        make()
    assert str(refused.value) == complaint


POINTS = np.array([-1.0, 0.0, 2.0])


def test_checked_chances_are_those_of_all_pairs():
    assert (checked(Logistic(), POINTS) == Logistic()(POINTS[:, None], POINTS)).all()
    wins, losses = checked_chances(Logistic(), POINTS, POINTS[:2])
    assert wins.shape == losses.shape == (3, 2)
    assert wins[2, 0] == Logistic()(2.0, -1.0)
    assert losses[2, 0] == Logistic()(-1.0, 2.0)


def sharp(x, y):
    return 1.0 if x > y else 0.5 if x == y else 0.0


def test_a_function_of_two_numbers_can_be_vectorised():
    assert (checked(Custom(np.vectorize(sharp)), POINTS) == checked(Heaviside(), POINTS)).all()
    assert Custom(sharp)(2.0, 1.0) == 1.0


@pytest.mark.parametrize("function", [sharp, lambda *_: 0.5, lambda x: x, math.dist])
def test_a_function_that_takes_no_arrays_is_named(function):
    with pytest.raises(PodiumError) as refused:
        checked(Custom(function, "mine"), POINTS)
    assert str(refused.value) == (
        "Custom(name='mine'): the function must take arrays of strengths and give as many "
        "numbers; np.vectorize makes that of a function of two numbers."
    )


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (
            lambda x, y: 0.5 + x - y,
            "the luck function Custom(name='mine') gives -0.5 for the strengths -1 and 0, "
            "which is not a chance from 0 to 1.",
        ),
        (
            lambda x, y: np.where(x > y, np.nan, 0.5),
            "the luck function Custom(name='mine') gives nan for the strengths 0 and -1, "
            "which is not a chance from 0 to 1.",
        ),
        (
            lambda x, y: np.where(x > y, 0.8, 0.4),
            "the luck function Custom(name='mine') is not symmetric: strength -1 beats -1 with "
            "0.4, and -1 beats -1 with 0.4; the two must sum to 1.",
        ),
    ],
)
def test_a_function_that_is_no_luck_function_is_refused_with_its_strengths(function, complaint):
    with pytest.raises(PodiumError) as refused:
        checked(Custom(function, "mine"), POINTS)
    assert str(refused.value) == complaint


def test_a_luck_function_of_your_own_may_be_a_class():
    class Squared(LuckFunction):
        def __call__(self, x, y):
            x, y = np.square(x), np.square(y)
            return x / (x + y)

    assert checked(Squared(), np.array([1.0, 3.0]))[1, 0] == 0.9
    assert Squared().curve is None
