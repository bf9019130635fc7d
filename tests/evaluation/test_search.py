import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.evaluation.search import Range, coordinate_search, golden_section


@given(st.floats(0.0, 1.0), st.booleans())
def test_places_and_values_of_a_range_are_inverse(place, logarithmic):
    span = Range(0.5, 40.0, logarithmic)
    assert 0.5 <= span.value(place) <= 40.0
    assert span.place(span.value(place)) == pytest.approx(place, abs=1e-12)


def test_a_value_outside_of_a_range_counts_as_its_end():
    assert Range(1.0, 2.0).place(7.0) == 1.0
    assert Range(1.0, 2.0, True).place(0.0) == 0.0


@given(st.floats(1e-3, 1e3), st.floats(1.001, 1e4))
def test_rounding_leads_to_no_value_outside(low, factor):
    span = Range(low, low * factor, True)
    assert span.value(0.0) == low
    assert span.value(1.0) <= span.high


def test_the_middle_of_a_logarithmic_range_is_the_geometric_mean():
    assert Range(1.0, 100.0, True).value(0.5) == pytest.approx(10.0)


@given(st.floats(0.1, 5.0), st.floats(1.5, 900.0))
def test_a_bowl_is_searched_to_a_64th_of_every_range(x, y):
    ranges = {"x": Range(0.0, 6.0), "y": Range(1.0, 1000.0, True)}

    def loss(at):
        return (at["x"] - x) ** 2 + math.log(at["y"] / y) ** 2

    found = coordinate_search(loss, ranges, {"x": 3.0, "y": 30.0})
    assert abs(found["x"] - x) <= 6.0 / 64
    assert abs(math.log(found["y"] / y)) <= math.log(1000.0) / 64


def test_no_point_is_evaluated_twice_and_no_more_than_allowed():
    seen = []

    def loss(at):
        seen.append(tuple(at.values()))
        return (at["x"] - 0.123) ** 2 + (at["y"] - at["x"]) ** 2

    ranges = {"x": Range(0.0, 1.0), "y": Range(0.0, 1.0)}
    coordinate_search(loss, ranges, {"x": 1.0, "y": 1.0}, evaluations=12)
    assert len(seen) == len(set(seen)) == 12


def test_the_search_ends_at_the_best_point_seen_even_if_it_is_cut_short():
    losses = {}

    def loss(at):
        losses[at["x"]] = abs(at["x"] - 0.9)
        return losses[at["x"]]

    found = coordinate_search(loss, {"x": Range(0.0, 1.0)}, {"x": 0.0}, evaluations=3)
    assert found["x"] == min(losses, key=losses.__getitem__)


def test_an_infinite_loss_is_walked_away_from():
    found = coordinate_search(
        lambda at: math.inf if at["x"] < 0.3 else at["x"], {"x": Range(0.0, 1.0)}, {"x": 0.9}
    )
    assert 0.3 <= found["x"] <= 0.3 + 1 / 32


@given(st.floats(-3.0, 3.0))
def test_the_golden_section_finds_the_lowest_point(x):
    found = golden_section(lambda at: math.cosh(at - x), -4.0, 4.0, 1e-3)
    assert found == pytest.approx(x, abs=1e-3)


def test_the_golden_section_finds_an_end_and_uses_every_value_again():
    calls = []
    assert golden_section(lambda x: calls.append(x) or x, 0.5, 1.0, 0.02) == pytest.approx(
        0.5, abs=0.01
    )
    assert len(calls) == len(set(calls)) == 9
