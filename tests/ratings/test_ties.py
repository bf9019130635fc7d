"""Which places cannot be told apart, beside a plain count of probabilities."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.ratings.ties import place_ranges

BELIEFS = st.lists(
    st.tuples(st.integers(1000, 1300).map(float), st.sampled_from([0.0, 20.0, 50.0, 350.0])),
    min_size=1,
    max_size=12,
)


def plainly(beliefs: list[tuple[float, float]], level: float) -> list[tuple[int, int]]:
    """The same by the probability of each pair."""

    def stronger(one: tuple[float, float], other: tuple[float, float]) -> float:
        lead, deviation = one[0] - other[0], math.hypot(one[1], other[1])
        if deviation == 0.0:
            return 0.5 * (1.0 + np.sign(lead))
        return NormalDist(0.0, deviation).cdf(lead)

    return [
        (
            1 + sum(stronger(other, own) >= level for other in beliefs),
            len(beliefs) - sum(stronger(own, other) >= level for other in beliefs),
        )
        for own in beliefs
    ]


@given(BELIEFS, st.sampled_from([0.6, 0.9, 0.95, 0.999]))
def test_ranges_are_what_probabilities_of_pairs_say(beliefs, level):
    mu, sigma = np.array(beliefs).T
    best, worst = place_ranges(mu, sigma, mu, sigma, level)
    assert list(zip(best.tolist(), worst.tolist(), strict=True)) == plainly(beliefs, level)


@given(BELIEFS)
def test_a_range_has_a_place_and_grows_with_the_level(beliefs):
    mu, sigma = np.array(beliefs).T
    best, worst = place_ranges(mu, sigma, mu, sigma, 0.8)
    lower, higher = place_ranges(mu, sigma, mu, sigma, 0.99)
    assert (best >= 1).all()
    assert (best <= worst).all()
    assert (worst <= len(mu)).all()
    assert (lower <= best).all()
    assert (higher >= worst).all()


def test_those_who_are_certain_have_their_places():
    mu, sigma = np.array([3.0, 2.0, 2.0, 1.0]), np.zeros(4)
    best, worst = place_ranges(mu, sigma, mu, sigma)
    assert best.tolist() == [1, 2, 2, 4]
    assert worst.tolist() == [1, 3, 3, 4]


@pytest.mark.parametrize("level", [0.5, 1.0, 0, 2, math.nan, True, "0.9", None])
def test_a_level_that_decides_nothing_is_refused(level):
    with pytest.raises(podium.InputError, match=r"above 0\.5 and below 1"):
        place_ranges(np.ones(1), np.ones(1), np.ones(1), np.ones(1), level)
