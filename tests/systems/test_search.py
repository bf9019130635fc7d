import dataclasses
import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import PodiumError, systems
from podium.evaluation.spaces import combinations, declared
from podium.systems.search import Between, OneOf

NAMES = systems.names()


@pytest.mark.parametrize("name", NAMES)
def test_every_system_declares_a_handful_of_parameters_to_tune(name):
    assert 2 <= len(declared(systems.by_name(name))) <= 5


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_a_system_declares_makes_a_system(name):
    kind = systems.by_name(name)
    space = declared(kind)
    corners = [
        (search.low, search.high) if isinstance(search, Between) else search.values
        for search in space.values()
    ]
    for values in itertools.product(*corners):
        kind(**dict(zip(space, values, strict=True)))
    points = list(combinations(space))
    assert len(points) == math.prod(len(search.grid) for search in space.values()) <= 250
    for point in points:
        kind(**point)


@pytest.mark.parametrize("name", NAMES)
def test_a_search_is_of_the_kind_of_its_parameter(name):
    for field in dataclasses.fields(systems.by_name(name)):
        search = field.metadata["search"]
        if isinstance(search, Between):
            assert field.metadata["kind"] in (int, float)
            assert search.whole == (field.metadata["kind"] is int)
            assert list(search.grid) == sorted(set(search.grid))
        if search is not None:
            assert search.needs in ("", "side", "margin")


@given(st.floats(1e-6, 1e6), st.floats(1.01, 1e6), st.floats(0.0, 1.0), st.booleans())
def test_rounding_keeps_four_digits_and_the_range(low, factor, place, log):
    search = Between(low, low * factor, log=log)
    value = low + place * (search.high - low)
    rounded = search.rounded(value)
    assert search.low <= rounded <= search.high
    assert rounded == pytest.approx(value, rel=5.1e-4)
    assert all(search.low <= each <= search.high for each in search.grid)


def test_a_range_has_a_grid_of_five():
    assert Between(0.0, 1.0).grid == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert Between(1.0, 10_000.0, log=True).grid == (1.0, 10.0, 100.0, 1000.0, 10_000.0)
    assert Between(1, 3, whole=True).grid == (1, 2, 3)


@pytest.mark.parametrize(
    ("low", "high"), [(1.0, 1.0), (2.0, 1.0), (0.0, math.inf), (math.nan, 1.0), (-math.inf, 0.0)]
)
def test_a_range_without_inside_is_refused(low, high):
    with pytest.raises(PodiumError, match="from one finite number to a higher one"):
        Between(low, high)


def test_factors_need_a_positive_start():
    with pytest.raises(PodiumError, match=r"cannot begin at 0\.0"):
        Between(0.0, 1.0, log=True)


def test_one_of_a_few_is_its_own_grid():
    assert OneOf(("map", "proportional")).grid == ("map", "proportional")
