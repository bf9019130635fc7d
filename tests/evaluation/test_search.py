import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.evaluation.search import golden_section


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
