"""Matching in graphs whose edges weigh something: no vertex is in two of the chosen edges.

`greedy` takes edges from the heaviest on. `improve` then exchanges: a vertex takes a neighbour that
suits it better, and those who are left by both look for each other, or for somebody free. Every
exchange gains, so that it ends; what it ends with no single exchange can improve. Edges are taken
in the order that they have, so the same graph gives the same matching.
"""

import numpy as np
from numpy.typing import NDArray

from podium.numerics.compiled import kernel

_GAIN = 1e-12
"""The least that an exchange must gain: rounding does not go on for ever."""


def heavy(
    a: NDArray[np.int64], b: NDArray[np.int64], weight: NDArray[np.float64], vertices: int
) -> NDArray[np.int64]:
    """The mate of every vertex in a heavy matching of these edges, or -1.

    Example:
        >>> a, b = np.array([0, 1, 2]), np.array([1, 2, 3])
        >>> heavy(a, b, np.array([2.0, 3.0, 2.0]), 4).tolist()
        [1, 0, 3, 2]
    """
    mate = np.full(vertices, -1)
    if len(a) == 0:
        return mate
    order = np.argsort(-weight)
    a, b, weight = a[order], b[order], weight[order]
    greedy(a, b, mate)
    improve(*by_vertex(a, b, weight, np.int64(vertices)), mate)
    return mate


@kernel
def by_vertex(a, b, weight, vertices):
    """The edges of every vertex: where they start, their other ends and weights, in this order."""
    starts = np.zeros(vertices + 1, np.int64)
    for edge in range(a.shape[0]):
        starts[a[edge] + 1] += 1
        starts[b[edge] + 1] += 1
    for vertex in range(vertices):
        starts[vertex + 1] += starts[vertex]
    place = starts.copy()
    other = np.empty(2 * a.shape[0], np.int32)
    heaviness = np.empty(2 * a.shape[0])
    for edge in range(a.shape[0]):
        u, x = a[edge], b[edge]
        other[place[u]], heaviness[place[u]] = x, weight[edge]
        place[u] += 1
        other[place[x]], heaviness[place[x]] = u, weight[edge]
        place[x] += 1
    return starts, other, heaviness


@kernel
def greedy(a, b, mate):
    """Take every edge whose ends are free, in this order."""
    for edge in range(a.shape[0]):
        if mate[a[edge]] < 0 and mate[b[edge]] < 0:
            mate[a[edge]] = b[edge]
            mate[b[edge]] = a[edge]


@kernel
def improve(starts, other, weight, mate):
    """Exchange until no single exchange gains; the edges of a vertex come heaviest first."""
    vertices = starts.shape[0] - 1
    own = np.zeros(vertices)
    free_near = np.zeros(vertices, np.int32)
    for u in range(vertices):
        if mate[u] >= 0:
            own[u] = _weight(starts, other, weight, u, mate[u])
        else:
            _count(starts, other, free_near, u, np.int32(1))
    # Who is looked at again: everybody at first, then those near an exchange.
    waiting = np.ones(vertices, np.bool_)
    changed = True
    while changed:
        changed = False
        for u in range(vertices):
            while waiting[u]:
                waiting[u] = False
                if _exchange(starts, other, weight, mate, own, free_near, waiting, u):
                    changed = True


@kernel
def _exchange(starts, other, weight, mate, own, free_near, waiting, u):
    """Let u take the neighbour by which most is gained; whether there is one.

    Those who are left, m by u and y by the neighbour, are joined if that is best, or each takes
    somebody free. An edge between them weighs at most what the heaviest edge of either does.
    """
    m = mate[u]
    best, taken, new_m, new_y = _GAIN, np.int64(-1), np.int64(-1), np.int64(-1)
    most_m = weight[starts[m]] if m >= 0 else 0.0
    alone_m = most_m if m >= 0 and free_near[m] > 0 else 0.0
    for edge in range(starts[u], starts[u + 1]):
        x = np.int64(other[edge])
        if x == m:
            continue
        y = mate[x]
        gain = weight[edge] - own[u] - own[x]
        most_y = weight[starts[y]] if y >= 0 else 0.0
        alone_y = most_y if y >= 0 and free_near[y] > 0 else 0.0
        if gain + max(min(most_m, most_y), alone_m + alone_y) <= best:
            continue
        with_m, free_m = np.int64(-1), 0.0
        if alone_m > 0.0:
            with_m, free_m = _free(starts, other, weight, mate, m, u, x, np.int64(-1))
        with_y, free_y = np.int64(-1), 0.0
        if alone_y > 0.0:
            with_y, free_y = _free(starts, other, weight, mate, y, u, x, with_m)
        both = _weight(starts, other, weight, m, y) if m >= 0 and y >= 0 else 0.0
        if both > free_m + free_y:
            with_m, with_y = y, m
            gain += both
        else:
            gain += free_m + free_y
        if gain > best:
            best, taken, new_m, new_y = gain, x, with_m, with_y
    if taken < 0:
        return False
    y = mate[taken]
    for each in (m, y):
        if each >= 0:
            mate[each] = -1
            own[each] = 0.0
            _count(starts, other, free_near, each, np.int32(1))
    for each in (u, taken):
        if (m if each == u else y) < 0:
            _count(starts, other, free_near, each, np.int32(-1))
    _join(starts, other, weight, mate, own, waiting, u, taken)
    if m >= 0 and new_m >= 0:
        _count(starts, other, free_near, m, np.int32(-1))
        _count(starts, other, free_near, new_m, np.int32(-1))
        _join(starts, other, weight, mate, own, waiting, m, new_m)
    if y >= 0 and new_y >= 0 and mate[y] < 0:
        _count(starts, other, free_near, y, np.int32(-1))
        _count(starts, other, free_near, new_y, np.int32(-1))
        _join(starts, other, weight, mate, own, waiting, y, new_y)
    for each in (m, y):
        if each >= 0 and mate[each] < 0:
            _wake(starts, other, waiting, each)
    return True


@kernel
def _count(starts, other, free_near, u, change):
    """Tell the neighbours of u that it is free, or no longer."""
    for edge in range(starts[u], starts[u + 1]):
        free_near[other[edge]] += change


@kernel
def _join(starts, other, weight, mate, own, waiting, u, x):
    mate[u] = x
    mate[x] = u
    own[u] = own[x] = _weight(starts, other, weight, u, x)
    _wake(starts, other, waiting, u)
    _wake(starts, other, waiting, x)


@kernel
def _wake(starts, other, waiting, u):
    """Look again at a vertex, and at those who may want it."""
    waiting[u] = True
    for edge in range(starts[u], starts[u + 1]):
        waiting[other[edge]] = True


@kernel
def _free(starts, other, weight, mate, u, but, nor, neither):
    """The free neighbour of u that weighs most, other than these, and its weight; -1 and 0."""
    for edge in range(starts[u], starts[u + 1]):
        x = np.int64(other[edge])
        if mate[x] < 0 and x != but and x != nor and x != neither:
            return x, weight[edge]
    return np.int64(-1), 0.0


@kernel
def _weight(starts, other, weight, u, x):
    """Of the edge between two; 0 if there is none."""
    for edge in range(starts[u], starts[u + 1]):
        if other[edge] == x:
            return weight[edge]
    return 0.0
