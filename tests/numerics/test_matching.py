"""The heaviest matching of a band of edges, beside one that tries all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.numerics.matching import FARTHEST, heaviest_in_band
from tests.numerics.plain import heaviest_matching

NONE = -1


@st.composite
def bands(draw: st.DrawFn, most: int = 9) -> np.ndarray:
    """Edges of vertices in a row; many weigh the same."""
    vertices, reach = draw(st.integers(0, most)), draw(st.integers(1, 5))
    weights = st.one_of(st.just(NONE), st.integers(0, 4), st.integers(0, 2**44))
    weight = np.full((vertices, reach), NONE)
    for i in range(vertices):
        for d in range(min(i, reach)):
            weight[i, d] = draw(weights)
    return weight


def edges(weight: np.ndarray) -> dict[tuple[int, int], int]:
    rows, back = np.nonzero(weight >= 0)
    return {(int(i - d - 1), int(i)): int(weight[i, d]) for i, d in zip(rows, back, strict=True)}


@settings(max_examples=200, deadline=None)
@given(bands())
def test_it_weighs_what_the_heaviest_of_all_matchings_does(weight):
    mate, known = heaviest_in_band(weight).tolist(), edges(weight)
    chosen = [(other, vertex) for vertex, other in enumerate(mate) if 0 <= other < vertex]
    assert all(mate[other] == vertex for other, vertex in chosen)
    assert len({vertex for pair in chosen for vertex in pair}) == 2 * len(chosen)
    assert sum(known[pair] for pair in chosen) == heaviest_matching(known)


@settings(max_examples=200, deadline=None)
@given(bands(most=12).filter(len), st.data())
def test_heavier_edges_never_cost_a_vertex_its_mate_nor_others_theirs_if_it_has_none(weight, data):
    vertex = data.draw(st.integers(0, len(weight) - 1))
    heavier = weight.copy()
    for i in range(len(weight)):
        for d in range(min(i, weight.shape[1])):
            if vertex in (i, i - d - 1):  # maybe an edge where there was none
                heavier[i, d] += data.draw(st.integers(0, 3))
    before, after = heaviest_in_band(weight), heaviest_in_band(heavier)
    if before[vertex] >= 0:
        assert after[vertex] >= 0
    elif after[vertex] < 0:
        assert (before == after).all()


def test_edges_reach_as_far_as_is_said():
    weight = np.full((FARTHEST + 1, FARTHEST), NONE)
    weight[FARTHEST, FARTHEST - 1] = 5
    assert heaviest_in_band(weight).tolist() == [FARTHEST, *[NONE] * (FARTHEST - 1), 0]


@pytest.mark.parametrize("vertices", [0, 1, 5])
def test_without_edges_nobody_is_matched(vertices):
    assert heaviest_in_band(np.full((vertices, 3), NONE)).tolist() == [NONE] * vertices
