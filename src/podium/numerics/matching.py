"""The heaviest matching of vertices in a row, each of which may be joined to the few before it.

Exact, by dynamic programming along the row: all that matters of the vertices before one is which
of the last few are still free. So it takes time in proportion to the row, and to two to the power
of how far edges reach. Weights are whole numbers, so that sums are exact.
"""

import numpy as np

from podium.numerics.compiled import kernel

FARTHEST = 10
"""How many places before a vertex its edges may reach."""


@kernel
def heaviest_in_band(weight):
    """The mate of every vertex in the heaviest matching of a band of edges, or -1.

    `weight[i, d]` is that of the edge between vertex i and the one d + 1 places before it, or
    negative where there is none; there must be none before the first vertex. Of matchings that
    weigh the same it takes one by rules that do not look at weights.

    Example:
        >>> none = -1
        >>> edges = np.array([[none, none], [2, none], [3, none], [2, 1]])
        >>> heaviest_in_band(edges).tolist()
        [1, 0, 3, 2]
    """
    vertices, reach = weight.shape
    states = 1 << reach
    oldest = states >> 1
    # A state is a set of bits: whether the vertex d + 1 places before is free. What the best
    # choices until there weigh; -1 where no choices lead to that state.
    value = np.full(states, np.int64(-1))
    after = np.empty(states, np.int64)
    value[0] = 0
    how = np.empty((vertices, states), np.uint8)
    for i in range(vertices):
        for state in range(states):
            before = state >> 1
            best, choice = np.int64(-1), np.uint8(0)
            if state & 1:
                # The vertex stays free; whether the oldest was is forgotten.
                best = value[before]
                if value[before | oldest] > best:
                    best = value[before | oldest]
                    choice = np.uint8(1)
            else:
                # It was joined to one that was free, and is no longer.
                for d in range(reach):
                    bit = 1 << d
                    if before & bit or weight[i, d] < 0:
                        continue
                    for forgotten in range(2):
                        known = before | bit | (oldest if forgotten else 0)
                        if value[known] >= 0 and value[known] + weight[i, d] > best:
                            best = value[known] + weight[i, d]
                            choice = np.uint8(2 * (d + 1) + forgotten)
            after[state] = best
            how[i, state] = choice
        value, after = after, value
    state = 0
    for each in range(states):
        if value[each] > value[state]:
            state = each
    mate = np.full(vertices, np.int64(-1))
    for back in range(1, vertices + 1):
        i = vertices - back
        code = np.int64(how[i, state])
        joined = i - (code >> 1)
        state >>= 1
        if code & 1:
            state |= oldest
        if joined < i:
            state |= 1 << (i - joined - 1)
            mate[i] = joined
            mate[joined] = i
    return mate
