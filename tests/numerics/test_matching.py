"""Heavy matchings: valid, locally best, and near to the heaviest, which is found by trying all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.numerics.matching import by_vertex, heavy


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, float]]]:
    vertices = draw(st.integers(2, 9))
    pairs = [(a, b) for a in range(vertices) for b in range(a + 1, vertices)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=20))
    return vertices, [(a, b, draw(st.floats(0.01, 10.0))) for a, b in chosen]


def arrays(edges: list[tuple[int, int, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    a, b, weight = (np.array(each) for each in zip(*edges, strict=True)) if edges else ([], [], [])
    return np.asarray(a, np.int64), np.asarray(b, np.int64), np.asarray(weight, np.float64)


def heaviest(edges: list[tuple[int, int, float]], used: frozenset[int] = frozenset()) -> float:
    """The weight of the best matching, by trying all."""
    if not edges:
        return 0.0
    (a, b, weight), *rest = edges
    without = heaviest(rest, used)
    if a in used or b in used:
        return without
    return max(without, weight + heaviest(rest, used | {a, b}))


def weight_of(mate: np.ndarray, edges: list[tuple[int, int, float]]) -> float:
    return sum(weight for a, b, weight in edges if mate[a] == b)


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_it_is_a_matching_that_no_single_exchange_improves(graph):
    vertices, edges = graph
    mate = heavy(*arrays(edges), vertices)
    known = {(a, b) for a, b, _ in edges} | {(b, a) for a, b, _ in edges}
    for vertex, other in enumerate(mate.tolist()):
        assert other < 0 or (mate[other] == vertex and (vertex, other) in known)
    own = dict.fromkeys(range(vertices), 0.0)
    for a, b, weight in edges:
        if mate[a] == b:
            own[a] = own[b] = weight
    for a, b, weight in edges:  # to take an edge and to leave two gains nothing
        if mate[a] != b:
            assert weight <= own[a] + own[b] + 1e-9
    found, best = weight_of(mate, edges), heaviest(edges)
    assert best / 2.0 - 1e-9 <= found <= best + 1e-9


def test_over_many_graphs_it_is_near_to_the_heaviest():
    draws = np.random.default_rng(5)
    found = best = 0.0
    for _ in range(60):
        edges = [
            (a, b, float(draws.random()))
            for a in range(8)
            for b in range(a + 1, 8)
            if draws.random() < 0.5
        ]
        found += weight_of(heavy(*arrays(edges), 8), edges)
        best += heaviest(edges)
    assert found >= 0.97 * best


@pytest.mark.parametrize("vertices", [0, 1, 5])
def test_without_edges_nobody_is_matched(vertices):
    assert heavy(*arrays([]), vertices).tolist() == [-1] * vertices


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_the_edges_of_a_vertex_keep_their_order(graph):
    vertices, edges = graph
    starts, other, weight = by_vertex(*arrays(edges), np.int64(vertices))
    for vertex in range(vertices):
        own = [(b if a == vertex else a, each) for a, b, each in edges if vertex in (a, b)]
        rows = slice(starts[vertex], starts[vertex + 1])
        assert list(zip(other[rows].tolist(), weight[rows].tolist(), strict=True)) == own
