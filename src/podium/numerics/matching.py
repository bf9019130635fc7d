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
    order = np.argsort(-weight, kind="stable")
    ends = np.concatenate((a[order], b[order]))
    by_vertex = np.argsort(ends, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=vertices))))
    other = np.concatenate((b[order], a[order]))[by_vertex]
    heaviness = np.concatenate((weight[order], weight[order]))[by_vertex]
    greedy(a[order], b[order], mate)
    improve(starts, other, heaviness, mate)
    return mate


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
    for u in range(vertices):
        if mate[u] >= 0:
            own[u] = _weight(starts, other, weight, u, mate[u])
    # Who is looked at again: everybody at first, then those near an exchange.
    waiting = np.ones(vertices, np.bool_)
    changed = True
    while changed:
        changed = False
        for u in range(vertices):
            if waiting[u]:
                waiting[u] = False
                while _exchange(starts, other, weight, mate, own, waiting, u):
                    changed = True


@kernel
def _exchange(starts, other, weight, mate, own, waiting, u):
    """Let u take the neighbour by which most is gained; whether there is one."""
    m = mate[u]
    best, taken, new_m, new_y = _GAIN, np.int64(-1), np.int64(-1), np.int64(-1)
    most_m = weight[starts[m]] if m >= 0 else 0.0
    for edge in range(starts[u], starts[u + 1]):
        x = other[edge]
        if x == m:
            continue
        y = mate[x]
        gain = weight[edge] - own[u] - own[x]
        most_y = weight[starts[y]] if y >= 0 else 0.0
        if gain + most_m + most_y <= best:
            continue
        with_m, free_m = np.int64(-1), 0.0
        if m >= 0:
            with_m, free_m = _free(starts, other, weight, mate, m, u, x, np.int64(-1))
        with_y, free_y = np.int64(-1), 0.0
        if y >= 0:
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
    _join(starts, other, weight, mate, own, waiting, u, taken)
    if m >= 0 and new_m >= 0:
        _join(starts, other, weight, mate, own, waiting, m, new_m)
    if y >= 0 and new_y >= 0 and mate[y] < 0:
        _join(starts, other, weight, mate, own, waiting, y, new_y)
    for each in (m, y):
        if each >= 0:
            _wake(starts, other, waiting, each)
    return True


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
        x = other[edge]
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
