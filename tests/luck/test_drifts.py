import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import PodiumError
from podium.luck import CustomDrift, LaplaceDrift, NoDrift, NormalDrift
from podium.luck.drifts import checked_densities

SMOOTH = [
    NormalDrift(0.3),
    NormalDrift((0.1, 2.0), (0.9, 0.1)),
    LaplaceDrift(0.3),
    LaplaceDrift((0.1, 2.0), (0.9, 0.1)),
]


@pytest.mark.parametrize("drift", SMOOTH, ids=repr)
def test_a_drift_is_a_density(drift):
    x = np.linspace(-60.0, 60.0, 600_001)
    densities = drift(0.0, x)
    assert (densities >= 0.0).all()
    assert np.trapezoid(densities, x) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("drift", [*SMOOTH, NoDrift()], ids=repr)
@given(x=st.floats(-9.0, 9.0), y=st.floats(-9.0, 9.0))
def test_a_drift_is_the_same_to_both_sides(drift, x, y):
    assert drift(x, y) == drift(y, x) == drift.of_distance(x - y) == drift.of_distance(y - x)


def test_densities_are_those_of_textbooks():
    assert NormalDrift(2.0)(0.0, 2.0) == pytest.approx(
        math.exp(-0.5) / (2.0 * math.sqrt(2.0 * math.pi)), rel=1e-15, abs=0.0
    )
    assert LaplaceDrift(2.0)(5.0, 1.0) == pytest.approx(math.exp(-2.0) / 4.0, rel=1e-15, abs=0.0)
    assert NoDrift()([1.0, 2.0], 1.0).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("kind", [NormalDrift, LaplaceDrift])
def test_a_mixture_is_the_weighted_sum_of_its_parts(kind):
    mixture, x = kind((0.5, 3.0), (0.25, 0.75)), np.linspace(-4.0, 4.0, 9)
    assert mixture(x, 0.0) == pytest.approx(0.25 * kind(0.5)(x, 0.0) + 0.75 * kind(3.0)(x, 0.0))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (
            lambda: NormalDrift(0),
            "NormalDrift: each of the sds must be a number above 0, not 0.0.",
        ),
        (
            lambda: LaplaceDrift((1.0, math.inf), (0.5, 0.5)),
            "LaplaceDrift: each of the scales must be a number above 0, not inf.",
        ),
        (
            lambda: NormalDrift((1.0, 2.0), (1.0,)),
            "NormalDrift: as many weights as sds are needed, and at least one, not 1 and 2.",
        ),
        (
            lambda: LaplaceDrift(1.0, (0.9,)),
            "LaplaceDrift: weights must be at least 0 and sum to 1, not (0.9,).",
        ),
        (lambda: NormalDrift("little"), "NormalDrift: sds must be numbers, not 'little'."),
        (
            lambda: CustomDrift(0.03),
            "CustomDrift: a function of two strengths is needed, not 0.03.",
        ),
    ],
)
def test_what_is_wrong_is_said(make, complaint):
    with pytest.raises(PodiumError) as refused:
        make()
    assert str(refused.value) == complaint


POINTS = np.array([-1.0, 0.0, 2.0])


def test_densities_of_all_moves_have_the_origins_in_rows():
    upwards = CustomDrift(lambda x, y: np.where(y > x, 1.0, 0.0))
    assert checked_densities(upwards, POINTS, POINTS[1:]).tolist() == [[1, 1], [0, 1], [0, 0]]


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_densities_that_are_none_are_refused_with_their_strengths(wrong):
    drift = CustomDrift(lambda x, y: np.where(y > x + 2.0, wrong, 1.0), "mine")
    with pytest.raises(PodiumError) as refused:
        checked_densities(drift, POINTS, POINTS)
    assert str(refused.value) == (
        f"the drift CustomDrift(name='mine') gives {wrong:g} for a move from -1 to 2, "
        f"which is not a finite density of at least 0."
    )


def test_a_drift_that_takes_no_arrays_is_named():
    with pytest.raises(PodiumError, match=r"^CustomDrift\(name='mine'\): the function must take"):
        checked_densities(CustomDrift(lambda *_: 1.0, "mine"), POINTS, POINTS)
